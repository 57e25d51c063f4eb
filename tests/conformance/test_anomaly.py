"""Where a failing backward came from: the note that every error carries, and anomaly mode."""

import re
import threading

import numpy as np
import pytest

import pullback as pb


@pytest.fixture(autouse=True)
def quiet():
    with np.errstate(all="ignore"):
        yield


def notes(caught):
    return "\n".join(getattr(caught.value, "__notes__", ()))


def fail(gradient):
    raise KeyError("inside of the closure")


@pb.formula
def failing(x):
    def failing_pullback(grad):
        return fail(grad)

    return np.exp(x), failing_pullback


def test_an_error_in_a_closure_names_the_forward_line_and_the_formula(engine):
    x = pb.tensor([1.0], requires_grad=True)
    y = failing(x) * 2.0
    with pytest.raises(KeyError, match="inside of the closure") as caught:
        y.sum().backward()
    text = notes(caught)
    assert "while differentiating failing, called at " in text
    assert re.search(r"called at .*test_anomaly.py:\d+; formula at .*test_anomaly.py:\d+:1\n", text)
    assert "def failing(x):" in text
    assert "the forward call" not in text


def test_an_error_in_a_hook_has_the_note_too(engine):
    x = pb.tensor([1.0], requires_grad=True)
    y = np.exp(x)
    y.register_hook(lambda grad: 1 / 0)
    with pytest.raises(ZeroDivisionError) as caught:
        y.sum().backward()
    assert "while differentiating exp, called at " in notes(caught)


def test_the_stack_of_the_forward_call(engine):
    def outer(x):
        return failing(x)  # a line to find

    x = pb.tensor([1.0], requires_grad=True)
    with pb.detect_anomaly():
        y = outer(x).sum()
        with pytest.raises(KeyError) as caught:
            y.backward()
    text = notes(caught)
    assert "the forward call:\n" in text
    assert "return failing(x)  # a line to find" in text
    assert "test_the_stack_of_the_forward_call" in text
    assert text.index("y = outer(x).sum()") < text.index("# a line to find")
    assert "engine/reference" not in text


def test_nan_is_an_error_that_names_the_operator(engine):
    x = pb.tensor([0.0, 1.0], requires_grad=True)
    with pb.detect_anomaly():
        y = (np.sqrt(x) * 0.0).sum()
        with pytest.raises(
            pb.errors.AnomalyError, match=r"derivative of sqrt gave nan.*input 0.*1 of 2"
        ) as caught:
            y.backward()
    assert "np.sqrt(x) * 0.0" in notes(caught)
    assert np.isnan(pb.grad((np.sqrt(x) * 0.0).sum(), x)[0].numpy()[0])


def test_nan_may_be_let_through(engine):
    x = pb.tensor([0.0], requires_grad=True)
    with pb.detect_anomaly(check_nan=False):
        assert pb.is_anomaly_enabled()
        assert not pb.is_anomaly_check_nan_enabled()
        assert np.isnan(pb.grad((np.sqrt(x) * 0.0).sum(), x)[0].item())


def test_a_recorded_backward_shows_both_stacks(engine):
    x = pb.tensor([0.0], requires_grad=True)
    with pb.detect_anomaly():
        y = failing(x * x) * 1.0
        with pytest.raises(KeyError) as caught:
            pb.grad(y.sum(), x, create_graph=True)
    assert "return fail(grad)" not in notes(caught)
    with pb.detect_anomaly(check_nan=False):
        z = np.sqrt(x).sum()  # the inner call
        (dx,) = pb.grad(z, x, create_graph=True)  # the outer call
    with pb.detect_anomaly(), pytest.raises(pb.errors.AnomalyError) as caught:
        (dx * 0.0).sum().backward()
    text = notes(caught)
    assert "recorded by a backward, of what was called here:" in text
    assert text.index("# the outer call") < text.index("# the inner call")


def test_a_forward_outside_of_the_block_is_told_so(engine):
    x = pb.tensor([1.0], requires_grad=True)
    y = failing(x)
    with pb.detect_anomaly(), pytest.raises(KeyError) as caught:
        y.sum().backward()
    assert "anomaly mode was off when it was called" in notes(caught)


def test_the_switch(engine):
    assert not pb.is_anomaly_enabled()
    pb.set_detect_anomaly(True, check_nan=False)
    try:
        assert (pb.is_anomaly_enabled(), pb.is_anomaly_check_nan_enabled()) == (True, False)
        with pb.set_detect_anomaly(True):
            assert pb.is_anomaly_check_nan_enabled()
            seen = []
            thread = threading.Thread(target=lambda: seen.append(pb.is_anomaly_enabled()))
            thread.start()
            thread.join()
            assert seen == [True]
        assert not pb.is_anomaly_check_nan_enabled()
    finally:
        pb.set_detect_anomaly(False)
    with pytest.raises(KeyError), pb.detect_anomaly():
        raise KeyError
    assert not pb.is_anomaly_enabled()
