"""SciPy's special functions on tensors, recorded.

As `scipy.special`, also where its functions would make arrays of tensors
(`softmax`, `logsumexp`). A name that is not here is SciPy's.

>>> import pullback as pb
>>> x = pb.tensor(0.0, requires_grad=True)
>>> pb.grad(pb.special.expit(x), x)
(tensor(0.25),)
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, wraps
from typing import Any, cast

import scipy.special as _special

from .engine.calls.call import call, call_generally
from .engine.calls.direct import OperatorFunction
from .engine.core.dispatch import engine_of
from .engine.core.registry import FORMULAS
from .engine.core.typed import OperatorCall
from .engine.numpy.written.table import WRITTEN_WITH_OPERATORS, formulas
from .transpile.operators import OPERATORS


def _operator(op: str) -> Callable[..., Any]:
    """The function of an operator, on arrays and tensors."""

    def function(*args: Any, **kwargs: Any) -> Any:
        return call_generally(op, *args, **kwargs)

    function.__name__ = function.__qualname__ = op
    function.__doc__ = f"As `{OPERATORS[op].python}`; tensors in, a tensor out, recorded."
    return OperatorFunction(op, function)


_OPERATORS = {
    name.rpartition(".")[2]: _operator(info.name)
    for info in OPERATORS.values()
    for name in (info.python, *info.spelling)
    if name.startswith("scipy.special.")
}


globals().update(_OPERATORS)  # found without `__getattr__`


def polygamma(n: int, x: Any) -> Any:
    """As `scipy.special.polygamma`: the n-th derivative of digamma; n takes no gradient.

    >>> import pullback as pb
    >>> x = pb.tensor(1.0, requires_grad=True)
    >>> abs(pb.grad(polygamma(0, x), x)[0].item() - polygamma(1, 1.0).item()) < 1e-12
    True
    """
    if isinstance(n, int) and n == 1 and engine_of(x) is not None:
        return formulas.trigamma(x)
    return call("polygamma", x, n=n)


def __getattr__(name: str) -> OperatorCall:
    found = getattr(_special, name)
    if isinstance(found, type(_special.gamma)):  # NumPy's, which finds its formula by itself
        found = WRITTEN_WITH_OPERATORS.get(found, found)
    elif callable(found) and (entry := FORMULAS.find(found)) is not None:
        found = _dispatching(found, entry)
    return cast(OperatorCall, found)


@cache
def _dispatching(function: Callable[..., Any], entry: Callable[..., Any]) -> Callable[..., Any]:
    """SciPy's function on arrays, and what stands for it on tensors."""

    @wraps(function)
    def dispatching(*args: Any, **kwargs: Any) -> Any:
        return (function if engine_of(*args, *kwargs.values()) is None else entry)(*args, **kwargs)

    return dispatching


def __dir__() -> list[str]:
    return [*globals(), *dir(_special)]
