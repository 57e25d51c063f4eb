"""Every formula of a file, from its text alone."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ..diagnostics import Diagnostic
from ..ir import STRUCTURAL, Formula, Source, Span
from ..library import formula_folder
from ..operators import OPERATORS, by_python
from .function import Reading, read_node
from .names.bindings import Binding, Names
from .names.decorators import Decoration, decoration, is_compiled
from .names.factory import enclosing_functions, names_inside
from .names.signature import cycles, operator_name, signature
from .names.static import static_bindings
from .syntax.fence import Refusal, refuse, statement
from .syntax.leaving import last_return
from .syntax.text import Text, parse, statements_in

if TYPE_CHECKING:
    from ..library import Library


class Unreadable(NamedTuple):
    """A formula that cannot be used as written; calls of it are called `operator`, where that is known."""

    name: str
    span: Span
    operator: str | None = None


@dataclass
class Module:
    """Formulas by name, findings of all severities, and where the unreadable ones stand.

    `operators` has them by the name of their calls, which is that of the word a formula stands for,
    and another one than a word's where it stands for none. `functions` are the names of the other
    functions of the file's outermost level, `compiled` of those of them that ``@pb.compile`` decorates.
    """

    source: Source
    names: Names
    formulas: dict[str, Formula] = field(default_factory=dict)
    operators: dict[str, Formula] = field(default_factory=dict)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    unreadable: list[Unreadable] = field(default_factory=list)
    functions: list[str] = field(default_factory=list)
    compiled: list[str] = field(default_factory=list)


class Outline:
    """A parsed file, and where the formulas in it stand; each is read when it is asked for.

    Raises Refusal where the text cannot be parsed. The formulas of the vocabulary itself are `ours`, and
    named like its words. In its files `composites` that are no word's stand by what they stand for: what
    their parameters are is known where they are called.
    """

    def __init__(self, source: Source, library: Library | None = None, ours: bool = False) -> None:
        self.text = parse(source)
        bindings, names = static_bindings(self.text.tree, source, _formulas_of(library))
        self.module = Module(source, names)
        self._found: dict[str, tuple[ast.FunctionDef, Decoration]] = {}
        self.composites: dict[str, ast.FunctionDef] = {}
        in_library = ours or Path(source.path).resolve().parent == formula_folder()
        taken: set[str] = set() if ours else {*OPERATORS, *STRUCTURAL}
        for node, decorated in _decorated(self.module, self.text, names):
            binding = signature(node, decorated.target, decorated.role == "formula")
            for_word = decorated.target is not None and by_python(decorated.target) is not None
            if in_library and decorated.role == "composite" and not for_word:
                self.composites[decorated.target or ""] = node
                continue
            operator = binding.name if for_word else operator_name(binding, taken)
            taken.add(operator)
            self._found[operator] = node, decorated
            bindings[node.name] = replace(binding, name=operator)
        self._around = enclosing_functions(self.text.tree)
        decorated_here = {node.name for node, _ in self._found.values()}
        plain = [node for node in self.text.tree.body if isinstance(node, ast.FunctionDef)]
        plain = [node for node in plain if node.name not in decorated_here]
        self.module.functions = [node.name for node in plain]
        self.module.compiled = [node.name for node in plain if is_compiled(names, node)]

    @property
    def operators(self) -> tuple[str, ...]:
        """What calls of the formulas are called, in the order of the file."""
        return tuple(self._found)

    def read(self, operator: str) -> Formula | None:
        """The formula of this operator, now also in `module`; None where it cannot be read."""
        node, decorated = self._found[operator]
        _read_into(self.module, self.text, node, decorated, self._around[node], operator)
        return self.module.operators.get(operator)


def read_module(source: Source, library: Library | None = None) -> Module:
    """Read all formulas of a file. Never raises for any text.

    Calls of functions that a formula of `library` stands for are calls of that formula.

    >>> text = "import pullback as pb\\n@pb.formula\\ndef f(x):\\n    return x * 2, lambda grad: grad * 2\\n"
    >>> list(read_module(Source("f.py", text)).formulas)
    ['f']
    >>> read_module(Source("f.py", "def f(:")).diagnostics[0].code
    'PB400'
    """
    try:
        outline = Outline(source, library)
    except Refusal as refusal:
        return Module(source, Names.of({}), diagnostics=[refusal.finding] if refusal.finding else [])
    module = outline.module
    for operator in outline.operators:
        outline.read(operator)
    for operator, why in cycles(module.operators).items():
        module.diagnostics += [why.finding] if why.finding else []
        formula = module.operators.pop(operator)
        name = next(name for name, other in module.formulas.items() if other is formula)
        module.unreadable.append(Unreadable(name, module.formulas.pop(name).span, operator))
    return module


def _formulas_of(library: Library | None) -> Callable[[str], Binding | None]:
    """Formulas of a library by the full name of the function that they stand for."""

    def find(dotted: str) -> Binding | None:
        formula = library.formula(dotted.rpartition(".")[2]) if library is not None else None
        if formula is None or dotted not in (formula.target, f"pullback.{formula.name}"):
            return None
        operands = tuple(param.var.name for param in formula.params if not param.attribute)
        attributes = tuple(param.var.name for param in formula.attributes)
        return Binding.formula(formula.name, operands, attributes, formula.results, formula.result_is_tuple)

    return find


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


def _read_into(
    module: Module,
    text: Text,
    node: ast.FunctionDef,
    decorated: Decoration,
    around: tuple[ast.FunctionDef, ...],
    operator: str,
) -> None:
    """Read one formula; of two with one name, the second is known by the functions around it and its line."""
    names = names_inside(text, module.names, around)
    reading = read_node(text, names, node, decorated.options, decorated.target)
    if decorated.role == "formula" and reading.formula is not None and reading.formula.pullback is None:
        missing = refuse(
            "PB405",
            f"`{node.name}` returns no closure",
            text.span(last_return(node) or node),
            value=node.name,
            hint="return result, pullback; or let `pb.derive_pullback` or `@pb.composite` derive it",
        )
        reading = Reading(None, (*reading.diagnostics, *([missing.finding] if missing.finding else [])))
    module.diagnostics += reading.diagnostics
    if reading.formula is None:
        module.unreadable.append(Unreadable(node.name, text.span(node), operator))
    else:
        key = node.name
        if key in module.formulas:
            key = ".".join([*(function.name for function in around), f"{node.name}:{text.span(node).line}"])
        module.formulas[key] = reading.formula
        module.operators[operator] = reading.formula
