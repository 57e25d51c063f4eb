"""What users of arrays take for granted: lists in their place, `r_`, other types' operators, pickles."""

import copy
import pickle

import numpy as np
import pytest

import pullback as pb
import pullback.numpy as pnp


@pb.formula
def simple(a, b):
    t = a + b
    return t * b, lambda grad: (grad * b, grad * t + grad * b)


@pb.derive_pullback
def derived(a):
    return np.sin(a) * a


@pb.compile
def swish(x):
    return x / (1 + np.exp(-x))


fast = pb.compile(simple)


def leaf(*values):
    return pb.tensor(np.array(values), requires_grad=True)


LISTS = {
    "sum": lambda x, y: pnp.sum([x, y * y]),
    "mean of values": lambda x, y: pnp.mean([x[0], y[1] ** 2, 3.0]),
    "max along an axis": lambda x, y: pnp.sum(pnp.max([x, y], axis=0)),
    "sin": lambda x, y: pnp.sum(pnp.sin([x[0], y[1]])),
    "nested": lambda x, y: pnp.sum(pnp.exp([[x[0], 1.0], [y[0], x[1]]])),
    "an operator": lambda x, y: pnp.sum(x * [y[0], y[0], x[2]]),
    "matmul": lambda x, y: x @ [y[0], x[1], 2.0],
    "a formula": lambda x, y: pnp.sum(simple([x[0], y[0]], [1.0, x[1]])),
    "a compiled formula": lambda x, y: pnp.sum(fast([x[0], y[0]], [1.0, x[1]])),
    "r_": lambda x, y: pnp.sum(pnp.r_[x, 0.0, 2:5, y[:2]] * np.arange(9.0)),
    "r_ with an axis": lambda x, y: pnp.sum(pnp.r_["0,2", x, y] * np.arange(6.0).reshape(2, 3)),
    "c_": lambda x, y: pnp.sum(pnp.c_[x, y, x * y] * np.arange(9.0).reshape(3, 3)),
    "einsum with lists": lambda x, y: np.einsum(x, [0], y, [1], [1, 0]).sum() + np.einsum(x, [7], y, [7]),
    "einsum with dots": lambda x, y: np.einsum(x[None], [..., 30], y, [30], [...]).sum(),
}


@pytest.mark.parametrize("name", LISTS)
def test_lists_of_tensors_stand_for_arrays(engine, name):
    x, y = leaf(0.3, -0.7, 1.1), leaf(0.9, 0.2, -0.4)
    assert pb.gradcheck(LISTS[name], (x, y), order=2)
    plain = LISTS[name](x.detach().numpy(), y.detach().numpy()) if "formula" not in name else None
    if plain is not None:
        np.testing.assert_allclose(LISTS[name](x, y).detach().numpy(), plain, rtol=1e-14)


class Unit:
    """A type with operators of its own."""

    __array_ufunc__ = None

    def _met(self, other):
        return "met"

    __add__ = __radd__ = __rsub__ = __rmul__ = __rtruediv__ = __rmatmul__ = __rpow__ = __rmod__ = _met
    __rfloordiv__ = __rdivmod__ = __lt__ = __gt__ = __le__ = __ge__ = __eq__ = __ne__ = _met
    __hash__ = object.__hash__


@pytest.mark.parametrize(
    "operation",
    [
        lambda x, u: x + u, lambda x, u: u + x, lambda x, u: x - u, lambda x, u: x * u, lambda x, u: x / u,
        lambda x, u: x @ u, lambda x, u: x**u, lambda x, u: x % u, lambda x, u: x // u,
        lambda x, u: divmod(x, u), lambda x, u: x < u, lambda x, u: x >= u, lambda x, u: x == u,
        lambda x, u: x != u,
    ],
)  # fmt: skip
def test_operators_of_other_types_come_first(engine, operation):
    assert operation(leaf(1.0, 2.0), Unit()) == operation(np.ones(2), Unit()) == "met"


def test_an_operator_that_neither_has(engine):
    class Silent:
        __array_ufunc__ = None

    with pytest.raises(TypeError, match="unsupported operand"):
        leaf(1.0) + Silent()


def test_a_gradient_asked_of_a_function(engine):
    with pytest.raises(TypeError, match=r"pb\.func\.grad"):
        pb.grad(np.sin)
    with pytest.raises(TypeError, match="inputs to differentiate by"):
        pb.grad(leaf(1.0))


@pytest.mark.parametrize(
    "value", [simple, derived, swish, pb.formulas()["tanh"], pb.formulas()[np.vdot], pb.gelu]
)
def test_formulas_pickle_by_their_names(value):
    assert pickle.loads(pickle.dumps(value)) is value
    assert copy.deepcopy(value) is value


def test_a_compiled_formula_of_another_name_is_compiled_again():
    again = pickle.loads(pickle.dumps(fast))
    assert again.formula is simple
    assert again(2.0, 3.0) == fast(2.0, 3.0)


@pytest.mark.parametrize("function", [np.tanh, pb.gelu, pnp.exp, np.vdot])
def test_functions_of_the_library_compile(engine, function):
    compiled = pb.compile(function)
    x = np.array([0.3, -0.7])
    arguments = (x, x) if function is np.vdot else (x,)
    np.testing.assert_allclose(compiled(*arguments), np.asarray(function(*arguments)), rtol=1e-15)
