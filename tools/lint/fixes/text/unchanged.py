"""A forward leaves what is computed again from as it came in.

A value that is computed again gets the inputs as the backward has them. Where the forward writes into one of
them, or into state that the computation reads, it would come out differently: such a fix is refused.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Iterator

from ...analyses.records import made_fields
from ...analyses.torch_names import METHODS, NOT_WRITING, is_in_place
from ...frontend.classes import Method, method_of, resolve
from ...frontend.modules import Class, Dotted, Expression, Function, TorchModule
from .aliases import FILLING, Aliases
from .place import Place
from .reading import bound, shares
from .recording import called_functions
from .slicing import Slice
from .splices import CannotFix

_PURE_MODULES = frozenset(
    {"torch", "numpy", "math", "cmath", "operator", "functools", "itertools", "einops", "scipy", "typing"}
    | {"collections", "builtins", "warnings", "copy", "contextlib", "tqdm", "opt_einsum"}
)
_PURE_METHODS = METHODS | {
    "get",
    "keys",
    "items",
    "values",
    "copy",
    "count",
    "join",
    "format",
    "apply",
    "warn",
}
_WRITING_BUILTINS = frozenset({"setattr", "delattr", "exec", "eval", "next"})
_WRITING_FUNCTIONS = frozenset(
    {"copyto", "put", "place", "putmask", "fill_diagonal", "put_along_axis", "setitem", "delitem"}
    | {"iadd", "isub", "imul", "itruediv", "ifloordiv", "ipow", "imod", "imatmul", "iand", "ior", "ixor"}
)
_NO_CHANGE = frozenset(
    {"record_stream", "register_hook", "retain_grad", "size", "numel", "dim", "is_contiguous"}
)
_OF_CONTEXT = frozenset(
    {"save_for_backward", "save_for_forward", "mark_non_differentiable", "set_materialize_grads"}
)
_MODES = frozenset({"is_grad_enabled", "is_inference_mode_enabled"})
_DEEPEST = 4


def check_unchanged(found: Slice, function: ast.FunctionDef, context: str, place: Place) -> None:
    """Raise `CannotFix` where a function changes what a slice of it reads, or deletes it."""
    _check_modes(found.statements, place)
    local = {a.arg for a in ast.walk(function.args) if isinstance(a, ast.arg)} | bound(function)
    taken = (found.parameters | found.at_hand | (found.all_reads - local)) - {context}
    for node in ast.walk(function):
        match node:
            case ast.Global(names=names) | ast.Nonlocal(names=names) if {*names} & found.all_reads:
                raise CannotFix(f"the forward sets `{names[0]}`, from which it would be computed again")
            case ast.Delete() if gone := {n.id for n in ast.walk(node) if isinstance(n, ast.Name)} & taken:
                raise CannotFix(f"the forward deletes `{min(gone)}`, from which it would be computed again")
            case ast.NamedExpr(target=ast.Name(id=name)):
                if name in found.assigned | found.all_reads or not found.statements:
                    raise CannotFix(f"`{name}` is assigned in the middle of an expression")
    own = place.facts.cls.own
    for _, name in _Writes(place.module, taken, context, own=own).of(function):
        raise CannotFix(f"the forward may change `{name}`, from which it would be computed again")
    saves = (n for n in ast.walk(function) if isinstance(n, ast.Call))
    saves = (n for n in saves if getattr(n.func, "attr", "") == "save_for_backward")
    saved = {a.id for call in saves for a in call.args if isinstance(a, ast.Name)}
    kept = {line for s in found.statements for line in range(s.lineno, (s.end_lineno or s.lineno) + 1)}
    for line, name in _Writes(place.module, found.assigned, context, kept=True, own=own).of(function):
        if kept and line not in kept and (line < max(kept) or name in saved):
            when = "while" if line < max(kept) else "after"
            raise CannotFix(f"the forward may change `{name}` {when} it computes it")
    held = held_names(function, context) & found.assigned
    for line, name in _Writes(place.module, held, context, kept=True, own=own).of(function):
        if kept and line not in kept and line > min(kept):
            raise CannotFix(f"the forward may change `{name}` after it is stored")
    if found.reads_context:
        _check_context(found, function, context)


def held_names(function: ast.FunctionDef, context: str) -> set[str]:
    """The names of what a function leaves on its context, and of what those lists and dictionaries hold."""
    found: set[str] = set()
    before = None
    while before != found:
        before = set(found)
        for node in ast.walk(function):
            match node:
                case ast.Call(func=ast.Attribute(value=ast.Name(id=owner), attr=attr), args=args):
                    if (owner, attr) == (context, "save_for_backward") or (
                        owner in found and attr in FILLING
                    ):
                        found |= {name for argument in args for name in _held_in(argument)}
                case ast.Assign(targets=targets, value=value):
                    if any(_root(target) in {context, *found} for target in targets):
                        found |= _held_in(value)
    return found - {context}


def _held_in(node: ast.expr) -> set[str]:
    """The names whose very memory an expression has: itself, in a list, as a view, in an object."""
    match node:
        case ast.Name(id=name):
            return {name}
        case ast.Starred(value=value):
            return _held_in(value)
        case ast.Tuple(elts=items) | ast.List(elts=items) | ast.Dict(values=items):
            return {name for item in items for name in _held_in(item)}
        case ast.IfExp(body=body, orelse=orelse):
            return _held_in(body) | _held_in(orelse)
        case ast.Call(func=ast.Attribute(value=value, attr=attr)) if shares(attr):
            return _held_in(value)
        case ast.Call(func=ast.Name() | ast.Attribute(attr="partial"), args=args, keywords=keywords):
            return {name for item in (*args, *(k.value for k in keywords)) for name in _held_in(item)}
    return set()


def _check_modes(statements: list[ast.stmt], place: Place) -> None:
    """Raise `CannotFix` where statements ask for the grad mode, which is another one in the backward."""
    called = (inside for inside, _ in called_functions(statements, place.module))
    for node in (n for root in (*statements, *called) for n in ast.walk(root)):
        if isinstance(node, ast.Attribute | ast.Name):
            name = node.attr if isinstance(node, ast.Attribute) else node.id
            if name in _MODES:
                raise CannotFix(f"it depends on `{name}`, which is another in the backward")


def _check_context(found: Slice, function: ast.FunctionDef, context: str) -> None:
    """Raise `CannotFix` where an attribute that a slice reads is set twice: the last value is kept."""
    stores = [
        node.attr
        for node in ast.walk(function)
        if isinstance(node, ast.Attribute)
        and isinstance(node.ctx, ast.Store)
        and ast.unparse(node.value) == context
    ]
    for node in (n for s in found.statements for n in ast.walk(s)):
        match node:
            case ast.Attribute(value=ast.Name(id=name), attr=attribute) if name == context:
                if stores.count(attribute) > 1:
                    raise CannotFix(f"the forward sets `{context}.{attribute}` more than once")


class _Writes:
    """Follows the names that may share memory with some, through a function, and finds what writes to them.

    `_live`: names of that memory, `_holds`: names of lists and others that hold it. `kept`: what is bound to
    one of the names counts, too. `own` is the class whose methods ``cls`` and ``self`` have.
    """

    def __init__(
        self,
        module: TorchModule,
        names: Iterable[str],
        context: str = "",
        depth: int = 0,
        kept: bool = False,
        own: Class | None = None,
    ) -> None:
        self._module, self._context, self._depth = module, context, depth
        self._live, self._holds = {*names}, set[str]()
        self._kept = {*names} if kept else set[str]()
        self._memory = Aliases(ast.parse("def f(): pass").body[0], lambda test: None, written=True)
        self._imported: set[str] = set()
        self._local: dict[str, ast.FunctionDef] = {}
        self._own = own

    def of(self, function: ast.FunctionDef) -> Iterator[tuple[int, str]]:
        """The names that it writes to, each with the line."""
        for node in ast.walk(function):
            if isinstance(node, ast.Import | ast.ImportFrom):
                self._imported |= bound(node)
            elif isinstance(node, ast.FunctionDef) and node is not function:
                self._local[node.name] = node
        yield from self._block(function.body, always=True)

    def _block(self, statements: Iterable[ast.stmt], always: bool = False) -> Iterator[tuple[int, str]]:
        for statement in statements:
            inner = [getattr(statement, part, []) for part in ("body", "orelse", "finalbody")]
            inner += [
                one.body for one in (*getattr(statement, "handlers", ()), *getattr(statement, "cases", ()))
            ]
            if isinstance(statement, ast.FunctionDef | ast.ClassDef):
                yield from self._block(statement.body)
                continue
            if not any(inner):
                before = [(statement.lineno, name) for name in self._found(statement)]
                self._assign(statement, always)
                yield from before or ((statement.lineno, name) for name in self._found(statement))
                continue
            for _ in range(2):  # what the end of a loop names, its start may write
                for part in ast.iter_child_nodes(statement):
                    if not isinstance(part, ast.stmt | ast.ExceptHandler | ast.match_case):
                        self._assign(part, always=False)
                        yield from ((statement.lineno, name) for name in self._found(part))
                self._assign(statement, always=False)
                for block in inner:
                    yield from self._block(block)

    def _assign(self, statement: ast.AST, always: bool) -> None:
        """Take up the names that a statement binds. `always`: it runs, so a name may lose its meaning."""
        for node in ast.walk(statement):
            match node:
                case ast.Assign(targets=targets, value=value):
                    pairs = [(target, value) for target in targets]
                case (
                    ast.AnnAssign(target=target, value=ast.expr() as value)
                    | ast.NamedExpr(target=target, value=value)
                ):
                    pairs = [(target, value)]
                case ast.For(target=target, iter=value) | ast.comprehension(target=target, iter=value):
                    pairs = [(target, value)]
                case ast.withitem(optional_vars=ast.expr() as target, context_expr=value):
                    pairs = [(target, value)]
                case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=attr)) if attr in FILLING:
                    if self._reached(node.args):
                        self._holds.add(name)
                    continue
                case _:
                    continue
            for target, value in pairs:
                self._join(target, value, always)

    def _join(self, target: ast.expr, value: ast.expr, always: bool) -> None:
        parts = (ast.Tuple, ast.List)
        if isinstance(target, parts) and isinstance(value, parts) and len(target.elts) == len(value.elts):
            for one, other in zip(target.elts, value.elts, strict=True):
                self._join(one, other, always=False)
            return
        reached = set[str]() if self._gives_new(value) else self._reached([value])
        if isinstance(target, ast.Name) and always and not reached and target.id not in self._kept:
            self._live.discard(target.id)
            self._holds.discard(target.id)
        if reached:
            held = isinstance(value, ast.Tuple | ast.List | ast.Dict | ast.ListComp | ast.DictComp)
            inside = isinstance(target, ast.Subscript | ast.Attribute)
            names = {n.id for n in ast.walk(target) if isinstance(n, ast.Name)} - {self._context}
            (self._holds if held or inside else self._live).update(names)

    def _gives_new(self, value: ast.expr) -> bool:
        """True for a call of a function at hand that returns nothing that was there before."""
        body = self._body(value.func) if isinstance(value, ast.Call) else None
        if body is None:
            return False
        function, module = body
        return _Writes(module, (), depth=self._depth, own=self._own).returns_new(function)

    def returns_new(self, function: ast.FunctionDef) -> bool:
        """True where all that a function returns is computed there, and is no name or part of one."""
        self._depth += 1
        memory = Aliases(function, lambda test: None, written=True)
        for node in ast.walk(function):
            match node:
                case ast.Yield() | ast.YieldFrom():
                    return False
                case ast.Return(value=None | ast.Constant() | ast.BinOp() | ast.Compare()):
                    continue
                case ast.Return(value=ast.Call(func=ast.Attribute(attr=name)) as call) if (
                    name in METHODS and not memory.sharing(call)
                ):
                    continue
                case ast.Return(value=ast.Call() as call) if self._depth <= _DEEPEST and self._gives_new(
                    call
                ):
                    continue
                case ast.Return():
                    return False
        return True

    def _body(self, func: ast.expr) -> tuple[ast.FunctionDef, TorchModule] | None:
        """The function that a call runs, and its module, where it is at hand."""
        if (method := self._own_method(func)) is not None:
            return method.node, method.owner.module
        if isinstance(func, ast.Name) and func.id in self._local:
            return self._local[func.id], self._module
        entity = resolve(func, self._module)
        if isinstance(entity, Function) and isinstance(entity.node, ast.FunctionDef):
            return entity.node, entity.module
        return None

    def _reached(self, values: Iterable[ast.expr]) -> set[str]:
        """The names of the memory that values may share."""
        found: set[str] = set()
        for value in values:
            found |= self._memory.sharing(value)
            for node in ast.walk(value):  # a closure may return what it captures
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                    inner = self._local.get(node.func.id)
                    found |= {n.id for n in ast.walk(inner) if isinstance(n, ast.Name)} if inner else set()
        return found & (self._live | self._holds)

    def _found(self, root: ast.AST) -> Iterator[str]:
        """The names that a statement or an expression writes to."""
        for node in ast.walk(root):
            match node:
                case ast.AugAssign(target=target):
                    yield from self._reached([_object(target)])
                case (
                    ast.Subscript(value=value, ctx=ast.Store() | ast.Del())
                    | ast.Attribute(value=value, ctx=ast.Store() | ast.Del())
                ):
                    yield from self._reached([_object(value)]) & self._live
                case ast.Expr(value=ast.Call(func=ast.Attribute(value=value, attr=name))):
                    if name not in _NO_CHANGE | FILLING | NOT_WRITING and not self._is_context(value):
                        yield from self._reached([value])
                case ast.Call():
                    yield from self._called(node)

    def _is_context(self, node: ast.expr) -> bool:
        return isinstance(node, ast.Name) and node.id == self._context

    def _called(self, node: ast.Call) -> Iterator[str]:
        """The names that a call may write to: those given to it, where it is not known to leave them be."""
        given = [*node.args, *(k.value for k in node.keywords)]
        for keyword in node.keywords:
            plain = isinstance(keyword.value, ast.Constant) and not keyword.value.value
            if keyword.arg == "out":
                yield from self._reached([keyword.value])
            elif keyword.arg == "inplace" and not plain:
                yield from self._reached(given)
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        entity = resolve(node.func, self._module)
        if name in NOT_WRITING:
            return
        if (body := self._body(node.func)) is not None:
            yield from self._in_function(*body, node, self._own_method(node.func) is not None)
        elif isinstance(entity, Dotted) or _root(node.func) in self._imported:
            writes = (name.endswith("_") and not name.endswith("__")) or name in _WRITING_FUNCTIONS
            if writes or (isinstance(entity, Dotted) and not _is_pure(entity.name)):
                yield from self._reached(given)
            elif isinstance(entity, Dotted) and entity.name.startswith("numpy."):
                yield from self._reached(node.args[2:])  # the place of `out`
        elif isinstance(entity, Class) or (
            isinstance(entity, Expression) and made_fields(entity.node, entity) is not None
        ):
            return
        elif isinstance(node.func, ast.Attribute):
            yield from self._method(node.func, given)
        elif not hasattr(builtins, name) or name in _WRITING_BUILTINS:
            # A function that is given, as a distance, has no state that its call changes; an object may have.
            yield from self._reached(given if entity is None else [node.func, *given])

    def _method(self, func: ast.Attribute, given: list[ast.expr]) -> Iterator[str]:
        owner, name = _object(func.value), func.attr
        if self._is_context(owner):
            if name not in _OF_CONTEXT:
                yield from self._reached(given)
        elif is_in_place(name):
            yield from self._reached([func.value])
        elif name in FILLING:
            yield from self._reached([owner]) & self._live
        elif not (shares(name) or name in _PURE_METHODS or isinstance(owner, ast.Constant | ast.JoinedStr)):
            yield from self._reached([owner, *given])

    def _own_method(self, func: ast.expr) -> Method | None:
        """The method that ``cls.project`` and ``self.project`` are, and a static ``Scaled.project``."""
        match func:
            case ast.Attribute(value=ast.Name(id="cls" | "self"), attr=name) if self._own is not None:
                return method_of(self._own, name)
            case ast.Attribute(value=ast.Name() as owner, attr=name) if isinstance(
                entity := resolve(owner, self._module), Class
            ):
                method = method_of(entity, name)
                return method if method is not None and "staticmethod" in method.decorators else None
        return None

    def _in_function(
        self, function: ast.FunctionDef, module: TorchModule, call: ast.Call, bound: bool = False
    ) -> Iterator[str]:
        """The names that a function of the linted tree writes to, by its parameters."""
        if self._depth >= _DEEPEST:
            yield from self._reached([*call.args, *(k.value for k in call.keywords)])
            return
        arguments = [a.arg for a in (*function.args.posonlyargs, *function.args.args)]
        if bound and "staticmethod" not in map(ast.unparse, function.decorator_list):
            arguments = arguments[1:]  # the class or the object comes first
        several = [a.arg for a in (function.args.vararg, function.args.kwarg) if a is not None]
        own = {a.arg for a in ast.walk(function.args) if isinstance(a, ast.arg)}
        values = [*((None, a) for a in call.args), *((k.arg, k.value) for k in call.keywords)]
        for place, (keyword, value) in enumerate(values):
            names = self._reached([value])
            if not names:
                continue
            plain = not any(isinstance(a, ast.Starred) for a in call.args[: place + 1])
            to = [keyword] if keyword in own else arguments[place : place + 1]
            given = [one for one in to if one] if plain and to else [*arguments, *several]
            if any(_Writes(module, given, depth=self._depth + 1, own=self._own).of(function)):
                yield from names


def _is_pure(name: str) -> bool:
    """True if a function of another package is known to leave what it is given as it is."""
    root, _, rest = name.partition(".")
    opaque = root == "torch" and rest.startswith("ops.") and not rest.startswith("ops.aten.")
    return root in _PURE_MODULES and not opaque


def _object(node: ast.expr) -> ast.expr:
    """``counter`` of ``counter.state.n``: the object in whose parts something is written."""
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return node


def _root(node: ast.expr) -> str:
    """``kept`` of ``kept["y"]``, of ``kept.y`` and of ``kept``; "" for what no name leads to."""
    found = _object(node)
    return found.id if isinstance(found, ast.Name) else ""
