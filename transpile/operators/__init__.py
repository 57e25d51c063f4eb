"""The table of operators: one entry for each, a file for each family.

An entry (`OperatorInfo`) says all that the compiler knows of an operator but its derivative, which is a
formula in `formulas/`. So a new operator is two edits: its formula and its entry.
"""

from __future__ import annotations

from ..ir import Eqn, Literal
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
from .products import FACTOR_GRADIENTS as FACTOR_GRADIENTS
from .special import SCIPY_ONLY as SCIPY_ONLY

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
# Operators that only texts for frameworks have.
OF_TEXTS: dict[str, OperatorInfo] = {
    operator.name: operator for operators in FACTOR_GRADIENTS.values() for operator in operators
}

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

# Types that formulas may ask an attribute for.
PYTHON_TYPES: dict[str, type] = {
    each.__name__: each for each in (int, float, bool, complex, str, tuple, list, dict)
}


def python_types(eqn: Eqn) -> tuple[type, ...]:
    """The types that an `isinstance` of the IR asks for, by the names in ``of="int tuple"``."""
    names = eqn.kwarg("of")
    assert isinstance(names, Literal)
    return tuple(PYTHON_TYPES[name] for name in str(names.value).split())


# Functions with several results, which have kernels and no derivative: formulas are written around them.
DECOMPOSITIONS: frozenset[str] = frozenset(
    f"numpy.linalg.{name}" for name in ("slogdet", "eigh", "eig", "qr", "svd")
)

# The formulas around these, which stand for no function, with their full names; calls are expanded to theirs.
AROUND_DECOMPOSITIONS: dict[str, str] = {
    name: f"pullback.formulas.decompositions.{name}"
    for name in ("slogdet", "slogdet_of_complex", "eigh", "eigh_upper", "eig", "qr", "svd")
}

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


def info_of(op: str) -> OperatorInfo | None:
    """The entry of an operator, of texts for frameworks too; None for what is no operator.

    >>> info_of("matmul").linear, info_of("left_gradient").linear, info_of("if")
    ((0, 1), (0, 1), None)
    """
    return OPERATORS.get(op) or OF_TEXTS.get(op)


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


# What to write in the place of a function that is not in the vocabulary, by its name as it is written.
_INSTEAD: dict[str, str] = {
    "min": "np.min(x), of a list np.min(np.stack([...]))",
    "max": "np.max(x), of a list np.max(np.stack([...]))",
    "sorted": "np.sort(x), of a list np.sort(np.stack([...]))",
    "sum": "np.sum(x, axis=0), or a loop that adds",
    "list": "[row for row in x]",
    "tuple": "[row for row in x]",
    "zip": "a loop `for a, b in zip(x, y):`, or np.stack([x, y], axis=1)",
    "enumerate": "a loop `for i, row in enumerate(x):`",
    "reversed": "x[::-1]",
    "filter": "np.where(x > 0, x, 0.0), or a loop with `if`",
    ".reduce": "a loop: `for value in values: total = total * value`",
    "math.lgamma": "special.gammaln(x)",
    "math.factorial": "special.gamma(n + 1)",
    ".isclose": "np.abs(a - b) <= atol + rtol * np.abs(b)",
    ".delete": "np.concatenate([x[:i], x[i + 1:]])",
    ".bincount": "`out = np.zeros(n)` and `np.add.at(out, places, weights)`",
    ".insert": "np.concatenate([x[:i], np.array([value]), x[i:]])",
    ".piecewise": "np.where(x < 2, f(x), g(x)), or np.select([...], [...])",
    ".nonzero": "x[mask], or np.where(mask, x, 0.0)",
    ".flatnonzero": "x[mask], or np.where(mask, x, 0.0)",
    ".argwhere": "x[mask], or np.where(mask, x, 0.0)",
    ".digitize": "np.searchsorted(bins, x, side='right')",
    ".unravel_index": "`index // n, index % n` for rows of n entries",
    ".asarray": "x.astype(float), or leave it out",
    ".array": "x.astype(float), np.stack([...]) of a list, or leave it out",
    ".at": "a loop: `for k in range(len(index)): x[index[k]] *= values[k]`",
    ".fill_diagonal": "x[np.arange(n), np.arange(n)] = value",
    ".copyto": "x[...] = value",
    ".norm.cdf": "special.ndtr((x - loc) / scale)",
    ".norm.logcdf": "special.log_ndtr((x - loc) / scale)",
    ".norm.pdf": "np.exp(-(x**2) / 2) / np.sqrt(2 * np.pi)",
    ".norm.ppf": "special.ndtri(p)",
}


def instead_of(text: str) -> str:
    """The text to write for a function that is not in the vocabulary; empty where none is known.

    >>> instead_of("sorted"), instead_of("numpy.isclose"), instead_of("isclose")
    ('np.sort(x), of a list np.sort(np.stack([...]))', 'np.abs(a - b) <= atol + rtol * np.abs(b)', '')
    """
    parts = text.split(".")
    ends = [f".{'.'.join(parts[k:])}" for k in range(len(parts)) if len(parts) > 1]
    return next((_INSTEAD[name] for name in (text, *ends) if name in _INSTEAD), "")
