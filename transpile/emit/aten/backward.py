"""The backward of a struct: a gradient for each input, of those that are asked for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...codes import diagnostic
from ...diagnostics import FormulaError
from ...ir import Block, Literal, Param, Var
from ...rewrite import rename
from ..array_library.blocks import nested_results, split_by_result
from ..torch.parts import Part
from .code import Code, defined, in_row, indented, names_in, nested, statement, write
from .statements import Statements
from .struct_parts import StructParts
from .values import (
    BOOL,
    INT,
    LIKE,
    TENSOR,
    TENSORS,
    Expr,
    added,
    braced,
    call,
    declared,
    name,
    quoted,
    saved_data,
    unpacked,
)


def backward(s: StructParts) -> list[Code]:
    """``static variable_list backward(AutogradContext* ctx, const variable_list& grads)``."""
    body = _unpacked(s)
    body += _everything(s)
    body += _return(s)
    read = names_in(body)
    context = "AutogradContext* ctx" if "ctx" in read else "AutogradContext*"
    given = "const variable_list& grads" if "grads" in read else "const variable_list&"
    head = write("static variable_list backward({}, {}) {{", context, given)
    return [head, *indented(body), Code("}")]


def _unpacked(s: StructParts) -> list[Code]:
    """Statements that bring back what was saved and name the gradients that come in."""
    frame = s.frame
    read = {var for part in frame.parts.all() for var in part.block.free()}
    if s.formula.barrier:
        read |= set(frame.saved)
    lines: list[Code] = []
    if any(var in read for var in frame.saved):
        lines += defined("variable_list", "saved", Code("ctx->get_saved_variables()", frozenset(["ctx"])))
    tensors = [var for var in frame.saved if var.kind == "tensor"]
    for k, var in enumerate(tensors):
        if var in read:
            lines += defined("at::Tensor&", var.name, f"saved[{k}]")
    for var in s.saved_lists():
        count = f"{var.name}_count"
        lines += defined(INT, count, unpacked(saved_data(count), INT))
    for param in s.optional:
        given = f"{param.var.name}_given"
        lines += defined(BOOL, given, unpacked(saved_data(given), BOOL))
    start = f"saved.begin() + {len(tensors)}"
    for var in (v for v in frame.saved if v.kind == "list"):
        stop = f"{start} + {var.name}_count"
        lines += statement("const variable_list {}({}, {});", var.name, start, stop)
        start = stop
    for var in frame.values:
        if var in read:
            type = s.types[var]
            lines += defined(declared(type), var.name, unpacked(saved_data(var.name), type))
    used = {k for part in frame.parts.all() for k in (*part.cotangents, *part.zeros)}
    used |= set(range(len(s.cotangents))) if s.formula.barrier else set()
    by_zeros = {k for part in frame.parts.all() for k in part.zeros}
    for k, one in enumerate(s.cotangents):
        if k in used:
            type = "at::Tensor" if k in by_zeros else "const at::Tensor&"
            lines += statement("{} {} = {};", type, one, f"grads[{k}]")
    return lines


def _everything(s: StructParts) -> list[Code]:
    parts = s.frame.parts
    if not s.inputs:
        return []
    tensors = [v.name for v in s.gradients.values() if v.kind != "list"]
    lines: list[Code] = []
    for var in s.gradients.values():
        if var.kind == "list":
            lines += statement("{} {};", TENSORS, var.name)
    if tensors:
        lines += statement("{} {};", TENSOR, in_row(tensors))
    if parts.whole:
        return [*lines, *_whole(s, parts.whole)]
    count = s.formula.results
    results = [part for part in parts.every if max(part.cotangents) < count]
    hidden = [part for part in parts.every if max(part.cotangents) >= count]
    first = [line for k, part in enumerate(results) for line in _guarded(s, part, first=k == 0)]
    if parts.joint is not None:
        test = _defined(s, parts.joint.cotangents, " && ")
        lines += nested("if", test, _block(s, parts.joint, more=False), first)
    else:
        lines += first
    for part in hidden:
        lines += _guarded(s, part, first=not results)
    return lines


def _defined(s: StructParts, places: Iterable[int], between: str, sign: str = "") -> Code:
    """The condition that these cotangents are defined, or with a sign that they are not."""
    asked = [f"{sign}{s.cotangents[k]}.defined()" for k in places]
    return write(between.join(["{}"] * len(asked)), *asked)


def _guarded(s: StructParts, part: Part, first: bool) -> list[Code]:
    """A part, if one of its cotangents is defined."""
    return nested("if", _defined(s, part.cotangents, " || "), _block(s, part, more=not first))


def _whole(s: StructParts, parts: Sequence[Part]) -> list[Code]:
    if len(parts) == 1:
        return _block(s, parts[0], more=False)
    test = _defined(s, range(s.formula.results, len(s.cotangents)), " && ", "!")
    return nested("if", test, _block(s, parts[0], more=False), _block(s, parts[1], more=False))


def _block(s: StructParts, part: Part, more: bool) -> list[Code]:
    """The statements of a part; its contributions are `more` to what is there, or are all."""
    frame, formula = s.frame, s.formula
    lines: list[Code] = []
    given = _values(s)
    for k in (*part.zeros, *part.absent):
        zeros = call("zeros", unpacked(saved_data(f"like_of_output_{k}"), LIKE))
        var = formula.cotangents[k]
        if k in part.zeros:
            lines += nested("if", f"!{var.name}.defined()", statement("{} = {};", var.name, zeros))
        else:
            lines += defined(TENSOR, f"no_{var.name}", zeros)
            given[var] = name(f"no_{var.name}", TENSOR)
    results = [
        atom for param, atom in zip(formula.inputs, part.block.results, strict=True) if param in s.inputs
    ]
    block = _without_own_names(s, Block((), part.block.eqns, tuple(results)))
    results = list(block.results)
    beside = write(s.cotangents[part.cotangents[0]]) if part.cotangents else None
    printer = Statements(formula, frame.called, given, beside)
    printer.prepare(block)
    shared, own = split_by_result(block, results)
    lines += printer.lines(shared)
    for param, eqns, atom in zip(s.inputs, own, results, strict=True):
        if isinstance(atom, Literal) and atom.value is None:
            continue
        statements = printer.lines(eqns)
        var = s.gradients[param]
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
        if len(s.inputs) > 1 or param.optional:
            statements = nested("if", _needed(s, param), statements)
        lines += statements
    return lines


def _values(s: StructParts) -> dict[Var, Expr]:
    frame = s.frame
    given = {var: name(var.name, TENSOR) for var in s.formula.cotangents}
    for var in frame.saved:
        given[var] = name(var.name, TENSORS if var.kind == "list" else TENSOR)
    for var in frame.values:
        given[var] = name(var.name, declared(s.types[var]))
    return given


def _without_own_names(s: StructParts, block: Block) -> Block:
    """The block whose variables are not named like the gradients that are returned; results nest."""
    taken = {var.name for var in (*s.gradients.values(), *_values(s))} | {"first"}
    taken |= {f"{param.var.name}_given" for param in s.optional}
    taken |= {f"{var.name}_count" for var in s.saved_lists()}
    names: dict[Var, Var] = {}
    for var in block.bound():
        if var.name in taken:
            names[var] = s.frame.namer.fresh(var.name, var.kind, var.temp)
    block = rename(block, names)
    return rename(block, nested_results(block))


def _needed(s: StructParts, param: Param) -> Code:
    """The condition under which the gradient of a parameter is asked for."""
    if param in s.tensors:
        return write(f"ctx->needs_input_grad({s.tensors.index(param)})")
    start = _start(s, param)
    if param.optional:
        return write("{} && ctx->needs_input_grad({})", f"{param.var.name}_given", start)
    stop = write("{} + static_cast<size_t>({})", start, f"{param.var.name}_count")
    return write("ctx->needs_input_grad({{{{{}, {}}}}})", start, stop)


def _start(s: StructParts, param: Param) -> Code:
    """The place of a parameter behind others, of which some may be absent."""
    before = [*s.frame.lists, *s.optional]
    before = before[: before.index(param)]
    counts = [
        write("size_t{{{}}}", f"{other.var.name}_given")
        if other.optional
        else write("static_cast<size_t>({})", f"{other.var.name}_count")
        for other in before
    ]
    first = str(len(s.tensors))
    start = write("size_t{{{}}}", first) if counts or param.var.kind == "list" else write(first)
    return write(" + ".join(["{}"] * (1 + len(counts))), start, *counts)


def _return(s: StructParts) -> list[Code]:
    frame, formula = s.frame, s.formula
    lines: list[Code] = []
    if formula.barrier and s.inputs:
        lines += _barrier(s)
    if not frame.lists:
        return [*lines, *statement("return {{{}}};", in_row(_returned(s, param) for param in s.arguments))]
    first = in_row(_returned(s, param) for param in s.tensors)
    lines += statement("variable_list made{{{}}};" if s.tensors else "variable_list made;", first)
    for param in frame.lists:
        count = write("static_cast<size_t>({})", f"{param.var.name}_count")
        gradient = s.gradients.get(param)
        if gradient is None:
            lines += statement("made.resize(made.size() + {});", count)
            continue
        lines += statement("{}.resize({});", gradient.name, count)
        lines += statement("made.insert(made.end(), {}.begin(), {}.end());", gradient.name, gradient.name)
    for param in s.optional:
        lines += statement("made.push_back({});", _returned(s, param))
    if s.attributes:
        lines += statement("made.resize(made.size() + {});", str(len(s.attributes)))
    return [*lines, Code("return made;")]


def _barrier(s: StructParts) -> list[Code]:
    formula = s.formula
    message = f"{formula.span}: {formula.name} has no second derivative: {formula.barrier}"
    if any(var.kind == "list" for var in (*s.gradients.values(), *s.frame.saved)):
        message = f"`{formula.name}` takes a list and has no second derivative, which C++ cannot refuse"
        finding = diagnostic(
            "PB502", message, formula.span, name=formula.name, hint="use --target torch-python"
        )
        raise FormulaError([finding], formula.source)
    gradients = [var.name for var in s.gradients.values()]
    anchors = in_row([*(var.name for var in s.frame.saved), *s.cotangents])
    refused = write("refused({}, {{{}}}, {{{}}})", quoted(message), in_row(gradients), anchors)
    lines = defined("variable_list", "first", refused)
    for k, one in enumerate(gradients):
        lines += statement("{} = {};", one, f"first[{k}]")
    return lines


def _returned(s: StructParts, param: Param) -> str:
    return s.gradients[param].name if param in s.gradients else "at::Tensor()"
