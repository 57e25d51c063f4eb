"""The words that a formula may use, and the facts about each that the passes need.

A word's `name` is its operator in the IR. `python` is the canonical function
("numpy.exp"); `spelling` lists others that mean the same. `operands` are the
tensor parameters in order, `attrs` the attributes in NumPy's positional order.
The derivative is not here: it is a formula in `formulas/`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal as OneOf

Dtype = OneOf["same", "float", "bool", "int", "attr"]


@dataclass(frozen=True, slots=True)
class Word:
    """One operator of the vocabulary.

    pointwise    the result's shape is the broadcast of the operands' shapes
    derivative   "formula": has one in formulas/; "zero": known to be zero, or
                 the result is not differentiable
    dtype        of the result: "same" as NumPy promotes the operands, "float"
                 the same but integers become float64, "bool", "int", or "attr"
    linear       operands in which the operator is linear when the others are
                 held fixed: a zero there gives a zero. `jointly` linear
                 operators (add, concatenate) are zero only when all are.
    view         the result may share memory with the first operand
    infix        Python's operator, where it has one
    variadic     the first operand is a list of tensors
    gives_list   the result is one
    """

    name: str
    python: str
    operands: tuple[str, ...]
    attrs: tuple[str, ...] = ()
    pointwise: bool = False
    derivative: OneOf["formula", "zero"] = "formula"
    dtype: Dtype = "same"
    linear: tuple[int, ...] = ()
    jointly: bool = False
    view: bool = False
    infix: str = ""
    variadic: bool = False
    gives_list: bool = False
    spelling: tuple[str, ...] = ()
    methods: tuple[str, ...] = ()


def _unary(names: str, **facts: object) -> Iterable[Word]:
    for name in names.split():
        yield Word(name, f"numpy.{name}", ("x",), pointwise=True, **facts)  # type: ignore[arg-type]


_COMPARISONS = {
    "less": "<",
    "less_equal": "<=",
    "greater": ">",
    "greater_equal": ">=",
    "equal": "==",
    "not_equal": "!=",
}

_WORDS: tuple[Word, ...] = (
    # arithmetic
    Word("add", "numpy.add", ("x", "y"), pointwise=True, linear=(0, 1), jointly=True, infix="+"),
    Word("subtract", "numpy.subtract", ("x", "y"), pointwise=True, linear=(0, 1), jointly=True, infix="-"),
    Word("multiply", "numpy.multiply", ("x", "y"), pointwise=True, linear=(0, 1), infix="*"),
    Word(
        "divide",
        "numpy.divide",
        ("x", "y"),
        pointwise=True,
        dtype="float",
        linear=(0,),
        infix="/",
        spelling=("numpy.true_divide",),
    ),
    Word("power", "numpy.power", ("x", "y"), pointwise=True, infix="**", spelling=("numpy.pow",)),
    Word("negative", "numpy.negative", ("x",), pointwise=True, linear=(0,), infix="-"),
    Word("positive", "numpy.positive", ("x",), pointwise=True, linear=(0,), infix="+"),
    Word("floor_divide", "numpy.floor_divide", ("x", "y"), pointwise=True, derivative="zero", infix="//"),
    Word("remainder", "numpy.remainder", ("x", "y"), pointwise=True, infix="%", spelling=("numpy.mod",)),
    Word("maximum", "numpy.maximum", ("x", "y"), pointwise=True),
    Word("minimum", "numpy.minimum", ("x", "y"), pointwise=True),
    Word("arctan2", "numpy.arctan2", ("y", "x"), pointwise=True, dtype="float", spelling=("numpy.atan2",)),
    Word("hypot", "numpy.hypot", ("x", "y"), pointwise=True, dtype="float"),
    Word("logaddexp", "numpy.logaddexp", ("x", "y"), pointwise=True, dtype="float"),
    Word("logaddexp2", "numpy.logaddexp2", ("x", "y"), pointwise=True, dtype="float"),
    Word("fmax", "numpy.fmax", ("x", "y"), pointwise=True),
    Word("fmin", "numpy.fmin", ("x", "y"), pointwise=True),
    *_unary("exp exp2 expm1 log log2 log10 log1p sqrt cbrt sin cos tan tanh sinh cosh", dtype="float"),
    *(
        Word(
            f"arc{name}",
            f"numpy.arc{name}",
            ("x",),
            pointwise=True,
            dtype="float",
            spelling=(f"numpy.a{name}",),
        )
        for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh")
    ),
    *_unary("square reciprocal"),
    Word("abs", "numpy.abs", ("x",), pointwise=True, spelling=("numpy.absolute", "numpy.fabs", "abs")),
    *_unary("sign floor ceil trunc", derivative="zero"),
    Word(
        "round",
        "numpy.round",
        ("x",),
        ("decimals",),
        pointwise=True,
        derivative="zero",
        spelling=("numpy.rint", "numpy.around"),
        methods=("round",),
    ),
    Word("clip", "numpy.clip", ("x", "a_min", "a_max"), pointwise=True, methods=("clip",)),
    Word("where", "numpy.where", ("condition", "x", "y"), pointwise=True, linear=(1, 2), jointly=True),
    *(
        Word(n, f"numpy.{n}", ("x", "y"), pointwise=True, derivative="zero", dtype="bool", infix=s)
        for n, s in _COMPARISONS.items()
    ),
    Word("logical_and", "numpy.logical_and", ("x", "y"), pointwise=True, derivative="zero", dtype="bool"),
    Word("logical_or", "numpy.logical_or", ("x", "y"), pointwise=True, derivative="zero", dtype="bool"),
    Word("logical_not", "numpy.logical_not", ("x",), pointwise=True, derivative="zero", dtype="bool"),
    Word("bitwise_and", "numpy.bitwise_and", ("x", "y"), pointwise=True, derivative="zero", infix="&"),
    Word("bitwise_or", "numpy.bitwise_or", ("x", "y"), pointwise=True, derivative="zero", infix="|"),
    Word("invert", "numpy.invert", ("x",), pointwise=True, derivative="zero", infix="~"),
    *_unary("isnan isinf isfinite signbit", derivative="zero", dtype="bool"),
    # special functions and activations
    Word("erf", "scipy.special.erf", ("x",), pointwise=True, dtype="float"),
    *(
        Word(n, f"pullback.{n}", ("x",), pointwise=True, dtype="float")
        for n in ("sigmoid", "gelu", "softplus")
    ),
    Word("relu", "pullback.relu", ("x",), pointwise=True),
    Word("softmax", "scipy.special.softmax", ("x",), ("axis",), dtype="float"),
    Word("log_softmax", "scipy.special.log_softmax", ("x",), ("axis",), dtype="float"),
    Word("logsumexp", "scipy.special.logsumexp", ("a",), ("axis", "keepdims"), dtype="float"),
    # reductions
    Word("sum", "numpy.sum", ("a",), ("axis", "keepdims"), linear=(0,), methods=("sum",)),
    Word("mean", "numpy.mean", ("a",), ("axis", "keepdims"), dtype="float", linear=(0,), methods=("mean",)),
    Word("max", "numpy.max", ("a",), ("axis", "keepdims"), spelling=("numpy.amax",), methods=("max",)),
    Word("min", "numpy.min", ("a",), ("axis", "keepdims"), spelling=("numpy.amin",), methods=("min",)),
    Word("prod", "numpy.prod", ("a",), ("axis", "keepdims"), methods=("prod",)),
    Word("var", "numpy.var", ("a",), ("axis", "ddof", "keepdims"), dtype="float", methods=("var",)),
    Word("std", "numpy.std", ("a",), ("axis", "ddof", "keepdims"), dtype="float", methods=("std",)),
    Word("norm", "numpy.linalg.norm", ("x",), ("ord", "axis", "keepdims"), dtype="float"),
    Word("cumsum", "numpy.cumsum", ("a",), ("axis",), linear=(0,), methods=("cumsum",)),
    Word("cumprod", "numpy.cumprod", ("a",), ("axis",), methods=("cumprod",)),
    Word("linear_recurrence", "pullback.linear_recurrence", ("a", "b"), ("reverse",), linear=(1,)),
    Word(
        "argmax",
        "numpy.argmax",
        ("a",),
        ("axis", "keepdims"),
        derivative="zero",
        dtype="int",
        methods=("argmax",),
    ),
    Word(
        "argmin",
        "numpy.argmin",
        ("a",),
        ("axis", "keepdims"),
        derivative="zero",
        dtype="int",
        methods=("argmin",),
    ),
    Word("all", "numpy.all", ("a",), ("axis", "keepdims"), derivative="zero", dtype="bool", methods=("all",)),
    Word("any", "numpy.any", ("a",), ("axis", "keepdims"), derivative="zero", dtype="bool", methods=("any",)),
    # shape
    Word("reshape", "numpy.reshape", ("a",), ("shape",), linear=(0,), view=True, methods=("reshape",)),
    Word("transpose", "numpy.transpose", ("a",), ("axes",), linear=(0,), view=True, methods=("transpose",)),
    Word(
        "swapaxes",
        "numpy.swapaxes",
        ("a",),
        ("axis1", "axis2"),
        linear=(0,),
        view=True,
        methods=("swapaxes",),
    ),
    Word("moveaxis", "numpy.moveaxis", ("a",), ("source", "destination"), linear=(0,), view=True),
    Word("flip", "numpy.flip", ("a",), ("axis",), linear=(0,), view=True),
    Word("roll", "numpy.roll", ("a",), ("shift", "axis"), linear=(0,)),
    Word("repeat", "numpy.repeat", ("a",), ("repeats", "axis"), linear=(0,), methods=("repeat",)),
    Word("sum_repeats", "pullback.sum_repeats", ("a",), ("repeats", "axis", "shape"), linear=(0,)),
    Word("tile", "numpy.tile", ("A",), ("reps",), linear=(0,)),
    Word("sum_tiles", "pullback.sum_tiles", ("a",), ("reps", "shape"), linear=(0,)),
    Word(
        "diagonal",
        "numpy.diagonal",
        ("a",),
        ("offset", "axis1", "axis2"),
        linear=(0,),
        view=True,
        methods=("diagonal",),
    ),
    Word("undiagonal", "pullback.undiagonal", ("a",), ("offset", "axis1", "axis2", "shape"), linear=(0,)),
    Word("trace", "numpy.trace", ("a",), ("offset", "axis1", "axis2"), linear=(0,), methods=("trace",)),
    Word("tril", "numpy.tril", ("m",), ("k",), linear=(0,)),
    Word("triu", "numpy.triu", ("m",), ("k",), linear=(0,)),
    Word("flatten_axes", "pullback.flatten_axes", ("a",), ("axis",), linear=(0,)),
    Word("unflatten_axes", "pullback.unflatten_axes", ("a",), ("axis", "shape"), linear=(0,)),
    Word("broadcast_to", "numpy.broadcast_to", ("array",), ("shape",), linear=(0,), view=True),
    Word("expand_dims", "numpy.expand_dims", ("a",), ("axis",), linear=(0,), view=True),
    Word("squeeze", "numpy.squeeze", ("a",), ("axis",), linear=(0,), view=True, methods=("squeeze",)),
    Word("getitem", "operator.getitem", ("a",), ("index",), linear=(0,), view=True),
    Word("unslice", "pullback.unslice", ("a",), ("index", "shape"), linear=(0,)),
    Word(
        "concatenate",
        "numpy.concatenate",
        ("arrays",),
        ("axis",),
        linear=(0,),
        jointly=True,
        variadic=True,
        spelling=("numpy.concat",),
    ),
    Word("stack", "numpy.stack", ("arrays",), ("axis",), linear=(0,), jointly=True, variadic=True),
    Word("vstack", "numpy.vstack", ("tup",), (), linear=(0,), jointly=True, variadic=True),
    Word("hstack", "numpy.hstack", ("tup",), (), linear=(0,), jointly=True, variadic=True),
    Word("collect", "pullback.collect", ("arrays",), (), linear=(0,), jointly=True, variadic=True),
    Word("split_like", "pullback.split_like", ("x",), ("likes", "axis"), linear=(0,), gives_list=True),
    Word("unstack_like", "pullback.unstack_like", ("x",), ("likes", "axis"), linear=(0,), gives_list=True),
    Word(
        "astype",
        "numpy.astype",
        ("x",),
        ("dtype",),
        pointwise=True,
        dtype="attr",
        linear=(0,),
        methods=("astype",),
    ),
    # linear algebra
    Word("matmul", "numpy.matmul", ("x1", "x2"), linear=(0, 1), infix="@"),
    Word("outer", "numpy.outer", ("a", "b"), linear=(0, 1)),
    Word("contract", "pullback.contract", ("arrays",), ("subscripts",), variadic=True),
    Word(
        "contract_gradients",
        "pullback.contract_gradients",
        ("grad", "arrays"),
        ("subscripts",),
        linear=(0,),
        gives_list=True,
    ),
    Word("tensordot", "numpy.tensordot", ("a", "b"), ("axes",), linear=(0, 1)),
    Word("dot", "numpy.dot", ("a", "b"), linear=(0, 1), methods=("dot",)),
    Word("vdot", "numpy.vdot", ("a", "b"), linear=(0, 1)),
    Word("inner", "numpy.inner", ("a", "b"), linear=(0, 1)),
    # creation: nothing flows through them
    Word("zeros_like", "numpy.zeros_like", ("a",), derivative="zero"),
    Word("ones_like", "numpy.ones_like", ("a",), derivative="zero"),
    Word("full_like", "numpy.full_like", ("a",), ("fill_value",), derivative="zero"),
    Word("zeros", "numpy.zeros", (), ("shape", "dtype"), derivative="zero", dtype="attr"),
    Word("ones", "numpy.ones", (), ("shape", "dtype"), derivative="zero", dtype="attr"),
    Word("arange", "numpy.arange", (), ("start", "stop", "step"), derivative="zero", dtype="int"),
    # gradient plumbing
    Word("sum_to", "pullback.sum_to", ("x",), ("like",), linear=(0,)),
    Word("broadcast_like", "pullback.broadcast_like", ("x",), ("like",), linear=(0,)),
    Word(
        "accumulate",
        "pullback.accumulate",
        ("x", "y"),
        pointwise=True,
        linear=(0, 1),
        jointly=True,
        infix="+",
    ),
    Word("stop_gradient", "pullback.stop_gradient", ("x",), pointwise=True, derivative="zero"),
)

WORDS: dict[str, Word] = {word.name: word for word in _WORDS}

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
        "math.sqrt",
        "math.exp",
        "math.log",
        "math.prod",
        "math.pi",
        "math.erf",
        "math.ceil",
        "math.floor",
        "pullback.dot_subscripts",
        "pullback.order_of_norm",
        "pullback.tensordot_subscripts",
    }
)

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

_BY_PYTHON: dict[str, Word] = {name: word for word in _WORDS for name in (word.python, *word.spelling)}
_BY_METHOD: dict[str, Word] = {method: word for word in _WORDS for method in word.methods}


def by_python(dotted: str) -> Word | None:
    """The word for a function's full name, or None.

    >>> by_python("numpy.absolute").name
    'abs'
    """
    return _BY_PYTHON.get(dotted)


def by_method(name: str) -> Word | None:
    """The word for a tensor's method, or None.

    >>> by_method("sum").name
    'sum'
    """
    return _BY_METHOD.get(name)


def suggestions(dotted: str) -> tuple[str, ...]:
    """Up to three names of the vocabulary close to an unknown one."""
    from difflib import get_close_matches

    return tuple(get_close_matches(dotted, _BY_PYTHON, n=3, cutoff=0.75))
