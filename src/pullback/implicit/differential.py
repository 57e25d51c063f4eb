"""Solutions of ordinary differential equations, by the adjoint equation.

For y' = f(y, t, a) and cotangents g_i of y(t_i), the adjoint w runs backwards: w' = -w^T df/dy, and gains g_i
at t_i; the cotangent of a is the integral of w^T df/da. L. S. Pontryagin and others, "The Mathematical Theory
of Optimal Processes" (1962); R. T. Q. Chen and others, "Neural Ordinary Differential Equations" (2018).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .. import numpy as pnp
from ..engine.core.dispatch import engine_of
from ..engine.transforms.vector_products import vjp
from .operator import Arguments, Solution, applied

Function = Callable[..., Any]


def odeint(
    func: Function, y0: Any, t: Any, args: tuple[Any, ...] = (), *, rtol: float = 1e-9, atol: float = 1e-9,
    mxstep: int = 5000,
) -> Any:  # fmt: skip
    """The solution of y' = func(y, t, *args) at times, as `scipy.integrate.odeint`, with derivatives.

    Parameters
    ----------
    func : callable
        ``func(y, t, *args)``, of the shape of y, written with tensors' functions; t is a number of one value.
    y0 : array_like or tensor
        The value at the first time, of any shape.
    t : array_like or tensor
        Times (T), one after the other, upwards or downwards.
    args : tuple
        What the equation depends on: tensors, also in lists, tuples and dicts, and anything else.
    rtol, atol, mxstep
        As SciPy takes them; the adjoint equation is solved to the same tolerances.

    Returns
    -------
    tensor or array
        The values at the times, (T, ...) of float64: a tensor where `y0`, `t` or `args` have one. Gradients
        reach all three.

    Raises
    ------
    RuntimeError
        The solver did not come to the last time.
    NotDifferentiableError
        `func` closes over a tensor that requires grad; it belongs into `args`.
    ValueError
        `func` returns another shape than that of y0; times do not run in one direction.

    Examples
    --------
    >>> import numpy as np, pullback as pb
    >>> k = pb.tensor(0.5, requires_grad=True)
    >>> y = pb.implicit.odeint(lambda y, t, k: -k * y, 1.0, np.array([0.0, 2.0]), (k,))
    >>> y[-1].item(), pb.grad(y[-1], k)[0].item()  # exp(-2 k) and its derivative -2 exp(-2 k)
    (0.36787..., -0.73575...)
    """
    arguments = Arguments((y0, t, tuple(args)), "odeint")
    start, times, _ = arguments.arrays
    start, times = np.asarray(start, np.float64), np.asarray(times, np.float64)
    steps = np.diff(times) if times.ndim == 1 else np.zeros(0)
    if times.ndim != 1 or not times.size or not (np.all(steps > 0) or np.all(steps < 0)):
        raise ValueError(f"odeint takes times (T) that run in one direction, not {times}")
    if not start.size:
        raise ValueError(f"odeint takes a y0 with entries, not of shape {start.shape}")
    inner = Arguments(tuple(args), "odeint")

    def flat(y: Any, time: float) -> Any:
        found = inner.value(func, y.reshape(start.shape), time)
        if found.shape != start.shape:
            raise ValueError(f"odeint: func returns shape {found.shape} for a y of shape {start.shape}")
        return found.reshape(-1)

    if times.size == 1:
        values = start[None]
    else:
        from scipy import integrate  # slow to import, and few need it

        found, report = integrate.odeint(
            flat, start.reshape(-1), times, rtol=rtol, atol=atol, mxstep=mxstep, full_output=True
        )
        if report["message"] != "Integration successful.":
            raise RuntimeError(f"odeint did not come to the last time: {report['message']}")
        values = found.reshape(times.size, *start.shape)

    solver = {"rtol": rtol, "atol": atol, "mxstep": mxstep}
    of_start, of_times = (engine_of(value) is not None for value in (y0, t))

    def gradients(
        tensors: Sequence[Any], solution: Any, cotangent: Any, needed: Sequence[bool], recorded: bool
    ) -> Sequence[Any]:
        _, whole, rest = arguments.with_(tensors)
        before = of_start + of_times
        start, times, found = _adjoint(
            func, inner, (whole, rest), tensors[before:], solution, cotangent, needed[before:], solver
        )
        leading = [start] * of_start + [pnp.stack(times)] * of_times
        return [value if need else None for value, need in zip((*leading, *found), needed, strict=True)]

    return applied(Solution("odeint", len(arguments.tensors), values, gradients), arguments.tensors)


def _adjoint(
    func: Function, inner: Arguments, whole: Sequence[Any], given: Sequence[Any], solution: Any,
    cotangent: Any, wanted: Sequence[bool], solver: dict[str, Any],
) -> tuple[Any, list[Any], list[Any]]:  # fmt: skip
    """The cotangents of y0, of each time, and of those of the given tensors that are wanted.

    `whole` are the times and all arguments, `given` those of the arguments that are tensors.
    """
    times, rest = whole
    shape, n = solution.shape[1:], int(np.prod(solution.shape[1:], dtype=int))
    chosen = [value for value, want in zip(given, wanted, strict=True) if want]

    def backwards(state: Any, time: Any, tensors: Sequence[Any]) -> Any:
        """The slopes of y, of the adjoint and of the integrals."""
        y, w = pnp.reshape(state[:n], shape), pnp.reshape(state[n : 2 * n], shape)
        picked = tuple(value for value, want in zip(tensors, wanted, strict=True) if want)

        def slope(y: Any, *chosen: Any) -> Any:
            return func(y, time, *inner.with_(_mixed(tensors, wanted, chosen)))

        recorded = engine_of(state, time, *tensors) is not None
        value, products = vjp(slope, (y, *picked), w, create_graph=recorded)
        return pnp.concatenate([pnp.reshape(value, (n,)), *(-pnp.reshape(x, (-1,)) for x in products)])

    last = len(solution) - 1
    w, of_times = cotangent[last], [0.0] * (last + 1)
    integrals = np.zeros(sum(value.size for value in chosen))
    for i in range(last, 0, -1):
        of_times[i] = of_times[i] + pnp.sum(cotangent[i] * func(solution[i], times[i], *rest))
        state = pnp.concatenate([pnp.reshape(solution[i], (n,)), pnp.reshape(w, (n,)), integrals])
        between = pnp.stack([times[i], times[i - 1]])
        state = odeint(backwards, state, between, (list(given),), **solver)[1]
        before, integrals = pnp.reshape(state[n : 2 * n], shape), state[2 * n :]
        if i == 1:
            of_times[0] = -pnp.sum(before * func(solution[0], times[0], *rest))
        w = before + cotangent[i - 1]
    parts, place = [], 0
    for value in chosen:
        parts.append(pnp.reshape(integrals[place : place + value.size], value.shape))
        place += value.size
    return w, of_times, _mixed([None] * len(given), wanted, parts)


def _mixed(values: Sequence[Any], wanted: Sequence[bool], chosen: Sequence[Any]) -> list[Any]:
    """The values with others in the place of those that are wanted."""
    rest = iter(chosen)
    return [next(rest) if want else value for value, want in zip(values, wanted, strict=True)]
