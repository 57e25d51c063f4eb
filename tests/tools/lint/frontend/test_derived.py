"""Functions whose closures are derived: what keeps them from it is found, as it is where they are called."""

import pytest

from pullback.tools.lint.linter import lint_source
from pullback.transpile.ir import Source

HEAD = "import numpy as np\nimport pullback as pb\n\n\n"


def linted(text):
    return lint_source(Source("f.py", HEAD + text))


@pytest.mark.parametrize("decorator", ["pb.derive_pullback", "pb.compile", "pb.compile(order=1)"])
def test_an_unknown_derivative_is_found(decorator):
    found = linted(f"@{decorator}\ndef f(x):\n    return np.sum(np.bincount(x) * 2.0)\n")
    assert [(one.code, one.span.line, one.span.column) for one in found.findings] == [("PB106", 7, 19)]
    assert [(one.kind, one.name) for one in found.subjects] == [("formula", "f")]


def test_what_is_outside_of_the_language_is_found():
    found = linted("@pb.derive_pullback\ndef f(x):\n    global count\n    return x * 2\n")
    assert [one.code for one in found.findings] == ["PB401"]


def test_one_that_calls_a_formula_is_clean():
    found = linted(
        "@pb.formula\ndef twice(x):\n    return 2 * x, lambda grad: 2 * grad\n\n\n"
        "@pb.derive_pullback\ndef f(x):\n    return twice(x) ** 2\n"
    )
    assert found.findings == []
    assert found.formulas == 2
