"""An input that is saved detached is saved as it is: the graph keeps it alive anyway."""

from __future__ import annotations

import ast

from .fix import Fix
from .text.inner_autograd import check_no_autograd
from .text.parameters import Parameters
from .text.place import Place
from .text.reading import changed
from .text.saved_call import find_saving
from .text.splices import CannotFix

CODES = ("PB101",)


def apply(place: Place) -> None:
    """Save the parameter where what is saved is the parameter without its history."""
    check_no_autograd(place)
    saver = place.function_at(place.finding.span.line)
    parameters = Parameters(saver, place)
    saving = find_saving(saver, parameters.context)
    if saving is None:
        raise CannotFix("nothing is saved with `save_for_backward`")
    for argument in saving.call.args:
        if ast.unparse(argument) == place.finding.value:
            name = _detached(argument) or _detached(_only_value(saver, argument))
            before = [s for s in saver.body if s.lineno <= saving.statement.lineno]
            if name in parameters.names and not any(name in changed(s) for s in before):
                place.text.replace(argument, name)
                return
    raise CannotFix("it is no detached input")


def _detached(node: ast.expr | None) -> str:
    """``x`` of ``x.detach()``, ``x.data`` or ``Variable(x)``."""
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="detach"), args=[]):
            return name
        case ast.Attribute(value=ast.Name(id=name), attr="data"):
            return name
        case ast.Call(func=ast.Name(id="Variable"), args=[ast.Name(id=name)]):
            return name
    return ""


def _only_value(saver: ast.FunctionDef, argument: ast.expr) -> ast.expr | None:
    if not isinstance(argument, ast.Name):
        return None
    found = [s for s in saver.body if argument.id in changed(s)]
    only = found[0] if len(found) == 1 else None
    return only.value if isinstance(only, ast.Assign) and isinstance(only.targets[0], ast.Name) else None


FIX = Fix(apply, True, "the input itself is saved")
