"""Intermediates saved as expressions, ``ctx.save_for_backward(x.cos())``, get a name of their own first.

The name is the one that the backward takes the value by, where the forward has no other value of that name.
"""

from __future__ import annotations

import ast

from ..analyses.facts import Saving as Verdict
from ..analyses.facts import Use
from .text.copied import is_copy
from .text.parameters import Parameters
from .text.place import Place, names_in, unused
from .text.reading import changed
from .text.saved_call import Handover, Saving, find_saving
from .text.splices import CannotFix, Text
from .text.taking import Taking, find_taking

NAMELESS = "saved"


def apply(place: Place) -> None:
    """Assign each such expression to a name before the statement that saves it."""
    wrong = {
        (saved.saved.line, saved.saved.column)
        for saved in place.facts.saved
        if saved.saving in (Verdict.INTERMEDIATE, Verdict.CONDITIONAL)
        and saved.use is Use.VALUE
        and not (saved.on_context or saved.marked)
        and saved.saved.path == place.module.source.path
    }
    for saver in {place.function_at(line) for line, _ in wrong}:
        context = Parameters(saver, place).context
        saving = find_saving(saver, context, several=True)
        count = saving.count if saving is not None else None
        taking = find_taking(place.backward, inside=True, count=count)
        taken = names_in(saver)
        names: dict[int, str] = {}
        for one in saving.all if saving is not None else ():
            places = [i for i, argument in enumerate(one.call.args) if _is_wrong(argument, place, wrong)]
            for index in places:
                if index not in names:
                    names[index] = unused(taking.local(index) or NAMELESS, taken)
                    taken.add(names[index])
            _name(one, {index: names[index] for index in places}, taking, place.text)


def _is_wrong(argument: ast.expr, place: Place, wrong: set[tuple[int, int]]) -> bool:
    """True if it is one of the values, computed where it is saved."""
    if isinstance(argument, ast.Name | ast.Starred) or is_copy(place.text.of(argument)):
        return False
    span = place.module.span(argument)
    return (span.line, span.column) in wrong


def _name(saving: Saving, names: dict[int, str], taking: Taking, text: Text) -> None:
    if not names:
        return
    if any(changed(argument) or _binds(argument) for argument in saving.call.args):
        raise CannotFix("what is saved changes something where it is computed")
    lines = [
        line
        for index, name in names.items()
        for line in _assigned(name, saving.call.args[index], saving.statement, text)
    ]
    text.before(saving.statement, lines)
    Handover(text, taking.function, taking.context, saving, taking, set()).call(saving, names)


def _binds(argument: ast.expr) -> bool:
    return any(isinstance(node, ast.NamedExpr | ast.Yield | ast.Await) for node in ast.walk(argument))


def _assigned(name: str, value: ast.expr, statement: ast.stmt, text: Text) -> list[str]:
    """The lines of the assignment, laid out as the expression is."""
    first, *rest = text.of(value).split("\n")
    deeper = value.col_offset - statement.col_offset
    if rest and (not isinstance(value, ast.Call) or any(line[:deeper].strip() for line in rest)):
        raise CannotFix("what is saved is laid out over several lines")
    return [f"{name} = {first}", *(line[len(text.indent(statement)) + deeper :] for line in rest)]
