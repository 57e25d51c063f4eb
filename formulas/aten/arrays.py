"""ATen's functions on NumPy arrays, and on the tensors of this project's engines.

They are those that NumPy or SciPy has under ATen's name, or under another one that means the same, with the
same arguments in the order in which the formulas give them. With them the imported formulas run without
PyTorch, and are recorded and differentiated by this project's engines:

>>> find("rsqrt")(np.array([4.0, 16.0]))
array([0.5 , 0.25])

`aten.implement(find)` makes them those of `pullback.aten`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.special

# Of NumPy's, by ATen's name.
SHARED = """
    abs absolute arccos arccosh arcsin arcsinh arctan arctan2 arctanh ceil conj copysign cos cosh deg2rad
    divide exp exp2 expm1 float_power floor fmax fmin heaviside hypot imag isinf isnan log log10 log1p log2
    logaddexp logaddexp2 logical_and logical_not logical_or matmul maximum minimum multiply negative
    ones_like positive pow power rad2deg real reciprocal round sign sin sinc sinh sqrt square tan
    tanh trunc where zeros_like
""".split()  # noqa: SIM905 - a list of many short names
RENAMED = {
    "acos": "arccos",
    "acosh": "arccosh",
    "asin": "arcsin",
    "asinh": "arcsinh",
    "atan": "arctan",
    "atan2": "arctan2",
    "atanh": "arctanh",
    "div": "divide",
    "mul": "multiply",
    "mm": "matmul",
    "mv": "matmul",
    "neg": "negative",
}
# Of SciPy's special functions, by ATen's name.
SPECIAL = {
    "digamma": "digamma",
    "erf": "erf",
    "erfc": "erfc",
    "i0": "i0",
    "lgamma": "gammaln",
    "polygamma": "polygamma",
    "sigmoid": "expit",
    "special_entr": "entr",
    "special_erfcx": "erfcx",
    "special_i0e": "i0e",
    "special_i1": "i1",
    "special_i1e": "i1e",
    "special_log_ndtr": "log_ndtr",
    "special_ndtri": "ndtri",
    "special_xlog1py": "xlog1py",
    "xlogy": "xlogy",
}


def _sum(x: Any, dim: Any = None, keepdim: bool = False) -> Any:
    return np.sum(x, axis=None if dim is None or len(dim) == 0 else tuple(dim), keepdims=keepdim)


# Those that NumPy spells in another way.
OWN: dict[str, Callable[..., Any]] = {
    "add": lambda x, other, alpha=1: x + (other if alpha == 1 else alpha * other),
    "addcdiv": lambda x, first, second, value=1: x + value * first / second,
    "addcmul": lambda x, first, second, value=1: x + value * first * second,
    "addmm": lambda x, first, second, beta=1, alpha=1: beta * x + alpha * (first @ second),
    "clone": np.copy,
    "eq": np.equal,
    "erfinv": scipy.special.erfinv,
    "frac": lambda x: x - np.trunc(x),
    "ge": np.greater_equal,
    "gt": np.greater,
    "is_complex": lambda x: np.iscomplexobj(x),
    "le": np.less_equal,
    "lerp": lambda x, end, weight: x + weight * (end - x),
    "logit": lambda x, eps=None: scipy.special.logit(x if eps is None else np.clip(x, eps, 1 - eps)),
    "lt": np.less,
    "masked_fill": lambda x, mask, value: np.where(mask, value, x),
    "ne": np.not_equal,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "rsub": lambda x, other, alpha=1: other - (x if alpha == 1 else alpha * x),
    "sgn": np.sign,
    "sigmoid_backward": lambda grad, y: grad * y * (1 - y),
    "sub": lambda x, other, alpha=1: x - (other if alpha == 1 else alpha * other),
    "sum": _sum,
    "t": np.transpose,
    "tanh_backward": lambda grad, y: grad * (1 - y * y),
}


class Overloads:
    """A function with its overloads, which are itself: `aten.add.Tensor(a, b, alpha=2)`."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The function of these arguments."""
        return self.function(*args, **kwargs)

    def __getattr__(self, name: str) -> Overloads:
        if name.startswith("_"):
            raise AttributeError(name)
        return self


def find(name: str) -> Any:
    """The function with ATen's name. Raises AttributeError where neither NumPy nor SciPy has it."""
    if name in OWN:
        return Overloads(OWN[name])
    if name in SPECIAL:
        return Overloads(getattr(scipy.special, SPECIAL[name]))
    if name in SHARED or name in RENAMED:
        return Overloads(getattr(np, RENAMED.get(name, name)))
    raise AttributeError(f"aten.{name} is not among the functions on arrays")
