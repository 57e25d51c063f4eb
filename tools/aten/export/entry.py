"""An operator's formula as the lines of an entry of the table.

Each line is read back by the import, and compared with the formula that it was made of: what does not come
back is refused.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pullback.transpile.emit.aten.values import BITS

from ..building import name
from ..errors import NotImported
from ..scope import python_name
from ..signature import Parameter
from ..table import NON_DIFFERENTIABLE, Entry, Variant
from ..writer import FormulaWriter
from .automatic import automatic
from .comparing import same
from .errors import NotExported
from .expression import written
from .folding import Function, Part, Values, part_of, unpacked
from .operators import Operator
from .scope import Scope, operator
from .types import TUPLE
from .values import Expr

Lines = dict[tuple[str, ...], str]


@dataclass(frozen=True)
class Exported:
    """An operator's part of an entry.

    schema   as `name:` has it
    lines    the formulas by their keys: inputs, and results
    outputs  `output_differentiability`, or nothing
    """

    schema: str
    lines: Lines
    outputs: tuple[bool | str, ...]


@dataclass(frozen=True)
class _Line:
    """A formula, the inputs or results it is for, and the expression that it was made of."""

    keys: tuple[str, ...]
    expression: ast.expr


def exported(given: Operator, function: Any, functions: Mapping[str, Sequence[Any]]) -> Exported:
    """The part of an entry. Raises NotExported at what the table cannot say."""
    return _Exporter(given, function, functions).exported()


class _Exporter:
    def __init__(self, given: Operator, function: Any, functions: Mapping[str, Sequence[Any]]) -> None:
        self.given = given
        self.function = function
        self.functions = functions
        self.empty = self._writer({}, {})
        self.parameters = self.empty.parameters
        self.tensors = self.empty.tensors
        self.results = self.empty.results
        self.gradients: list[str] = []
        self.ran = False

    def _writer(self, backward: Lines, forward: Lines, outputs: tuple[bool | str, ...] = ()) -> FormulaWriter:
        variant = Variant("Default", backward, forward, {}, ())
        name_of = self.given.schema.partition("(")[0]
        entry = Entry(name_of, self.given.schema, self.function, outputs, (variant,))
        return FormulaWriter(entry, variant, self.functions)

    def exported(self) -> Exported:
        self._check_parameters()
        closure, body = self._closure()
        gradients = self._gradients(closure, body)
        zeros, plain = self._without(gradients)
        gradients += zeros
        backward: Lines = {line.keys: self._backward(line) for line in gradients}
        outputs = self._outputs(backward)
        writer = self._writer(backward, {}, outputs)
        for line in gradients:
            self._compare(line, lambda text, keys: writer.gradient(text, keys), backward[line.keys])
        lines = backward | {(each,): NON_DIFFERENTIABLE for each in plain}
        return Exported(self.given.schema, lines | self._forward(writer, gradients), outputs)

    # the function around the closure

    def _check_parameters(self) -> None:
        arguments = self.given.function.args
        tensors = [each.arg for each in arguments.args]
        found = [*tensors, *(each.arg for each in arguments.kwonlyargs)]
        wanted = [each.name for each in self.tensors]
        wanted += [each.name for each in self.parameters if not each.tensor]
        if sorted(found) != sorted(wanted) or tensors != wanted[: len(self.tensors)]:
            raise NotExported(
                "the parameters are not those of the schema",
                self.given.function,
                f"write def {self.given.function.name}({', '.join(wanted)})",
            )

    def _closure(self) -> tuple[list[str], ast.expr]:
        """The names of the closure's parameters, and what it returns."""
        given = self.given.function
        call = ast.unparse(self.empty.call({each.name: name(each.name) for each in self.parameters}))
        function = Function({}, lambda value: self._known(value, call, ""))
        returned = function.returned(given.body, given)
        wrong = "write return result, closure, with what aten's own function gives for the result"
        if not isinstance(returned, ast.Tuple) or len(returned.elts) != 2:
            raise NotExported("a formula returns its results and its closure", returned, wrong)
        results, closure = returned.elts
        found = [
            ast.unparse(each) for each in (results.elts if isinstance(results, ast.Tuple) else [results])
        ]
        if found != self.results:
            raise NotExported(
                f"the results are those of the operator itself in an entry: `{call}`",
                results,
                f"write result = {call}",
            )
        names: ast.arguments
        body: list[ast.stmt]
        place: ast.AST
        if isinstance(closure, ast.Lambda):
            names, body, place = closure.args, [ast.copy_location(ast.Return(closure.body), closure)], closure
        elif isinstance(closure, ast.Name) and closure.id in function.inner:
            inner = function.inner[closure.id]
            names, body, place = inner.args, inner.body, inner
        else:
            raise NotExported("a formula returns its results and its closure", closure, wrong)
        parameters = [each.arg for each in names.args]
        if len(parameters) != len(self.results):
            wanted = ", ".join(self.empty.gradients)
            raise NotExported("the closure has a parameter for each result", place, f"write {wanted}")
        self.gradients = self._gradient_names(parameters)
        values: Values = {**function.names}
        values |= {each: name(own) for each, own in zip(parameters, self.gradients, strict=True)}
        return parameters, Function(values, lambda value: None).returned(body, place)

    def _known(self, value: ast.expr, call: str, suffix: str) -> list[str] | None:
        """The names that a formula gives to what an entry has: the results, and what is written over."""
        text = ast.unparse(value)
        if text == call:
            self.ran = True
            return list(self.results)
        if self.empty.in_place and text == f"aten.clone(self{suffix})":
            if self.ran:
                hint = "clone it before the operator writes over it"
                raise NotExported("an entry has of what is written over the value before", value, hint)
            return [f"original_self{suffix}"]
        return None

    def _gradient_names(self, parameters: Sequence[str]) -> list[str]:
        """The names that the import gives to the closure's parameters."""
        named = self.empty.gradients
        if len(named) == 1:
            return list(named)
        rest = set(range(1, len(named)))
        alone = parameters[0] != named[0] and rest <= set(self.given.plain)
        return ["grad", *named[1:]] if alone else list(named)

    # gradients

    def _gradients(self, parameters: Sequence[str], returned: ast.expr) -> list[_Line]:
        """The formulas of gradients, in the order in which they stand."""
        many = len(self.tensors) != 1
        values = returned.elts if many and isinstance(returned, ast.Tuple) else [returned]
        if len(values) != len(self.tensors):
            if not many or not isinstance(returned, ast.Call | ast.IfExp):
                raise NotExported(
                    f"the closure returns a gradient for each of {len(self.tensors)} tensors",
                    returned,
                    f"return one for each of {', '.join(each.name for each in self.tensors)}, or None",
                )
            values = unpacked(returned, len(self.tensors))
        pairs = [pair for pair in zip(self.tensors, values, strict=True) if not _is_none(pair[1])]
        return _lines([(each.written, self._where_given(each, value)) for each, value in pairs])

    def _where_given(self, parameter: Parameter, value: ast.expr) -> ast.expr:
        """The gradient without the test that the optional input is there: PyTorch asks for no other."""
        absent = f"{parameter.name} is None"
        if parameter.type != "Tensor?" or not isinstance(value, ast.IfExp) or not _is_none(value.body):
            return value
        return value.orelse if ast.unparse(value.test) == absent else value

    def _without(self, gradients: Sequence[_Line]) -> tuple[list[_Line], list[str]]:
        """The gradients of zeros, and the inputs that are called non-differentiable."""
        there = {key for line in gradients for key in line.keys}
        notes = self.given.notes
        zeros = {each: text for each, text in notes.zeros.items() if each not in there}
        if self.given.tangent is not None:
            primals = {each.arg for each in self.given.tangent.args.args[: len(self.tensors)]}
            for each in self.tensors:
                if each.written not in there and f"{each.written}_p" in primals:
                    zeros.setdefault(each.written, f"aten.zeros_like({self._primal_name(each)})")
        lines = [_Line((each,), self._noted(text)) for each, text in zeros.items()]
        return lines, [each for each in notes.plain if each not in there and each not in zeros]

    def _primal_name(self, parameter: Parameter) -> str:
        return "original_self" if self.empty.in_place and parameter.name == "self" else parameter.name

    def _noted(self, text: str) -> ast.expr:
        """The expression of a note, which stands where the formula's docstring does."""
        place = self.given.function
        try:
            made = ast.parse(text, mode="eval").body
        except SyntaxError as error:
            hint = "write Zeros: self = aten.zeros_like(grad)"
            raise NotExported(f"`{text}` is no expression", place, hint) from error
        for node in ast.walk(made):
            ast.copy_location(node, place)
        return made

    def _backward(self, line: _Line) -> str:
        expression = _each(line.expression) if self.empty.foreach else line.expression
        made = written(expression, self._scope(line.keys))
        if len(line.keys) > 1 and made.type == TUPLE and self.gradients[0] == "grad":
            nothing = f"std::tuple<{', '.join('Tensor' for _ in line.keys)}>()"
            return f"grad.defined() ? {made.within(BITS)} : {nothing}"
        if self._is_list(line) and operator(expression) and self.gradients[0] == "grad":
            # The loader writes this test itself for a tensor, and not for a list.
            return f"grad.defined() ? {made.text} : std::vector<Tensor>({line.keys[0]}.size())"
        return made.text

    def _is_list(self, line: _Line) -> bool:
        """True for the formula of one input that is a list of tensors."""
        return any((each.written,) == line.keys for each in self.tensors if each.listed)

    def _scope(self, keys: Sequence[str]) -> Scope:
        names = {each.name: Expr(each.written, each.type) for each in self.parameters}
        names |= {each: Expr(each, str(kind.type)) for each, kind in self._returns()}
        names |= dict(zip(self.gradients, self._gradient_texts(), strict=True))
        if self.empty.in_place:
            names["original_self"] = names.pop("self")
        if self.empty.foreach:
            names["i"] = Expr("i", "int")
        return Scope(
            names,
            self.functions,
            {},
            self.gradients,
            tuple(map(python_name, keys)),
            helpers=self.given.helpers,
        )

    def _returns(self) -> list[tuple[str, Any]]:
        return list(zip(self.results, self.function.func.returns, strict=True))

    def _gradient_texts(self) -> list[Expr]:
        """The names in the table of the gradients of results: `grad`, `grad_values`, `grads[1]`."""
        returns = self.function.func.returns
        if len(returns) == 1:
            return [Expr(self.gradients[0], str(returns[0].type))]
        named = all(result.name is not None for result in returns)
        texts = [f"grad_{result.name}" if named else f"grads[{k}]" for k, result in enumerate(returns)]
        if self.gradients[0] == "grad":
            texts[0] = "grad"
        return [Expr(text, str(result.type)) for text, result in zip(texts, returns, strict=True)]

    def _outputs(self, backward: Lines) -> tuple[bool | str, ...]:
        """`output_differentiability`; of a formula of `grad` the results behind the first are not, unsaid."""
        if self.given.notes.where:
            return (self.given.notes.where,)
        plain = self.given.plain
        if not plain or self._writer(backward, {})._without_gradient() == list(plain):
            return ()
        return tuple(k not in plain for k in range(len(self.results)))

    # forward mode

    def _forward(self, writer: FormulaWriter, gradients: Sequence[_Line]) -> Lines:
        tangent = self.given.tangent
        if tangent is None:
            return {}
        dual = [each for each in self.tensors if each.written in writer.differentiable]
        primals = [f"{each.written}_p" if each in dual else each.name for each in self.tensors]
        tangents = [f"{each.written}_t" for each in self.tensors]
        parameters = [each.arg for each in tangent.args.args]
        if len(parameters) != 2 * len(self.tensors):
            raise NotExported(
                "a rule for forward mode has the tensors, and then their tangents",
                tangent,
                f"write {', '.join(primals)}",
            )
        tangents = [f"{each.written}_t" for each in self.tensors]
        values: Values = {
            each: name(own)
            for each, own in zip(parameters, [*primals, *tangents], strict=True)
            if each != own
        }
        by_name = dict(zip((each.name for each in self.tensors), primals, strict=True))
        call = ast.unparse(
            self.empty.call({each.name: name(by_name.get(each.name, each.name)) for each in self.parameters})
        )

        def known(value: ast.expr) -> list[str] | None:
            if isinstance(value, ast.Call) and ast.unparse(value.func) == "tangent":
                return [ast.unparse(value.args[0])]
            return self._known(value, call, "_p") or self._known(value, call, "_t")

        self.ran = False
        returned = Function(values, known).returned(tangent.body, tangent)
        lines = self._tangents(returned)
        found: Lines = {}
        for line in lines:
            found[line.keys] = self._tangent(line, lines, dual, writer, gradients)
        return found

    def _tangents(self, returned: ast.expr) -> list[_Line]:
        if len(self.results) == 1:
            values = [returned]
        elif isinstance(returned, ast.Tuple) and len(returned.elts) == len(self.results):
            values = returned.elts
        else:
            return [_Line(tuple(self.results), returned)]
        return _lines([pair for pair in zip(self.results, values, strict=True) if not _is_none(pair[1])])

    def _tangent(
        self,
        line: _Line,
        lines: Sequence[_Line],
        dual: Sequence[Parameter],
        writer: FormulaWriter,
        gradients: Sequence[_Line],
    ) -> str:
        if len(lines) == len(line.keys) == 1:
            backward = gradients[0] if len(gradients) == 1 else None
            found = automatic(line.expression, writer, None if backward is None else backward.expression)
            if found is not None:
                return found
        names = {each.name: Expr(each.written, each.type) for each in self.parameters if each not in dual}
        names |= {each: Expr(each, str(kind.type)) for each, kind in self._returns()}
        elements: dict[str, Expr] = {}
        for each in dual:
            for kind in ("p", "t"):
                spelled = f"{each.written}_{kind}"
                if self.empty.foreach and each.listed:
                    elements[spelled] = Expr(spelled, "Tensor")
                elif not each.listed:
                    names[spelled] = Expr(spelled, "Tensor")
        if self.empty.in_place:
            names |= {f"original_self_{kind}": Expr(f"original_self_{kind}", "Tensor") for kind in "pt"}
        if self.empty.foreach:
            names["i"] = Expr("i", "int")
        lists = frozenset(each.written for each in dual if each.listed and not self.empty.foreach)
        scope = Scope(names, self.functions, elements, duals=lists, helpers=self.given.helpers)
        expression = _each(line.expression) if self.empty.foreach else line.expression
        text = written(expression, scope).text
        self._compare(line, lambda each, keys: writer.tangent(each), text)
        return text

    def _compare(self, line: _Line, again: Callable[[str, tuple[str, ...]], ast.expr], text: str) -> None:
        """Refuse a text that the import does not read as the formula."""
        try:
            read = again(text, line.keys)
        except NotImported as error:
            raise NotExported(f"the import cannot read `{text}`: {error}", line.expression, _AGAIN) from error
        if not same(read, line.expression):
            message = f"the table reads `{text}` as `{ast.unparse(ast.fix_missing_locations(read))}`"
            raise NotExported(message, line.expression, _AGAIN)


_AGAIN = "write it so, or say what is meant with other functions of ATen"


def _lines(keyed: Sequence[tuple[str, ast.expr]]) -> list[_Line]:
    """A formula for each value, in the order of the text; parts of one value have one together."""
    wholes: dict[object, list[tuple[Part, str, ast.expr]]] = {}
    found = []
    for key, value in keyed:
        part = part_of(value)
        if part is not None:
            wholes.setdefault(part.whole, []).append((part, key, value))
        else:
            found.append(_Line((key,), value))
    for parts in wholes.values():
        ordered = sorted(parts, key=lambda each: each[0].index)
        first = ordered[0][2]
        assert isinstance(first, ast.Subscript)
        if [part.index for part, _, _ in ordered] == list(range(ordered[0][0].count)):
            found.append(_Line(tuple(key for _, key, _ in ordered), first.value))
        else:
            found += [_Line((key,), value) for _, key, value in ordered]
    return sorted(
        found,
        key=lambda line: (getattr(line.expression, "lineno", 0), getattr(line.expression, "col_offset", 0)),
    )


def _each(expression: ast.expr) -> ast.expr:
    """The formula for an element of `[formula for i in range(len(grads))]`."""
    if isinstance(expression, ast.ListComp) and ast.unparse(expression.generators[0].target) == "i":
        return expression.elt
    raise NotExported(
        "the formula of a `_foreach_` function is for each element",
        expression,
        "write [... for i in range(len(grads))], in a rule for forward mode range(len(result))",
    )


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None
