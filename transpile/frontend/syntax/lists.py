"""Statements that make a list longer, as the calls of `append` and `extend` that do the same.

Of names that only lists are bound to: ``out += more`` is ``out.extend(more)``, and so is ``out = out + more``
where nobody else holds the list. A loop that puts elements in front appends to the reversed list.

>>> tree = ast.parse('''
... def returns(x):
...     out, total = [], 0.0
...     for v in x[::-1]:
...         total = v + 0.9 * total
...         out.insert(0, total)
...     return np.array(out)
... ''')
>>> write_lists(tree)
>>> print(ast.unparse(tree))
def returns(x):
    out, total = ([], 0.0)
    out.reverse()
    for v in x[::-1]:
        total = v + 0.9 * total
        out.append(total)
    out.reverse()
    return np.array(out)
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from .nodes import located, node_of

# What reads a list that it is given, and keeps none.
_READERS = frozenset(
    {"len", "sum", "max", "min", "any", "all", "sorted", "enumerate", "zip", "reversed", "list", "tuple"}
)
_INNER = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


def write_lists(tree: ast.Module) -> None:
    """Write growing lists by `append` and `extend`, in place."""
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef):
            _Function(function).write()


class Row(ast.expr):
    """A list of numbers in a list of such rows, for which an array may stand."""

    _fields = ("items",)
    items: ast.expr


class _Function:
    """A function, the names in it that only lists are bound to, and what stands around each node."""

    def __init__(self, function: ast.FunctionDef) -> None:
        self.function = function
        self.bindings = dict[str, list[ast.expr | None]]()
        for node in _own(function):
            self._add_bindings(node)
        parameters = {each.arg for each in ast.walk(function.args) if isinstance(each, ast.arg)}
        self.lists = set(self.bindings) - parameters
        while bound := {name for name in self.lists if not all(map(self._is_list, self.bindings[name]))}:
            self.lists -= bound

    def write(self) -> None:
        """Write the statements of the function anew."""
        if self.lists:
            self._look_around()
            self.alone = {name for name in self.lists if all(map(self._is_reading, self.uses[name]))}
            self._write_blocks(self._longer)
            self._look_around()
            self._write_blocks(self._in_front)
            self._look_around()
            for name in sorted(self.lists):
                self._write_rows(name)

    def _look_around(self) -> None:
        pairs = [(child, node) for node in ast.walk(self.function) for child in ast.iter_child_nodes(node)]
        self.around = dict(pairs)
        self.uses = dict[str, list[ast.Name]]()
        for node in self.around:
            if isinstance(node, ast.Name) and node.id in self.lists:
                self.uses.setdefault(node.id, []).append(node)

    def _add_bindings(self, node: ast.AST) -> None:
        """Add what a node binds names to; None for what is no list."""
        match node:
            case ast.Assign(targets, value):
                for target in targets:
                    self._add(target, value)
            case ast.AnnAssign(ast.Name() as target, _, value) if value is not None:
                self._add(target, value)
            case ast.AugAssign(ast.Name(name), op, value):
                more = isinstance(op, ast.Add) and isinstance(value, ast.Tuple | ast.GeneratorExp)
                self.bindings.setdefault(name, []).append(ast.List([]) if more else value)
                if not isinstance(op, ast.Add):
                    self.bindings[name].append(None)
            case ast.Global(names) | ast.Nonlocal(names):
                for name in names:
                    self.bindings.setdefault(name, []).append(None)
            case ast.For() | ast.comprehension():
                self._add(node.target, None)
            case ast.NamedExpr():
                self._add(node.target, None)
            case ast.withitem() if node.optional_vars is not None:
                self._add(node.optional_vars, None)
            case ast.FunctionDef() | ast.ClassDef():
                self.bindings.setdefault(node.name, []).append(None)

    def _add(self, target: ast.expr, value: ast.expr | None) -> None:
        match target, value:
            case ast.Name(name), _:
                self.bindings.setdefault(name, []).append(value)
            case ast.Tuple(left) | ast.List(left), ast.Tuple(right) | ast.List(right) if len(left) == len(
                right
            ):
                for one, other in zip(left, right, strict=True):
                    self._add(one, other)
            case ast.Tuple(left) | ast.List(left), _:
                for one in left:
                    self._add(one.value if isinstance(one, ast.Starred) else one, None)

    def _is_list(self, value: ast.expr | None) -> bool:
        match value:
            case ast.List() | ast.ListComp() | ast.Call(ast.Name("list" | "sorted")):
                return True
            case ast.Name(name) | ast.Subscript(ast.Name(name), ast.Slice()):
                return name in self.lists
            case ast.BinOp(left, ast.Add(), right):
                return self._is_list(left) and self._is_list(right)
            case ast.BinOp(left, ast.Mult(), right):
                return isinstance(left, ast.List) or isinstance(right, ast.List)
        return False

    def _is_reading(self, node: ast.Name) -> bool:
        """True of a use after which nobody else holds the list."""
        outer = self.around[node]
        if isinstance(node.ctx, ast.Store):
            return True
        match outer:
            case (
                ast.Subscript() | ast.For() | ast.comprehension() | ast.Return() | ast.BinOp() | ast.Starred()
            ):
                return True
            case ast.Attribute():
                return isinstance(self.around[outer], ast.Call)
            case ast.Call(ast.Name(name)):
                return name in _READERS
            case ast.Call(ast.Attribute(ast.Name("np" | "numpy" | "math"))):
                return True
            case ast.Tuple():
                return isinstance(self.around[outer], ast.Return)
        return isinstance(outer, ast.If | ast.While | ast.Compare | ast.UnaryOp)

    def _write_blocks(self, written: Callable[[ast.stmt], list[ast.stmt]]) -> None:
        """Write each statement of the function anew, those in a loop behind the loop."""
        level: list[ast.AST] = [self.function]
        while level:
            inner: list[ast.AST] = []
            for each in level:
                for name in ("body", "orelse", "finalbody"):
                    block = getattr(each, name, ())
                    if isinstance(block, list):
                        block[:] = [made for statement in block for made in written(statement)]
                        inner += [statement for statement in block if not isinstance(statement, _INNER)]
            level = inner

    def _longer(self, node: ast.stmt) -> list[ast.stmt]:
        match node:
            case ast.AugAssign(ast.Name(name), ast.Add(), value) if name in self.lists:
                return [_call(name, "extend", node, value)]
            case ast.Assign([ast.Name(name)], value) if name in self.alone:
                return self._longer_by(node, name, value)
        return [node]

    def _longer_by(self, node: ast.stmt, name: str, value: ast.expr) -> list[ast.stmt]:
        """``name = name + more`` and its kin."""
        match value:
            case ast.BinOp(ast.Name(same), ast.Add(), more) if same == name:
                return [_call(name, "extend", node, more)]
            case ast.List([ast.Starred(ast.Name(same)), *more]) if same == name:
                return [_call(name, "extend", node, ast.copy_location(ast.List(more, ast.Load()), value))]
            case ast.BinOp(ast.List([first]), ast.Add(), ast.Name(same)) | ast.List(
                [first, ast.Starred(ast.Name(same))]
            ) if same == name and not isinstance(first, ast.Starred):
                return [_call(name, "insert", node, ast.Constant(0), first)]
        return [node]

    def _in_front(self, node: ast.stmt) -> list[ast.stmt]:
        if not isinstance(node, ast.For | ast.While):
            return [node]
        names = sorted(name for name in self.alone if self._grows_in_front(node, name))
        turned = [[_call(name, "reverse", node) for name in names] for _ in range(2)]
        return [*turned[0], node, *turned[1]]

    def _grows_in_front(self, loop: ast.For | ast.While, name: str) -> bool:
        """True where a loop grows a list in front alone; it is written to append to the reversed list."""
        inside = [each for each in ast.walk(loop) if isinstance(each, ast.Name) and each.id == name]
        calls, places = list[ast.Call](), list[ast.Subscript]()
        for use in inside:
            match self.around[use], self.around[self.around[use]]:
                case ast.Attribute(_, "insert"), ast.Call(_, [ast.Constant(0), _], []) as call:
                    calls.append(call)
                case ast.Subscript(
                    _, ast.Constant(int()) | ast.UnaryOp(ast.USub(), ast.Constant(int()))
                ) as part, _:
                    places.append(part)
                case ast.Call(ast.Name("len")), _:
                    pass
                case _:
                    return False
        used_by_functions = any(
            use.id == name
            for function in _inner_functions(self.function)
            for use in ast.walk(function)
            if isinstance(use, ast.Name)
        )
        if not calls or used_by_functions:
            return False
        for call in calls:
            assert isinstance(call.func, ast.Attribute)
            call.func.attr, call.args = "append", call.args[1:]
        for part in places:
            at = ast.literal_eval(part.slice)
            made = ast.Constant(-1 - at) if at < 0 else ast.UnaryOp(ast.USub(), ast.Constant(1 + at))
            part.slice = ast.copy_location(made, part.slice)
        return True

    def _write_rows(self, name: str) -> None:
        """Mark the rows of a list of lists that all are as long, where arrays can stand in their place."""
        held = [each for each in self.bindings[name] if isinstance(each, ast.List)]
        blocks = [(each.elts, k) for each in held for k in range(len(each.elts))]
        for use in self.uses[name]:
            match self.around[use], self.around[self.around[use]]:
                case ast.Attribute(_, "append"), ast.Call(_, [_], []) as call:
                    blocks.append((call.args, 0))
                case other, outer:
                    if not isinstance(use.ctx, ast.Store) and not _takes_numbers(use, other, outer):
                        return
        rows = [block[k] for block, k in blocks]
        lengths = {len(row.elts) for row in rows if isinstance(row, ast.List | ast.Tuple)}
        whole = all(
            isinstance(row, ast.List | ast.Tuple) and not any(map(_is_starred, row.elts)) for row in rows
        )
        if len(held) == len(self.bindings[name]) and whole and len(lengths) == 1 and lengths != {0}:
            for block, k in blocks:
                block[k] = node_of(Row, block[k], block[k])


def _takes_numbers(use: ast.Name, other: ast.AST, outer: ast.AST) -> bool:
    """True of a use of a list of rows that is the same of a matrix: of its numbers, its length, its array."""
    match other, outer:
        case ast.Subscript(_, place), ast.Subscript(_, inner):
            return not any(isinstance(each, ast.Slice | ast.Tuple) for each in (place, inner))
        case ast.Subscript(_, place), ast.Assign([ast.Tuple()]):
            return not isinstance(place, ast.Slice | ast.Tuple)
        case (ast.For(ast.Tuple(), over), _) | (ast.comprehension(ast.Tuple(), over), _):
            return over is use
        case ast.Call(ast.Name("len") | ast.Attribute(ast.Name("np" | "numpy"))), _:
            return use in other.args
        case ast.Attribute(_, "reverse"), _:
            return True
    return False


def _is_starred(node: ast.expr) -> bool:
    return isinstance(node, ast.Starred)


def _own(function: ast.FunctionDef) -> Iterator[ast.AST]:
    """The nodes of a function, those of functions in it left out."""
    queue: list[ast.AST] = [*function.body]
    while queue:
        node = queue.pop()
        yield node
        if not isinstance(node, _INNER):
            queue += ast.iter_child_nodes(node)


def _inner_functions(function: ast.FunctionDef) -> Iterator[ast.AST]:
    return (node for node in _own(function) if isinstance(node, _INNER))


def _call(name: str, method: str, place: ast.stmt, *arguments: ast.expr) -> ast.stmt:
    """``name.method(...)`` as a statement that stands where another one does."""
    call = ast.Call(ast.Attribute(ast.Name(name, ast.Load()), method, ast.Load()), list(arguments), [])
    return located(ast.Expr(call), place)
