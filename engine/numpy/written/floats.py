"""NumPy's names for operators of which floats come out, of whole numbers and bools too."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...calls.call import arrays
from ...core.dispatch import engine_of
from ...transforms.forward_ad import differentiated
from .table import formula, stands_for


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
    return np.absolute(_in_floats(np.fabs, x), out=out, **kwargs)


@stands_for(np.heaviside)
def heaviside(x1: Any, x2: Any, /, out: Any = None) -> Any:
    """As `np.heaviside`: differentiable in what it is at zero."""
    found = np.heaviside(arrays(x1), arrays(x2))
    if not differentiated((x2,)):
        engine = engine_of(x1, x2)
        assert engine is not None, "arrays alone go to NumPy"
        return engine.from_numpy(np.asarray(found))
    return formula("heaviside", x1, x2).astype(found.dtype)


@stands_for(np.nextafter)
def nextafter(x1: Any, x2: Any, /, out: Any = None) -> Any:
    """As `np.nextafter`: as far from `x1` as numbers are apart, which is constant between its jumps."""
    found = np.nextafter(arrays(x1), arrays(x2))
    return x1 + (found - arrays(x1))


@stands_for(np.rint)
def rint(x: Any, /, out: Any = None) -> Any:
    """As `np.rint`: the nearest whole number, as a float."""
    return np.round(_in_floats(np.rint, x), out=out)
