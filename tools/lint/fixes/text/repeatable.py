"""Statements that give the same when they run again: nothing that they take from is used up by it."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from ...analyses.collectives import COLLECTIVES
from .parameters import Parameters
from .place import Place
from .reading import is_random
from .recording import called_functions
from .splices import CannotFix

_TAKE_AWAY = frozenset({"next", "pop", "popitem", "popleft"})
_DRAWS = frozenset({"choice", "choices", "integers", "permutation", "randrange", "shuffle", "uniform"})
_COMMUNICATE = {name for name in COLLECTIVES if "_" in name}  # `reduce` and `gather` are others', too
_OF_ITEMS = frozenset({"list", "tuple", "Sequence", "List", "Tuple", "dict", "Dict", "Mapping", "Tensor"})


def check_repeatable(statements: Iterable[ast.stmt], parameters: Parameters, place: Place) -> None:
    """Raise `CannotFix` for what takes something away, or iterates over an input that may be an iterator.

    An input that the backward iterates over, too, is none: the class counts on its items coming again.
    """
    statements = list(statements)
    for statement in statements:
        _check_calls(statement)
    for function, _ in called_functions(statements, place.module):
        _check_calls(function)
        _check_state(function)
    for name in sorted(_iterated(statements) & {*parameters.names}):
        if not _comes_again(name, parameters, place):
            raise CannotFix(f"`{name}` may be an iterator, which gives its items once")


def _check_calls(root: ast.AST) -> None:
    """Raise `CannotFix` for calls that give something else each time, or lead out of what is recorded."""
    for node in ast.walk(root):
        if not isinstance(node, ast.Call):
            continue
        name = _called(node)
        if name in _TAKE_AWAY:
            raise CannotFix(f"`{name}` takes something away, which is not there again")
        if name in _DRAWS or is_random(node):
            raise CannotFix("it depends on random numbers")
        if name in _COMMUNICATE or ast.unparse(node.func).startswith(("dist.", "torch.distributed.")):
            raise CannotFix(f"`{name}` communicates with other processes")
        if name == "numpy":
            raise CannotFix("it passes through NumPy, and computed again it has no derivative either")


def _check_state(function: ast.FunctionDef) -> None:
    """Raise `CannotFix` where a function leaves something behind: in a global, or on what it is given."""
    given = {a.arg for a in ast.walk(function.args) if isinstance(a, ast.arg)}
    for node in ast.walk(function):
        match node:
            case ast.Global() | ast.Nonlocal():
                raise CannotFix(f"`{function.name}` sets `{node.names[0]}`")
            case ast.Attribute(value=ast.Name(id=name), ctx=ast.Store()) if name in given - {"self"}:
                raise CannotFix(f"`{function.name}` sets `{ast.unparse(node)}`")


def _called(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def _iterated(statements: Iterable[ast.AST]) -> set[str]:
    """The names and attributes whose items loops take, directly or through others."""
    nodes = [node for statement in statements for node in ast.walk(statement)]
    made: dict[str, list[ast.expr]] = {}
    for node in nodes:
        for target in node.targets if isinstance(node, ast.Assign) else ():
            if isinstance(target, ast.Name) and isinstance(node, ast.Assign):
                made.setdefault(target.id, []).append(node.value)
    found: set[str] = set()
    waiting = [node.iter for node in nodes if isinstance(node, ast.For | ast.comprehension)]
    while waiting:
        for name in set(_sources(waiting.pop())) - found:
            found.add(name)
            waiting += made.get(name, [])
    return found


def _sources(node: ast.expr) -> Iterator[str]:
    """``a`` and ``ctx.b`` of ``zip(a, tqdm(ctx.b))``: that whose items an expression gives one by one."""
    match node:
        case ast.Name() | ast.Attribute():
            yield ast.unparse(node)
        case ast.Call(func=ast.Name(id=called), args=args) if called not in ("range", "len"):
            yield from (name for one in args for name in _sources(one))
        case ast.Call(func=ast.Attribute(value=ast.Name()), args=args):  # itertools.chain(a, b)
            yield from (name for one in args for name in _sources(one))
        case ast.Starred(value=value):
            yield from _sources(value)


def _comes_again(name: str, parameters: Parameters, place: Place) -> bool:
    """True if something says that an input can be iterated over as often as one likes."""
    if parameters.given or parameters.is_tensor(name):
        return True
    note = next(a.annotation for a in parameters.arguments if a.arg == name)
    said = {n.id for n in ast.walk(note) if isinstance(n, ast.Name)} if note is not None else set[str]()
    if said & _OF_ITEMS or _is_sized(name, parameters.function):
        return True
    attribute = parameters.stored_attributes().get(name)
    backward = place.backward
    written = {
        ast.unparse(node)
        for node in ast.walk(backward)
        if isinstance(node, ast.Attribute) and node.attr == attribute and isinstance(node.value, ast.Name)
    }
    return bool(written & _iterated([backward])) or any(_is_sized(one, backward) for one in written)


def _is_sized(written: str, function: ast.FunctionDef) -> bool:
    """True if a function asks something for its length, or for an item."""
    for node in ast.walk(function):
        match node:
            case ast.Subscript(value=value) | ast.Call(func=ast.Name(id="len"), args=[value]):
                if ast.unparse(value) == written:
                    return True
    return False
