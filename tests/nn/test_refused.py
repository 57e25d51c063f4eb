"""Arguments that a function of `pullback.nn` cannot take are refused with what it takes."""

import numpy as np
import pytest

import pullback as pb

X = np.ones((2, 4, 9))
CASES = [
    (lambda: pb.nn.conv1d(X, np.ones((5, 3, 3))), ValueError, "4 channels in 1 groups take a weight"),
    (lambda: pb.nn.conv1d(X, np.ones((5, 4, 3, 3))), ValueError, "a weight of 3 axes, not of shape"),
    (lambda: pb.nn.conv1d(X[0, 0], np.ones((5, 4, 3))), ValueError, "an input of 2 or 3 axes"),
    (lambda: pb.nn.conv1d(X, np.ones((5, 4, 11))), ValueError, "a window over 11 entries"),
    (lambda: pb.nn.conv1d(X, np.ones((5, 4, 3)), padding="same", stride=2), ValueError, "padding='same'"),
    (lambda: pb.nn.conv1d(X, np.ones((5, 4, 3)), stride=(1, 2)), ValueError, "stride is a number or 1"),
    (lambda: pb.nn.conv_transpose1d(X, np.ones((4, 3, 3)), output_padding=1), ValueError, "output_padding"),
    (lambda: pb.nn.fold(np.ones((1, 4, 5)), 3, 2), ValueError, "are not those of"),
    (lambda: pb.nn.max_unpool1d([[1.0, 2.0]], [[1, 1]], 2), ValueError, "comes twice"),
    (lambda: pb.nn.max_unpool1d([[1.0, 2.0]], [[1, 4]], 2), ValueError, "from 0 to 3"),
    (lambda: pb.nn.max_unpool1d([[1.0, 2.0]], [[1]], 2), ValueError, "shape"),
    (lambda: pb.nn.max_unpool1d([[1.0, 2.0]], [[1, 2]], 2, output_size=(6,)), ValueError, "output_size"),
    (lambda: pb.nn.max_pool1d(X, 2, padding=2), ValueError, "more than half of a window"),
    (lambda: pb.nn.glu(X), ValueError, "odd"),
    (lambda: pb.nn.gelu(X, "sigmoid"), ValueError, "'none' or 'tanh'"),
    (lambda: pb.nn.layer_norm(X, (4,)), ValueError, "are not"),
    (lambda: pb.nn.group_norm(X, 3), ValueError, "no 3 groups"),
    (lambda: pb.nn.batch_norm(X, None, None), ValueError, "running_mean"),
    (lambda: pb.nn.dropout(X), TypeError, "mask="),
    (lambda: pb.nn.dropout(X, 1.5), ValueError, "a probability"),
    (lambda: pb.nn.embedding(np.array([4]), np.ones((4, 2))), IndexError, "outside of the 4 rows"),
    (lambda: pb.nn.embedding(np.array([1.0]), np.ones((4, 2))), TypeError, "takes integers"),
    (lambda: pb.nn.one_hot(np.array([3]), 2), ValueError, "outside of the 2"),
    (lambda: pb.nn.cross_entropy(X[0], np.array([0, 1, 2, 9])), IndexError, "outside of the 9 classes"),
    (lambda: pb.nn.cross_entropy(X[0], np.array([0, 1])), ValueError, r"has shape \(4,\), not \(2,\)"),
    (lambda: pb.nn.mse_loss(X, X[0]), ValueError, r"has shape \(2, 4, 9\), not \(4, 9\)"),
    (lambda: pb.nn.mse_loss(X, X, reduction="median"), ValueError, "reduction is"),
    (lambda: pb.nn.interpolate(X, 3, mode="bilinear"), ValueError, "no mode 'bilinear' for 1 axes"),
    (lambda: pb.nn.interpolate(X), ValueError, "size or scale_factor"),
    (lambda: pb.nn.pad(X, (1, 1), mode="edge"), ValueError, "mode is one of"),
    (lambda: pb.nn.pixel_shuffle(X, 3), ValueError, "not a multiple"),
    (
        lambda: pb.nn.scaled_dot_product_attention(X, X, X, np.ones((4, 4), bool), is_causal=True),
        ValueError,
        "not both",
    ),
    (lambda: pb.nn.scaled_dot_product_attention(X, X, X, dropout_p=0.1), ValueError, "dropout"),
    # What would be broadcast, cut or wrap around without a word.
    (
        lambda: pb.nn.conv1d(X, np.ones((5, 4, 3)), np.ones(1)),
        ValueError,
        r"bias has shape \(5,\), not \(1,\)",
    ),
    (lambda: pb.nn.conv1d(X.astype(int), np.ones((5, 4, 3))), TypeError, "takes floats, not int64"),
    (lambda: pb.nn.conv1d(X, np.ones((5, 4, 3)), padding="reflect"), ValueError, "'valid' or 'same'"),
    (lambda: pb.nn.conv1d(X, np.ones((5, 4, 3)), padding=-1), ValueError, "padding is at least 0"),
    (lambda: pb.nn.conv1d(X, np.ones((5, 4, 3)), stride=0), ValueError, "stride is at least 1"),
    (lambda: pb.nn.conv1d(X, np.ones((5, 4, 3)), stride=1.5), TypeError, "stride is a whole number"),
    (lambda: pb.nn.conv1d(X, np.ones((5, 4, 3)), groups=0), ValueError, "groups is at least 1"),
    (lambda: pb.nn.conv_transpose1d(X, np.ones((4, 3, 3)), padding=9), ValueError, "has no output"),
    (lambda: pb.nn.conv_transpose1d(X, np.ones((3, 3, 3))), ValueError, r"shape \(4, O / 1, ...\)"),
    (lambda: pb.nn.avg_pool1d(X.astype(np.uint8), 2), TypeError, "takes floats, not uint8"),
    (lambda: pb.nn.avg_pool2d(X, 2, divisor_override=0), ValueError, "not 0"),
    (lambda: pb.nn.adaptive_avg_pool1d(X, 0), ValueError, "output_size is at least 1"),
    (lambda: pb.nn.max_pool1d(X, 2, return_indices=True), TypeError, "return_indices"),
    (lambda: pb.nn.prelu(X, np.ones(3)), ValueError, r"weight has shape \(4,\), not \(3,\)"),
    (lambda: pb.nn.softshrink(X, -1.0), ValueError, "at least 0"),
    (lambda: pb.nn.hardtanh(X, 1.0, 0.0), ValueError, "is above max_val"),
    (lambda: pb.nn.layer_norm(X, (9,), np.ones(1)), ValueError, r"weight has shape \(9,\)"),
    (
        lambda: pb.nn.lstm_cell(X[0], (X[0], X[0]), np.ones((36, 8)), np.ones((36, 9))),
        ValueError,
        "w_ih has shape",
    ),
    (lambda: pb.nn.gru_cell(X[0], X[0, :3], np.ones((27, 9)), np.ones((27, 9))), ValueError, "takes"),
    (lambda: pb.nn.grid_sample(X, np.zeros((2, 3, 1))), ValueError, "takes"),
    (lambda: pb.nn.grid_sample(X[None], np.zeros((1, 2, 3, 3))), ValueError, "with a grid"),
    (lambda: pb.nn.affine_grid(np.ones((1, 2, 2)), (1, 1, 3, 3)), ValueError, r"theta \(N, 2, 3\)"),
    (lambda: pb.nn.ctc_loss(X, [[1], [0]] * 2, [2] * 4, [1] * 4), ValueError, "the blank"),
    (lambda: pb.nn.ctc_loss(X, [[1]] * 4, [3] * 4, [1] * 4), ValueError, "input_lengths are 1 to 2"),
    (lambda: pb.nn.ctc_loss(X, [[1]] * 4, [2] * 4, [2] * 4), ValueError, "target_lengths are 0 to 1"),
    (lambda: pb.nn.ctc_loss(X, [1] * 3, [2] * 4, [1] * 4), ValueError, "sum to 4, not to 3"),
    (lambda: pb.nn.multi_margin_loss(X[0], [0, 1, 2, 9]), IndexError, "outside of the 9 classes"),
    (lambda: pb.nn.multi_margin_loss(X[0], [0, 1, 2, 3], p=3), ValueError, "p is 1 or 2"),
    (lambda: pb.nn.lp_pool1d(X, 0.0, 2), ValueError, "norm_type is above 0"),
    (lambda: pb.nn.pdist(X), ValueError, r"takes an input \(N, M\)"),
    (lambda: pb.nn.layer_norm(X, ()), ValueError, "at least one length"),
    (lambda: pb.nn.batch_norm(X, np.ones(4), np.ones(4), training=True), ValueError, "writes no running"),
    (lambda: pb.nn.batch_norm(X, np.ones(1), np.ones(4)), ValueError, "running_mean has shape"),
    (lambda: pb.nn.batch_norm(X[:1, :, 0], None, None, training=True), ValueError, "one entry for a channel"),
    (lambda: pb.nn.instance_norm(X[..., :1]), ValueError, "one entry for a channel"),
    (lambda: pb.nn.linear(X, np.ones((3, 8))), ValueError, r"not \(2, 4, 9\) with \(3, 8\)"),
    (lambda: pb.nn.linear(X, np.ones((3, 9)), np.ones(1)), ValueError, "bias has shape"),
    (lambda: pb.nn.bilinear(X, X, np.ones((3, 9, 8))), ValueError, "take a weight"),
    (lambda: pb.nn.dropout(X, mask=np.ones(9)), TypeError, "a mask of bool"),
    (lambda: pb.nn.dropout(X[0], mask=np.ones((2, 4, 9), bool)), ValueError, "is not broadcast to"),
    (lambda: pb.nn.embedding(np.array([0]), np.ones((4, 2)), padding_idx=4), IndexError, "padding_idx 4"),
    (lambda: pb.nn.embedding(np.array([0]), np.ones((4, 2)), max_norm=1.0), TypeError, "max_norm"),
    (lambda: pb.nn.cross_entropy(X, X, ignore_index=1), ValueError, "for a target of integers"),
    (lambda: pb.nn.cross_entropy(X, X, label_smoothing=2.0), ValueError, "between 0 and 1"),
    (lambda: pb.nn.cross_entropy(X, X, np.ones(1)), ValueError, "weight has shape"),
    (lambda: pb.nn.cross_entropy(X, X, None, None), TypeError, "positional"),
    (lambda: pb.nn.mse_loss(X.astype(np.uint8), X), TypeError, "takes floats, not uint8"),
    (lambda: pb.nn.binary_cross_entropy(2 * X, X), ValueError, "takes probabilities"),
    (lambda: pb.nn.binary_cross_entropy(X, X, np.ones((3, 2, 4, 9))), ValueError, "is not broadcast to"),
    (lambda: pb.nn.hinge_embedding_loss(X, 0 * X), ValueError, "a target of 1 and -1"),
    (lambda: pb.nn.huber_loss(X, X, delta=0.0), ValueError, "delta is above 0"),
    (lambda: pb.nn.smooth_l1_loss(X, X, beta=-1.0), ValueError, "delta is above 0"),
    (lambda: pb.nn.triplet_margin_loss(X, X, X, margin=0.0), ValueError, "margin is above 0"),
    (lambda: pb.nn.gaussian_nll_loss(X, X, -X), ValueError, "not below 0"),
    (lambda: pb.nn.gaussian_nll_loss(X, X, np.ones(9)), ValueError, "var of 1 axes for an input of 3"),
    (lambda: pb.nn.interpolate(X, 3, mode="linear", antialias=True), ValueError, "antialias is for"),
    (lambda: pb.nn.interpolate(X, 3, align_corners=False), ValueError, "align_corners is for"),
    (lambda: pb.nn.interpolate(X, scale_factor=0.01), ValueError, "leave nothing"),
    (lambda: pb.nn.interpolate(X.astype(int), 3), TypeError, "takes floats"),
    (lambda: pb.nn.pad(X, (9, 0), mode="reflect"), ValueError, "adds 0 to 8 entries"),
    (lambda: pb.nn.pad(X, (-5, -5)), ValueError, "cuts more than the 9"),
    (lambda: pb.nn.pad(X, (1, 1), mode="reflect", value=1.0), ValueError, "a value is for"),
    (lambda: pb.nn.pixel_shuffle(X, 0), ValueError, "upscale_factor is at least 1"),
    (lambda: pb.nn.scaled_dot_product_attention(X, X, X[:, :3]), ValueError, "takes query"),
    (
        lambda: pb.nn.scaled_dot_product_attention(X, X, X, np.ones((4, 4), int)),
        TypeError,
        "a mask of bool, or of floats",
    ),
    (
        lambda: pb.nn.scaled_dot_product_attention(X, X, X, np.ones((3, 4, 4), bool)),
        ValueError,
        "is not broadcast",
    ),
    (
        lambda: pb.nn.scaled_dot_product_attention(X[None], X[None, :, :3][:, :1], X, enable_gqa=True),
        ValueError,
        "takes query",
    ),
]


@pytest.mark.parametrize("k", range(len(CASES)))
def test_a_mistake_is_named(k):
    call, error, message = CASES[k]
    with pytest.raises(error, match=message):
        call()


def test_dropout_applies_its_mask_alone():
    x = pb.tensor(np.ones(4), requires_grad=True)
    y = pb.nn.dropout(x, 0.5, mask=np.array([True, False, True, True]))
    np.testing.assert_array_equal(pb.grad(y.sum(), x)[0].numpy(), [2, 0, 2, 2])
    assert pb.nn.dropout(x, 0.5, training=False) is x
