"""A promoted formula as a struct of `torch::autograd::Function`, and the function that calls it.

The forward returns results, hidden outputs and masks; what the backward reads is saved by
`save_for_backward`, so that a gradient which flows into a hidden output arrives at the backward that made
it. Arguments come in the order tensors, lists, optional tensors, attributes: `needs_input_grad` counts the
tensors that are there.
"""

from __future__ import annotations

from typing import NamedTuple

from ...derivatives import Derivatives
from ...ir import Formula
from ...passes.promote.recompute import recompute_indices
from ..array_library.blocks import Called, with_free_names
from ..array_library.helpers import Helpers
from ..torch.frame import Frame
from ..torch.operands import computed_with
from ..torch.vocabulary import torch_vocabulary
from . import schema
from .backward import backward
from .code import Code, defined, fitted, in_row, indented, nested, statement, write
from .forward import forward
from .runtime import FUNCTIONS
from .struct_parts import StructParts
from .values import quoted

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
    made = StructParts(frame)
    lines = [
        Code(f"// The derivative of `{written.name}`, right to every order."),
        write("struct {} : torch::autograd::Function<{}> {{", name, name),
        *indented(forward(made)),
        Code(""),
        *indented(backward(made)),
        Code("};"),
    ]
    return Struct(lines, _function(frame, written, function), schema.schema(written, function))


def _function(frame: Frame, written: Formula, function: str) -> list[Code]:
    """The function that PyTorch calls."""
    formula = frame.formula
    parameters = in_row(schema.parameter(param, formula) for param in formula.params)
    head = write("{} {}({}) {{", schema.result_type(formula), function_name(function), parameters)
    body = checks(frame, written, function)
    call = write(
        "{}::apply({})", struct_name(function), in_row(p.var.name for p in StructParts(frame).arguments)
    )
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
