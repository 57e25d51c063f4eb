"""What the tests of the frontend share: a formula's text to what came of reading it."""

from textwrap import dedent

from pullback.transpile.frontend import read_module
from pullback.transpile.ir import Source, Var

HEAD = """import math
import numpy as np
import pullback as pb
from pullback import primitives
from scipy import special
"""
HEAD_LINES = HEAD.count("\n")


def module(text):
    """A module with the usual imports above."""
    return read_module(Source("f.py", HEAD + dedent(text).lstrip("\n")))


def formula(text, name="f"):
    """The formula of a text that has no errors."""
    found = module(text)
    errors = [finding.message for finding in found.diagnostics if finding.severity == "error"]
    assert not errors, errors
    return found.formulas[name]


def expression(text, params="x, y"):
    """The forward's equations of a formula that returns this expression."""
    return equations(formula(f"@pb.formula\ndef f({params}):\n    return {text}, lambda g: (g, g)\n"))


def equations(read, block="forward"):
    """Equations as lines: ``t = add(a, b)``."""
    return lines(getattr(read, block))


def lines(block, indent=""):
    """A block's equations, one line each, nested blocks indented."""
    found = []
    for eqn in block.eqns:
        inside = [str(atom) for atom in eqn.args] + [f"{key}={value}" for key, value in eqn.kwargs]
        found.append(f"{indent}{', '.join(map(str, eqn.outs))} = {eqn.op}({', '.join(inside)})")
        for inner in eqn.blocks:
            found += lines(inner, indent + "  ")
            found.append(f"{indent}  -> {', '.join(map(str, inner.results))}")
    return found


def verdicts(text):
    """Verdicts by captured name."""
    return {capture.name: capture.verdict.value for capture in formula(text).captures}


def findings(text, *codes):
    """``(code, line in the text, column, value)`` of the findings with these codes, or of all."""
    found = module(text).diagnostics
    return [
        (item.code, item.span.line - HEAD_LINES, item.span.column, item.value)
        for item in found
        if not codes or item.code in codes
    ]


def names(block):
    """Every variable that a block binds, nested blocks included."""
    return {atom.name for eqn in block.eqns for atom in eqn.outs if isinstance(atom, Var)}


def text(*statements, closure=("return g",), head="# a module"):
    """A module with the formula `f` of these statements, which make `r`."""
    lines = [f"    {line}" for line in statements]
    inner = [f"        {line}" for line in closure]
    return "\n".join(
        [
            head,
            "@pb.formula",
            "def f(x, *, n=2):",
            *lines,
            "    def back(g):",
            *inner,
            "    return r, back",
            "",
        ]
    )
