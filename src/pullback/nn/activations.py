"""Activations: functions of each entry, and softmax and its kin along an axis."""

from __future__ import annotations

from typing import Any

from .. import numpy as pnp
from .. import special
from ..engine.numpy.written.table import formulas
from .arguments import array, expect_shape

# G. Klambauer and others, "Self-Normalizing Neural Networks" (2017), equation 14.
_SELU_ALPHA, _SELU_SCALE = 1.6732632423543772, 1.0507009873554805


def relu(input: Any) -> Any:
    """max(x, 0).

    >>> relu(-1.0), relu(2.0)
    (np.float64(0.0), np.float64(2.0))
    """
    return pnp.relu(input)


def relu6(input: Any) -> Any:
    """x between 0 and 6.

    >>> relu6(7.0).item()
    6.0
    """
    return hardtanh(input, 0.0, 6.0)


def leaky_relu(input: Any, negative_slope: float = 0.01) -> Any:
    """x, times a slope below 0.

    >>> leaky_relu(-1.0).item()
    -0.01
    """
    return pnp.where(pnp.greater(input, 0), input, input * negative_slope)


def prelu(input: Any, weight: Any) -> Any:
    """`leaky_relu` with a slope for each channel, axis 1, or one for all. ValueError for another count.

    >>> import numpy as np
    >>> prelu(np.array([[-2.0, -2.0]]), np.array([0.5, 0.25])).tolist()
    [[-1.0, -0.5]]
    """
    input, weight = array(input), array(weight)
    if tuple(weight.shape) == (1,):
        weight = weight[0]
    elif weight.ndim > 0:
        channels = input.shape[1] if input.ndim > 1 else 1
        weight = expect_shape(weight, (channels,), "prelu: weight")
        weight = pnp.reshape(weight, (-1, *(1,) * (input.ndim - 2)))
    return pnp.where(pnp.greater(input, 0), input, input * weight)


def elu(input: Any, alpha: float = 1.0) -> Any:
    """x, and alpha (exp(x) - 1) below 0.

    >>> elu(2.0).item()
    2.0
    """
    above = pnp.greater(input, 0)
    return pnp.where(above, input, alpha * pnp.expm1(pnp.where(above, 0, input)))


def celu(input: Any, alpha: float = 1.0) -> Any:
    """x, and alpha (exp(x / alpha) - 1) below 0.

    >>> celu(2.0).item()
    2.0
    """
    above = pnp.greater(input, 0)
    return pnp.where(above, input, alpha * pnp.expm1(pnp.where(above, 0, input) / alpha))


def selu(input: Any) -> Any:
    """`elu` scaled so that means and variances stay: Klambauer and others (2017).

    >>> round(selu(1.0).item(), 4)
    1.0507
    """
    return _SELU_SCALE * elu(input, _SELU_ALPHA)


def gelu(input: Any, approximate: str = "none") -> Any:
    """x times the normal distribution function; by a tanh where `approximate` is "tanh".

    D. Hendrycks and K. Gimpel, "Gaussian Error Linear Units" (2016).

    >>> round(gelu(1.0).item(), 4), round(gelu(1.0, "tanh").item(), 4)
    (0.8413, 0.8412)
    """
    if approximate == "none":
        return pnp.gelu(input)
    if approximate != "tanh":
        raise ValueError(f"approximate is 'none' or 'tanh', not {approximate!r}")
    return formulas.gelu_by_tanh(input)


def sigmoid(input: Any) -> Any:
    """1 / (1 + exp(-x)).

    >>> sigmoid(0.0).item()
    0.5
    """
    return pnp.sigmoid(input)


def logsigmoid(input: Any) -> Any:
    """log(sigmoid(x)).

    >>> round(logsigmoid(0.0).item(), 4)
    -0.6931
    """
    return special.log_expit(input)


def silu(input: Any) -> Any:
    """x sigmoid(x).

    >>> round(silu(1.0).item(), 4)
    0.7311
    """
    return input * pnp.sigmoid(input) if pnp.iscomplexobj(input) else formulas.silu(input)


def mish(input: Any) -> Any:
    """x tanh(softplus(x)). D. Misra, "Mish" (2019).

    >>> round(mish(1.0).item(), 4)
    0.8651
    """
    return formulas.mish(input)


def softplus(input: Any, beta: float = 1.0, threshold: float = 20.0) -> Any:
    """log(1 + exp(beta x)) / beta, which is x where beta x is above the threshold.

    >>> round(softplus(0.0).item(), 4)
    0.6931
    """
    scaled = input * beta
    above = pnp.greater(scaled, threshold)
    return pnp.where(above, input, pnp.softplus(pnp.where(above, 0, scaled)) / beta)


def hardtanh(input: Any, min_val: float = -1.0, max_val: float = 1.0) -> Any:
    """x between two bounds, where its derivative is 0. ValueError for a min_val above max_val.

    >>> hardtanh(2.0).item()
    1.0
    """
    if min_val > max_val:
        raise ValueError(f"hardtanh: min_val {min_val} is above max_val {max_val}")
    return pnp.where(
        pnp.less_equal(input, min_val), min_val, pnp.where(pnp.greater_equal(input, max_val), max_val, input)
    )


def hardsigmoid(input: Any) -> Any:
    """x / 6 + 1 / 2, between 0 and 1.

    >>> hardsigmoid(0.0).item()
    0.5
    """
    return hardtanh(input + 3, 0.0, 6.0) / 6


def hardswish(input: Any) -> Any:
    """x hardsigmoid(x).

    >>> hardswish(3.0).item()
    3.0
    """
    below, above = pnp.less_equal(input, -3), pnp.greater_equal(input, 3)
    inner = pnp.where(pnp.logical_or(below, above), 0, input)
    return pnp.where(above, input, pnp.where(below, 0, inner * (inner + 3) / 6))


def softsign(input: Any) -> Any:
    """x / (1 + abs(x)).

    >>> softsign(1.0).item()
    0.5
    """
    return input / (1 + pnp.abs(input)) if pnp.iscomplexobj(input) else formulas.softsign(input)


def tanh(input: Any) -> Any:
    """The hyperbolic tangent.

    >>> tanh(0.0).item()
    0.0
    """
    return pnp.tanh(input)


def tanhshrink(input: Any) -> Any:
    """x - tanh(x).

    >>> tanhshrink(0.0).item()
    0.0
    """
    return formulas.tanhshrink(input)


def softshrink(input: Any, lambd: float = 0.5) -> Any:
    """x drawn towards 0 by lambd. ValueError for a lambd below 0.

    >>> softshrink(2.0).item()
    1.5
    """
    if lambd < 0:
        raise ValueError(f"softshrink: lambd is at least 0, not {lambd}")
    return pnp.sign(input) * pnp.relu(pnp.abs(input) - lambd)


def hardshrink(input: Any, lambd: float = 0.5) -> Any:
    """x, and 0 where its size is at most lambd.

    >>> hardshrink(0.25).item()
    0.0
    """
    return pnp.where(pnp.less_equal(pnp.abs(input), lambd), 0, input)


def threshold(input: Any, threshold: float, value: float) -> Any:
    """x where it is above the threshold, else the value.

    >>> threshold(0.5, 1.0, 20.0).item()
    20.0
    """
    return pnp.where(pnp.less_equal(input, threshold), value, input)


def glu(input: Any, dim: int = -1) -> Any:
    """The first half along an axis times the sigmoid of the second.

    ValueError for an odd length.

    >>> import numpy as np
    >>> glu(np.array([2.0, 0.0])).tolist()
    [1.0]
    """
    input = array(input)
    if input.shape[dim] % 2:
        raise ValueError(f"glu halves axis {dim}, whose length {input.shape[dim]} is odd")
    a, b = pnp.split(input, 2, dim)
    return a * pnp.sigmoid(b)


def softmax(input: Any, dim: int) -> Any:
    """exp(x) over its sum along an axis.

    >>> import numpy as np
    >>> softmax(np.zeros(2), 0).tolist()
    [0.5, 0.5]
    """
    return _along(pnp.softmax, array(input), dim)


def log_softmax(input: Any, dim: int) -> Any:
    """The logarithm of `softmax`.

    >>> import numpy as np
    >>> log_softmax(np.zeros(1), 0).tolist()
    [0.0]
    """
    return _along(pnp.log_softmax, array(input), dim)


def softmin(input: Any, dim: int) -> Any:
    """`softmax` of -x.

    >>> import numpy as np
    >>> softmin(np.zeros(2), 0).tolist()
    [0.5, 0.5]
    """
    return _along(pnp.softmax, -array(input), dim)


def _along(function: Any, x: Any, dim: int) -> Any:
    """Of an axis without entries nothing is the largest, and there is nothing to compute."""
    return x * 1 if x.size == 0 and x.shape[dim] == 0 else function(x, axis=dim)
