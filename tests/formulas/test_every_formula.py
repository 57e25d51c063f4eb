"""What holds of every formula of the library, on both engines."""

import numpy as np
import pytest

import pullback as pb
from pullback import primitives
from pullback.transpile.operators import OPERATORS, SCIPY_ONLY

from .samples import every_case, names, samples

CASES = every_case()


@pytest.mark.parametrize("case", CASES, ids=str)
def test_derivatives_agree_with_finite_differences(engine, case):
    assert pb.gradcheck(case.call, *case.leaves, order=3)


@pytest.mark.parametrize("case", [case for case in CASES if case.name != "astype"], ids=str)
def test_float32_stays_float32(engine, case):
    leaves = [_single(leaf) for leaf in case.leaves]
    kwargs = {
        k: primitives.Like(v.shape, np.dtype("float32")) if k == "like" else v for k, v in case.kwargs.items()
    }
    single = type(case)(case.name, case.args, kwargs)
    result = single.call(*leaves)
    inputs = [leaf for leaf in leaves if isinstance(leaf, pb.Tensor)]
    first = pb.grad(result.sum(), inputs, create_graph=True, materialize_grads=True)
    assert {tensor.dtype for tensor in first} == {np.dtype("float32")}
    # Some of SciPy's functions compute in float64 where an order is a whole number.
    on_arrays = single.call(
        *(leaf.detach().numpy() if isinstance(leaf, pb.Tensor) else leaf for leaf in leaves)
    )
    assert result.dtype == (on_arrays.dtype if case.name in SCIPY_ONLY else np.dtype("float32"))
    curved = [g for g in first if g.requires_grad]
    if curved:
        second = pb.grad(sum((g * g).sum() for g in curved), inputs, materialize_grads=True)
        assert {tensor.dtype for tensor in second} == {np.dtype("float32")}


def _single(leaf):
    if isinstance(leaf, np.ndarray) and leaf.dtype == np.float64:
        return pb.tensor(leaf.astype(np.float32), requires_grad=True)
    return leaf


@pytest.mark.parametrize("name", names())
def test_the_formula_states_its_mathematics(name):
    """A docstring, and the word's own operands in their order."""
    formula = pb.formulas()[name]
    assert formula.__doc__
    word = OPERATORS[name]
    positional = tuple(p.var.name for p in formula.ir.params if not p.attribute)
    attributes = tuple(p.var.name for p in formula.ir.params if p.attribute)
    assert positional == word.operands
    assert attributes == word.attrs


@pytest.mark.parametrize(
    "name", sorted(n for n in names() if OPERATORS[n].pointwise and len(OPERATORS[n].operands) == 1)
)
def test_nothing_comes_of_nothing(engine, name):
    """Arrays without elements, and of no axes."""
    kwargs = samples(name)[0].kwargs
    for shape in ((0,), (2, 0, 3)):
        x = pb.tensor(np.ones(shape), requires_grad=True)
        y = pb.formulas()[name](x, **kwargs)
        (gradient,) = pb.grad(y.sum(), [x])
        assert y.shape == gradient.shape == shape
    x = pb.tensor(1.5 if name == "arccosh" else 0.5, requires_grad=True)
    (gradient,) = pb.grad(pb.formulas()[name](x, **kwargs), [x])
    assert gradient.shape == ()
