"""A barrier that forbids second derivatives of a `torch.autograd.Function`."""

from __future__ import annotations

from typing import Any, TypeVar

import torch

from .helpers.barriers import Barrier

Class = TypeVar("Class", bound=type[torch.autograd.Function])


class _Watched(torch.autograd.Function):
    """Its operands as they are; their gradients pass a barrier that depends on these operands."""

    generate_vmap_rule = True

    @staticmethod
    def forward(message: str, *tensors: torch.Tensor) -> Any:
        return tuple([x.view_as(x) for x in tensors])

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.set_materialize_grads(False)
        ctx.message = inputs[0]
        ctx.save_for_backward(*inputs[1:])
        ctx.save_for_forward(*inputs[1:])

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        anchors = ctx.saved_tensors
        passed = Barrier.apply(ctx.message, len(gradients), *gradients, *anchors)
        return None, *passed

    @staticmethod
    def jvp(ctx: Any, _: Any, *tangents: Any) -> Any:
        pairs = zip(tangents, ctx.saved_tensors, strict=True)
        return tuple([torch.zeros_like(x) if tangent is None else tangent.view_as(x) for tangent, x in pairs])


def first_order_only(function: Class) -> Class:
    """Decorate a `torch.autograd.Function` whose backward must not be differentiated.

    `torch.autograd.function.once_differentiable` only catches second derivatives that go through the
    incoming gradient; those through what the forward saved are silently zero. Here every second
    derivative raises RuntimeError, whichever way it goes.

    >>> @first_order_only
    ... class Square(torch.autograd.Function):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         ctx.slope = 2 * x
    ...         return x * x
    ...     @staticmethod
    ...     def backward(ctx, grad):
    ...         return grad * ctx.slope
    >>> x = torch.tensor(3.0, requires_grad=True)
    >>> (first,) = torch.autograd.grad(Square.apply(x), x, create_graph=True)
    >>> torch.autograd.grad(first, x)
    Traceback (most recent call last):
        ...
    RuntimeError: Square has a first derivative only: its backward must not be differentiated
    """
    if not (isinstance(function, type) and issubclass(function, torch.autograd.Function)):
        raise TypeError("first_order_only decorates a class of torch.autograd.Function")
    message = f"{function.__name__} has a first derivative only: its backward must not be differentiated"
    apply = function.apply

    def applied(*args: Any) -> Any:
        places = [k for k, x in enumerate(args) if isinstance(x, torch.Tensor) and _is_differentiable(x)]
        watched = _Watched.apply(message, *(args[k] for k in places)) if places else ()
        given = list(args)
        for k, x in zip(places, watched, strict=True):
            given[k] = x
        return apply(*given)

    function.apply = staticmethod(applied)  # type: ignore[method-assign]
    return function


def _is_differentiable(x: torch.Tensor) -> bool:
    return x.is_floating_point() or x.is_complex()
