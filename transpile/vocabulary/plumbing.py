"""Words that make arrays of nothing, and those that the transformation itself uses."""

from __future__ import annotations

from .word import Word

WORDS: tuple[Word, ...] = (
    Word("zeros_like", "numpy.zeros_like", ("a",), derivative="zero", spelling=("numpy.empty_like",)),
    Word("ones_like", "numpy.ones_like", ("a",), derivative="zero"),
    Word("full_like", "numpy.full_like", ("a",), ("fill_value",), derivative="zero"),
    Word(
        "zeros",
        "numpy.zeros",
        (),
        ("shape", "dtype"),
        derivative="zero",
        dtype="attr",
        spelling=("numpy.empty",),
    ),
    Word("ones", "numpy.ones", (), ("shape", "dtype"), derivative="zero", dtype="attr"),
    Word("full", "numpy.full", (), ("shape", "fill_value", "dtype"), derivative="zero", dtype="attr"),
    Word("arange", "numpy.arange", (), ("start", "stop", "step"), derivative="zero", dtype="int"),
    Word("eye", "numpy.eye", (), ("N", "M", "k", "dtype"), derivative="zero", dtype="attr"),
    Word("tri", "numpy.tri", (), ("N", "M", "k", "dtype"), derivative="zero", dtype="attr"),
    Word("sum_to", "pullback.sum_to", ("x",), ("like",), linear=(0,)),
    Word("broadcast_like", "pullback.broadcast_like", ("x",), ("like",), linear=(0,)),
    Word("expect_like", "pullback.expect_like", ("x",), ("like",), linear=(0,)),
    Word(
        "accumulate",
        "pullback.accumulate",
        ("x", "y"),
        pointwise=True,
        linear=(0, 1),
        jointly=True,
        infix="+",
    ),
    Word("packed", "pullback.packed", ("value",), ("kind", "depth"), derivative="zero", dtype="attr"),
    Word("unpacked", "pullback.unpacked", ("rows",), ("kind", "depth"), derivative="zero", dtype="attr"),
    Word("stop_gradient", "pullback.stop_gradient", ("x",), pointwise=True, derivative="zero"),
)
