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
)
