"""Statements that stand for a call: read over names that no author can write."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from ..state.readers import read_body
from ..state.values import Dotted, Frame, Value
from ..syntax.assigned import assigned
from ..syntax.nodes import moved

_FUNCTIONS = {
    "len": "len",
    "min": "min",
    "max": "max",
    "range": "range",
    "list": "list",
    "sort": "numpy.sort",
    "argsort": "numpy.argsort",
    "add_up": "numpy.sum",
    "array": "numpy.array",
    "log": "numpy.log",
    "zeros": "numpy.zeros",
    "arange": "numpy.arange",
    "linspace": "numpy.linspace",
    "meshgrid": "numpy.meshgrid",
    "stack": "numpy.stack",
}


def read_template(frame: Frame, text: str, held: Mapping[str, Value], node: ast.AST) -> Value:
    """The value that statements give to `found`, in which the names of `held` have these values.

    Functions of Python's are what they are, also where the formula has variables of their names.
    """
    tree = moved(ast.parse(text), node)
    names = {*held, *_FUNCTIONS, *assigned(tree.body)}
    for part in ast.walk(tree):
        if isinstance(part, ast.Name) and part.id in names:  # not the name of an exception
            part.id = f"<{part.id}>"
    values = {name: Dotted(full, full) for name, full in _FUNCTIONS.items()} | dict(held)
    hidden = {f"<{name}>": value for name, value in values.items()}
    outer = {name: frame.local[name] for name in (f"<{each}>" for each in names) if name in frame.local}
    frame.local |= hidden
    try:
        read_body(frame, tree.body)
        return frame.local["<found>"]
    finally:
        for name in names:
            frame.local.pop(f"<{name}>", None)
        frame.local |= outer
