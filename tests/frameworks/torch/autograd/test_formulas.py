"""A formula that is replaced, or changed in its file, is what the next call uses."""

from __future__ import annotations

import os
import shutil

import pytest

import pullback as pb

pytestmark = pytest.mark.torch
torch = pytest.importorskip("torch")

from pullback import aten  # noqa: E402 - where torch is
from pullback.torch import autograd  # noqa: E402 - where torch is


def tenfold(self):
    result = aten.exp(self)

    def exp_pullback(grad):
        return 10 * grad * result

    return result, exp_pullback


def sevenfold(self):
    return aten.clamp(self, 0, 6), lambda grad: grad * 7


def by_an_intermediate(self):
    square = self * self

    def sinh_pullback(grad):
        return grad * square

    return square * self / 3, sinh_pullback


@pytest.fixture
def own(imported_table):
    return autograd.Formulas(imported_table)


def gradient(formulas, function, value=0.0):
    x = torch.tensor(value, dtype=torch.float64, requires_grad=True)
    with autograd.record(formulas):
        return autograd.grad(function(x), x)[0].item()


def test_a_formula_is_replaced_and_restored(own):
    own["exp"] = tenfold
    assert gradient(own, torch.exp) == 10.0
    assert gradient(own, lambda x: (x * 1).exp_()) == 10.0
    del own["exp"]
    assert gradient(own, torch.exp) == 1.0


def test_a_formula_of_a_composite_operator(own):
    assert gradient(own, torch.nn.functional.relu6, 1.0) == 1.0
    own["relu6"] = sevenfold
    assert gradient(own, torch.nn.functional.relu6, 1.0) == 7.0


def test_unknown_operators_are_refused(own):
    with pytest.raises(KeyError, match="no operator 'sine'"):
        own["sine"] = tenfold
    with pytest.raises(TypeError, match="is a function"):
        own["sin"] = 3


def test_an_intermediate_is_differentiated(own):
    """The closure captures what is neither input nor result: its derivative is the second one's."""
    own["sinh"] = by_an_intermediate
    x = torch.tensor(3.0, dtype=torch.float64, requires_grad=True)
    with autograd.record(own):
        (first,) = autograd.grad(torch.sinh(x), x, create_graph=True)
        (second,) = autograd.grad(first, x)
    assert (first.item(), second.item()) == (9.0, 6.0)


def test_a_changed_file_is_read_again(imported_table, tmp_path):
    folder = shutil.copytree(imported_table, tmp_path / "formulas")
    formulas = autograd.Formulas(folder)
    assert gradient(formulas, torch.sin) == 1.0
    file = folder / "pointwise.py"
    text = file.read_text()
    assert "grad * aten.conj(aten.cos(self))" in text
    file.write_text(text.replace("grad * aten.conj(aten.cos(self))", "grad * 5"))
    os.utime(file, ns=(1, 1))
    assert gradient(formulas, torch.sin) == 5.0


def test_a_gradient_of_a_wrong_shape_names_the_formula(own):
    def sin(self):
        return aten.sin(self), lambda grad: torch.ones(2, 3)

    own["sin"] = sin
    x = torch.ones(4, requires_grad=True)
    with autograd.record(own):
        y = x.sin().sum()
    with pytest.raises(pb.errors.GradientShapeError, match=r"test_formulas.py:\d+: sin gave .* 'self'"):
        autograd.backward(y)
