"""Entries that follow from others, and those that do not."""

from __future__ import annotations

import shutil
import sys

import pytest

pytestmark = pytest.mark.torch
torch = pytest.importorskip("torch")
pytest.importorskip("expecttest")

from pullback.torch.derivatives.calls import Calls  # noqa: E402 - where torch is
from pullback.torch.derivatives.table import Derivatives  # noqa: E402 - where torch is
from pullback.torch.derived.__main__ import main, summary  # noqa: E402 - where torch is
from pullback.torch.derived.comparing import compare_derived, well_founded  # noqa: E402 - where torch is


def calls(derivatives, **of):
    """Calls of operators with these arguments, a call each."""
    made = Calls(derivatives, 1)
    for name, args in of.items():
        made.add(name, args, {})
    return made


def random(*shape):
    return torch.randn(*shape, dtype=torch.float64, generator=torch.Generator().manual_seed(0))


@pytest.fixture(scope="module")
def derivatives(imported_table):
    return Derivatives(imported_table)


def test_an_entry_follows_from_those_that_its_decomposition_calls(imported_table, derivatives):
    given = calls(derivatives, addcmul=(random(3), random(3), random(3)), _softmax=(random(2, 3), 1, False))
    found = compare_derived(str(imported_table), derivatives, given)
    assert found.derived() == ["_softmax", "addcmul"]
    assert found.uses["addcmul"] == {"add.Tensor", "mul.Tensor"}
    assert found.entries["addcmul"].samples == 1
    assert summary(found).endswith("2 follow from others, 0 are made of themselves, 0 differ")


def test_a_primitive_does_not_follow_from_itself(imported_table, derivatives):
    found = compare_derived(str(imported_table), derivatives, calls(derivatives, exp=(random(3),)))
    assert (found.derived(), found.primitives(), found.different()) == ([], ["exp"], {})


def test_an_operator_without_a_decomposition_is_compared_only(imported_table, derivatives):
    given = calls(derivatives, mm=(random(2, 3), random(3, 2)))
    found = compare_derived(str(imported_table), derivatives, given)
    assert (found.compared, found.entries) == (1, {})


def test_a_call_without_a_gradient_is_not_compared(imported_table, derivatives):
    given = calls(derivatives, addcmul=(torch.ones(2, dtype=torch.int64),) * 3)
    assert compare_derived(str(imported_table), derivatives, given).compared == 0


def test_what_another_formula_has_wrong_differs(imported_table, tmp_path):
    """The gradients are those of the formulas in the folder, not PyTorch's own."""
    folder = shutil.copytree(imported_table, tmp_path / "formulas")
    text = (folder / "pointwise.py").read_text(encoding="utf-8")
    right = "return grad * aten.conj(result)\n"
    assert text.count(right) >= 1
    (folder / "pointwise.py").write_text(text.replace(right, "return grad * aten.neg(result)\n"), "utf-8")
    derivatives = Derivatives(folder)
    given = calls(derivatives, elu=(random(5), 1.0, 1.0, 1.0), _softmax=(random(2, 3), 1, False))
    found = compare_derived(str(folder), derivatives, given)
    assert found.derived() == ["elu"]
    assert found.different()["_softmax"].startswith("first: input 0: off by")


def test_what_leads_back_to_itself_by_way_of_others_is_not_counted():
    assert well_founded({"a": {"b"}, "b": {"a"}, "c": {"a"}, "d": {"exp"}, "e": {"d"}}) == ["d", "e"]


def test_the_command_prints_what_each_follows_from(imported_table, monkeypatch, capsys):
    arguments = ["derived", str(imported_table), "--samples", "1", "--calls", "1", "--only", "addcdiv"]
    monkeypatch.setattr(sys, "argv", arguments)
    assert main() == 0
    printed = capsys.readouterr().out.splitlines()
    assert "addcdiv: add.Tensor, div.Tensor, mul.Tensor" in printed
    assert printed[-1].startswith("of ")
