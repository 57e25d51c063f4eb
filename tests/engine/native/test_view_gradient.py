"""Gradients of views, which go to their place without Python: as the reference engine's."""

import numpy as np
import pytest

import pullback as pb

pytestmark = pytest.mark.native

VIEWS = {
    "row": lambda x: x[1],
    "rows": lambda x: x[1:3],
    "steps": lambda x: x[::2, 1::3],
    "backwards": lambda x: x[::-1, ::-2],
    "new axis": lambda x: x[:, None],
    "ellipsis": lambda x: x[..., 2],
    "entry": lambda x: x[2, 3],
    "nothing": lambda x: x[2:2],
    "transposed": lambda x: x.T,
    "swapped": lambda x: x[:, None].swapaxes(0, 2),
    "permuted": lambda x: x.reshape(2, 2, 6).transpose(2, 0, 1),
    "reshaped": lambda x: x.reshape(3, 8),
    "flat": lambda x: x.reshape(-1),
    "with an axis of one": lambda x: x.reshape(1, 4, 1, 6).transpose(3, 0, 2, 1),
    "view of a view": lambda x: x[1:3, ::2].T[1:],
    "reshaped part": lambda x: x[1:3].reshape(-1, 4)[1],
    "transposed and reshaped": lambda x: (x.T * 1.0).reshape(4, 6).T,
}


def gradient(view, dtype, *, strided=False):
    x = pb.tensor(np.arange(24, dtype=dtype).reshape(4, 6), requires_grad=True)
    y = view(x)
    seed = np.arange(1, y.size + 1, dtype=dtype).reshape(y.shape)
    if strided:
        seed = np.repeat(seed, 2, axis=-1)[..., ::2] if y.ndim else seed
    (found,) = pb.grad(y, x, grad_outputs=pb.tensor(seed))
    return found.numpy()


@pytest.mark.parametrize("strided", [False, True])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("name", VIEWS)
def test_as_the_reference_engine(name, dtype, strided):
    found = gradient(VIEWS[name], dtype, strided=strided)
    with pb.use_engine("reference"):
        np.testing.assert_array_equal(found, gradient(VIEWS[name], dtype, strided=strided))
    assert found.dtype == dtype


def test_parts_of_one_tensor_are_added_in_one_gradient():
    def run():
        x = pb.tensor(np.arange(24.0).reshape(4, 6), requires_grad=True)
        total = (x * 3.0).sum()
        y = x * 2.0
        for i in range(4):
            total = total + (y[i] * y[(i + 1) % 4]).sum() + y[:, i].sum() + y.T[i][1:].sum()
        return pb.grad(total, x)[0].numpy()

    found = run()
    with pb.use_engine("reference"):
        np.testing.assert_allclose(found, run())


def test_a_gradient_that_shares_memory_with_the_seed_does_not_leave():
    x = pb.tensor(np.zeros((2, 3)), requires_grad=True)
    for view in (lambda x: x.T, lambda x: x.reshape(-1)):
        y = view(x)
        seed = pb.tensor(np.ones(y.shape))
        (found,) = pb.grad(y, x, grad_outputs=seed)
        found += 1.0
        np.testing.assert_array_equal(seed.numpy(), np.ones(y.shape))
        view(x).backward(seed)
        x.grad += 1.0
        view(x).backward(seed)
        np.testing.assert_array_equal(seed.numpy(), np.ones(y.shape))
        np.testing.assert_array_equal(x.grad.numpy(), np.full((2, 3), 3.0))
        x.grad = None


def test_two_branches_that_share_a_looked_back_gradient_do_not_write_into_each_other():
    x = pb.tensor(np.arange(6.0).reshape(2, 3), requires_grad=True)
    a = x * 1.0
    left, right = a.T, a.reshape(3, 2)
    y = left + right
    (found,) = pb.grad((y * 2.0 + left).sum(), x)
    np.testing.assert_array_equal(found.numpy(), np.full((2, 3), 5.0))


def test_a_hook_on_what_waits_sees_the_sum():
    x = pb.tensor(np.zeros((2, 3)), requires_grad=True)
    y = x * 1.0
    seen = []
    y.register_hook(lambda grad: seen.append(grad.numpy().copy()))
    (y[0] + y[1] + y[0]).sum().backward()
    np.testing.assert_array_equal(seen, [[[2.0] * 3, [1.0] * 3]])


def test_gradients_of_views_can_be_differentiated():
    x = pb.tensor(np.arange(6.0).reshape(2, 3), requires_grad=True)
    (first,) = pb.grad((x[1] ** 3).sum(), x, create_graph=True)
    (second,) = pb.grad(first.T[:, 1].sum(), x)
    np.testing.assert_allclose(second.numpy(), [[0, 0, 0], [18, 24, 30]])


def test_a_large_part_of_a_large_tensor():
    x = pb.tensor(np.zeros((300, 400), np.float32), requires_grad=True)
    y = x * 1.0
    (y[10:290].sum() + y[:, ::2].sum()).backward()
    expected = np.zeros((300, 400), np.float32)
    expected[10:290] += 1
    expected[:, ::2] += 1
    np.testing.assert_array_equal(x.grad.numpy(), expected)
