"""The formulas of a file by their decorators, before any of them is read."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

from ...diagnostics import Diagnostic
from ...ir import STRUCTURAL, Formula, Source, Span
from ...operators import AROUND_DECOMPOSITIONS, OPERATORS, by_python
from ..syntax.fence import Refusal, statement
from ..syntax.text import Text, parse, statements_in
from .bindings import Binding, Names
from .decorators import Decoration, decoration, is_derived
from .factory import enclosing_functions
from .signature import operator_name, signature
from .static import static_bindings

Find = Callable[[str], Binding | None]


class Unreadable(NamedTuple):
    """A formula that cannot be used as written; calls of it are called `operator`, where that is known."""

    name: str
    span: Span
    operator: str | None = None


@dataclass
class Module:
    """Formulas by name, findings of all severities, and where the unreadable ones stand.

    `operators` has them by the name of their calls, which is that of the operator a formula stands for,
    and another one than an operator's where it stands for none. `functions` are the names of the other
    functions of the file's outermost level, `derived` of those of them whose closures
    ``@pb.compile`` or ``@pb.derive_pullback`` derives.
    """

    source: Source
    names: Names
    formulas: dict[str, Formula] = field(default_factory=dict)
    operators: dict[str, Formula] = field(default_factory=dict)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    unreadable: list[Unreadable] = field(default_factory=list)
    functions: list[str] = field(default_factory=list)
    derived: list[str] = field(default_factory=list)


class Outline:
    """A parsed file, and where the formulas in it stand.

    Raises Refusal where the text cannot be parsed. The formulas of the vocabulary itself are `ours`, and
    named as their operators. In its files `composites` that state no operator are found by the function that
    they stand for: their parameters are known where they are called.
    """

    def __init__(
        self,
        source: Source,
        ours: bool = False,
        around: Find = lambda dotted: None,
    ) -> None:
        self.text = parse(source)
        bindings, names = static_bindings(self.text.tree, source, around)
        self.module = Module(source, names)
        self.found: dict[str, tuple[ast.FunctionDef, Decoration]] = {}
        self.composites: dict[str, ast.FunctionDef] = {}
        in_library = ours or Path(source.path).resolve().parent == formula_folder()
        taken: set[str] = set() if ours else {*OPERATORS, *STRUCTURAL, *AROUND_DECOMPOSITIONS}
        for node, decorated in _decorated(self.module, self.text, names):
            binding = signature(node, decorated.target, decorated.role == "formula")
            for_word = decorated.target is not None and by_python(decorated.target) is not None
            if in_library and decorated.role == "composite" and not for_word:
                self.composites[decorated.target or ""] = node
                continue
            operator = binding.name if for_word else operator_name(binding, taken)
            taken.add(operator)
            self.found[operator] = node, decorated
            bindings[node.name] = replace(binding, name=operator)
        self.around = enclosing_functions(self.text.tree)
        decorated_here = {node.name for node, _ in self.found.values()}
        plain = [node for node in self.text.tree.body if isinstance(node, ast.FunctionDef)]
        plain = [node for node in plain if node.name not in decorated_here]
        self.module.functions = [node.name for node in plain]
        self.module.derived = [node.name for node in plain if is_derived(names, node)]

    @property
    def operators(self) -> tuple[str, ...]:
        """The operators of the formulas' calls, in the order of the file."""
        return tuple(self.found)


def _decorated(module: Module, text: Text, names: Names) -> list[tuple[ast.FunctionDef, Decoration]]:
    found: list[tuple[ast.FunctionDef, Decoration]] = []
    for node in statements_in(text.tree):
        if isinstance(node, ast.AsyncFunctionDef) and node.decorator_list:
            plain = ast.FunctionDef(node.name, node.args, node.body, node.decorator_list, lineno=node.lineno)
            if _is_formula(text, names, plain):
                refused = statement(node, text.span(node)).finding
                module.diagnostics += [refused] if refused else []
                module.unreadable.append(Unreadable(node.name, text.span(node)))
        if isinstance(node, ast.FunctionDef) and node.decorator_list:
            try:
                decorated = decoration(text, names, node)
            except Refusal as refusal:
                module.diagnostics += [refusal.finding] if refusal.finding else []
                module.unreadable.append(Unreadable(node.name, text.span(node)))
                continue
            if decorated is not None:
                found.append((node, decorated))
    return sorted(found, key=lambda item: item[0].lineno)


def _is_formula(text: Text, names: Names, node: ast.FunctionDef) -> bool:
    try:
        return decoration(text, names, node) is not None
    except Refusal:
        return True


def formula_folder() -> Path:
    """The folder of the package's formulas."""
    return Path(__file__).resolve().parents[3] / "formulas"
