"""`pb.register_multi_grad_hook`: one function for the gradients of several tensors."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from typing import Any, Literal

from .backward_pass import BackwardPass
from .dispatch import engine_of
from .errors import NotDifferentiableError
from .hooks import HookHandle


class MultiHookHandle:
    """Removes a hook from all the tensors that it was registered on. Also a context manager."""

    __slots__ = ("_handles",)

    def __init__(self, handles: Sequence[HookHandle]) -> None:
        self._handles = tuple(handles)

    def remove(self) -> None:
        """Take the hook away; a second call does nothing."""
        for handle in self._handles:
            handle.remove()

    def __enter__(self) -> MultiHookHandle:
        return self

    def __exit__(self, *error: object) -> None:
        self.remove()


def register_multi_grad_hook(
    tensors: Sequence[Any], fn: Callable[[Any], None], *, mode: Literal["all", "any"] = "all"
) -> MultiHookHandle:
    """Call `fn` once in each backward that gives these tensors gradients.

    A tensor's own hooks that were registered before run before it.

    Parameters
    ----------
    tensors : sequence of Tensor
        Tensors that require grad.
    fn : callable
        Takes the gradients, or the first of them.
    mode : {"all", "any"}, optional
        "all": ``fn(gradients)`` when the last of them is known, a list with None for a tensor that
        this backward doesn't come to. "any": ``fn(gradient)`` with the first one that is known.

    Returns
    -------
    MultiHookHandle
        Its `remove()` takes the hook away.

    Raises
    ------
    NotDifferentiableError
        A tensor that doesn't require grad.

    Examples
    --------
    >>> import pullback as pb
    >>> a, b = (pb.tensor(value, requires_grad=True) for value in (2.0, 3.0))
    >>> handle = pb.register_multi_grad_hook([a, b], lambda grads: print([g.item() for g in grads]))
    >>> (a * b).backward()
    [3.0, 2.0]
    """
    if mode not in ("all", "any"):
        raise ValueError(f"mode is 'all' or 'any', not {mode!r}")
    for position, tensor in enumerate(tensors):
        if engine_of(tensor) is None:
            raise TypeError(f"hooks are for tensors, and number {position} is a {type(tensor).__name__}")
        if not tensor.requires_grad:
            raise NotDifferentiableError(f"a hook needs tensors that require grad; number {position} doesn't")
    call = _All(tensors, fn) if mode == "all" else _Any(fn)
    return MultiHookHandle(
        [tensor.register_hook(_inner(engine_of(tensor), call, i)) for i, tensor in enumerate(tensors)]
    )


def _inner(engine: Any, call: Any, position: int) -> Callable[[Any], None]:
    def hook(gradient: Any) -> None:
        running = engine.current_pass()
        assert running is not None, "hooks are called by a backward"
        call(running, position, gradient)

    return hook


class _Any:
    """Calls the function with the first gradient of a backward."""

    def __init__(self, fn: Callable[[Any], None]) -> None:
        self._fn = fn

    def __call__(self, running: BackwardPass, position: int, gradient: Any) -> None:
        if self not in running.scratch:
            running.scratch[self] = True
            self._fn(gradient)


class _All:
    """Calls the function when every tensor that the backward comes to has its gradient.

    Tensors are known weakly: their hooks know this, and none may keep the others alive.
    """

    def __init__(self, tensors: Sequence[Any], fn: Callable[[Any], None]) -> None:
        self._places = [weakref.ref(t if t.grad_fn is None else t.grad_fn) for t in tensors]
        self._fn = fn

    def __call__(self, running: BackwardPass, position: int, gradient: Any) -> None:
        if self not in running.scratch:
            expected = {i for i, place in enumerate(self._places) if running.executes(place())}
            running.scratch[self] = expected, [None] * len(self._places)
        expected, gradients = running.scratch[self]
        gradients[position] = gradient
        expected.discard(position)
        if not expected:
            del running.scratch[self]
            self._fn(gradients)
