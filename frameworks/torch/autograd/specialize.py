"""A formula for the inputs that need a gradient: in, its text; out, one whose closure computes no others.

What the closure of the new function captures is what a node has to save. Of a tensor whose shape or dtype
alone is read, that is captured.

>>> import ast
>>> print(_specialized(ast.parse('''
... def mul(self, other):
...     result = aten.mul(self, other)
...     def mul_pullback(grad):
...         grad_self = handle_r_to_c(self.dtype, grad * other)
...         grad_other = grad * self
...         return grad_self, grad_other
...     return result, mul_pullback
... ''').body[0], (True, False)))
def mul(self, other):
    result = aten.mul(self, other)
    self_dtype = getattr(self, 'dtype', None)
<BLANKLINE>
    def mul_pullback(grad):
        grad_self = handle_r_to_c(self_dtype, grad * other)
        return (grad_self, None)
    return (result, mul_pullback)
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import CodeType, FunctionType
from typing import Any
from weakref import WeakKeyDictionary

from pullback.transpile.cells import place

from .hoist import hoisted


@dataclass(frozen=True)
class Variant:
    """A formula for a pattern of inputs that need a gradient.

    name         the operator
    span         "file:line" of the formula
    function     returns the results and the closure
    closure      the code of the closure, where the formula has one
    materialize  numbers of the closure's gradients that must be there: undefined ones come as zeros
    """

    name: str
    span: str
    function: Callable[..., Any]
    closure: CodeType | None
    materialize: frozenset[int]


_VARIANTS: WeakKeyDictionary[Any, dict[tuple[str, tuple[bool, ...]], Variant]] = WeakKeyDictionary()


def variant_of(name: str, function: Callable[..., Any], needed: tuple[bool, ...]) -> Variant:
    """The formula of an operator for these inputs; other operators may have the same one."""
    known = _VARIANTS.setdefault(function, {})
    found = known.get((name, needed))
    if found is None:
        found = known[name, needed] = _variant(name, function, needed)
    return found


def _variant(name: str, function: Callable[..., Any], needed: tuple[bool, ...]) -> Variant:
    code = getattr(function, "__code__", None)
    span = place(code.co_filename, code.co_firstlineno) if code is not None else repr(function)
    tree = _tree(function)
    if tree is None or not isinstance(function, FunctionType):
        return Variant(name, span, function, None, frozenset(range(64)))
    _Specializer(tree, needed).run()
    made = _compiled(tree, function)
    codes = [each for each in made.__code__.co_consts if isinstance(each, CodeType)]
    return Variant(name, span, made, codes[0] if len(codes) == 1 else None, _materialized(tree))


def _tree(function: Callable[..., Any]) -> ast.FunctionDef | None:
    """The definition of a function, at its lines; None where it has no text, or free variables."""
    if not isinstance(function, FunctionType) or function.__closure__:
        return None
    try:
        lines, first = inspect.getsourcelines(function)
        tree = ast.parse(textwrap.dedent("".join(lines))).body[0]
    except (OSError, SyntaxError):
        return None
    ast.increment_lineno(tree, max(first, 1) - 1)
    return tree if isinstance(tree, ast.FunctionDef) else None


def _compiled(tree: ast.FunctionDef, function: FunctionType) -> FunctionType:
    """The definition as a function, with the defaults, globals and file of the one that it was made of."""
    given = tree.args
    tree.decorator_list, tree.returns = [], None
    for argument in (*given.posonlyargs, *given.args, *given.kwonlyargs):
        argument.annotation = None
    given.defaults, given.kw_defaults = [], [None for _ in given.kwonlyargs]
    names: dict[str, Any] = {}
    exec(compile(ast.Module([tree], []), function.__code__.co_filename, "exec"), function.__globals__, names)
    made: FunctionType = names[tree.name]
    made.__defaults__, made.__kwdefaults__ = function.__defaults__, function.__kwdefaults__
    return made


def _specialized(tree: ast.FunctionDef, needed: Sequence[bool]) -> str:
    _Specializer(tree, needed).run()
    return ast.unparse(ast.fix_missing_locations(tree))


class _Specializer(ast.NodeTransformer):
    """Takes away what is computed for gradients that nobody needs, and answers `needs_gradient`."""

    def __init__(self, tree: ast.FunctionDef, needed: Sequence[bool]) -> None:
        self.tree = tree
        self.inputs = [argument.arg for argument in tree.args.args]
        self.needed = needed

    def run(self) -> None:
        """Change the definition."""
        closure = _closure_of(self.tree)
        self.visit(self.tree)
        if isinstance(closure, ast.Lambda):
            closure.body = self._gradients(closure.body)
        elif closure is not None and all(_is_straight(statement) for statement in closure.body):
            returned = closure.body[-1]
            if isinstance(returned, ast.Return) and returned.value is not None:
                returned.value = self._gradients(returned.value)
                closure.body = _live(closure.body)
        if closure is not None:
            before = self.tree.body.index(closure) if isinstance(closure, ast.FunctionDef) else -1
            self.tree.body[before:before] = hoisted(self.tree, closure)
        ast.fix_missing_locations(self.tree)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """`needs_gradient(self, other)` is known."""
        self.generic_visit(node)
        names = [each.id for each in node.args if isinstance(each, ast.Name)]
        known = isinstance(node.func, ast.Name) and node.func.id == "needs_gradient"
        if not known or len(names) < len(node.args) or not set(names) <= set(self.inputs):
            return node
        flags: list[ast.expr] = [ast.Constant(self.needed[self.inputs.index(name)]) for name in names]
        return ast.copy_location(ast.Tuple(flags, ast.Load()), node)

    def _gradients(self, returned: ast.expr) -> ast.expr:
        """The expression that the closure returns, with None for a gradient that is not needed."""
        if len(self.needed) == 1 or not isinstance(returned, ast.Tuple):
            return returned
        if len(returned.elts) == len(self.needed):
            returned.elts = [
                each if needed else ast.copy_location(ast.Constant(None), each)
                for each, needed in zip(returned.elts, self.needed, strict=True)
            ]
        return returned


def _closure_of(tree: ast.FunctionDef) -> ast.FunctionDef | ast.Lambda | None:
    """The closure that a formula returns, where it returns one at its end."""
    last = tree.body[-1]
    if not isinstance(last, ast.Return) or not isinstance(last.value, ast.Tuple) or len(last.value.elts) != 2:
        return None
    closure = last.value.elts[1]
    if isinstance(closure, ast.Lambda):
        return closure
    named = [each for each in tree.body if isinstance(each, ast.FunctionDef)]
    found = [each for each in named if isinstance(closure, ast.Name) and each.name == closure.id]
    return found[0] if len(found) == 1 else None


def _is_straight(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Assign | ast.Expr | ast.Return)


def _live(body: Sequence[ast.stmt]) -> list[ast.stmt]:
    """The statements of a closure that its gradients depend on."""
    kept: list[ast.stmt] = []
    live: set[str] = set()
    for statement in reversed(body):
        if isinstance(statement, ast.Assign):
            names = _stored(statement)
            if names and names.isdisjoint(live):
                continue
        live |= {node.id for node in ast.walk(statement) if isinstance(node, ast.Name)}
        kept.insert(0, statement)
    return kept


def _stored(statement: ast.stmt) -> set[str]:
    names = (node for node in ast.walk(statement) if isinstance(node, ast.Name))
    return {node.id for node in names if isinstance(node.ctx, ast.Store)}


def _materialized(tree: ast.FunctionDef) -> frozenset[int]:
    """Numbers of the closure's gradients that it computes with.

    A gradient that it only hands to a function, or compares with None, may be None.
    """
    closure = _closure_of(tree)
    if closure is None:
        return frozenset(range(64))
    parameters = [argument.arg for argument in closure.args.args]
    handed = {
        id(argument)
        for node in ast.walk(closure)
        for argument in _handed(node)
        if isinstance(argument, ast.Name)
    }
    read = {node.id for node in ast.walk(closure) if isinstance(node, ast.Name) and id(node) not in handed}
    return frozenset(number for number, name in enumerate(parameters) if name in read)


def _handed(node: ast.AST) -> Sequence[ast.expr]:
    """Expressions that a call of a helper takes as they are, or that are compared with None."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return [*node.args, *(keyword.value for keyword in node.keywords)]
    if isinstance(node, ast.Compare) and all(isinstance(each, ast.Is | ast.IsNot) for each in node.ops):
        return [node.left]
    return []
