"""Words that work entry by entry."""

from __future__ import annotations

from .word import Word, unary

_COMPARISONS = {
    "less": "<",
    "less_equal": "<=",
    "greater": ">",
    "greater_equal": ">=",
    "equal": "==",
    "not_equal": "!=",
}

WORDS: tuple[Word, ...] = (
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
    *unary("exp exp2 expm1 log log2 log10 log1p sqrt cbrt sin cos tan tanh sinh cosh", dtype="float"),
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
    *unary("square reciprocal"),
    Word("abs", "numpy.abs", ("x",), pointwise=True, spelling=("numpy.absolute", "numpy.fabs", "abs")),
    *unary("sign floor ceil trunc", derivative="zero"),
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
    Word("logical_xor", "numpy.logical_xor", ("x", "y"), pointwise=True, derivative="zero", dtype="bool"),
    Word("bitwise_and", "numpy.bitwise_and", ("x", "y"), pointwise=True, derivative="zero", infix="&"),
    Word("bitwise_or", "numpy.bitwise_or", ("x", "y"), pointwise=True, derivative="zero", infix="|"),
    Word("bitwise_xor", "numpy.bitwise_xor", ("x", "y"), pointwise=True, derivative="zero", infix="^"),
    Word(
        "left_shift",
        "numpy.left_shift",
        ("x", "y"),
        pointwise=True,
        derivative="zero",
        infix="<<",
        spelling=("numpy.bitwise_left_shift",),
    ),
    Word(
        "right_shift",
        "numpy.right_shift",
        ("x", "y"),
        pointwise=True,
        derivative="zero",
        infix=">>",
        spelling=("numpy.bitwise_right_shift",),
    ),
    Word(
        "invert",
        "numpy.invert",
        ("x",),
        pointwise=True,
        derivative="zero",
        infix="~",
        spelling=("numpy.bitwise_not", "numpy.bitwise_invert"),
    ),
    *unary("isnan isinf isfinite signbit", derivative="zero", dtype="bool"),
    Word("erf", "scipy.special.erf", ("x",), pointwise=True, dtype="float"),
    *(
        Word(n, f"pullback.{n}", ("x",), pointwise=True, dtype="float")
        for n in ("sigmoid", "gelu", "softplus")
    ),
    Word("relu", "pullback.relu", ("x",), pointwise=True),
    Word("softmax", "scipy.special.softmax", ("x",), ("axis",), dtype="float"),
    Word("log_softmax", "scipy.special.log_softmax", ("x",), ("axis",), dtype="float"),
    Word("logsumexp", "scipy.special.logsumexp", ("a",), ("axis", "keepdims"), dtype="float"),
)
