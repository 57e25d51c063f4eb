"""Each pass shows what it does in its docstring, and ``pullback dump --after`` shows the same."""

import re
from pathlib import Path

import pytest

from pullback.tools.commands.dump import PASSES
from pullback.transpile.frontend import read_function, read_module
from pullback.transpile.ir import Source
from pullback.transpile.library import standard_library
from pullback.transpile.printer import formula_text

FOLDER = Path(__file__).parents[3] / "transpile" / "passes"
HEAD = "import numpy as np\nimport pullback as pb\nfrom scipy import special\n\n\n"
# Not passes: what several of them use, and a step of `derive`.
TOOLS = {
    "__init__",
    "barriers",
    "missing_derivative",
    "named_gradients",
    "own_formulas",
    "real_results",
    "residuals",
    "sweep",
}
# Passes for kernels are made for arguments of given kinds, which no dump has: their doctests show them.
FILES = sorted(
    path for path in FOLDER.rglob("*.py") if path.stem not in TOOLS and path.parent.name != "kernel"
)


def shown(path):
    """The formula in a docstring before the pass, and what is printed after it."""
    text = path.read_text(encoding="utf-8").split('"""')[1]
    before = re.search(r"formula_in\('''\n(.*?)\.\.\. '''\)", text, re.DOTALL)
    after = re.search(r"^formula \w+\(.*?(?=\n\n|\Z)", text, re.DOTALL | re.MULTILINE)
    assert before is not None, f"{path.stem}: no formula before"
    assert after is not None, f"{path.stem}: no formula after"
    return re.sub(r"^\.\.\. ?", "", before[1], flags=re.MULTILINE), after[0].rstrip()


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_dump_shows_what_the_docstring_shows(path):
    text, after = shown(path)
    name = re.search(r"def (\w+)", text)[1]
    source = Source("example.py", HEAD + text)
    formula = read_function(source, read_module(source).names, name)
    stages = [path.stem] if path.stem in PASSES else ["derive", "promote", "specialize"]
    dumps = {stage: formula_text(PASSES[stage](formula, standard_library())) for stage in stages}
    assert after in dumps.values()


def test_a_dump_knows_no_pass_that_is_not_there():
    assert set(PASSES) - {path.stem for path in FILES} == {"read"}
