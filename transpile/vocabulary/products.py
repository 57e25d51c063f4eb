"""Words of linear algebra."""

from __future__ import annotations

from .word import Word

WORDS: tuple[Word, ...] = (
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
    Word("convolve", "numpy.convolve", ("a", "v"), ("mode",), linear=(0, 1)),
    Word("inv", "numpy.linalg.inv", ("a",), dtype="float"),
    Word("solve", "numpy.linalg.solve", ("a", "b"), dtype="float", linear=(1,)),
    Word("det", "numpy.linalg.det", ("a",), dtype="float"),
    Word("cholesky", "numpy.linalg.cholesky", ("a",), dtype="float"),
    Word("pinv", "numpy.linalg.pinv", ("a",), ("rcond",), dtype="float"),
)
