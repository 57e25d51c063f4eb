"""Writes docs/constructs.md anew: `python -m tests.constructs.regenerate`. A change is reviewed as a diff."""

from pathlib import Path

from . import branches, calls, closures, indexing, loops, values, writes
from .catalog import Construct
from .columns import compiled, differentiated, emitted

PAGE = Path(__file__).parent.parent.parent / "docs" / "constructs.md"
SECTIONS = tuple(module.SECTION for module in (values, branches, loops, calls, indexing, writes, closures))
CONSTRUCTS = tuple(construct for section in SECTIONS for construct in section.constructs)
HEAD = """\
# What the language has

Each construct of the [formula language](language.md), and what is made of it. The tests make this table: each
row is a small formula in `tests/constructs`, which runs in every way that the row says.

* *Python*: the emitted text computes what the author's own Python does, and raises what it raises.
* *derivatives*: the first, second and third derivatives agree with finite differences, on both engines.
* *C++*: compiled kernels compute the result, the first and the second derivatives.
"""
COLUMNS = "| construct | Python | derivatives | C++ |\n| --- | --- | --- | --- |\n"


def row(construct: Construct) -> str:
    """A construct's line of the table."""
    return f"{label(construct)} {emitted(construct)} | {differentiated(construct)} | {compiled(construct)} |"


def label(construct: Construct) -> str:
    """The first cell of a construct's line."""
    return f"| {construct.title} |"


def page() -> str:
    """The whole page."""
    parts = [HEAD]
    for section in SECTIONS:
        parts.append(f"\n## {section.title}\n{COLUMNS}")
        parts += [row(construct) + "\n" for construct in section.constructs]
    return "".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
