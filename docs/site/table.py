"""Pages of the table of derivatives of the PyTorch that is installed where the site is built."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec

from pullback.tools.aten.families import family_of, title_of
from pullback.tools.aten.table import Table
from pullback.tools.aten.writer import formula_name
from pullback.tools.explain.entry import Explained, explained_variant

WITHOUT = """\
# PyTorch's table

This site was built where PyTorch is not installed. With `pip install 'pullback[aten]'` it has a page for
each family of PyTorch's operators; `pullback explain aten::exp` shows one.
"""
INTRODUCTION = """\
# PyTorch's table

The derivatives of PyTorch {version}, an entry per operator: as its table has them, in C++; as
`pullback import-derivatives` writes them, in Python; and what the closure captures, with the bytes per
element of float32 that this keeps until the backward. `pullback explain aten::NAME` shows the same of
one entry, and its node in C++.
"""


def pages() -> dict[str, str]:
    """The overview, and a page for each family of operators."""
    if find_spec("torchgen") is None or find_spec("tree_sitter_cpp") is None:
        return {"table/index.md": WITHOUT}
    table = Table()
    families: dict[str, dict[str, Explained]] = {}
    for entry in table.entries:
        for variant in entry.variants:
            members = families.setdefault(family_of(entry.name), {})
            members[formula_name(entry, variant)] = explained_variant(entry, variant, table)
    parts = [INTRODUCTION.format(version=table.version)]
    for family, members in sorted(families.items()):
        links = (f"[`{name}`]({family}.md#{name})" for name in sorted(members))
        parts.append(f"## {title_of(family).rstrip('.')}\n\n{', '.join(links)}\n")
    made = {"table/index.md": "\n".join(parts)}
    for family, members in families.items():
        texts = ["\n".join(section(name, members[name])) for name in sorted(members)]
        made[f"table/{family}.md"] = "\n".join([f"# {title_of(family).rstrip('.')}\n", *texts])
    return made


def section(name: str, entry: Explained) -> Iterator[str]:
    """An entry, under its name."""
    yield f"## `{name}` {{#{name}}}\n"
    yield "\n".join(["````yaml", f"- name: {entry.schema}", *(f"  {line}" for line in entry.table), "````\n"])
    yield f"````python\n{entry.formula.rstrip()}\n````\n"
    if entry.facts.decisions:
        yield "| captured | verdict | bytes saved |\n| --- | --- | --- |"
        for decision in entry.facts.decisions:
            yield f"| `{decision.name}` | {decision.verdict} | {decision.saved} |"
        yield ""
