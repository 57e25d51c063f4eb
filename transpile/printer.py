"""The IR as text, for `pullback dump` and for tests."""

from __future__ import annotations

from collections.abc import Mapping

from .ir import Block, Eqn, Formula, Var
from .ir.types import Type

Types = Mapping[Var, Type]


def formula_text(formula: Formula, forward: Types | None = None, pullback: Types | None = None) -> str:
    """A formula: its signature, forward and pullback, one equation per line, with the types of outputs."""
    params = ", ".join(
        f"{'*, ' if param.keyword and not before else ''}{param.var}: {param.annotation}"
        for param, before in zip(formula.params, [False, *(p.keyword for p in formula.params)], strict=False)
    )
    lines = [f"formula {formula.name}({params})"]
    names = [f"result {atom}" for atom in formula.forward.results[: formula.results]]
    names += [f"hidden {var}" for var in formula.hidden]
    names += [f"plain {var}" for var in formula.plain]
    lines += ["  forward:", *_indent(block_text(formula.forward, with_return=False, types=forward))]
    lines += [f"    return {', '.join(names)}"]
    if formula.pullback is not None:
        cotangents = ", ".join(map(str, formula.pullback.params))
        lines += [f"  pullback({cotangents}):", *_indent(block_text(formula.pullback, types=pullback))]
    else:
        lines += ["  pullback: to be derived"]
    return "\n".join(lines)


def block_text(block: Block, with_return: bool = True, types: Types | None = None) -> str:
    """A block's equations, one per line, and its results."""
    lines = [line for eqn in block.eqns for line in eqn_text(eqn, types).splitlines()]
    if with_return:
        lines.append(f"return {', '.join(map(str, block.results))}")
    return "\n".join(lines)


def eqn_text(eqn: Eqn, types: Types | None = None) -> str:
    """One equation; nested blocks are indented below it.

    >>> from .ir import Eqn, Literal, Var
    >>> eqn_text(Eqn((Var("s"),), "sum", (Var("x"),), (("axis", Literal(0)),)))
    's = sum(x, axis=0)'
    """
    operands = [str(atom) for atom in eqn.args] + [f"{key}={value}" for key, value in eqn.kwargs]
    outs = f"{', '.join(_typed(out, types) for out in eqn.outs)} = " if eqn.outs else ""
    head = f"{outs}{eqn.op}({', '.join(operands)})"
    if not eqn.blocks:
        return head
    lines = [head]
    for label, block in zip(_labels(eqn), eqn.blocks, strict=True):
        lines += [f"  {label}:", *_indent(block_text(block, types=types))]
    return "\n".join(lines)


def _typed(var: Var, types: Types | None) -> str:
    return str(var) if types is None or var not in types else f"{var}: {types[var]}"


def _labels(eqn: Eqn) -> tuple[str, ...]:
    if eqn.op == "if":
        return ("then", "else")
    return tuple(f"each {', '.join(map(str, block.params))}" for block in eqn.blocks)


def _indent(text: str) -> list[str]:
    return ["    " + line for line in text.splitlines()]
