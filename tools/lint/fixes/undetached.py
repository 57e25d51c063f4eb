"""An input that is saved detached, or copied, is saved as it is: the graph keeps it alive anyway."""

from __future__ import annotations

import ast

from ..analyses.torch_names import is_in_place
from .fix import Fix
from .text.inner_autograd import check_no_autograd
from .text.of_torch import check_of_torch
from .text.parameters import Parameters
from .text.place import Place
from .text.reading import changed
from .text.saved_call import find_saving
from .text.splices import CannotFix

CODES = ("PB101",)


def apply(place: Place) -> None:
    """Save the parameter where what is saved is the parameter without its history.

    A copy may be there because the tensor is changed: it stays where the forward or the backward changes one.
    """
    check_no_autograd(place)
    saver = place.function_at(place.finding.span.line)
    parameters = Parameters(saver, place)
    saving = find_saving(saver, parameters.context)
    if saving is None:
        raise CannotFix("nothing is saved with `save_for_backward`")
    for argument in saving.call.args:
        if ast.unparse(argument) == place.finding.value:
            value = argument if _detached(argument) else _only_value(saver, argument)
            name = _detached(value)
            before = [s for s in saver.body if s.lineno <= saving.statement.lineno]
            if name in parameters.names and not any(name in changed(s) for s in before):
                if _is_copy(value):
                    _check_unchanged(place, saver, name)
                if _is_cut(value):
                    check_of_torch(place)
                place.text.replace(argument, name)
                return
    raise CannotFix("it is no detached input")


def _detached(node: ast.expr | None) -> str:
    """``x`` of ``x.detach()``, ``x.data``, ``Variable(x)``, ``x.clone()`` or ``x.detach().clone()``."""
    match node:
        case ast.Call(func=ast.Attribute(value=value, attr="clone"), args=[], keywords=[]):
            return value.id if isinstance(value, ast.Name) else _detached(value)
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="detach"), args=[]):
            return name
        case ast.Attribute(value=ast.Name(id=name), attr="data"):
            return name
        case ast.Call(func=ast.Name(id="Variable"), args=[ast.Name(id=name)]):
            return name
    return ""


def _is_copy(node: ast.expr | None) -> bool:
    return any(isinstance(n, ast.Attribute) and n.attr == "clone" for n in ast.walk(node or ast.Pass()))


def _is_cut(node: ast.expr | None) -> bool:
    """True if it says that the tensor is to have no history, which something may refuse."""
    names = (n.attr for n in ast.walk(node or ast.Pass()) if isinstance(n, ast.Attribute))
    return any(name in ("detach", "data") for name in names)


def _check_unchanged(place: Place, saver: ast.FunctionDef, name: str) -> None:
    """Raise `CannotFix` where the forward changes the tensor, or the backward changes anything in place."""
    if any(name in changed(s) for s in saver.body):
        raise CannotFix(f"the forward changes `{name}`, so a copy is saved")
    if place.facts.forward.writes or place.facts.backward.writes:
        raise CannotFix("a copy is saved, for something is changed in place")
    for node in ast.walk(place.backward):
        if isinstance(node, ast.AugAssign) or (isinstance(node, ast.Attribute) and is_in_place(node.attr)):
            raise CannotFix("the backward changes a tensor in place, so a copy is saved")


def _only_value(saver: ast.FunctionDef, argument: ast.expr) -> ast.expr | None:
    if not isinstance(argument, ast.Name):
        return None
    found = [s for s in saver.body if argument.id in changed(s)]
    only = found[0] if len(found) == 1 else None
    return only.value if isinstance(only, ast.Assign) and isinstance(only.targets[0], ast.Name) else None


FIX = Fix(apply, True, "the input itself is saved", silent=True)
