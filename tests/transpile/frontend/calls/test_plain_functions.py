"""Functions of Python's own numbers and tuples, of attributes: the same everywhere."""

import math

import numpy as np
import pytest

import pullback as pb

X = np.array([0.25, -1.5])


def of_attributes(x, *, n: int = 3, scale: float = 0.75, weights: tuple[float, ...] = (1.0, -2.0)):
    first = 2.0 if any(w > 1.5 for w in weights) else 1.0
    second = 2.0 if all([n > 1, n < 9]) else 1.0
    return (
        x * first * second * abs(n - 5) * abs(scale),
        x * max(weights) * min(weights) * min(n, 2) * max(n, 2, 1),
        x * sum(weights) * sum(weights[1:]) * sum(range(n)) * math.prod(weights),
        x * round(n / 2) * pow(n, 2) * int(n / 2) * divmod(n, 2)[0] * float(n),
        x * bool(n) * bool(n - 3) + x * bool(len(weights)),
        x * math.hypot(n, 2.0) * math.gcd(n, 6) * math.comb(n, 2) * math.factorial(n) * math.fsum(weights),
    )


GIVEN = [{}, {"n": 4, "scale": -1.5, "weights": (2.0, 0.5, 3.0)}]


@pytest.mark.parametrize("given", GIVEN, ids=["defaults", "others"])
def test_it_is_what_python_computes(given):
    derived = pb.derive_pullback(of_attributes)
    for found, expected in zip(derived(X, **given), of_attributes(X, **given), strict=True):
        np.testing.assert_allclose(found, expected)
    assert pb.gradcheck(lambda x: derived(x, **given), X)


@pytest.mark.compiler
def test_it_is_compiled():
    fast = pb.compile(of_attributes)
    for given in GIVEN:
        for found, expected in zip(fast(pb.tensor(X), **given), of_attributes(X, **given), strict=True):
            np.testing.assert_allclose(found.numpy(), expected)
    assert not fast.limits()


@pytest.mark.torch
def test_it_is_computed_in_pytorch():
    torch = pytest.importorskip("torch")
    import pullback.torch

    function = pullback.torch.function(pb.derive_pullback(of_attributes))
    for given in GIVEN:
        for found, expected in zip(
            function(torch.tensor(X), **given), of_attributes(X, **given), strict=True
        ):
            np.testing.assert_allclose(found.numpy(), expected)


@pytest.mark.jax
def test_it_is_computed_in_jax():
    jax = pytest.importorskip("jax")
    import pullback.jax
    from pullback.engine.formula.formula import LIBRARY_OF_PROCESS
    from pullback.tools.commands.transpile import jax_helpers
    from pullback.transpile.emit.jax import module_text

    derived = pb.derive_pullback(of_attributes)
    names = {}
    exec(module_text([derived.operator.formula], LIBRARY_OF_PROCESS, jax_helpers()), names)
    for function in (pullback.jax.function(derived), names["of_attributes"]):
        for given in GIVEN:
            found = function(jax.numpy.asarray(X), **given)
            for one, expected in zip(found, of_attributes(X, **given), strict=True):
                np.testing.assert_allclose(one, expected, rtol=1e-6)
