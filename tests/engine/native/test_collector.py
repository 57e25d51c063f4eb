"""What the cycle collector sees: tensors of a graph and nodes go onto its list and off it, among others."""

import gc
import random

import numpy as np
import pytest

import pullback as pb

pytestmark = pytest.mark.native


def seen(value):
    return any(one is value for one in gc.get_objects())


def test_it_sees_what_is_recorded_and_no_other_tensor():
    x = pb.tensor([1.0, 2.0], requires_grad=True)
    y = x * x
    assert all(gc.is_tracked(one) and seen(one) for one in (x, y, y.grad_fn))
    with pb.no_grad():
        assert not gc.is_tracked(x * x)
    assert not gc.is_tracked(pb.tensor([1.0]) * 2.0)


def test_the_list_is_whole_whoever_leaves_it_first():
    order = random.Random(0)
    x = pb.tensor(np.ones(4, np.float32), requires_grad=True)
    kept = []
    for turn in range(300):
        kept.append([x * x if turn % 3 else [turn]])
        if turn % 50 == 49:
            gc.collect(turn % 2)
        if len(kept) > 20:
            kept.pop(order.randrange(len(kept)))
    alive = {id(one) for one in gc.get_objects()}
    assert all(id(one) in alive and id(one[0]) in alive for one in kept)
    inner = [one[0] for one in kept if isinstance(one[0], pb.Tensor)]
    assert all(id(tensor.grad_fn) in alive for tensor in inner)
