"""Comparing derivatives with finite differences, order by order.

At order k the difference is taken of the analytic derivative of order k - 1, of the function between a curved
head and a curved tail: see `probe`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ..core.errors import GradcheckError
from ..core.foreign import refuse_foreign_function
from ..core.grad_mode import recording
from .probe import (
    Probe,
    derivatives,
    difference,
    half_difference,
    point_of,
    probes,
    size_of,
    step_of,
    value_at,
)


def gradcheck(
    function: Callable[..., Any],
    *inputs: Any,
    order: int = 2,
    rtol: float = 1e-5,
    atol: float = 1e-6,
    float32: bool = False,
    seed: int = 0,
) -> bool:
    """Compare the derivatives of a function up to `order` with central differences.

    Of several results each is also checked alone, with the gradients of the others undefined. A gradient is
    compared along one random direction, and element by element where that disagrees.

    Parameters
    ----------
    function : callable
        Of tensors, returning a tensor or several.
    *inputs : array_like
        Those of a float or complex dtype are differentiated, in float64 or complex128. One tuple is all
        of them, as in torch.
    order : int, optional
        The highest derivative to check.
    rtol : float, optional
        The allowed difference relative to the largest entry of a gradient.
    atol : float, optional
        The allowed difference besides.
    float32 : bool, optional
        Also compare what float32 inputs give with float64.
    seed : int, optional
        Of the random directions.

    Returns
    -------
    bool
        True, where all agrees.

    Raises
    ------
    GradcheckError
        Says by how much a derivative is off, at which order, and for which element of which input; and where
        the function has a kink or a jump there.
    ValueError
        For an order below 1.
    TypeError
        For a function of PyTorch or JAX.

    Examples
    --------
    >>> import numpy as np, pullback as pb
    >>> pb.gradcheck(np.tanh, np.linspace(-1.0, 1.0, 5), order=3)
    True
    """
    if order < 1:
        raise ValueError(f"order counts from 1, and is {order!r}")
    if len(inputs) == 1 and isinstance(inputs[0], tuple):
        (inputs,) = inputs
    refuse_foreign_function(function)
    compare(function, inputs, names_of(function), order, rtol, atol, float32, seed)
    return True


def compare(
    function: Callable[..., Any],
    inputs: Sequence[Any],
    names: Sequence[str],
    order: int,
    rtol: float = 1e-5,
    atol: float = 1e-6,
    float32: bool = False,
    seed: int = 0,
) -> None:
    """`gradcheck` of inputs that have names. Raises GradcheckError."""
    rng = np.random.default_rng(seed)
    with recording():
        for probe in probes(Probe(function, [point_of(value) for value in inputs], rng, names)):
            worst = _differences(probe, order, rtol, atol)
            if worst is not None:
                raise worst
            if float32:
                _precision(probe, order)


def names_of(function: Callable[..., Any]) -> list[str]:
    """The names of a function's positional parameters, as far as they are known."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return []
    return [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]


def _differences(probe: Probe, order: int, rtol: float, atol: float) -> GradcheckError | None:
    """The largest disagreement at the lowest order that has one."""
    for k in range(1, order + 1):
        analytic = {i: gradient for i, gradient in enumerate(derivatives(probe, k)) if gradient is not None}
        tolerances = {i: atol + rtol * size_of(gradient) for i, gradient in analytic.items()}
        if _agree_along(probe, analytic, k - 1, tolerances):
            continue
        worst: tuple[float, GradcheckError] | None = None
        for i, gradient in analytic.items():
            allowed = tolerances[i]
            alone = {i: gradient}
            if len(analytic) > 1 and gradient.size > 1 and _agree_along(probe, alone, k - 1, tolerances):
                continue
            for index in np.ndindex(gradient.shape):
                numeric = difference(probe, i, _unit(gradient.shape, index), k - 1)
                error = abs(float(gradient[index]) - numeric)
                if error <= allowed:
                    continue
                error = error if np.isfinite(error) else -1.0  # a number tells more than a NaN
                if worst is None or error > worst[0]:
                    note = _corner(probe, i, _unit(gradient.shape, index), k - 1)
                    note = note or (_symmetric(probe, i, gradient, index) if k == 1 else "")
                    found = _disagreement(
                        probe, "finite differences give", k, i, index, gradient[index], numeric, note
                    )
                    worst = error, found
        if worst is not None:
            return worst[1]
    return None


def _corner(probe: Probe, i: int, direction: Any, order: int) -> str:
    """A sentence for a point at which the differences to both sides are not the same."""
    step = step_of(probe.points[i], direction)
    here = value_at(probe, {}, order)
    left = (here - value_at(probe, {i: -step * direction}, order)) / step
    right = (value_at(probe, {i: step * direction}, order) - here) / step
    if abs(right - left) <= 0.1 * max(abs(left), abs(right), 1e-2):
        return ""
    return (
        f". Over {step:.2g} to the left it is {left:.3g} and to the right {right:.3g}: a kink, a jump, an "
        "end of the domain, or the function varies faster"
    )


def _symmetric(probe: Probe, i: int, gradient: Any, index: tuple[int, ...]) -> str:
    """A sentence for an element whose first derivative agrees together with the one across the diagonal."""
    other = (*index[:-2], *index[:-3:-1])
    if len(index) < 2 or other == index or gradient.shape[-1] != gradient.shape[-2]:
        return ""
    both = (_unit(gradient.shape, index) + _unit(gradient.shape, other)) / probe.slopes(i)
    expected = float(np.vdot(gradient, both))
    if abs(difference(probe, i, both, 0) - expected) > 1e-5 * max(1.0, abs(expected)):
        return ""
    return (
        f". Together with element {other} it agrees, as where the matrix stays symmetric: check it as a "
        "function of `(a + a.T) / 2`"
    )


def _unit(shape: tuple[int, ...], index: tuple[int, ...]) -> Any:
    direction = np.zeros(shape)
    direction[index] = 1.0
    return direction


def _agree_along(
    probe: Probe, gradients: Mapping[int, Any], order: int, tolerances: Mapping[int, float]
) -> bool:
    """True where the gradients by these inputs agree with the difference along one random direction.

    Each element has at least half a step in it, so that none that is wrong is lost; errors of several that
    cancel in it have probability zero.
    """
    if not gradients:
        return True
    moves = {i: step_of(probe.points[i], probe.ways[i]) * probe.ways[i] for i in gradients}
    expected = sum(float(np.vdot(gradient, moves[i])) for i, gradient in gradients.items())
    allowed = min(tolerances[i] * step_of(probe.points[i], probe.ways[i]) for i in gradients) / 2
    return bool(abs(half_difference(probe, moves, order) - expected) <= allowed)


def _precision(probe: Probe, order: int, rtol: float = 1e-3) -> None:
    """Raise where float32 inputs give something else than float64."""
    for k in range(1, order + 1):
        pairs = zip(derivatives(probe, k), derivatives(probe, k, np.float32), strict=True)
        for i, (double, single) in enumerate(pairs):
            if double is None:
                continue
            allowed = rtol * max(1.0, float(np.max(np.abs(double), initial=0.0)))
            for index in np.ndindex(double.shape):
                if not abs(double[index] - single[index]) <= allowed:
                    raise _disagreement(probe, "in float32 it is", k, i, index, double[index], single[index])


def _disagreement(
    probe: Probe,
    what: str,
    order: int,
    i: int,
    index: tuple[int, ...],
    analytic: Any,
    numeric: Any,
    note: str = "",
) -> GradcheckError:
    i, part = probe.parts.place(i)
    named = f" (`{probe.names[i]}`)" if i < len(probe.names) else ""
    numeric = float(numeric)
    return GradcheckError(
        f"the derivative of order {order} by {part}input {i}{named} is {float(analytic):.8g} at element "
        f"{index}, and {what} {numeric:.8g}: off by {abs(float(analytic) - numeric):.3g}{note}",
        order=order,
        input=i,
        index=index,
        analytic=float(analytic),
        numeric=numeric,
    )
