"""Calls of NumPy's functions that are made of operators: their text in `formulas/` is read in place."""

from __future__ import annotations

import ast
import itertools
from pathlib import Path

from ...ir import Literal
from ...operators import DECOMPOSITIONS, RESULT_NAMES
from ..names.folder import Composite, package_formulas
from ..state.lookup import defaults_of
from ..state.values import Dotted, Frame, Function, Growing, Items, Value
from ..syntax.fence import refuse
from .arguments import Arguments
from .inline import inline, parameter_names
from .written_arrays import array_of_table, list_of_arrays


def composite_of(frame: Frame, dotted: str, node: ast.Call) -> Function | None:
    """The function of this full name, if its text is ours; all of it is said to stand at the call.

    In its own text the name is NumPy's function, which gives places and whole numbers there.
    """
    found = package_formulas().composite(dotted)
    if found is None or found.node in frame.calls or (dotted in DECOMPOSITIONS and _beside(frame, found)):
        return None
    inside = Frame(frame.readers, frame.build, found.text, found.names, place=frame.span(node))
    return Function(found.node, inside, defaults_of(found.node, found.names))


def _beside(frame: Frame, found: Composite) -> bool:
    """True where the call stands in the file of the composite: formulas call NumPy's function there."""
    return Path(frame.text.source.path).resolve() == Path(found.text.source.path)


def read_composite(
    frame: Frame, composite: Function, given: Arguments, name: str | None, callee: Dotted
) -> Value:
    """Its result for these arguments. Arguments for which it always raises are refused (PB404)."""
    mark = len(frame.build.eqns)
    names, stated = parameter_names(composite), _annotations_of(composite)

    def made(key: str | None, value: Value) -> Value:
        if stated.get(key) == "list[pb.Tensor]":
            return list_of_arrays(frame, value, given.node)
        is_tensor = stated.get(key) in ("pb.Tensor", "pb.Tensor | None")
        return array_of_table(frame, value, given.node) if is_tensor else value

    positional = list(itertools.starmap(made, itertools.zip_longest(names, given.positional)))
    keywords = {key: made(key, value) for key, value in given.keywords.items()}
    value = inline(frame, composite, positional[: len(given.positional)], keywords, given.node, name)
    raised = next((eqn for eqn in frame.build.eqns[mark:] if eqn.op == "raise"), None)
    if raised is not None:
        message = raised.args[0].value if raised.args and isinstance(raised.args[0], Literal) else ""
        text = callee.text
        raise refuse("PB404", f"`{text}` raises here: {message}", frame.span(given.node), value=text)
    if callee.name in RESULT_NAMES and isinstance(value, Items | Growing):
        return Items(tuple(value.items), RESULT_NAMES[callee.name])
    return value


def _annotations_of(composite: Function) -> dict[str | None, str]:
    """The annotations of the parameters, as written."""
    args = composite.node.args
    every = (*args.posonlyargs, *args.args, *args.kwonlyargs)
    return {arg.arg: ast.unparse(arg.annotation) for arg in every if arg.annotation}
