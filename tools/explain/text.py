"""The facts as a table and two columns of source, for a terminal."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

from pullback.transpile.ir import Formula, Verdict

from .facts import Facts

LOST = "bold red"


def print_facts(console: Console, facts: Facts) -> None:
    """The captures, and the lines of the forward on the path that would be lost."""
    formula = facts.formula
    params = ", ".join(str(param.var) for param in formula.params)
    console.print(Text(f"{formula.name}({params})  {formula.source.path}:{formula.span.line}", "bold"))
    console.print()
    if not facts.decisions:
        console.print("the closure captures nothing")
        return
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="underline")
    for title in ("captured", "verdict", "line", "bytes saved", "on arrays"):
        number = title in ("line", "bytes saved")
        table.add_column(title, justify="right" if number else "left", no_wrap=True)
    table.add_column("in a kernel")
    for d in facts.decisions:
        promoted = d.verdict == Verdict.INTERMEDIATE.value
        kernel = f"{d.kernel}: {d.why}" if promoted and d.why else d.kernel
        name = Text(d.name, "red" if promoted else "")
        table.add_row(name, d.verdict, str(d.line), d.saved, d.arrays, kernel)
    console.print(table)
    _print_path(console, facts)


def _print_path(console: Console, facts: Facts) -> None:
    lost = lost_lines(facts)
    if not lost:
        return
    console.print()
    console.print("The gradient of a captured intermediate flows back along the lines marked `!`.")
    console.print("Where it is only saved, second derivatives lose that without a word:")
    console.print()
    for number in lines_of(facts.formula):
        mark, style = ("!", LOST) if number in lost else (" ", "dim")
        text = f"{number:5} {mark} {facts.formula.source.line(number)}"
        console.print(Text(text.rstrip(), style), soft_wrap=True, highlight=False)


def lost_lines(facts: Facts) -> set[int]:
    """The lines of the forward on the path from the inputs to a captured intermediate."""
    return {
        eqn.span.line
        for eqn in facts.formula.forward.eqns
        if eqn.span is not None and facts.lost.intersection(eqn.outs)
    }


def lines_of(formula: Formula) -> range:
    """The lines of the formula's text, from its ``def`` to the last that computes something."""
    assert formula.pullback is not None
    blocks = (formula.forward, formula.pullback)
    ends = [e.span.end_line for block in blocks for e in block.eqns if e.span is not None]
    return range(formula.span.line, max([formula.span.end_line, *ends]) + 1)
