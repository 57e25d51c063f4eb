"""Calls of NumPy's functions whose text is ours: read in place, refused at the call."""

import pytest

from pullback.transpile.diagnostics import FormulaError
from pullback.transpile.library import formula_in, standard_library


def read(body):
    return formula_in(f"def f(x, y):\n    {body}\n")


def test_the_text_is_read_in_place_of_a_call():
    formula = read("return np.diff(x)")
    assert formula.forward.eqns[-1].op == "subtract"
    assert "diff" not in standard_library().names()


def test_all_of_it_stands_at_the_call():
    spans = {str(eqn.span) for eqn in read("return np.cross(x, y, axis=0)").forward.every()}
    assert spans == {"example.py:2:12"}


def test_parts_of_known_number_are_unpacked():
    formula = read("a, b, c = np.split(x, 3)\n    return a * b + c")
    assert sum(eqn.op == "getitem" for eqn in formula.forward.eqns) == 3


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("np.diff(x, -1)", "`np.diff` raises here: order must be non-negative but got -1"),
        (
            "np.pad(x, 1, 'linear_ramp')",
            "a formula pads by 'constant', 'edge', 'reflect', 'symmetric' or 'wrap'",
        ),
        ("np.median(x, out=y, axis=0, places=1)", "`median` cannot take `places` here"),
        ("np.cross(x)", "`cross` lacks its argument `b`"),
    ],
)
def test_what_it_cannot_do_is_said_at_the_call(call, message):
    with pytest.raises(FormulaError) as refused:
        read(f"return {call}")
    (finding,) = refused.value.diagnostics
    assert (finding.code, str(finding.span)) == ("PB404", "example.py:2:12")
    assert message in finding.message


def test_what_an_operator_made_is_not_none():
    formula = read("t = x * y\n    return t if t is not None else y")
    assert [eqn.op for eqn in formula.forward.eqns] == ["multiply"]
