"""What authors get wrong: each mistake is a finding at its place, which says what to write instead.

`mistakes.txt` has the mistakes, each with the line, the column, the code and the text of its finding.
"""

import importlib.util
import re
from pathlib import Path

import pytest

import pullback as pb
from pullback.transpile.diagnostics import FormulaError

from .reading import HEAD_LINES, module

FOUND = re.compile(r"--> (\d+):(\d+) (PB\d+) (.*)\n")


def mistakes():
    """Texts, and what is found in each, by name."""
    text = Path(__file__).with_name("mistakes.txt").read_text(encoding="utf-8")
    for part in text.split("## ")[1:]:
        name, _, rest = part.partition("\n")
        found = FOUND.search(rest)
        line, column, code, message = found.groups()
        yield name, (rest[: found.start()], int(line), int(column), code, message)


MISTAKES = dict(mistakes())


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_told_where_it_stands(name):
    text, *expected = MISTAKES[name]
    found = module(f"@pb.formula\n{text}").diagnostics
    first, span = found[0], found[0].span
    assert [span.line - HEAD_LINES - 1, span.column, first.code, first.message] == expected
    assert first.hint
    assert len(found) <= 2


LIVE = ["undefined name", "too many gradients", "while", "axis float", "math of tensor", "list as tensor"]


@pytest.mark.parametrize("name", LIVE)
def test_the_live_decorator_tells_the_same(name, tmp_path):
    text, line, column, code, message = MISTAKES[name]
    path = tmp_path / "live.py"
    path.write_text(f"import math\nimport numpy as np\nimport pullback as pb\n@pb.formula\n{text}", "utf-8")
    spec = importlib.util.spec_from_file_location("live", path)
    live = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(live)
    with pytest.raises(FormulaError) as error:
        live.f(pb.tensor([1.0]))
    told = str(error.value)
    assert f"{path}:{line + 4}:{column}: {code} error: {message}" in told
    assert "^" in told
    assert "help: " in told
