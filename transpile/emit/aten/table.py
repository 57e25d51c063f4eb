"""Formulas as entries of PyTorch's own tables, with the C++ that they call: what a patch to PyTorch needs.

`native_functions.yaml` states the operators, `derivatives.yaml` their gradients. An entry has no hidden
outputs: what the closure captures is computed again from inputs and results, in the expression where that is
short, else in a function for FunctionsManual.cpp. PyTorch's engine reduces each gradient to its input's shape
and dtype.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from ...analysis.types import infer, types_of
from ...codes import diagnostic
from ...derivatives import Derivatives
from ...diagnostics import Diagnostic, FormulaError
from ...ir import Atom, Block, Formula, Literal, Param, Var
from ...operators import OPERATORS
from ...rewrite import rename, slice_of
from ..array_library.blocks import split_by_result, with_free_names
from ..array_library.helpers import Helpers
from ..torch.frame import Frame
from ..torch.function import live, shared_outputs
from ..torch.parts import Part, parts_of_results
from ..torch.vocabulary import torch_vocabulary
from . import schema
from .code import (
    Code,
    defined,
    fitted,
    in_row,
    indented,
    names_in,
    nested,
    statement,
    text_of,
    write,
)
from .function import OWN_NAMES, checks, function_name
from .inline import InlineExpressions, NotInline
from .module import includes
from .runtime import FUNCTIONS, needed
from .statements import Statements
from .values import COMPOUND_LIST, TENSOR, TENSORS, Expr, added, call, method, name

# Names that PyTorch's loader has for itself in an entry.
_LOADERS = frozenset({"grad", "grads", "result", "grad_input_mask", "self_p", "self_t"})
# An expression that is longer is a function.
_LONGEST = 240


class Entry(NamedTuple):
    """An operator: its entries in both tables, its kernel, and the function of its gradients or nothing."""

    native: str
    derivative: str
    kernel: list[Code]
    gradients: list[Code]


def table_files(formulas: Sequence[tuple[str, Formula]], library: Derivatives) -> dict[str, str]:
    """The text of each file by its name, of these promoted formulas by the names of their operators.

    Raises FormulaError (PB502) where ATen has no operator for something in one of them.
    """
    made: list[Entry] = []
    findings: list[Diagnostic] = []
    for operator, formula in formulas:
        try:
            made.append(_Writer(formula, operator, library).entry())
        except FormulaError as error:
            findings += error.diagnostics
    if findings:
        raise FormulaError(findings, formulas[0][1].source)
    words = "".join(c if c.isalnum() else " " for c in Path(formulas[0][1].source.path).stem).split()
    stem = "".join(word.capitalize() for word in words)
    files = {
        "native_functions.yaml": "\n".join(entry.native for entry in made),
        "derivatives.yaml": "\n".join(entry.derivative for entry in made),
        f"{stem}.cpp": _file("at::native", [entry.kernel for entry in made]),
    }
    gradients = [entry.gradients for entry in made if entry.gradients]
    if gradients:
        files["FunctionsManual.cpp"] = _file("torch::autograd::generated::details", gradients)
    return files


def _file(namespace: str, functions: Sequence[list[Code]]) -> str:
    text = "\n\n".join(map(text_of, functions))
    names = names_in(line for function in functions for line in function)
    helpers = "\n".join(FUNCTIONS[each].text for each in needed(names))
    inner = f"namespace {{\n\n{helpers}\n}}  // namespace\n\n" if helpers else ""
    body = f"namespace {namespace} {{\n\n{inner}{text}\n\n}}  // namespace {namespace}\n"
    return f"{includes(names).lstrip()}\n{body}"


class _Writer:
    def __init__(self, formula: Formula, operator: str, library: Derivatives) -> None:
        self.operator = operator
        self.written = formula
        numbered = {f"result{k}" for k in range(formula.results)}
        self.formula = with_free_names(formula, OWN_NAMES | FUNCTIONS.keys() | _LOADERS | numbered)
        if formula.barrier or formula.rules:
            what = "has no second derivative" if formula.barrier else "has a rule for an intermediate by hand"
            raise self._refusal(f"`{formula.name}` {what}, which an entry of derivatives.yaml cannot say")
        self.frame = Frame(self.formula, operator, torch_vocabulary(Helpers(())), library, _not_called)
        count = self.formula.results
        self.plain = self.formula.options.nondifferentiable
        self.several = count - len(self.plain) > 1
        names = ["result"] if count == 1 else [f"result{k}" for k in range(count)]
        self.results: dict[Var, str] = {}
        for atom, shown in zip(self.formula.forward.results, names, strict=False):
            if isinstance(atom, Var) and atom not in {param.var for param in self.formula.params}:
                self.results.setdefault(atom, shown)
        self.parts = parts_of_results(self.formula)
        if any(part.absent for part in self.parts):
            what = "reads gradients of intermediates, which no entry of derivatives.yaml has"
            raise self._refusal(f"the closure of `{formula.name}` {what}")
        self.inputs = [
            (k, param)
            for k, param in enumerate(self.formula.inputs)
            if any(isinstance(part.block.results[k], Var) for part in self.parts)
        ]

    def _refusal(self, message: str) -> FormulaError:
        written = self.written
        finding = diagnostic("PB502", message, written.span, name=written.name, hint="use --target aten")
        return FormulaError([finding], written.source)

    def entry(self) -> Entry:
        """The operator's entry."""
        signature = schema.schema(self.formula, self.operator)
        native = (
            f"- func: {signature}\n  variants: function\n  dispatch:\n"
            f"    CompositeExplicitAutograd: {function_name(self.operator)}\n"
        )
        lines = [f"- name: {signature}"]
        gradients: list[Code] = []
        try:
            if self.several:
                raise NotInline
            expressions = [(param, self._inline(k)) for k, param in self.inputs]
            lines += [f"  {param.var.name}: {quoted(text)}" for param, text in expressions]
        except NotInline:
            call, gradients = self._helper()
            lines.append(f"  {', '.join(param.var.name for _, param in self.inputs)}: {quoted(call)}")
        given = {param for _, param in self.inputs}
        for param in self.formula.params:
            if param not in given and param.var.kind in ("tensor", "list"):
                lines.append(f"  {param.var.name}: non_differentiable")
        if self.plain:
            kinds = [str(k not in self.plain) for k in range(self.formula.results)]
            lines.append(f"  output_differentiability: [{', '.join(kinds)}]")
        elif not gradients and self._is_element_wise():
            lines.append("  result: auto_element_wise")
        return Entry(native, "\n".join(lines) + "\n", self._kernel(), gradients)

    def _is_element_wise(self) -> bool:
        """True for a function of one tensor, entry by entry, whose tangent the loader can write."""
        blocks = [self.formula.forward, *(part.block for part in self.parts)]
        eqns = [eqn for block in blocks for eqn in block.every()]
        tensors = [param for param in self.formula.params if param.var.kind in ("tensor", "list")]
        free = {"sum_to", "like", "accumulate", "stop_gradient", "ones_like", "zeros_like"}
        return len(tensors) == len(self.inputs) == 1 and all(
            eqn.op in free or (eqn.op in OPERATORS and OPERATORS[eqn.op].pointwise) for eqn in eqns
        )

    # a gradient as an expression

    def _inline(self, k: int) -> str:
        """The gradient of an input as an expression of what the entry has. Raises NotInline."""
        (part,) = self.parts if len(self.parts) == 1 else (None,)
        if part is None or part.zeros[1:]:
            raise NotInline
        atom = part.block.results[k]
        block = self._with_intermediates(part, [atom])
        values: dict[Var, Expr] = {
            param.var: schema.value(param, self.formula) for param in self.formula.params
        }
        if any(param.optional for param in self.formula.params):
            raise NotInline
        values |= {var: name(shown, TENSOR) for var, shown in self.results.items()}
        values |= {self.formula.cotangents[each]: name("grad", TENSOR) for each in part.cotangents}
        types = infer(self.formula)
        known = types.pullback | types.forward
        expressions = InlineExpressions(self.formula, types_of(block.eqns, known), _not_called, values)
        last = block.eqns[-1] if block.eqns else None
        for eqn in block.eqns:
            if len(eqn.outs) != 1 or eqn.blocks:
                raise NotInline
            (out,) = eqn.outs
            if eqn is last and eqn.op == "sum_to" and out == block.results[0]:
                found = expressions.of(eqn.args[0])  # what PyTorch's engine does anyway
            else:
                found = expressions.call(eqn)
            if len(found.text) > _LONGEST:
                raise NotInline
            expressions.values[out] = found
        value = expressions.of(block.results[0])
        if value.type != TENSOR or needed(value.names) or not all(map(_is_inline, value.names)):
            raise NotInline
        return value.text

    def _with_intermediates(self, part: Part, results: Sequence[Atom]) -> Block:
        """The equations for these results, with those of the forward for what they capture."""
        wanted = [atom for atom in results if isinstance(atom, Var)]
        own = Block((), tuple(slice_of(part.block.eqns, wanted)), tuple(results))
        # The closure may call a value of its own as the forward does another one.
        there = set(self.formula.forward.bound())
        again = [var for var in own.bound() if var in there]
        block = rename(own, {var: self.frame.namer.fresh(var.name, var.kind, var.temp) for var in again})
        known = {*self.results, *(param.var for param in self.formula.params), *self.formula.cotangents}
        captured = [var for var in block.free() if var not in known]
        before = slice_of(self.formula.forward.eqns, captured, frozenset(known))
        return Block((), (*before, *block.eqns), block.results)

    # gradients as a function

    def _helper(self) -> tuple[str, list[Code]]:
        """The call of the function that computes the gradients, and its lines."""
        formula = self.formula
        lists = [param for _, param in self.inputs if param.var.kind == "list"]
        if lists and len(self.inputs) > 1:
            raise self._refusal(f"`{formula.name}` has gradients of a list beside others")
        masked = len(self.inputs) > 1
        used = set[Var]()
        for part in self.parts:
            used |= set(self._with_intermediates(part, part.block.results).free())
            zeros = [formula.forward.results[k] for k in part.zeros if self.several]
            used |= {atom for atom in zeros if isinstance(atom, Var)}
        results = {var: shown for var, shown in self.results.items() if var in used}
        arguments = ["grads" if self.several else "grad"]
        parameters = [write("at::TensorList grads" if self.several else "const at::Tensor& grad")]
        lines: list[Code] = []
        values: dict[Var, Expr] = {}
        for param in formula.params:
            if param.var in used:
                parameters.append(self._parameter(param, lines))
                arguments.append(param.var.name)
                values[param.var] = schema.value(param, formula)
        for var, shown in results.items():
            parameters.append(write("const at::Tensor& {}", shown))
            arguments.append(shown)
            values[var] = name(shown, TENSOR)
        if masked:
            parameters.append(write(f"std::array<bool, {len(self.inputs)}> grad_input_mask"))
            arguments.append("grad_input_mask")
        gradients = {
            param: self.frame.namer.fresh(f"gradient_of_{param.var.name}") for _, param in self.inputs
        }
        types = [TENSORS if param.var.kind == "list" else TENSOR for _, param in self.inputs]
        for type, var in zip(types, gradients.values(), strict=True):
            lines += statement("{} {};", type, var.name)
        for j, part in enumerate(self.parts):
            lines += self._part(part, values, gradients, more=j > 0, masked=masked)
        lines += _return([write(var.name) for var in gradients.values()])
        returned = types[0] if len(types) == 1 else f"std::tuple<{', '.join(types)}>"
        called = f"{self.operator}_backward"
        head = fitted(write("{} {}({}) {{", returned, called, in_row(parameters)), 100, 8)
        comment = f"// The gradients of `{self.written.name}`, from its inputs: to be differentiated again."
        return f"{called}({', '.join(arguments)})", [Code(comment), *head, *indented(lines), Code("}")]

    def _parameter(self, param: Param, lines: list[Code]) -> Code:
        """A parameter of a function; `lines` get what makes a tensor of an optional one."""
        if not param.optional or param.var.kind != "tensor":
            return schema.parameter(param, self.formula)
        lines += schema.unwrapped(param)
        return schema.parameter(param, self.formula, "_or_none")

    def _part(
        self, part: Part, given: Mapping[Var, Expr], gradients: Mapping[Param, Var], more: bool, masked: bool
    ) -> list[Code]:
        """The contributions of some gradients, where they are there."""
        formula = self.formula
        values = dict(given)
        lines: list[Code] = []
        for k in part.cotangents:
            shown = f"grads[{k}]" if self.several else "grad"
            if k in part.zeros and self.several:
                zeros = call("at::zeros_like", self._result(k))
                lines += defined(TENSOR, f"grad_{k}", write("{}.defined() ? {} : {}", shown, shown, zeros))
                shown = f"grad_{k}"
            values[formula.cotangents[k]] = Expr(write(shown), TENSOR)
        results = [part.block.results[k] for k, _ in self.inputs]
        block = self._without_own_names(self._with_intermediates(part, results), values, gradients)
        printer = Statements(formula, _not_called, values, values[formula.cotangents[part.cotangents[0]]])
        printer.prepare(block)
        shared, own = split_by_result(block, block.results)
        lines += printer.lines(shared)
        for j, ((_, param), eqns, atom) in enumerate(zip(self.inputs, own, block.results, strict=True)):
            if isinstance(atom, Literal) and atom.value is None:
                continue
            statements = printer.lines(eqns)
            var, type = gradients[param], TENSORS if param.var.kind == "list" else TENSOR
            made = printer.expressions.converted(printer.of(atom), type)
            if more:
                made = added(var.name, made, type).code
            statements += [*printer.comment(eqns), *statement("{} = {};", var.name, made)]
            lines += nested("if", f"grad_input_mask[{j}]", statements) if masked else statements
        if not self.several or part.zeros:
            return lines
        asked = [f"grads[{k}].defined()" for k in part.cotangents]
        return nested("if", write(" || ".join(["{}"] * len(asked)), *asked), lines)

    def _result(self, k: int) -> str:
        atom = self.formula.forward.results[k]
        assert isinstance(atom, Var)
        return self.results.get(atom, atom.name)

    def _without_own_names(
        self, block: Block, values: Mapping[Var, Expr], gradients: Mapping[Param, Var]
    ) -> Block:
        """The block whose variables are not named like parameters of the function or its gradients."""
        taken = {value.text for value in values.values()} | {var.name for var in gradients.values()}
        names = {
            var: self.frame.namer.fresh(var.name, var.kind, var.temp)
            for var in block.bound()
            if var.name in taken
        }
        return rename(block, names)

    # the kernel

    def _kernel(self) -> list[Code]:
        """The function that computes the results."""
        formula = self.formula
        outputs = list(formula.forward.results[: formula.results])
        values = {param.var: schema.value(param, formula) for param in formula.params}
        lines: list[Code] = []
        parameters = in_row([self._parameter(param, lines) for param in formula.params])
        lines += checks(self.frame, self.written, self.operator, unwrapped=True)
        block = live(Block((), formula.forward.eqns, tuple(outputs)))
        printer = Statements(formula, _not_called, values, self._beside())
        printer.prepare(block)
        lines += printer.lines(block.eqns)
        shared = set(shared_outputs(formula, outputs))
        made = []
        for k, atom in enumerate(outputs):
            value = printer.of(atom)
            output = printer.expressions.converted(value, TENSOR)
            made.append(method(value, "clone").code if k in shared else output)
        lines += _return(made)
        name = function_name(self.operator)
        head = fitted(write("{} {}({}) {{", schema.result_type(formula), name, parameters), 100, 8)
        return [*head, *indented(lines), Code("}")]

    def _beside(self) -> Code | None:
        for param in self.formula.params:
            if param.var.kind == "tensor" and not param.optional:
                return write(param.var.name)
        return write(f"{self.frame.lists[0].var.name}[0]") if self.frame.lists else None


def _return(values: Sequence[Code]) -> list[Code]:
    """The statement that returns one value, or several."""
    return statement("return {};" if len(values) == 1 else "return {{{}}};", in_row(values))


def _is_inline(name: str) -> bool:
    """True for what an expression of derivatives.yaml may name."""
    return not name.startswith(("std::", "at::k")) and name != COMPOUND_LIST


def _not_called(op: str) -> str | None:
    """No other formula is called: an entry stands alone."""
    return None


def quoted(text: str) -> str:
    """The text of an expression as YAML takes it: in quotes where it could mean something else."""
    begins = text[:1] == "(" or (text[:1].isascii() and text[:1].isalpha())
    plain = begins and not set(":#'\"").intersection(text.replace("::", ""))
    return text if plain else "'" + text.replace("'", "''") + "'"
