"""NumPy's functions on tensors, recorded; a namespace of the array API standard.

Code written for NumPy, `jax.numpy` or `autograd.numpy` changes one import::

    import pullback.numpy as np

Functions that make arrays (`zeros`, `array`, `arange`) make tensors. The others
give arrays for arrays, and tensors where a tensor is among their arguments. What
NumPy's own functions do with tensors is the same; these skip NumPy's dispatch. A
name that is not here is NumPy's. What of the standard is here: docs/array-api.md.
"""

from __future__ import annotations

from typing import Any

import numpy as _numpy

from ..engine.calls.call import call_generally
from ..engine.calls.direct import OperatorFunction
from ..engine.core.dispatch import engine_of
from ..engine.core.typed import OperatorCall
from ..engine.numpy import creation
from ..engine.numpy.out import call_into
from ..engine.numpy.scattered_writes import copyto as copyto
from ..engine.numpy.scattered_writes import fill_diagonal as fill_diagonal
from ..engine.numpy.written.index_tricks import c_ as c_
from ..engine.numpy.written.index_tricks import r_ as r_
from ..engine.numpy.written.table import direct as _direct
from ..engine.numpy.written.table import written
from ..transpile.operators import OPERATORS
from . import fft as fft
from . import linalg as linalg

__array_api_version__ = "2024.12"
__array_namespace_info__ = _numpy.__array_namespace_info__

pi = _numpy.pi
e = _numpy.e
euler_gamma = _numpy.euler_gamma
inf = _numpy.inf
nan = _numpy.nan
newaxis = None

bool = bool_ = _numpy.bool_
int8 = _numpy.int8
int16 = _numpy.int16
int32 = _numpy.int32
int64 = _numpy.int64
uint8 = _numpy.uint8
uint16 = _numpy.uint16
uint32 = _numpy.uint32
uint64 = _numpy.uint64
float16 = _numpy.float16
float32 = _numpy.float32
float64 = _numpy.float64
complex64 = _numpy.complex64
complex128 = _numpy.complex128

arange = creation.arange
array = creation.array
asarray = creation.asarray
empty = creation.empty
eye = creation.eye
from_dlpack = creation.from_dlpack
full = creation.full
geomspace = creation.geomspace
identity = creation.identity
linspace = creation.linspace
logspace = creation.logspace
meshgrid = creation.meshgrid
ones = creation.ones
tri = creation.tri
zeros = creation.zeros


def _operator(op: str, example: str = "") -> OperatorCall:
    """The function of an operator, on arrays and tensors; its docstring has the example."""

    def function(*args: Any, out: Any = None, **kwargs: Any) -> Any:
        if out is not None:
            return call_into(out, op, args, kwargs)
        return call_generally(op, *args, **kwargs)

    function.__name__ = function.__qualname__ = op
    function.__doc__ = (
        f"As `{OPERATORS[op].python}`; tensors in, a tensor out, recorded; or into `out`.{example}"
    )
    return OperatorFunction(op, function)


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
copysign = _operator("copysign")
fmod = _operator("fmod")
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
abs = absolute = _operator("abs")
conj = conjugate = written(_numpy.conj)
real = written(_numpy.real)
imag = written(_numpy.imag)
sign = _operator("sign")
deg2rad = radians = _operator("deg2rad")
rad2deg = degrees = _operator("rad2deg")
sinc = _operator("sinc")
floor = _operator("floor")
ceil = _operator("ceil")
trunc = _operator("trunc")
round = around = _operator("round")
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
bitwise_xor = _operator("bitwise_xor")
logical_xor = _operator("logical_xor")
left_shift = bitwise_left_shift = _operator("left_shift")
right_shift = bitwise_right_shift = _operator("right_shift")
invert = bitwise_not = bitwise_invert = _operator("invert")
isnan = _operator("isnan")
isinf = _operator("isinf")
isfinite = _operator("isfinite")
signbit = _operator("signbit")

erf = _operator("erf")
sigmoid = _operator("sigmoid", "\n\n>>> sigmoid(0.0)\nnp.float64(0.5)")
relu = _operator("relu", "\n\n>>> relu(-1.0), relu(2.0)\n(np.float64(0.0), np.float64(2.0))")
gelu = _operator("gelu", "\n\n>>> gelu(1.0)\nnp.float64(0.84134...)")
softplus = _operator("softplus", "\n\n>>> softplus(0.0)\nnp.float64(0.69314...)")
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
sort = _operator("sort")
argsort = _operator("argsort")
argpartition = _operator("argpartition")
searchsorted = _operator("searchsorted")
take_along_axis = _operator("take_along_axis")
all = _operator("all")
any = _operator("any")

reshape = _operator("reshape")
transpose = permute_dims = _operator("transpose")
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
convolve = _operator("convolve")
dot = _operator("dot")
vdot = _operator("vdot")
inner = _operator("inner")
tensordot = _operator("tensordot")

zeros_like = empty_like = _operator("zeros_like")
ones_like = _operator("ones_like")
full_like = _operator("full_like")


def finfo(type: Any, /) -> _numpy.finfo[Any]:
    """As `np.finfo`, of a dtype, tensor or array."""
    return _numpy.finfo(_dtype_of(type))


def iinfo(type: Any, /) -> _numpy.iinfo[Any]:
    """As `np.iinfo`, of a dtype, tensor or array."""
    return _numpy.iinfo(_dtype_of(type))


def _dtype_of(value: Any) -> Any:
    return value.dtype if isinstance(value, _numpy.ndarray) or engine_of(value) is not None else value


def __getattr__(name: str) -> Any:
    """A name that isn't defined here: a function written with operators, or NumPy's."""
    found = globals()[name] = _direct(getattr(_numpy, name))
    return found


def __dir__() -> list[str]:
    return [*globals(), *dir(_numpy)]
