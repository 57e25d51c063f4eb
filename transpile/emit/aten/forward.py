"""The forward of a struct: results, hidden outputs and masks, and what is saved."""

from __future__ import annotations

from collections.abc import Sequence

from ...codes import diagnostic
from ...diagnostics import FormulaError
from ...ir import Atom, Block, Eqn, Literal, Var
from ..torch.function import live, shared_outputs
from . import schema
from .code import Code, defined, fitted, in_row, indented, statement, write
from .statements import Statements
from .struct_parts import StructParts
from .values import INTS, NONE, PARTS, TENSOR, Expr, call, method, name, packed, saved_data


def forward(s: StructParts) -> list[Code]:
    """``static variable_list forward(AutogradContext* ctx, ...)``."""
    frame, formula = s.frame, s.formula
    for atom in frame.results:
        if isinstance(atom, Literal) or atom.kind != "tensor":
            message = f"a result of `{formula.name}` is no tensor but {atom}"
            hint = "return an array: np.asarray makes one of a number, np.stack of a list"
            raise FormulaError(
                [diagnostic("PB502", message, formula.span, name=formula.name, hint=hint)], formula.source
            )
    parameters = [schema.parameter(param, formula) for param in s.arguments]
    lines: list[Code] = []
    for param in s.optional:
        parameters[s.arguments.index(param)] = schema.parameter(param, formula, "_or_none")
        lines += schema.unwrapped(param)
    signature = in_row(["AutogradContext* ctx", *parameters])
    printer = Statements(
        formula,
        frame.called,
        {param.var: schema.value(param, formula) for param in formula.params},
        _first_tensor(s),
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
        read = k in constants or k in s.likes or atom in frame.saved
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
    tail += _save(s, printer, values)
    for k in sorted(s.likes):
        tail += statement("{} = packed(like({}));", saved_data(f"like_of_output_{k}"), made[k])
    tail += statement("return {{{}}};", in_row(made))
    head = fitted(write("static variable_list forward({}) {{", signature), 96, 8)
    return [*head, *indented([*lines, *tail]), Code("}")]


def _save(s: StructParts, printer: Statements, values: Sequence[Var]) -> list[Code]:
    frame = s.frame
    lines: list[Code] = []
    for param in s.optional:
        shown = param.var.name
        lines += statement("{} = {}.defined();", saved_data(f"{shown}_given"), shown)
    lists = [var for var in frame.saved if var.kind == "list"]
    tensors = in_row(_saved(s, printer, var) for var in frame.saved if var.kind == "tensor")
    if lists:
        lines += statement("variable_list saved{{{}}};", tensors)
        for var in lists:
            listed = printer.of(var)
            lines += statement("saved.insert(saved.end(), {}.begin(), {}.end());", listed, listed)
        lines += statement("ctx->save_for_backward(saved);")
    elif tensors.text:
        lines += statement("ctx->save_for_backward({{{}}});", tensors)
    for var in s.saved_lists():
        count = call("static_cast<int64_t>", method(printer.of(var), "size"))
        lines += statement("{} = {};", saved_data(f"{var.name}_count"), count)
    for var in values:
        value = printer.of(var)
        if value.type == PARTS:
            value = Expr(printer.expressions.converted(value, INTS), INTS)
        if value.type in (NONE, "unknown"):
            raise printer.expressions.refusal(None, f"the saved value `{var.name}`")
        s.types[var] = value.type
        lines += statement("{} = {};", saved_data(var.name), packed(value))
    return lines


def _saved(s: StructParts, printer: Statements, var: Var) -> Code:
    return printer.expressions.converted(printer.of(var), TENSOR)


def _first_tensor(s: StructParts) -> Code | None:
    for param in s.formula.params:
        if param.var.kind == "tensor" and not param.optional:
            return write(param.var.name)
        if param.var.kind == "list":
            return write(f"{param.var.name}[0]")
    return None


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
