"""A file of C++ for PyTorch: formulas, those that they call, the functions that they use, and schemas."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ...derivatives import Derivatives, NoDerivative
from ...diagnostics import Diagnostic, FormulaError
from ...ir import Formula
from .code import fitted, indented, names_in, names_of, text_of, write
from .function import Struct, autograd_struct, function_name, struct_name
from .runtime import FUNCTIONS, needed
from .values import quoted
from .vocabulary import OF_VALUES

# Headers of structs of `torch::autograd::Function` and of what registers operators.
_FUNCTION = frozenset({"<torch/library.h>", "<torch/csrc/autograd/custom_function.h>"})
# Functions of the namespace that are no operators, and headers of what else a text names.
_NO_OPERATORS = frozenset({"at::device", "at::dtype"})
_HEADERS = {
    "std::reverse": "<algorithm>",
    "std::array": "<array>",
    "std::numeric_limits": "<limits>",
    "std::tuple": "<tuple>",
    "std::get": "<tuple>",
    "std::tie": "<tuple>",
    "std::optional": "<optional>",
    "std::string_view": "<string_view>",
    "std::string": "<string>",
    "std::vector": "<vector>",
    "TORCH_CHECK": "<c10/util/Exception.h>",
    "c10::div_floor_integer": "<c10/util/generic_math.h>",
    "c10::multiply_integers": "<c10/util/accumulate.h>",
    "c10::str": "<c10/util/StringUtil.h>",
    **dict.fromkeys(OF_VALUES.values(), "<cmath>"),
}


def aten_module(formulas: Sequence[tuple[str, Formula]], library: Derivatives, namespace: str) -> str:
    """The text of a file with these promoted formulas, by the names of their functions.

    Raises FormulaError (PB502) where ATen has no operator for something in one of them, or in one that it
    calls.
    """
    made: dict[str, Struct] = {}
    names: dict[str, str] = {}
    queue: list[tuple[str, Formula]] = list(formulas)
    public = [name for name, _ in formulas]
    reserved = frozenset(public) | frozenset(map(struct_name, public))

    def called(op: str) -> str | None:
        if op not in names:
            try:
                found = library.promoted(op)
            except NoDerivative:
                return None
            if any(eqn.op == op for eqn in found.forward.every()):
                return None
            name = f"{op.replace('.', '_')}_operator"
            names[op] = struct_name(name)
            queue.append((name, found))
        return names[op]

    findings: list[Diagnostic] = []
    while queue:
        name, formula = queue.pop(0)
        try:
            made[name] = autograd_struct(formula, name, library, called, reserved)
        except FormulaError as error:
            if name not in public:
                raise
            findings += error.diagnostics
    if findings:
        raise FormulaError(findings, formulas[0][1].source)
    structs = [made[name].lines for name in reversed(made)]
    functions = [made[name].function for name in public]
    read = names_in(line for part in (*structs, *functions) for line in part)
    helpers = "\n".join(FUNCTIONS[name].text for name in needed(read)).rstrip("\n")
    parts = [helpers, *map(text_of, structs), *map(text_of, functions)]
    body = "\n\n".join(part for part in parts if part) + "\n"
    # One of their own, because the global one has the functions of C: `exp`, `index`.
    inner = f"{namespace}_operators"
    definitions = [
        line
        for name in public
        for line in fitted(
            write("m.def({}, {}::{});", quoted(made[name].schema), inner, function_name(name)), 96
        )
    ]
    schemas = text_of(indented(definitions))
    registration = f"TORCH_LIBRARY_FRAGMENT({namespace}, m) {{\n{schemas}\n}}\n"
    source = Path(formulas[0][1].source.path).name
    return (
        f"// {', '.join(public)}: operators with derivatives of every order. From {source}.\n"
        f"{includes(read, _FUNCTION)}\n"
        f"namespace {inner} {{\n"
        "namespace {\n\n"
        "using torch::autograd::AutogradContext;\n"
        "using torch::autograd::variable_list;\n\n"
        f"{body}\n"
        "}  // namespace\n"
        f"}}  // namespace {inner}\n\n"
        f"{registration}"
    )


def includes(names: frozenset[str], also: frozenset[str] = frozenset()) -> str:
    """The headers of what a file names: of operators one each, which the macro asks for."""
    helpers = [FUNCTIONS[name] for name in needed(names)]
    names = names.union(*(names_of(helper.text) for helper in helpers))
    headers = {header for helper in helpers for header in helper.headers}
    headers |= {_HEADERS[name] for name in names & _HEADERS.keys()}
    standard = sorted(header for header in headers if "/" not in header)
    own = {header for header in headers if "/" in header}
    own |= {"<ATen/core/Tensor.h>", "<ATen/TensorOperators.h>", *also}
    own |= {f"<ATen/ops/{name}.h>" for name in map(_operator, names - _NO_OPERATORS) if name}
    groups = [
        "#define AT_PER_OPERATOR_HEADERS  // a header for each operator, not all of them",
        "\n".join(f"#include {header}" for header in sorted(own)),
        "\n".join(f"#include {header}" for header in standard),
    ]
    return "\n" + "\n\n".join(group for group in groups if group) + "\n"


def _operator(name: str) -> str:
    """The operator of ATen that a name is, or nothing: types and constants begin with a capital or a `k`."""
    space, _, function = name.partition("::")
    is_operator = space == "at" and function[:1].islower() and not function[1:2].isupper()
    return function.removesuffix("_symint") if is_operator else ""
