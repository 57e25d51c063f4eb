"""Special functions of SciPy, and those of neural networks."""

from __future__ import annotations

from typing import Any

from ..ir.dtypes import widen
from ..ir.types import ScalarType, TensorType, Type, axes_in
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


def _double(call: Call) -> Type:
    """Entry by entry, in float64 whatever the operands are."""
    found = broadcast("special")(call)
    return call.tensor(found.shape, "float64") if isinstance(found, TensorType) else found


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


def _by_loops(call: Call) -> Type:
    """Entry by entry; beside a number of Python's some have no loop for float32, and compute in float64."""
    found = broadcast("special")(call)
    if isinstance(found, TensorType) and any(isinstance(operand, ScalarType) for operand in call.operands):
        return call.tensor(found.shape, "float64" if found.dtype == "float64" else None)
    return found


def _called(name: str, *operands: str, **facts: Any) -> OperatorInfo:
    """A function that SciPy computes, and no kernel: its formula runs in Python."""
    facts = {"type": _by_loops, **facts}
    return _special(name, *operands, scalar=None, **facts)


_CALLED: tuple[OperatorInfo, ...] = (
    *(_called(name, "a", "x") for name in ("gammainc", "gammaincc")),
    *(_called(name, "a", "y") for name in ("gammaincinv", "gammainccinv")),
    *(_called(name, "a", "b", "x") for name in ("betainc", "betaincc")),
    *(_called(name, "a", "b", "y") for name in ("betaincinv", "betainccinv")),
    _called("gamma_density", "a", "x", python="pullback.primitives.gamma_density"),
    _called("beta_density", "a", "b", "x", python="pullback.primitives.beta_density"),
    *(_called(name, "v", "z") for name in ("yv", "kv", "ive", "kve")),
    _called(
        "spherical_bessel", "n", "z", attrs=("kind", "derivative"),
        python="pullback.primitives.spherical_bessel",
    ),
    _called("hyp0f1", "v", "z"),
    *(_called(name, "a", "b", "x") for name in ("hyp1f1", "hyperu")),
    _called("hyp2f1", "a", "b", "c", "z"),
    *(_called(name, "m") for name in ("ellipk", "ellipe")),
    _called("ellipkm1", "p"),
    _called("elliptic_integral", "p", attrs=("kind",), python="pullback.primitives.elliptic_integral"),
    *(_called(name, "phi", "m") for name in ("ellipkinc", "ellipeinc")),
    *(_called(name, "n", "x") for name in ("eval_legendre", "eval_chebyt", "eval_chebyu", "eval_laguerre")),
    *(_called(name, "n", "x", type=_double) for name in ("eval_hermite", "eval_hermitenorm")),
    *(_called(name, "n", "alpha", "x") for name in ("eval_gegenbauer", "eval_genlaguerre")),
    _called("eval_jacobi", "n", "alpha", "beta", "x"),
    _called("expn", "n", "x"),
    *(_called(name, "x") for name in ("exprel", "sindg", "cosdg", "tandg", "cotdg")),
    *(_called(name, "z") for name in ("spence", "wrightomega")),
    _called("ndtri_exp", "y"),
    _called("owens_t", "h", "a"),
    *(_called(name, "v", "x") for name in ("struve", "modstruve")),
    *(_called(name, "x", "lmbda") for name in ("boxcox", "boxcox1p", "tklmbda")),
    *(_called(name, "y", "lmbda") for name in ("inv_boxcox", "inv_boxcox1p")),
    _called("powm1", "x", "y"),
    _called("stdtr", "df", "t"),
    _called("stdtrit", "df", "p"),
    _called("poch", "z", "m"),
    _called("binom", "n", "k"),
    _called("agm", "a", "b"),
    _called("hurwitz_zeta", "x", "q", python="pullback.primitives.hurwitz_zeta"),
    _called("integral", "x", attrs=("kind",), python="pullback.primitives.integral"),
    _called("airy_function", "z", attrs=("kind",), python="pullback.primitives.airy_function"),
    _called("jacobi_elliptic", "u", "m", attrs=("kind",), python="pullback.primitives.jacobi_elliptic"),
)  # fmt: skip

# Those that neither kernels nor other libraries compute.
CALLED = frozenset(operator.name for operator in _CALLED)

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
        "softplus", torch="torch.nn.functional.softplus", spelling=("scipy.special.softplus",),
        scalar=Scalar("softplus", "pb::softplus", takes="float"),
    ),
    _own(
        "relu", dtype="same", cost=CHEAP, torch="torch.relu",
        scalar=Scalar("maximum({0}, 0)", of="floats"),
    ),
    *_CALLED,
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
