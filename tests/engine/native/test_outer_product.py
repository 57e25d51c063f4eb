"""The gradient of a matrix that a single row was multiplied by is written when somebody reads it."""

import copy
import pickle
import threading
from functools import partial

import numpy as np
import pytest

import pullback as pb
import pullback.numpy as pnp

pytestmark = pytest.mark.native

ROWS, COLUMNS = 300, 160
TYPES = (np.float32, np.float64)


def operands(dtype: type = np.float32, seed=0):
    """A row, a matrix, and the gradient of their product."""
    rng = np.random.default_rng(seed)
    return tuple(
        rng.standard_normal(shape).astype(dtype) for shape in ((1, ROWS), (ROWS, COLUMNS), (1, COLUMNS))
    )


def gradient_of_matrix(x, w, g):
    x, w = pb.tensor(x), pb.tensor(w, requires_grad=True)
    return pb.grad(x @ w, w, g)[0]


READERS = {
    "numpy": lambda t: t.numpy(),
    "dlpack": np.from_dlpack,
    "a view": lambda t: t[1:][:, ::2],
    "its transpose": lambda t: t.T,
    "one number": lambda t: t[7, 9],
    "several rows": lambda t: t[np.array([4, 2])],
    "detached": lambda t: t.detach(),
    "an operator": lambda t: t * 2.0,
    "a sum": lambda t: pnp.sum(t, axis=0),
    "a product": lambda t: t.T @ t,
    "a copy": lambda t: t.copy(),
    "deepcopy": copy.deepcopy,
    "pickle": lambda t: pickle.loads(pickle.dumps(t)),
    "in its own place": lambda t: t.mul_(3.0),
    "added to another": lambda t: pb.tensor(np.ones_like(t.numpy())).add_(t),
    "assigned": lambda t: pb.tensor(np.zeros(t.shape, t.dtype)).__setitem__((), t) or t,
    "joined": lambda t: pnp.concatenate([t, t]),
    "cast": lambda t: t.astype(np.float64),
    "repr": lambda t: np.array(repr(t)),
}


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("reader", READERS.values(), ids=READERS)
def test_whoever_reads_it_gets_its_values(reader, dtype):
    x, w, g = operands(dtype)
    got = reader(gradient_of_matrix(x, w, g))
    wanted = reader(pb.tensor(x.T * g))
    np.testing.assert_array_equal(np.asarray(got), np.asarray(wanted))


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize(
    "update",
    [
        lambda w, g: w.sub_(g, alpha=0.1),
        lambda w, g: w.add_(g, alpha=-3),
        lambda w, g: w.add_(g),
        lambda w, g: w.sub_(g),
    ],
    ids=["sub_ of a part", "add_ of a part", "add_", "sub_"],
)
def test_updates_have_the_bits_of_a_written_gradient(update, dtype):
    x, w, g = operands(dtype)
    unread, read = pb.tensor(w), pb.tensor(w)
    update(unread, gradient_of_matrix(x, w, g))
    update(read, pb.tensor(x.T * g))
    np.testing.assert_array_equal(unread.numpy(), read.numpy())


def test_it_is_still_there_after_an_update():
    x, w, g = operands()
    gradient = gradient_of_matrix(x, w, g)
    pb.tensor(w).sub_(gradient, alpha=0.1)
    np.testing.assert_array_equal(gradient.numpy(), x.T * g)


def test_what_it_was_made_of_may_change_before_it_is_read():
    x, w, g = operands()
    row, matrix, cotangent = pb.tensor(x), pb.tensor(w, requires_grad=True), pb.tensor(g)
    gradient = pb.grad(row @ matrix, matrix, cotangent)[0]
    row.fill_(0.0)
    cotangent.fill_(0.0)
    np.testing.assert_array_equal(gradient.numpy(), x.T * g)


def test_gradients_of_several_backwards_add_up():
    x, w, g = operands()
    row, matrix = pb.tensor(x), pb.tensor(w, requires_grad=True)
    for _ in range(3):
        (row @ matrix).backward(g)
    np.testing.assert_allclose(matrix.grad.numpy(), 3 * x.T * g, rtol=1e-6)


def test_a_hook_sees_the_values_and_may_replace_them():
    x, w, g = operands()
    row, matrix = pb.tensor(x), pb.tensor(w, requires_grad=True)
    seen = []
    matrix.register_hook(lambda gradient: seen.append(gradient.numpy().copy()) or 2.0 * gradient)
    (row @ matrix).backward(g)
    np.testing.assert_array_equal(seen[0], x.T * g)
    np.testing.assert_array_equal(matrix.grad.numpy(), 2 * (x.T * g))


def test_columns_rows_and_parts_of_other_matrices():
    x, w, g = operands(np.float64)
    column = pb.tensor(x.T, requires_grad=True)
    wide = np.zeros((ROWS, 2 * COLUMNS))
    wide[:, ::2] = w
    got = pb.grad(pb.tensor(wide)[:, ::2].T @ column, column, g.T)[0]
    np.testing.assert_allclose(got.numpy(), w @ g.T)
    left = pb.tensor(w, requires_grad=True)
    got = pb.grad(left @ pb.tensor(g.T), left, x.T)[0]
    np.testing.assert_array_equal(got.numpy(), x.T * g)
    stack = pb.tensor(np.stack([w, w]), requires_grad=True)
    got = pb.grad(pb.tensor(x) @ stack, stack, np.stack([g, 2 * g]))[0]
    np.testing.assert_array_equal(got.numpy(), np.stack([x.T * g, 2 * (x.T * g)]))


def test_threads_that_read_it_at_once_see_the_same():
    x, w, g = operands()
    for _ in range(20):
        gradient, seen = gradient_of_matrix(x, w, g), []
        target = pb.tensor(np.zeros_like(w))
        run_at_once([*[partial(read_into, seen, gradient)] * 3, partial(target.add_, gradient, alpha=1.0)])
        for one in (*seen, target.numpy()):
            np.testing.assert_array_equal(one, x.T * g)


def read_into(seen, tensor):
    seen.append(tensor.numpy())


def run_at_once(calls):
    threads = [threading.Thread(target=call) for call in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_anomaly_mode_finds_its_nan():
    x, w, g = operands()
    x[0, 3] = np.nan
    with pb.detect_anomaly(), pytest.raises(pb.errors.AnomalyError):
        gradient_of_matrix(x, w, g)
