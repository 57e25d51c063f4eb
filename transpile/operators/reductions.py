"""Words that reduce or run along axes."""

from __future__ import annotations

from .info import OperatorInfo

OPERATORS: tuple[OperatorInfo, ...] = (
    OperatorInfo("sum", "numpy.sum", ("a",), ("axis", "keepdims"), linear=(0,), methods=("sum",)),
    OperatorInfo(
        "mean", "numpy.mean", ("a",), ("axis", "keepdims"), dtype="float", linear=(0,), methods=("mean",)
    ),
    OperatorInfo(
        "max", "numpy.max", ("a",), ("axis", "keepdims"), spelling=("numpy.amax",), methods=("max",)
    ),
    OperatorInfo(
        "min", "numpy.min", ("a",), ("axis", "keepdims"), spelling=("numpy.amin",), methods=("min",)
    ),
    OperatorInfo("prod", "numpy.prod", ("a",), ("axis", "keepdims"), methods=("prod",)),
    OperatorInfo("var", "numpy.var", ("a",), ("axis", "ddof", "keepdims"), dtype="float", methods=("var",)),
    OperatorInfo("std", "numpy.std", ("a",), ("axis", "ddof", "keepdims"), dtype="float", methods=("std",)),
    OperatorInfo("norm", "numpy.linalg.norm", ("x",), ("ord", "axis", "keepdims"), dtype="float"),
    OperatorInfo("cumsum", "numpy.cumsum", ("a",), ("axis",), linear=(0,), methods=("cumsum",)),
    OperatorInfo("cumprod", "numpy.cumprod", ("a",), ("axis",), methods=("cumprod",)),
    OperatorInfo(
        "linear_recurrence", "pullback.primitives.linear_recurrence", ("a", "b"), ("reverse",), linear=(1,)
    ),
    OperatorInfo("sort", "numpy.sort", ("a",), ("axis",)),
    OperatorInfo(
        "argsort",
        "numpy.argsort",
        ("a",),
        ("axis",),
        derivative="zero",
        dtype="int",
        methods=("argsort",),
    ),
    OperatorInfo(
        "argpartition",
        "numpy.argpartition",
        ("a",),
        ("kth", "axis"),
        derivative="zero",
        dtype="int",
        methods=("argpartition",),
    ),
    OperatorInfo(
        "searchsorted",
        "numpy.searchsorted",
        ("a", "v"),
        ("side", "sorter"),
        derivative="zero",
        dtype="int",
        methods=("searchsorted",),
    ),
    OperatorInfo(
        "argmax",
        "numpy.argmax",
        ("a",),
        ("axis", "keepdims"),
        derivative="zero",
        dtype="int",
        methods=("argmax",),
    ),
    OperatorInfo(
        "argmin",
        "numpy.argmin",
        ("a",),
        ("axis", "keepdims"),
        derivative="zero",
        dtype="int",
        methods=("argmin",),
    ),
    OperatorInfo(
        "all", "numpy.all", ("a",), ("axis", "keepdims"), derivative="zero", dtype="bool", methods=("all",)
    ),
    OperatorInfo(
        "any", "numpy.any", ("a",), ("axis", "keepdims"), derivative="zero", dtype="bool", methods=("any",)
    ),
)
