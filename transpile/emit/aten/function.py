"""A promoted formula as a struct of `torch::autograd::Function`, and the function that calls it.

The forward returns results, hidden outputs and masks; what the backward reads is saved by
`save_for_backward`, so that a gradient which flows into a hidden output arrives at the backward that made
it. Arguments come in the order tensors, lists, optional tensors, attributes: `needs_input_grad` counts the
tensors that are there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ...codes import diagnostic
from ...derivatives import Derivatives
from ...diagnostics import FormulaError
from ...ir import Atom, Block, Formula, Literal, Param, Var
from ...passes.promote.recompute import recompute_indices
from ...rewrite import rename
from ..array_library.blocks import Called, nested_results, split_by_result, with_free_names
from ..array_library.helpers import Helpers
from ..cpp.lines import indented
from ..torch.frame import Frame
from ..torch.function import live, shared_outputs
from ..torch.operands import computed_with
from ..torch.parts import Part
from ..torch.vocabulary import torch_vocabulary
from . import schema
from .runtime import FUNCTIONS
from .statements import Statements, fitted
from .values import (
    INTS,
    NONE,
    PARTS,
    TENSOR,
    TENSORS,
    Expr,
    added,
    declared,
    name,
    packed,
    quoted,
    unpacked,
)

# Names that the text of a struct uses besides those of the formula, and keywords of C++.
_WORDS = """
    alignas alignof and and_eq asm auto bitand bitor bool break case catch char class compl concept const
    consteval constexpr constinit const_cast continue co_await co_return co_yield decltype default delete do
    double dynamic_cast else enum explicit export extern false float for friend goto if inline int long
    mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public register
    reinterpret_cast requires return short signed sizeof static static_assert static_cast struct switch
    template this thread_local throw true try typedef typeid typename union unsigned using virtual void
    volatile wchar_t while xor xor_eq NULL EOF errno
    at c10 std torch ctx saved grads outputs made forward backward apply variable_list AutogradContext
"""
OWN_NAMES = frozenset(_WORDS.split())


class Struct(NamedTuple):
    """The text of a struct, of the function that calls it, and its schema."""

    text: str
    function: str
    schema: str


def struct_name(function: str) -> str:
    """The name of the struct of a function."""
    name = "".join(part[:1].upper() + part[1:] for part in function.split("_"))
    return f"{name}Operator" if name in FUNCTIONS or not name or name[0].isdigit() else name


def function_name(formula: str) -> str:
    """The name in C++ of the function of a formula."""
    return f"{formula}_operator" if formula in FUNCTIONS or formula in OWN_NAMES else formula


def autograd_struct(
    formula: Formula, function: str, library: Derivatives, called: Called, reserved: frozenset[str]
) -> Struct:
    """The text of a promoted formula. Raises FormulaError (PB502) where ATen has no equal of something."""
    written = formula
    name = struct_name(function)
    formula = with_free_names(recompute_indices(formula), OWN_NAMES | FUNCTIONS.keys() | reserved)
    frame = Frame(formula, function, torch_vocabulary(Helpers(())), library, called)
    made = _Struct(frame)
    head = f"struct {name} : torch::autograd::Function<{name}> {{"
    lines = [head, *indented(made.forward()), "", *indented(made.backward()), "};"]
    return Struct(
        "\n".join([f"// The derivative of `{written.name}`, right to every order.", *lines]),
        "\n".join(_function(frame, written, function)),
        schema.schema(written, function),
    )


class _Struct:
    def __init__(self, frame: Frame) -> None:
        self.frame = frame
        self.formula = frame.formula
        self.attributes = [param for param in frame.single if param.var.kind != "tensor"]
        tensors = [param for param in frame.single if param.var.kind == "tensor"]
        self.tensors = [param for param in tensors if not param.optional]
        self.optional = [param for param in tensors if param.optional]
        self.arguments = [*self.tensors, *frame.lists, *self.optional, *self.attributes]
        self.types: dict[Var, str] = {}  # of what is saved
        results = [part.block.results for part in frame.parts.all()]
        self.inputs = [
            param
            for k, param in enumerate(self.formula.inputs)
            if any(isinstance(found[k], Var) for found in results)
        ]
        self.cotangents = [var.name for var in self.formula.cotangents]
        self.gradients = {param: self._gradient(param) for param in self.inputs}
        self.likes = {k for part in frame.parts.all() for k in (*part.zeros, *part.absent)}

    def _gradient(self, param: Param) -> Var:
        taken = {*self.cotangents, *(var.name for var in self.frame.reads)}
        wanted = f"grad_{param.var.name}"
        if wanted in taken:
            return self.frame.namer.fresh(wanted, param.var.kind)
        return Var(wanted, param.var.kind)

    # forward

    def forward(self) -> list[str]:
        """``static variable_list forward(AutogradContext* ctx, ...)``."""
        frame, formula = self.frame, self.formula
        for atom in frame.results:
            if isinstance(atom, Literal) or atom.kind != "tensor":
                message = f"a result of `{formula.name}` is no tensor but {atom}"
                hint = "return an array: np.asarray makes one of a number, np.stack of a list"
                raise FormulaError(
                    [diagnostic("PB502", message, formula.span, name=formula.name, hint=hint)], formula.source
                )
        parameters = [schema.parameter(param, formula) for param in self.arguments]
        lines = []
        for param in self.optional:
            shown = param.var.name
            place = self.arguments.index(param)
            parameters[place] += "_or_none"
            lines.append(f"const at::Tensor {shown} = {shown}_or_none.value_or(at::Tensor());")
        signature = ", ".join(["AutogradContext* ctx", *parameters])
        printer = Statements(
            formula,
            frame.called,
            {param.var: schema.value(param, formula) for param in formula.params},
            self._first_tensor(),
        )
        outputs: list[Atom] = [*frame.results, *frame.masks]
        values = list(frame.values)
        block = live(Block((), formula.forward.eqns, (*outputs, *frame.saved, *values)))
        printer.prepare(block)
        lines += printer.lines(block.eqns)
        shared = set(shared_outputs(formula, outputs))
        constants = {*formula.options.nondifferentiable, *range(len(frame.results), len(outputs))}
        given = {param.var for param in formula.params}
        made: list[str] = []
        for k, atom in enumerate(outputs):
            assert isinstance(atom, Var)
            value = printer.of(atom)
            text = printer.expressions.converted(value, TENSOR)
            if k in shared:
                text = f"{value.within(0)}.clone()"
            read = k in constants or k in self.likes or atom in frame.saved
            if read and text != atom.name:
                # What is saved is the output itself, to which the gradient of a later backward flows.
                output = frame.namer.fresh(f"{atom.name}_output" if k in shared else atom.name).name
                lines += fitted(f"const at::Tensor {output} = {text};")
                if atom not in given:
                    printer.expressions.values[atom] = name(output, TENSOR)
                text = output
            made.append(text)
        tail: list[str] = []
        tail.append("ctx->set_materialize_grads(false);")
        if constants:
            tail += fitted(
                f"ctx->mark_non_differentiable({{{', '.join(made[k] for k in sorted(constants))}}});"
            )
        tail += self._save(printer, values)
        for k in sorted(self.likes):
            tail += fitted(f'ctx->saved_data["like_of_output_{k}"] = packed(like({made[k]}));')
        tail += fitted(f"return {{{', '.join(made)}}};")
        head = fitted(f"static variable_list forward({signature}) {{", 96, 8)
        return [*head, *indented([*lines, *tail]), "}"]

    def _save(self, printer: Statements, values: Sequence[Var]) -> list[str]:
        frame = self.frame
        lines: list[str] = [
            f'ctx->saved_data["{param.var.name}_given"] = {param.var.name}.defined();'
            for param in self.optional
        ]
        lists = [var for var in frame.saved if var.kind == "list"]
        tensors = [self._saved_text(printer, var) for var in frame.saved if var.kind == "tensor"]
        if lists:
            lines += fitted(f"variable_list saved{{{', '.join(tensors)}}};")
            for var in lists:
                text = printer.of(var).text
                lines.append(f"saved.insert(saved.end(), {text}.begin(), {text}.end());")
            lines.append("ctx->save_for_backward(saved);")
        elif tensors:
            lines += fitted(f"ctx->save_for_backward({{{', '.join(tensors)}}});")
        for var in self._lists():
            text = printer.of(var).text
            count = f"static_cast<int64_t>({text}.size())"
            lines += fitted(f'ctx->saved_data["{var.name}_count"] = {count};')
        for var in values:
            value = printer.of(var)
            if value.type == PARTS:
                value = Expr(printer.expressions.converted(value, INTS), INTS)
            if value.type in (NONE, "unknown"):
                raise printer.expressions.refusal(None, f"the saved value `{var.name}`")
            self.types[var] = value.type
            lines += fitted(f'ctx->saved_data["{var.name}"] = {packed(value)};')
        return lines

    def _lists(self) -> list[Var]:
        """Lists whose lengths the backward reads."""
        saved = [var for var in self.frame.saved if var.kind == "list"]
        return list(dict.fromkeys([*(param.var for param in self.frame.lists), *saved]))

    def _saved_text(self, printer: Statements, var: Var) -> str:
        return printer.expressions.converted(printer.of(var), TENSOR)

    def _first_tensor(self) -> str:
        for param in self.formula.params:
            if param.var.kind == "tensor" and not param.optional:
                return param.var.name
            if param.var.kind == "list":
                return f"{param.var.name}[0]"
        return ""

    # backward

    def backward(self) -> list[str]:
        """``static variable_list backward(AutogradContext* ctx, const variable_list& grads)``."""
        body = self._unpacked()
        body += self._everything()
        body += self._return()
        text = "\n".join(body)
        context = "AutogradContext* ctx" if "ctx->" in text else "AutogradContext*"
        given = "const variable_list& grads" if "grads[" in text else "const variable_list&"
        return [f"static variable_list backward({context}, {given}) {{", *indented(body), "}"]

    def _unpacked(self) -> list[str]:
        """Statements that bring back what was saved and name the gradients that come in."""
        frame = self.frame
        read = {var for part in frame.parts.all() for var in part.block.free()}
        if self.formula.barrier:
            read |= set(frame.saved)
        lines: list[str] = []
        if any(var in read for var in frame.saved):
            lines.append("const variable_list saved = ctx->get_saved_variables();")
        tensors = [var for var in frame.saved if var.kind == "tensor"]
        for k, var in enumerate(tensors):
            if var in read:
                lines.append(f"const at::Tensor& {var.name} = saved[{k}];")
        for var in self._lists():
            count = f"{var.name}_count"
            lines += fitted(f'const int64_t {count} = ctx->saved_data["{count}"].toInt();')
        for param in self.optional:
            given = f"{param.var.name}_given"
            lines += fitted(f'const bool {given} = ctx->saved_data["{given}"].toBool();')
        start = f"saved.begin() + {len(tensors)}"
        for var in (v for v in frame.saved if v.kind == "list"):
            stop = f"{start} + {var.name}_count"
            lines += fitted(f"const variable_list {var.name}({start}, {stop});")
            start = stop
        for var in frame.values:
            if var in read:
                type = self.types[var]
                text = unpacked(f'ctx->saved_data["{var.name}"]', type)
                lines += fitted(f"const {declared(type)} {var.name} = {text};")
        used = {k for part in frame.parts.all() for k in (*part.cotangents, *part.zeros)}
        used |= set(range(len(self.cotangents))) if self.formula.barrier else set()
        by_zeros = {k for part in frame.parts.all() for k in part.zeros}
        for k, one in enumerate(self.cotangents):
            if k in used:
                lines.append(f"{'at::Tensor' if k in by_zeros else 'const at::Tensor&'} {one} = grads[{k}];")
        return lines

    def _everything(self) -> list[str]:
        parts = self.frame.parts
        lines = [f"{TENSORS if v.kind == 'list' else TENSOR} {v.name};" for v in self.gradients.values()]
        tensors = [v.name for v in self.gradients.values() if v.kind != "list"]
        if len(tensors) > 1:
            lines = [line for line in lines if not line.startswith(f"{TENSOR} ")]
            lines += fitted(f"{TENSOR} {', '.join(tensors)};")
        if not self.inputs:
            return []
        if parts.whole:
            return [*lines, *self._whole(parts.whole)]
        count = self.formula.results
        results = [part for part in parts.every if max(part.cotangents) < count]
        hidden = [part for part in parts.every if max(part.cotangents) >= count]
        first = [line for k, part in enumerate(results) for line in self._guarded(part, first=k == 0)]
        if parts.joint is not None:
            test = " && ".join(f"{self.cotangents[k]}.defined()" for k in parts.joint.cotangents)
            lines += [f"if ({test}) {{", *indented(self._block(parts.joint, more=False))]
            lines += ["} else {", *indented(first), "}"] if first else ["}"]
        else:
            lines += first
        for part in hidden:
            lines += self._guarded(part, first=not results)
        return lines

    def _guarded(self, part: Part, first: bool) -> list[str]:
        """A part, if one of its cotangents is defined."""
        test = " || ".join(f"{self.cotangents[k]}.defined()" for k in part.cotangents)
        return [f"if ({test}) {{", *indented(self._block(part, more=not first)), "}"]

    def _whole(self, parts: Sequence[Part]) -> list[str]:
        if len(parts) == 1:
            return self._block(parts[0], more=False)
        hidden = self.cotangents[self.formula.results :]
        test = " && ".join(f"!{one}.defined()" for one in hidden)
        return [
            f"if ({test}) {{",
            *indented(self._block(parts[0], more=False)),
            "} else {",
            *indented(self._block(parts[1], more=False)),
            "}",
        ]

    def _block(self, part: Part, more: bool) -> list[str]:
        """The statements of a part; its contributions are `more` to what is there, or are all."""
        frame, formula = self.frame, self.formula
        lines: list[str] = []
        given = self._values()
        for k in (*part.zeros, *part.absent):
            like = f'unpacked<Like>(ctx->saved_data["like_of_output_{k}"])'
            var = formula.cotangents[k]
            if k in part.zeros:
                lines += [f"if (!{var.name}.defined()) {{", f"    {var.name} = zeros({like});", "}"]
            else:
                lines += fitted(f"const at::Tensor no_{var.name} = zeros({like});")
                given[var] = name(f"no_{var.name}", TENSOR)
        results = [
            atom
            for param, atom in zip(formula.inputs, part.block.results, strict=True)
            if param in self.inputs
        ]
        block = self._without_own_names(Block((), part.block.eqns, tuple(results)))
        results = list(block.results)
        beside = self.cotangents[part.cotangents[0]] if part.cotangents else ""
        printer = Statements(formula, frame.called, given, beside)
        printer.prepare(block)
        shared, own = split_by_result(block, results)
        lines += printer.lines(shared)
        for param, eqns, atom in zip(self.inputs, own, results, strict=True):
            if isinstance(atom, Literal) and atom.value is None:
                continue
            statements = printer.lines(eqns)
            var = self.gradients[param]
            type = TENSORS if var.kind == "list" else TENSOR
            value = printer.of(atom)
            if value.type == TENSORS and value.parts and not more:
                text = f"{{{', '.join(one.text for one in value.parts)}}}"
            else:
                text = printer.expressions.converted(value, type)
            if more:
                text = added(var.name, text, type)
            statements += printer.comment(eqns)
            statements += fitted(f"{var.name} = {text};")
            if len(self.inputs) > 1 or param.optional:
                statements = [f"if ({self._needed(param)}) {{", *indented(statements), "}"]
            lines += statements
        return lines

    def _values(self) -> dict[Var, Expr]:
        frame = self.frame
        given = {var: name(var.name, TENSOR) for var in self.formula.cotangents}
        for var in frame.saved:
            given[var] = name(var.name, TENSORS if var.kind == "list" else TENSOR)
        for var in frame.values:
            given[var] = name(var.name, declared(self.types[var]))
        return given

    def _without_own_names(self, block: Block) -> Block:
        """The block whose variables are not named like the gradients that are returned; results nest."""
        taken = {var.name for var in (*self.gradients.values(), *self._values())} | {"first"}
        taken |= {f"{param.var.name}_given" for param in self.optional}
        taken |= {f"{var.name}_count" for var in self._lists()}
        names: dict[Var, Var] = {}
        for var in block.bound():
            if var.name in taken:
                names[var] = self.frame.namer.fresh(var.name, var.kind, var.temp)
        block = rename(block, names)
        return rename(block, nested_results(block))

    def _needed(self, param: Param) -> str:
        """The condition under which the gradient of a parameter is asked for."""
        if param in self.tensors:
            return f"ctx->needs_input_grad({self.tensors.index(param)})"
        start = self._start(param)
        if param.optional:
            return f"{param.var.name}_given && ctx->needs_input_grad({start})"
        stop = f"{start} + static_cast<size_t>({param.var.name}_count)"
        return f"ctx->needs_input_grad({{{{{start}, {stop}}}}})"

    def _start(self, param: Param) -> str:
        """The place of a parameter behind others, of which some may be absent."""
        before = [*self.frame.lists, *self.optional]
        before = before[: before.index(param)]
        counts = [
            f"size_t{{{other.var.name}_given}}"
            if other.optional
            else f"static_cast<size_t>({other.var.name}_count)"
            for other in before
        ]
        first = (
            f"size_t{{{len(self.tensors)}}}" if counts or param.var.kind == "list" else str(len(self.tensors))
        )
        return " + ".join([first, *counts])

    def _return(self) -> list[str]:
        frame, formula = self.frame, self.formula
        lines: list[str] = []
        if formula.barrier and self.inputs:
            lines += self._barrier()
        if not frame.lists:
            texts = [self._returned(param) for param in self.arguments]
            return [*lines, *fitted(f"return {{{', '.join(texts)}}};")]
        first = ", ".join(self._returned(param) for param in self.tensors)
        lines += fitted(f"variable_list made{{{first}}};" if first else "variable_list made;")
        for param in frame.lists:
            count = f"static_cast<size_t>({param.var.name}_count)"
            gradient = self.gradients.get(param)
            if gradient is None:
                lines.append(f"made.resize(made.size() + {count});")
                continue
            lines.append(f"{gradient.name}.resize({count});")
            lines += fitted(f"made.insert(made.end(), {gradient.name}.begin(), {gradient.name}.end());")
        lines += [f"made.push_back({self._returned(param)});" for param in self.optional]
        if self.attributes:
            lines.append(f"made.resize(made.size() + {len(self.attributes)});")
        return [*lines, "return made;"]

    def _barrier(self) -> list[str]:
        formula = self.formula
        message = f"{formula.span}: {formula.name} has no second derivative: {formula.barrier}"
        if any(var.kind == "list" for var in (*self.gradients.values(), *self.frame.saved)):
            message = f"`{formula.name}` takes a list and has no second derivative, which C++ cannot refuse"
            finding = diagnostic(
                "PB502", message, formula.span, name=formula.name, hint="use --target torch-python"
            )
            raise FormulaError([finding], formula.source)
        gradients = [var.name for var in self.gradients.values()]
        anchors = ", ".join([*(var.name for var in self.frame.saved), *self.cotangents])
        given = f"{quoted(message)}, {{{', '.join(gradients)}}}, {{{anchors}}}"
        lines = fitted(f"const variable_list first = refused({given});")
        return [*lines, *(f"{one} = first[{k}];" for k, one in enumerate(gradients))]

    def _returned(self, param: Param) -> str:
        return self.gradients[param].name if param in self.gradients else "at::Tensor()"


def _function(frame: Frame, written: Formula, function: str) -> list[str]:
    """The function that PyTorch calls."""
    formula = frame.formula
    parameters = ", ".join(schema.parameter(param, formula) for param in formula.params)
    head = f"{schema.result_type(formula)} {function_name(function)}({parameters}) {{"
    lines = fitted(head, 100, 8)
    names = dict(zip(formula.params, written.params, strict=True))
    checked = []
    shown = computed_with(written)
    for param, other in names.items():
        if other.var.name in shown:
            text = f"{param.var.name}.value_or(at::Tensor())" if param.optional else param.var.name
            checked.append(f'{{"{other.var.name}", {text}}}')
    body: list[str] = []
    for param in frame.lists:
        listed = names[param].var.name
        element = frame.namer.fresh("element").name
        loop = f"for (const at::Tensor& {element} : {param.var.name}) {{"
        body += [loop, *indented(fitted(f'check_inputs("{function}", {{{{"{listed}", {element}}}}});')), "}"]
    if checked:
        body += fitted(f'check_inputs("{function}", {{{", ".join(checked)}}});')
    arguments = ", ".join(param.var.name for param in _Struct(frame).arguments)
    call = f"{struct_name(function)}::apply({arguments})"
    if formula.results == 1:
        body += fitted(f"return {call}[0];")
    else:
        body += fitted(f"const variable_list outputs = {call};")
        body += fitted(f"return {{{', '.join(f'outputs[{k}]' for k in range(formula.results))}}};")
    return [*lines, *indented(body), "}"]
