"""Saved variables: versions, release, and arrays that are handed out meanwhile."""

import numpy as np
import pytest

import pullback as pb


def test_a_change_names_tensor_operator_and_places(apply, squared):
    w = pb.tensor([1.0, 2.0], requires_grad=True, name="weights")
    y = apply(squared, w)
    with pb.no_grad():
        w *= 0.5
    with pytest.raises(pb.errors.SavedVariableError) as caught:
        pb.grad(y, w, np.ones(2))
    message = str(caught.value)
    for part in ("squared", "'weights'", "'x'", "(2,)", "float64", "version 1", "hand.py:1:1"):
        assert part in message
    assert "test_saved.py:" in message, "where it was changed"
    assert "conftest.py:" in message, "where it was saved"


def test_saves_are_counted_and_released(apply, squared):
    x = pb.tensor([1.0, 2.0], requires_grad=True)
    y = apply(squared, x)
    z = apply(squared, x)
    assert x._storage.saves == 2
    pb.grad(y, x, np.ones(2))
    assert x._storage.saves == 1
    del z
    assert x._storage.saves == 0


def test_an_array_handed_out_before_is_protected_meanwhile(apply, squared):
    x = pb.tensor([1.0, 2.0])
    array = x.numpy()
    w = x.requires_grad_()
    y = apply(squared, w)
    assert not array.flags.writeable
    del y
    assert array.flags.writeable


def test_a_read_only_array_stays_read_only():
    array = np.ones(2)
    array.flags.writeable = False
    assert not pb.from_numpy(array).numpy().flags.writeable


def test_a_saved_list_is_checked_too(apply, make):
    join = make(
        "join",
        lambda xs: np.stack(xs),
        lambda saved, grads: ([grads[0][i] * saved[0][i] for i in range(2)],),
        saved=(("input", 0, "xs"),),
        kind="list",
    )
    x, y = pb.tensor(2.0, requires_grad=True), pb.tensor(5.0)
    joined = apply(join, [x, y])
    y += 1.0
    with pytest.raises(pb.errors.SavedVariableError, match="join"):
        pb.grad(joined, x, np.ones(2))


def test_sizes_survive_a_backward_and_arrays_do_not(apply, make):
    plain = make(
        "plain",
        lambda x, kind: (x * 2, 2.0 if kind == "size" else np.full(x.shape, 2.0)),
        lambda saved, grads: saved[0] * grads[0],
        saved=(("plain", 0, "n"),),
        n_plain=1,
    )
    x = pb.tensor([1.0, 2.0], requires_grad=True)
    y = apply(plain, x, kind="size")
    pb.grad(y, x, np.ones(2))
    pb.grad(y, x, np.ones(2))
    y = apply(plain, x, kind="array")
    pb.grad(y, x, np.ones(2))
    with pytest.raises(pb.errors.GraphFreedError, match=r"plain.*conftest.py:\d+"):
        pb.grad(y, x, np.ones(2))
