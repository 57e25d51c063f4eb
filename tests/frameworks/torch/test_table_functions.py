"""The C++ that written entries of derivatives.yaml call: compiled, and its gradients to second order."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from pullback.engine.formula.formula import LIBRARY_OF_PROCESS  # noqa: E402 - where torch is
from pullback.transpile.emit.aten.table import table_files  # noqa: E402 - where torch is
from tests.frameworks.texts import promoted  # noqa: E402 - where torch is

from .cases import CASES, Case  # noqa: E402 - where torch is
from .operands import arrays, of_tensors, tensors  # noqa: E402 - where torch is
from .test_aten import built  # noqa: E402 - where torch is

# Two translation units of PyTorch's headers, a quarter of a minute each.
pytestmark = [pytest.mark.torch, pytest.mark.slow]

# One has gradients of a list beside others, which no function of the table returns.
TABLE = {name: case for name, case in CASES.items() if name != "horner"}
SCHEMA = {
    "const at::Tensor&": "Tensor",
    "const std::optional<at::Tensor>&": "Tensor?",
    "at::TensorList": "Tensor[]",
    "int64_t": "int",
    "double": "float",
    "bool": "bool",
    "at::IntArrayRef": "int[]",
    "at::ArrayRef<double>": "float[]",
}
HEAD = re.compile(r"^(?!//|namespace|#)(\S[^;{}()=]*?) (\w+)\(([^;{}]*?)\) \{$", re.MULTILINE)


def registration(text: str, namespace: str) -> str:
    """Definitions in a library of PyTorch's of the functions of a file."""
    lines = []
    for returned, function, parameters in HEAD.findall(text.rpartition("}  // namespace\n\n")[2] or text):
        typed = []
        for parameter in re.split(r",\s*(?![^<]*>)", " ".join(parameters.split())):
            type, _, shown = parameter.rpartition(" ")
            mask = re.fullmatch(r"std::array<bool, (\d+)>", type)
            typed.append(f"{f'bool[{mask[1]}]' if mask else SCHEMA[type]} {shown}")
        count = returned.count("at::Tensor")
        kind = "Tensor[]" if "vector" in returned else "Tensor"
        result = kind if count == 1 else f"({', '.join(['Tensor'] * count)})"
        lines.append(f'    m.def("{function}({", ".join(typed)}) -> {result}", {namespace}::{function});')
    body = "\n".join(lines)
    return f"#include <torch/library.h>\n\nTORCH_LIBRARY_FRAGMENT(pullback_table, m) {{\n{body}\n}}\n"


@pytest.fixture(scope="module")
def entries(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[str, ...]]:
    """The call of the gradients' function by the operator, and the inputs that it is for."""
    formulas = {case.formula.__name__: promoted(case.formula) for case in TABLE.values()}
    files = table_files(list(formulas.items()), LIBRARY_OF_PROCESS)
    for file, namespace in (
        ("Cases.cpp", "at::native"),
        ("FunctionsManual.cpp", "torch::autograd::generated::details"),
    ):
        text = files[file]
        folder = tmp_path_factory.mktemp("table")
        torch.ops.load_library(built(f"{text}\n{registration(text, namespace)}", folder))
    found = {}
    for entry in files["derivatives.yaml"].split("- name: "):
        for line in entry.splitlines()[1:]:
            names, _, call = line.strip().partition(": ")
            if "_backward(grad" in call:
                found[entry.partition("(")[0]] = (call, *names.split(", "))
    return found


def node(case: Case, entry: tuple[str, ...]) -> Callable[..., Any]:
    """The operator as PyTorch's generator makes it of the entry: inputs and results are saved."""
    call, *names = entry
    function, _, listed = call.removesuffix(")").partition("(")
    backward = getattr(torch.ops.pullback_table, function)
    kernel = getattr(torch.ops.pullback_table, case.formula.__name__)
    params = case.formula.ir.params
    named = {p.var.name: p.default.value if p.default else None for p in params if p.attribute}
    tensors_of = [p.var.name for p in params if not p.attribute]

    def run(*operands: Any, **attributes: Any) -> Any:
        attributes = named | attributes
        flat = [x for given in operands for x in (given if isinstance(given, list) else [given])]

        def put(values: Any) -> list[Any]:
            rest = iter(values)
            return [[next(rest) for _ in x] if isinstance(x, list) else next(rest) for x in operands]

        class Node(torch.autograd.Function):
            @staticmethod
            def forward(ctx: Any, *given: Any) -> Any:
                absent = [None] * (len(tensors_of) - len(operands))
                made = kernel(*put(given), *absent, *attributes.values())
                results = made if isinstance(made, tuple) else (made,)
                ctx.save_for_backward(*given, *results)
                ctx.mark_non_differentiable(*(x for x in results if not x.is_floating_point()))
                return made

            @staticmethod
            def backward(ctx: Any, *grads: Any) -> Any:
                saved = ctx.saved_tensors
                known = dict(zip(tensors_of, put(saved[: len(flat)]), strict=False)) | attributes
                results = saved[len(flat) :]
                known |= {"result": results[0]} | {f"result{k}": x for k, x in enumerate(results)}
                wanted = {name: any(x is not None for x in [known.get(name)]) for name in names}
                known |= {"grad": grads[0], "grads": list(grads), "grad_input_mask": list(wanted.values())}
                found = backward(*(known[name] for name in listed.split(", ")))
                parts = dict(zip(names, found if isinstance(found, tuple) else (found,), strict=True))
                gradients = [parts.get(name) for name in tensors_of[: len(operands)]]
                return tuple(x for g in gradients for x in (g if isinstance(g, list) else [g]))

        return Node.apply(*flat)

    return run


def test_gradients_are_right_to_second_order(entries: dict[str, tuple[str, ...]]) -> None:
    assert len(entries) >= 20
    for name, case in TABLE.items():
        if case.formula.__name__ not in entries or not case.smooth:
            continue
        call, inputs = of_tensors(case, tensors(arrays(case)), node(case, entries[case.formula.__name__]))
        wanted, _ = of_tensors(case, tensors(arrays(case)))
        torch.testing.assert_close(
            call(*inputs), wanted(*inputs), msg=lambda text, name=name: f"{name}: {text}"
        )
        assert torch.autograd.gradcheck(call, inputs), name
        assert torch.autograd.gradgradcheck(call, inputs), name
