"""Arithmetic, comparison and elementary functions, entry by entry: broadcasting, and NumPy's promotion."""

from __future__ import annotations

from typing import Any

from ..ir.dtypes import Dtype, Widening, promote, widen
from ..ir.types import NUMBERS, ScalarType, ShapeType, TensorType, Type, join_shapes, unknown_value
from .call import Call, Rule, joined_dtype
from .info import OperatorInfo, Scalar

# What an entry costs to compute again, in bytes that are moved in the time.
CHEAP, DIVISION, EXPONENTIAL, TRIGONOMETRIC = 0.25, 1.0, 5.0, 12.0


def broadcast(by: Widening | None, dtype: str = "same") -> Rule:
    """The rule of what works entry by entry, and widens so what its operands promote to."""

    def rule(call: Call) -> Type:
        given = tuple(found for found in call.operands if found is not None)
        if call.op == "clip":
            given = tuple(found for found in given if found != ScalarType("none"))
        if not given:
            return call.unknown()
        known = all(_is_operand(found) for found in given)
        shape = join_shapes([f.shape for f in given if isinstance(f, TensorType)]) if known else None
        if dtype == "bool":
            return call.tensor(shape, "bool")
        if dtype == "attr":
            return call.tensor(shape, call.dtype(None))
        read = given[1:] if call.op == "where" else given
        joined = _where_of_numbers(read) if call.op == "where" else None
        joined = joined_dtype(read) if joined is None else joined
        return call.tensor(shape, joined if by is None or joined is None else widen(by, joined))

    return rule


def _where_of_numbers(read: tuple[Type, ...]) -> Dtype | None:
    """The dtype of a choice between two numbers."""
    kinds = {found.kind for found in read if isinstance(found, ScalarType)}
    if len(kinds) == 0 or not all(isinstance(found, ScalarType) for found in read):
        return None
    if kinds <= {"int", "float"}:
        return "float64" if "float" in kinds else "int64"
    return None


def _is_operand(found: Type) -> bool:
    """True where the operand's shape is known: a tensor's, or a number's."""
    if isinstance(found, TensorType):
        return True
    return isinstance(found, ScalarType) and found.kind in NUMBERS


_OF_NUMBERS = frozenset({"add", "subtract", "multiply", "divide", "negative", "positive"})
_OF_NUMBERS |= {"floor_divide", "remainder"}


def of_values(call: Call) -> Type:
    """The type of Python's arithmetic on values that are no tensors."""
    if call.op in _COMPARISONS or call.op == "logical_not":
        return ScalarType("bool")
    given = [found for found in call.operands if found is not None]
    if call.op == "add" and all(isinstance(f, ShapeType) and isinstance(f.shape, tuple) for f in given):
        return ShapeType(tuple(d for f in given if isinstance(f, ShapeType) for d in f.shape))  # type: ignore[union-attr]
    scalars = [found for found in given if isinstance(found, ScalarType)]
    kinds, dtypes = {found.kind for found in scalars}, [found.dtype for found in scalars if found.dtype]
    if len(scalars) < len(given) or call.op not in _OF_NUMBERS | {"power"} or not kinds <= NUMBERS:
        return unknown_value(call.name)
    if kinds == {"int"} and not dtypes and call.op not in ("divide", "power"):
        return ScalarType("int")
    if kinds <= {"int", "float"} and call.op != "power" and set(dtypes) <= {"float64"}:
        return ScalarType("float", "float64" if dtypes else None)
    if "complex" in kinds or ScalarType("value") in scalars:
        return unknown_value(call.name)
    return ScalarType("value", promote(dtypes)) if dtypes else ScalarType("number")


def _entry(name: str, *operands: str, widens: Widening | None = "number", **facts: Any) -> OperatorInfo:
    """NumPy's function of this name, and torch's."""
    facts = {"torch": f"torch.{name}", "type": broadcast(widens), **facts}
    return OperatorInfo(name, f"numpy.{name}", operands, kind="pointwise", **facts)


def _function(name: str, *operands: str, cuda: str = "", **facts: Any) -> OperatorInfo:
    """A function that gives floats, called alike in NumPy, C++ and CUDA."""
    scalar = Scalar(name, cuda or name, takes="float")
    facts = {"widens": "float", "dtype": "float", "scalar": scalar, **facts}
    return _entry(name, *(operands or ("x",)), **facts)


def _of_scipy_too(name: str, **facts: Any) -> OperatorInfo:
    """A function that SciPy has under the same name."""
    return _function(name, spelling=(f"scipy.special.{name}",), **facts)


def _scaling(name: str, other: str) -> OperatorInfo:
    """An angle in another unit."""
    scalar = None  # a product, once inlined
    return _function(name, linear=(0,), spelling=(f"numpy.{other}",), scalar=scalar)


def _steps(name: str, cost: float, cuda: str) -> OperatorInfo:
    """A function of floats that is constant between its jumps."""
    scalar = Scalar(name, cuda, of="floats")
    return _entry(name, "x", derivative="zero", cost=cost, scalar=scalar)


def _truth(name: str, *operands: str, **facts: Any) -> OperatorInfo:
    """A function whose result is a bool."""
    facts = {"derivative": "zero", "dtype": "bool", "type": broadcast(None, "bool"), **facts}
    return _entry(name, *operands, **facts)


def _bits(name: str, *operands: str, cpp: str, **facts: Any) -> OperatorInfo:
    """A function of bits, compiled for booleans."""
    scalar = Scalar(cpp, takes="truth", of="bools")
    return _entry(name, *operands, derivative="zero", widens=None, scalar=scalar, **facts)


_COMPARISONS = {
    "less": "<",
    "less_equal": "<=",
    "greater": ">",
    "greater_equal": ">=",
    "equal": "==",
    "not_equal": "!=",
}

OPERATORS: tuple[OperatorInfo, ...] = (
    _entry(
        "add", "x", "y", linear=(0, 1), jointly=True, infix="+",
        widens=None, cost=CHEAP, scalar=Scalar("+", of="numbers"),
    ),
    _entry(
        "subtract", "x", "y", linear=(0, 1), jointly=True, infix="-",
        cost=CHEAP, scalar=Scalar("-", of="numbers"),
    ),
    _entry(
        "multiply", "x", "y", linear=(0, 1), infix="*",
        widens=None, cost=CHEAP, scalar=Scalar("*", of="numbers"),
    ),
    _entry(
        "divide", "x", "y", linear=(0,), infix="/", spelling=("numpy.true_divide",),
        dtype="float", widens="divide", cost=DIVISION, scalar=Scalar("/"), torch="torch.true_divide",
    ),
    _entry(
        "power", "x", "y", infix="**", spelling=("numpy.pow",), torch="torch.pow",
        widens="arithmetic", cost=TRIGONOMETRIC, scalar=Scalar("power", "pb::power", of="powers"),
    ),
    _entry(
        "negative", "x", linear=(0,), infix="-", cost=CHEAP, scalar=Scalar("-{0}", of="numbers"),
    ),
    _entry("positive", "x", linear=(0,), infix="+", scalar=Scalar("{0}")),
    _entry(
        "floor_divide", "x", "y", derivative="zero", infix="//", widens="arithmetic",
        scalar=Scalar("floor_divide", "pb::floor_divide", of="numbers"),
    ),
    _entry(
        "remainder", "x", "y", infix="%", spelling=("numpy.mod",), widens="arithmetic",
        scalar=Scalar("remainder", "pb::remainder", of="numbers"),
    ),
    _entry(
        "maximum", "x", "y", widens=None, cost=CHEAP,
        scalar=Scalar("maximum", "pb::maximum", of="numbers"),
    ),
    _entry(
        "minimum", "x", "y", widens=None, cost=CHEAP,
        scalar=Scalar("minimum", "pb::minimum", of="numbers"),
    ),
    _function("arctan2", "y", "x", cuda="atan2", spelling=("numpy.atan2",)),
    _function("hypot", "x", "y", cost=TRIGONOMETRIC),
    _function("logaddexp", "x", "y", cost=TRIGONOMETRIC, cuda="pb::logaddexp"),
    _function("logaddexp2", "x", "y", cuda="pb::logaddexp2"),
    _entry("fmax", "x", "y", widens=None, cost=CHEAP, scalar=Scalar("fmax", "pb::fmax")),
    _entry("fmin", "x", "y", widens=None, cost=CHEAP, scalar=Scalar("fmin", "pb::fmin")),
    *(_function(name, cost=EXPONENTIAL) for name in ("exp", "log", "log2", "log10")),
    *(_of_scipy_too(name, cost=EXPONENTIAL) for name in ("exp2", "expm1", "log1p")),
    _function("sqrt", cost=DIVISION),
    _of_scipy_too("cbrt", torch=""),
    *(_function(name, cost=TRIGONOMETRIC) for name in ("sin", "cos", "tan")),
    _function("tanh", cost=EXPONENTIAL),
    *(_function(name, cost=TRIGONOMETRIC) for name in ("sinh", "cosh")),
    *(
        _function(
            f"arc{name}", cuda=f"a{name}", spelling=(f"numpy.a{name}",),
            cost=TRIGONOMETRIC if name == "tan" else None,
        )
        for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh")
    ),
    _entry(
        "square", "x", widens="arithmetic", cost=CHEAP,
        scalar=Scalar("square", "pb::square", of="numbers"),
    ),
    _entry(
        "reciprocal", "x", widens="arithmetic", cost=DIVISION,
        scalar=Scalar("1 / {0}", of="floats"),
    ),
    _function("copysign", "x1", "x2"),
    _entry(
        "fmod", "x1", "x2", widens="arithmetic", scalar=Scalar("fmod", "fmod", takes="float", of="floats"),
    ),
    _scaling("deg2rad", "radians"),
    _scaling("rad2deg", "degrees"),
    _function("sinc", cuda="pb::sinc", widens="divide"),
    _entry(
        "abs", "x", spelling=("numpy.absolute", "numpy.fabs", "abs"), widens="real", cost=CHEAP,
        scalar=Scalar("abs", "pb::abs"),
    ),
    _steps("sign", CHEAP, "pb::sign"),
    *(_steps(name, DIVISION, name) for name in ("floor", "ceil", "trunc")),
    OperatorInfo(
        "round", "numpy.round", ("x",), ("decimals",), kind="pointwise", derivative="zero",
        spelling=("numpy.rint", "numpy.around"), methods=("round",), type=broadcast("number"),
        cost=DIVISION, scalar=Scalar("round", "rint", of="floats"), torch="torch.round",
    ),
    _entry(
        "clip", "x", "a_min", "a_max", methods=("clip",), cost=CHEAP,
        scalar=Scalar("minimum(maximum({0}, {1}), {2})", of="numbers"),
    ),
    _entry(
        "where", "condition", "x", "y", linear=(1, 2), jointly=True, widens=None, cost=CHEAP,
        scalar=Scalar("where", "pb::where"),
    ),
    *(
        _truth(
            name, "x", "y", infix=symbol, cost=CHEAP, scalar=Scalar(symbol, takes="promote"),
            torch={"equal": "torch.eq"}.get(name, f"torch.{name}"),
        )
        for name, symbol in _COMPARISONS.items()
    ),
    _truth("logical_and", "x", "y", cost=CHEAP, scalar=Scalar("&", takes="truth")),
    _truth("logical_or", "x", "y", cost=CHEAP, scalar=Scalar("|", takes="truth")),
    _truth("logical_not", "x", cost=CHEAP, scalar=Scalar("!{0}", takes="truth")),
    _truth("logical_xor", "x", "y", scalar=Scalar("!=", takes="truth")),
    _bits("bitwise_and", "x", "y", infix="&", cpp="&", cost=CHEAP),
    _bits("bitwise_or", "x", "y", infix="|", cpp="|", cost=CHEAP),
    _bits("bitwise_xor", "x", "y", infix="^", cpp="!="),
    _entry(
        "left_shift", "x", "y", derivative="zero", infix="<<", widens="arithmetic",
        spelling=("numpy.bitwise_left_shift",), torch="torch.bitwise_left_shift",
    ),
    _entry(
        "right_shift", "x", "y", derivative="zero", infix=">>", widens="arithmetic",
        spelling=("numpy.bitwise_right_shift",), torch="torch.bitwise_right_shift",
    ),
    _bits(
        "invert", "x", infix="~", spelling=("numpy.bitwise_not", "numpy.bitwise_invert"),
        cpp="!{0}", cost=CHEAP, torch="torch.bitwise_not",
    ),
    *(
        _truth(name, "x", cost=CHEAP, scalar=Scalar(name, name, takes="float"))
        for name in ("isnan", "isinf", "isfinite", "signbit")
    ),
)  # fmt: skip
