"""Writes in place on a tape: the printed program, and the same as Python, give the values there are."""

import io

import numpy as np
import pytest

import pullback as pb

W = np.array([1.0, 2.0, 3.0])


def in_place_operators(w):
    x = w * 2.0
    x *= w
    x += x
    return (x * w).sum()


def items_and_views(w):
    x = w * 2.0
    part = x[1:]
    x[1:] = x[:2] * 3.0
    part *= w[:2]
    x[[0, 2]] = part
    return (x * x).sum() + part.sum()


def a_buffer(w):
    buffer = pb.tensor(np.zeros((2, 3)))
    row = buffer[1]
    buffer[0] = w * w
    np.exp(w, out=row)
    buffer += 1.0
    return (buffer * buffer).sum()


def unrecorded(w):
    scale = pb.tensor([1.0, 1.0, 1.0])
    scale += 2.0
    scale[0] = 5.0
    return (w * scale).sum()


@pytest.mark.parametrize("program", [in_place_operators, items_and_views, a_buffer, unrecorded])
def test_the_program_has_the_values(engine, program):
    w = pb.tensor(W, requires_grad=True, name="w")
    expected = program(w)
    (gradient,) = pb.grad(expected, w)
    with pb.tape(io.StringIO()) as tape:
        total = program(w)
        total.name = "total"
        (again,) = pb.grad(total, w)
    np.testing.assert_allclose(again.numpy(), gradient.numpy())
    parameters = tape.source[tape.source.index("(") + 1 : tape.source.index(")")].split(", ")
    values = tape.function()(**{name: W if name == "w" else np.ones(3) for name in parameters})
    np.testing.assert_allclose(values["total"], expected.item())
    np.testing.assert_allclose(values["dtotal_dw"], gradient.numpy())


def test_what_is_printed(engine):
    w = pb.tensor(W, requires_grad=True, name="w")
    with pb.tape(io.StringIO()) as tape:
        x = w * 2.0
        x -= 1.0
        x[0] = w[1]
    assert tape.lines[:3] == ["v0 = w * 2.0", "v1 = v0 - 1.0", "v0 = v1"]
    assert tape.lines[-1] == "v0 = overwrite(v0, v2, region=<region () of (3,)>)"
