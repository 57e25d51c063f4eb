"""Words of arithmetic, comparison and elementary functions, entry by entry."""

from __future__ import annotations

from .info import OperatorInfo, unary

_COMPARISONS = {
    "less": "<",
    "less_equal": "<=",
    "greater": ">",
    "greater_equal": ">=",
    "equal": "==",
    "not_equal": "!=",
}

OPERATORS: tuple[OperatorInfo, ...] = (
    OperatorInfo("add", "numpy.add", ("x", "y"), pointwise=True, linear=(0, 1), jointly=True, infix="+"),
    OperatorInfo(
        "subtract", "numpy.subtract", ("x", "y"), pointwise=True, linear=(0, 1), jointly=True, infix="-"
    ),
    OperatorInfo("multiply", "numpy.multiply", ("x", "y"), pointwise=True, linear=(0, 1), infix="*"),
    OperatorInfo(
        "divide",
        "numpy.divide",
        ("x", "y"),
        pointwise=True,
        dtype="float",
        linear=(0,),
        infix="/",
        spelling=("numpy.true_divide",),
    ),
    OperatorInfo("power", "numpy.power", ("x", "y"), pointwise=True, infix="**", spelling=("numpy.pow",)),
    OperatorInfo("negative", "numpy.negative", ("x",), pointwise=True, linear=(0,), infix="-"),
    OperatorInfo("positive", "numpy.positive", ("x",), pointwise=True, linear=(0,), infix="+"),
    OperatorInfo(
        "floor_divide", "numpy.floor_divide", ("x", "y"), pointwise=True, derivative="zero", infix="//"
    ),
    OperatorInfo(
        "remainder", "numpy.remainder", ("x", "y"), pointwise=True, infix="%", spelling=("numpy.mod",)
    ),
    OperatorInfo("maximum", "numpy.maximum", ("x", "y"), pointwise=True),
    OperatorInfo("minimum", "numpy.minimum", ("x", "y"), pointwise=True),
    OperatorInfo(
        "arctan2", "numpy.arctan2", ("y", "x"), pointwise=True, dtype="float", spelling=("numpy.atan2",)
    ),
    OperatorInfo("hypot", "numpy.hypot", ("x", "y"), pointwise=True, dtype="float"),
    OperatorInfo("logaddexp", "numpy.logaddexp", ("x", "y"), pointwise=True, dtype="float"),
    OperatorInfo("logaddexp2", "numpy.logaddexp2", ("x", "y"), pointwise=True, dtype="float"),
    OperatorInfo("fmax", "numpy.fmax", ("x", "y"), pointwise=True),
    OperatorInfo("fmin", "numpy.fmin", ("x", "y"), pointwise=True),
    *unary("exp exp2 expm1 log log2 log10 log1p sqrt cbrt sin cos tan tanh sinh cosh", dtype="float"),
    *(
        OperatorInfo(
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
    OperatorInfo("copysign", "numpy.copysign", ("x1", "x2"), pointwise=True, dtype="float"),
    OperatorInfo("fmod", "numpy.fmod", ("x1", "x2"), pointwise=True),
    OperatorInfo(
        "deg2rad",
        "numpy.deg2rad",
        ("x",),
        pointwise=True,
        dtype="float",
        linear=(0,),
        spelling=("numpy.radians",),
    ),
    OperatorInfo(
        "rad2deg",
        "numpy.rad2deg",
        ("x",),
        pointwise=True,
        dtype="float",
        linear=(0,),
        spelling=("numpy.degrees",),
    ),
    OperatorInfo("sinc", "numpy.sinc", ("x",), pointwise=True, dtype="float"),
    OperatorInfo(
        "abs", "numpy.abs", ("x",), pointwise=True, spelling=("numpy.absolute", "numpy.fabs", "abs")
    ),
    *unary("sign floor ceil trunc", derivative="zero"),
    OperatorInfo(
        "round",
        "numpy.round",
        ("x",),
        ("decimals",),
        pointwise=True,
        derivative="zero",
        spelling=("numpy.rint", "numpy.around"),
        methods=("round",),
    ),
    OperatorInfo("clip", "numpy.clip", ("x", "a_min", "a_max"), pointwise=True, methods=("clip",)),
    OperatorInfo(
        "where", "numpy.where", ("condition", "x", "y"), pointwise=True, linear=(1, 2), jointly=True
    ),
    *(
        OperatorInfo(n, f"numpy.{n}", ("x", "y"), pointwise=True, derivative="zero", dtype="bool", infix=s)
        for n, s in _COMPARISONS.items()
    ),
    OperatorInfo(
        "logical_and", "numpy.logical_and", ("x", "y"), pointwise=True, derivative="zero", dtype="bool"
    ),
    OperatorInfo(
        "logical_or", "numpy.logical_or", ("x", "y"), pointwise=True, derivative="zero", dtype="bool"
    ),
    OperatorInfo("logical_not", "numpy.logical_not", ("x",), pointwise=True, derivative="zero", dtype="bool"),
    OperatorInfo(
        "logical_xor", "numpy.logical_xor", ("x", "y"), pointwise=True, derivative="zero", dtype="bool"
    ),
    OperatorInfo(
        "bitwise_and", "numpy.bitwise_and", ("x", "y"), pointwise=True, derivative="zero", infix="&"
    ),
    OperatorInfo("bitwise_or", "numpy.bitwise_or", ("x", "y"), pointwise=True, derivative="zero", infix="|"),
    OperatorInfo(
        "bitwise_xor", "numpy.bitwise_xor", ("x", "y"), pointwise=True, derivative="zero", infix="^"
    ),
    OperatorInfo(
        "left_shift",
        "numpy.left_shift",
        ("x", "y"),
        pointwise=True,
        derivative="zero",
        infix="<<",
        spelling=("numpy.bitwise_left_shift",),
    ),
    OperatorInfo(
        "right_shift",
        "numpy.right_shift",
        ("x", "y"),
        pointwise=True,
        derivative="zero",
        infix=">>",
        spelling=("numpy.bitwise_right_shift",),
    ),
    OperatorInfo(
        "invert",
        "numpy.invert",
        ("x",),
        pointwise=True,
        derivative="zero",
        infix="~",
        spelling=("numpy.bitwise_not", "numpy.bitwise_invert"),
    ),
    *unary("isnan isinf isfinite signbit", derivative="zero", dtype="bool"),
)
