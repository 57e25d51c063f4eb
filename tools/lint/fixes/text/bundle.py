"""Values that are stored together: ``ctx.variables = a, b``, and ``a, b = ctx.variables`` in the backward."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from .place import body_of
from .splices import CannotFix


@dataclass(frozen=True)
class Bundle:
    """The statement that stores them, their names, and the one that takes them, with the names there."""

    stored: ast.Assign
    names: tuple[str, ...]
    taken: ast.Assign
    locals: tuple[str, ...]

    def local(self, name: str) -> str:
        """The local name of a stored value in the backward."""
        return self.locals[self.names.index(name)]


def find_bundle(
    saver: ast.FunctionDef, context: str, backward: ast.FunctionDef, own_context: str, name: str
) -> Bundle:
    """The bundle that a value is stored in; `CannotFix` where it is in none of this form."""
    for statement in saver.body:
        match statement:
            case ast.Assign(
                targets=[ast.Attribute(value=ast.Name(id=owner), attr=attribute)],
                value=ast.Tuple(elts=elements) | ast.List(elts=elements),
            ) if owner == context:
                names = _plain(elements)
                if name in names:
                    taken = _taken(backward, f"{own_context}.{attribute}")
                    locals_ = _plain(taken.targets[0].elts)  # type: ignore[attr-defined]
                    if len(locals_) == len(names):
                        return Bundle(statement, names, taken, locals_)
    raise CannotFix(f"`{name}` is neither an attribute nor stored among others by its name")


def _plain(elements: list[ast.expr]) -> tuple[str, ...]:
    return tuple(e.id if isinstance(e, ast.Name) else "" for e in elements)


def _taken(backward: ast.FunctionDef, written: str) -> ast.Assign:
    uses = [n for n in ast.walk(backward) if isinstance(n, ast.Attribute) and ast.unparse(n) == written]
    for statement in body_of(backward):
        match statement:
            case ast.Assign(targets=[ast.Tuple() | ast.List()], value=value) if [value] == uses:
                return statement
    raise CannotFix(f"the backward does not unpack `{written}` in one place")
