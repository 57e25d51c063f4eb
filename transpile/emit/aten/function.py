"""A promoted formula as a struct of `torch::autograd::Function`, and the function that calls it.

The forward returns results, hidden outputs and masks; what the backward reads is saved by
`save_for_backward`, so that a gradient which flows into a hidden output arrives at the backward that made
it. Arguments come in the order tensors, lists, optional tensors, attributes: `needs_input_grad` counts the
tensors that are there.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ...codes import diagnostic
from ...derivatives import Derivatives
from ...diagnostics import FormulaError
from ...ir import Atom, Block, Eqn, Formula, Literal, Param, Var
from ...passes.promote.recompute import recompute_indices
from ...rewrite import rename
from ..array_library.blocks import Called, nested_results, split_by_result, with_free_names
from ..array_library.helpers import Helpers
from ..torch.frame import Frame
from ..torch.function import live, shared_outputs
from ..torch.operands import computed_with
from ..torch.parts import Part
from ..torch.vocabulary import torch_vocabulary
from . import schema
from .code import Code, defined, fitted, in_row, indented, names_in, nested, statement, write
from .runtime import FUNCTIONS
from .statements import Statements
from .values import (
    BOOL,
    INT,
    INTS,
    LIKE,
    NONE,
    PARTS,
    TENSOR,
    TENSORS,
    Expr,
    added,
    braced,
    call,
    declared,
    method,
    name,
    packed,
    quoted,
    saved_data,
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
    """The lines of a struct and of the function that calls it, and its schema."""

    lines: list[Code]
    function: list[Code]
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
    lines = [
        Code(f"// The derivative of `{written.name}`, right to every order."),
        write("struct {} : torch::autograd::Function<{}> {{", name, name),
        *indented(made.forward()),
        Code(""),
        *indented(made.backward()),
        Code("};"),
    ]
    return Struct(lines, _function(frame, written, function), schema.schema(written, function))


def _absent(eqns: Sequence[Eqn]) -> set[Var]:
    """Values that a branch which is not taken leaves undefined."""
    found: set[Var] = set()
    for eqn in eqns:
        for block in eqn.blocks:
            found |= _absent(block.eqns)
        if eqn.op == "if":
            sides = zip(eqn.outs, *(block.results for block in eqn.blocks), strict=True)
            found |= {out for out, *made in sides if not found.isdisjoint(made) or Literal(None) in made}
    return found


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

    def forward(self) -> list[Code]:
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
        lines: list[Code] = []
        for param in self.optional:
            parameters[self.arguments.index(param)] = schema.parameter(param, formula, "_or_none")
            lines += schema.unwrapped(param)
        signature = in_row(["AutogradContext* ctx", *parameters])
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
        made: list[Code] = []
        absent = _absent(block.eqns)
        for k, atom in enumerate(outputs):
            assert isinstance(atom, Var)
            value = printer.of(atom)
            output = printer.expressions.converted(value, TENSOR)
            if k >= formula.results and atom in absent:
                output = call("copied", value).code
            elif k in shared:
                output = method(value, "clone").code
            read = k in constants or k in self.likes or atom in frame.saved
            if read and output.text != atom.name:
                # What is saved is the output itself, to which the gradient of a later backward flows.
                shown = frame.namer.fresh(f"{atom.name}_output" if k in shared else atom.name).name
                lines += defined(TENSOR, shown, output)
                if atom not in given:
                    printer.expressions.values[atom] = name(shown, TENSOR)
                output = name(shown, TENSOR).code
            made.append(output)
        tail = [write("ctx->set_materialize_grads(false);")]
        if constants:
            marked = in_row(made[k] for k in sorted(constants))
            tail += statement("ctx->mark_non_differentiable({{{}}});", marked)
        tail += self._save(printer, values)
        for k in sorted(self.likes):
            tail += statement("{} = packed(like({}));", saved_data(f"like_of_output_{k}"), made[k])
        tail += statement("return {{{}}};", in_row(made))
        head = fitted(write("static variable_list forward({}) {{", signature), 96, 8)
        return [*head, *indented([*lines, *tail]), Code("}")]

    def _save(self, printer: Statements, values: Sequence[Var]) -> list[Code]:
        frame = self.frame
        lines: list[Code] = []
        for param in self.optional:
            shown = param.var.name
            lines += statement("{} = {}.defined();", saved_data(f"{shown}_given"), shown)
        lists = [var for var in frame.saved if var.kind == "list"]
        tensors = in_row(self._saved(printer, var) for var in frame.saved if var.kind == "tensor")
        if lists:
            lines += statement("variable_list saved{{{}}};", tensors)
            for var in lists:
                listed = printer.of(var)
                lines += statement("saved.insert(saved.end(), {}.begin(), {}.end());", listed, listed)
            lines += statement("ctx->save_for_backward(saved);")
        elif tensors.text:
            lines += statement("ctx->save_for_backward({{{}}});", tensors)
        for var in self._lists():
            count = call("static_cast<int64_t>", method(printer.of(var), "size"))
            lines += statement("{} = {};", saved_data(f"{var.name}_count"), count)
        for var in values:
            value = printer.of(var)
            if value.type == PARTS:
                value = Expr(printer.expressions.converted(value, INTS), INTS)
            if value.type in (NONE, "unknown"):
                raise printer.expressions.refusal(None, f"the saved value `{var.name}`")
            self.types[var] = value.type
            lines += statement("{} = {};", saved_data(var.name), packed(value))
        return lines

    def _lists(self) -> list[Var]:
        """Lists whose lengths the backward reads."""
        saved = [var for var in self.frame.saved if var.kind == "list"]
        return list(dict.fromkeys([*(param.var for param in self.frame.lists), *saved]))

    def _saved(self, printer: Statements, var: Var) -> Code:
        return printer.expressions.converted(printer.of(var), TENSOR)

    def _first_tensor(self) -> Code | None:
        for param in self.formula.params:
            if param.var.kind == "tensor" and not param.optional:
                return write(param.var.name)
            if param.var.kind == "list":
                return write(f"{param.var.name}[0]")
        return None

    # backward

    def backward(self) -> list[Code]:
        """``static variable_list backward(AutogradContext* ctx, const variable_list& grads)``."""
        body = self._unpacked()
        body += self._everything()
        body += self._return()
        read = names_in(body)
        context = "AutogradContext* ctx" if "ctx" in read else "AutogradContext*"
        given = "const variable_list& grads" if "grads" in read else "const variable_list&"
        head = write("static variable_list backward({}, {}) {{", context, given)
        return [head, *indented(body), Code("}")]

    def _unpacked(self) -> list[Code]:
        """Statements that bring back what was saved and name the gradients that come in."""
        frame = self.frame
        read = {var for part in frame.parts.all() for var in part.block.free()}
        if self.formula.barrier:
            read |= set(frame.saved)
        lines: list[Code] = []
        if any(var in read for var in frame.saved):
            lines += defined("variable_list", "saved", Code("ctx->get_saved_variables()", frozenset(["ctx"])))
        tensors = [var for var in frame.saved if var.kind == "tensor"]
        for k, var in enumerate(tensors):
            if var in read:
                lines += defined("at::Tensor&", var.name, f"saved[{k}]")
        for var in self._lists():
            count = f"{var.name}_count"
            lines += defined(INT, count, unpacked(saved_data(count), INT))
        for param in self.optional:
            given = f"{param.var.name}_given"
            lines += defined(BOOL, given, unpacked(saved_data(given), BOOL))
        start = f"saved.begin() + {len(tensors)}"
        for var in (v for v in frame.saved if v.kind == "list"):
            stop = f"{start} + {var.name}_count"
            lines += statement("const variable_list {}({}, {});", var.name, start, stop)
            start = stop
        for var in frame.values:
            if var in read:
                type = self.types[var]
                lines += defined(declared(type), var.name, unpacked(saved_data(var.name), type))
        used = {k for part in frame.parts.all() for k in (*part.cotangents, *part.zeros)}
        used |= set(range(len(self.cotangents))) if self.formula.barrier else set()
        by_zeros = {k for part in frame.parts.all() for k in part.zeros}
        for k, one in enumerate(self.cotangents):
            if k in used:
                type = "at::Tensor" if k in by_zeros else "const at::Tensor&"
                lines += statement("{} {} = {};", type, one, f"grads[{k}]")
        return lines

    def _everything(self) -> list[Code]:
        parts = self.frame.parts
        if not self.inputs:
            return []
        tensors = [v.name for v in self.gradients.values() if v.kind != "list"]
        lines: list[Code] = []
        for var in self.gradients.values():
            if var.kind == "list":
                lines += statement("{} {};", TENSORS, var.name)
        if tensors:
            lines += statement("{} {};", TENSOR, in_row(tensors))
        if parts.whole:
            return [*lines, *self._whole(parts.whole)]
        count = self.formula.results
        results = [part for part in parts.every if max(part.cotangents) < count]
        hidden = [part for part in parts.every if max(part.cotangents) >= count]
        first = [line for k, part in enumerate(results) for line in self._guarded(part, first=k == 0)]
        if parts.joint is not None:
            test = self._defined(parts.joint.cotangents, " && ")
            lines += nested("if", test, self._block(parts.joint, more=False), first)
        else:
            lines += first
        for part in hidden:
            lines += self._guarded(part, first=not results)
        return lines

    def _defined(self, places: Iterable[int], between: str, sign: str = "") -> Code:
        """The condition that these cotangents are defined, or with a sign that they are not."""
        asked = [f"{sign}{self.cotangents[k]}.defined()" for k in places]
        return write(between.join(["{}"] * len(asked)), *asked)

    def _guarded(self, part: Part, first: bool) -> list[Code]:
        """A part, if one of its cotangents is defined."""
        return nested("if", self._defined(part.cotangents, " || "), self._block(part, more=not first))

    def _whole(self, parts: Sequence[Part]) -> list[Code]:
        if len(parts) == 1:
            return self._block(parts[0], more=False)
        test = self._defined(range(self.formula.results, len(self.cotangents)), " && ", "!")
        return nested("if", test, self._block(parts[0], more=False), self._block(parts[1], more=False))

    def _block(self, part: Part, more: bool) -> list[Code]:
        """The statements of a part; its contributions are `more` to what is there, or are all."""
        frame, formula = self.frame, self.formula
        lines: list[Code] = []
        given = self._values()
        for k in (*part.zeros, *part.absent):
            zeros = call("zeros", unpacked(saved_data(f"like_of_output_{k}"), LIKE))
            var = formula.cotangents[k]
            if k in part.zeros:
                lines += nested("if", f"!{var.name}.defined()", statement("{} = {};", var.name, zeros))
            else:
                lines += defined(TENSOR, f"no_{var.name}", zeros)
                given[var] = name(f"no_{var.name}", TENSOR)
        results = [
            atom
            for param, atom in zip(formula.inputs, part.block.results, strict=True)
            if param in self.inputs
        ]
        block = self._without_own_names(Block((), part.block.eqns, tuple(results)))
        results = list(block.results)
        beside = write(self.cotangents[part.cotangents[0]]) if part.cotangents else None
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
                made = braced(value.parts)
            else:
                made = printer.expressions.converted(value, type)
            if more:
                made = added(var.name, made, type).code
            statements += printer.comment(eqns)
            statements += statement("{} = {};", var.name, made)
            if len(self.inputs) > 1 or param.optional:
                statements = nested("if", self._needed(param), statements)
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

    def _needed(self, param: Param) -> Code:
        """The condition under which the gradient of a parameter is asked for."""
        if param in self.tensors:
            return write(f"ctx->needs_input_grad({self.tensors.index(param)})")
        start = self._start(param)
        if param.optional:
            return write("{} && ctx->needs_input_grad({})", f"{param.var.name}_given", start)
        stop = write("{} + static_cast<size_t>({})", start, f"{param.var.name}_count")
        return write("ctx->needs_input_grad({{{{{}, {}}}}})", start, stop)

    def _start(self, param: Param) -> Code:
        """The place of a parameter behind others, of which some may be absent."""
        before = [*self.frame.lists, *self.optional]
        before = before[: before.index(param)]
        counts = [
            write("size_t{{{}}}", f"{other.var.name}_given")
            if other.optional
            else write("static_cast<size_t>({})", f"{other.var.name}_count")
            for other in before
        ]
        first = str(len(self.tensors))
        start = write("size_t{{{}}}", first) if counts or param.var.kind == "list" else write(first)
        return write(" + ".join(["{}"] * (1 + len(counts))), start, *counts)

    def _return(self) -> list[Code]:
        frame, formula = self.frame, self.formula
        lines: list[Code] = []
        if formula.barrier and self.inputs:
            lines += self._barrier()
        if not frame.lists:
            return [*lines, *statement("return {{{}}};", in_row(map(self._returned, self.arguments)))]
        first = in_row(map(self._returned, self.tensors))
        lines += statement("variable_list made{{{}}};" if self.tensors else "variable_list made;", first)
        for param in frame.lists:
            count = write("static_cast<size_t>({})", f"{param.var.name}_count")
            gradient = self.gradients.get(param)
            if gradient is None:
                lines += statement("made.resize(made.size() + {});", count)
                continue
            lines += statement("{}.resize({});", gradient.name, count)
            lines += statement("made.insert(made.end(), {}.begin(), {}.end());", gradient.name, gradient.name)
        for param in self.optional:
            lines += statement("made.push_back({});", self._returned(param))
        if self.attributes:
            lines += statement("made.resize(made.size() + {});", str(len(self.attributes)))
        return [*lines, Code("return made;")]

    def _barrier(self) -> list[Code]:
        formula = self.formula
        message = f"{formula.span}: {formula.name} has no second derivative: {formula.barrier}"
        if any(var.kind == "list" for var in (*self.gradients.values(), *self.frame.saved)):
            message = f"`{formula.name}` takes a list and has no second derivative, which C++ cannot refuse"
            finding = diagnostic(
                "PB502", message, formula.span, name=formula.name, hint="use --target torch-python"
            )
            raise FormulaError([finding], formula.source)
        gradients = [var.name for var in self.gradients.values()]
        anchors = in_row([*(var.name for var in self.frame.saved), *self.cotangents])
        refused = write("refused({}, {{{}}}, {{{}}})", quoted(message), in_row(gradients), anchors)
        lines = defined("variable_list", "first", refused)
        for k, one in enumerate(gradients):
            lines += statement("{} = {};", one, f"first[{k}]")
        return lines

    def _returned(self, param: Param) -> str:
        return self.gradients[param].name if param in self.gradients else "at::Tensor()"


def _function(frame: Frame, written: Formula, function: str) -> list[Code]:
    """The function that PyTorch calls."""
    formula = frame.formula
    parameters = in_row(schema.parameter(param, formula) for param in formula.params)
    head = write("{} {}({}) {{", schema.result_type(formula), function_name(function), parameters)
    body = checks(frame, written, function)
    call = write("{}::apply({})", struct_name(function), in_row(p.var.name for p in _Struct(frame).arguments))
    if formula.results == 1:
        body += statement("return {}[0];", call)
    else:
        body += defined("variable_list", "outputs", call)
        body += statement("return {{{}}};", in_row(f"outputs[{k}]" for k in range(formula.results)))
    return [*fitted(head, 100, 8), *indented(body), Code("}")]


def checks(frame: Frame, written: Formula, function: str, unwrapped: bool = False) -> list[Code]:
    """Calls that refuse operands of dtypes with which PyTorch computes unlike NumPy.

    `unwrapped`: optional operands are tensors by now.
    """
    names = dict(zip(frame.formula.params, written.params, strict=True))
    lines: list[Code] = []
    for param in frame.lists:
        element = frame.namer.fresh("element").name
        checked = write("{{{}, {}}}", quoted(names[param].var.name), element)
        check = statement("check_inputs({}, {{{}}});", quoted(function), checked)
        lines += nested("for", write("const at::Tensor& {} : {}", element, param.var.name), check)
    computed = computed_with(written)
    given = [
        write(
            "{{{}, {}}}",
            quoted(other.var.name),
            f"{param.var.name}.value_or(at::Tensor())"
            if param.optional and not unwrapped
            else param.var.name,
        )
        for param, other in names.items()
        if other.var.name in computed
    ]
    return [
        *lines,
        *(statement("check_inputs({}, {{{}}});", quoted(function), in_row(given)) if given else []),
    ]
