"""Solvers and decompositions in kernels: NumPy's results, and its errors."""

import re
from pathlib import Path

import numpy as np
import pytest

import pullback as pb
from pullback.engine.kernels import exported, lapack
from pullback.engine.kernels.compiler import INCLUDE
from tests.sampling import sampled

pytestmark = pytest.mark.compiler

RNG = np.random.default_rng(3)


def solve(a, b):
    return np.linalg.solve(a, b)


def inverse(a):
    return np.linalg.inv(a)


def determinant(a):
    return np.linalg.det(a)


def triangle(a):
    return np.linalg.cholesky(a)


def pseudoinverse(a, *, rcond=None):
    return np.linalg.pinv(a, rcond)


UNARY = {"inv": inverse, "det": determinant, "cholesky": triangle, "pinv": pseudoinverse}
COMPILED = {name: pb.compile(function) for name, function in UNARY.items()} | {"solve": pb.compile(solve)}
DECOMPOSED = ["slogdet", "eigh", "qr", "svd"]


def regular(*shape):
    return RNG.standard_normal(shape) + 3 * np.eye(shape[-1])


def positive(*shape):
    a = regular(*shape)
    return a @ np.swapaxes(a, -1, -2)


@pytest.mark.parametrize("name", [*UNARY, "solve"])
def test_all_orders_are_kernels(name):
    a = positive(2, 3, 3)
    compiled = COMPILED[name]
    compiled(*(a, a) if name == "solve" else (a,))
    assert compiled.limits() == ()


@pytest.mark.parametrize("shape", [(0, 0), (0, 3, 3), (2, 0, 0), (1, 1), (4, 1, 2, 2)])
@pytest.mark.parametrize("name", UNARY)
def test_of_any_stack(name, shape):
    a = positive(*shape)
    expected = UNARY[name](a)
    found = COMPILED[name](a)
    assert np.shape(found) == np.shape(expected)
    np.testing.assert_allclose(found, expected, rtol=1e-10)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", UNARY)
def test_of_matrices_that_are_done_in_parts(name, dtype):
    a = (np.eye(131) + positive(2, 131, 131) / 131).astype(dtype)
    tolerance = 1e-4 if dtype == np.float32 else 1e-12
    np.testing.assert_allclose(COMPILED[name](a), UNARY[name](a), rtol=tolerance, atol=tolerance)


def test_gradients_of_stacks_with_one_vector():
    a, b = regular(2, 3, 3), RNG.standard_normal(3)
    assert pb.gradcheck(np.linalg.solve, a, b, order=2)
    assert pb.gradcheck(COMPILED["solve"], a, b, order=2)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    ("a", "b"),
    sampled(
        [
            (regular(3, 3), RNG.standard_normal(3)),
            (regular(2, 3, 3), RNG.standard_normal(3)),
            (regular(2, 3, 3), RNG.standard_normal((3, 4))),
            (regular(3, 3), RNG.standard_normal((5, 3, 2))),
            (regular(4, 1, 2, 2), RNG.standard_normal((3, 2, 1))),
            (regular(4, 4).T[::-1, ::-1], RNG.standard_normal((2, 4)).T),
            (regular(2, 2), RNG.standard_normal((2, 0))),
            (np.zeros((0, 0)), np.zeros((0, 2))),
        ],
        2,
        spread=True,
    ),
)
def test_solve_broadcasts(a, b, dtype):
    a, b = a.astype(dtype), b.astype(dtype)
    expected = np.linalg.solve(a, b)
    found = COMPILED["solve"](a, b)
    assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
    np.testing.assert_allclose(found, expected, rtol=1e-4 if dtype == np.float32 else 1e-10)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("inv", (np.zeros((2, 2)),)),
        ("inv", (np.ones((2, 3)),)),
        ("inv", (np.ones(3),)),
        ("inv", (np.stack([np.eye(2), np.ones((2, 2))]),)),
        ("solve", (np.ones((3, 3)), np.ones(3))),
        ("solve", (np.eye(3), np.ones(2))),
        ("solve", (np.ones((2, 3)), np.ones(2))),
        ("solve", (np.ones((2, 3, 3)), np.ones((3, 3, 1)))),
        ("cholesky", (-np.eye(2),)),
        ("cholesky", (np.full((2, 2), np.nan),)),
        ("det", (np.ones((2, 3)),)),
        ("pinv", (np.full((2, 2), np.nan),)),
    ],
)
def test_what_numpy_refuses_has_numpys_error(name, arguments):
    plain = {**UNARY, "solve": solve}[name]
    try:
        expected = plain(*arguments)
    except (np.linalg.LinAlgError, ValueError) as error:
        with pytest.raises(type(error), match=re.escape(str(error))):
            COMPILED[name](*arguments)
    else:
        np.testing.assert_array_equal(COMPILED[name](*arguments), expected)


def test_small_singular_values_are_cut_as_numpy_cuts_them():
    a = np.diag([3.0, 1e-3, 1e-17])
    for rcond in (None, 1e-2, 1e-20):
        expected = np.linalg.pinv(a, rcond)
        np.testing.assert_allclose(COMPILED["pinv"](a, rcond=rcond), expected, rtol=1e-12)


def test_a_determinant_that_overflows_on_the_way():
    a = np.diag([1e200, 1e200, 1e-200, -1e-200])
    np.testing.assert_allclose(COMPILED["det"](a), -1.0, rtol=1e-10)
    assert COMPILED["det"](np.ones((2, 2))) == 0.0


@pytest.mark.native
@pytest.mark.parametrize(
    ("name", "shape"),
    [
        *((name, shape) for name in DECOMPOSED for shape in ((3, 3), (0, 0), (0, 2, 2), (2, 1, 1))),
        *((name, shape) for name in ("qr", "svd") for shape in ((2, 5, 3), (3, 5), (0, 3), (3, 0))),
    ],
)
def test_decompositions_on_the_native_engine_are_numpys(name, shape):
    a = RNG.standard_normal(shape)
    function = getattr(np.linalg, name)
    more = {"full_matrices": False} if name == "svd" else {}
    with pb.use_engine("native"):
        found = function(pb.tensor(a, requires_grad=True), **more)
    for one, other in zip(found, function(a, **more), strict=True):
        assert one.shape == other.shape
        np.testing.assert_allclose(one.detach().numpy(), other, rtol=1e-9, atol=1e-12)


@pytest.mark.native
def test_a_backward_that_fails_leaves_gradients_as_they_were():
    with pb.use_engine("native"):
        a = pb.tensor(np.ones((2, 2)), requires_grad=True)
        (a * 2.0).sum().backward()
        before = a.grad.numpy().copy()
        loss = (np.linalg.det(a) * 3.0).sum()
        with pytest.raises(np.linalg.LinAlgError, match="Singular"):
            loss.backward()
        np.testing.assert_array_equal(a.grad.numpy(), before)


def test_both_sides_of_the_table_have_the_same_routines():
    header = (Path(INCLUDE) / "pullback" / "kernel/matrices/lapack.h").read_text(encoding="utf-8")
    text = header.split("struct pb_lapack_of {")[1].split("};")[0]
    letters = {"int": "i", "char": "c", "T": "f"}
    found = {
        name: "".join(letters[part.split("*")[0].strip()] for part in arguments.split(","))
        for name, arguments in re.findall(r"void \(\*(\w+)\)\(([^)]*)\);", text)
    }
    assert list(found.items()) == list(lapack.ROUTINES.items())


def test_routines_of_other_arguments_are_not_taken():
    assert lapack.arguments("void (int *, int64_t *, __pyx_t_1_s *)") == "i?f"
    assert lapack.lapack_functions() is not None


def difference(a, b):
    return np.linalg.solve(a, b) - b


def sum_of_both(a, b):
    return np.linalg.solve(a, b) + b


def test_a_scipy_that_exports_less_leaves_the_reference_formula(monkeypatch):
    a, b = regular(3, 3), RNG.standard_normal(3)
    with monkeypatch.context() as patched:
        patched.setitem(exported._TABLES, "pb_lapack", lambda: None)
        np.testing.assert_allclose(pb.compile(difference, order=0)(a, b), difference(a, b), rtol=1e-12)
    # Which comes after it, since libraries may share the table.
    np.testing.assert_allclose(pb.compile(sum_of_both, order=0)(a, b), sum_of_both(a, b), rtol=1e-12)
