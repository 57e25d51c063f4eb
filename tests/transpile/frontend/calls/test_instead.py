"""Functions outside of the vocabulary: the hint says what to write, and that computes the same."""

import importlib.util

import numpy as np
import pytest

import pullback as pb

HEAD = """\
import numpy as np
import pullback as pb
from scipy import special, stats
from scipy.stats import norm

"""
X = np.array([0.5, 2.0, 1.5])
# What is written, what the hint says, and that in its place.
CASES = [
    ("min(x, key=None)", "np.min(x)", "np.min(x)"),
    ("max(x, key=None)", "np.max(x)", "np.max(x)"),
    ("sorted(x, key=None)[0] * x", "np.sort(x)", "np.sort(x)[0] * x"),
    ("np.stack(tuple(x))", "[row for row in x]", "np.stack([row for row in x])"),
    ("np.stack(list(reversed(x)))", "x[::-1]", "x[::-1]"),
    ("x[np.where(x > 1)[0]].sum()", "x[mask]", "x[x > 1].sum()"),
    ("x * np.round(x, 1)", "np.round(x * 10) / 10", "x * (np.round(x * 10) / 10)"),
    ("norm.cdf(x, 1.0, 2.0)", "special.ndtr((x - loc) / scale)", "special.ndtr((x - 1.0) / 2.0)"),
    (
        "stats.norm.pdf(x)",
        "np.exp(-(x**2) / 2) / np.sqrt(2 * np.pi)",
        "np.exp(-(x**2) / 2) / np.sqrt(2 * np.pi)",
    ),
]


@pytest.fixture(scope="module")
def functions(tmp_path_factory):
    """The functions of the cases, which have to stand in a file."""
    path = tmp_path_factory.mktemp("instead") / "cases.py"
    lines = [
        f"def f{k}(x):\n    return {case[0]}\n\ndef g{k}(x):\n    return {case[2]}\n"
        for k, case in enumerate(CASES)
    ]
    path.write_text(HEAD + "\n".join(lines), encoding="utf-8")
    spec = importlib.util.spec_from_file_location("cases", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.compiler
@pytest.mark.parametrize("number", range(len(CASES)), ids=[case[0] for case in CASES])
def test_what_the_hint_says_is_the_same(functions, number):
    function, other = getattr(functions, f"f{number}"), pb.derive_pullback(getattr(functions, f"g{number}"))
    with pytest.raises(pb.FormulaError) as error:
        pb.compile(function)(X)
    assert CASES[number][1] in error.value.diagnostics[0].hint
    np.testing.assert_allclose(other(X), function(X), rtol=1e-14)
    assert pb.gradcheck(other, X)


def test_a_result_in_memory_of_the_caller_is_assigned():
    def written(x):
        out = np.zeros(3)
        np.multiply(x, x, out=out)
        return out

    with pytest.raises(pb.FormulaError) as error:
        pb.compile(written)
    assert error.value.diagnostics[0].hint == "assign the result: `out = np.multiply(x, x)`"


def test_map_is_a_comprehension():
    @pb.derive_pullback
    def turned(x, y):
        a, b = map(np.radians, [x, y])
        return np.sin(a) * b + sum(map(np.square, x))

    np.testing.assert_allclose(turned(X, 2 * X), turned.__wrapped__(X, 2 * X), rtol=1e-14)
    assert pb.gradcheck(turned, X, 2 * X)

    @pb.derive_pullback
    def several(x, y):
        return np.stack(list(map(np.multiply, x, y)))

    np.testing.assert_allclose(several(X, 2 * X), several.__wrapped__(X, 2 * X), rtol=1e-14)

    @pb.derive_pullback
    def without(x):
        return np.stack(list(map(np.square)))

    with pytest.raises(pb.FormulaError, match="takes a function and sequences here"):
        without(X)


def test_an_array_in_a_dtype_is_a_cast():
    @pb.derive_pullback
    def cast(x, mask: pb.Tensor, *, number: float):
        y = np.array(x, dtype=np.float32) * np.asarray(mask, float)
        y[0] = np.asarray(number, dtype=float)
        return y + np.asarray(x > 1, dtype=float) * x

    found, expected = cast(X, X > 1, number=2.0), cast.__wrapped__(X, X > 1, number=2.0)
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)
    assert pb.gradcheck(lambda x: cast(x, X > 1, number=2.0), X, rtol=2e-2)


def test_a_number_in_a_dtype_is_an_array():
    @pb.derive_pullback
    def squared(x):
        y = np.asarray(x, dtype=float)
        return y * y

    assert squared(3) == 9.0
    assert pb.gradcheck(squared, 3.0)


def test_an_array_in_a_dtype_may_be_the_input():
    @pb.derive_pullback
    def written(x):
        y = np.asarray(x, dtype=float)
        y[0] = 1.0
        return y

    with pytest.raises(pb.FormulaError, match="may be the input `x`"):
        written(X)
