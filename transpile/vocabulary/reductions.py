"""Words that reduce or run along axes."""

from __future__ import annotations

from .word import Word

WORDS: tuple[Word, ...] = (
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
    Word("sort", "numpy.sort", ("a",), ("axis",)),
    Word(
        "argsort",
        "numpy.argsort",
        ("a",),
        ("axis",),
        derivative="zero",
        dtype="int",
        methods=("argsort",),
    ),
    Word(
        "argpartition",
        "numpy.argpartition",
        ("a",),
        ("kth", "axis"),
        derivative="zero",
        dtype="int",
        methods=("argpartition",),
    ),
    Word(
        "searchsorted",
        "numpy.searchsorted",
        ("a", "v"),
        ("side", "sorter"),
        derivative="zero",
        dtype="int",
        methods=("searchsorted",),
    ),
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
)
