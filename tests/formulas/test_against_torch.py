"""Values, first and second derivatives of every formula that PyTorch has too, in double precision."""

from functools import reduce

import numpy as np
import pytest

import pullback as pb
from pullback.transpile.operators import SCIPY_ONLY

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


def _spread(function):
    def called(x, axis=None, ddof=0, keepdims=False):
        return function(x, dim=_axes(axis, x.ndim), correction=ddof, keepdim=keepdims)

    return called


def _norm(torch):
    def called(x, ord=None, axis=None, keepdims=False):
        power = 2 if ord in (None, "fro") else ord
        return torch.linalg.vector_norm(x, power, _axes(axis, x.ndim), keepdim=keepdims)

    return called


def _product(torch):
    return lambda a, b: a * b if 0 in (a.ndim, b.ndim) else torch.matmul(a, b)


def _repeat(torch):
    def called(x, repeats, axis=None):
        repeats = torch.tensor(repeats) if isinstance(repeats, tuple) else repeats
        return torch.repeat_interleave(x, repeats, axis)

    return called


def table(torch):
    """The function of PyTorch for each word that it has."""
    f = torch.nn.functional
    same = (
        "add subtract multiply divide negative positive exp expm1 log log1p sqrt sin cos tan tanh sinh cosh "
        "arcsin arccos arcsinh arccosh arctanh hypot logaddexp logaddexp2 log2 log10 exp2 fmax fmin "
        "arctan arctan2 square reciprocal abs maximum minimum where erf sigmoid relu remainder matmul "
        "fmod copysign deg2rad rad2deg sinc"
    )
    special = (
        "erfc erfcx erfinv ndtr log_ndtr ndtri expit logit entr xlogy xlog1py gammaln digamma i0 i0e i1 i1e"
    )
    functions = {name: getattr(torch, name) for name in same.split()}
    functions |= {name: getattr(torch.special, name) for name in special.split()}
    functions |= {name: getattr(torch.linalg, name) for name in ("inv", "solve", "det")}
    return functions | {
        "power": torch.pow,
        "conj": torch.conj_physical,
        "real": torch.clone,
        "loggamma": torch.special.gammaln,
        "polygamma": lambda x, n: torch.special.polygamma(n, x),
        "pinv": lambda x, rcond=None: torch.linalg.pinv(x),
        "sort": lambda x, axis=-1: torch.sort(x, axis)[0],
        "take_along_axis": lambda x, indices, axis=-1: torch.take_along_dim(
            x, torch.tensor(indices % x.shape[axis]), axis
        ),
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
        "join_like": lambda arrays, like, axis: torch.cat([torch.atleast_2d(a) for a in arrays], axis),
        "stacked": lambda arrays: torch.stack(arrays),
        "collect": lambda arrays: torch.stack(torch.broadcast_tensors(*arrays)),
        "collect_flat": lambda arrays: torch.cat([a.flatten() for a in arrays]),
        "cbrt": lambda x: torch.sign(x) * torch.abs(x) ** (1 / 3),
        "var": _spread(torch.var),
        "std": _spread(torch.std),
        "norm": _norm(torch),
        "contract": lambda arrays, subscripts: torch.einsum(subscripts, *arrays),
        "tensordot": lambda a, b, axes=2: torch.tensordot(a, b, axes),
        "dot": lambda a, b: torch.tensordot(a, b, ([-1], [1])) if b.ndim == 3 else _product(torch)(a, b),
        "vdot": lambda a, b: torch.dot(a.flatten(), b.flatten()),
        "inner": torch.inner,
        "vstack": torch.vstack,
        "hstack": torch.hstack,
        "roll": lambda x, shift, axis=None: torch.roll(x, shift, axis),
        "repeat": _repeat(torch),
        "tile": lambda x, reps: torch.tile(x, reps if isinstance(reps, tuple) else (reps,)),
        "diagonal": lambda x, offset=0, axis1=0, axis2=1: torch.diagonal(x, offset, axis1, axis2),
        "trace": lambda x, offset=0, axis1=0, axis2=1: torch.diagonal(x, offset, axis1, axis2).sum(-1),
        "tril": lambda x, k=0: torch.tril(x, k),
        "triu": lambda x, k=0: torch.triu(x, k),
        "outer": lambda a, b: torch.outer(a.flatten(), b.flatten()),
    }


ABSENT = {
    *SCIPY_ONLY,
    "sum_to",
    "broadcast_like",
    "expect_like",
    "gradient_like",
    "in_place",
    "accumulate",
    "unslice",
    "flatten_axes",
    "unflatten_axes",
    "linear_recurrence",
    "sum_repeats",
    "sum_tiles",
    "undiagonal",
    "index_put",
    "take_region",
    "spread_region",
    "clear_region",
    "put_along",
    "convolve",
    "sinc_derivative",
    "bessel_i",
    "bessel_j",
    "cholesky",  # its gradient is symmetric there: tests/formulas/test_decompositions.py
    "erfi",
    "erfcinv",
    "dawsn",
    "log_expit",
    "exp10",
    "expi",
    "exp1",
    "cosm1",
    "rel_entr",
    "kl_div",
    "gamma",
    "rgamma",
    "beta",
    "betaln",
    "j0",
    "j1",
    "y0",
    "y1",
    "k0",
    "k0e",
    "k1",
    "k1e",
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
