"""Hooks on saved tensors: what they get, what they may return, and that derivatives don't notice them."""

import numpy as np
import pytest

import pullback as pb

X = np.array([0.3, -0.7, 1.1])


class Shelf:
    """Packs a tensor into a number, and keeps the arrays itself."""

    def __init__(self):
        self.arrays = []
        self.unpacked = []

    def pack(self, tensor):
        assert not tensor.requires_grad
        self.arrays.append(np.array(tensor.numpy()))
        return len(self.arrays) - 1

    def unpack(self, number):
        self.unpacked.append(number)
        return pb.tensor(self.arrays[number])

    def __call__(self):
        return pb.saved_tensors_hooks(self.pack, self.unpack)


@pb.formula
def hidden(a, b):
    t = a + b
    mask = a > 0
    r = t * b * mask

    def hidden_pullback(grad):
        return grad * b * mask, grad * t * mask + grad * b * mask

    return r, hidden_pullback


def program(x):
    y = np.exp(hidden(x, np.sin(x * 2)))
    return np.where(y > 0.5, y, y * y).sum() + np.concatenate([x, y]).max() * x[0]


@pytest.mark.parametrize("order", [1, 2, 3])
def test_derivatives_are_those_of_the_plain_program(engine, order):
    found = []
    for hooks in (Shelf(), pb.no_grad):
        x = pb.tensor(X, requires_grad=True)
        if isinstance(hooks, Shelf):
            with hooks():
                y = program(x)
        else:
            y = program(x)
        for _ in range(order):
            (y,) = pb.grad(y.sum(), x, create_graph=True)
        found.append(y.detach().numpy())
    np.testing.assert_array_equal(*found)


def test_what_is_packed_and_when_it_is_unpacked(engine):
    shelf = Shelf()
    a = pb.tensor(X, requires_grad=True)
    with shelf():
        y = hidden(a, a * 2)
    assert [array.dtype.kind for array in shelf.arrays].count("b") == 1
    packed = len(shelf.arrays)
    assert shelf.unpacked == []
    y = np.exp(y)
    assert len(shelf.arrays) == packed
    pb.grad(y.sum(), a, retain_graph=True)
    first = list(shelf.unpacked)
    assert first
    pb.grad(y.sum(), a)
    assert shelf.unpacked == first * 2


def test_leaves_and_outputs_keep_their_place_in_the_graph(engine):
    x = pb.tensor(X, requires_grad=True)
    with pb.saved_tensors_hooks(lambda t: t.numpy().tolist(), lambda values: np.array(values)):
        y = (x * np.exp(x)).sum()
    (dx,) = pb.grad(y, x, create_graph=True)
    dx.sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), (2 + X) * np.exp(X))


def test_the_innermost_block_counts(engine):
    outer, inner = Shelf(), Shelf()
    x = pb.tensor(X, requires_grad=True)
    with outer():
        np.exp(x)
        with inner():
            np.exp(x)
            np.exp(x)
        np.sin(x)
    np.sin(x)
    assert (len(outer.arrays), len(inner.arrays)) == (2, 2)


def test_hooks_record_nothing(engine):
    x = pb.tensor(X, requires_grad=True)
    seen = []

    def pack(tensor):
        seen.append((pb.is_grad_enabled(), (tensor * x).requires_grad))
        return tensor * 1.0

    with pb.saved_tensors_hooks(pack, lambda t: t):
        y = np.exp(x)
    assert seen == [(False, False)]
    (dx,) = pb.grad(y.sum(), x)
    np.testing.assert_array_equal(dx.numpy(), np.exp(X))


def test_nothing_is_packed_that_is_not_saved(engine):
    shelf = Shelf()
    x = pb.tensor(X, requires_grad=True)
    with shelf():
        (x + x).sum()
        np.exp(pb.tensor(X))
        with pb.no_grad():
            np.exp(x)
    assert shelf.arrays == []


def test_the_memory_is_let_go(engine):
    import gc
    import weakref

    gc.collect()
    gc.disable()
    try:
        x = pb.tensor(X, requires_grad=True)
        with pb.saved_tensors_hooks(lambda t: t.tolist(), np.array):
            t = np.exp(x)
            y = np.sin(t * t)
        kept = weakref.ref(t)
        del t
        assert kept() is None
        np.testing.assert_allclose(
            pb.grad(y.sum(), x)[0].numpy(), 2 * np.cos(np.exp(2 * X)) * np.exp(2 * X), rtol=1e-12
        )
    finally:
        gc.enable()


def test_what_hooks_may_not_do(engine):
    x = pb.tensor(X, requires_grad=True)

    def write(tensor):
        tensor[0] = 5.0
        return tensor

    with (
        pytest.raises(pb.errors.MutationError, match="pack hook wrote"),
        pb.saved_tensors_hooks(write, lambda t: t),
    ):
        np.exp(x)
    x = pb.tensor(X, requires_grad=True)
    for unpack, error, match in (
        (lambda t: t[:2], pb.errors.SavedVariableError, r"shape \(2,\).*saved with shape \(3,\)"),
        (lambda t: t.astype(np.float32), pb.errors.SavedVariableError, "float32"),
        (lambda t: None, TypeError, "not NoneType"),
    ):
        with pb.saved_tensors_hooks(lambda t: t, unpack):
            y = np.exp(x).sum()
        with pytest.raises(error, match=match):
            y.backward()


@pytest.mark.parametrize(
    "pack",
    [lambda x: x, lambda x: x.numpy(), lambda x: ("kept", [x.detach()]), lambda x: {"x": x.numpy()[:]}],
    ids=["the tensor", "its array", "in a list", "in a dict"],
)
def test_a_write_into_what_a_hook_kept_without_a_copy_is_an_error(engine, pack):
    def unpack(kept):
        while isinstance(kept, (tuple, list, dict)):
            kept = next(iter(kept.values())) if isinstance(kept, dict) else kept[-1]
        return kept

    a = pb.tensor(X, requires_grad=True)
    for write in (False, True):
        x = a * 1
        with pb.saved_tensors_hooks(pack, unpack):
            y = x * x
        if not write:
            np.testing.assert_array_equal(pb.grad(y.sum(), a)[0], 2 * X)
            continue
        with pb.no_grad():
            x += 1
        with pytest.raises(
            pb.errors.SavedVariableError, match=r"kept a saved .*\n.*0\n.*test_saved_hooks"
        ) as caught:
            y.sum().backward()
        assert "while differentiating multiply, called at" in caught.value.__notes__[0]


def test_an_error_in_a_hook_comes_out(engine):
    def fail(value):
        raise OSError("disk full")

    x = pb.tensor(X, requires_grad=True)
    with pytest.raises(OSError, match="disk full"), pb.saved_tensors_hooks(fail, fail):
        np.exp(x)
    with pb.saved_tensors_hooks(lambda t: t, fail):
        y = np.exp(x).sum()
    with pytest.raises(OSError, match="disk full"):
        y.backward()
    assert pb.is_grad_enabled()


def test_hooks_belong_to_the_thread(engine):
    import threading

    shelf = Shelf()
    x = pb.tensor(X, requires_grad=True)
    with shelf():
        thread = threading.Thread(target=lambda: np.exp(x))
        thread.start()
        thread.join()
    assert shelf.arrays == []
