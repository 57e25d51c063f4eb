"""SciPy's special functions for kernels: the addresses that `scipy.special.cython_special` exports."""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

from .capsules import address, signature

_UNARY = """
    erfinv erfcinv ndtri gammaln loggamma digamma erfcx log_ndtr erfi dawsn expi exp1 gamma rgamma
    j0 j1 y0 y1 k0 k0e k1 k1e
    ellipk ellipe ellipkm1 exprel sindg cosdg tandg cotdg spence wrightomega ndtri_exp
"""
_BINARY = """
    beta betaln rel_entr kl_div iv jv yv kv ive kve
    gammainc gammaincc gammaincinv gammainccinv hyp0f1 ellipkinc ellipeinc
    owens_t struve modstruve boxcox boxcox1p tklmbda inv_boxcox
    inv_boxcox1p powm1 stdtr stdtrit poch binom agm
"""
_TERNARY = "betainc betaincc betaincinv betainccinv hyp1f1 hyperu elliprd"
# Those of a degree, which SciPy computes otherwise where it is whole; and of a whole degree only.
_DEGREE_BINARY = "eval_legendre eval_chebyt eval_chebyu eval_laguerre"
_DEGREE_TERNARY = "eval_gegenbauer eval_genlaguerre"
_WHOLE_BINARY = "eval_hermite eval_hermitenorm expn"
_WHOLE = "_whole"


def _all(names: str, arguments: str, suffix: str = "") -> dict[str, str]:
    return {name + suffix: arguments for name in names.split()}


# The arguments of each by the names in kernel/math/special.h, in its order.
FUNCTIONS = {
    **_all(_UNARY, "double"),
    **_all(_BINARY, "double, double"),
    **_all(_TERNARY, "double, double, double"),
    **_all("hyp2f1", "double, double, double, double"),
    **_all(_DEGREE_BINARY, "double, double"),
    **_all(_DEGREE_TERNARY, "double, double, double"),
    **_all("eval_jacobi", "double, double, double, double"),
    **_all(_DEGREE_BINARY, "long, double", _WHOLE),
    **_all(_WHOLE_BINARY, "long, double", _WHOLE),
    **_all(_DEGREE_TERNARY, "long, double, double", _WHOLE),
    **_all("eval_jacobi", "long, double, double, double", _WHOLE),
    **_all("sici shichi fresnel", "double, double *, double *"),
    "airy": "double, double *, double *, double *, double *",
    "ellipj": "double, double, double *, double *, double *, double *",
}
_OTHER_NAME = {"digamma": "psi"}
# What Cython calls an integer of the machine's size, by the version of SciPy.
_LONG = ("long", "Py_ssize_t")


class Table(ctypes.Structure):
    """pb_special_functions of kernel/math/special.h."""

    _fields_ = tuple((name, ctypes.c_void_p) for name in FUNCTIONS)


@cache
def special_functions() -> Table | None:
    """The functions; None where this SciPy does not export all of them, and kernels that call one refuse."""
    from scipy.special import cython_special

    exported: dict[str, Any] = getattr(cython_special, "__pyx_capi__", {})
    table = Table()
    for name, arguments in FUNCTIONS.items():
        found = _address(exported, _OTHER_NAME.get(name, name.removesuffix(_WHOLE)), arguments)
        if found is None:
            return None
        setattr(table, name, found)
    return table


def _signatures(arguments: str) -> list[str]:
    """A function of SciPy's in C; the last argument of what has one result is Cython's.

    >>> _signatures("long, double")[1]
    'double (Py_ssize_t, double, int __pyx_skip_dispatch)'
    """
    several = "*" in arguments
    text = f"void ({arguments})" if several else f"double ({arguments}, int __pyx_skip_dispatch)"
    return [text.replace("long", integer) for integer in _LONG]


def _address(exported: dict[str, Any], name: str, arguments: str) -> int | None:
    """The address of what stands under a name, or of its versions for certain types, with these arguments."""
    wanted = _signatures(arguments)
    for key, capsule in exported.items():
        version, _, rest = key.removeprefix("__pyx_fuse_").partition(name)
        its_own = not rest and (key == name or version.replace("_", "").isdigit())
        if its_own and signature(capsule) in wanted:
            return address(capsule)
    return None
