"""The rules of valid IR. Checked after each pass in the tests, and in `pullback dump`.

Every variable is assigned once and read after that; operators have as many
operands as the vocabulary says; conditionals have two blocks with a result for
each output; a promoted formula's results, cotangents and gradients match. A pass
changes no type of a result and makes nothing that no arrays can be, and a gradient
has the type of its input as far as both are known.
"""

from __future__ import annotations

from collections.abc import Iterable

from .analysis.effects import raises
from .analysis.types import infer
from .ir import Atom, Eqn, Formula, Var
from .ir.type_joins import conflict
from .ir.types import TensorType, Type, Unranked, names_of
from .operators import OPERATORS


class InvalidIR(AssertionError):
    """A pass made something that is no IR: a bug of this project, not of the author's."""


def verify(formula: Formula) -> Formula:
    """The formula itself, where it is valid. Raises InvalidIR, which says what is not."""
    forward = formula.forward
    _unique([*(p.var for p in formula.params)], f"parameters of {formula.name}")
    if set(forward.params) != {param.var for param in formula.params}:
        raise InvalidIR(f"{formula.name}: the forward's parameters are not the formula's")
    scope = set(forward.params)
    _block(forward.eqns, forward.results, scope)
    expected = formula.results + len(formula.hidden) + len(formula.plain)
    if formula.promoted and len(forward.results) != expected:
        raise InvalidIR(f"{formula.name}: {len(forward.results)} outputs where {expected} are declared")
    pullback = formula.pullback
    if pullback is None:
        return formula
    cotangents = formula.results + (len(formula.hidden) if formula.promoted else len(formula.rules))
    if len(pullback.params) != cotangents:
        raise InvalidIR(f"{formula.name}: {len(pullback.params)} cotangents where {cotangents} are due")
    if len(pullback.results) != len(formula.inputs):
        raise InvalidIR(f"{formula.name}: {len(pullback.results)} gradients for {len(formula.inputs)} inputs")
    if formula.promoted:
        saved = {param.var for param in formula.params if not param.attribute} | set(forward.results)
        missing = [var.name for var in pullback.free() if var not in saved]
        if missing:
            raise InvalidIR(f"{formula.name}: the pullback reads {missing}, which nobody saves")
        scope = {var for var in saved if isinstance(var, Var)}
    _block(pullback.eqns, pullback.results, scope | set(pullback.params))
    return formula


def verify_types(before: Formula, after: Formula) -> Formula:
    """The formula after a pass, where its results and gradients have types that they can have."""
    known, made = infer(before), infer(after)
    if made.findings and not known.findings:
        raise InvalidIR(f"{after.name}: {made.findings[0].message} ({made.findings[0].span})")
    if [param.var for param in before.params] != [param.var for param in after.params]:
        return after  # a derivative, whose parameters are what was saved
    pairs = zip(before.forward.results[: before.results], after.forward.results, strict=False)
    for old, new in pairs:
        why = conflict(known.of(old), made.of(new))
        if why:
            raise InvalidIR(
                f"{after.name}: the result {old} was {known.of(old)} and is {made.of(new)}: {why}"
            )
    gradients = after.pullback.results if after.pullback is not None else ()
    inputs = {param.var.name for param in after.inputs}
    for param, gradient in zip(after.inputs, gradients, strict=False):
        own, found = made.of(param.var), made.of(gradient, pullback=True)
        why = conflict(own, found) or _larger(own, found, inputs)
        if after.promoted and why:
            raise InvalidIR(f"{after.name}: the gradient of {param.var} has another type: {why}")
    return after


def _larger(own: Type, found: Type, inputs: set[str]) -> str:
    """The reason why a gradient may have more entries than its input: it has the shape of another one too."""
    if not (isinstance(own, TensorType) and isinstance(found, TensorType)):
        return ""
    parts = found.shape.parts if isinstance(found.shape, Unranked) else ()
    others = {part for part in parts if isinstance(part, str)} & inputs - names_of(own.shape)
    return f"it has the shape of {min(others)} too" if others else ""


def _block(eqns: Iterable[Eqn], results: Iterable[Atom], scope: set[Var]) -> None:
    """Check a block; `scope` gains what it defines."""
    for eqn in eqns:
        for var in eqn.reads():
            if var not in scope:
                raise InvalidIR(f"{eqn.op} reads {var} before it is assigned ({eqn.span})")
        for var in eqn.outs:
            if var in scope:
                raise InvalidIR(f"{var} is assigned twice ({eqn.span})")
        _shape_of(eqn)
        for block in eqn.blocks:
            if scope.intersection(block.params):
                raise InvalidIR(f"a block's parameter is assigned twice ({eqn.span})")
            _block(block.eqns, block.results, scope | set(block.params))
        scope.update(eqn.outs)
    for atom in results:
        if isinstance(atom, Var) and atom not in scope:
            raise InvalidIR(f"the result {atom} is never assigned")


def _shape_of(eqn: Eqn) -> None:
    if not eqn.outs and not raises(eqn):
        raise InvalidIR(f"{eqn.op} has no output ({eqn.span})")
    _unique(eqn.outs, f"outputs of {eqn.op}")
    if eqn.op == "if":
        if len(eqn.blocks) != 2 or any(len(block.results) != len(eqn.outs) for block in eqn.blocks):
            raise InvalidIR(f"a conditional needs two blocks with {len(eqn.outs)} results each ({eqn.span})")
        return
    if eqn.op == "for":
        (body,) = eqn.blocks
        if len(body.params) != len(eqn.args) or len(body.results) != len(eqn.outs):
            raise InvalidIR(f"a loop's block does not fit its values ({eqn.span})")
        return
    if eqn.op == "vjp":
        (body,) = eqn.blocks
        parts = len(body.params) + len(body.results)
        if len(eqn.args) != parts or len(eqn.outs) != parts:
            raise InvalidIR(f"the block of a vjp does not fit its values ({eqn.span})")
        return
    info = OPERATORS.get(eqn.op)
    if info is not None and len(eqn.args) > len(info.operands):
        raise InvalidIR(f"{eqn.op} takes {len(info.operands)} operands, not {len(eqn.args)} ({eqn.span})")
    if info is not None:
        unknown = [name for name, _ in eqn.kwargs if name not in (*info.attrs, *info.operands)]
        if unknown:
            raise InvalidIR(f"{eqn.op} has no attribute {unknown[0]!r} ({eqn.span})")


def _unique(variables: Iterable[Var], what: str) -> None:
    names = [var.name for var in variables]
    if len(set(names)) != len(names):
        raise InvalidIR(f"a name stands twice among the {what}")
