"""Functions entry by entry, with PyTorch's arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pullback.numpy as np
import pullback.special as special

from .arguments import cast, values_of

_SAME = (
    *("abs", "acos", "acosh", "asin", "asinh", "atan", "atanh", "ceil", "conj", "cos", "cosh", "deg2rad"),
    *("rad2deg", "exp", "exp2", "expm1", "floor", "log", "log10", "log1p", "log2", "positive", "reciprocal"),
    *("sign", "sin", "sinc", "sinh", "sqrt", "square", "tan", "tanh", "trunc", "angle", "real", "imag"),
    *("copysign", "fmax", "fmin", "fmod", "remainder", "hypot", "logaddexp", "logaddexp2", "maximum"),
    *("minimum", "nextafter", "float_power", "atan2", "true_divide", "frexp"),
)
_SPECIAL = ("i0e", "i1", "i1e", "ndtr", "xlog1py", "entr", "ndtri", "log_ndtr", "erfcx")


def _copied(x: Any, **_: Any) -> Any:
    return np.copy(x)


def _clamp(x: Any, min: Any = None, max: Any = None) -> Any:
    x = x if min is None else np.maximum(x, min)
    return x if max is None else np.minimum(x, max)


def _logit(x: Any, eps: float | None = None) -> Any:
    return special.logit(x if eps is None else np.clip(x, eps, 1 - eps))


def _mvlgamma(x: Any, p: int) -> Any:
    terms = [special.gammaln(x - j / 2) for j in range(p)]
    return sum(terms[1:], terms[0]) + p * (p - 1) / 4 * np.log(np.pi)


def _fill(x: Any, value: Any) -> Any:
    return np.broadcast_to(np.astype(np.asarray(value), x.dtype), x.shape)


def _divide(x: Any, y: Any, rounding_mode: str | None = None) -> Any:
    if rounding_mode == "floor":
        return np.floor_divide(x, y)
    return np.trunc(x / y) if rounding_mode == "trunc" else x / y


def _softmax(function: Callable[..., Any]) -> Callable[..., Any]:
    def called(x: Any, dim: int, dtype: Any = None, **_: Any) -> Any:
        return function(cast(x, dtype), axis=dim)

    return called


def _softmax_gradient(grad: Any, output: Any, dim: int, input_dtype: Any) -> Any:
    return cast(output * (grad - np.sum(grad * output, axis=dim, keepdims=True)), input_dtype)


softmax, log_softmax = _softmax(special.softmax), _softmax(special.log_softmax)


def _safe_softmax(x: Any, dim: int, dtype: Any = None) -> Any:
    """Nought in rows of which every entry is left out."""
    left = np.isfinite(values_of(x)).any(dim, keepdims=True)
    return np.where(left, softmax(np.where(left, x, 0.0), dim, dtype), 0.0)


def softmin(x: Any, dim: int, dtype: Any = None) -> Any:
    """Of the negative of what is given."""
    return softmax(-x, dim, dtype)


TABLE: dict[str, Callable[..., Any]] = {
    **{name: getattr(np, name) for name in _SAME},
    **{f"special_{name}": getattr(special, name) for name in _SPECIAL},
    **{name: getattr(special, name) for name in ("i0", "erf", "erfc", "erfinv", "digamma", "xlogy")},
    **{f"polygamma_polygamma_n_{n}": lambda x, n: special.polygamma(n, x) for n in range(5)},
    **{f"mvlgamma_mvlgamma_p_{p}": _mvlgamma for p in (1, 3, 5)},
    **dict.fromkeys(("clone", "contiguous", "alias_copy", "resolve_conj", "resolve_neg"), _copied),
    **{f"round{places}": np.round for places in ("", "_decimals_0", "_decimals_3", "_decimals_neg_3")},
    **{f"div_{mode}": _divide for mode in ("no_rounding_mode", "trunc_rounding", "floor_rounding")},
    "__radd__": lambda x, y: y + x,
    "__rdiv__": lambda x, y: y / x,
    "__rmod__": lambda x, y: np.remainder(y, x),
    "__rmul__": lambda x, y: y * x,
    "__rpow__": lambda x, y: y**x,
    "__rsub__": lambda x, y: y - x,
    "_softmax_backward_data": _softmax_gradient,
    "add": lambda x, y, alpha=1: x + alpha * y,
    "addcdiv": lambda x, y, z, value=1: x + value * (y / z),
    "addcmul": lambda x, y, z, value=1: x + value * y * z,
    "clamp": _clamp,
    "clamp_max": np.minimum,
    "clamp_min": np.maximum,
    "complex": lambda x, y: x + 1j * y,
    "conj_physical": np.conj,
    "fill": _fill,
    "frac": lambda x: x - np.trunc(x),
    "ldexp": lambda x, y: x * np.power(2.0, y),
    "lerp": lambda x, end, weight: x + weight * (end - x),
    "lgamma": special.gammaln,
    "log_softmax": log_softmax,
    "log_softmax_with_dtype": log_softmax,
    "logit": _logit,
    "masked_fill": lambda x, mask, value: np.where(mask, value, x),
    "max_binary": np.maximum,
    "min_binary": np.minimum,
    "mul": lambda x, y: x * y,
    "nan_to_num": lambda x, nan=0.0, posinf=None, neginf=None: np.nan_to_num(x, True, nan, posinf, neginf),
    "neg": np.negative,
    "nn_functional_softmin": softmin,
    "nn_functional_softmin_with_dtype": softmin,
    "polar": lambda x, angle: x * np.cos(angle) + 1j * (x * np.sin(angle)),
    "pow": lambda x, y: x**y,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "rsub": lambda x, y, alpha=1: y - alpha * x,
    "sgn": np.sign,
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)) if x.dtype.kind == "c" else special.expit(x),
    "softmax": softmax,
    "softmax_with_dtype": softmax,
    "special_polygamma_special_polygamma_n_0": lambda x, n: special.polygamma(n, x),
    "sub": lambda x, y, alpha=1: x - alpha * y,
    "torch_ops_aten__safe_softmax_default": _safe_softmax,
    "where": lambda x, condition, y: np.where(condition, x, y),
    "zero_": np.zeros_like,
}
