"""Lists in the place of arrays, and lists inside of lists of arrays: no gradient is lost in them."""

import numpy as np
import pytest

import pullback as pb
import pullback.numpy as pnp


@pb.formula
def sum_of_all(xs: list[pb.Tensor]):
    def sum_of_all_pullback(grad):
        return [grad * np.ones_like(x) for x in xs]

    total = 0.0
    for x in xs:
        total = total + np.sum(x)
    return total, sum_of_all_pullback


JOINING = {
    "concatenate": (lambda x: pnp.concatenate([[x], [x * x]]), 5.0),
    "deeper": (lambda x: pnp.concatenate([[[x, x]], [[x * x, 1.0]]]), 6.0),
    "tuples": (lambda x: pnp.concatenate(((x,), (x * x,))), 5.0),
    "stack": (lambda x: pnp.stack([[x, 1.0], [x * x, x]]), 6.0),
    "vstack": (lambda x: pnp.vstack([[x], [x * x]]), 5.0),
    "hstack": (lambda x: pnp.hstack([[x], [x * x]]), 5.0),
    "einsum": (lambda x: pnp.einsum("i,i->", [x, 1.0], [x * x, x]), 13.0),
    "block": (lambda x: np.block([[x, x * x], [x, x]]), 7.0),
    "array": (lambda x: pnp.array([[x, x * x], [1.0, x]]), 6.0),
    "a formula": (lambda x: sum_of_all([[x, x], [x * x, x]]), 7.0),
    "a formula, beside numbers": (lambda x: sum_of_all([[1.0, 2.0], x * x]), 4.0),
}


@pytest.mark.parametrize(("join", "slope"), JOINING.values(), ids=list(JOINING))
def test_a_list_inside_of_a_list_has_its_gradient(engine, join, slope):
    value, gradient = pb.value_and_grad(lambda x: pnp.sum(join(x)))(2.0)
    assert gradient == slope
    with pb.forward_ad.dual_level():
        x = pb.forward_ad.make_dual(pb.tensor(2.0), pb.tensor(1.0))
        found = pnp.sum(join(x))
        assert (found.item(), pb.forward_ad.unpack_dual(found).tangent.item()) == (value, slope)


@pytest.mark.compiler
def test_a_compiled_formula_joins_them_too(engine):
    fast = pb.compile(sum_of_all)
    value, gradient = pb.value_and_grad(lambda x: fast([[x, x], [x * x, x]]))(2.0)
    assert (value, gradient) == (10.0, 7.0)


TAKING_ONE = {
    "exp": lambda x: np.exp([x]),
    "sum": lambda x: np.sum([x, x]),
    "dot": lambda x: np.dot([x, x], [x, 1.0]),
    "where": lambda x: np.where([True], [x], [x]),
    "concatenate": lambda x: np.concatenate([[x], [x]]),
    "einsum": lambda x: np.einsum("i,i", [x], [x]),
    "append": lambda x: np.append([x], [x]),
    "interp": lambda x: np.interp(x, [1.0, 3.0], [x, 1.0]),
}


@pytest.mark.parametrize("call", TAKING_ONE.values(), ids=list(TAKING_ONE))
def test_where_a_list_is_no_operand_it_is_refused(engine, call):
    x = pb.tensor(2.0, requires_grad=True)
    with pytest.raises(TypeError, match=r"np\.stack|pullback\.numpy"):
        call(x)


@pytest.mark.parametrize("join", [np.concatenate, pnp.concatenate, np.hstack, pnp.hstack])
def test_a_list_of_numbers_beside_tensors(engine, join):
    v = pb.tensor([1.0, 2.0], requires_grad=True)
    joined = join([v, [3.0], (4.0, 5.0)])
    assert joined.tolist() == [1.0, 2.0, 3.0, 4.0, 5.0]
    slope = pb.grad((joined**3).sum(), v, create_graph=True)[0]
    assert pb.grad(slope.sum(), v)[0].tolist() == [6.0, 12.0]
