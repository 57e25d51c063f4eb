"""Operators that kernels compute by other operators, because they need no loop of their own.

Only their value is meant: the derivative is that of the operator's formula.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from functools import cache

from ...derivatives import Derivatives, Variant
from ...frontend import Binding, Names, read_function
from ...ir import Eqn, Formula, Literal, Source, Var

_TEXT = """
def outer(a, b):
    return np.reshape(a, (-1, 1)) * np.reshape(b, (1, -1))


def var(a, *, axis=None, ddof=0, keepdims=False):
    distance = a - np.mean(a, axis=axis, keepdims=True)
    r = np.sum(distance * distance, axis=axis, keepdims=keepdims)
    terms = a.size // r.size if r.size else 1
    return r / (terms - ddof if terms > ddof else 0)


def std(a, *, axis=None, ddof=0, keepdims=False):
    return np.sqrt(np.var(a, axis=axis, ddof=ddof, keepdims=keepdims))


def norm(x, *, ord=None, axis=None, keepdims=False):
    p = primitives.order_of_norm(ord, axis, x.ndim)
    size = np.abs(x)
    if p == np.inf:
        r = np.max(size, axis=axis, keepdims=keepdims)
    elif p == -np.inf:
        r = np.min(size, axis=axis, keepdims=keepdims)
    elif p == 2:
        r = np.sqrt(np.sum(x * x, axis=axis, keepdims=keepdims))
    elif p == 1:
        r = np.sum(size, axis=axis, keepdims=keepdims)
    else:
        r = np.sum(size**p, axis=axis, keepdims=keepdims) ** (1 / p)
    return r


def sort(a, *, axis=-1):
    return np.take_along_axis(a, indices=np.argsort(a, axis=axis), axis=axis)


def deg2rad(x):
    return x * 0.017453292519943295


def rad2deg(x):
    return x * 57.29577951308232


def expit(x):
    return pb.sigmoid(x)


def logit(x):
    return np.log(x / (1 - x))


def log_expit(x):
    return -pb.softplus(-x)


def exp10(x):
    return 10.0**x


def cosm1(x):
    half = np.sin(0.5 * x)
    return -2.0 * half * half


def entr(x):
    inside = -x * np.log(np.where(x > 0, x, 1))
    return np.where(x > 0, inside, np.where(x == 0, 0, np.where(x < 0, -np.inf, x)))


def xlogy(x, y):
    return np.where((x == 0) & ~np.isnan(y), 0, x * np.log(y))


def xlog1py(x, y):
    return np.where((x == 0) & ~np.isnan(y), 0, x * np.log1p(y))
"""
_FUNCTIONS = {text.partition("(")[0].removeprefix("def "): text for text in _TEXT.strip().split("\n\n\n")}


class Definitions(Derivatives):
    """A library in which operators of this file are written out; the others are those of `parent`."""

    def __init__(self, parent: Derivatives, written: Set[str] = _FUNCTIONS.keys()) -> None:
        self._parent, self._written = parent, written

    def formula(self, op: str) -> Formula | None:
        """The definition of an operator, or the formula of any other."""
        return _definition(op) if op in self._written else self._parent.formula(op)

    def promoted(self, op: str, eqn: Eqn | None = None) -> Formula:
        """The definition of an operator, which has no closure; the promoted formula of any other."""
        return _definition(op) if op in self._written else self._parent.promoted(op, eqn)

    def variant(
        self, formula: Formula, defined: Sequence[bool], needed: Sequence[bool], values: Mapping[Var, Literal]
    ) -> Variant:
        """The variant of a promoted formula."""
        return self._parent.variant(formula, defined, needed, values)

    def having(self, formulas: Mapping[str, Formula]) -> Derivatives:
        """The same, but for these formulas by their operators."""
        return Definitions(self._parent.having(formulas), self._written - formulas.keys())


@cache
def _definition(name: str) -> Formula:
    names = Names.of(
        {
            "np": Binding.dotted("numpy"),
            "pb": Binding.dotted("pullback"),
            "primitives": Binding.dotted("pullback.primitives"),
        }
    )
    return read_function(Source("definitions.py", _FUNCTIONS[name]), names, name)
