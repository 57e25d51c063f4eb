"""NumPy's names for operators of which floats come out, of whole numbers and bools too."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...calls.call import arrays
from ...core.dispatch import engine_of
from ...transforms.forward_ad import differentiated
from .table import formulas, stands_for


def _in_floats(ufunc: np.ufunc, x: Any) -> Any:
    """The tensor in the dtype in which the ufunc computes with it."""
    return x.astype(ufunc.resolve_dtypes((x.dtype, None))[0]) if x.dtype.kind in "biu" else x


@stands_for(np.fabs)
def fabs(x: Any, /, out: Any = None, **kwargs: Any) -> Any:
    """As `np.fabs`: the absolute value, of whole numbers as floats.

    >>> import pullback as pb
    >>> fabs(pb.tensor([1, -2]))
    tensor([1., 2.])
    """
    if x.dtype.kind == "c":
        raise TypeError("ufunc 'fabs' not supported for complex values: np.abs has their modulus")
    return np.absolute(_in_floats(np.fabs, x), out=out, **kwargs)


@stands_for(np.heaviside)
def heaviside(x1: Any, x2: Any, /, out: Any = None) -> Any:
    """As `np.heaviside`: differentiable in what it is at zero."""
    found = np.heaviside(arrays(x1), arrays(x2))
    if not differentiated((x2,)):
        engine = engine_of(x1, x2)
        assert engine is not None, "arrays alone go to NumPy"
        return engine.from_numpy(np.asarray(found))
    x1 = x1 if getattr(x1, "dtype", None) in ("f2", "f4", "f8") else np.asarray(arrays(x1), found.dtype)
    return formulas.heaviside(x1, x2).astype(found.dtype)


@stands_for(np.nextafter)
def nextafter(x1: Any, x2: Any, /, out: Any = None) -> Any:
    """As `np.nextafter`: as far from `x1` as numbers are apart, which is constant between its jumps."""
    given = arrays(x1)
    found = np.nextafter(given, arrays(x2))
    finite = np.isfinite(given)
    return np.where(finite, x1 + np.subtract(found, given, where=finite, out=np.zeros_like(found)), found)


@stands_for(np.rint)
def rint(x: Any, /, out: Any = None) -> Any:
    """As `np.rint`: the nearest whole number, as a float."""
    return np.round(_in_floats(np.rint, x), out=out)
