"""Entries of derivatives.yaml that are written, read back by PyTorch's loader and the import."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("tree_sitter_cpp")

import pullback.torch  # noqa: E402 - where torch is
from pullback.engine.formula.formula import LIBRARY_OF_PROCESS  # noqa: E402 - where torch is
from pullback.tools.cli import main  # noqa: E402 - where torch is
from pullback.torch.derivatives.table import Derivative, Derivatives  # noqa: E402 - where torch is
from pullback.transpile.emit.aten.table import table_files  # noqa: E402 - where torch is
from tests.frameworks.texts import promoted  # noqa: E402 - where torch is
from tests.frameworks.torch.cases import CASES, Case  # noqa: E402 - where torch is
from tests.frameworks.torch.operands import arrays, of_tensors, tensors  # noqa: E402 - where torch is

pytestmark = pytest.mark.torch

# One has gradients of a list beside others, which no function of the table returns.
CASES_OF_TABLE = {name: case for name, case in CASES.items() if name != "horner"}
FORMULAS = {f"pbcase_{case.formula.__name__}": case.formula for case in CASES_OF_TABLE.values()}


@pytest.fixture(scope="module")
def files() -> dict[str, str]:
    made = [(operator, promoted(formula)) for operator, formula in FORMULAS.items()]
    return table_files(made, LIBRARY_OF_PROCESS)


@pytest.fixture(scope="module")
def imported(files: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Derivatives:
    """The formulas that the import makes of the entries, which PyTorch's loader has read."""
    folder = tmp_path_factory.mktemp("table")
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    arguments = ["--native-functions", str(folder / "native_functions.yaml"), "-o", str(folder / "made")]
    assert main(["import-derivatives", str(folder / "derivatives.yaml"), *arguments]) == 0
    return Derivatives(folder / "made")


@pytest.fixture
def library() -> Iterator[Any]:
    """Where operators are registered that the installed PyTorch does not have."""
    with torch.library._scoped_library("aten", "FRAGMENT") as made:
        yield made


def test_every_entry_is_read_by_the_loader_and_the_import(imported: Derivatives) -> None:
    assert set(imported) == set(FORMULAS)
    assert len(imported) >= 40


def inline(files: dict[str, str]) -> set[str]:
    """The operators whose gradients are expressions, not calls of a function of FunctionsManual.cpp."""
    entries = [entry for entry in files["derivatives.yaml"].split("- name: ") if entry]
    return {entry.partition("(")[0] for entry in entries if "_backward(grad" not in entry}


def registered(library: Any, derivative: Derivative, schema: str, case: Case) -> Any:
    """The operator, whose node runs the imported closure as PyTorch runs the entry."""
    operator = derivative.operator

    class Node(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, *inputs: Any) -> Any:
            ctx.save_for_backward(*inputs)
            with torch._C._AutoDispatchBelowAutograd():
                return getattr(torch.ops.aten, operator)(*inputs, **case.attributes)

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            _, closure = derivative.function(*ctx.saved_tensors, **case.attributes)
            return closure(grad)

    def kernel(*inputs: Any, **attributes: Any) -> Any:
        with torch.no_grad():
            return pullback.torch.function(case.formula)(*inputs, **attributes)

    library.define(schema)
    library.impl(operator, kernel, "CompositeExplicitAutograd")
    library.impl(operator, lambda *inputs, **attributes: Node.apply(*inputs), "Autograd")
    return getattr(torch.ops.aten, operator)


@pytest.mark.slow
def test_imported_formulas_compute_the_same_to_second_order(
    imported: Derivatives, files: dict[str, str], library: Any
) -> None:
    schemas = [line.removeprefix("- func: ") for line in files["native_functions.yaml"].splitlines()]
    seen = set[str]()
    for case in CASES_OF_TABLE.values():
        operator = f"pbcase_{case.formula.__name__}"
        if operator in seen or operator not in inline(files):
            continue
        seen.add(operator)
        (schema,) = (text for text in schemas if text.startswith(f"{operator}("))
        run = registered(library, imported[operator], schema, case)
        found = []
        for each in (run, None):
            call, inputs = of_tensors(case, tensors(arrays(case)), each)
            value = call(*inputs)
            first = torch.autograd.grad((torch.sin(value) * value).sum(), inputs, create_graph=True)
            total = sum((gradient * gradient).sum() for gradient in first)
            found.append([value, *first, *torch.autograd.grad(total, inputs)])
        for have, want in zip(*found, strict=True):
            torch.testing.assert_close(have, want, rtol=1e-10, atol=1e-10)
    assert len(seen) >= 20


def test_what_no_entry_says_is_refused_at_its_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "once.py"
    path.write_text(
        "import pullback as pb\n\n\n@pb.formula(first_order_only=True)\ndef once(x):\n"
        "    return x * x, lambda grad: 2 * grad * x\n"
    )
    assert main(["transpile", str(path), "-o", "-", "--target", "derivatives-yaml"]) == 1
    assert "`once` has no second derivative, which an entry of derivatives.yaml cannot say" in (
        capsys.readouterr().err
    )
