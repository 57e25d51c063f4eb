"""Words of linear algebra."""

from __future__ import annotations

from .info import OperatorInfo

OPERATORS: tuple[OperatorInfo, ...] = (
    OperatorInfo("matmul", "numpy.matmul", ("x1", "x2"), linear=(0, 1), infix="@"),
    OperatorInfo("outer", "numpy.outer", ("a", "b"), linear=(0, 1)),
    OperatorInfo("contract", "pullback.primitives.contract", ("arrays",), ("subscripts",), variadic=True),
    OperatorInfo(
        "contract_gradients",
        "pullback.primitives.contract_gradients",
        ("grad", "arrays"),
        ("subscripts",),
        linear=(0,),
        gives_list=True,
    ),
    OperatorInfo("tensordot", "numpy.tensordot", ("a", "b"), ("axes",), linear=(0, 1)),
    OperatorInfo("dot", "numpy.dot", ("a", "b"), linear=(0, 1), methods=("dot",)),
    OperatorInfo("vdot", "numpy.vdot", ("a", "b"), linear=(0, 1)),
    OperatorInfo("inner", "numpy.inner", ("a", "b"), linear=(0, 1)),
    OperatorInfo("convolve", "numpy.convolve", ("a", "v"), ("mode",), linear=(0, 1)),
    OperatorInfo("inv", "numpy.linalg.inv", ("a",), dtype="float"),
    OperatorInfo("solve", "numpy.linalg.solve", ("a", "b"), dtype="float", linear=(1,)),
    OperatorInfo("det", "numpy.linalg.det", ("a",), dtype="float"),
    OperatorInfo("cholesky", "numpy.linalg.cholesky", ("a",), dtype="float"),
    OperatorInfo("pinv", "numpy.linalg.pinv", ("a",), ("rcond",), dtype="float"),
)
