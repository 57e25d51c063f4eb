"""What kernels do before and after their loops: `include/pullback/kernel/calls.h`."""

import ctypes

import numpy as np
import pytest

import pullback as pb
from pullback.engine.kernels import NotTaken, abi, launch


def diagonal_below_one(x):
    for _ in range(20):
        if np.max(x) < 1.0:
            break
        x = x / 2
    return np.trace(x)


@pytest.mark.compiler
def test_outputs_that_a_refusal_left_undescribed_are_not_read(monkeypatch):
    def filled(kind, length):
        def made(*values):
            array = (kind * max(1, length))(*values)
            if kind is abi.Spec:
                ctypes.memset(array, 0x7F, ctypes.sizeof(array))
            return array

        return made

    kernel = pb.compile(diagonal_below_one, order=0).operator().kernel
    monkeypatch.setattr(launch, "_array", filled)
    with pytest.raises(NotTaken, match="an axis is out of bounds"):
        kernel([np.ones(3)])
