"""An error of a backward names the forward call; anomaly mode shows its stack, and makes a nan an error."""

from __future__ import annotations

import pytest

import pullback as pb

pytestmark = [pytest.mark.torch, pytest.mark.filterwarnings("ignore:Anomaly Detection")]
torch = pytest.importorskip("torch")

from pullback import aten  # noqa: E402 - where torch is
from pullback.torch import autograd  # noqa: E402 - where torch is

MODES = [torch.autograd.detect_anomaly, pb.detect_anomaly]


def called_here(function, x):
    return function(x * 0).sum()


def noted(error):
    (note,) = error.value.__notes__
    return note


@pytest.mark.parametrize("mode", MODES)
def test_a_nan_shows_the_forward_call(formulas, mode):
    x = torch.zeros(2, requires_grad=True)
    with (
        mode(),
        autograd.record(formulas),
        pytest.raises(pb.errors.AnomalyError, match="sqrt gave nan for its input 'self': 2 of 2") as error,
    ):
        (called_here(torch.sqrt, x) * 0).backward()
    note = noted(error)
    assert "while differentiating sqrt" in note
    assert "the forward call:" in note
    assert "in called_here\n    return function(x * 0).sum()" in note
    assert "pullback/torch" not in note.partition("the forward call:")[2]


@pytest.mark.parametrize("mode", MODES)
def test_without_the_check_a_nan_goes_on(formulas, mode):
    x = torch.zeros(2, requires_grad=True)
    with mode(check_nan=False), autograd.record(formulas):
        (called_here(torch.sqrt, x) * 0).backward()
    assert x.grad.isnan().all()


@pytest.mark.parametrize("mode", MODES)
def test_a_saved_tensor_that_was_changed_shows_the_forward_call(formulas, mode):
    x = torch.ones(2, requires_grad=True)
    with mode(), autograd.record(formulas):
        y = x * 1
        z = called_here(lambda zero: (zero + y).sin() * y, x)
        y.add_(1)
        with pytest.raises(pb.errors.SavedVariableError) as error:
            z.backward()
    assert "in called_here" in noted(error)


def test_an_error_of_a_formula_names_the_call_and_shows_it_in_anomaly_mode(imported_table):
    def sinh(self):
        def sinh_pullback(grad):
            raise ZeroDivisionError

        return aten.sinh(self), sinh_pullback

    own = autograd.Formulas(imported_table)
    own["sinh"] = sinh
    x = torch.ones(2, requires_grad=True)
    with autograd.record(own):
        y = called_here(torch.sinh, x)
        with pytest.raises(ZeroDivisionError) as error:
            y.backward()
        assert noted(error).startswith("while differentiating sinh, called at ")
        assert "the forward call" not in noted(error)
        with pb.detect_anomaly():
            z = called_here(torch.sinh, x)
        with pytest.raises(ZeroDivisionError) as error:
            z.backward()
        assert "in called_here" in noted(error)
