"""Every formula of the library is a JAX function, or refused with its place."""

import doctest
import importlib
import re

import numpy as np
import pytest

import pullback as pb
from pullback.transpile.operators import SCIPY_ONLY
from tests.formulas.samples import DECOMPOSITIONS, names, samples

pytestmark = pytest.mark.jax

# JAX has no function of these, or none for their derivatives.
REFUSED = {
    *(SCIPY_ONLY - {"boxcox", "boxcox1p", "owens_t", "poch", "spence"}),
    *("erfi", "rgamma"),
    *("bessel_i", "bessel_j", "i1", "i1e", "j0", "j1", "k0", "k0e", "k1", "k1e", "y0", "y1"),
}


def test_those_that_are_functions_and_those_that_are_refused():
    from pullback.jax import function

    refused, made = {}, set()
    for name in (*names(), *DECOMPOSITIONS):
        try:
            function(pb.formulas()[name] if name in names() else pb.formulas().operator(name))
            made.add(name)
        except pb.FormulaError as error:
            refused[name] = str(error)
    assert refused.keys() == REFUSED
    assert all(re.search(r"formulas/\w+\.py:\d+:\d+: PB502", text) for text in refused.values())
    assert len(made) > 150


def derivatives(name):
    """Pairs of what JAX and the engine say of the samples: values, and two derivatives."""
    import jax
    import jax.numpy as jnp

    from pullback.jax import function

    made = function(pb.formulas()[name])
    for case in samples(name):
        places = [k for k, leaf in enumerate(case.leaves) if np.asarray(leaf).dtype.kind == "f"]
        floats = [np.asarray(case.leaves[k]) for k in places]

        def results(call, floats, case=case, places=places):
            leaves = list(case.leaves)
            for place, value in zip(places, floats, strict=True):
                leaves[place] = value
            rest = iter(leaves)
            args = [[next(rest) for _ in a] if isinstance(a, list) else next(rest) for a in case.args]
            found = call(*args, **case.kwargs)
            return found if isinstance(found, tuple) else (found,)

        def loss(call, floats, sin, results=results):
            found = results(call, floats)
            return sum(sin(r).sum() for r in found if np.issubdtype(r.dtype, np.floating))

        tensors = [pb.tensor(x, requires_grad=True) for x in floats]
        scalar = loss(pb.formulas()[name], tensors, np.sin)
        yield from zip(results(made, floats), results(pb.formulas()[name], floats), strict=True)
        if not isinstance(scalar, pb.Tensor) or not scalar.requires_grad:
            continue
        first = pb.grad(scalar, tensors, create_graph=True, materialize_grads=True)
        slope = jax.grad(lambda floats, made=made, loss=loss: loss(made, floats, jnp.sin))
        yield from zip(jax.jit(slope)(floats), [g.detach().numpy() for g in first], strict=True)
        total = sum((g * g).sum() for g in first)
        if total.requires_grad:
            second = pb.grad(total, tensors, materialize_grads=True)
            found = jax.jit(jax.grad(lambda f, slope=slope: sum((g * g).sum() for g in slope(f))))(floats)
            yield from zip(found, [g.numpy() for g in second], strict=True)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in names() if name not in REFUSED])
def test_values_and_two_derivatives_are_those_of_the_engine(name):
    for found, expected in derivatives(name):
        np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("name", ["function", "values", "primitives", "compiled", "vocabulary", "rules"])
def test_examples_of_a_module(name):
    module = importlib.import_module(f"pullback.jax.{name}")
    assert doctest.testmod(module, extraglobs={"np": np, "pb": pb}).failed == 0
