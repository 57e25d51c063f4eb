"""The operator of a solution: its value is known before the call, its derivative is written with others."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ..engine.core.dispatch import engine_of
from ..engine.core.errors import NotDifferentiableError
from ..engine.core.operator import Saved, Variant
from ..engine.func.trees import flattened, rebuilt
from ..transpile.ir import Param, Span, Var

# gradients(arguments, solution, cotangent, needed, recorded): one for each argument, None where not needed
Gradients = Callable[[Sequence[Any], Any, Any, Sequence[bool], bool], Sequence[Any]]


class Solution:
    """An operator as the engines run it (`engine.core.operator`), of the arguments of one call of a solver.

    It saves the arguments and the solution. Where a backward is recorded the solution is connected to this
    operator again, so that higher derivatives need nothing else.
    """

    attributes: tuple[Param, ...] = ()
    n_results = 1
    n_hidden = 0
    n_plain = 0
    result_is_tuple = False
    nondifferentiable: frozenset[int] = frozenset()
    barrier = None
    complex = False
    plain_views = False
    span = Span("a solver", 1, 1, 1, 1)

    def __init__(self, name: str, count: int, value: Any, gradients: Gradients) -> None:
        self.name = name
        self.inputs = tuple(Param(Var(f"argument_{i}")) for i in range(count))
        self.saved = (
            *(Saved("input", i, f"argument_{i}") for i in range(count)),
            Saved("output", 0, "result"),
        )
        self._value = value
        self._gradients = gradients

    def bind(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments as they were given."""
        return tuple(args), dict(kwargs)

    def forward(self, inputs: Sequence[Any], attributes: Mapping[str, Any]) -> tuple[Any, ...]:
        """The solution."""
        return (self._value,)

    def backward(self, defined: tuple[bool, ...], needed: tuple[bool, ...]) -> Variant:
        """The gradients of the arguments that need one."""

        def call(saved: Sequence[Any], cotangents: Sequence[Any]) -> tuple[Any, ...]:
            *arguments, solution = saved
            recorded = engine_of(*saved, *cotangents) is not None
            found = self._gradients(arguments, solution, cotangents[0], needed, recorded)
            return tuple(found) if recorded else tuple(map(plain, found))

        return Variant(call, tuple(range(len(self.saved))), ())


def plain(value: Any) -> Any:
    """A value as an array, without history; None as it is."""
    return (
        value if value is None else np.asarray(value.detach().numpy() if hasattr(value, "detach") else value)
    )


class Arguments:
    """The arguments that a solver hands on to a function, tensors anywhere in lists, tuples and dicts.

    `tensors` are those among them; `arrays` are all, as arrays; `with_(tensors)` are all with others in
    their places. NotDifferentiableError for a function that closes over a tensor that requires grad.
    """

    def __init__(self, given: Any, name: str) -> None:
        if not isinstance(given, (tuple, list)):
            raise TypeError(f"{name}: args is a tuple, not {type(given).__name__}: write args=(a,)")
        self._leaves, self._structure = flattened(tuple(given))
        self._places = [i for i, leaf in enumerate(self._leaves) if engine_of(leaf) is not None]
        self.name = name
        self.tensors = [self._leaves[i] for i in self._places]
        self.arrays = self.with_([plain(tensor) for tensor in self.tensors])

    def with_(self, values: Sequence[Any]) -> tuple[Any, ...]:
        """All arguments, with these in the place of the tensors."""
        leaves = list(self._leaves)
        for place, value in zip(self._places, values, strict=True):
            leaves[place] = value
        found: tuple[Any, ...] = rebuilt(self._structure, leaves)
        return found

    def value(self, function: Callable[..., Any], *before: Any) -> Any:
        """An array: the function of other arguments before, and of these as arrays."""
        result = function(*before, *self.arrays)
        if getattr(result, "requires_grad", False):
            raise NotDifferentiableError(
                f"{self.name}: {getattr(function, '__name__', 'the function')} closes over a tensor that "
                "requires grad, whose gradient would be lost: hand it over in args"
            )
        return np.asarray(plain(result), np.float64)


def applied(operator: Solution, tensors: Sequence[Any]) -> Any:
    """The solution, recorded where there are tensors."""
    engine = engine_of(*tensors)
    return operator.forward((), {})[0] if engine is None else engine.apply(operator, tuple(tensors), {})
