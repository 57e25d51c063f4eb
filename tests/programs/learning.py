"""Layers, losses and training steps."""

import numpy as np
from scipy.special import expit, log_softmax, softmax

from .samples import integers, normal, positive


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def stable_softmax(z, axis=-1):
    e = np.exp(z - np.max(z, axis=axis, keepdims=True))
    return e / np.sum(e, axis=axis, keepdims=True)


def softmax_regression(weights, bias, x, labels):
    """Cross entropy with labels as whole numbers."""
    logits = x @ weights + bias
    logits = logits - logits.max(axis=1, keepdims=True)
    log_probs = logits - np.log(np.sum(np.exp(logits), axis=1, keepdims=True))
    return -np.mean(log_probs[np.arange(len(labels)), labels])


def one_hot_cross_entropy(logits, targets, *, smoothing: float = 0.1):
    k = targets.shape[-1]
    smooth = targets * (1 - smoothing) + smoothing / k
    return -np.mean(np.sum(smooth * log_softmax(logits, axis=-1), axis=-1))


def mlp(x, w1, b1, w2, b2, *, activation: str = "tanh"):
    """Two layers."""
    h = x @ w1 + b1
    if activation == "tanh":
        h = np.tanh(h)
    elif activation == "relu":
        h = np.maximum(h, 0)
    elif activation == "gelu":
        h = 0.5 * h * (1 + np.tanh(np.sqrt(2 / np.pi) * (h + 0.044715 * h**3)))
    return h @ w2 + b2


def mlp_of_lists(x, weights: "list[Tensor]", biases: "list[Tensor]"):  # noqa: F821
    """Any number of layers; the last one is linear."""
    h = x
    for i in range(len(weights) - 1):
        h = np.tanh(h @ weights[i] + biases[i])
    return h @ weights[-1] + biases[-1]


def attention_head(x, wq, wk, wv, *, causal: bool = True):
    q, k, v = x @ wq, x @ wk, x @ wv
    n, d = q.shape
    scores = q @ k.T / np.sqrt(d)
    if causal:
        mask = np.tril(np.ones((n, n)))
        scores = np.where(mask == 0, -1e9, scores)
    return stable_softmax(scores) @ v


def multi_head_attention(x, wq, wk, wv, *, heads: int = 2):
    """One head after the other, joined."""
    d = x.shape[-1] // heads
    outputs = []
    for h in range(heads):
        part = slice(h * d, (h + 1) * d)
        q, k, v = (x @ wq)[:, part], (x @ wk)[:, part], (x @ wv)[:, part]
        a = softmax(q @ k.T / np.sqrt(d), axis=-1)
        outputs.append(a @ v)
    return np.concatenate(outputs, axis=-1)


def layer_norm(x, gamma, beta, *, eps: float = 1e-5):
    mean = x.mean(axis=-1, keepdims=True)
    var = x.var(axis=-1, keepdims=True)
    return gamma * (x - mean) / np.sqrt(var + eps) + beta


def batch_norm(
    x, gamma, beta, running_mean, *, training: bool = True, momentum: float = 0.9, eps: float = 1e-5
):
    """The result and the new running mean."""
    if training:
        mu = np.mean(x, axis=0)
        var = np.mean((x - mu) ** 2, axis=0)
        running_mean = momentum * running_mean + (1 - momentum) * mu
    else:
        mu = running_mean
        var = 1.0
    return gamma * (x - mu) / np.sqrt(var + eps) + beta, running_mean


def lstm_step(x, h, c, w, u, b):
    z = x @ w + h @ u + b
    i, f, g, o = np.split(z, 4, axis=-1)
    c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
    return sigmoid(o) * np.tanh(c), c


def lstm(xs: "list[Tensor]", w, u, b):  # noqa: F821
    """Over a list of steps."""
    n = u.shape[0]
    h = np.zeros(n)
    c = np.zeros(n)
    outputs = []
    for x in xs:
        h, c = lstm_step(x, h, c, w, u, b)
        outputs.append(h)
    return np.stack(outputs), c


def gru(xs, wz, wr, wh, uz, ur, uh):
    """Over the rows of an array."""
    h = np.zeros(uz.shape[0])
    for t in range(xs.shape[0]):
        z = expit(xs[t] @ wz + h @ uz)
        r = expit(xs[t] @ wr + h @ ur)
        candidate = np.tanh(xs[t] @ wh + (r * h) @ uh)
        h = (1 - z) * h + z * candidate
    return h


def rnn_last(x, w, u, *, reverse: bool = False):
    steps = x[::-1] if reverse else x
    h = np.zeros(w.shape[1])
    for step in steps:
        h = np.tanh(step @ w + h @ u)
    return h


def conv2d_loops(image, kernel):
    """Each output is the sum of a window."""
    kh, kw = kernel.shape
    oh = image.shape[0] - kh + 1
    ow = image.shape[1] - kw + 1
    out = np.zeros((oh, ow))
    for i in range(oh):
        for j in range(ow):
            out[i, j] = np.sum(image[i : i + kh, j : j + kw] * kernel)
    return out


def conv2d_shifts(image, kernel):
    """A shifted image per entry of the kernel."""
    kh, kw = kernel.shape
    h, w = image.shape[0] - kh + 1, image.shape[1] - kw + 1
    out = np.zeros((h, w))
    for di in range(kh):
        for dj in range(kw):
            out += kernel[di, dj] * image[di : di + h, dj : dj + w]
    return out


def conv1d_channels(x, weight, bias, *, stride: int = 1):
    """Channels in, channels out."""
    c_out, c_in, k = weight.shape
    length = (x.shape[1] - k) // stride + 1
    columns = []
    for i in range(length):
        patch = x[:, i * stride : i * stride + k]
        columns.append(np.tensordot(weight, patch, axes=([1, 2], [0, 1])) + bias)
    return np.stack(columns, axis=1)


def max_pool(x, *, size: int = 2):
    h, w = x.shape
    return x.reshape(h // size, size, w // size, size).max(axis=(1, 3))


def average_pool_loops(x, *, size: int = 2):
    out = np.empty((x.shape[0] // size, x.shape[1] // size))
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            out[i, j] = x[i * size : (i + 1) * size, j * size : (j + 1) * size].mean()
    return out


def contrastive_loss(a, b, *, temperature: float = 0.5):
    """Matching rows of two views are close."""
    a = a / np.linalg.norm(a, axis=1, keepdims=True)
    b = b / np.linalg.norm(b, axis=1, keepdims=True)
    logits = a @ b.T / temperature
    return -np.mean(np.diag(log_softmax(logits, axis=1)))


def triplet_loss(anchor, near, far, *, margin: float = 1.0):
    d_near = np.sum((anchor - near) ** 2, axis=-1)
    d_far = np.sum((anchor - far) ** 2, axis=-1)
    return np.mean(np.maximum(d_near - d_far + margin, 0.0))


def focal_loss(logits, labels, *, gamma: float = 2.0, alpha: float = 0.25):
    p = sigmoid(logits)
    p_t = np.where(labels == 1, p, 1 - p)
    a_t = np.where(labels == 1, alpha, 1 - alpha)
    return np.mean(-a_t * (1 - p_t) ** gamma * np.log(p_t))


def dropout(x, keep, *, rate: float = 0.5, training: bool = True):
    """The mask is given, as booleans."""
    if not training or rate == 0.0:
        return x
    return x * keep / (1.0 - rate)


def embedding_bag(table, tokens, *, mode: str = "mean"):
    vectors = table[tokens]
    if mode == "mean":
        return vectors.mean(axis=1)
    elif mode == "max":
        return vectors.max(axis=1)
    else:
        return vectors.sum(axis=1)


def skip_gram(center, context, word, positive_word, negatives):
    """Negative sampling; words are whole numbers."""
    v = center[word]
    loss = -np.log(sigmoid(v @ context[positive_word]))
    for n in negatives:
        loss -= np.log(sigmoid(-(v @ context[n])))
    return loss


def gradient_descent(w, x, y, *, rate: float = 0.1, steps: int = 3):
    """Training unrolled; the loss after it."""
    n = len(y)
    for _ in range(steps):
        gradient = 2 / n * x.T @ (x @ w - y)
        w = w - rate * gradient
    return np.mean((x @ w - y) ** 2)


def adam(w, target, *, rate: float = 0.1, beta1: float = 0.9, beta2: float = 0.99, steps: int = 3):
    m = np.zeros_like(w)
    v = np.zeros_like(w)
    for t in range(1, steps + 1):
        g = 2 * (w - target)
        m = beta1 * m + (1 - beta1) * g
        v = beta2 * v + (1 - beta2) * g**2
        m_hat = m / (1 - beta1**t)
        v_hat = v / (1 - beta2**t)
        w = w - rate * m_hat / (np.sqrt(v_hat) + 1e-8)
    return w


def mixture_of_experts(x, gate, experts):
    """Stacked experts, weighted by a softmax."""
    weights = stable_softmax(x @ gate)
    outputs = np.stack([np.tanh(x @ experts[k]) for k in range(experts.shape[0])], axis=1)
    return np.sum(weights[:, :, None] * outputs, axis=1)


def masked_mean(x, mask):
    """Rows of different lengths, padded."""
    m = mask.astype(float)[:, :, None]
    return np.sum(x * m, axis=1) / np.maximum(m.sum(axis=1), 1.0)


def positional_encoding(x, *, base: float = 100.0):
    """Sines at even places, cosines at odd ones."""
    n, d = x.shape
    encoding = np.zeros((n, d))
    position = np.arange(n)[:, None]
    divisor = base ** (np.arange(0, d, 2) / d)
    encoding[:, 0::2] = np.sin(position / divisor)
    encoding[:, 1::2] = np.cos(position / divisor)
    return x + encoding


def leaky_clip(x, *, slope: float = 0.1):
    """Copied, then changed where a mask says."""
    out = x.copy()
    out[x < 0] *= slope
    out[x > 1] = 1 + slope * (x[x > 1] - 1)
    return out


GATES = tuple(normal(3, 2, seed=s) for s in range(3)) + tuple(normal(2, 2, seed=s) for s in range(3))
HEAD = (normal(3, 4), normal(4, 4), normal(4, 4, seed=1), normal(4, 4, seed=2))
LAYERS = (normal(2, 3), normal(3, 4), normal(4), normal(4, 2), normal(2))

SAMPLES = [
    (softmax_regression, (normal(3, 2), normal(2), normal(4, 3), integers(2, 4)), {}),
    (one_hot_cross_entropy, (normal(3, 4), np.eye(4)[[0, 2, 3]]), {}),
    (mlp, LAYERS, {}),
    (mlp, LAYERS, {"activation": "relu"}),
    (mlp, LAYERS, {"activation": "gelu"}),
    (mlp_of_lists, (normal(2, 3), [normal(3, 2), normal(2, 2)], [normal(2), normal(2, seed=1)]), {}),
    (attention_head, HEAD, {}),
    (attention_head, HEAD, {"causal": False}),
    (multi_head_attention, HEAD, {}),
    (layer_norm, (normal(2, 4), positive(4), normal(4)), {}),
    (batch_norm, (normal(4, 2), positive(2), normal(2), normal(2, seed=1)), {}),
    (batch_norm, (normal(4, 2), positive(2), normal(2), normal(2, seed=1)), {"training": False}),
    (
        lstm,
        ([normal(2), normal(2, seed=1), normal(2, seed=2)], normal(2, 8), normal(2, 8, seed=1), normal(8)),
        {},
    ),
    (gru, (normal(3, 3), *GATES), {}),
    (rnn_last, (normal(3, 2), normal(2, 2), normal(2, 2, seed=1)), {}),
    (rnn_last, (normal(3, 2), normal(2, 2), normal(2, 2, seed=1)), {"reverse": True}),
    (conv2d_loops, (normal(4, 4), normal(2, 3)), {}),
    (conv2d_shifts, (normal(4, 4), normal(2, 3)), {}),
    (conv1d_channels, (normal(2, 6), normal(3, 2, 2), normal(3)), {"stride": 2}),
    (max_pool, (normal(4, 4),), {}),
    (average_pool_loops, (normal(4, 4),), {}),
    (contrastive_loss, (normal(3, 2), normal(3, 2, seed=1)), {}),
    (triplet_loss, (normal(3, 2), normal(3, 2, seed=1), normal(3, 2, seed=2)), {}),
    (focal_loss, (normal(4), integers(2, 4)), {}),
    (dropout, (normal(5), normal(5) > 0), {}),
    (dropout, (normal(5), normal(5) > 0), {"training": False}),
    (embedding_bag, (normal(5, 2), integers(5, 3, 2)), {}),
    (embedding_bag, (normal(5, 2), integers(5, 3, 2)), {"mode": "max"}),
    (skip_gram, (normal(4, 2), normal(4, 2, seed=1), np.array(1), np.array(2), np.array([0, 3])), {}),
    (gradient_descent, (normal(2), normal(4, 2), normal(4)), {}),
    (adam, (normal(3), normal(3, seed=1)), {}),
    (mixture_of_experts, (normal(2, 3), normal(3, 2), normal(2, 3, 2)), {}),
    (masked_mean, (normal(2, 3, 2), np.array([[True, True, False], [True, False, False]])), {}),
    (positional_encoding, (normal(3, 4),), {}),
    (leaky_clip, (np.array([-1.5, -0.2, 0.4, 0.8, 1.9]),), {}),
]
