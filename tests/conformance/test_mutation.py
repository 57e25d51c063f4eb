"""Writes are counted, and noticed at unpacking by all that saved the memory; what shares it from outside."""

from pathlib import Path

import numpy as np
import pytest

import pullback as pb
import pullback.numpy as pnp
from pullback import primitives


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
    with pytest.raises(pb.errors.SavedVariableError) as caught:
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
    with pytest.raises(pb.errors.SavedVariableError, match="exp"):
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
    with pytest.raises(pb.errors.MutationError, match="would lose it"):
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


# The error names operator, value, and both places, whatever the way of the write.

WAYS = {
    "x += value": lambda x: x.__iadd__(1.0),
    "x[index] = value": lambda x: x.__setitem__(0, 1.0),
    "out= of np.add": lambda x: np.add(x, 1.0, out=x),
    "out= of exp": lambda x: pnp.exp(x, out=x),
    "x.mul_(other)": lambda x: x.mul_(2.0),
    "x *= value": lambda x: x[1:].__imul__(2.0),
    "np.put": lambda x: np.put(x, [0], 1.0),
    "x -= value": lambda x: x.detach().T.__isub__(1.0),
}


@pytest.mark.parametrize("way", WAYS)
def test_the_error_names_both_places(engine, way):
    w = pb.tensor([1.0, 2.0], requires_grad=True)
    x = pb.tensor([3.0, 4.0], name="batch")
    y = (w * x).sum()  # saved
    WAYS[way](x)
    with pytest.raises(pb.errors.SavedVariableError) as caught:
        y.backward()
    message = str(caught.value)
    lines = {line.split()[0]: line for line in message.splitlines()}
    assert "multiply saved its input (tensor 'batch') 'y' of shape (2,) and dtype float64" in message
    assert f"{__file__}:{line_of('# saved')} by multiply (formula at" in lines["saved"]
    written = line_of(f'"{way}":')
    assert f"{__file__}:{written} by {way}" in lines["now"]
    assert "saved at version 0" in message
    assert "now at version 1" in message


def line_of(text):
    """The line of this file that has the text first."""
    lines = Path(__file__).read_text().splitlines()
    return next(number for number, line in enumerate(lines, 1) if text in line)


@pytest.mark.parametrize("operator", [np.exp, np.tanh, np.sqrt])
def test_a_saved_output_written_through_a_view(engine, operator):
    w = pb.tensor([1.0, 2.0], requires_grad=True)
    y = operator(w)
    y[:1] *= 2
    with pytest.raises(pb.errors.SavedVariableError, match=rf"{operator.__name__} saved its output .*\(2,\)"):
        y.sum().backward()


def test_a_hidden_output_that_views_an_input(engine):
    @pb.formula
    def row_times(x):
        t = x * x
        h = t[0]

        def row_times_pullback(grad):
            return primitives.unslice(2 * grad * h * x[0], index=0, shape=x.shape)

        return h * h * 0.5, row_times_pullback

    w = pb.tensor([[1.0, 2.0]], requires_grad=True)
    x = w * 2
    y = row_times(x).sum()
    x += 1
    with pytest.raises(pb.errors.SavedVariableError, match="row_times"):
        y.backward()


def test_a_value_of_a_list_of_inputs(engine):
    w = pb.tensor([1.0, 2.0], requires_grad=True)
    x = pb.tensor([3.0, 4.0])
    y = np.einsum("i,i,i->", w, x, w.detach())
    x[0] = 0.0
    with pytest.raises(pb.errors.SavedVariableError, match=r"contract saved its input"):
        y.backward()


def test_only_what_the_wanted_gradients_read_must_be_unchanged(engine):
    w = pb.tensor([1.0, 2.0], requires_grad=True)
    x = w * 3
    y = x * 3
    x += 1
    assert pb.grad(y.sum(), w)[0].numpy().tolist() == [9.0, 9.0]
    v = pb.tensor([5.0, 7.0], requires_grad=True)
    z = (w * v).sum()
    with pb.no_grad():
        w += 1
    assert pb.grad(z, w, retain_graph=True)[0].numpy().tolist() == [5.0, 7.0]
    with pytest.raises(pb.errors.SavedVariableError):
        pb.grad(z, v)


def test_under_create_graph(engine):
    """Values saved by a recorded backward are watched as well."""
    w = pb.tensor([1.0, 2.0], requires_grad=True)
    (first,) = pb.grad((w**3).sum(), w, create_graph=True)
    product = first * first
    first *= 2
    with pytest.raises(pb.errors.SavedVariableError, match="multiply saved its input"):
        pb.grad(product.sum(), w)
    seed = pb.tensor([1.0, 1.0])
    (first,) = pb.grad(w * w, w, seed, create_graph=True)
    seed *= 3
    with pytest.raises(pb.errors.SavedVariableError):
        pb.grad(first.sum(), w)


def test_a_graph_that_lives_on_while_a_buffer_is_written(engine):
    """Steps of a recurrence into one buffer: what the buffer holds is not saved, copies are."""
    w = pb.tensor(0.5, requires_grad=True)
    states = pb.tensor(np.zeros((4, 2)))
    state = pb.tensor([1.0, 2.0])
    for step in range(4):
        state = np.tanh(state * w)
        states[step] = state
    plain, state = [], pb.tensor([1.0, 2.0])
    for _ in range(4):
        state = np.tanh(state * w)
        plain.append(state)
    pair = [(s * s).sum() for s in (states, np.stack(plain))]
    for _ in range(3):
        pair = [pb.grad(value, w, create_graph=True)[0] for value in pair]
        np.testing.assert_allclose(pair[0].detach().numpy(), pair[1].detach().numpy())


def test_a_hook_or_a_closure_may_write(engine):
    w = pb.tensor([1.0, 2.0], requires_grad=True)
    log = pb.tensor([0.0, 0.0])

    def note(grad):
        log[...] = grad * 2
        scaled = grad * 1
        scaled[0] = 0.0
        return scaled

    x = w * 3
    x.register_hook(note)
    x.sum().backward()
    assert log.numpy().tolist() == [2.0, 2.0]
    assert w.grad.numpy().tolist() == [0.0, 3.0]
    buffer = w * 1
    (first,) = pb.grad((buffer * buffer).sum(), w, create_graph=True)
    first[0] *= w[1]
    assert pb.grad(first.sum(), w)[0].numpy().tolist() == [4.0, 4.0]
