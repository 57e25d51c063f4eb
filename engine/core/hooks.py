"""Functions that are called with a gradient on its way, and how both engines call them.

In which order, as a backward comes to a node:

1. hooks on the tensors that are its outputs (`Tensor.register_hook`), in the order
   of their registration; then a retained gradient goes to the tensor's `grad`, and
   what `pb.grad` was asked for is taken;
2. hooks before the node (`grad_fn.register_prehook`);
3. the node runs: its derivative, or for a leaf the sum into `grad`, after which the
   hooks of `Tensor.register_post_accumulate_grad_hook` are called;
4. hooks after the node (`grad_fn.register_hook`); its gradients go on to older nodes.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from .dispatch import Engine, engine_of, mismatch
from .errors import GradientShapeError
from .matching import refuse_complex

Hook = Callable[..., Any]
_IDS = itertools.count()


class HookHandle:
    """A registered hook: `remove()` takes it away. Also a context manager."""

    __slots__ = ("_hooks", "_id")

    def __init__(self, hooks: dict[int, Hook], hook: Hook) -> None:
        if not callable(hook):
            raise TypeError(f"a hook is a function, not {type(hook).__name__}")
        self._hooks = hooks
        self._id = next(_IDS)
        hooks[self._id] = hook

    def remove(self) -> None:
        """Take the hook away; a second call does nothing."""
        self._hooks.pop(self._id, None)

    def __enter__(self) -> HookHandle:
        return self

    def __exit__(self, *error: object) -> None:
        self.remove()


def call_prehooks(
    hooks: Mapping[int, Hook], grad_outputs: tuple[Any, ...], likes: Sequence[tuple[Any, Any]]
) -> tuple[Any, ...]:
    """The gradients that a node runs with, after its hooks ``hook(grad_outputs)``.

    grad_outputs  a tensor per result, None where the gradient is undefined
    likes         shape and dtype of each
    """
    for hook in tuple(hooks.values()):
        grad_outputs = _replaced(hook(grad_outputs), grad_outputs, likes, "a hook before a node")
    return grad_outputs


def call_posthooks(
    hooks: Mapping[int, Hook],
    grad_inputs: tuple[Any, ...],
    grad_outputs: tuple[Any, ...],
    likes: Sequence[tuple[Any, Any]],
) -> tuple[Any, ...]:
    """The gradients that a node sends on, after its hooks ``hook(grad_inputs, grad_outputs)``."""
    for hook in tuple(hooks.values()):
        grad_inputs = _replaced(hook(grad_inputs, grad_outputs), grad_inputs, likes, "a hook after a node")
    return grad_inputs


def call_post_accumulate(hooks: Mapping[int, Hook], tensor: Any) -> None:
    """Call ``hook(tensor)`` of a leaf whose `grad` is up to date now."""
    for hook in tuple(hooks.values()):
        if hook(tensor) is not None:
            raise TypeError(
                "a hook after accumulation returns None: it may write to tensor.grad, and can't replace it"
            )


def _replaced(
    given: Any, before: tuple[Any, ...], likes: Sequence[tuple[Any, Any]], what: str
) -> tuple[Any, ...]:
    """The gradients that a hook returned in place of those that it got; None leaves them."""
    if given is None:
        return before
    if not isinstance(given, (tuple, list)):
        given = (given,)
    if len(given) != len(before):
        raise ValueError(f"{what} returned {len(given)} gradients in the place of {len(before)}")
    engine = engine_of(*before) or engine_of(*given)
    return tuple(_fitting(one, engine, like, what) for one, like in zip(given, likes, strict=True))


def fitting(gradient: Any, before: Any, like: tuple[Any, Any]) -> Any:
    """The gradient that a hook on a tensor returned in place of `before`, in its dtype.

    like  shape and dtype of the gradient

    Raises TypeError for what is no tensor of the same engine, GradientShapeError.
    """
    return _fitting(gradient, engine_of(before), like, "a hook")


def _fitting(gradient: Any, engine: Engine | None, like: tuple[Any, Any], what: str) -> Any:
    if gradient is None:
        return None
    found = engine_of(gradient)
    if found is None:
        raise TypeError(f"{what} returns tensors or None, not {type(gradient).__name__}")
    if engine is not None and found is not engine:
        raise mismatch(engine.name, found.name)
    shape, dtype = like
    if gradient.shape != tuple(shape):
        raise GradientShapeError(
            f"{what} replaced a gradient of shape {tuple(shape)} by one of {gradient.shape}"
        )
    refuse_complex(gradient.dtype, dtype, f"{what} replaced a gradient of {np.dtype(dtype)}, and this one")
    return gradient if gradient.dtype == np.dtype(dtype) else gradient.astype(dtype)
