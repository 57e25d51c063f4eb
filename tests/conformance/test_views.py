"""Views share memory, versions and history: a write through one is seen, and differentiated, through all."""

import gc
import weakref

import numpy as np
import pytest

import pullback as pb
import pullback.numpy as pnp

A = np.arange(1.0, 25.0).reshape(2, 3, 4) / 12

VIEWS = {
    "slice": lambda x: x[:, 1:],
    "step": lambda x: x[..., ::-2],
    "entry": lambda x: x[1, 2, 0, ...],
    "new axis": lambda x: x[:, None, 1],
    "transpose": lambda x: np.transpose(x, (2, 0, 1)),
    "T": lambda x: x.T,
    "mT": lambda x: x.mT,
    "swapaxes": lambda x: x.swapaxes(0, 2),
    "moveaxis": lambda x: np.moveaxis(x, 0, -1),
    "reshape": lambda x: x.reshape(6, 4),
    "ravel": lambda x: x.ravel(),
    "flip": lambda x: np.flip(x, 1),
    "diagonal": lambda x: np.diagonal(x, 1, 1, 2),
    "squeeze": lambda x: x[:1].squeeze(0),
    "expand_dims": lambda x: np.expand_dims(x, (0, 2)),
    "split": lambda x: np.split(x, [1], axis=1)[1],
    "array_split": lambda x: np.array_split(x, 3, axis=2)[0],
    "iteration": lambda x: list(x)[1],
    "chain": lambda x: x[1:].T[::2].reshape(2, 3)[:, ::-1],
    "pullback.numpy": lambda x: pnp.swapaxes(pnp.reshape(x, (4, 6)), 0, 1),
}
view = pytest.mark.parametrize("look", VIEWS.values(), ids=VIEWS.keys())


@view
def test_memory_and_version_are_shared(engine, look):
    x = pb.tensor(A)
    part = look(x)
    assert np.shares_memory(part.numpy(), x.numpy())
    assert part._base is x
    part += 1
    x *= 2
    assert x._version == part._version == 2
    expected = A.copy()
    look_at_array(look, expected)[...] += 1
    np.testing.assert_array_equal(x.numpy(), 2 * expected)


def look_at_array(look, array):
    """The same view of an array."""
    shared = pb.from_numpy(array)
    return look(shared)._array


@view
def test_a_write_into_a_view_reaches_the_base(engine, look):
    def program(a, b):
        x = a * 1.5
        other = x.reshape(-1)[::2]
        part = look(x)
        part *= look(a) * b
        return (x * x * a).sum() + (other * other).sum() + part.sum()

    check(program)


@view
def test_a_write_into_the_base_reaches_a_view(engine, look):
    def program(a, b):
        x = a * 1.5
        part = look(x)
        x *= b * a
        x[0, 0] = b
        return (part * part).sum()

    check(program)


@view
def test_a_base_without_history(engine, look):
    def program(a, b):
        x = pb.tensor(np.zeros_like(A)) if isinstance(a, pb.Tensor) else np.zeros_like(A)
        part, other = look(x), x.T[1]
        if isinstance(a, pb.Tensor):
            part[...] = look(a) * b
        else:
            x = x + 0  # on arrays: the same values
            look_at_array(look, x)[...] = look_at_array(look, a) * b
            part, other = look_at_array(look, x), x.T[1]
        return (x * x).sum() + (part * other.sum()).sum()

    check(program)


def check(program):
    """First and second derivative against finite differences."""
    assert pb.gradcheck(program, A.copy(), np.array(0.8), order=2, rtol=1e-4, atol=1e-5)


def test_a_copy_is_no_view(engine):
    x = pb.tensor(A)
    for copy in (x.copy(), np.copy(x), x.flatten(), x[[0, 1]], x[x > 1], x + 0, x.T.reshape(-1), x[1, 2, 0]):
        assert copy._base is None
        copy += 1
        assert x._version == 0


def test_a_view_of_a_view_knows_the_first_base(engine):
    x = pb.tensor(A, requires_grad=True) * 1
    part = x[1].T[2:]
    assert part._base is x
    name = part.grad_fn.name
    x += 1
    assert (name, part.grad_fn.name) == ("getitem", "take_region")
    assert part.grad_fn is part.grad_fn


def test_the_history_of_an_old_view_is_made_when_asked_for(engine):
    w = pb.tensor([1.0, 2.0], requires_grad=True)
    x = pb.tensor(np.zeros((2, 2)))
    part = x.T[0]
    assert not part.requires_grad
    x[0] = w
    assert part.requires_grad
    assert not part.is_leaf
    (gradient,) = pb.grad((part * 3).sum(), w)
    assert gradient.numpy().tolist() == [3.0, 0.0]
    x[...] = 0
    assert not part.requires_grad
    assert part.is_leaf


def test_gradients_with_respect_to_views(engine):
    x = pb.tensor([1.0, 2.0, 3.0], requires_grad=True) * 2
    part = x[1:]
    x *= x
    (gradient,) = pb.grad((part * part).sum(), part)
    assert gradient.numpy().tolist() == [32.0, 72.0]
    part.retain_grad()
    (part * 2).sum().backward()
    assert part.grad.numpy().tolist() == [2.0, 2.0]


def test_layouts_of_the_base(engine):
    """Bases in column order, with gaps, reversed: whatever NumPy's memory looks like."""
    w = pb.tensor([0.5, 1.5, 2.5], requires_grad=True)
    memory = np.zeros((4, 9))
    record = np.zeros((2, 3), [("a", "i4"), ("b", "f8")])
    for array in (
        np.zeros((3, 2)).T,
        np.zeros((2, 3), order="F"),
        memory[::2, ::3],
        memory[:2, 2::-1],
        record["b"],
    ):
        x = pb.from_numpy(array)
        parts = [x[0], x.T[1:], x[::-1, ::2]]
        x[1] = w * w
        parts[0][...] = w
        parts[1] *= w[1:, None]
        expected = np.stack([w, w * w])
        expected[:, 1:] *= w[1:]
        np.testing.assert_array_equal(x.detach().numpy(), expected.detach().numpy())
        np.testing.assert_array_equal(array, expected.detach().numpy())
        ours = pb.grad((x * x).sum() + (parts[2] * 3).sum(), w, create_graph=True)[0]
        theirs = pb.grad((expected**2).sum() + (expected[:, ::2] * 3).sum(), w, create_graph=True)[0]
        np.testing.assert_allclose(ours.detach().numpy(), theirs.detach().numpy())
        second = [pb.grad(first.sum(), w)[0].numpy() for first in (ours, theirs)]
        np.testing.assert_allclose(*second)


# detach


def test_a_detached_view_shares_memory_and_version_only(engine):
    w = pb.tensor([1.0, 2.0], requires_grad=True)
    x = w * 2
    part = x[1:].detach()
    part += 1
    assert x.detach().numpy().tolist() == [2.0, 5.0]
    assert x._version == 1
    assert x.grad_fn.name == "multiply"
    part *= w[0]
    assert part.requires_grad
    assert x.grad_fn.name == "multiply"


def test_a_write_into_a_detached_leaf_is_noticed(engine):
    w = pb.tensor([1.0, 2.0], requires_grad=True)
    y = (w * w).sum()
    w.detach()[0] = 5.0
    with pytest.raises(pb.errors.SavedVariableError):
        y.backward()


# views that are refused


def test_views_made_with_recording_off(engine):
    w = pb.tensor([1.0, 2.0], requires_grad=True, name="w")
    x = w * 2
    with pb.no_grad():
        part = x[1:]
        part += 1
    with pytest.raises(pb.errors.MutationError, match="recording off"):
        part *= 2
    with pytest.raises(pb.errors.MutationError, match="recording off"):
        part[:1].copy_(w[0])
    x *= 2
    with pytest.raises(pb.errors.MutationError, match="recording off"):
        part * 2
    assert "recording off" in repr(part)


def test_views_made_and_written_with_recording_off(engine):
    w = pb.tensor([1.0, 2.0], requires_grad=True)
    with pb.no_grad():
        part = w[1:]
        part += 1
        w *= 2
    assert not part.requires_grad
    assert (part * w[0]).requires_grad
    assert w.detach().numpy().tolist() == [2.0, 6.0]


def test_a_formula_that_returns_a_view_of_its_input(engine):
    @pb.formula
    def reversed_gradient(x):
        def reversed_gradient_pullback(grad):
            return -grad.reshape(x.shape)

        return x.reshape(-1), reversed_gradient_pullback

    w = pb.tensor([[1.0, 2.0]], requires_grad=True)
    x = w * 2
    part = reversed_gradient(x)
    assert np.shares_memory(part.detach().numpy(), x.detach().numpy())
    assert pb.grad(part.sum(), w, retain_graph=True)[0].numpy().tolist() == [[-2.0, -2.0]]
    with pytest.raises(pb.errors.MutationError, match="formula"):
        part *= 2
    with pytest.raises(pb.errors.MutationError, match="formula"):
        part[0] = w[0, 0]
    x += 1
    with pytest.raises(pb.errors.MutationError, match="formula"):
        part * 2


def test_a_view_that_was_made_a_leaf(engine):
    w = pb.tensor([1.0, 2.0], requires_grad=True)
    x = pb.tensor([0.0, 0.0])
    part = x[:1].requires_grad_()
    with pytest.raises(pb.errors.MutationError, match=r"pb\.no_grad"):
        part += 1
    with pytest.raises(pb.errors.MutationError, match="made a leaf"):
        part[:].copy_(w[0])
    x[1] = w[0]
    with pytest.raises(pb.errors.MutationError, match="made a leaf"):
        part * 2


# lifetimes


def test_nothing_is_kept_alive_by_a_cycle(engine):
    gc.disable()
    try:
        w = pb.tensor([1.0, 2.0], requires_grad=True)
        x = w * 2
        part = x[1:]
        part *= w[:1]
        x += part.sum()
        y = (x * x).sum()
        y.backward(create_graph=False)
        gone = [weakref.ref(thing) for thing in (x, part, x.grad_fn, y.grad_fn)]
        del x, part, y
        assert [ref() for ref in gone] == [None] * 4
    finally:
        gc.enable()


def test_a_buffer_that_is_filled_again_and_again_keeps_no_history(engine):
    w = pb.tensor([1.0, 2.0], requires_grad=True)
    buffer = pb.tensor([0.0, 0.0])
    nodes = []
    for _ in range(5):
        buffer[...] = w * 2
        nodes.append(weakref.ref(buffer.grad_fn))
    assert [ref() is not None for ref in nodes] == [False] * 4 + [True]


def residual(w):
    x = w * 2
    x += x * x
    return x


def residual_through_a_view(w):
    x = w * 2
    part = x[1:]
    x[:1] = part * part
    return x


def residual_of_a_product(w):
    x = np.stack([w, w])
    x += x @ np.ones((2, 2))
    return x


def residual_of_a_buffer(w):
    x = pb.tensor([1.0, 2.0])
    x += w * x
    return x


@pytest.mark.parametrize(
    "program", [residual, residual_through_a_view, residual_of_a_product, residual_of_a_buffer]
)
def test_a_graph_of_values_that_were_written_goes_without_the_cycle_collector(engine, program):
    """Its backward would be an error, but a forward alone is none, and must not leak."""
    gc.disable()
    try:
        w = pb.tensor([1.0, 2.0], requires_grad=True)
        x = program(w)
        gone = [weakref.ref(x), weakref.ref(x.grad_fn)]
        del x
        assert all(ref() is None for ref in gone)
    finally:
        gc.enable()
