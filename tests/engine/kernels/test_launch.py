import numpy as np
import pytest

import pullback as pb
from pullback.engine.kernels import NotTaken

from .programs import arithmetic, total

pytestmark = pytest.mark.compiler


@pytest.fixture(scope="module")
def kernel():
    return pb.compile(arithmetic, order=0).operator().kernel


def test_it_has_addresses_and_a_layout(kernel):
    assert kernel.infer_address != kernel.run_address
    assert [entry.code for entry in kernel.kernel.inputs] == ["T", "T"]
    assert [entry.var.name for entry in kernel.kernel.inputs] == ["a", "b"]


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ([np.ones(2), np.ones(3)], "broadcast"),
        ([np.ones(2), np.ones(2, np.float32)], "unexpected dtype"),
        ([np.ones(2, int), np.ones(2, int)], "float32 and float64 only"),
        ([np.ones((1,) * 9), np.ones(1)], "9 dimensions"),
        ([np.ones(2, ">f8"), np.ones(2)], "no kernel takes >f8"),
        ([1.0, 2.0], "a number where an array"),
        ([np.ones(2), None], "missing"),
    ],
)
def test_what_it_does_not_take_is_told(kernel, arguments, why):
    with pytest.raises(NotTaken, match=why):
        kernel(arguments)


def test_unaligned_and_odd_strides_are_copied(kernel):
    record = np.zeros(3, np.dtype([("pad", "u1"), ("x", "f8")]))
    record["x"] = [1.0, 2.0, 3.0]
    found = kernel([record["x"], np.ones(3)])[0]
    np.testing.assert_allclose(found, arithmetic(record["x"], np.ones(3)))


def test_an_output_that_nobody_needs_is_not_made(kernel):
    needed = [False] * len(kernel.kernel.outputs)
    assert kernel([np.ones(3), np.ones(3)], needed) == [None] * len(needed)


def test_read_only_inputs_are_taken():
    kernel = pb.compile(total, order=0).operator().kernel
    x = np.arange(4.0)
    x.flags.writeable = False
    assert kernel([x, x])[0] == 14.0
