"""An entry of the table as a formula: its forward, the closure of its gradients, and its forward mode."""

from __future__ import annotations

import ast
import keyword
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .building import build, name
from .expression import rewritten
from .notes import Notes
from .scope import Scope, python_name
from .signature import Parameter, parameters, signature
from .table import Entry, Variant

# Functions of Python that the text of formulas calls.
USED = ("complex", "isinstance", "len", "range")
# A gradient of zeros is none: the closure says None.
ZEROS = re.compile(r"^(at::)?zeros(_like|_symint)?\([^()]*(\(\)[^()]*)*\)$")


@dataclass
class Written:
    """The functions of one variant of an entry, and what their text needs.

    name       the name of the formula
    schema     the schema of the operator
    functions  its definitions, the formula last
    helpers    functions that are imported
    modules    modules that are imported
    formulas   how many formulas of the table stand in it
    notes      what its docstring says below the schema
    """

    name: str
    schema: str
    functions: list[ast.FunctionDef] = field(default_factory=list)
    helpers: set[str] = field(default_factory=set)
    modules: set[str] = field(default_factory=set)
    formulas: int = 0
    notes: Notes = field(default_factory=Notes)


def formula_name(entry: Entry, variant: Variant) -> str:
    """The name of the formula: `add_Tensor`, `sum_AutogradNestedTensor`."""
    base = entry.name.replace(".", "_")
    base = f"{base}_" if base in USED else base
    return base if variant.key == "Default" else f"{base}_{variant.key}"


def written_formula(entry: Entry, variant: Variant, functions: Mapping[str, Sequence[Any]]) -> Written:
    """The formula of a variant. Raises NotImported where no rule is about a part of it."""
    return FormulaWriter(entry, variant, functions).written()


class FormulaWriter:
    """The formula of a variant of an entry, and the names that its texts may use."""

    def __init__(self, entry: Entry, variant: Variant, functions: Mapping[str, Sequence[Any]]) -> None:
        self.entry = entry
        self.variant = variant
        self.functions = functions
        self.parameters = parameters(entry.function)
        self.tensors = [parameter for parameter in self.parameters if parameter.tensor]
        self.results = _result_names(entry.function)
        self.many = len(self.results) > 1
        self.listed = any("[" in str(result.type) for result in entry.function.func.returns)
        self.in_place = entry.function.func.kind().name == "inplace"
        self.foreach = entry.name.startswith("_foreach_")
        self.out = Written(formula_name(entry, variant), entry.schema)
        self.gradients = self._gradient_names()

    def written(self) -> Written:
        if self.variant.forward:
            self.out.functions.append(self._tangents())
        self.out.functions.append(self._formula())
        self.out.formulas = len(self.variant.backward) + len(self.variant.forward)
        self.out.notes = self._notes()
        return self.out

    def _notes(self) -> Notes:
        zeros = {
            given: ast.unparse(ast.fix_missing_locations(self.gradient(text, names)))
            for names, text in self.variant.backward.items()
            if ZEROS.match(text)
            for given in names
        }
        where = next((known for known in self.entry.outputs if isinstance(known, str)), "")
        return Notes(zeros, self.variant.plain, where)

    # The formula and its closure

    def _formula(self) -> ast.FunctionDef:
        results: ast.expr = _tuple(self.results)
        closure = self._closure()
        body: list[ast.stmt] = [
            _assign(
                results, self.call({parameter.name: name(parameter.name) for parameter in self.parameters})
            ),
            closure,
            ast.Return(ast.Tuple([results, name(closure.name)], ast.Load())),
        ]
        if any(isinstance(node, ast.Name) and node.id == "original_self" for node in ast.walk(closure)):
            body.insert(0, _assign(name("original_self"), build("aten.clone(self)")))
        made = ast.FunctionDef(self.out.name, signature(self.parameters), body, [self._decorator()])
        return ast.fix_missing_locations(made)

    def _decorator(self) -> ast.expr:
        keywords = []
        plain = self._without_gradient()
        if plain:
            positions = ast.Tuple([ast.Constant(index) for index in plain], ast.Load())
            keywords.append(ast.keyword("nondifferentiable", positions))
        if self.variant.forward:
            keywords.append(ast.keyword("jvp", name(f"{self.out.name}_tangent")))
        decorator = build("pb.formula")
        return ast.Call(decorator, [], keywords) if keywords else decorator

    def _without_gradient(self) -> list[int]:
        """The results without a gradient: said so, or all behind the first where only `grad` is used."""
        if self.entry.outputs:
            return [index for index, known in enumerate(self.entry.outputs) if known is False]
        if self.many and self._uses("grad"):
            return list(range(1, len(self.results)))
        return []

    def call(self, values: Mapping[str, ast.expr]) -> ast.expr:
        """ATen's own function for these arguments."""
        base, _, overload = self.entry.name.partition(".")
        spelled = bool(overload) and not keyword.iskeyword(overload)
        function = build(f"aten.{base}.{overload}" if spelled else f"aten.{base}")
        made = ast.Call(function, [], [])
        for parameter in self.parameters:
            if parameter.by_name:
                made.keywords.append(ast.keyword(parameter.written, values[parameter.name]))
            else:
                made.args.append(values[parameter.name])
        return made

    def _closure(self) -> ast.FunctionDef:
        arguments = ast.arguments([], [ast.arg(given) for given in self.gradients], None, [], [], None, [])
        body: list[ast.stmt] = []
        found: dict[str, ast.expr] = {}
        for names, text in self.variant.backward.items():
            if ZEROS.match(text):
                continue
            expression = self.gradient(text, names)
            if len(names) == 1:
                found[names[0]] = self._where_given(names[0], expression)
                continue
            local = {given: self._local(f"grad_{given}") for given in names}
            body.append(_assign(_tuple(list(local.values())), expression))
            found |= {given: name(text) for given, text in local.items()}
        if len(self.tensors) > 1:
            for given, expression in found.items():
                if not _is_simple(expression):
                    local_name = self._local(f"grad_{given}")
                    body.append(_assign(name(local_name), expression))
                    found[given] = name(local_name)
        gradients = [found.get(parameter.written, ast.Constant(None)) for parameter in self.tensors]
        returned = gradients[0] if len(gradients) == 1 else ast.Tuple(gradients, ast.Load())
        return ast.FunctionDef(f"{self.out.name}_pullback", arguments, [*body, ast.Return(returned)], [])

    def _where_given(self, written: str, gradient: ast.expr) -> ast.expr:
        """No gradient of an optional input that is not there: PyTorch does not ask for it."""
        if not any(
            parameter.written == written and parameter.type == "Tensor?" for parameter in self.tensors
        ):
            return gradient
        return build(
            "None if INPUT is None else GRADIENT", INPUT=name(python_name(written)), GRADIENT=gradient
        )

    def _local(self, wanted: str) -> str:
        """A name for a gradient that is no argument's, result's or other gradient's."""
        taken = {parameter.name for parameter in self.parameters} | {*self.results, *self.gradients}
        return wanted if wanted not in taken else f"{wanted}_"

    def gradient(self, text: str, names: tuple[str, ...]) -> ast.expr:
        """The Python of a formula for gradients, and what its text needs."""
        types = {parameter.written: parameter.type for parameter in self.parameters}
        if self.listed:
            types["grads"] = "Tensor[]"
        renamed = {"self": "original_self"} if self.in_place else {}
        scope = Scope(types, self.functions, renamed, self.gradients, tuple(map(python_name, names)))
        expression = rewritten(text, scope)
        self._needs(scope)
        return build("[EACH for i in range(len(grads))]", EACH=expression) if self.foreach else expression

    def _gradient_names(self) -> list[str]:
        """The closure's parameters, one per result."""
        if not self.many:
            return ["grads" if self.listed else "grad"]
        taken = {parameter.name for parameter in self.parameters}
        names = [f"grad_{result}" + "_" * (f"grad_{result}" in taken) for result in self.results]
        return ["grad", *names[1:]] if self._uses("grad") else names

    def _uses(self, word: str) -> bool:
        return any(re.search(rf"\b{word}\b", text) for text in self.variant.backward.values())

    # The rule for forward mode

    def _tangents(self) -> ast.FunctionDef:
        differentiable = self.differentiable
        primal: dict[str, ast.expr] = {
            parameter.name: name(f"{parameter.written}_p" if self._is_dual(parameter) else parameter.name)
            for parameter in self.parameters
        }
        body: list[ast.stmt] = []
        found: dict[str, ast.expr] = {}
        for names, text in self.variant.forward.items():
            expression = self.tangent(self.variant.written_out.get(names, text))
            if len(names) == 1:
                found[names[0]] = expression
            elif names == tuple(self.results):
                body.append(ast.Return(expression))
            else:
                body.append(_assign(_tuple([f"{given}_t" for given in names]), expression))
                found |= {given: name(f"{given}_t") for given in names}
        if not body or not isinstance(body[-1], ast.Return):
            tangents = [found.get(given, ast.Constant(None)) for given in self.results]
            body.append(ast.Return(tangents[0] if len(tangents) == 1 else ast.Tuple(tangents, ast.Load())))
        body = [*self._before(body, primal, differentiable), *body]
        return self._tangent_function(body, differentiable)

    @property
    def differentiable(self) -> set[str]:
        """The inputs with a formula, that of zeros too."""
        return {given for names in self.variant.backward for given in names}

    def _is_dual(self, parameter: Parameter) -> bool:
        return parameter.tensor and parameter.written in self.differentiable

    def tangent(self, text: str) -> ast.expr:
        """The Python of a rule for forward mode, and what its text needs."""
        renamed: dict[str, str] = {}
        types: dict[str, str] = {}
        duals = set()
        for parameter in self.parameters:
            written = parameter.written
            types[written] = types[f"{written}_p"] = types[f"{written}_t"] = parameter.type
            if self._is_dual(parameter):
                place = "[i]" if self.foreach and parameter.listed else ""
                renamed |= {f"{written}_{kind}": f"{written}_{kind}{place}" for kind in "pt"}
                if parameter.listed and not self.foreach:
                    duals.add(written)
        scope = Scope(types, self.functions, renamed, (), (), frozenset(duals))
        expression = rewritten(text, scope)
        self._needs(scope)
        return build("[EACH for i in range(len(result))]", EACH=expression) if self.foreach else expression

    def _before(
        self, body: Sequence[ast.stmt], primal: Mapping[str, ast.expr], differentiable: set[str]
    ) -> list[ast.stmt]:
        """The values that a rule reads beside its arguments: results, inputs written over, zeros."""
        read = {node.id for statement in body for node in ast.walk(statement) if isinstance(node, ast.Name)}
        before: list[ast.stmt] = []
        if "original_self_p" in read:
            before.append(_assign(name("original_self_p"), build("aten.clone(self_p)")))
        if "original_self_t" in read:
            before.append(_assign(name("original_self_t"), build("aten.clone(self_t)")))
        written = {parameter.name for parameter in self.parameters if parameter.mutable} - {"self"}
        if not read.isdisjoint({*self.results, *written}):
            results = [result if result in read else f"_{result}" for result in self.results]
            before.append(_assign(_tuple(results), self.call(primal)))
        inputs = [p for p in self.tensors if p.written in differentiable]
        for given in (p.written for p in inputs if len(inputs) > 1):
            if f"{given}_t" in read:
                self.out.helpers.add("tangent")
                before.append(_assign(name(f"{given}_t"), build(f"tangent({given}_t, {given}_p)")))
        return before

    def _tangent_function(self, body: list[ast.stmt], differentiable: set[str]) -> ast.FunctionDef:
        values = [parameter for parameter in self.parameters if not parameter.tensor]
        primals = [p.written + "_p" if p.written in differentiable else p.name for p in self.tensors]
        tangents = [f"{p.written}_t" for p in self.tensors]
        arguments = ast.arguments(
            [],
            [ast.arg(given) for given in (*primals, *tangents)],
            None,
            [ast.arg(parameter.name) for parameter in values],
            [None for _ in values],
            None,
            [],
        )
        made = ast.FunctionDef(f"{self.out.name}_tangent", arguments, body, [])
        return ast.fix_missing_locations(made)

    def _needs(self, scope: Scope) -> None:
        self.out.helpers |= scope.helpers
        self.out.modules |= scope.modules


def _result_names(function: Any) -> list[str]:
    """The names of the results, as the table calls them."""
    from torchgen.api.cpp import return_names

    return [python_name("result" if found == "self" else found) for found in return_names(function)]


def _tuple(names: Sequence[str]) -> ast.expr:
    if len(names) == 1:
        return name(names[0])
    return ast.Tuple([name(given) for given in names], ast.Load())


def _assign(target: ast.expr, value: ast.expr) -> ast.Assign:
    return ast.Assign([target], value)


def _is_simple(expression: ast.expr) -> bool:
    return isinstance(expression, ast.Name | ast.Constant)
