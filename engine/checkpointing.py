"""`pb.checkpoint`: keep the inputs of a function, not its intermediates, and compute it again later.

The call is one node of the graph. Its derivative runs the function again on the
saved inputs, recorded this time, and takes the gradient of that. With
`create_graph` the inputs are part of the graph then, and so is all that is
computed of them; nothing else is special about higher derivatives or nesting.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from ..transpile.ir import Param, Var
from . import dispatch
from .call import call
from .dispatch import Engine, engine_of, tensors_in
from .errors import NotDifferentiableError
from .functional import grad
from .grad_mode import is_grad_enabled, set_grad_enabled
from .operator import Variant
from .random_state import RandomState


def checkpoint(function: Callable[..., Any], *inputs: Any, **kwargs: Any) -> Any:
    """Call ``function(*inputs, **kwargs)``; its intermediates are let go, and computed again in the backward.

    function  computes a tensor, or a tuple of them, of the tensors among its arguments
    inputs    tensors, also in lists and tuples, and anything else, which is passed on
    kwargs    likewise

    Every tensor that requires grad must be an argument: one that the function
    reaches in another way raises NotDifferentiableError. NumPy's global random
    state, and that of each `np.random.Generator` among the arguments, is the
    same in both runs. TypeError where the function returns no tensor.

    >>> import numpy as np, pullback as pb
    >>> x = pb.tensor([0.0, 1.0], requires_grad=True)
    >>> y = pb.checkpoint(lambda x: np.exp(np.sin(x)) * x, x)
    >>> pb.grad(y.sum(), x)[0].shape
    (2,)
    """
    values = (*inputs, *kwargs.values())
    tensors = list(tensors_in(values))
    if not is_grad_enabled() or not any(tensor.requires_grad for tensor in tensors):
        return function(*inputs, **kwargs)
    engine = engine_of(*tensors)
    assert engine is not None
    arguments = _replaced((inputs, kwargs), iter(map(_Place, range(len(tensors)))))
    requires = tuple(tensor.requires_grad for tensor in tensors)
    run = _Run(engine, function, arguments, requires, RandomState(values))
    results, several = run.first([tensor.detach() for tensor in tensors])
    operator = _operator(len(results), several)
    return engine.apply(operator, (tensors,), {"run": run, "results": results})


class _Place(NamedTuple):
    """Stands for a tensor among the arguments."""

    position: int


def _replaced(value: Any, tensors: Iterator[Any]) -> Any:
    """The arguments with these in the place of tensors, one after the other."""
    if isinstance(value, dict):
        return {key: _replaced(item, tensors) for key, item in value.items()}
    if type(value) in (list, tuple):
        return type(value)(_replaced(item, tensors) for item in value)
    return next(tensors) if engine_of(value) is not None else value


def _filled(value: Any, tensors: Sequence[Any]) -> Any:
    """The arguments with tensors in their places again."""
    if isinstance(value, dict):
        return {key: _filled(item, tensors) for key, item in value.items()}
    if type(value) in (list, tuple):
        return type(value)(_filled(item, tensors) for item in value)
    return tensors[value.position] if isinstance(value, _Place) else value


class _Run(NamedTuple):
    """A call that can be repeated: the function, its arguments without their tensors, the random state."""

    engine: Engine
    function: Callable[..., Any]
    arguments: Any
    requires: tuple[bool, ...]
    random: RandomState

    def first(self, tensors: Sequence[Any]) -> tuple[list[Any], bool]:
        """The results as arrays, nothing recorded, and whether they are several."""
        with set_grad_enabled(False), _nothing_from_outside(self):
            results, several = self._call(tensors)
        for result in results:
            if result.requires_grad:
                raise _from_outside(result)
        return [result._array for result in results], several

    def again(self, tensors: Sequence[Any]) -> list[Any]:
        """The results, recorded."""
        with set_grad_enabled(True), self.random.restored():
            return self._call(tensors)[0]

    def _call(self, tensors: Sequence[Any]) -> tuple[list[Any], bool]:
        inputs, kwargs = _filled(self.arguments, tensors)
        returned = self.function(*inputs, **kwargs)
        several = isinstance(returned, (tuple, list))
        results = list(returned) if several else [returned]
        for result in results:
            if engine_of(result) is not self.engine:
                raise TypeError(
                    "pb.checkpoint takes functions that return a tensor or a tuple of tensors, and "
                    f"{getattr(self.function, '__name__', 'this one')} returned a {type(result).__name__}"
                )
        return results, several

    def gradients(self, inputs: Sequence[Any], cotangents: Sequence[Any]) -> list[Any]:
        """Gradients of the inputs, in their form: arrays, or tensors that are part of a graph."""
        record = engine_of(*inputs, *cotangents) is not None
        tensors = [self._leaf(value, wanted) for value, wanted in zip(inputs, self.requires, strict=True)]
        leaves = [tensor for tensor, wanted in zip(tensors, self.requires, strict=True) if wanted]
        pairs = [
            (result, cotangent)
            for result, cotangent in zip(self.again(tensors), cotangents, strict=True)
            if cotangent is not None and result.requires_grad
        ]
        if not pairs:
            return [None] * len(tensors)
        outputs, seeds = zip(*pairs, strict=True)
        found = iter(grad(outputs, leaves, seeds, create_graph=record, allow_unused=True))
        gradients = [next(found) if wanted else None for wanted in self.requires]
        return gradients if record else [None if g is None else g._array for g in gradients]

    def _leaf(self, value: Any, wanted: bool) -> Any:
        """A saved input to compute with; its gradient is its own, not that of what it came from."""
        if engine_of(value) is None:
            tensor = self.engine.from_numpy(np.asarray(value))
            return tensor.requires_grad_() if wanted else tensor
        with set_grad_enabled(True):
            return call("positive", value) if wanted else value


class _Checkpoint:
    """The operator of all checkpoints with so many results; the engines see it as a promoted formula."""

    name = "checkpoint"
    inputs = (Param(Var("inputs", "list")),)
    attributes = (
        Param(Var("run", "value"), attribute=True),
        Param(Var("results", "value"), attribute=True),
    )
    n_hidden = 0
    n_plain = 1
    plain_views = False
    nondifferentiable: frozenset[int] = frozenset()
    barrier = None
    span = "pb.checkpoint"
    saved = (("input", 0, "inputs"), ("plain", 0, "run"))

    def __init__(self, n_results: int, several: bool) -> None:
        self.n_results = n_results
        self.result_is_tuple = several

    def bind(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Inputs and attributes as they were given."""
        return tuple(args), dict(kwargs)

    def forward(self, inputs: Sequence[Any], attributes: Mapping[str, Any]) -> tuple[Any, ...]:
        """The results, which `checkpoint` computed already, and what it takes to compute them again."""
        return (*attributes["results"], attributes["run"])

    def backward(self, defined: tuple[bool, ...], needed: tuple[bool, ...]) -> Variant:
        """The derivative: the same for every pattern."""
        return Variant(_derivative, (0, 1), ())


def _derivative(saved: Sequence[Any], cotangents: Sequence[Any]) -> tuple[Any, ...]:
    inputs, run = saved
    return (run.gradients(inputs, cotangents),)


@cache
def _operator(n_results: int, several: bool) -> _Checkpoint:
    return _Checkpoint(n_results, several)


_WATCHED: ContextVar[_Run | None] = ContextVar("pullback_checkpoint", default=None)


@contextmanager
def _nothing_from_outside(run: _Run) -> Iterator[None]:
    """Raise where an operator, with recording off, is called on a tensor that requires grad."""

    def observe(operator: Any, inputs: Sequence[Any], attributes: Any, results: Any) -> None:
        if _WATCHED.get() is run and not is_grad_enabled():
            for tensor in tensors_in(inputs):
                if tensor.requires_grad:
                    raise _from_outside(tensor)

    token = _WATCHED.set(run)
    try:
        with dispatch.observing(observe):
            yield
    finally:
        _WATCHED.reset(token)


def _from_outside(tensor: Any) -> NotDifferentiableError:
    name = f" {tensor.name!r}" if tensor.name else ""
    return NotDifferentiableError(
        f"pb.checkpoint: the function uses a tensor{name} of shape {tensor.shape} that requires grad and is "
        "not among its arguments, so no gradient would reach it; pass it as an argument, or x.detach() where "
        "none is meant"
    )
