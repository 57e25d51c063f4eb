"""Arrays of other libraries: refused wherever a tensor or an array goes, with the call that converts them."""

import array
from fractions import Fraction

import numpy as np
import pytest

import pullback as pb
import pullback.numpy as pnp
import pullback.special as special


@pb.formula
def operators(a, b):
    t = a + b

    def operators_pullback(grad):
        return grad * b, grad * t + grad * b

    return t * b, operators_pullback


@pb.formula(surrogate=True)
def straight_through(x):
    y = (x * 4 // 1) / 4

    def straight_through_pullback(grad):
        return grad

    return y, straight_through_pullback


@pb.formula
def numpys(x):
    y = np.exp(x)

    def numpys_pullback(grad):
        return grad * y

    return y, numpys_pullback


@pb.formula
def method(x):
    def method_pullback(grad):
        return np.broadcast_to(grad, x.shape)

    return x.sum(), method_pullback


@pb.formula
def keyword(x, *, factor):
    def keyword_pullback(grad):
        return grad * factor

    return x * factor, keyword_pullback


@pb.formula
def of_list(xs: list[pb.Tensor]):
    def of_list_pullback(grad):
        return [grad for _ in xs]

    return xs[0] + xs[1], of_list_pullback


def euclid(x, y):
    return (x * x + y * y) ** 0.5


@pb.composite(euclid)
def euclid_of_operators(x, y):
    return (x * x + y * y) ** 0.5


def square_sum(x):
    return (x * x).sum()


class Duck:
    """An array as other libraries have it: arithmetic, and what `make` adds."""

    def __init__(self, values):
        self.values = np.asarray(values, float)
        self.shape, self.dtype, self.ndim = self.values.shape, self.values.dtype, self.values.ndim

    def _with(self, other):
        return type(self)(self.values + np.asarray(getattr(other, "values", 0.0)))

    __add__ = __radd__ = __sub__ = __mul__ = __rmul__ = __truediv__ = __floordiv__ = __matmul__ = _with

    def sum(self):
        return self.values.sum()


class Buffer(array.array):
    """The standard library's array, which has a shape here: without one it is an iterable of numbers."""

    shape = (2,)


def _jax_like():
    class Array(Duck):
        __module__ = "jaxlib.xla"

        def __array__(self, dtype=None, copy=None):
            return np.array(self.values, dtype)

        def __dlpack__(self, **options):
            return self.values.__dlpack__(**options)

        def __jax_array__(self):
            return self

    return Array([1.0, 2.0])


def _torch(requires_grad):
    torch = pytest.importorskip("torch")
    return torch.tensor([1.0, 2.0], requires_grad=requires_grad)


FOREIGN = {
    "torch": lambda: _torch(False),
    "torch that requires grad": lambda: _torch(True),
    "as JAX": _jax_like,
    "without a protocol": lambda: Duck([1.0, 2.0]),
    "the standard library's": lambda: Buffer("d", [1.0, 2.0]),
}

# Of a foreign array `t` and a tensor `x` that requires grad.
CALLS = {
    "operators": lambda t, x: operators(t, t),
    "operators, mixed": lambda t, x: operators(x, t),
    "operators, mixed the other way": lambda t, x: operators(t, x),
    "operators by name": lambda t, x: operators(a=t, b=t),
    "operators, in a list": lambda t, x: operators([t, t], 1.0),
    "straight through": lambda t, x: straight_through(t),
    "promoted": lambda t, x: operators.promoted(t, t),
    "NumPy's functions": lambda t, x: numpys(t),
    "method": lambda t, x: method(t),
    "keyword": lambda t, x: keyword(x, factor=t),
    "keyword beside": lambda t, x: keyword(t, factor=2.0),
    "list": lambda t, x: of_list([t, t]),
    "list, mixed": lambda t, x: of_list([x, t]),
    "composite": lambda t, x: euclid_of_operators(t, t),
    "composite by name": lambda t, x: euclid_of_operators(1.0, y=t),
    "pullback.numpy": lambda t, x: pnp.exp(t),
    "pullback.numpy, mixed": lambda t, x: pnp.add(x, t),
    "pullback.numpy, reduction": lambda t, x: pnp.sum(t, axis=0),
    "pullback.numpy, list": lambda t, x: pnp.concatenate([x, t]),
    "pullback.numpy, nested": lambda t, x: pnp.stack([[x, t]]),
    "pullback.numpy, written": lambda t, x: pnp.average(t),
    "pullback.numpy, keyword": lambda t, x: pnp.sum(x, where=t),
    "pullback.numpy, creation": lambda t, x: pnp.linspace(0.0, t),
    "pullback.special": lambda t, x: special.expit(t),
    "NumPy": lambda t, x: np.add(x, t),
    "NumPy, list": lambda t, x: np.concatenate([x, t]),
    "NumPy, where": lambda t, x: np.where(x > 1, x, t),
    "operator": lambda t, x: x * t,
    "comparison": lambda t, x: x < t,
    "matmul": lambda t, x: x @ t,
    "methods": lambda t, x: x.dot(t),
    "in place": lambda t, x: (x + 0).__iadd__(t),
    "write": lambda t, x: (x + 0).__setitem__(slice(None), t),
    "stop_gradient": lambda t, x: pb.stop_gradient(t),
    "from_numpy": lambda t, x: pb.from_numpy(t),
    "gradient of": lambda t, x: pb.grad(t, x),
    "gradient by": lambda t, x: pb.grad(square_sum(x), t),
    "incoming gradient": lambda t, x: (x * x).backward(t),
    "value_and_grad": lambda t, x: pb.value_and_grad(square_sum)(t),
    "vjp": lambda t, x: pb.vjp(square_sum, t),
    "vjp's vector": lambda t, x: pb.vjp(lambda x: x * x, x, t),
    "jvp": lambda t, x: pb.jvp(square_sum, t, x),
    "jvp's vector": lambda t, x: pb.jvp(square_sum, x, t),
    "hvp": lambda t, x: pb.hvp(square_sum, t, x),
    "jacobian": lambda t, x: pb.jacobian(square_sum, t),
    "hessian": lambda t, x: pb.hessian(square_sum, (t,)),
    "gradcheck": lambda t, x: pb.gradcheck(square_sum, (t,)),
    "checkpoint": lambda t, x: pb.checkpoint(operators, t, t),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=list(CALLS))
@pytest.mark.parametrize("foreign", FOREIGN.values(), ids=list(FOREIGN))
@pytest.mark.filterwarnings("default::DeprecationWarning")
def test_a_foreign_array_is_refused(engine, call, foreign):
    x = pb.tensor([1.0, 2.0], requires_grad=True)
    with pytest.raises(pb.errors.ForeignArrayError, match=r"pb\.tensor\("):
        call(foreign(), x)


@pytest.mark.compiler
@pytest.mark.parametrize("foreign", FOREIGN.values(), ids=list(FOREIGN))
def test_a_compiled_formula_refuses_too(engine, foreign):
    x = pb.tensor([1.0, 2.0], requires_grad=True)
    fast = pb.compile(operators)
    for arguments in ((foreign(), foreign()), (x, foreign()), (foreign(), x)):
        with pytest.raises(pb.errors.ForeignArrayError):
            fast(*arguments)
        fast(x, x)  # what was seen before makes no difference


def test_the_conversions_that_the_message_names_work(engine):
    torch = pytest.importorskip("torch")
    t = torch.tensor([1.0, 2.0], requires_grad=True)
    with pytest.raises(
        TypeError, match=r"not torch\.Tensor.*detach\(\)\.numpy\(\).*pb\.from_dlpack\(x\.detach\(\)\)"
    ):
        straight_through(t)
    copy = pb.tensor(t.detach().numpy(), requires_grad=True)
    shared = pb.from_dlpack(t.detach()).requires_grad_()
    for x in (copy, shared):
        assert pb.grad(straight_through(x).sum(), x)[0].tolist() == [1.0, 1.0]


@pytest.mark.parametrize("name", ["__array__", "__dlpack__", "__jax_array__", "__array_interface__"])
def test_each_protocol_alone_makes_an_array_of_it(engine, name):
    kind = type("Array", (), {name: None})
    with pytest.raises(pb.errors.ForeignArrayError):
        pnp.exp(kind())


@pytest.mark.parametrize("value", [1, 2.0, True, np.float32(1), np.int8(3), Fraction(1, 2)])
def test_numbers_and_arrays_of_numpy_are_no_foreign_arrays(engine, value):
    assert np.all(keyword(value, factor=2.0) == value * 2)


def test_gradcheck_refuses_functions_whose_derivatives_are_not_ours(engine):
    torch = pytest.importorskip("torch")

    class Cube(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x**3

        @staticmethod
        def backward(ctx, grad):
            return grad

    for function in (Cube, Cube.apply):
        with pytest.raises(TypeError, match=r"Cube is one of torch: `pullback check FILE::NAME`"):
            pb.gradcheck(function, np.ones(3))


def test_gradcheck_refuses_functions_of_jax(engine):
    jax = pytest.importorskip("jax")
    for function in (jax.jit(abs), jax.custom_jvp(abs)):
        with pytest.raises(TypeError, match=r"abs is one of jax: jax\.test_util\.check_grads"):
            pb.gradcheck(function, np.ones(3))
