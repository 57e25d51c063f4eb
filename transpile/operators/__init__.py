"""The table of operators: one entry for each, a file for each family.

An entry (`OperatorInfo`) says all that the compiler knows of an operator but its derivative, which is a
formula in `formulas/`. So a new operator is two edits: its formula and its entry.
"""

from __future__ import annotations

from . import (
    complex_parts,
    fourier,
    indexing,
    joining,
    plumbing,
    pointwise,
    products,
    reductions,
    shapes,
    special,
)
from .constant import CONSTANT as CONSTANT
from .info import OperatorInfo as OperatorInfo
from .special import CALLED as CALLED

_EVERY: tuple[OperatorInfo, ...] = (
    *pointwise.OPERATORS,
    *complex_parts.OPERATORS,
    *special.OPERATORS,
    *reductions.OPERATORS,
    *shapes.OPERATORS,
    *indexing.OPERATORS,
    *joining.OPERATORS,
    *products.OPERATORS,
    *plumbing.OPERATORS,
    *fourier.OPERATORS,
)

OPERATORS: dict[str, OperatorInfo] = {operator.name: operator for operator in _EVERY}

# Python's functions of one number.
OF_MATH = (
    "sqrt", "exp", "log", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh",
    "log1p", "expm1", "log2", "log10",
)  # fmt: skip

# Values, not tensors: what `math` and the builtins compute of numbers.
# The number kept is a Python one, which does not widen float32.
VALUE_CALLS: frozenset[str] = frozenset(
    {
        "len",
        "int",
        "float",
        "bool",
        "tuple",
        "range",
        *(f"math.{name}" for name in OF_MATH),
        "math.prod",
        "math.pi",
        "math.erf",
        "math.ceil",
        "math.floor",
        "pullback.primitives.dot_subscripts",
        "pullback.primitives.order_of_norm",
        "pullback.primitives.tensordot_subscripts",
    }
)

# Functions with several results, which have kernels and no derivative: formulas are written around them.
DECOMPOSITIONS: frozenset[str] = frozenset(
    f"numpy.linalg.{name}" for name in ("slogdet", "eigh", "eig", "qr", "svd")
)

# What NumPy calls the results of functions that return several.
RESULT_NAMES: dict[str, tuple[str, ...]] = {
    "numpy.linalg.slogdet": ("sign", "logabsdet"),
    "numpy.linalg.eigh": ("eigenvalues", "eigenvectors"),
    "numpy.linalg.eig": ("eigenvalues", "eigenvectors"),
    "numpy.linalg.qr": ("Q", "R"),
    "numpy.linalg.svd": ("U", "S", "Vh"),
    "numpy.unique_all": ("values", "indices", "inverse_indices", "counts"),
    "numpy.unique_counts": ("values", "counts"),
    "numpy.unique_inverse": ("values", "inverse_indices"),
}

# Functions that are called by their full names, whatever the author calls them by.
BY_FULL_NAME: frozenset[str] = DECOMPOSITIONS | CONSTANT.keys()

# Functions of the gradient and the operands that give an operator's gradients, by which readers are
# shown them. In a formula they stand for their text in `formulas/`.
NAMED_GRADIENTS: dict[str, str] = {"matmul": "pullback.primitives.matmul_gradients"}

# Attributes of modules that are numbers or dtypes.
CONSTANTS: dict[str, float] = {
    "numpy.pi": 3.141592653589793,
    "numpy.e": 2.718281828459045,
    "numpy.inf": float("inf"),
    "numpy.nan": float("nan"),
    "numpy.euler_gamma": 0.5772156649015329,
    "math.pi": 3.141592653589793,
    "math.e": 2.718281828459045,
    "math.inf": float("inf"),
    "math.nan": float("nan"),
}

DTYPES: frozenset[str] = frozenset(
    f"numpy.{name}"
    for name in (
        "float16",
        "float32",
        "float64",
        "complex64",
        "complex128",
        "int8",
        "int16",
        "int32",
        "int64",
        "uint8",
        "bool_",
        "bool",
    )
)

_BY_PYTHON: dict[str, OperatorInfo] = {
    name: operator for operator in _EVERY for name in (operator.python, *operator.spelling)
}
_BY_METHOD: dict[str, OperatorInfo] = {method: operator for operator in _EVERY for method in operator.methods}


def by_python(dotted: str) -> OperatorInfo | None:
    """The operator of a function's full name, or None.

    >>> by_python("numpy.absolute").name
    'abs'
    """
    return _BY_PYTHON.get(dotted)


def by_method(name: str) -> OperatorInfo | None:
    """The operator of a tensor's method, or None.

    >>> by_method("sum").name
    'sum'
    """
    return _BY_METHOD.get(name)


def suggestions(dotted: str) -> tuple[str, ...]:
    """Up to three names of the vocabulary close to an unknown one; a primitive's by its module.

    >>> suggestions("numpy.expp")[0], suggestions("pullback.sum_to")
    ('numpy.exp', ('pullback.primitives.sum_to',))
    """
    from difflib import get_close_matches

    primitive = dotted.replace("pullback.", "pullback.primitives.", 1)
    if primitive in _BY_PYTHON or primitive in VALUE_CALLS or dotted == "pullback.like":
        return (primitive,)
    return tuple(get_close_matches(dotted, _BY_PYTHON, n=3, cutoff=0.75))
