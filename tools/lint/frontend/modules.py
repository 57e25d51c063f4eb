"""Names that a Python file binds at its top level, and where an imported name leads.

In: source text. Out: a `TorchModule`. Imports are followed through a `Finder`,
which gives the text of another module of the linted tree, or None: this package
opens no files.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

from ....transpile.ir import Source, Span

AUTOGRAD = frozenset({"Function", "Variable", "grad", "gradcheck", "backward"})
COMPILED = ("_cuda", "_cpp", "_ext", "_C", "_kernel", "_kernels", "_cuda_kernel", "_gpu")
Finder = Callable[[str, str], Source | None]  # (dotted name, path of the file that asks) -> text
Mentions = Callable[[str, str], Iterable[Source]]  # (word, path of a file) -> texts beside it that have it


@dataclass(frozen=True, eq=False)
class Dotted:
    """A name that leads out of the linted text: ``torch.nn.functional``."""

    name: str


@dataclass(frozen=True, eq=False)
class Class:
    """A class of the linted text."""

    node: ast.ClassDef
    module: TorchModule

    @cached_property
    def methods(self) -> dict[str, ast.FunctionDef]:
        """Its own methods."""
        found = {item.name: item for item in self.node.body if isinstance(item, ast.FunctionDef)}
        for name, value in self.values.items():
            match value:
                case ast.Call(func=ast.Name(id="staticmethod"), args=[ast.Name(id=written)]):
                    function = self.module.names.get(written)
                    if isinstance(function, Function) and isinstance(function.node, ast.FunctionDef):
                        found.setdefault(name, function.node)
        return found

    @cached_property
    def values(self) -> dict[str, ast.expr]:
        """Its own attributes that are assigned an expression."""
        found: dict[str, ast.expr] = {}
        for item in self.node.body:
            if isinstance(item, ast.Assign):
                found.update({t.id: item.value for t in item.targets if isinstance(t, ast.Name)})
            elif isinstance(item, ast.AnnAssign) and item.value and isinstance(item.target, ast.Name):
                found[item.target.id] = item.value
        return found


@dataclass(frozen=True, eq=False)
class Function:
    """A function of the linted text."""

    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
    module: TorchModule


@dataclass(frozen=True, eq=False)
class Expression:
    """A top-level name that is assigned an expression."""

    node: ast.expr
    module: TorchModule


Entity = Dotted | Class | Function | Expression


@dataclass(eq=False)
class TorchModule:
    """The top level of one file. `program` finds the modules that it imports."""

    source: Source
    tree: ast.Module
    program: Program
    names: dict[str, Entity] = field(default_factory=dict)
    stars: list[str] = field(default_factory=list)

    @cached_property
    def functions(self) -> dict[str, list[ast.FunctionDef]]:
        """All functions and methods of the file, by their names."""
        found: dict[str, list[ast.FunctionDef]] = {}
        for node in ast.walk(self.tree):
            if isinstance(node, ast.FunctionDef):
                found.setdefault(node.name, []).append(node)
        return found

    def __post_init__(self) -> None:
        for statement in _top_level(self.tree.body):
            self._bind(statement)
        for name, found in _inside(self.tree.body):
            self.names.setdefault(name, found)

    def span(self, node: ast.AST) -> Span:
        """The place of a node in the file."""
        line, column = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
        end = getattr(node, "end_lineno", None) or line
        end_column = getattr(node, "end_col_offset", None) or column
        return Span(
            self.source.path, line, self._column(line, column) + 1, end, self._column(end, end_column) + 1
        )

    def _column(self, line: int, offset: int) -> int:
        """A column of characters; `ast` counts bytes."""
        if self._ascii or not 0 < line <= len(self.lines):
            return offset
        return len(self.lines[line - 1].encode()[:offset].decode("utf-8", "ignore"))

    @cached_property
    def _ascii(self) -> bool:
        return self.source.text.isascii()

    @cached_property
    def lines(self) -> list[str]:
        """The lines as Python counts them, without their ends."""
        return self.source.text.replace("\r\n", "\n").replace("\r", "\n").split("\n")

    def text(self, statement: ast.stmt) -> str:
        """The whole lines of a statement, from its decorators on."""
        return "\n".join(self.lines[first_line(statement) - 1 : statement.end_lineno])

    def classes(self) -> Iterator[Class]:
        """The classes of the file, nested ones too, in the order of the text."""
        known = {entity.node: entity for entity in self.names.values() if isinstance(entity, Class)}
        for node in _class_definitions(self.tree.body):
            yield known.get(node) or Class(node, self)

    def entity(self, name: str) -> Entity | None:
        """The entity of a top-level name, followed through imports of the linted tree."""
        found = self.names.get(name) or self._starred(name)
        return self.program.follow(found, self) if isinstance(found, Dotted) else found

    def _starred(self, name: str) -> Entity | None:
        """The entity that ``from module import *`` binds to a name, where that is known."""
        for base in reversed(self.stars):
            known = name in AUTOGRAD if base == "torch.autograd" else not hasattr(builtins, name)
            if base in ("torch", "torch.autograd") and known:
                return Dotted(f"{base}.{name}")
            found = self.program.star(base, name, self)
            if found is not None:
                return found
        return None

    def _bind(self, statement: ast.stmt) -> None:
        match statement:
            case ast.ImportFrom(names=[ast.alias(name="*")]):
                self.stars.append("." * statement.level + (statement.module or ""))
            case ast.Import() | ast.ImportFrom():
                found = imported(statement).items()
                self.names.update((name, new) for name, new in found if not self._is_compiled(name))
            case ast.ClassDef(name=name):
                self.names[name] = Class(statement, self)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                if name not in self.names or not _only_raises(statement.body):
                    self.names[name] = Function(statement, self)
            case ast.Assign(targets=[ast.Tuple(elts=[ast.Name(id=name), *_])], value=value):
                if (loaded := _loaded(value)) is not None:  # a module, and whether it is there
                    self.names[name] = loaded
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    if isinstance(target, ast.Name) and not self._is_fallback(target.id, value):
                        self.names[target.id] = _loaded(value) or Expression(value, self)
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                self.names[name] = Expression(value, self)

    def _is_compiled(self, name: str) -> bool:
        """True for a name of compiled code: what is imported where that is missing does not replace it."""
        known = self.names.get(name)
        return isinstance(known, Dotted) and is_compiled(known.name)

    def _is_fallback(self, name: str, value: ast.expr) -> bool:
        """True for ``torch = None`` and ``Function = object`` where PyTorch's may have been imported."""
        known = self.names.get(name)
        known_to_torch = isinstance(known, Dotted) and known.name.partition(".")[0] == "torch"
        return known_to_torch and not isinstance(value, ast.Attribute)


def first_line(statement: ast.stmt) -> int:
    """The line of a statement, or of its first decorator."""
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    return min([statement.lineno, *(one.lineno for one in decorators)])


def is_compiled(name: str) -> bool:
    """True if a dotted name goes through a module of compiled code, by what such modules are called.

    >>> is_compiled("mine._C.forward"), is_compiled("my_cuda.forward"), is_compiled("mine.forward")
    (True, True, False)
    """
    *parts, _ = name.split(".")
    return any(part.endswith(COMPILED) for part in parts) or name.partition(".")[0].endswith(COMPILED)


def _only_raises(body: list[ast.stmt]) -> bool:
    """True for a function that stands where another one of its name could not be defined."""
    return isinstance(body[-1], ast.Raise) and all(isinstance(one, ast.Expr) for one in body[:-1])


def _loaded(value: ast.expr) -> Dotted | None:
    """The module of ``import_module("torch")``, ``optional_import("mine._C")``, ``load_ext("_ext")``."""
    match value:
        case ast.Call(
            func=ast.Attribute(attr=called) | ast.Name(id=called),
            args=[ast.Constant(value=str(name)), *_],
        ) if "import" in called or ("load" in called and is_compiled(f"{name}.")):
            parts = (keyword.value for keyword in value.keywords if keyword.arg == "name")
            part = next((node.value for node in parts if isinstance(node, ast.Constant)), None)
            return Dotted(f"{name}.{part}" if isinstance(part, str) else name)
    return None


def _inside(body: list[ast.stmt]) -> Iterator[tuple[str, Entity]]:
    """Names that imports inside functions bind; classes there, and functions, may use them."""
    for statement in body:
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
            for inner in _top_level(statement.body):
                if isinstance(inner, ast.Import | ast.ImportFrom):
                    yield from imported(inner).items()
                if isinstance(inner, ast.Assign) and (found := _loaded(inner.value)):
                    yield from ((t.id, found) for t in inner.targets if isinstance(t, ast.Name))
        for part in ("body", "orelse", "finalbody"):
            yield from _inside(getattr(statement, part, None) or [])


def _class_definitions(body: list[ast.stmt]) -> Iterator[ast.ClassDef]:
    """Classes among statements and the statements in them; expressions hold none."""
    for statement in body:
        if isinstance(statement, ast.ClassDef):
            yield statement
        for part in ("body", "orelse", "finalbody"):
            inner = getattr(statement, part, None)
            if isinstance(inner, list):
                yield from _class_definitions(inner)
        for part in (*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())):
            yield from _class_definitions(part.body)


def imported(node: ast.Import | ast.ImportFrom) -> dict[str, Dotted]:
    """The names that an import binds."""
    if isinstance(node, ast.Import):
        plain = {alias.name.partition(".")[0] for alias in node.names if not alias.asname}
        named = {alias.asname: Dotted(alias.name) for alias in node.names if alias.asname}
        return {**{name: Dotted(name) for name in plain}, **named}
    base = "." * node.level + (node.module or "")
    joint = "" if not base or base.endswith(".") else "."
    return {alias.asname or alias.name: Dotted(base + joint + alias.name) for alias in node.names}


def _top_level(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements at the top level, those inside ``if`` and ``try`` too."""
    for statement in body:
        yield statement
        for part in ("body", "orelse", "finalbody"):
            if isinstance(statement, ast.If | ast.Try | ast.With):
                yield from _top_level(getattr(statement, part, []))
        for part in (*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())):
            yield from _top_level(part.body)


class Program:
    """The modules of a linted tree, each read at most once.

    `mentioned` finds the files that may use what another one defines, which is asked before that is changed.
    """

    def __init__(self, finder: Finder | None = None, mentioned: Mentions | None = None) -> None:
        self._finder = finder
        self.mentioned: Mentions = mentioned or (lambda word, path: ())
        self._modules: dict[str, TorchModule | None] = {}
        self._found: dict[tuple[str, str], TorchModule | None] = {}

    def module(self, source: Source) -> TorchModule | None:
        """The file's top level; None where its text cannot be parsed."""
        if source.path not in self._modules:
            try:
                tree = ast.parse(source.text)
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                self._modules[source.path] = None
            else:
                self._modules[source.path] = TorchModule(source, tree, self)
        return self._modules[source.path]

    def replace(self, source: Source) -> None:
        """Read this text of a file from now on, not the one that was read before."""
        known = self._modules.get(source.path)
        if known is not None and known.source.text == source.text:
            return
        self._modules.pop(source.path, None)
        self._found = {key: module for key, module in self._found.items() if module is not known}

    def follow(self, dotted: Dotted, asker: TorchModule) -> Entity:
        """The entity that a dotted name leads to within the linted tree, or the name itself."""
        name = dotted.name
        for _ in range(8):  # a name that is imported again and again
            head, _, last = name.rpartition(".")
            module = self._import(head or ".", asker) if last else None
            if module is None:
                return Dotted(name)
            found = module.names.get(last)
            if not isinstance(found, Dotted):
                return found if found is not None else Dotted(name)
            name, asker = found.name, module
        return Dotted(name)

    def star(self, base: str, name: str, asker: TorchModule) -> Entity | None:
        """The entity of a name that a module binds whose names are all imported."""
        module = self._import(base, asker)
        if module is None or module is asker or name not in module.names:
            return None
        return module.entity(name)

    def _import(self, name: str, asker: TorchModule) -> TorchModule | None:
        if self._finder is None or is_outside(name):
            return None
        key = (name, asker.source.path if name.startswith(".") else _folder(asker.source.path))
        if key not in self._found:
            source = self._finder(name, asker.source.path)
            self._found[key] = self.module(source) if source is not None else None
        return self._found[key]


# Never followed into: their functions are known by name.
OUTSIDE = frozenset({"torch", "numpy", "math", "typing", "functools", "scipy", "warnings", "os", "sys"})


def is_outside(name: str) -> bool:
    """True if a module is known by the names of its functions. PyTorch's own helpers in Python are not.

    >>> is_outside("torch.nn.functional"), is_outside("torch._higher_order_ops.scan")
    (True, False)
    """
    head, _, rest = name.partition(".")
    helpers = head == "torch" and rest.startswith("_") and not rest.startswith("_C")
    return head in OUTSIDE and not helpers


def _folder(path: str) -> str:
    return path.rpartition("/")[0]
