"""Special functions of SciPy, and those of neural networks."""

from __future__ import annotations

from typing import Any

from ..ir.dtypes import widen
from ..ir.types import ScalarType, TensorType, Type, axes_in
from .call import Call, Rule
from .info import Double, OperatorInfo, Scalar
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


def _by_loops(double: Double) -> Rule:
    """The rule of SciPy's own: entry by entry, in float64 where SciPy does not take its loop for float32."""

    def rule(call: Call) -> Type:
        found = broadcast("special")(call)
        if not isinstance(found, TensorType) or found.dtype == "float64":
            return found
        numbers = [operand for operand in call.operands if isinstance(operand, ScalarType)]
        degree = call.operands[0]
        if double == "always" or (double == "numbers" and numbers):
            return call.tensor(found.shape, "float64")
        if double == "degree" and isinstance(degree, ScalarType):
            return call.tensor(found.shape, "float64" if degree.kind == "int" else None)
        return found

    return rule


def _of_loops(name: str, *operands: str, double: Double = "", kinds: Any = (), **facts: Any) -> OperatorInfo:
    """A function that SciPy computes, and neither PyTorch nor CUDA."""
    scalar = Scalar(name, takes="float", special=True, double=double, kinds=kinds)
    return _special(name, *operands, **{"type": _by_loops(double), "scalar": scalar, **facts})


def _of_kinds(name: str, *operands: str, **functions: str) -> OperatorInfo:
    """A function of this project's that has a letter for each of its kinds."""
    kinds = tuple((kind.replace("_", "'"), function) for kind, function in functions.items())
    python = f"pullback.primitives.{name}"
    return _of_loops(name, *operands, attrs=("kind",), python=python, kinds=kinds)


def _in_python(name: str, *operands: str, **facts: Any) -> OperatorInfo:
    """A function that no kernel computes: its formula runs in Python."""
    return _special(name, *operands, type=_by_loops(""), scalar=None, **facts)


_OF_SCIPY: tuple[OperatorInfo, ...] = (
    *(_of_loops(name, "a", "x", double="numbers") for name in ("gammainc", "gammaincc")),
    *(_of_loops(name, "a", "y", double="numbers") for name in ("gammaincinv", "gammainccinv")),
    *(_of_loops(name, "a", "b", "x") for name in ("betainc", "betaincc")),
    *(_of_loops(name, "a", "b", "y") for name in ("betaincinv", "betainccinv")),
    _of_loops("gamma_density", "a", "x", python="pullback.primitives.gamma_density"),
    _of_loops("beta_density", "a", "b", "x", python="pullback.primitives.beta_density"),
    *(_of_loops(name, "v", "z") for name in ("yv", "kv", "ive", "kve")),
    _in_python(
        "spherical_bessel", "n", "z", attrs=("kind", "derivative"),
        python="pullback.primitives.spherical_bessel",
    ),
    _of_loops("hyp0f1", "v", "z"),
    *(_of_loops(name, "a", "b", "x") for name in ("hyp1f1", "hyperu")),
    _of_loops("hyp2f1", "a", "b", "c", "z", double="numbers"),
    *(_of_loops(name, "m") for name in ("ellipk", "ellipe")),
    _of_loops("ellipkm1", "p"),
    _of_kinds("elliptic_integral", "p", B="elliptic_b", D="elliptic_d"),
    *(_of_loops(name, "phi", "m", double="numbers") for name in ("ellipkinc", "ellipeinc")),
    *(
        _of_loops(name, "n", "x", double="degree")
        for name in ("eval_legendre", "eval_chebyt", "eval_chebyu", "eval_laguerre")
    ),
    *(_of_loops(name, "n", "x", double="always") for name in ("eval_hermite", "eval_hermitenorm")),
    *(
        _of_loops(name, "n", "alpha", "x", double="degree")
        for name in ("eval_gegenbauer", "eval_genlaguerre")
    ),
    _of_loops("eval_jacobi", "n", "alpha", "beta", "x", double="degree"),
    _of_loops("expn", "n", "x", double="degree"),
    *(_of_loops(name, "x") for name in ("exprel", "sindg", "cosdg", "tandg", "cotdg")),
    *(_of_loops(name, "z") for name in ("spence", "wrightomega")),
    _of_loops("ndtri_exp", "y"),
    _of_loops("owens_t", "h", "a"),
    *(_of_loops(name, "v", "x", double="numbers") for name in ("struve", "modstruve")),
    *(_of_loops(name, "x", "lmbda") for name in ("boxcox", "boxcox1p", "tklmbda")),
    *(_of_loops(name, "y", "lmbda") for name in ("inv_boxcox", "inv_boxcox1p")),
    _of_loops("powm1", "x", "y"),
    _of_loops("stdtr", "df", "t"),
    _of_loops("stdtrit", "df", "p"),
    _of_loops("poch", "z", "m"),
    _of_loops("binom", "n", "k"),
    _of_loops("agm", "a", "b"),
    _in_python("hurwitz_zeta", "x", "q", python="pullback.primitives.hurwitz_zeta"),
    _of_kinds(
        "integral", "x", Si="sine_integral", Ci="cosine_integral", Shi="sinh_integral", Chi="cosh_integral",
        S="fresnel_s", C="fresnel_c",
    ),
    _of_kinds("airy_function", "z", Ai="airy_ai", Ai_="airy_ai_slope", Bi="airy_bi", Bi_="airy_bi_slope"),
    _of_kinds("jacobi_elliptic", "u", "m", sn="jacobi_sn", cn="jacobi_cn", dn="jacobi_dn", ph="jacobi_ph"),
)  # fmt: skip

# Those that PyTorch has no function for, and JAX for a few.
SCIPY_ONLY = frozenset(operator.name for operator in _OF_SCIPY)

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
    *_OF_SCIPY,
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
