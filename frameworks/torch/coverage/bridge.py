"""A function of the library on PyTorch's tensors, whose derivatives of every order are the library's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy
import torch
from torch.utils._pytree import tree_flatten, tree_unflatten

import pullback as pb

from .arguments import NotTakenError

_Function = Callable[[Sequence[Any]], list[Any]]


def on_torch(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    """The function with PyTorch's tensors in and out; `name` is what PyTorch's wrappers ask it for.

    >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> y = on_torch(lambda x: x * x * x, "cube")(x)
    >>> first, = torch.autograd.grad(y.sum(), x, create_graph=True)
    >>> torch.autograd.grad(first.sum(), x)
    (tensor([ 6., 12.]),)
    """

    def called(*args: Any, **kwargs: Any) -> Any:
        leaves, structure = tree_flatten((args, kwargs))
        places = [k for k, leaf in enumerate(leaves) if _flows(leaf)]
        forms: list[Any] = []

        def run(inputs: Sequence[Any]) -> list[Any]:
            values = [_argument(leaf) for leaf in leaves]
            for place, value in zip(places, inputs, strict=True):
                values[place] = value
            given, named = tree_unflatten(values, structure)
            results, form = tree_flatten(function(*given, **named))
            forms.append(form)
            return results

        found = _Run.apply(run, *(leaves[place] for place in places))
        return tree_unflatten(list(found), forms[0])

    called.__name__ = name
    return called


def _flows(leaf: Any) -> bool:
    return isinstance(leaf, torch.Tensor) and leaf.requires_grad


def _argument(leaf: Any) -> Any:
    """An argument as the library takes it."""
    if isinstance(leaf, torch.Tensor):
        return array_of(leaf)
    return leaf


def array_of(tensor: torch.Tensor) -> Any:
    """The entries as an array. Raises NotTakenError for what NumPy has no array of."""
    if tensor.layout is not torch.strided:
        raise NotTakenError("a sparse tensor")
    if tensor.dtype is torch.bfloat16:
        raise NotTakenError("NumPy has no such dtype")
    return tensor.detach().numpy(force=True).copy()


class _Run(torch.autograd.Function):
    """A function of lists of the library's tensors; its backward is one of these too."""

    @staticmethod
    def forward(ctx: Any, function: _Function, *inputs: torch.Tensor) -> tuple[torch.Tensor, ...]:
        ctx.function = function
        ctx.save_for_backward(*inputs)
        ctx.set_materialize_grads(False)
        results = function([_leaf(each) for each in inputs])
        made = tuple(torch.from_numpy(_array(each)) for each in results)
        pairs = zip(results, made, strict=True)
        ctx.mark_non_differentiable(*(tensor for each, tensor in pairs if not _is_differentiable(each)))
        return made

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        inputs = ctx.saved_tensors
        defined = [k for k, each in enumerate(gradients) if each is not None]
        if not defined:
            return (None, *(None for _ in inputs))

        def pulled_back(given: Sequence[Any]) -> list[Any]:
            at, cotangents = given[: len(inputs)], given[len(inputs) :]
            results = ctx.function(at)
            pairs = [
                (results[k], cotangent)
                for k, cotangent in zip(defined, cotangents, strict=True)
                if getattr(results[k], "requires_grad", False)
            ]
            if not pairs:
                return [numpy.zeros(each.shape, each.dtype) for each in at]
            outputs, weights = map(list, zip(*pairs, strict=True))
            return list(pb.grad(outputs, list(at), weights, create_graph=True, materialize_grads=True))

        return (None, *_Run.apply(pulled_back, *inputs, *(gradients[k] for k in defined)))


def _leaf(tensor: torch.Tensor) -> Any:
    return pb.tensor(array_of(tensor), requires_grad=True)


def _is_differentiable(result: Any) -> bool:
    """True of the library's floating tensors; what is an array of NumPy is a constant."""
    return isinstance(result, pb.Tensor) and result.dtype.kind in "fc"


def _array(result: Any) -> Any:
    value = result.detach().numpy() if isinstance(result, pb.Tensor) else result
    return numpy.array(value)
