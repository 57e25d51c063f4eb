"""Operators of ATen with their derivatives as C++: a node of PyTorch's graph for each entry of a table.

In: a table, the C++ expressions of its formulas. Out: files of C++ for one library, and for each entry that
is in none the reason. Types and names are those of ATen's schemas, by PyTorch's own generator.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .table import Entry, Table

RUNTIME = "runtime.h"
# Operators of one file: a file's headers take longer than some tens of operators.
PER_FILE = 48
# What formulas call beside ATen: functions of the runtime's text below, and casts.
OF_RUNTIME = frozenset({"handle_r_to_c", "maybe_multiply"})
_CASTS = frozenset(
    {"Scalar", "Tensor", "IntArrayRef", "SymIntArrayRef", "TensorOptions", "int64_t", "double"}
)
_CALL = re.compile(r"(?P<dot>\.|->)?(?P<space>(?:\w+::)*)(?P<name>\b\w+)\s*(?:<[\w:, ]*>)?\(")

RUNTIME_TEXT = """\
// What all files of these operators need: PyTorch's nodes, and functions of formulas that it does not export.
#pragma once
#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/real.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/functions/utils.h>
#include <torch/csrc/autograd/saved_variable.h>
#include <torch/library.h>

namespace pullback::operators {
using namespace at;
using torch::autograd::Node;
using torch::autograd::SavedVariable;
using torch::autograd::variable_list;

inline Tensor handle_r_to_c(ScalarType type, Tensor gradient) {
    return !isComplexType(type) && gradient.is_complex() ? at::real(gradient) : gradient;
}

inline Tensor handle_r_to_c(const Tensor& self, const Tensor& gradient) {
    return handle_r_to_c(self.scalar_type(), gradient);
}

inline Tensor maybe_multiply(const Tensor& tensor, const Scalar& factor) {
    bool one = !factor.isSymbolic() && (factor.isIntegral(true) ? factor.toLong() == 1
               : factor.isFloatingPoint() ? factor.toDouble() == 1.0 : false);
    return one ? tensor : tensor * factor;
}

inline bool has_tangent(const std::optional<Tensor>& tensor) {
    return torch::autograd::isFwGradDefined(tensor);
}

inline SavedVariable saved(const std::optional<Tensor>& tensor, bool is_output) {
    return tensor.has_value() ? SavedVariable(*tensor, is_output) : SavedVariable();
}
}  // namespace pullback::operators
"""


class LeftOutError(Exception):
    """The reason why an entry has no C++."""


@dataclass
class Written:
    """The files of a library by their names, the operators that are in it, and reasons by others."""

    files: dict[str, str] = field(default_factory=dict)
    operators: list[str] = field(default_factory=list)
    left_out: dict[str, str] = field(default_factory=dict)


def write_nodes(table: Table, only: Sequence[str]) -> Written:
    """The files of all operators that can be written, or of those that are named."""
    made = Written()
    structs: list[tuple[str, str, str, frozenset[str]]] = []
    for entry in table.entries:
        if only and entry.name not in only:
            continue
        try:
            structs.append(_operator(entry, table.functions))
            made.operators.append(entry.name)
        except LeftOutError as reason:
            made.left_out[entry.name] = str(reason)
    made.files[RUNTIME] = RUNTIME_TEXT
    parts = [structs[k : k + PER_FILE] for k in range(0, len(structs), PER_FILE)]
    for number, part in enumerate(parts):
        made.files[f"operators_{number}.cpp"] = _file(number, part)
    made.files["library.cpp"] = _library(len(parts))
    return made


def node_text(entry: Entry, functions: Mapping[str, Sequence[Any]]) -> str:
    """The node and the kernel of an entry. Raises LeftOutError where it has none."""
    return _operator(entry, functions)[2]


def _file(number: int, part: Sequence[tuple[str, str, str, frozenset[str]]]) -> str:
    headers = sorted(frozenset().union(*(headers for *_, headers in part)))
    includes = "\n".join(f"#include <ATen/ops/{each}.h>" for each in headers)
    structs = "\n".join(text for _, _, text, _ in part)
    entries = "\n".join(f'    library.impl("{name}", TORCH_FN({function}));' for name, function, *_ in part)
    return (
        f'#include "{RUNTIME}"\n{includes}\n\nnamespace pullback::operators {{\nnamespace {{\n{structs}'
        f"}}  // namespace\n\nvoid register_{number}(torch::Library& library) {{\n{entries}\n}}\n"
        "}  // namespace pullback::operators\n"
    )


def _library(parts: int) -> str:
    declared = "\n".join(f"void register_{k}(torch::Library& library);" for k in range(parts))
    called = "\n".join(f"    register_{k}(*library);" for k in range(parts))
    return f"""\
#include <torch/library.h>

#include <memory>

namespace pullback::operators {{
{declared}

namespace {{
std::unique_ptr<torch::Library> library;
}}
}}  // namespace pullback::operators

// Put these operators in the place of PyTorch's own, for tensors of the CPU.
extern "C" void pullback_operators_on() {{
    using namespace pullback::operators;
    library = std::make_unique<torch::Library>(
        torch::Library::IMPL, "aten", c10::DispatchKey::AutogradCPU, __FILE__, __LINE__);
{called}
}}

// Give PyTorch's own back.
extern "C" void pullback_operators_off() {{ pullback::operators::library.reset(); }}
"""


def _operator(entry: Entry, functions: Mapping[str, Sequence[Any]]) -> tuple[str, str, str, frozenset[str]]:
    from torchgen.api import cpp
    from torchgen.api.types import DispatcherSignature
    from torchgen.context import native_function_manager

    info = next((each.info for each in entry.variants if each.key == "Default"), None)
    if info is None or not info.derivatives:
        raise LeftOutError("has no formula")
    function, schema = info.func, info.func.func
    _refuse_kinds(function)
    with native_function_manager(function):
        signature = DispatcherSignature.from_schema(schema)
        arguments = signature.arguments()
        returned = signature.returns_type().cpp_type()
        declared = [(each.decl(), each.name) for each in arguments]
        names = list(cpp.return_names(function, fallback_name="result"))
    output = _differentiable_output(entry, info, len(names))
    headers = {f"{function.root_name}_ops"}
    for derivative in info.derivatives:
        headers.update(_headers(derivative.formula, functions))
    tensors = [each.name for each in schema.arguments.flat_all if each.type.is_tensor_like()]
    with_gradient = {name for each in info.derivatives for name in each.var_names}
    edges = [name for name in tensors if name in with_gradient]
    unknown = [
        name
        for name in tensors
        if name not in with_gradient and name not in info.non_differentiable_arg_names
    ]
    node = schema.name.unambiguous_name()
    members = [*_members(info.all_saved_inputs, False), *_members(info.all_saved_outputs, True)]
    struct = _struct(str(schema.name), node, info, edges, members)
    result = [f"std::get<{k}>(result_)" if len(names) > 1 else "result_" for k in range(len(names))]
    call = ", ".join(["keys & c10::after_autograd_keyset", *(name for _, name in declared)])
    listed = ", ".join(edges)
    checks = "".join(
        f"""    TORCH_CHECK_NOT_IMPLEMENTED(!torch::autograd::compute_requires_grad({name}),
        "the derivative for '{name}' of {schema.name} is not implemented");
"""
        for name in unknown
    )
    tangents = " || ".join(f"has_tangent({name})" for name in edges)
    inputs = "".join(f"        node->{each.put}\n" for each in members if not each.of_output)
    outputs = "".join(f"        node->{each.put}\n" for each in members if each.of_output)
    aliases = "".join(
        f"        const auto& {name} = {text};\n"
        for name, text in zip(names, result, strict=True)
        if any(re.search(rf"\b{name}\b", each.put) for each in members if each.of_output)
    )
    text = f"""{struct}
{returned} {node}({", ".join(["c10::DispatchKeySet keys", *(text for text, _ in declared)])}) {{
{checks}    TORCH_CHECK_NOT_IMPLEMENTED(!({tangents}), "{schema.name}: this library has no forward mode");
    c10::intrusive_ptr<{node}_node> node;
    if (torch::autograd::compute_requires_grad({listed})) {{
        node = c10::make_intrusive<{node}_node>();
        node->set_next_edges(torch::autograd::collect_next_edges({listed}));
{inputs}    }}
    auto result_ = [&] {{
        at::AutoDispatchBelowADInplaceOrView guard;
        return at::_ops::{node}::redispatch({call});
    }}();
    if (node) {{
        torch::autograd::set_history({result[output]}, node);
{aliases}{outputs}    }}
    return result_;
}}
"""
    return str(schema.name), node, text, frozenset(headers)


def _refuse_kinds(function: Any) -> None:
    from torchgen.model import SchemaKind

    schema = function.func
    if function.has_composite_implicit_autograd_kernel:
        raise LeftOutError("is made of other operators")
    if schema.kind() != SchemaKind.functional:
        raise LeftOutError("writes into an operand")
    if any(each.annotation is not None for each in schema.arguments.flat_all):
        raise LeftOutError("gives a view")
    if any(each.type.is_list_like() and each.type.is_tensor_like() for each in schema.arguments.flat_all):
        raise LeftOutError("takes a list of tensors")
    if any(str(each.type) != "Tensor" for each in schema.returns):
        raise LeftOutError("gives a list of tensors")


def _differentiable_output(entry: Entry, info: Any, count: int) -> int:
    """The place of the one result that has a gradient."""
    texts = [each.formula for each in info.derivatives]
    if any("not_implemented" in text for text in texts):
        raise LeftOutError("has an input without a derivative")
    if any(re.search(r"\bretain_variables\b", text) for text in texts):
        raise LeftOutError("asks whether the graph is retained")
    several = "has gradients of several results"
    if any(re.search(r"\bgrads\b", each.formula) or each.named_gradients for each in info.derivatives):
        raise LeftOutError(several)
    known = info.output_differentiability or [True, *[False] * (count - 1)]
    if info.output_differentiability_conditions:
        raise LeftOutError("has a gradient under a condition")
    if sum(map(bool, known)) != 1:
        raise LeftOutError(several)
    return list(map(bool, known)).index(True)


def _headers(formula: str, functions: Mapping[str, Sequence[Any]]) -> Iterator[str]:
    """The headers of the functions that a formula calls."""
    for found in _CALL.finditer(formula):
        name, space = found["name"].removesuffix("_symint"), found["space"]
        if found["dot"] or name in OF_RUNTIME or name in _CASTS:
            continue
        if space not in ("", "at::"):
            if not space.startswith(("std::", "c10::", "GradMode::", "at::GradMode::")):
                raise LeftOutError("calls a function that PyTorch does not export")
            continue
        if name not in functions:
            raise LeftOutError("calls a function that PyTorch does not export")
        yield name


@dataclass(frozen=True)
class _Member:
    """A value that a node saves: its declaration, how it is put there and got back, and freed."""

    declared: str
    put: str
    got: str
    freed: str
    of_output: bool


def _members(saved: Sequence[Any], of_output: bool) -> Iterator[_Member]:
    from torchgen.api.types import BaseCType, OptionalCType, tensorT

    for each in saved:
        name, type = str(each.nctype.name), each.nctype.type.remove_const_ref()
        plain = type.elem.remove_const_ref() if isinstance(type, OptionalCType) else type
        if isinstance(plain, BaseCType) and plain.type == tensorT:
            flag = "true" if of_output else "false"
            yield _Member(
                f"SavedVariable {name}_;",
                f"{name}_ = saved({each.expr}, {flag});",
                f"auto {name} = {name}_.unpack({'this_node' if of_output else ''});",
                f"{name}_.reset_data();",
                of_output,
            )
            continue
        member, value = _member_of(type.cpp_type(), _saved_expression(each.expr))
        yield _Member(
            f"{member} {name}_;", f"{name}_ = {value};", f"const auto& {name} = {name}_;", "", of_output
        )


def _saved_expression(text: str) -> str:
    """The expression that is saved; where strides are asked for, those of the tensor."""
    return re.sub(r'strides_or_error\((\w+), "\w+"\)', r"\1.sym_strides()", text)


def _member_of(type: str, value: str) -> tuple[str, str]:
    """The type of a member for a value of this type, and the value for it: arrays are copied."""
    copied = {
        "at::IntArrayRef": "std::vector<int64_t>",
        "c10::SymIntArrayRef": "std::vector<c10::SymInt>",
        "at::ArrayRef<at::Scalar>": "std::vector<at::Scalar>",
        "at::ArrayRef<double>": "std::vector<double>",
    }
    if type in copied:
        return copied[type], f"({value}).vec()"
    if type == "c10::string_view" or type == "::std::string_view":
        return "std::string", f"std::string({value})"
    if any(word in type for word in ("ArrayRef", "List", "string_view", "generated::")):
        raise LeftOutError("saves what no member of a node holds")
    return type, value


def _struct(name: str, node: str, info: Any, edges: Sequence[str], members: Sequence[_Member]) -> str:
    declared = "".join(f"    {each.declared}\n" for each in members)
    freed = "".join(f"        {each.freed}\n" for each in members if each.freed)
    lines = [
        "const auto& grad = grads[0];",
        f"variable_list gradients({len(edges)});",
        "if (!grad.defined()) return gradients;",
    ]
    if any("this_node" in each.got for each in members):
        lines.append("auto this_node = c10::intrusive_ptr<Node>::reclaim_copy(this);")
    lines += [each.got for each in members]
    for derivative in info.derivatives:
        places = [edges.index(each) for each in derivative.var_names]
        asked = " || ".join(f"task_should_compute_output({place})" for place in places)
        if len(places) == 1:
            lines.append(f"if ({asked}) gradients[{places[0]}] = {derivative.formula};")
            continue
        wanted = ", ".join(f"task_should_compute_output({place})" for place in places)
        lines.append(f"if ({asked}) {{")
        if "grad_input_mask" in derivative.formula:
            lines.append(f"    std::array<bool, {len(places)}> grad_input_mask = {{{wanted}}};")
        lines.append(f"    auto parts = {derivative.formula};")
        lines += [f"    gradients[{place}] = std::get<{k}>(parts);" for k, place in enumerate(places)]
        lines.append("}")
    body = "".join(f"        {line}\n" for line in lines)
    return f"""
struct {node}_node : Node {{
{declared}
    std::string name() const override {{ return "pullback::{name}"; }}
    void release_variables() override {{
{freed}    }}
    variable_list apply(variable_list&& grads) override {{
{body}        return gradients;
    }}
}};
"""
