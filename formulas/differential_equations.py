"""Airy functions, Struve's, and Jacobi's elliptic functions: solutions of differential equations.

DLMF is the Digital Library of Mathematical Functions, dlmf.nist.gov.
"""

import math

import numpy as np
from scipy import special

import pullback as pb
from pullback import primitives

_ORDER = "the derivative in the order has no closed form"
_ONE_OVER_ROOT_PI = 1 / math.sqrt(math.pi)


@pb.formula(primitives.airy_function, complex=True)
def airy_function(z, *, kind):
    """Ai, Ai', Bi or Bi', the second derivatives by Airy's equation w'' = z w. DLMF 9.2.1."""
    r = primitives.airy_function(z, kind=kind)

    def airy_function_pullback(grad):
        if kind == "Ai":
            slope = primitives.airy_function(z, kind="Ai'")
        elif kind == "Ai'":
            slope = z * primitives.airy_function(z, kind="Ai")
        elif kind == "Bi":
            slope = primitives.airy_function(z, kind="Bi'")
        else:
            slope = z * primitives.airy_function(z, kind="Bi")
        return grad * slope

    return r, airy_function_pullback


@airy_function.sample_inputs
def _airy_function_inputs(rng):
    for kind in ("Ai", "Ai'", "Bi", "Bi'"):
        yield (rng.uniform(-2.0, 1.0, (3,)),), {"kind": kind}


@pb.composite(special.airy)
def airy(z):
    """Ai, Ai', Bi and Bi'."""
    return (
        primitives.airy_function(z, kind="Ai"),
        primitives.airy_function(z, kind="Ai'"),
        primitives.airy_function(z, kind="Bi"),
        primitives.airy_function(z, kind="Bi'"),
    )


@pb.formula(special.struve)
def struve(v, x):
    """d H_v(x) = (H_(v-1) - H_(v+1) + (x/2)^v / (sqrt(pi) gamma(v + 3/2))) / 2 dx. DLMF 11.4.24."""
    r = special.struve(v, x)

    def struve_pullback(grad):
        in_v = primitives.refuse_gradient(grad, argument="`v` of scipy.special.struve", why=_ORDER)
        term = np.power(x / 2, v) * special.rgamma(v + 1.5) * _ONE_OVER_ROOT_PI
        return in_v, grad * (special.struve(v - 1, x) - special.struve(v + 1, x) + term) / 2

    return r, struve_pullback


@struve.sample_inputs
def _struve_inputs(rng):
    yield (1, rng.uniform(0.5, 3.0, (3, 4))), {}


@pb.formula(special.modstruve)
def modstruve(v, x):
    """d L_v(x) = (L_(v-1) + L_(v+1) + (x/2)^v / (sqrt(pi) gamma(v + 3/2))) / 2 dx. DLMF 11.4.26."""
    r = special.modstruve(v, x)

    def modstruve_pullback(grad):
        in_v = primitives.refuse_gradient(grad, argument="`v` of scipy.special.modstruve", why=_ORDER)
        term = np.power(x / 2, v) * special.rgamma(v + 1.5) * _ONE_OVER_ROOT_PI
        return in_v, grad * (special.modstruve(v - 1, x) + special.modstruve(v + 1, x) + term) / 2

    return r, modstruve_pullback


@modstruve.sample_inputs
def _modstruve_inputs(rng):
    yield (1, rng.uniform(0.5, 3.0, (3, 4))), {}


@pb.formula(primitives.jacobi_elliptic)
def jacobi_elliptic(u, m, *, kind):
    """sn, cn, dn or the amplitude: cn dn, -sn dn, -m sn cn, dn. DLMF 22.13.1 to 22.13.3, 22.16.1.

    The derivative in the parameter m is refused.
    """
    r = primitives.jacobi_elliptic(u, m, kind=kind)

    def jacobi_elliptic_pullback(grad):
        in_m = primitives.refuse_gradient(
            grad, argument="`m` of scipy.special.ellipj", why="there is no formula for the parameter"
        )
        dn = primitives.jacobi_elliptic(u, m, kind="dn")
        if kind == "sn":
            slope = primitives.jacobi_elliptic(u, m, kind="cn") * dn
        elif kind == "cn":
            slope = -primitives.jacobi_elliptic(u, m, kind="sn") * dn
        elif kind == "dn":
            sn = primitives.jacobi_elliptic(u, m, kind="sn")
            slope = -m * sn * primitives.jacobi_elliptic(u, m, kind="cn")
        else:
            slope = dn
        return grad * slope, in_m

    return r, jacobi_elliptic_pullback


@jacobi_elliptic.sample_inputs
def _jacobi_elliptic_inputs(rng):
    for kind in ("sn", "cn", "dn", "ph"):
        yield (rng.uniform(-2.0, 1.0, (3,)), 0), {"kind": kind}


@pb.composite(special.ellipj)
def ellipj(u, m):
    """sn, cn, dn and the amplitude."""
    return (
        primitives.jacobi_elliptic(u, m, kind="sn"),
        primitives.jacobi_elliptic(u, m, kind="cn"),
        primitives.jacobi_elliptic(u, m, kind="dn"),
        primitives.jacobi_elliptic(u, m, kind="ph"),
    )
