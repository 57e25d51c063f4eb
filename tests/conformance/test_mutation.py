"""Writes are counted, and noticed at unpacking by all that saved the memory; what shares it from outside."""

import numpy as np
import pytest

import pullback as pb


def test_writes_bump_the_version_of_all_that_share_memory(engine):
    x = pb.tensor([1.0, 2.0, 3.0])
    view = x[1:]
    x[0] = 5.0
    view += 1.0
    assert x.numpy().tolist() == [5.0, 3.0, 4.0]
    assert x._version == view._version == x.detach()._version == 2


def test_a_saved_input_that_changed_is_an_error(engine):
    w = pb.tensor([1.0, 2.0], requires_grad=True)
    x = pb.tensor([3.0, 4.0], name="batch")
    y = (w * x).sum()
    x[0] = 0.0
    with pytest.raises(pb.SavedVariableError) as caught:
        y.backward()
    message = str(caught.value)
    assert "multiply" in message
    assert "batch" in message
    assert "(2,)" in message
    assert "test_mutation.py:" in message


def test_a_saved_output_that_changed_is_an_error(engine):
    x = pb.tensor([1.0, 2.0], requires_grad=True)
    y = np.exp(x)
    with pb.no_grad():
        y += 1.0
    with pytest.raises(pb.SavedVariableError, match="exp"):
        y.sum().backward()


def test_a_change_of_what_nobody_saved_is_fine(engine):
    w = pb.tensor([1.0, 2.0], requires_grad=True)
    x = pb.tensor([3.0, 4.0])
    y = (w + x).sum()
    x[0] = 0.0
    y.backward()
    assert w.grad.numpy().tolist() == [1.0, 1.0]


def test_a_leaf_may_change_without_recording(engine):
    w = pb.tensor([1.0, 2.0], requires_grad=True)
    (w * w).sum().backward()
    with pb.no_grad():
        w -= 0.5 * w.grad
    assert w.detach().numpy().tolist() == [0.0, 0.0]
    assert w.requires_grad
    assert w.is_leaf


def test_an_array_on_the_left_of_an_in_place_operator_is_refused(engine):
    array = np.zeros(2)
    with pytest.raises(pb.MutationError, match="would lose it"):
        array += pb.tensor([1.0, 2.0], requires_grad=True)


def test_numpy_is_read_only_while_the_value_is_saved(engine):
    w = pb.tensor([1.0, 2.0], requires_grad=True)
    x = pb.tensor([3.0, 4.0])
    before = x.numpy()
    before[0] = 9.0
    assert x.numpy()[0] == 9.0
    y = (w * x).sum()
    for array in (before, x.numpy()):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1.0
    y.backward()
    before[0] = 3.0
    assert w.grad.numpy().tolist() == [9.0, 4.0]
    assert x.numpy()[0] == 3.0


def test_from_numpy_shares_and_tensor_copies(engine):
    array = np.array([1.0, 2.0])
    shared, copied = pb.from_numpy(array), pb.tensor(array)
    array[0] = 5.0
    assert shared.numpy()[0] == 5.0
    assert copied.numpy()[0] == 1.0


def test_results_that_alias_an_input_share_its_version(engine):
    x = pb.tensor(np.zeros((2, 3)))
    for view in (x.T, x.reshape(6), x[0], np.expand_dims(x, 0)):
        before = x._version
        view += 1.0
        assert x._version == before + 1
