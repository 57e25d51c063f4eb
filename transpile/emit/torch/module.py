"""A module that needs only PyTorch: a formula, those that it calls, and the helpers that they use."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Sequence
from pathlib import Path

from ...codes import diagnostic
from ...derivatives import Derivatives, NoDerivative
from ...diagnostics import FormulaError
from ...ir import Formula
from ..array_library.helpers import Helpers, names_in
from ..array_library.imports import import_block
from ..array_library.vocabulary import Vocabulary
from .function import WIDTH, FunctionText, autograd_function, class_name_of
from .vocabulary import torch_vocabulary


def torch_module(
    formulas: Sequence[tuple[str, Formula]], library: Derivatives, helpers: Helpers, alone: bool = False
) -> str:
    """The text of a module with these promoted formulas, by the names of their functions.

    Of a module that stands `alone` torch.compile's graphs have each of these functions as one call: tracing
    into it loses the backward inside of torch.func. It imports torch._dynamo.

    Raises FormulaError (PB502) where PyTorch has no equal
    of something in one of them, or in one that it calls.
    """
    for name, formula in formulas:
        if free_name(name, helpers) != name:
            message = f"a function named `{name}` would hide what its module in PyTorch uses"
            finding = diagnostic("PB502", message, formula.span, name=name, value=name, hint="rename it")
            raise FormulaError([finding], formula.source)
    vocabulary = torch_vocabulary(helpers)
    made: dict[str, FunctionText] = {}
    names: dict[str, str] = {}
    queue: list[tuple[str, Formula]] = []

    def called(op: str) -> str | None:
        if op not in names:
            try:
                found = library.promoted(op)
            except NoDerivative:
                return None
            if any(eqn.op == op for eqn in found.forward.every()) and op not in vocabulary.formulas:
                return None
            names[op] = f"_{op.replace('.', '_')}_operator"
            queue.append((names[op], found))
        return names[op]

    queue += formulas
    public = [name for name, _ in formulas]
    for name, formula in formulas:
        if all(eqn.op != formula.name for eqn in formula.forward.every()):
            names[formula.name] = name
    while queue:
        name, formula = queue.pop(0)
        docstring = _docstring(formula) if name in public else ""
        made[name] = autograd_function(formula, name, vocabulary, library, called, docstring)
    parts = [made[name].text for name in reversed(made)]
    if alone:
        calls = ", ".join(public)
        comment = (
            "# One call in torch.compile's graphs: tracing into it loses derivatives inside of torch.func."
        )
        calls = f"[{calls}]" if len(public) > 1 else calls
        parts.append(f"{comment}\ntorch.compiler.allow_in_graph({calls})")
    read = names_in(ast.parse("\n".join(parts)))
    hidden = [made[name].with_hidden for name in reversed(made) if f"{name}_with_hidden" in read]
    return _assembled(public, [*parts, *hidden], formulas[0][1], vocabulary)


def free_name(name: str, helpers: Helpers) -> str:
    """The name of a formula's function, or another one where its module uses that for something else.

    >>> free_name("tuple", Helpers(()))
    'formula_tuple'
    """
    taken = {"torch", "math", "Any", "NamedTuple", "Sequence", *dir(builtins), *helpers.names}
    class_name = class_name_of(name)
    hides = name in taken or class_name in helpers.names or class_name == name
    return f"formula_{name}" if hides else name


def _assembled(public: Sequence[str], parts: Sequence[str], first: Formula, vocabulary: Vocabulary) -> str:
    used = names_in(ast.parse("\n\n\n".join(parts)))
    helpers = vocabulary.helpers.needed(used)
    imports = ["from __future__ import annotations", *vocabulary.helpers.imports(helpers, used | {"torch"})]
    imports += ["import math"] if "math" in used else []
    text = vocabulary.helpers.text(helpers, WIDTH)
    head = f'"""{", ".join(public)}: with derivatives of every order. From {Path(first.source.path).name}."""'
    start = f"{head}\n\n{import_block(imports)}"
    return "\n\n\n".join(part for part in (start, text, *parts) if part) + "\n"


def _docstring(formula: Formula) -> str:
    """The author's, or a line of its own."""
    try:
        node = next(
            node
            for node in ast.walk(ast.parse(formula.source.text))
            if isinstance(node, ast.FunctionDef) and node.name == formula.name
        )
    except (SyntaxError, StopIteration):
        return f"The operator of {formula.span}."
    found = ast.get_docstring(node)
    if found is None:
        return f"The operator of {Path(formula.span.path).name}:{formula.span.line}."
    lines = found.split("\n")
    return (
        lines[0]
        if len(lines) == 1
        else "\n".join([lines[0], *(f"    {line}" if line else "" for line in lines[1:]), "    "])
    )
