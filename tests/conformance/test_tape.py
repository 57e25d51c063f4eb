"""The printed tape of named tensors, in the notebook's form."""

import gc
import io
import weakref

import numpy as np
import pytest

import pullback as pb

from .formulas import simple


def test_the_notebooks_trace(engine, capsys):
    a = pb.tensor([1.0, 2.0], requires_grad=True, name="a")
    b = pb.tensor([3.0, 4.0], requires_grad=True, name="b")
    with pb.tape() as tape:
        loss = ((a + b) * b).sum()
        loss.name = "L0"
        da, db = pb.grad(loss, [a, b])
    lines = tape.lines
    assert lines[:3] == ["v0 = a + b", "v1 = v0 * b", "v2 = v1.sum()"]
    assert lines[3] == "dL0 ------------------------"
    gradients = dict(line.split(" = ") for line in lines if line.startswith("dL0_d"))
    steps = dict(line.split(" = ") for line in lines[5:] if line.startswith("v"))
    assert steps[gradients["dL0_da"]].endswith("* b")
    assert "+" in steps[gradients["dL0_db"]]
    assert "dL0_dL0" in gradients
    assert lines[-1] == "------------------------"
    assert capsys.readouterr().out.splitlines() == str(tape).splitlines() == lines
    np.testing.assert_allclose(da.numpy(), [3.0, 4.0])
    np.testing.assert_allclose(db.numpy(), [7.0, 10.0])
    assert not da.requires_grad


def test_backward_is_printed_and_accumulates_once(engine):
    x = pb.tensor(3.0, requires_grad=True, name="x")
    text = io.StringIO()
    with pb.tape(text):
        (x * x).backward()
    assert x.grad.item() == 6.0
    assert "v0 = x * x\n" in text.getvalue()
    assert "dv0_dx = " in text.getvalue()


def test_second_derivatives_are_traced_by_the_same_names(engine):
    x = pb.tensor(3.0, requires_grad=True, name="x")
    with pb.tape(io.StringIO()) as tape:
        (dx,) = pb.grad(x * x * x, x, create_graph=True)
        (ddx,) = pb.grad(dx, x)
    assert ddx.item() == 18.0
    assert any(line.startswith(f"d{dx.name}_dx = ") for line in tape.lines)


def test_an_unused_input_is_the_same_error_under_a_tape(engine):
    x = pb.tensor(3.0, requires_grad=True, name="x")
    y = pb.tensor(3.0, requires_grad=True, name="y")
    with pb.tape(io.StringIO()):
        assert pb.grad(x * x, [x, y], allow_unused=True)[1] is None
        with pytest.raises(pb.errors.UnusedInputError, match="'y'"):
            pb.grad(x * x, [y])


def test_functions_without_derivative_indexes_and_lists_print(engine):
    x = pb.tensor([1.0, -1.0], requires_grad=True, name="x")
    with pb.tape(io.StringIO()) as tape:
        np.where(x > 0, x, 0.0)
        x[0]
        np.concatenate([x, x])
        np.exp(-x)
    assert tape.lines == [
        "v0 = x > 0",
        "v1 = where(v0, x, 0.0)",
        "v2 = x[0]",
        "v3 = concatenate([x, x], axis=0)",
        "v4 = -x",
        "v5 = exp(v4)",
    ]


def test_tapes_nest(engine):
    x = pb.tensor(3.0, requires_grad=True, name="x")
    with pb.tape(io.StringIO()) as outer:
        with pb.tape(io.StringIO()) as inner:
            np.exp(x)
        np.sin(x)
    assert inner.lines == ["v0 = exp(x)"]
    assert outer.lines == ["v0 = sin(x)"]


def test_nothing_is_printed_after_the_block(engine, capsys):
    x = pb.tensor(3.0, requires_grad=True, name="x")
    with pb.tape(io.StringIO()):
        pass
    pb.grad(x * x, x)
    assert capsys.readouterr().out == ""


def by_name(tape, **tensors):
    """What the tape's function computes of the arrays under these tensors."""
    return tape.function()(**{name: tensor.detach().numpy() for name, tensor in tensors.items()})


def test_the_same_program_as_straight_line_python(engine):
    a = pb.tensor([1.0, 2.0], requires_grad=True, name="a")
    b = pb.tensor([3.0, 4.0], requires_grad=True, name="b")
    with pb.tape(io.StringIO()) as tape:
        loss = ((a + b) * b).sum()
        loss.name = "L0"
        da, db = pb.grad(loss, [a, b])
    lines = tape.source.splitlines()
    assert "def program(a, b):" in lines
    assert "    v1 = v0 * b" in lines
    assert "    L0 = v2" in lines
    assert "    # dL0" in lines
    values = by_name(tape, a=a, b=b)
    assert values["L0"] == loss.item()
    np.testing.assert_array_equal(values["dL0_da"], da.numpy())
    np.testing.assert_array_equal(values["dL0_db"], db.numpy())
    assert tape.function()(np.zeros(2), np.ones(2))["L0"] == 2.0


def test_its_values_are_those_of_the_program(engine):
    x = pb.tensor(np.linspace(-1, 1, 6).reshape(2, 3), requires_grad=True, name="x")
    w = pb.tensor(np.linspace(1, 2, 3), requires_grad=True, name="w-1")
    mask = np.array([True, False, True])
    with pb.tape(io.StringIO()) as tape:
        y = simple(x, w)
        z = np.where(mask, np.exp(y), y[:, ::-1]) @ w
        u = np.concatenate([z, x.reshape(-1)[:2].astype(np.float64)])
        value = np.linalg.norm(u) + u.max() - np.var(x, axis=0, keepdims=True).sum()
        (dx,) = pb.grad(value, x, create_graph=True)
        (ddx,) = pb.grad((dx * dx).sum(), x)
    values = by_name(tape, x=x, w_1=w)
    for tensor in (y, z, u, value, dx, ddx):
        np.testing.assert_allclose(values[tensor.name], tensor.detach().numpy(), rtol=1e-12)


def test_a_debugger_finds_the_lines(engine):
    import linecache

    x = pb.tensor(3.0, requires_grad=True, name="x")
    with pb.tape(io.StringIO()) as tape:
        np.exp(x)
    function = tape.function()
    code = function.__code__
    line = code.co_firstlineno + 1
    assert linecache.getline(code.co_filename, line).strip() == "v0 = np.exp(x)"


def test_a_tape_and_what_it_saw_go_without_the_collector(engine):
    gc.collect()
    gc.disable()
    try:
        a = pb.tensor([1.0, 2.0], requires_grad=True, name="a")
        with pb.tape(io.StringIO()) as tape:
            y = np.exp(a) * a
            pb.grad(y.sum(), a)
        seen = [weakref.ref(y), weakref.ref(y.grad_fn), weakref.ref(tape)]
        assert "def program(a):" in tape.source
        del y, tape
        assert [ref() for ref in seen] == [None] * 3
    finally:
        gc.enable()
