"""Operators under NumPy's names: arrays in, arrays out; tensors in, recorded tensors out.

Code written for NumPy changes one import::

    import pullback.numpy as np

What NumPy's own functions do with tensors is the same; these skip NumPy's
dispatch. A name that is not here is NumPy's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as _numpy

from .engine.call import call
from .engine.dispatch import engine_of
from .engine.numpy_functions import (  # noqa: F401
    array_split,
    copy,
    diag,
    einsum,
    hsplit,
    ravel,
    split,
    vsplit,
)
from .transpile.vocabulary import WORDS

pi = _numpy.pi
e = _numpy.e
euler_gamma = _numpy.euler_gamma
inf = _numpy.inf
nan = _numpy.nan
newaxis = None

bool_ = _numpy.bool_
int8 = _numpy.int8
int16 = _numpy.int16
int32 = _numpy.int32
int64 = _numpy.int64
uint8 = _numpy.uint8
float16 = _numpy.float16
float32 = _numpy.float32
float64 = _numpy.float64


def _operator(word: str) -> Callable[..., Any]:
    """The function of a word, on arrays and tensors."""

    def function(*args: Any, **kwargs: Any) -> Any:
        return call(word, *args, **kwargs)

    function.__name__ = function.__qualname__ = word
    function.__doc__ = f"As `{WORDS[word].python}`; tensors in, a tensor out, recorded."
    return function


add = _operator("add")
subtract = _operator("subtract")
multiply = _operator("multiply")
divide = true_divide = _operator("divide")
power = pow = _operator("power")
negative = _operator("negative")
positive = _operator("positive")
floor_divide = _operator("floor_divide")
remainder = mod = _operator("remainder")
maximum = _operator("maximum")
minimum = _operator("minimum")
fmax = _operator("fmax")
fmin = _operator("fmin")
hypot = _operator("hypot")
logaddexp = _operator("logaddexp")
logaddexp2 = _operator("logaddexp2")
arctan2 = atan2 = _operator("arctan2")

exp = _operator("exp")
exp2 = _operator("exp2")
expm1 = _operator("expm1")
log = _operator("log")
log2 = _operator("log2")
log10 = _operator("log10")
log1p = _operator("log1p")
sqrt = _operator("sqrt")
cbrt = _operator("cbrt")
square = _operator("square")
reciprocal = _operator("reciprocal")
sin = _operator("sin")
cos = _operator("cos")
tan = _operator("tan")
tanh = _operator("tanh")
sinh = _operator("sinh")
cosh = _operator("cosh")
arcsin = asin = _operator("arcsin")
arccos = acos = _operator("arccos")
arctan = atan = _operator("arctan")
arcsinh = asinh = _operator("arcsinh")
arccosh = acosh = _operator("arccosh")
arctanh = atanh = _operator("arctanh")
abs = absolute = fabs = _operator("abs")
sign = _operator("sign")
floor = _operator("floor")
ceil = _operator("ceil")
trunc = _operator("trunc")
round = around = rint = _operator("round")
clip = _operator("clip")
where = _operator("where")

less = _operator("less")
less_equal = _operator("less_equal")
greater = _operator("greater")
greater_equal = _operator("greater_equal")
equal = _operator("equal")
not_equal = _operator("not_equal")
logical_and = _operator("logical_and")
logical_or = _operator("logical_or")
logical_not = _operator("logical_not")
bitwise_and = _operator("bitwise_and")
bitwise_or = _operator("bitwise_or")
invert = _operator("invert")
isnan = _operator("isnan")
isinf = _operator("isinf")
isfinite = _operator("isfinite")
signbit = _operator("signbit")

erf = _operator("erf")
sigmoid = _operator("sigmoid")
relu = _operator("relu")
gelu = _operator("gelu")
softplus = _operator("softplus")
softmax = _operator("softmax")
log_softmax = _operator("log_softmax")
logsumexp = _operator("logsumexp")

sum = _operator("sum")
mean = _operator("mean")
max = amax = _operator("max")
min = amin = _operator("min")
prod = _operator("prod")
var = _operator("var")
std = _operator("std")
cumsum = _operator("cumsum")
cumprod = _operator("cumprod")
argmax = _operator("argmax")
argmin = _operator("argmin")
all = _operator("all")
any = _operator("any")

reshape = _operator("reshape")
transpose = _operator("transpose")
swapaxes = _operator("swapaxes")
moveaxis = _operator("moveaxis")
flip = _operator("flip")
roll = _operator("roll")
repeat = _operator("repeat")
tile = _operator("tile")
diagonal = _operator("diagonal")
trace = _operator("trace")
tril = _operator("tril")
triu = _operator("triu")
broadcast_to = _operator("broadcast_to")
expand_dims = _operator("expand_dims")
squeeze = _operator("squeeze")
concatenate = concat = _operator("concatenate")
stack = _operator("stack")
vstack = _operator("vstack")
hstack = _operator("hstack")
astype = _operator("astype")
matmul = _operator("matmul")
outer = _operator("outer")
dot = _operator("dot")
vdot = _operator("vdot")
inner = _operator("inner")
tensordot = _operator("tensordot")

zeros_like = _operator("zeros_like")
ones_like = _operator("ones_like")
full_like = _operator("full_like")
zeros = _operator("zeros")
ones = _operator("ones")
arange = _operator("arange")


def array(values: Any, dtype: Any = None) -> Any:
    """As `np.array`: a copy. Tensors stay tensors, and a list of them is stacked."""
    if engine_of(values) is None:
        return _numpy.array(values, dtype=dtype)
    made = stack([array(value) for value in values]) if isinstance(values, (list, tuple)) else values.copy()
    return made if dtype is None else made.astype(dtype)


def asarray(values: Any, dtype: Any = None) -> Any:
    """As `np.asarray`: no copy where none is needed. A tensor stays what it is."""
    if engine_of(values) is None:
        return _numpy.asarray(values, dtype)
    if isinstance(values, (list, tuple)):
        return array(values, dtype)
    return values if dtype is None or values.dtype == dtype else values.astype(dtype)


def __getattr__(name: str) -> Any:
    """What isn't defined here is NumPy's, which calls the formulas too where it gets tensors."""
    return getattr(_numpy, name)
