"""What the names around a formula stand for: modules, numbers, formulas, helpers."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal as OneOf

from ..ir import Literal, Source
from .folding import fold_node
from .text import too_deep

BUILTINS = frozenset(
    {
        "abs",
        "all",
        "any",
        "bool",
        "callable",
        "complex",
        "divmod",
        "enumerate",
        "float",
        "int",
        "isinstance",
        "len",
    }
    | {"list", "max", "min", "pow", "print", "range", "reversed", "round", "slice", "sorted", "str"}
    | {"sum", "tuple", "zip"}
)


@dataclass(frozen=True)
class Binding:
    """What one name stands for.

    ``dotted``    a module or a function by its full name ("numpy", "numpy.exp")
    ``constant``  a number, string, bool, None, or tuple of these, in `literal`
    ``formula``   another formula, by the name of its operator; `operands` and `attrs`
                  are its parameters, `results` how many it returns
    ``helper``    a plain function: the text that it stands in, and its own names
    ``factory``   a variable of a function around the formula, whose value isn't known yet
    ``unknown``   anything else; `why` says what it is ("a list that changes")
    """

    kind: OneOf["dotted", "constant", "formula", "helper", "factory", "unknown"]
    name: str = ""
    literal: Literal = field(default_factory=lambda: Literal(None))
    operands: tuple[str, ...] = ()
    attrs: tuple[str, ...] = ()
    results: int = 1
    result_is_tuple: bool = False
    source: Source | None = None
    names: Names | None = None
    why: str = ""

    @staticmethod
    def dotted(name: str) -> Binding:
        """A module or function by its full name."""
        return Binding("dotted", name)

    @staticmethod
    def constant(value: object, strong: bool = False) -> Binding:
        """A number, string, bool, None or tuple; `strong` for a NumPy scalar."""
        return Binding("constant", literal=Literal(value, strong))

    @staticmethod
    def formula(
        name: str,
        operands: tuple[str, ...] = (),
        attrs: tuple[str, ...] = (),
        results: int = 1,
        result_is_tuple: bool = False,
    ) -> Binding:
        """Another formula; without `operands` its arguments are taken as they are written."""
        return Binding(
            "formula", name, operands=operands, attrs=attrs, results=results, result_is_tuple=result_is_tuple
        )

    @staticmethod
    def helper(name: str, source: Source, names: Names) -> Binding:
        """A plain function with its text, to be inlined."""
        return Binding("helper", name, source=source, names=names)

    @staticmethod
    def factory(name: str) -> Binding:
        """A variable of a function around the formula."""
        return Binding("factory", name)

    @staticmethod
    def unknown(why: str) -> Binding:
        """Something that a formula may not capture."""
        return Binding("unknown", why=why)


@dataclass(frozen=True)
class Names:
    """Looks a module-level name up, lazily.

    >>> names = Names.of({"np": Binding.dotted("numpy")})
    >>> names.lookup("np").name
    'numpy'
    >>> names.lookup("missing") is None
    True
    """

    find: Callable[[str], Binding | None]
    formulas: Callable[[str], Binding | None] = field(default=lambda dotted: None)

    @staticmethod
    def of(bindings: Mapping[str, Binding] | Callable[[str], Binding | None]) -> Names:
        """Names of a mapping, or of a function that is asked for each name when it is met."""
        return Names(bindings.get if isinstance(bindings, Mapping) else bindings)

    def formula_of(self, dotted: str) -> Binding | None:
        """The formula that a function's full name stands for, where a library has one."""
        return self.formulas(dotted)

    def lookup(self, name: str) -> Binding | None:
        """What a name stands for; builtins are found last."""
        found = self.find(name)
        if found is None and name in BUILTINS:
            return Binding.dotted(name)
        return found


def static_bindings(
    tree: ast.Module, source: Source, formulas: Callable[[str], Binding | None] = lambda dotted: None
) -> tuple[dict[str, Binding], Names]:
    """Bindings of a module's top level, from its text alone: nothing is imported or run.

    The mapping may be extended afterwards (with the module's formulas); the names see that.
    """
    bindings: dict[str, Binding] = {}
    names = Names(bindings.get, formulas)
    for node in _top_level(tree.body):
        if isinstance(node, ast.Import):
            for alias in node.names:
                full = alias.name if alias.asname else alias.name.partition(".")[0]
                bindings[alias.asname or full] = Binding.dotted(full)
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            for alias in node.names:
                bindings[alias.asname or alias.name] = Binding.dotted(f"{module}.{alias.name}")
        elif isinstance(node, ast.FunctionDef):
            bindings[node.name] = Binding.helper(node.name, source, names)
        elif isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign):
            _bind_assignment(node, bindings, names)
        elif isinstance(node, ast.ClassDef | ast.AsyncFunctionDef):
            bindings[node.name] = Binding.unknown(
                "a class" if isinstance(node, ast.ClassDef) else "an async function"
            )
    return bindings, names


def _bind_assignment(
    node: ast.Assign | ast.AnnAssign | ast.AugAssign, bindings: dict[str, Binding], names: Names
) -> None:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    for target in targets:
        if isinstance(target, ast.Name):
            if node.value is None:
                continue
            again = target.id in bindings
            folds = not isinstance(node, ast.AugAssign) and too_deep(node.value) is None
            literal = fold_node(node.value, names) if folds else None
            if again:
                bindings[target.id] = Binding.unknown("a module-level name that is assigned more than once")
            elif literal is not None:
                bindings[target.id] = Binding("constant", literal=literal)
            else:
                bindings[target.id] = Binding.unknown("a module-level object that may change")
        elif isinstance(target, ast.Tuple | ast.List):
            for item in ast.walk(target):
                if isinstance(item, ast.Name):
                    bindings[item.id] = Binding.unknown("a module-level object that may change")


def _top_level(body: list[ast.stmt]) -> list[ast.stmt]:
    """Statements of a module, with those under `if` and `try` (guarded imports)."""
    found: list[ast.stmt] = []
    for node in body:
        if isinstance(node, ast.If):
            found += _top_level(node.body) + _top_level(node.orelse)
        elif isinstance(node, ast.Try):
            found += _top_level(node.body) + _top_level([s for h in node.handlers for s in h.body])
            found += _top_level(node.orelse) + _top_level(node.finalbody)
        elif isinstance(node, ast.With):
            found += _top_level(node.body)
        else:
            found.append(node)
    return found
