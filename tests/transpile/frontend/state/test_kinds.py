"""What is no tensor or number is refused where it stands."""

import pytest

from ..reading import findings

HEAD = "def pair(a):\n    return a, a * 2\n"


@pytest.mark.parametrize(
    ("text", "code", "column"),
    [
        ("x + name", "PB404", 16),
        ("name * 2 + x", "PB404", 12),
        ("x + f'{n}'", "PB404", 16),
        ("x * xs", "PB404", 16),
        ("np.sin(xs)", "PB404", 19),
        ("np.maximum(x, xs)", "PB404", 26),
        ("np.sin(name)", "PB404", 19),
        ("pair(x) * 2", "PB404", 12),
        ("x > name", "PB404", 12),
        ("n.sum()", "PB402", 12),
        ("xs.sum()", "PB402", 12),
        ("name.T", "PB402", 12),
        ("np.sin(x, x)", "PB404", 12),
        ("np.arctan2(x)", "PB404", 12),
    ],
)
def test_a_wrong_operand_is_refused_in_its_place(text, code, column):
    params = "x, xs: list[pb.Tensor], *, n: int = 1, name: str = 'a'"
    source = f"{HEAD}@pb.formula\ndef f({params}):\n    return {text}, lambda g: (g, None)\n"
    assert [(line, at) for _, line, at, _ in findings(source, code)] == [(5, column)]


@pytest.mark.parametrize(
    "text", ["x * (name == 'b')", "x if name in ('a', 'b') else x * 2", "x if name + 'b' == 'ab' else x * 3"]
)
def test_texts_are_compared(text):
    source = f"@pb.formula\ndef f(x, *, name: str = 'a'):\n    return {text}, lambda g: g\n"
    assert [found for found in findings(source) if found[0] < "PB9"] == []
