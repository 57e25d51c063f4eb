"""Words that make arrays of nothing, and those that the transformation itself uses."""

from __future__ import annotations

from .info import OperatorInfo

OPERATORS: tuple[OperatorInfo, ...] = (
    OperatorInfo("zeros_like", "numpy.zeros_like", ("a",), derivative="zero", spelling=("numpy.empty_like",)),
    OperatorInfo("ones_like", "numpy.ones_like", ("a",), derivative="zero"),
    OperatorInfo("full_like", "numpy.full_like", ("a",), ("fill_value",), derivative="zero"),
    OperatorInfo(
        "zeros",
        "numpy.zeros",
        (),
        ("shape", "dtype"),
        derivative="zero",
        dtype="attr",
        spelling=("numpy.empty",),
    ),
    OperatorInfo("ones", "numpy.ones", (), ("shape", "dtype"), derivative="zero", dtype="attr"),
    OperatorInfo("full", "numpy.full", (), ("shape", "fill_value", "dtype"), derivative="zero", dtype="attr"),
    OperatorInfo("arange", "numpy.arange", (), ("start", "stop", "step"), derivative="zero", dtype="int"),
    OperatorInfo("eye", "numpy.eye", (), ("N", "M", "k", "dtype"), derivative="zero", dtype="attr"),
    OperatorInfo("tri", "numpy.tri", (), ("N", "M", "k", "dtype"), derivative="zero", dtype="attr"),
    OperatorInfo("sum_to", "pullback.primitives.sum_to", ("x",), ("like",), linear=(0,)),
    OperatorInfo("broadcast_like", "pullback.primitives.broadcast_like", ("x",), ("like",), linear=(0,)),
    OperatorInfo("expect_like", "pullback.primitives.expect_like", ("x",), ("like",), linear=(0,)),
    OperatorInfo(
        "accumulate",
        "pullback.primitives.accumulate",
        ("x", "y"),
        pointwise=True,
        linear=(0, 1),
        jointly=True,
        infix="+",
    ),
    OperatorInfo(
        "packed", "pullback.primitives.packed", ("value",), ("kind", "depth"), derivative="zero", dtype="attr"
    ),
    OperatorInfo(
        "unpacked",
        "pullback.primitives.unpacked",
        ("rows",),
        ("kind", "depth"),
        derivative="zero",
        dtype="attr",
    ),
    OperatorInfo("stop_gradient", "pullback.stop_gradient", ("x",), pointwise=True, derivative="zero"),
)
