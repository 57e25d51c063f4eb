"""NumPy's functions that are composites or written with operators: on tensors, and inside formulas."""

import numpy as np
import pytest

import pullback as pb
import pullback.numpy as pnp

RNG = np.random.default_rng(7)
A = RNG.standard_normal((3, 4))
B = RNG.standard_normal((4, 3))
V = RNG.standard_normal(4)

CALLS = {
    "var": (lambda a: np.var(a, 0), A),
    "var with ddof": (lambda a: a.var(axis=1, ddof=1, keepdims=True), A),
    "std": (lambda a: np.std(a, axis=-1), A),
    "norm": (lambda a: np.linalg.norm(a, axis=1), A),
    "norm of order 3": (lambda a: np.linalg.norm(a, 3, 0), A),
    "einsum": (lambda a, b: np.einsum("ij,jk->ki", a, b), A, B),
    "einsum without an arrow": (lambda a, b: np.einsum("ij,jk", a, b), A, B),
    "einsum with an ellipsis": (lambda a, v: np.einsum("...j,j->...", a, v), A, V),
    "einsum of three": (lambda a, b, v: np.einsum("ij,jk,j->ik", a, b, v), A, B, V),
    "einsum of a trace": (lambda a, b: np.einsum("ij,ji->", a, b), A, B),
    "dot": (np.dot, A, B),
    "dot method": (lambda a, v: a.dot(v), A, V),
    "vdot": (lambda a, b: np.vdot(a, b.T), A, B),
    "inner": (np.inner, A, V),
    "tensordot": (lambda a, b: np.tensordot(a, b, axes=([0, 1], [1, 0])), A, B),
    "vstack": (lambda a, v: np.vstack([a, v]), A, V),
    "hstack": (lambda a, b: np.hstack((a, b.T)), A, B),
    "split": (lambda a: np.split(a, 2, axis=1)[1], A),
    "split at": (lambda a: np.split(a, [1, 3], axis=1)[1], A),
    "array_split": (lambda a: np.array_split(a, 3, axis=-1)[0], A),
    "hsplit": (lambda v: np.hsplit(v, 2)[0], V),
    "vsplit": (lambda a: np.vsplit(a, [2])[1], A),
    "ravel": (np.ravel, A),
    "copy": (np.copy, A),
    "diag of a vector": (lambda v: np.diag(v, 1), V),
    "diag of a matrix": (lambda a: np.diag(a, -1), A),
    "trace": (lambda a: np.trace(a, 1), A),
    "diagonal": (lambda a: a.diagonal(1), A),
    "tril": (lambda a: np.tril(a, -1), A),
    "triu": (np.triu, A),
    "repeat": (lambda a: a.repeat(2, axis=0), A),
    "repeat each": (lambda v: np.repeat(v, np.array([0, 2, 1, 3])), V),
    "tile": (lambda a: np.tile(a, (2, 1, 2)), A),
    "roll": (lambda a: np.roll(a, 1), A),
    "hypot": (lambda a, v: np.hypot(a, v), A, V),
    "logaddexp": (np.logaddexp, A, V),
    "logaddexp2": (np.logaddexp2, A, V),
    "fmax": (np.fmax, A, V),
    "fmin": (np.fmin, A, V),
}


def gradients_of_curved(function, arrays):
    tensors = [pb.tensor(array, requires_grad=True) for array in arrays]
    return pb.grad((function(*tensors) ** 2).sum(), tensors)


@pytest.mark.parametrize("name", CALLS)
def test_values_are_those_of_numpy_and_derivatives_agree_with_differences(engine, name):
    function, *arrays = CALLS[name]
    result = function(*(pb.tensor(array) for array in arrays))
    expected = function(*arrays)
    np.testing.assert_allclose(result.numpy(), expected, rtol=1e-14, atol=1e-15)
    assert result.dtype == expected.dtype
    assert pb.gradcheck(lambda *tensors: function(*tensors) ** 2, *arrays, order=2)


@pytest.mark.parametrize(
    "name", ["einsum", "split", "ravel", "copy", "diag", "array_split", "hsplit", "vsplit"]
)
def test_the_namespace_has_them_on_arrays_too(name):
    arguments = {
        "einsum": ("ij->ji", A),
        "split": (A, 3),
        "array_split": (A, 2),
        "hsplit": (A, 2),
        "vsplit": (A, 3),
    }
    given = arguments.get(name, (A,))
    found, expected = getattr(pnp, name)(*given), getattr(np, name)(*given)
    assert type(found) is type(expected)
    pairs = zip(found, expected, strict=True) if isinstance(found, list) else [(found, expected)]
    assert all(np.array_equal(one, other) for one, other in pairs)


def test_where_a_norm_or_deviation_has_a_kink_the_derivative_is_zero(engine):
    for function in (np.linalg.norm, np.std, lambda x: np.linalg.norm(x, 3), lambda x: np.hypot(x, x).sum()):
        x = pb.tensor(np.zeros(3), requires_grad=True)
        (gradient,) = pb.grad(function(x), x)
        assert gradient.tolist() == [0.0, 0.0, 0.0]


def test_the_only_number_of_a_pair_takes_the_gradient(engine):
    x = pb.tensor([1.0, np.nan, np.nan], requires_grad=True)
    y = pb.tensor([np.nan, 2.0, np.nan], requires_grad=True)
    for function in (np.fmax, np.fmin):
        dx, dy = pb.grad(function(x, y).sum(), [x, y])
        assert (dx.tolist(), dy.tolist()) == ([1.0, 0.0, 1.0], [0.0, 1.0, 0.0])


def test_einsum_broadcasts_axes_of_length_one(engine):
    a, b = RNG.standard_normal((2, 3)), RNG.standard_normal((2, 1))
    assert pb.gradcheck(lambda a, b: np.einsum("ij,ij->", a, b) ** 2, a, b, order=2)
    assert pb.gradcheck(lambda a, b: np.einsum("ij,ij->ij", b, a) ** 2, a, b, order=2)


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda x: np.linalg.norm(x[0], 0), pb.errors.NotDifferentiableError, "ord=0"),
        (lambda x: np.linalg.norm(x[None], 3), ValueError, "3 axes"),
        (lambda x: np.einsum(x, [0, 52], [0]), ValueError, "from 0 to 51"),
        (lambda x: np.einsum("ijk", x), ValueError, "subscripts"),
        (lambda x: np.split(x, 5), ValueError, "equal division"),
        (lambda x: np.ravel(x, order="A"), ValueError, "row-major"),
        (lambda x: np.diag(x[None]), ValueError, "3 axes"),
        (lambda x: np.max(x, where=A > 0), ValueError, "initial"),
        (lambda x: np.exp(x, where=A > 0), TypeError, "undefined"),
        (lambda x: np.add(x, 1, dtype=int), TypeError, "same_kind"),
        (lambda x: np.sum(x, out=np.zeros(())), pb.errors.MutationError, "out="),
        (lambda x: np.add.at(x, 0, 1.0), pb.errors.MutationError, "add.at"),
    ],
)
def test_what_they_refuse(engine, call, error, text):
    with pytest.raises(error, match=text):
        call(pb.tensor(A, requires_grad=True))


@pb.formula
def captures_composites(x, w):
    spread = np.var(x, axis=0)
    t = np.einsum("ij,j->i", x, w) * np.linalg.norm(w)
    r = np.dot(t, t) * spread

    def captures_composites_pullback(grad):
        inner = np.sum(grad * spread)
        back_spread = 2 * (x - np.mean(x, axis=0)) / x.shape[0] * (grad * np.dot(t, t))
        back_t = 2 * t * inner
        length = np.linalg.norm(w)
        product = np.einsum("ij,j->i", x, w)
        back_w = np.einsum("ij,i->j", x, back_t) * length + w / length * np.sum(back_t * product)
        return back_spread + np.outer(back_t * length, w), back_w

    return r, captures_composites_pullback


def test_a_formula_may_capture_what_composites_compute(engine):
    assert {c.name for c in captures_composites.captures if c.action == "promoted"} >= {"spread", "t"}
    assert pb.gradcheck(captures_composites, A, V, order=3)


@pb.derive_pullback
def derived(x, w):
    stacked = np.vstack([x, np.roll(x, 1, axis=0)])
    lower = np.tril(np.tensordot(stacked, stacked, axes=(1, 1)))
    return np.std(lower, axis=0) * np.trace(lower) + np.repeat(np.hypot(w, w * w), 2)[:6] * np.inner(w, w)


def test_a_closure_is_derived_through_composites(engine):
    assert pb.gradcheck(derived, A, V, order=2)
