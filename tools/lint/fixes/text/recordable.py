"""Calls that autograd can record, as far as they can be read.

A forward runs where nothing is recorded: what it calls may write into views, or hand memory to compiled
code. Where it is computed again, autograd records, and would refuse that. So a computation must call only
functions of PyTorch, and functions that are read here, through modules too, and do nothing of that kind.
"""

from __future__ import annotations

import ast
import builtins

from ...analyses import torch_names
from ...frontend.modules import Class, Dotted, Entity, Expression, Function, TorchModule, imported
from .plain import Plain
from .reading import bound
from .splices import CannotFix

LIBRARIES = frozenset(
    {"torch", "torch.nn.functional", "torch.functional", "torch.linalg", "torch.fft", "torch.special"}
)
PLAIN_MODULES = ("math", "warnings", "typing", "itertools")
OF_OBJECTS = frozenset({"append", "extend", "insert", "format", "join", "get", "items", "keys"})
BUILTINS = (
    torch_names.PLAIN_BUILTINS
    | torch_names.CONTAINERS
    | frozenset({"float", "abs", "sum", "min", "max", "zip", "enumerate", "any", "all", "pow", "round"})
    | frozenset({"slice", "dict", "divmod", "getattr", "complex"})
)
METHODS = (
    torch_names.METHODS
    | torch_names.METADATA
    | torch_names.VIEWS
    | torch_names.MAYBE_SAME
    | torch_names.LINEAR
    | torch_names.ZERO_DERIVATIVE
    | OF_OBJECTS
) - torch_names.MEMORY
# They refuse a tensor that requires grad, or differentiate themselves.
REFUSED = torch_names.MEMORY | frozenset({"numpy", "backward", "from_numpy", "requires_grad"})
IN_PLACE = frozenset({"out", "inplace"})
DEEPEST = 8


def check_recordable(lines: list[str], module: TorchModule, parameters: set[str]) -> None:
    """Raise `CannotFix` where lines call a function that may do what autograd does not record.

    The changes in place of the lines themselves are assignments already.
    """
    tree = ast.parse("\n".join(lines))
    local = bound(tree) | parameters | {n.arg for n in ast.walk(tree) if isinstance(n, ast.arg)}
    inner = {n.name: n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)}
    for function in inner.values():
        _check_no_writes(function, function.name)
    _Reader(module, tree, local, inner).check([])


class _Reader:
    """Reads the calls of one function, or of some lines."""

    def __init__(
        self, module: TorchModule, tree: ast.AST, local: set[str], inner: dict[str, ast.FunctionDef]
    ) -> None:
        self.module, self.tree, self.local, self.inner = module, tree, local, inner
        self.plain = Plain(tree)
        self.imports: dict[str, Dotted] = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.Import | ast.ImportFrom):
                self.imports.update(imported(node))

    def check(self, running: list[ast.AST]) -> None:
        """Raise `CannotFix` where a call may be refused. `running`: the functions around it."""
        for node in ast.walk(self.tree):
            match node:
                case ast.Call():
                    self._call(node, running)
                case ast.Attribute(attr=attr) if attr in REFUSED:
                    if attr != "requires_grad" or isinstance(node.ctx, ast.Store):
                        raise CannotFix(f"it uses `{attr}`, which a recorded tensor may refuse")
                case ast.Await() | ast.Yield() | ast.YieldFrom():
                    raise CannotFix("it waits for something")

    def _call(self, node: ast.Call, running: list[ast.AST]) -> None:
        shown = ast.unparse(node.func)
        found = self._entity(node.func)
        method = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        if isinstance(found, Function):
            _check_function(found, shown, running)
        elif isinstance(found, Dotted):
            self._check_outside(node, found.name)
        elif isinstance(node.func, ast.Name) and node.func.id in self.inner:
            return  # its body is read with what is around it
        elif isinstance(node.func, ast.Name) and node.func.id not in self.local and found is None:
            if node.func.id not in BUILTINS and not _is_exception(node.func.id):
                raise CannotFix(f"what `{shown}` does is not known")
        elif found is not None or method not in METHODS:
            raise CannotFix(f"what `{shown}` does is not known")

    def _check_outside(self, node: ast.Call, name: str) -> None:
        """Raise `CannotFix` for a function of a library that may be refused."""
        package, _, function = name.rpartition(".")
        shown = ast.unparse(node.func)
        if package in PLAIN_MODULES:
            return
        if package.partition(".")[0] == "numpy" and all(map(self.plain.is_plain, node.args)):
            return
        if package not in LIBRARIES or torch_names.is_in_place(function):
            raise CannotFix(f"what `{shown}` does is not known")
        positional = node.args[1:] if package == "torch.nn.functional" else []
        if any(isinstance(one, ast.Constant) and one.value is True for one in positional):
            raise CannotFix(f"`{shown}` may change a tensor in place")  # F.relu(x, True)

    def _entity(self, node: ast.expr) -> Entity | None:
        """The function, class or outer name of a callee; None for a method of a value, and what is local."""
        match node:
            case ast.Name(id=name) if name in self.imports:
                found = self.imports[name]
                return _resolved(self.module.program.follow(found, self.module), self.module)
            case ast.Name(id=name):
                return None if name in self.local else _resolved(self.module.entity(name), self.module)
            case ast.Attribute(value=value, attr=attr):
                return _member(self._entity(value), attr, self.module)
        return None


def _resolved(found: Entity | None, module: TorchModule) -> Entity | None:
    """The entity behind another name, or behind ``torch.jit.script``."""
    match found:
        case Expression(node=ast.Call(func=ast.Attribute(attr="script"), args=[ast.Name(id=name)])):
            return found.module.entity(name)
        case Expression(node=ast.Name(id=name)):
            return found.module.entity(name)
        case Expression(node=ast.Attribute(value=ast.Name(id=name), attr=attr)):
            return _member(found.module.entity(name), attr, module)
    return found


def _member(owner: Entity | None, name: str, module: TorchModule) -> Entity | None:
    """The member of a module or class under a name."""
    match owner:
        case Dotted():
            return module.program.follow(Dotted(f"{owner.name}.{name}"), module)
        case Class() if name in owner.methods:
            return Function(owner.methods[name], owner.module)
        case Expression():
            return None  # a method of a value
    return owner


def _check_function(function: Function, shown: str, running: list[ast.AST]) -> None:
    node = function.node
    if node in running:
        return
    if len(running) >= DEEPEST:
        raise CannotFix(f"what `{shown}` does is not known")
    for decorator in getattr(node, "decorator_list", ()):
        if ast.unparse(decorator) not in ("staticmethod", "classmethod", "torch.jit.script"):
            raise CannotFix(f"what `{shown}` does is not known")
    _check_no_writes(node, shown)
    given = {a.arg for a in ast.walk(node) if isinstance(a, ast.arg)}
    inner = {n.name: n for n in ast.walk(node) if isinstance(n, ast.FunctionDef) and n is not node}
    local = given | {name for part in ast.iter_child_nodes(node) for name in bound(part)}
    _Reader(function.module, node, local, inner).check([*running, node])


def _check_no_writes(function: ast.AST, shown: str) -> None:
    """Raise `CannotFix` where a function may change a tensor, or something outside of it."""
    plain = Plain(function)
    for node in ast.walk(function):
        match node:
            case ast.AugAssign(target=ast.Name() as target) if plain.is_plain(target):
                continue
            case (
                ast.AugAssign()
                | ast.Subscript(ctx=ast.Store() | ast.Del())
                | ast.Attribute(ctx=ast.Store() | ast.Del())
                | ast.Global()
                | ast.Nonlocal()
            ):
                raise CannotFix(f"`{shown}` changes something in place")
            case ast.Call(func=ast.Attribute(attr=attr)) if attr.endswith("_") and not attr.endswith("__"):
                raise CannotFix(f"`{shown}` changes something in place")
            case ast.keyword(arg=arg, value=value) if arg in IN_PLACE:
                if not (isinstance(value, ast.Constant) and value.value in (None, False)):
                    raise CannotFix(f"`{shown}` changes something in place")


def _is_exception(name: str) -> bool:
    found = getattr(builtins, name, None)
    return isinstance(found, type) and issubclass(found, BaseException)
