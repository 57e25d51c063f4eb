"""The functions without a derivative, each with its reason: one table.

CONSTANT ones run on tensors that require grad, and their results don't: nothing
that could flow is lost. REFUSED ones raise NotDifferentiableError there, for a
gradient would be lost; on other tensors they run. What writes into its operand
is refused on every tensor, for nobody would count the write. A function of NumPy
that is in none of them has a formula, or is written with operators: a test sees
to it.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import cache
from typing import Any

from ...transpile.operators.constant import CONSTANT as CONSTANT
from ...transpile.operators.constant import QUESTION as QUESTION
from ...transpile.operators.constant import because

FILE = "it writes a file"
_COMPLEX = "no formula yet: its result is complex"

_SPECIAL: dict[str, str] = {
    **because(
        _COMPLEX,
        "hankel1 hankel1e hankel2 hankel2e h1vp h2vp lambertw wofz kelvin modfresnelm modfresnelp sph_harm_y "
        "sph_harm_y_all",
        "scipy.special",
    ),
    **because(
        "of whole numbers: for real ones there are gamma and binom",
        "comb perm factorial factorial2 factorialk stirling2 bernoulli euler",
        "scipy.special",
    ),
    **because(
        "the inverse in a count or shape, in which the distribution has no closed derivative",
        "bdtrik bdtrin btdtria btdtrib chdtriv fdtridfd gdtria gdtrib nbdtrik nbdtrin pdtrik stdtridf "
        "nrdtrimn nrdtrisd",
        "scipy.special",
    ),
    **because(
        "noncentral distributions have no closed derivatives",
        "chndtr chndtridf chndtrinc chndtrix ncfdtr ncfdtri ncfdtridfd ncfdtridfn ncfdtrinc nctdtr nctdtridf "
        "nctdtrinc nctdtrit",
        "scipy.special",
    ),
    **because(
        "its derivative is a series of its own, which SciPy does not have",
        "kolmogorov kolmogi smirnov smirnovi zetac wright_bessel log_wright_bessel besselpoly voigt_profile "
        "elliprc elliprd elliprf elliprg elliprj",
        "scipy.special",
    ),
    **because(
        "of Mathieu's and spheroidal wave functions, parabolic cylinders and ellipsoids SciPy has no second "
        "derivatives",
        "mathieu_a mathieu_b mathieu_cem mathieu_modcem1 mathieu_modcem2 mathieu_modsem1 mathieu_modsem2 "
        "mathieu_sem mathieu_even_coef mathieu_odd_coef obl_ang1 obl_ang1_cv obl_cv obl_cv_seq obl_rad1 "
        "obl_rad1_cv obl_rad2 obl_rad2_cv pro_ang1 pro_ang1_cv pro_cv pro_cv_seq pro_rad1 pro_rad1_cv "
        "pro_rad2 pro_rad2_cv pbdn_seq pbdv pbdv_seq pbvv pbvv_seq pbwa ellip_harm ellip_harm_2 ellip_normal",
        "scipy.special",
    ),
    **because(
        "differentiate the function itself, of which it is a derivative",
        "jvp yvp ivp kvp lmbda riccati_jn riccati_yn",
        "scipy.special",
    ),
    **because(
        "no formula yet: a function of Airy, Kelvin or Struve, or an integral of one",
        "airye bei beip ber berp kei keip ker kerp it2i0k0 it2j0y0 it2struve0 itairy iti0k0 itj0y0 "
        "itmodstruve0 itstruve0",
        "scipy.special",
    ),
    **because(
        "eval_legendre and its kin have formulas, and are evaluated at tensors",
        "lpmv lqmn lqn legendre_p legendre_p_all assoc_legendre_p assoc_legendre_p_all sph_legendre_p "
        "sph_legendre_p_all assoc_laguerre legendre chebyt chebyu chebyc chebys jacobi laguerre genlaguerre "
        "hermite hermitenorm gegenbauer sh_legendre sh_chebyt sh_chebyu sh_jacobi",
        "scipy.special",
    ),
    **because(
        "zeros and nodes are tables of numbers",
        "ai_zeros bi_zeros bei_zeros beip_zeros ber_zeros berp_zeros erf_zeros fresnel_zeros fresnelc_zeros "
        "fresnels_zeros jn_zeros jnjnp_zeros jnp_zeros jnyn_zeros kei_zeros keip_zeros kelvin_zeros "
        "ker_zeros kerp_zeros y0_zeros y1_zeros y1p_zeros yn_zeros ynp_zeros roots_legendre roots_chebyt "
        "roots_chebyu roots_chebyc roots_chebys roots_jacobi roots_laguerre roots_genlaguerre roots_hermite "
        "roots_hermitenorm roots_gegenbauer roots_sh_legendre roots_sh_chebyt roots_sh_chebyu "
        "roots_sh_jacobi",
        "scipy.special",
    ),
}

REFUSED: dict[str, str] = {
    **_SPECIAL,
    **because(FILE, "save savez savez_compressed savetxt"),
    **because("of dates only", "busday_count busday_offset is_busday datetime_as_string"),
    **because("multiply (x - root) with np.convolve", "poly"),
    **because("the length of the result depends on the values", "polydiv"),
    **because("solve with np.linalg.lstsq of np.vander(x, degree + 1)", "polyfit"),
    **because("the dtype of the result depends on the values", "real_if_close"),
}

WRITES: dict[str, str] = because(
    "writes into its operand", "copyto fill_diagonal place put put_along_axis putmask"
)


def why(function: Callable[..., Any], table: dict[str, str] = CONSTANT) -> str | None:
    """The reason that a table gives for a function, or None.

    >>> import numpy as np
    >>> why(np.floor)
    'constant between its jumps'
    """
    try:
        return _by_function()[id(table)].get(function)
    except TypeError:
        return None


@cache
def _by_function() -> dict[int, dict[Any, str]]:
    """The tables by function instead of by name, without those that this NumPy lacks."""
    return {
        id(table): {found: table[name] for name in table if (found := _function(name)) is not None}
        for table in (CONSTANT, REFUSED, WRITES)
    }


def _function(name: str) -> Any:
    module, *path = name.split(".")
    found: Any = importlib.import_module(module)
    for attribute in path:
        found = getattr(found, attribute, None)
    return found
