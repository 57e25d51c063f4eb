"""Special functions of SciPy, entry by entry."""

from __future__ import annotations

from .info import OperatorInfo


def _special(names: str, *operands: str) -> tuple[OperatorInfo, ...]:
    return tuple(
        OperatorInfo(name, f"scipy.special.{name}", operands, pointwise=True, dtype="float")
        for name in names.split()
    )


OPERATORS: tuple[OperatorInfo, ...] = (
    *_special("erf erfc erfcx erfi erfinv erfcinv dawsn ndtr log_ndtr ndtri", "x"),
    *_special("expit logit log_expit exp10 expi exp1 cosm1 entr", "x"),
    *_special("rel_entr kl_div xlogy xlog1py", "x", "y"),
    *_special("gammaln loggamma gamma rgamma", "x"),
    OperatorInfo(
        "digamma",
        "scipy.special.digamma",
        ("x",),
        pointwise=True,
        dtype="float",
        spelling=("scipy.special.psi",),
    ),
    *_special("beta betaln", "a", "b"),
    OperatorInfo("polygamma", "pullback.primitives.polygamma", ("x",), ("n",), pointwise=True, dtype="float"),
    *_special("i0 i0e i1 i1e j0 j1 y0 y1 k0 k0e k1 k1e", "x"),
    OperatorInfo(
        "bessel_i", "pullback.primitives.bessel_i", ("x",), ("order",), pointwise=True, dtype="float"
    ),
    OperatorInfo(
        "bessel_j", "pullback.primitives.bessel_j", ("x",), ("order",), pointwise=True, dtype="float"
    ),
    OperatorInfo(
        "sinc_derivative",
        "pullback.primitives.sinc_derivative",
        ("x",),
        ("n",),
        pointwise=True,
        dtype="float",
    ),
    *(
        OperatorInfo(n, f"pullback.{n}", ("x",), pointwise=True, dtype="float")
        for n in ("sigmoid", "gelu", "softplus")
    ),
    OperatorInfo("relu", "pullback.relu", ("x",), pointwise=True),
    OperatorInfo("softmax", "scipy.special.softmax", ("x",), ("axis",), dtype="float"),
    OperatorInfo("log_softmax", "scipy.special.log_softmax", ("x",), ("axis",), dtype="float"),
    OperatorInfo("logsumexp", "scipy.special.logsumexp", ("a",), ("axis", "keepdims"), dtype="float"),
)
