"""`pullback.nn` at NaN, inside of `vmap`, in forward mode, on lists, and with integers that are tensors."""

import numpy as np
import pytest

import pullback as pb

ACTIVATIONS = [
    *("relu", "relu6", "leaky_relu", "elu", "celu", "selu", "gelu", "sigmoid", "logsigmoid", "silu", "mish"),
    *("softplus", "hardtanh", "hardsigmoid", "hardswish", "softsign", "tanh", "tanhshrink", "softshrink"),
    "hardshrink",
]
RNG = np.random.default_rng(3)


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_nan_stays(name):
    found = getattr(pb.nn, name)(np.array([np.nan, 1.0]))
    np.testing.assert_array_equal(np.isnan(found), [True, False])


def test_nan_is_above_no_threshold_and_below_none():
    np.testing.assert_array_equal(pb.nn.threshold(np.array([np.nan]), 0.0, 1.0), [np.nan])


def test_gradients_of_examples_by_vmap_are_those_one_by_one():
    x, y = RNG.standard_normal((3, 1, 6, 6)), np.array([0, 2, 1])
    params = {"kernel": RNG.standard_normal((2, 1, 3, 3)), "weight": RNG.standard_normal((3, 8))}

    def loss(params, x, y):
        hidden = pb.nn.max_pool2d(pb.nn.relu(pb.nn.conv2d(x, params["kernel"])), 2)
        return pb.nn.cross_entropy(pb.nn.linear(hidden.reshape(8), params["weight"]), y)

    found = pb.func.vmap(pb.func.grad(loss), in_dims=(None, 0, 0))(params, x, y)
    for k in range(3):
        alone = pb.func.grad(loss)(params, x[k], y[k])
        for name in params:
            np.testing.assert_allclose(found[name][k], alone[name], rtol=1e-12, atol=1e-14)


def test_forward_mode_gives_the_same_products():
    x, v = RNG.standard_normal((2, 1, 1, 5, 5))

    def function(x):
        hidden = pb.nn.avg_pool2d(pb.nn.conv2d(x, np.ones((2, 1, 2, 2)), padding=1), 2, ceil_mode=True)
        return pb.nn.layer_norm(pb.nn.gelu(hidden), hidden.shape[1:])

    value, tangent = pb.func.jvp(function, (x,), (v,))
    w = RNG.standard_normal(value.shape)
    (cotangent,) = pb.func.vjp(function, x)[1](w)
    assert np.sum(w * tangent) == pytest.approx(np.sum(cotangent * v), rel=1e-12)


# Of these torch has no second derivative to compare with.
SECOND = {
    "ctc_loss": lambda x: pb.nn.ctc_loss(x, np.array([[1, 2], [1, 1]]), [4, 3], [2, 1]),
    "multi_margin_loss": lambda x: pb.nn.multi_margin_loss(x[0], [1, 0], p=2),
    "multilabel_margin_loss": lambda x: pb.nn.multilabel_margin_loss(x[0], [[1, -1, 0], [0, 2, -1]]) ** 2,
    "pdist": lambda x: pb.nn.pdist(x[:, 0]),
}


@pytest.mark.parametrize("name", SECOND)
def test_second_derivatives_are_those_of_the_first(name):
    assert pb.gradcheck(SECOND[name], (RNG.standard_normal((4, 2, 3)),), order=2)


def test_a_target_without_room_is_infinite_or_0():
    scores = pb.tensor(np.zeros((1, 2)), requires_grad=True)
    args = np.array([1, 1]), np.array(1), np.array(2)
    assert pb.nn.ctc_loss(scores, *args).item() == np.inf
    loss = pb.nn.ctc_loss(scores, *args, zero_infinity=True)
    assert loss.item() == 0
    np.testing.assert_array_equal(pb.grad(loss, scores)[0].numpy(), 0)


@pytest.mark.parametrize("mode", ["nearest", "bicubic"])
def test_backward_of_a_resized_image_is_that_of_its_forward(mode):
    """Where a length doubles or stays by a factor, torch's is another."""
    x, v = RNG.standard_normal((2, 1, 1, 3, 4))
    options = {"scale_factor": (2.2, 1.1), "mode": mode, "antialias": mode == "bicubic"}

    def function(x):
        return pb.nn.interpolate(x, **options)

    w = RNG.standard_normal((1, 1, 6, 4))
    (cotangent,) = pb.func.vjp(function, x)[1](w)
    assert np.sum(w * function(v)) == pytest.approx(np.sum(cotangent * v), rel=1e-12)


def test_lists_are_arrays():
    assert pb.nn.linear([1.0, 2.0], [[3.0, 4.0]], [1.0]).tolist() == [12.0]
    assert pb.nn.embedding([1], [[0.0], [5.0]]).tolist() == [[5.0]]
    assert pb.nn.mse_loss([1.0, 3.0], [0, 0]) == 5.0


def test_integers_may_be_tensors():
    scores = pb.tensor(RNG.standard_normal((3, 4)), requires_grad=True)
    target = np.array([1, -100, 3])
    by_tensor = pb.grad(pb.nn.cross_entropy(scores, pb.tensor(target)), scores)[0]
    by_array = pb.grad(pb.nn.cross_entropy(scores, target), scores)[0]
    np.testing.assert_array_equal(by_tensor.numpy(), by_array.numpy())


def test_a_row_of_which_nothing_takes_part_has_no_gradient():
    q, k, v = (pb.tensor(RNG.standard_normal((2, 3)), requires_grad=True) for _ in range(3))
    mask = np.array([[-np.inf, -np.inf], [0.0, 1.0]])
    out = pb.nn.scaled_dot_product_attention(q, k, v, mask)
    np.testing.assert_array_equal(out.detach().numpy()[0], 0)
    np.testing.assert_array_equal(pb.grad(out.sum(), q)[0].numpy()[0], 0)
