"""Lists of numbers and tensors in the place of arrays: what NumPy makes of them, in its dtype."""

import numpy as np
import pytest

import pullback as pb
from tests.transpile.frontend.reading import module

X = np.array([0.7, -1.2, 2.0])
TEXTS = (
    "np.concatenate([[0.0], x, [1, 2.0]])",
    "np.concatenate(([x[0]], x))",
    "np.concatenate([[], x])",
    "np.concatenate([[[0.0, 1.0, 2]], x[None]])",
    "np.append(x, 0.0)",
    "np.append(0.0, np.cumsum(x))",
    "np.append(x, [x[0], 2.0])",
    "np.hstack([0.0, x, (1, 2)])",
    "np.hstack([[x[0] * x[1]], x])",
    "np.vstack([x, [1.0, 2, 3]])",
    "np.column_stack([x, [1.0, 2, 3]])",
    "np.stack([x, [1.0, 2, 3]])",
    "np.mean([x[0], x[1] * x[2]])",
    "np.max([x, x * 2.0])",
    "np.sum([x, x * x], axis=0)",
    "np.linalg.norm([x[0], x[1]])",
    "np.dot([x[0], 1.0, x[2]], x)",
    "x * np.exp([x[0], 1.0, x[1]])",
    "np.r_[0.0, np.cumsum(x), x[-1]]",
    "np.r_[x[None], x[None] * 2]",
    "np.r_[1.0, 2.0] * x[0]",
    "np.c_[x, x * x, np.ones(len(x))]",
)


@pytest.fixture(params=TEXTS)
def function(request, tmp_path):
    path = tmp_path / "written.py"
    path.write_text(f"import numpy as np\n\n\ndef f(x):\n    return {request.param}\n")
    names = {}
    exec(compile(path.read_text(), str(path), "exec"), names)
    return names["f"]


def same(found, wanted):
    np.testing.assert_allclose(found, wanted, rtol=1e-6)
    assert (np.shape(found), np.asarray(found).dtype) == (np.shape(wanted), np.asarray(wanted).dtype)


def test_values_dtypes_and_two_derivatives(engine, function):
    formula = pb.derive_pullback(function)
    for x in (X, X.astype(np.float32)):
        same(formula(x), function(x))
    assert pb.gradcheck(formula, X, order=2)


@pytest.mark.compiler
def test_it_is_compiled(function):
    compiled = pb.compile(function, order=1)
    for x in (X, X.astype(np.float32)):
        same(compiled(x), function(x))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("np.r_[0:3, x]", "a slice in `np.r_[...]` is outside of the formula language"),
        ("np.r_['0,2', x]", "a string in `np.r_[...]` is outside of the formula language"),
    ],
)
def test_other_indices_are_refused(text, message):
    (found,) = module(f"@pb.formula\ndef f(x):\n    return {text}\n").diagnostics
    assert (found.code, found.message) == ("PB402", message)
