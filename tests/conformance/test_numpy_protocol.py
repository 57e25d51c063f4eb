"""NumPy's functions, operators and methods on tensors, and `pullback.numpy`."""

import math
import re
from fractions import Fraction

import numpy as np
import pytest
import scipy.special

import pullback as pb
import pullback.numpy as pnp
from pullback.transpile.operators import OPERATORS

X = np.array([[0.5, 1.5, -1.0], [2.0, -0.3, 0.7]])
Y = np.array([[1.0, -2.0, 0.4], [0.2, 0.9, -1.1]])

FUNCTIONS = {
    "ufunc": lambda x, y: np.exp(x),
    "two tensors": lambda x, y: np.multiply(x, y),
    "array on the left": lambda x, y: Y * x,
    "array on the right": lambda x, y: x - Y,
    "number on the left": lambda x, y: 2.0 / (x + 5),
    "power": lambda x, y: (x + 2) ** 2,
    "matmul": lambda x, y: x @ y.T,
    "array matmul": lambda x, y: Y.T @ x,
    "unary": lambda x, y: -x + +y - abs(x),
    "sum": lambda x, y: np.sum(x * y, axis=0),
    "mean": lambda x, y: np.mean(x, axis=1, keepdims=True),
    "max": lambda x, y: np.max(x, axis=1),
    "method": lambda x, y: (x * y).sum(axis=-1),
    "reduce": lambda x, y: np.add.reduce(x),
    "concatenate": lambda x, y: np.concatenate([x, y], axis=1),
    "concatenate with an array": lambda x, y: np.concatenate([x, Y]),
    "stack": lambda x, y: np.stack([x, y, x], axis=1),
    "where": lambda x, y: np.where(x > 0, x, y),
    "where with an array": lambda x, y: np.where(X > 0, x, 0.0),
    "clip": lambda x, y: np.clip(x, -0.5, 1.0),
    "clip method": lambda x, y: x.clip(-0.5, 1.0),
    "reshape": lambda x, y: x.reshape(3, 2) @ y,
    "reshape of a tuple": lambda x, y: x.reshape((6,)),
    "flatten": lambda x, y: x.flatten(),
    "transpose": lambda x, y: x.T * y.transpose(1, 0),
    "swapaxes": lambda x, y: np.swapaxes(x, 0, 1),
    "broadcast_to": lambda x, y: np.broadcast_to(x, (4, 2, 3)),
    "expand_dims": lambda x, y: np.expand_dims(x, 1).squeeze(1),
    "index": lambda x, y: x[1, 2] * y[0],
    "slice": lambda x, y: x[:, ::2] + y[..., 1:],
    "newaxis": lambda x, y: x[:, None] * y,
    "erf": lambda x, y: scipy.special.erf(x),
    "softmax": lambda x, y: pnp.softmax(x, axis=1),
    "logsumexp": lambda x, y: pnp.logsumexp(x, axis=1),
    "cumsum": lambda x, y: x.cumsum(axis=1) * y.cumprod(axis=0),
    "copy": lambda x, y: x.copy(),
    "own function": lambda x, y: pb.sigmoid(x) * pb.softplus(y),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_values_are_numpys_and_gradients_are_recorded(engine, name):
    f = FUNCTIONS[name]
    x, y = pb.tensor(X, requires_grad=True), pb.tensor(Y, requires_grad=True)
    result = f(x, y)
    assert isinstance(result, pb.Tensor)
    assert result.requires_grad
    if name != "clip method":
        np.testing.assert_allclose(result.detach().numpy(), f(X, Y))
    assert pb.gradcheck(f, X, Y, order=2)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: x > 0,
        lambda x: x == x,
        lambda x: np.sign(x),
        lambda x: np.floor(x),
        lambda x: np.argmax(x),
        lambda x: np.isfinite(x),
        lambda x: np.zeros_like(x),
        lambda x: np.round(x, 1),
        lambda x: (x > 0) & (x < 1),
        lambda x: x // 0.3,
        lambda x: pb.stop_gradient(x),
        lambda x: x.argmax(axis=1),
    ],
)
def test_what_has_derivative_zero_gives_tensors_without_grad(engine, f):
    x = pb.tensor(X, requires_grad=True)
    result = f(x)
    assert isinstance(result, pb.Tensor)
    assert not result.requires_grad
    np.testing.assert_array_equal(result.numpy(), f(X))


def test_questions_are_answered(engine):
    x = pb.tensor(X, requires_grad=True)
    assert np.shape(x) == (2, 3)
    assert np.ndim(x) == 2
    assert np.result_type(x, np.float32) == np.float64
    assert np.allclose(x, X)
    assert not np.iscomplexobj(x)


def test_a_function_without_formula_is_refused_only_where_a_gradient_would_be_lost(engine):
    x = pb.tensor(np.eye(2), requires_grad=True)
    with pytest.raises(pb.errors.NotDifferentiableError, match=r"numpy.polyfit has no formula.*@pb.formula"):
        np.polyfit(x[0], x[1], 1)
    with pytest.raises(pb.errors.NotDifferentiableError, match="zetac"):
        scipy.special.zetac(x)
    plain = np.polyfit(x[0].detach(), x[1].detach(), 1)
    assert isinstance(plain, pb.Tensor)
    with pb.no_grad():
        assert isinstance(np.polyfit(x[0], x[1], 1), pb.Tensor)


def test_an_array_of_a_tensor_that_requires_grad_is_refused(engine):
    x = pb.tensor(X, requires_grad=True)
    with pytest.raises(pb.errors.NotDifferentiableError, match="gradient would be lost"):
        np.asarray(x)
    with pytest.raises(pb.errors.NotDifferentiableError, match="detach"):
        x.numpy()
    np.testing.assert_array_equal(np.asarray(x.detach()), X)
    assert np.asarray(pb.tensor(X), dtype=np.float32).dtype == np.float32


def test_functions_that_ask_nobody_say_where_else_to_go(engine):
    with pytest.raises(pb.errors.NotDifferentiableError, match=r"pullback\.numpy"):
        scipy.special.softmax(pb.tensor(X, requires_grad=True), axis=1)


@pb.formula
def normalized(x):
    r = scipy.special.logsumexp(x, axis=-1)

    def normalized_pullback(grad):
        return grad[..., None] * scipy.special.softmax(x, axis=-1)

    return r, normalized_pullback


def test_formulas_may_use_such_functions_all_the_same(engine):
    assert pb.gradcheck(normalized, X, order=3)


def test_a_tensor_is_a_sequence_and_a_number(engine):
    x = pb.tensor(X, requires_grad=True)
    assert len(x) == 2
    assert [row.shape for row in x] == [(3,), (3,)]
    assert float(x[0, 1].detach()) == 1.5
    assert int(x[1, 0]) == 2
    assert bool(x[0, 0] > 0)
    assert x[0, 0].item() == 0.5
    assert x.tolist() == X.tolist()
    assert [10, 20, 30][pb.tensor(1)] == 20
    assert (x.shape, x.ndim, x.size, x.dtype) == ((2, 3), 2, 6, np.float64)
    with pytest.raises(TypeError):
        len(x[0, 0])
    with pytest.raises(ValueError, match="ambiguous"):
        bool(x)


LOSSES = {
    "math": lambda x: math.exp(x),
    "float": float,
    "complex": complex,
    "an entry of an array": lambda x: np.zeros(2).__setitem__(0, x),
    "an entry of float32": lambda x: np.zeros(2, np.float32).__setitem__(0, x),
    "an entry of complex": lambda x: np.zeros(2, complex).__setitem__(0, x),
    "entries of an array": lambda x: np.zeros(2).__setitem__(slice(None), x),
    "fill": lambda x: np.zeros(2).fill(x),
    "an array": np.asarray,
    "an array of a list": lambda x: np.array([x, 1.0], float),
    "from an iterable": lambda x: np.fromiter([x], float),
    "into an array": lambda x: np.add(x, 1.0, out=np.zeros(())),
}


@pytest.mark.parametrize("lose", LOSSES.values(), ids=list(LOSSES))
def test_a_gradient_is_not_lost_in_a_number_or_an_array(engine, lose):
    x = pb.tensor(0.5, requires_grad=True)
    with pytest.raises((pb.errors.NotDifferentiableError, pb.errors.MutationError, ValueError)) as raised:
        lose(x)
    # NumPy chains its own "setting an array element with a sequence" to what an entry raises.
    assert re.search("lost|would lose", str(raised.value.__cause__ or raised.value))
    lose(x.detach())


def test_a_number_of_a_tensor_names_both_cures(engine):
    x = pb.tensor(0.5, requires_grad=True)
    with pytest.raises(pb.errors.NotDifferentiableError, match=r"pullback\.numpy\.zeros.*x\.item\(\)"):
        float(x)
    assert math.exp(x.item()) == math.exp(0.5)
    a = pnp.zeros(2)
    a[0] = x * x
    assert pb.grad(a.sum(), x)[0].item() == 1.0
    with pb.no_grad():
        assert float(x) == 0.5


def test_a_whole_number_of_a_tensor_has_the_derivative_zero(engine):
    assert int(pb.tensor(2.7, requires_grad=True)) == 2


def test_tensors_are_hashable_by_identity(engine):
    x, y = pb.tensor(X), pb.tensor(X)
    assert {x: 1, y: 2}[x] == 1


def test_indexing_by_tensors(engine):
    x = pb.tensor(X, requires_grad=True)
    row = pb.tensor(1)
    np.testing.assert_array_equal(x[row].detach().numpy(), X[1])


def test_representation_shows_values_dtype_and_origin(engine):
    assert repr(pb.tensor(np.zeros((0, 3)))) == "tensor([], shape=(0, 3))"
    assert repr(pb.tensor([])) == "tensor([])"
    x = pb.tensor(np.array([1.0, 2.0], np.float32), requires_grad=True)
    assert repr(x) == "tensor([1., 2.], dtype=float32, requires_grad=True)"
    assert repr(np.exp(x)).endswith("dtype=float32, grad_fn=<exp>)")
    assert repr(pb.tensor(3.0, name="a")) == "tensor(3., name='a')"


def test_pullback_numpy_has_every_word(engine):
    for word in OPERATORS.values():
        module, _, name = word.python.rpartition(".")
        if module == "numpy":
            assert name in vars(pnp), name
        if module == "scipy.special":
            assert getattr(pb.special, name) is not getattr(scipy.special, name), name
    assert pnp.linalg.norm(pb.tensor([3.0, 4.0], requires_grad=True)).requires_grad
    for name in ("sigmoid", "relu", "gelu", "softplus", "array", "asarray", "pi", "float32", "newaxis"):
        assert name in vars(pnp), name


def test_tensors_have_every_method_of_the_vocabulary(engine):
    for word in OPERATORS.values():
        for method in word.methods:
            assert callable(getattr(pb.tensor(X), method)), method


def test_pullback_numpy_gives_arrays_for_arrays_and_tensors_for_tensors(engine):
    x = pb.tensor(X, requires_grad=True)
    assert type(pnp.exp(X)) is np.ndarray
    assert type(pnp.sigmoid(X)) is np.ndarray
    assert isinstance(pnp.exp(x), pb.Tensor)
    assert isinstance(pnp.sign(x), pb.Tensor)
    assert isinstance(pnp.linspace(0.0, 1.0, 3), pb.Tensor)
    assert pnp.zeros((2,)).tolist() == [0.0, 0.0]
    (dx,) = pb.grad(pnp.sum(pnp.where(x > 0, pnp.square(x), 0.0)), x)
    np.testing.assert_allclose(dx.numpy(), np.where(X > 0, 2 * X, 0))


def test_pullback_numpy_array_stacks_tensors(engine):
    x = pb.tensor(X, requires_grad=True)
    stacked = pnp.array([x[0], x[1] * 2, [1.0, 2.0, 3.0]])
    assert stacked.shape == (3, 3)
    (dx,) = pb.grad(stacked.sum(), x)
    np.testing.assert_array_equal(dx.numpy(), [[1, 1, 1], [2, 2, 2]])
    assert pnp.asarray(x) is x
    assert pnp.asarray(x, np.float32).dtype == np.float32
    assert pnp.array([1, 2]).dtype == np.int64


@pytest.mark.parametrize("other", ["a", b"a", None, object()])
def test_what_is_no_number_equals_none(engine, other):
    x = pb.tensor([1.0, 2.0], requires_grad=True)
    assert (x == other).tolist() == [False, False] == (np.ones(2) == other).tolist()
    assert (x != other).tolist() == [True, True]


@pytest.mark.parametrize("requires_grad", [False, True])
def test_results_that_are_no_numbers_are_refused(engine, requires_grad):
    x = pb.tensor([1.0, 2.0], requires_grad=requires_grad)
    for wrong in (
        lambda: x * Fraction(1, 2),
        lambda: np.array([Fraction(1, 2)] * 2) + x,
        lambda: np.where([True, False], x, None),
        lambda: np.stack([x, np.array(["a", "b"])]),
        lambda: x.astype("datetime64[s]"),
    ):
        with pytest.raises(TypeError, match=r"a tensor holds numbers or bools, not .*Fraction"):
            wrong()
    assert (x * float(Fraction(1, 2))).tolist() == [0.5, 1.0]
