"""A promoted formula as a class of `torch.autograd.Function`, and the function that calls it.

The forward returns results, hidden outputs and masks; what the backward reads is saved by
`save_for_backward`, so that a gradient which flows into a hidden output arrives at the backward that made
it. Forward mode stands in a subclass: `torch.compile` takes no class with `jvp`.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Iterable, Mapping, Sequence
from textwrap import indent
from typing import NamedTuple

from ...analysis.absence import may_be_absent
from ...codes import diagnostic
from ...derivatives import Derivatives
from ...diagnostics import FormulaError
from ...ir import Atom, Block, Formula, Literal, Param, Var
from ...operators import OPERATORS
from ...rewrite import defining, rename, slice_of, uses
from ..array_library.blocks import Called, nested_results
from ..array_library.vocabulary import Vocabulary
from ..python_text import function_text
from .autocast import autocast_rule
from .backward import backward
from .forward_mode import forward_mode
from .frame import Frame, method, plain, target
from .operands import computed_with

WIDTH = 100
# Operators whose result may be their operand itself, and others whose result may be a view.
_CARRYING = frozenset(
    {"astype", "stop_gradient", "expect_like", "gradient_like", "in_place", "sum_to", "clip"}
)
_VIEWING = frozenset(
    {"flatten_axes", "unflatten_axes", "broadcast_like", "sum_to", "tile", "roll", "real", "imag", "conj"}
)


class FunctionText(NamedTuple):
    """The text of a class with its function, and that of the function that gives hidden outputs too."""

    text: str
    with_hidden: str


def autograd_function(
    formula: Formula,
    name: str,
    vocabulary: Vocabulary,
    library: Derivatives,
    called: Called,
    docstring: str = "",
) -> FunctionText:
    """The text of a promoted formula. Raises FormulaError (PB502) where PyTorch has no equal of something."""
    frame = Frame(formula, name, vocabulary, library, called)
    class_name = class_name_of(name)
    tangents = f"{class_name}WithTangents"
    first = _class_text(
        f"class {class_name}(torch.autograd.Function):",
        f'"""The derivative of `{name}`, right to every order."""',
        [_forward(frame), _setup_context(frame), backward(frame)],
        frame,
        ["generate_vmap_rule = True"],
    )
    second = _class_text(
        f"class {tangents}({class_name}):",
        '"""The same with forward mode."""',
        forward_mode(frame, class_name),
        frame,
    )
    function = _function(frame, class_name, docstring, hidden=False)
    hidden = _function(frame, class_name, "", hidden=True)
    return FunctionText("\n\n\n".join([first, second, function]), hidden)


def class_name_of(name: str) -> str:
    """The name of the class of a function's derivative.

    >>> class_name_of("layer_norm")
    '_LayerNorm'
    """
    stem = "".join(part[:1].upper() + part[1:] for part in name.split("_"))
    return f"_{stem or 'Operator'}"


def _class_text(
    head: str,
    docstring: str,
    methods: Sequence[ast.FunctionDef],
    frame: Frame,
    attributes: Sequence[str] = (),
) -> str:
    blocks = [head, f"    {docstring}"]
    blocks += ["", *(f"    {line}" for line in attributes)] if attributes else []
    for made in methods:
        text = function_text(made, frame.formula.source, WIDTH - 4).rstrip("\n")
        blocks += ["", indent(text, "    ")]
    return "\n".join(blocks)


def _forward(frame: Frame) -> ast.FunctionDef:
    formula = frame.formula
    outputs = frame.outputs
    for atom in frame.results:
        if isinstance(atom, Literal) or atom.kind not in ("tensor",):
            message = f"a result of `{formula.name}` is no tensor but {atom}"
            hint = "return an array: np.asarray makes one of a number, np.stack of a list"
            finding = diagnostic(
                "PB502", message, formula.span, name=formula.name, value=str(atom), hint=hint
            )
            raise FormulaError([finding], formula.source)
    block = Block((), formula.forward.eqns, outputs)
    block = live(block)
    if len(outputs) == 1 and block.eqns:
        last = block.eqns[-1].outs
        block = rename(block, {var: to for var, to in nested_results(block).items() if var in last})
    expressions = frame.printer.expressions(block, frame.device)
    body = plain(*frame.unpack_lists())
    body += frame.printer.statements(block.eqns, expressions)
    shared = shared_outputs(formula, outputs)
    values = [
        expressions.as_array(value) if expressions.may_be_number(atom) else value
        for atom, value in ((atom, expressions.of(atom)) for atom in block.results)
    ]
    for k in shared:
        own: ast.expr = ast.Call(ast.Attribute(values[k], "clone", ast.Load()), [], [])
        if may_be_absent(block, block.results[k]):
            missing = ast.Compare(values[k], [ast.Is()], [ast.Constant(None)])
            own = ast.IfExp(missing, ast.Constant(None), own)
        values[k] = own
    body.append(ast.Return(values[0] if len(values) == 1 else ast.Tuple(values, ast.Load())))
    return method("forward", frame.apply_names(), body, formula.span.line)


def shared_outputs(formula: Formula, outputs: Sequence[Atom]) -> list[int]:
    """Outputs that may share memory with an operand or another value, which an operator's must not.

    PyTorch wants a tangent that is a view for an output that is one.
    """
    made = defining(formula.forward.eqns)
    given = {param.var for param in formula.params}
    found, seen = [], set[Atom]()
    for k, atom in enumerate(outputs):
        var, again = atom, atom in seen
        seen.add(atom)
        while isinstance(var, Var) and var in made and made[var].op in _CARRYING:
            var = made[var].args[0]
        if not isinstance(var, Var) or var.kind != "tensor":
            continue
        eqn = made.get(var)
        info = OPERATORS.get(eqn.op) if eqn is not None else None
        # An element of a list, or what a branch or a loop leaves, may be an operand.
        controlled = eqn is not None and (bool(eqn.blocks) or eqn.op in ("item", "unpack"))
        if again or var in given or controlled or (info is not None and (info.view or info.name in _VIEWING)):
            found.append(k)
    return found


def live(block: Block) -> Block:
    """The block without equations that only values which are computed elsewhere need."""
    wanted = [atom for atom in block.results if isinstance(atom, Var)]
    kept = {id(eqn) for eqn in slice_of(block.eqns, wanted)}
    raising = [eqn for eqn in block.eqns if not eqn.outs]
    reads = [var for eqn in raising for var in eqn.every_read()]
    kept |= {id(eqn) for eqn in slice_of(block.eqns, reads)} | {id(eqn) for eqn in raising}
    return Block(block.params, tuple(eqn for eqn in block.eqns if id(eqn) in kept), block.results)


def _setup_context(frame: Frame) -> ast.FunctionDef:
    formula = frame.formula
    values = [var for var in frame.values if var not in frame.extra]
    given = {param.var for param in formula.params}
    made = [var for var in values if var not in given]
    eqns = slice_of(formula.forward.eqns, made, frame.known)
    block = Block((), tuple(eqns), tuple(made))
    likes = 1 + max((k for part in frame.parts.all() for k in (*part.zeros, *part.absent)), default=-1)
    read = {*block.free(), *frame.saved, *values}
    outs = {*read, *frame.masks, *frame.extra, *frame.results[:likes]}
    outs |= {frame.results[k] for k in formula.options.nondifferentiable}
    body = plain(*_unpacked_inputs(frame, read))
    names = frame.output_names(outs)
    if set(names) - {"_"}:
        body += plain(f"{target(names)} = output" if len(names) > 1 else f"{names[0]} = output")
    lines = ["ctx.set_materialize_grads(False)"]
    constant = {k: frame.results[k] for k in formula.options.nondifferentiable}
    constant |= dict(enumerate(frame.masks, start=len(frame.results)))
    if constant:
        whole = "output" if len(frame.outputs) == 1 else ""
        marked = ", ".join(
            str(var) if names[k] == str(var) else whole or f"output[{k}]" for k, var in constant.items()
        )
        if any(may_be_absent(formula.forward, var) for var in constant.values()):
            marked = f"*[each for each in ({marked},) if each is not None]"
        lines.append(f"ctx.mark_non_differentiable({marked})")
    if frame.saved:
        saved = [f"*{var.name}" if var.kind == "list" else var.name for var in frame.saved]
        lines += [f"ctx.save_for_{mode}({', '.join(saved)})" for mode in ("backward", "forward")]
    lines += [f"{frame.count(param)} = len({param.var.name})" for param in frame.lists]
    lines += [f"ctx.{var.name} = {var.name}" for var in values if var in given]
    lines += [f"ctx.{var.name} = {var.name}" for var in frame.extra]
    if likes:
        outputs = ", ".join(_output_like(frame, k) for k in range(likes))
        lines.append(f"ctx.likes = [{outputs}]")
    body += plain(*lines)
    nested = {var: Var(var.name, var.kind, True) for var in made if uses(block)[var] == 1}
    block = rename(block, nested)
    expressions = frame.printer.expressions(block)
    body += frame.printer.statements(block.eqns, expressions)
    for var, atom in zip(made, block.results, strict=True):
        body += [ast.Assign([ast.Name(f"ctx.{var.name}", ast.Store())], expressions.of(atom))]
    return method("setup_context", ["ctx", "inputs", "output"], body, formula.span.line)


def _output_like(frame: Frame, k: int) -> str:
    return f"_like({frame.results[k]})"


def _unpacked_inputs(frame: Frame, read: set[Var]) -> list[str]:
    names = [param.var.name if param.var in read else "_" for param in frame.single]
    if not frame.lists and not set(names) - {"_"}:
        return []
    names += [f"{param.var.name}_count" for param in frame.lists[:-1]]
    if not frame.lists:
        return [f"{target(names)} = inputs"]
    stars = ["*tensors"] if len(frame.lists) > 1 else [f"*{frame.lists[0].var.name}"]
    lists = frame.unpack_lists() if len(frame.lists) > 1 else []
    return [f"{target([*names, *stars])} = inputs", *lists]


def _function(frame: Frame, class_name: str, docstring: str, hidden: bool) -> str:
    """The function that a person calls, or the one that also returns hidden outputs."""
    written, formula = frame.written, frame.formula
    plain_params = [param for param in written.params if not param.keyword]
    keyword = [param for param in written.params if param.keyword]
    signature = ", ".join(
        [*map(_parameter, plain_params), *(["*"] if keyword else []), *map(_parameter, keyword)]
    )
    name = f"{frame.name}_with_hidden" if hidden else frame.name
    lines = [f"def {name}({signature}):"]
    if docstring:
        lines += [f'    """{docstring}"""']
    lines += _numbers(written)
    lines += _checks(frame)
    names = {param.var: other.var.name for param, other in zip(formula.params, written.params, strict=True)}
    function = "function_" if any(param.var.name == "function" for param in written.params) else "function"
    lines.append(f"    {function} = {class_name}WithTangents if _in_forward_mode() else {class_name}")
    count = len(frame.results) if hidden else formula.results
    if rule := autocast_rule(formula):
        # Autocast is off in the backward, where PyTorch multiplies no matrices of two dtypes.
        operands = [names[p.var] for p in (*frame.single, *frame.lists) if not p.attribute]
        cast = {name: f"_{rule}({name})" for name in operands}
        device = f"_autocast_device({', '.join(operands)})"
        lines.append(f"    if {device}:")
        lines.append(f"        with torch.autocast({device}, enabled=False):")
        lines.append(f"            return {_applied(frame, function, count, names, cast)}")
    lines.append(f"    return {_applied(frame, function, count, names, {})}")
    return "\n".join(lines)


def _applied(
    frame: Frame, function: str, count: int, names: Mapping[Var, str], cast: Mapping[str, str]
) -> str:
    """The first outputs of a call of the class; operands in `cast` are read as that says."""
    read = {var: cast.get(name, name) for var, name in names.items()}
    arguments = [read[param.var] for param in frame.single]
    arguments += [f"len({names[param.var]})" for param in frame.lists[:-1]]
    arguments += [f"*{read[param.var]}" for param in frame.lists]
    call = f"{function}.apply({', '.join(arguments)})"
    if len(frame.outputs) == count and (count > 1 or not frame.formula.result_is_tuple):
        return call
    if len(frame.outputs) == 1:
        return f"({call},)"
    return f"{call}[0]" if count == 1 and not frame.formula.result_is_tuple else f"{call}[:{count}]"


def _numbers(written: Formula) -> list[str]:
    """Statements that make tensors of operands whose defaults are numbers."""
    params = [param for param in written.params if param.var.kind == "tensor"]
    beside = next((p.var.name for p in params if p.default is None and not p.optional), None)
    numbers = [
        p.var.name for p in params if p.default is not None and isinstance(p.default.value, int | float)
    ]
    if beside is None:
        return []
    return [f"    {name} = _scalar({name}, {beside})" for name in numbers]


def _checks(frame: Frame) -> list[str]:
    """Statements that refuse operands which the function does not take."""
    written = frame.written
    optional = [param.var.name for param in written.params if param.optional]
    numbers = computed_with(written)
    shown = [_named(name for name in numbers if name not in optional)]
    if set(optional) & set(numbers):
        shown += [_named(name for name in numbers if name in optional)]
    lines = [f'    _check_inputs("{frame.name}", {", ".join(shown)})'] if numbers else []
    for param in frame.lists:
        name = written.params[frame.formula.params.index(param)].var.name
        lines.append(f'    _check_list("{frame.name}", "{name}", {name})')
    if attributes := [param.var.name for param in written.params if param.attribute]:
        lines.append(f'    _check_attributes("{frame.name}", {_named(attributes)})')
    return lines


def _named(names: Iterable[str]) -> str:
    """A dictionary of variables, as text."""
    return "{" + ", ".join(f'"{name}": {name}' for name in names) + "}"


def _parameter(param: Param) -> str:
    annotations = {"tensor": "torch.Tensor", "list": "list[torch.Tensor]"}
    kind = annotations.get(param.var.kind, param.annotation if _is_plain(param.annotation) else "")
    default = param.default
    if param.var.kind == "tensor" and param.optional:
        kind = "torch.Tensor | None"
    text = f"{param.var.name}: {kind}" if kind else param.var.name
    if default is None and not param.optional:
        return text
    value = "None" if default is None else _literal(default.value)
    return f"{text} = {value}" if kind else f"{text}={value}"


def _literal(value: object) -> str:
    """A constant as text; an infinity is a number that is too large."""
    if isinstance(value, tuple):
        return f"({', '.join(map(_literal, value))}{',' if len(value) == 1 else ''})"
    if isinstance(value, float) and not math.isfinite(value):
        return 'float("nan")' if math.isnan(value) else "1e999" if value > 0 else "-1e999"
    return repr(value)


def _is_plain(annotation: str) -> bool:
    words = annotation.replace("|", " ").replace("[", " ").replace("]", " ").replace(",", " ").split()
    return bool(words) and set(words) <= {"int", "float", "bool", "str", "None", "tuple", "..."}
