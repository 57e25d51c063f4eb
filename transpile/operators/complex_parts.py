"""Conjugates and parts of complex numbers. Kernels take real ones, which are their own."""

from __future__ import annotations

from ..ir.dtypes import Widening
from .info import OperatorInfo, Scalar
from .pointwise import CHEAP, broadcast


def _part(
    name: str,
    python: str,
    operand: str,
    widens: Widening | None,
    scalar: str,
    *,
    methods: tuple[str, ...] = (),
    spelling: tuple[str, ...] = (),
    torch: str = "",
) -> OperatorInfo:
    return OperatorInfo(
        name,
        python,
        (operand,),
        kind="pointwise",
        linear=(0,),
        type=broadcast(widens),
        cost=CHEAP,
        scalar=Scalar(scalar, of="numbers") if scalar else None,
        methods=methods,
        spelling=spelling,
        torch=torch,
    )


OPERATORS: tuple[OperatorInfo, ...] = (
    _part(
        "conj",
        "numpy.conj",
        "x",
        None,
        "{0}",
        methods=("conj", "conjugate"),
        spelling=("numpy.conjugate",),
        torch="torch.conj_physical",
    ),
    _part("real", "numpy.real", "val", "real", "{0}", torch="torch.real"),
    _part("imag", "numpy.imag", "val", "real", ""),
    _part("imaginary", "pullback.primitives.imaginary", "x", "complex", ""),
)
