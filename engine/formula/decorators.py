"""The decorators: `formula`, `composite`, and `derive_pullback` for functions without a closure."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, overload

import numpy as np

from ...transpile.ir import Options
from ..core.registry import FORMULAS
from ..core.typed import Closure, Q, S
from .formula import Composite, Formula, Function, derived


class FormulaDecorator(Protocol):
    """Makes a formula of the function that it decorates."""

    def __call__(self, function: Callable[Q, tuple[S, Closure]], /) -> Formula[Q, S]: ...


# The last two give the same type where a function has no annotations: else mypy would take that for Any.
@overload
def formula(  # type: ignore[overload-overlap]
    target: np.ufunc | None = None,
    /,
    *,
    first_order_only: bool = False,
    surrogate: bool = False,
    complex: bool = False,
    save: tuple[str, ...] = (),
    recompute: tuple[str, ...] = (),
    nondifferentiable: tuple[int, ...] = (),
    jvp: Function | None = None,
) -> FormulaDecorator: ...
@overload
def formula(function: Callable[Q, tuple[S, Closure]], /) -> Formula[Q, S]: ...
@overload
def formula(
    target: Callable[Q, S],
    /,
    *,
    first_order_only: bool = False,
    surrogate: bool = False,
    complex: bool = False,
    save: tuple[str, ...] = (),
    recompute: tuple[str, ...] = (),
    nondifferentiable: tuple[int, ...] = (),
    jvp: Function | None = None,
) -> Formula[Q, S]: ...
def formula(target: Any = None, /, *, jvp: Any = None, **options: Any) -> Any:
    """Decorates a function that returns its result and a backward closure: an operator with its derivative.

    ``@pb.formula`` makes a new operator; ``@pb.formula(np.tanh)`` states the
    derivative of an existing function, which tensors then use.

    Parameters
    ----------
    target : callable, optional
        The function, or the existing function whose derivative is stated.
    jvp : callable, optional
        ``jvp(*inputs, *tangents, **attributes)`` gives a tangent per result, for forward mode; a
        tangent is None where it is zero. Without it the closure is transposed.
    **options : object
        `first_order_only`: second derivatives are refused with BarrierError. `surrogate`: the
        gradient is deliberately not the forward's derivative. `complex`: the closure holds for complex
        values too, as the transpose of the derivative, without a conjugate. `recompute`: names of
        intermediates to compute again in the closure. `save`: names of intermediates to save, where a
        kernel would compute them again. `nondifferentiable`: indexes of results without a gradient.

    Returns
    -------
    Formula or callable
        The operator, or a decorator where options or a target were given.

    Raises
    ------
    TypeError
        An option that there is not.

    Examples
    --------
    >>> import pullback as pb
    >>> @pb.formula
    ... def twice(x):
    ...     def twice_pullback(grad):
    ...         return 2 * grad
    ...     return 2 * x, twice_pullback
    """
    if target is not None and not options and jvp is None and _is_plain(target):
        return _register(Formula(target, Options()), target, None)

    def decorate(function: Function) -> Formula:
        return _register(Formula(function, Options(**options), jvp=jvp), function, target)

    return decorate


class CompositeDecorator(Protocol):
    """Makes a composite of the function that it decorates."""

    def __call__(self, function: Callable[Q, S], /) -> Composite[Q, S]: ...


def composite(target: Function) -> CompositeDecorator:
    """Decorate a plain function of differentiable operators that stands for `target` (``np.var``).

    Parameters
    ----------
    target : callable
        The function that is stood for, as ``np.var``.

    Returns
    -------
    callable
        The decorator.

    Examples
    --------
    >>> import numpy as np
    >>> import pullback as pb
    >>> def energy(x):
    ...     return float(np.linalg.norm(x)) ** 2
    >>> @pb.composite(energy)
    ... def recorded_energy(x):
    ...     return np.sum(x * x)
    >>> x = pb.tensor([1.0, 2.0], requires_grad=True)
    >>> pb.grad(pb.formulas()[energy](x), x)
    (tensor([2., 4.]),)
    """

    def decorate(function: Callable[Q, S], /) -> Composite[Q, S]:
        made: Composite[Q, S] = Composite(function)
        FORMULAS.register(made, function, target)
        return made

    return decorate


def derive_pullback(function: Callable[Q, S]) -> Formula[Q, S]:
    """A formula of a function that has no closure: its reverse sweep, derived from its text.

    Parameters
    ----------
    function : callable
        A plain function in the formula language, without a closure.

    Returns
    -------
    Formula
        Right to every order, as one that is written.

    Raises
    ------
    FormulaError
        At the first call, where the text can't be differentiated.

    Examples
    --------
    >>> import numpy as np, pullback as pb
    >>> def area(r):
    ...     return np.pi * r * r
    >>> circle = pb.derive_pullback(area)
    """
    return derived(function)


def _is_plain(target: Any) -> bool:
    """True for a function that is no operator of the vocabulary: a bare ``@pb.formula`` decorates it."""
    module = str(getattr(target, "__module__", ""))
    known = module.startswith(("numpy", "scipy", "pullback.engine"))
    return FORMULAS.info_of(target) is None and hasattr(target, "__code__") and not known


def _register(made: Formula, function: Function, target: Function | None) -> Formula:
    FORMULAS.register(made, function, target)
    return made
