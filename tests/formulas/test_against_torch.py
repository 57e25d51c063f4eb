"""Values, first and second derivatives of every formula that PyTorch has too, in double precision."""

from functools import reduce

import numpy as np
import pytest

import pullback as pb

from .samples import every_case

pytestmark = pytest.mark.torch


def _axes(axis, ndim):
    return tuple(range(ndim)) if axis is None else axis if isinstance(axis, tuple) else (axis,)


def _all_axes(function):
    """A torch function of one `dim`, over all entries where axis is None."""

    def called(x, axis=None):
        return function(x.flatten(), 0).reshape(x.shape) if axis is None else function(x, axis)

    return called


def _prod(torch, x, axis=None, keepdims=False):
    axes = sorted((k % x.ndim for k in _axes(axis, x.ndim)), reverse=True)
    return reduce(lambda y, k: torch.prod(y, k, keepdim=keepdims), axes, x)


def _running(function):
    return lambda x, axis=None: function(x.flatten(), 0) if axis is None else function(x, axis)


def _reduction(function):
    def called(x, axis=None, keepdims=False):
        return function(x, dim=_axes(axis, x.ndim), keepdim=keepdims)

    return called


def table(torch):
    """The function of PyTorch for each word that it has."""
    f = torch.nn.functional
    same = (
        "add subtract multiply divide negative positive exp expm1 log log1p sqrt sin cos tan tanh sinh cosh "
        "arctan arctan2 square reciprocal abs maximum minimum where erf sigmoid relu remainder matmul"
    )
    return {name: getattr(torch, name) for name in same.split()} | {
        "power": torch.pow,
        "clip": torch.clamp,
        "gelu": f.gelu,
        "softplus": f.softplus,
        "softmax": _all_axes(torch.softmax),
        "log_softmax": _all_axes(torch.log_softmax),
        "logsumexp": _reduction(torch.logsumexp),
        "sum": _reduction(torch.sum),
        "mean": _reduction(torch.mean),
        "max": _reduction(torch.amax),
        "min": _reduction(torch.amin),
        "prod": lambda x, **kw: _prod(torch, x, **kw),
        "cumsum": _running(torch.cumsum),
        "cumprod": _running(torch.cumprod),
        "reshape": torch.reshape,
        "transpose": lambda x, axes=None: x.permute(axes or tuple(reversed(range(x.ndim)))),
        "broadcast_to": lambda x, shape: torch.broadcast_to(x, shape),
        "swapaxes": lambda x, axis1, axis2: torch.swapaxes(x, axis1, axis2),
        "moveaxis": torch.moveaxis,
        "flip": lambda x, axis=None: torch.flip(x, _axes(axis, x.ndim)),
        "expand_dims": lambda x, axis: reduce(torch.unsqueeze, axis, x),
        "squeeze": lambda x, axis: torch.squeeze(x, axis),
        "getitem": lambda x, index: x[torch.tensor(index)],
        "concatenate": lambda arrays, axis: torch.cat(arrays, axis),
        "stack": lambda arrays, axis: torch.stack(arrays, axis),
        "astype": lambda x, dtype: x.to(getattr(torch, np.dtype(dtype).name)),
        "collect": lambda arrays: torch.stack(torch.broadcast_tensors(*arrays)),
        "outer": lambda a, b: torch.outer(a.flatten(), b.flatten()),
    }


ABSENT = {
    "sum_to",
    "broadcast_like",
    "accumulate",
    "unslice",
    "flatten_axes",
    "unflatten_axes",
    "linear_recurrence",
}


def _has_torch(case):
    steps = isinstance(case.kwargs.get("index"), tuple)  # torch has no negative steps
    return case.name not in ABSENT and not steps


CASES = [case for case in every_case() if _has_torch(case)]


def _derivatives(result, leaves, rng, grad, array):
    """The value, its gradients along random weights, and those of the gradients along random directions."""
    weights = rng.standard_normal(np.shape(result))
    first = grad((result * array(weights)).sum(), leaves)
    directions = [rng.standard_normal(np.shape(leaf)) for leaf in leaves]
    inner = sum((g * array(d)).sum() for g, d in zip(first, directions, strict=True))
    second = grad(inner, leaves) if inner.requires_grad else [0 * leaf for leaf in leaves]
    return [result, *first, *second]


def _by_pullback(case):
    def grad(y, leaves):
        return pb.grad(y, leaves, create_graph=True, materialize_grads=True)

    leaves = [pb.tensor(x, requires_grad=True) if _differentiable(x) else x for x in case.leaves]
    tensors = [leaf for leaf in leaves if isinstance(leaf, pb.Tensor)]
    found = _derivatives(case.call(*leaves), tensors, np.random.default_rng(1), grad, pb.tensor)
    return [value.detach().numpy() for value in found]


def _by_torch(case, torch):
    def grad(y, leaves):
        return torch.autograd.grad(y, leaves, create_graph=True, materialize_grads=True)

    leaves = [torch.tensor(x).requires_grad_() if _differentiable(x) else x for x in case.leaves]
    leaves = [torch.tensor(x) if isinstance(x, np.ndarray) else x for x in leaves]
    rest = iter(leaves)
    args = [[next(rest) for _ in arg] if isinstance(arg, list) else next(rest) for arg in case.args]
    tensors = [leaf for leaf in leaves if isinstance(leaf, torch.Tensor) and leaf.requires_grad]
    result = table(torch)[case.name](*args, **case.kwargs)
    found = _derivatives(result, tensors, np.random.default_rng(1), grad, torch.tensor)
    return [value.detach().numpy(force=True) for value in found]


def _differentiable(value):
    return isinstance(value, np.ndarray) and value.dtype.kind == "f"


@pytest.mark.parametrize("case", CASES, ids=str)
def test_first_and_second_derivatives_are_those_of_torch(engine, case):
    import torch

    for ours, theirs in zip(_by_pullback(case), _by_torch(case, torch), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-11)
