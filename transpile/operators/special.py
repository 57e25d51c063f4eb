"""Special functions of SciPy, and those of neural networks."""

from __future__ import annotations

from typing import Any

from ..ir.dtypes import widen
from ..ir.types import Type, axes_in
from .call import Call
from .info import OperatorInfo, Scalar
from .pointwise import CHEAP, EXPONENTIAL, TRIGONOMETRIC, broadcast
from .reductions import axes_of, reduction


def _of_rows(call: Call) -> Type:
    """softmax and log_softmax: the operand's shape, over whatever axes."""
    a = call.operand(0)
    if a is None:
        return call.unknown()
    known, axes = axes_of(call)
    if known and axes is not None and isinstance(a.shape, tuple):
        axes_in(axes, len(a.shape))
    return call.tensor(a.shape, widen("special", a.dtype))


def _special(name: str, *operands: str, python: str = "", **facts: Any) -> OperatorInfo:
    """A function that SciPy computes, entry by entry; `cuda` where CUDA has it too."""
    cuda = facts.pop("cuda", None)
    facts = {"scalar": Scalar(name, cuda, takes="float", special=True), **facts}
    facts = {"dtype": "float", "type": broadcast("special"), **facts}
    python = python or f"scipy.special.{name}"
    return OperatorInfo(name, python, operands or ("x",), kind="pointwise", **facts)


def _own(name: str, **facts: Any) -> OperatorInfo:
    """A function of this project's."""
    return _special(name, python=f"pullback.{name}", **facts)


def _primitive(name: str, **facts: Any) -> OperatorInfo:
    """A function that derivatives of others are written with."""
    return _special(name, python=f"pullback.primitives.{name}", **facts)


def _inlined(name: str, *operands: str, **facts: Any) -> OperatorInfo:
    """A function that kernels compute as its formula does."""
    return _special(name, *operands, scalar=None, **facts)


OPERATORS: tuple[OperatorInfo, ...] = (
    _special("erf", scalar=Scalar("erf", "erf", takes="float"), cost=TRIGONOMETRIC, torch="torch.erf"),
    _special("erfc", scalar=Scalar("erfc", "erfc", takes="float"), torch="torch.erfc"),
    _special("erfcx", cuda="erfcx", torch="torch.special.erfcx"),
    _special("erfi"),
    _special("erfinv", cuda="erfinv", torch="torch.erfinv"),
    _special("erfcinv", cuda="erfcinv"),
    _special("dawsn"),
    _special("ndtr", cuda="normcdf", torch="torch.special.ndtr"),
    _special("log_ndtr", torch="torch.special.log_ndtr"),
    _special("ndtri", cuda="normcdfinv", torch="torch.special.ndtri"),
    _inlined("expit", torch="torch.special.expit"),
    _inlined("logit", torch="torch.logit"),
    _inlined("log_expit"),
    _inlined("exp10"),
    _special("expi"),
    _special("exp1"),
    _inlined("cosm1"),
    _inlined("entr", torch="torch.special.entr"),
    _special("rel_entr", "x", "y"),
    _special("kl_div", "x", "y"),
    _inlined("xlogy", "x", "y", torch="torch.xlogy"),
    _inlined("xlog1py", "x", "y", torch="torch.special.xlog1py"),
    _special("gammaln", cuda="lgamma", torch="torch.lgamma"),
    _special("loggamma"),
    _special("gamma", cuda="tgamma"),
    _special("rgamma"),
    _special("digamma", spelling=("scipy.special.psi",), torch="torch.digamma"),
    _special("beta", "a", "b"),
    _special("betaln", "a", "b"),
    _primitive("polygamma", attrs=("n",)),
    _special("i0", cuda="cyl_bessel_i0", torch="torch.i0"),
    _special("i0e", torch="torch.special.i0e"),
    _special("i1", cuda="cyl_bessel_i1", torch="torch.special.i1"),
    _special("i1e", torch="torch.special.i1e"),
    *(_special(name, cuda=name, torch=f"torch.special.bessel_{name}") for name in ("j0", "j1", "y0", "y1")),
    _special("k0", torch="torch.special.modified_bessel_k0"),
    _special("k0e", torch="torch.special.scaled_modified_bessel_k0"),
    _special("k1", torch="torch.special.modified_bessel_k1"),
    _special("k1e", torch="torch.special.scaled_modified_bessel_k1"),
    _primitive("bessel_i", attrs=("order",)),
    _primitive("bessel_j", attrs=("order",)),
    _primitive("sinc_derivative", attrs=("n",), scalar=Scalar("sinc_derivative", takes="float")),
    _own(
        "sigmoid", cost=EXPONENTIAL, torch="torch.sigmoid",
        scalar=Scalar("sigmoid", "pb::sigmoid", takes="float"),
    ),
    _own("gelu", scalar=None, torch="torch.nn.functional.gelu"),
    _own(
        "softplus", torch="torch.nn.functional.softplus",
        scalar=Scalar("softplus", "pb::softplus", takes="float"),
    ),
    _own(
        "relu", dtype="same", cost=CHEAP, torch="torch.relu",
        scalar=Scalar("maximum({0}, 0)", of="floats"),
    ),
    OperatorInfo(
        "softmax", "scipy.special.softmax", ("x",), ("axis",), dtype="float", type=_of_rows,
        torch="torch.softmax",
    ),
    OperatorInfo(
        "log_softmax", "scipy.special.log_softmax", ("x",), ("axis",), dtype="float", type=_of_rows,
        torch="torch.log_softmax",
    ),
    OperatorInfo(
        "logsumexp", "scipy.special.logsumexp", ("a",), ("axis", "keepdims"), kind="reduction",
        dtype="float", type=reduction("special"), torch="torch.logsumexp",
    ),
)  # fmt: skip
