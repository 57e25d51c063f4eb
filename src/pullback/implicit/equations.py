"""Roots, fixed points and minimizers, by the implicit function theorem.

Where F(x, a) = 0 defines x by a, dx = -J^-1 (dF/da) da with J = dF/dx: for a cotangent g of x the cotangents
of a are those of F with -J^-T g. S. G. Krantz and H. R. Parks, "The Implicit Function Theorem" (2002).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .. import numpy as pnp
from ..engine.core.dispatch import engine_of
from ..engine.func.trees import flattened
from ..engine.transforms.jacobian import jacobian
from ..engine.transforms.vector_products import vjp
from .operator import Arguments, Solution, applied, plain

Function = Callable[..., Any]
_POLISHED = 1e-7  # the size of a last Newton step, relative to the solution's


def root(
    fun: Function, x0: Any, args: tuple[Any, ...] = (), *, method: str = "hybr", tol: float | None = None,
    options: dict[str, Any] | None = None,
) -> Any:  # fmt: skip
    """A root of a function, as `scipy.optimize.root`, with derivatives by its arguments.

    Parameters
    ----------
    fun : callable
        ``fun(x, *args)``, of the shape of x, written with tensors' functions.
    x0 : array_like
        Where the search begins. It has no gradient.
    args : tuple
        What the root depends on: tensors, also in lists, tuples and dicts, and anything else.
    method, tol, options
        As SciPy takes them. The Jacobian is that of `fun`. The root is polished by Newton's method.

    Returns
    -------
    tensor or array
        The root, of the shape of x0 and float64: a tensor where there are tensors among `args`.

    Raises
    ------
    RuntimeError
        The solver did not find a root.
    numpy.linalg.LinAlgError
        The Jacobian is singular there, so that the root is no function of the arguments.
    NotDifferentiableError
        `fun` closes over a tensor that requires grad; it belongs into `args`.
    ValueError
        `fun` returns another shape than that of x0.

    Examples
    --------
    >>> import numpy as np, pullback as pb
    >>> a = pb.tensor([1.0, 4.0], requires_grad=True)
    >>> x = pb.implicit.root(lambda x, a: x * x - a, np.ones(2), (a,))
    >>> pb.grad(x.sum(), a)[0].numpy().round(6)
    array([0.5 , 0.25])
    """
    start, arguments = _start(x0, "root"), Arguments(args, "root")

    def flat(x: Any) -> Any:
        return _residual(fun, arguments, x.reshape(start.shape)).reshape(-1)

    def slope(x: Any) -> Any:
        return _slope(fun, arguments, x.reshape(start.shape))

    exact = {"jac": slope} if method in ("hybr", "lm") else {}
    found = _scipy().root(flat, start.reshape(-1), method=method, tol=tol, options=options, **exact)
    why = "" if found.success else str(found.message)
    return _solution(fun, arguments, found.x.reshape(start.shape), why, "root")


def fixed_point(
    func: Function, x0: Any, args: tuple[Any, ...] = (), *, xtol: float = 1e-8, maxiter: int = 500,
    method: str = "del2",
) -> Any:  # fmt: skip
    """A fixed point of a function, as `scipy.optimize.fixed_point`, with derivatives by its other arguments.

    func(x, *args) has the shape of x; all else is as in `root`. RuntimeError where the iteration does not
    come to an end.

    >>> import numpy as np, pullback as pb
    >>> a = pb.tensor(0.5, requires_grad=True)
    >>> x = pb.implicit.fixed_point(lambda x, a: a * np.cos(x), 0.5, (a,))
    >>> round(x.item(), 4), round(pb.grad(x, a)[0].item(), 4)
    (0.4502, 0.7395)
    """
    start, arguments = _start(x0, "fixed_point"), Arguments(args, "fixed_point")

    def away(x: Any, *given: Any) -> Any:
        return func(x, *given) - x

    def value(x: Any) -> Any:
        return _residual(func, arguments, x)

    found = _scipy().fixed_point(value, start, xtol=xtol, maxiter=maxiter, method=method)
    return _solution(away, arguments, np.asarray(found), "", "fixed_point")


def minimize(
    fun: Function, x0: Any, args: tuple[Any, ...] = (), *, method: str = "BFGS", tol: float | None = None,
    options: dict[str, Any] | None = None,
) -> Any:  # fmt: skip
    """The minimizer of a function, as `scipy.optimize.minimize`, with derivatives by its arguments.

    fun(x, *args) is a single value; all else is as in `root`, applied to its gradient. `method` is one that
    takes a gradient and no bounds: where a bound holds, the minimizer is no root of the gradient. Derivatives
    are of the minimizer that was found, which may be a local one. LinAlgError where the Hessian there is not
    positive definite.

    >>> import numpy as np, pullback as pb
    >>> a = pb.tensor([1.0, 2.0], requires_grad=True)
    >>> x = pb.implicit.minimize(lambda x, a: np.sum((x - a) ** 2) + np.sum(x**2), np.zeros(2), (a,))
    >>> x.detach().numpy().round(6), pb.grad(x[0], a)[0].numpy().round(6)
    (array([0.5, 1. ]), array([0.5, 0. ]))
    """
    if method not in _BY_GRADIENT:
        raise ValueError(f"minimize: method is one of {', '.join(_BY_GRADIENT)}, not {method!r}")
    start, arguments = _start(x0, "minimize"), Arguments(args, "minimize")

    def slope(x: Any, *given: Any) -> Any:
        recorded = engine_of(x, *flattened(given)[0]) is not None
        return vjp(lambda x: fun(x, *given), x, create_graph=recorded)[1]

    def value_and_slope(x: Any) -> tuple[Any, Any]:
        x = x.reshape(start.shape)
        value = arguments.value(fun, x)
        if value.size != 1:
            raise ValueError(f"minimize: fun returns a single value, not shape {value.shape}")
        return value.item(), plain(vjp(lambda x: fun(x, *arguments.arrays), x)[1]).reshape(-1)

    found = _scipy().minimize(
        value_and_slope, start.reshape(-1), jac=True, method=method, tol=tol, options=options
    )
    x = found.x.reshape(start.shape)
    why = "" if found.success else str(found.message)
    return _solution(slope, arguments, x, why, "minimize", least=True)


_BY_GRADIENT = ("BFGS", "CG", "L-BFGS-B", "Newton-CG", "TNC", "SLSQP", "trust-constr")


def _scipy() -> Any:
    """SciPy's solvers, which are slow to import; as Any: they check what they are called with."""
    from scipy import optimize

    return optimize


def _start(x0: Any, name: str) -> Any:
    """The start of a search, as an array of float64."""
    start = np.asarray(plain(x0), np.float64)
    if not start.size:
        raise ValueError(f"{name} takes an x0 with entries, not of shape {start.shape}")
    return start


def _residual(fun: Function, arguments: Arguments, x: Any) -> Any:
    found = arguments.value(fun, x)
    if found.shape != x.shape:
        raise ValueError(
            f"{arguments.name}: the function returns shape {found.shape} for an x of shape {x.shape}"
        )
    return found


def _slope(fun: Function, arguments: Arguments, x: Any) -> Any:
    """The Jacobian of the function by x, a matrix."""
    return plain(jacobian(lambda x: fun(x, *arguments.arrays), x)).reshape(x.size, x.size)


def _solution(
    fun: Function, arguments: Arguments, x: Any, why: str, name: str, least: bool = False
) -> Any:  # fmt: skip
    """A root of the function: polished by Newton's method, checked, and recorded.

    `why` is what the solver says where it did not converge.
    """
    step = math.inf
    for _ in range(3):
        matrix = _slope(fun, arguments, x)
        if least:
            _expect_definite(matrix)
        try:
            away = np.linalg.solve(matrix, _residual(fun, arguments, x).reshape(-1)).reshape(x.shape)
        except np.linalg.LinAlgError:
            if why:
                break
            raise np.linalg.LinAlgError(
                f"{name}: the Jacobian is singular at the solution, which is no function of the arguments"
            ) from None
        step = np.max(np.abs(away)) / (1 + np.max(np.abs(x)))
        if not step < 1:  # also for NaN
            break
        x = x - away
    if not step < _POLISHED:
        raise RuntimeError(f"{name} did not converge: {why or 'a Newton step leads away from the result'}")

    def gradients(
        given: Sequence[Any], solution: Any, cotangent: Any, needed: Sequence[bool], recorded: bool
    ) -> Sequence[Any]:
        matrix = jacobian(lambda x: fun(x, *arguments.with_(given)), solution, create_graph=recorded)
        matrix = pnp.reshape(matrix, (x.size, x.size))
        weights = -pnp.linalg.solve(pnp.matrix_transpose(matrix), pnp.reshape(cotangent, (x.size,)))
        wanted = tuple(value for value, need in zip(given, needed, strict=True) if need)

        def by_arguments(*chosen: Any) -> Any:
            rest = iter(chosen)
            every = [next(rest) if need else value for value, need in zip(given, needed, strict=True)]
            return fun(solution, *arguments.with_(every))

        _, found = vjp(by_arguments, wanted, pnp.reshape(weights, x.shape), create_graph=recorded)
        rest = iter(found)
        return [next(rest) if need else None for need in needed]

    return applied(Solution(name, len(arguments.tensors), x, gradients), arguments.tensors)


def _expect_definite(matrix: Any) -> None:
    try:
        np.linalg.cholesky((matrix + matrix.T) / 2)
    except np.linalg.LinAlgError:
        raise np.linalg.LinAlgError(
            "minimize: the Hessian is not positive definite where the search ended, so that the minimizer is "
            "no function of the arguments there"
        ) from None
