"""Every function of `pullback.nn`: value, first and second derivatives are torch's, in float64."""

import numpy as np
import pytest

import pullback as pb
from pullback.engine.core.dispatch import available

pytestmark = pytest.mark.torch

RNG = np.random.default_rng(5)


def floats(*shape):
    """Normal numbers, none of them near a kink at 0."""
    x = RNG.standard_normal(shape)
    return np.where(np.abs(x) < 0.1, x + 0.25, x)


def between(*shape, low=0.1, high=0.9):
    return RNG.uniform(low, high, shape)


IGNORED, TARGETS = np.array([0, 2, -100, 1, 0]), np.array([[0, 2, 1, 1], [0, 0, 1, 2]])
WEIGHTS = np.array([0.3, 0.5, 0.9])
SIGNS = np.array([1, -1, 1, 1, -1])
MASK = np.array([[True, False, True, True], [False, False, False, False], [True, True, True, True]])
PERMUTED = RNG.permutation(2 * 3 * 49).reshape(2, 3, 7, 7) / 50.0  # without ties
KINKS = np.array([0.0, 1.0, -1.0, 3.0, -3.0, 6.0, 0.5, -0.5, 800.0, -800.0])
PLACES = RNG.permuted(np.broadcast_to(np.arange(8), (2, 3, 8)), axis=-1)
X1, X2, X3 = floats(2, 4, 9), floats(2, 4, 7, 6), floats(1, 2, 5, 4, 4)

OF_ONE = (
    *("relu", "relu6", "selu", "silu", "sigmoid", "logsigmoid", "softsign", "tanh", "tanhshrink"),
    *("hardtanh", "hardsigmoid", "hardswish", "leaky_relu", "softshrink", "hardshrink", "glu"),
)

AT_0 = {"selu"}  # which of its second derivatives holds at 0 is a convention

# Of each function: its arguments, of which arrays of floats are differentiated, and options.
CASES = {
    **{name: [((floats(3, 4),), {}), ((KINKS[name in AT_0 :],), {})] for name in OF_ONE},
    "mish": [((floats(3, 4),), {})],  # torch's second derivative at 800 is NaN
    "gelu": [((floats(3, 4),), {}), ((floats(3, 4),), {"approximate": "tanh"})],
    "elu": [((floats(3, 4), 0.7), {}), ((KINKS[1:],), {})],
    "celu": [((floats(3, 4), 0.5), {}), ((KINKS[1:],), {})],
    "softplus": [((floats(3, 4),), {}), ((10 * floats(3, 4),), {"beta": 2.0, "threshold": 5.0})],
    "threshold": [((floats(3, 4), 0.3, 2.0), {}), ((KINKS, 0.5, 1.0), {})],
    "prelu": [
        ((floats(2, 3, 4), between(3)), {}),
        ((floats(4), between(1)), {}),
        ((np.array(-0.5), between(1)), {}),
    ],
    "softmax": [((floats(3, 4), 1), {}), ((floats(0, 3), 0), {})],
    "log_softmax": [((floats(3, 4), 0), {}), ((floats(3, 0), 1), {})],
    "softmin": [((floats(3, 4), 1), {})],
    "conv1d": [
        ((X1, floats(5, 4, 3), floats(5)), {"stride": 2, "padding": 1}),
        ((X1, floats(6, 2, 3)), {"groups": 2, "dilation": 2, "padding": "same"}),
        ((X1[0], floats(5, 4, 3)), {"padding": "valid"}),
    ],
    "conv2d": [
        ((X2, floats(3, 4, 3, 2), floats(3)), {"stride": (2, 1), "padding": (1, 2), "dilation": (1, 2)}),
        ((X2, floats(4, 1, 3, 3)), {"groups": 4}),
    ],
    "conv3d": [((X3, floats(2, 2, 2, 3, 1), floats(2)), {"stride": 2, "padding": 1})],
    "conv_transpose1d": [
        ((X1, floats(4, 3, 3), floats(3)), {"stride": 3, "padding": 1, "output_padding": 2}),
        ((X1, floats(4, 2, 3)), {"groups": 2, "dilation": 2}),
        ((X1, floats(4, 2, 2)), {"padding": 2}),
    ],
    "conv_transpose2d": [
        ((X2, floats(4, 2, 3, 2), floats(4)), {"stride": (2, 1), "padding": 1, "groups": 2})
    ],
    "conv_transpose3d": [((X3, floats(2, 2, 2, 2, 1)), {"stride": 2})],
    "unfold": [((X2, (3, 2)), {"dilation": 2, "padding": 1, "stride": (1, 2)})],
    "fold": [
        ((floats(2, 8, 12), (5, 4), 2), {"stride": 1}),
        ((floats(2, 8, 6), 4, 2), {"padding": 1, "stride": (2, 3)}),
    ],
    "max_pool1d": [((PERMUTED[0], 3), {"stride": 2, "padding": 1}), ((PERMUTED[0], 2), {"dilation": 2})],
    "max_pool2d": [
        ((PERMUTED, 2), {}),
        ((PERMUTED, (3, 2)), {"stride": 2, "padding": 1, "ceil_mode": True}),
        ((np.zeros((1, 2, 4, 4)), 2), {}),
    ],
    "max_pool3d": [((PERMUTED[None], 2), {"ceil_mode": True})],
    "avg_pool1d": [((X1, 3), {"stride": 2, "padding": 1, "ceil_mode": True})],
    "avg_pool2d": [
        ((X2, 3), {"stride": 2, "padding": 1, "ceil_mode": True}),
        ((X2, (3, 2)), {"padding": 1, "count_include_pad": False}),
        ((X2, 2), {"divisor_override": 3}),
    ],
    "avg_pool3d": [((X3, 2), {"ceil_mode": True, "count_include_pad": False})],
    "adaptive_avg_pool1d": [((X1, 4), {})],
    "adaptive_avg_pool2d": [((X2, (3, None)), {}), ((X2, 4), {})],
    "adaptive_avg_pool3d": [((X3, (2, 3, 1)), {})],
    "layer_norm": [
        ((floats(3, 4), (4,), floats(4), floats(4)), {}),
        ((floats(2, 3, 4), (3, 4)), {"eps": 0.1}),
    ],
    "rms_norm": [((floats(3, 4), (4,), floats(4)), {}), ((floats(3, 4), (3, 4)), {"eps": 0.1})],
    "batch_norm": [
        ((X1, None, None, floats(4), floats(4)), {"training": True}),
        ((X2,), {"running_mean": floats(4), "running_var": between(4), "weight": floats(4)}),
    ],
    "group_norm": [((X2, 2, floats(4), floats(4)), {})],
    "instance_norm": [
        ((X1, None, None, floats(4), floats(4)), {}),
        ((X1,), {"running_mean": floats(4), "running_var": between(4), "use_input_stats": False}),
    ],
    "normalize": [
        ((floats(3, 4),), {}),
        ((floats(2, 3, 4),), {"dim": (1, 2)}),
        ((floats(3, 4),), {"p": 3.0, "dim": 0}),
    ],
    "cosine_similarity": [((floats(3, 4), floats(3, 4)), {}), ((floats(3, 4), floats(4)), {"dim": -1})],
    "pairwise_distance": [
        ((floats(3, 4), floats(3, 4)), {"keepdim": True}),
        ((floats(3, 4), floats(3, 4)), {"p": 1.0}),
    ],
    "linear": [((floats(2, 3), floats(5, 3), floats(5)), {}), ((floats(3), floats(3)), {})],
    "bilinear": [((floats(2, 3), floats(2, 4), floats(5, 3, 4), floats(5)), {})],
    "embedding": [
        ((np.array([[0, 2], [2, 1]]), floats(4, 3)), {}),
        ((np.array([0, 3, 3]), floats(4, 3)), {"padding_idx": -1}),
    ],
    "scaled_dot_product_attention": [
        ((floats(2, 3, 4), floats(2, 4, 4), floats(2, 4, 5)), {}),
        ((floats(2, 3, 4), floats(2, 4, 4), floats(2, 4, 5), floats(3, 4)), {"scale": 0.3}),
        ((floats(2, 3, 4), floats(2, 4, 4), floats(2, 4, 5), MASK), {}),
        ((floats(2, 3, 4), floats(2, 4, 4), floats(2, 4, 5)), {"attn_mask": np.where(MASK, 0.5, -np.inf)}),
        ((floats(2, 3, 4), floats(2, 3, 4), floats(2, 3, 5)), {"is_causal": True}),
        ((floats(1, 4, 3, 2), floats(1, 2, 3, 2), floats(1, 2, 3, 2)), {"enable_gqa": True}),
    ],
    "pad": [
        ((X2, (1, 2, 0, 3)), {"value": 1.5}),
        ((X2, (-1, 2)), {}),
        ((X2, (1, 2, 0, 3)), {"mode": "reflect"}),
        ((X2, (1, 2, 0, 3)), {"mode": "replicate"}),
        ((X2, (1, 2, 0, 3)), {"mode": "circular"}),
    ],
    "pixel_shuffle": [((X2, 2), {})],
    "pixel_unshuffle": [((floats(2, 3, 4, 6), 2), {})],
    "channel_shuffle": [((X2, 2), {})],
    "interpolate": [
        ((X1, 5), {}),
        ((X2,), {"scale_factor": 1.7}),
        ((X2, (5, 9)), {"mode": "nearest-exact"}),
        ((X1,), {"scale_factor": 2.3, "mode": "linear"}),
        ((X2, (5, 9)), {"mode": "bilinear"}),
        ((X2, (5, 9)), {"mode": "bilinear", "align_corners": True}),
        ((X3, (3, 7, 4)), {"mode": "trilinear"}),
        ((X2, (9, 4)), {"mode": "bicubic"}),
        ((X2, (9, 4)), {"mode": "bicubic", "align_corners": True}),
        ((X2, (5, 3)), {"mode": "bilinear", "antialias": True}),
        ((X2, (4, 9)), {"mode": "bicubic", "antialias": True}),
        ((X2,), {"scale_factor": (0.4, 1.3), "mode": "bicubic", "antialias": True}),
        ((X2, (5, 3)), {"mode": "bilinear", "antialias": True, "align_corners": True}),
        ((X1,), {"scale_factor": 0.7, "mode": "linear", "recompute_scale_factor": True}),
        ((X2, (5, 9)), {"mode": "area"}),
        ((X2,), {"scale_factor": (1.1, 1.7), "mode": "bilinear"}),
        ((X2, (1, 5)), {"mode": "bicubic", "antialias": True, "align_corners": True}),
    ],
    "mse_loss": [
        ((floats(3, 4), floats(3, 4)), {}),
        ((floats(3, 4), floats(3, 4)), {"weight": between(3, 4)}),
    ],
    "l1_loss": [((floats(3, 4), floats(3, 4)), {"reduction": "sum"})],
    "smooth_l1_loss": [
        ((floats(3, 4), floats(3, 4)), {"beta": 0.5}),
        ((floats(3), floats(3)), {"beta": 0.0}),
    ],
    "huber_loss": [
        ((floats(3, 4), floats(3, 4)), {"delta": 0.7, "reduction": "none"}),
        ((floats(3), floats(3)), {"weight": between(3)}),
        ((np.zeros(3), np.zeros(3)), {}),
    ],
    "nll_loss": [
        ((floats(5, 3), np.array([0, 2, 1, 1, 0])), {}),
        ((floats(5, 3), IGNORED), {"reduction": "sum", "weight": WEIGHTS}),
        ((floats(2, 3, 4), TARGETS), {"ignore_index": 1, "weight": WEIGHTS}),
    ],
    "cross_entropy": [
        ((floats(5, 3), np.array([0, 2, 1, 1, 0])), {}),
        ((floats(5, 3), IGNORED), {"label_smoothing": 0.2, "weight": WEIGHTS}),
        ((floats(2, 3, 4), TARGETS), {"ignore_index": 1, "label_smoothing": 0.1}),
        ((floats(5, 3), IGNORED), {"reduction": "none", "label_smoothing": 0.2}),
        ((floats(5, 3), between(5, 3)), {"label_smoothing": 0.2, "weight": WEIGHTS}),
        ((floats(3), np.array(2)), {}),
    ],
    "binary_cross_entropy": [((between(3, 4), between(3, 4)), {"weight": between(3, 4)})],
    "binary_cross_entropy_with_logits": [
        ((floats(3, 4), between(3, 4)), {"pos_weight": np.array([0.5, 2.0, 1.0, 3.0])}),
        ((floats(3, 4), between(3, 4)), {"weight": between(3, 4)}),
    ],
    "kl_div": [
        ((floats(3, 4), between(3, 4)), {"reduction": "batchmean"}),
        ((floats(3, 4), floats(3, 4)), {"log_target": True, "reduction": "sum"}),
    ],
    "hinge_embedding_loss": [((floats(5), SIGNS), {"margin": 0.7})],
    "margin_ranking_loss": [((floats(5), floats(5), SIGNS), {"margin": 0.3})],
    "soft_margin_loss": [((floats(5), SIGNS), {})],
    "cosine_embedding_loss": [
        ((floats(5, 3), floats(5, 3), SIGNS), {"margin": 0.1}),
        ((np.zeros((5, 3)), floats(5, 3), SIGNS), {"margin": -0.5}),
    ],
    "triplet_margin_loss": [
        ((floats(5, 3), floats(5, 3), floats(5, 3)), {}),
        ((floats(5, 3), floats(5, 3), floats(5, 3)), {"swap": True, "margin": 3.0}),
    ],
    "poisson_nll_loss": [
        ((floats(3, 4), between(3, 4, high=4.0)), {"full": True}),
        ((between(3, 4), between(3, 4)), {"log_input": False}),
    ],
    "gaussian_nll_loss": [
        ((floats(3, 4), floats(3, 4), between(3, 4)), {"full": True}),
        ((floats(3, 4), floats(3, 4), between(3)), {}),
        ((floats(3, 4), floats(3, 4), np.full((3, 1), 1e-3)), {"eps": 0.01}),
    ],
}  # fmt: skip
LABELS = np.array([[2, 0, -1, 1], [-1, 0, 1, 2], [3, 2, 1, 0]])
STATE = (floats(2, 3), floats(2, 3))
LOGITS = np.log(between(7, 3, 4) / 4)
CASES |= {
    "lstm_cell": [((floats(2, 4), STATE, floats(12, 4), floats(12, 3), floats(12), floats(12)), {})],
    "gru_cell": [((floats(2, 4), floats(2, 3), floats(9, 4), floats(9, 3), floats(9), floats(9)), {})],
    "rnn_tanh_cell": [((floats(2, 4), floats(2, 3), floats(3, 4), floats(3, 3), floats(3), floats(3)), {})],
    "rnn_relu_cell": [((floats(2, 4), floats(2, 3), floats(3, 4), floats(3, 3)), {})],
    "affine_grid": [
        ((floats(2, 2, 3), (2, 1, 3, 5)), {"align_corners": False}),
        ((floats(1, 3, 4), (1, 2, 2, 3, 1)), {"align_corners": True}),
    ],
    "grid_sample": [
        *(
            ((floats(2, 3, 4, 5), 1.3 * between(2, 3, 2, 2, low=-1.0)), {"mode": m, "padding_mode": p})
            for m in ("bilinear", "nearest", "bicubic")
            for p in ("zeros", "border", "reflection")
        ),
        *(
            (
                (floats(2, 3, 4, 5), 1.3 * between(2, 3, 2, 2, low=-1.0)),
                {"mode": m, "padding_mode": p, "align_corners": True},
            )
            for m, p in (("bilinear", "reflection"), ("bicubic", "reflection"), ("nearest", "border"))
        ),
        ((floats(1, 2, 3, 4, 2), 1.2 * between(1, 2, 2, 3, 3, low=-1.0)), {}),
        ((floats(1, 2, 3, 4, 2), 2.2 * between(1, 2, 2, 3, 3, low=-1.0)), {"padding_mode": "reflection"}),
    ],
    "ctc_loss": [
        ((LOGITS, np.array([[1, 2], [3, 3], [1, 0]]), np.array([7, 5, 4]), np.array([2, 2, 1])), {}),
        (
            (LOGITS, np.array([0, 1, 1, 2, 0]), np.array([7, 5, 3]), np.array([2, 0, 3])),
            {"blank": 3, "reduction": "sum", "zero_infinity": True},
        ),
        ((LOGITS[:, 0], np.array([1, 1]), np.array(7), np.array(2)), {"reduction": "none"}),
    ],
    "multi_margin_loss": [
        ((floats(5, 3), np.array([0, 2, 1, 1, 0])), {}),
        ((floats(5, 3), np.array([0, 2, 1, 1, 0])), {"p": 2, "margin": 0.7, "weight": WEIGHTS}),
        ((floats(3), np.array(1)), {"reduction": "sum"}),
    ],
    "multilabel_margin_loss": [((floats(3, 4), LABELS), {}), ((floats(4), LABELS[2]), {})],
    "multilabel_soft_margin_loss": [
        ((floats(3, 4), between(3, 4)), {}),
        ((floats(3, 4), between(3, 4)), {"weight": between(4), "reduction": "none"}),
    ],
    "triplet_margin_with_distance_loss": [
        ((floats(5, 3), floats(5, 3), floats(5, 3)), {"swap": True, "margin": 3.0})
    ],
    "pdist": [((floats(5, 3),), {}), ((floats(5, 3),), {"p": 3.0})],
    "local_response_norm": [((X2, 2), {"alpha": 0.5}), ((X1, 3), {"alpha": 0.5, "beta": 0.5, "k": 2.0})],
    "lp_pool1d": [((between(2, 3, 7), 2.0, 3), {"stride": 2}), ((floats(2, 3, 7), 1, 3), {})],
    "lp_pool2d": [
        ((between(2, 3, 7, 6), 3.0, (2, 3)), {"ceil_mode": True}),
        ((X2, np.inf, 2), {"stride": 1}),
    ],
    "lp_pool3d": [((between(1, 2, 3, 4, 2), 2.0, 2), {})],
    "adaptive_max_pool1d": [((PERMUTED[0], 3), {})],
    "max_unpool1d": [
        ((floats(2, 3, 4), PLACES[:, :, :4], 3), {"stride": 2, "padding": 1, "output_size": (8,)}),
        ((floats(3, 4), PLACES[0, :, :4], 2), {}),
    ],
    "max_unpool2d": [((floats(2, 3, 2, 2), PLACES[:, :, :4].reshape(2, 3, 2, 2), 2), {})],
    "max_unpool3d": [((floats(2, 3, 1, 2, 1), PLACES[:, :, :2].reshape(2, 3, 1, 2, 1), 2), {})],
    "adaptive_max_pool2d": [((PERMUTED, (3, None)), {}), ((PERMUTED, 2), {})],
    "adaptive_max_pool3d": [((PERMUTED[None], (2, 3, 4)), {})],
}
OF_TORCH_ITSELF = {"lstm_cell", "gru_cell", "rnn_tanh_cell", "rnn_relu_cell"}
EVERY = [(name, k) for name, cases in CASES.items() for k in range(len(cases))]
# torch's own: a mask that it would draw, and integers that have no gradient.
OTHERS = {"dropout", "one_hot"}


def test_every_function_has_a_case():
    assert {*CASES, *OTHERS} == {*pb.nn.__all__}


# Of which torch has no second derivative; and a first one by 1 / 6 in float32 of "hardsigmoid".
ONCE = {"hardsigmoid", "ctc_loss", "multi_margin_loss", "multilabel_margin_loss", "pdist"}
TOLERANCE = {"hardsigmoid": 1e-7, "cosine_embedding_loss": 1e-8}


def derivatives(function, args, kwargs, tensor, grad, array, once, softmax=None):
    """The value, its gradients along random weights, and those of the gradients along random directions."""
    rng = np.random.default_rng(1)
    leaves = []

    def argument(x):
        if isinstance(x, tuple):
            return tuple(map(argument, x))
        if isinstance(x, np.ndarray) and x.dtype.kind == "f":
            leaves.append(tensor(x))
            return leaves[-1]
        return array(x)

    given = [argument(x) for x in args]
    if softmax is not None:
        given[0] = softmax(given[0], -1)
    result = function(*given, **{key: array(value) for key, value in kwargs.items()})
    if isinstance(result, tuple):
        result = result[0] + 2.0 * result[1]
    first = grad((result * array(rng.standard_normal(tuple(result.shape)))).sum(), leaves)
    if once:
        return [np.asarray(x.detach()) for x in (result, *first)]
    inner = sum((g * array(rng.standard_normal(tuple(g.shape)))).sum() for g in first)
    second = grad(inner, leaves) if inner.requires_grad else [0 * leaf for leaf in leaves]
    return [np.asarray(x.detach() + 0) for x in (result, *first, *second)]


def of_torch(torch, name, args, kwargs):
    def array(value):
        return torch.tensor(value) if isinstance(value, np.ndarray) else value

    def leaf(value):
        return torch.tensor(value, requires_grad=True)

    def grad(y, leaves):
        return torch.autograd.grad(y, leaves, create_graph=True, materialize_grads=True)

    function = getattr(torch if name in OF_TORCH_ITSELF else torch.nn.functional, name)
    with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH):  # which has two derivatives
        softmax = torch.nn.functional.log_softmax if name == "ctc_loss" else None
        return derivatives(function, args, kwargs, leaf, grad, array, name in ONCE, softmax)


def of_pullback(name, args, kwargs):
    def leaf(value):
        return pb.tensor(value, requires_grad=True)

    def grad(y, leaves):
        return pb.grad(y, leaves, create_graph=True, materialize_grads=True)

    softmax = pb.nn.log_softmax if name == "ctc_loss" else None  # which torch's derivative takes for granted
    return derivatives(getattr(pb.nn, name), args, kwargs, leaf, grad, lambda x: x, name in ONCE, softmax)


@pytest.mark.parametrize(("name", "k"), EVERY)
@pytest.mark.filterwarnings(
    "ignore:Using padding='same'", "ignore:Default grid_sample", "ignore:Since version 1.3"
)
def test_value_and_two_derivatives_are_those_of_torch(name, k):
    import torch

    args, kwargs = CASES[name][k]
    theirs = of_torch(torch, name, args, kwargs)
    for engine in available():
        with pb.use_engine(engine):
            ours = of_pullback(name, args, kwargs)
        for found, expected in zip(ours, theirs, strict=True):
            assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
            np.testing.assert_allclose(found, expected, rtol=TOLERANCE.get(name, 1e-9), atol=1e-11)


@pytest.mark.parametrize("name", CASES)
def test_arrays_give_arrays_of_the_same_values_and_float32_stays(name):
    args, kwargs = CASES[name][0]
    expected = _first(getattr(pb.nn, name)(*map(_tensor, args), **kwargs)).numpy()
    found = _first(getattr(pb.nn, name)(*args, **kwargs))
    assert not isinstance(found, pb.Tensor)
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    single = getattr(pb.nn, name)(*map(_single, args), **{k: _single(v) for k, v in kwargs.items()})
    assert _first(single).dtype == np.float32


def _first(result):
    return result[0] if isinstance(result, tuple) else result


def _tensor(x):
    if isinstance(x, tuple):
        return tuple(map(_tensor, x))
    return pb.tensor(x) if isinstance(x, np.ndarray) and x.dtype.kind == "f" else x


def _single(x):
    if isinstance(x, tuple):
        return tuple(map(_single, x))
    return x.astype(np.float32) if isinstance(x, np.ndarray) and x.dtype.kind == "f" else x
