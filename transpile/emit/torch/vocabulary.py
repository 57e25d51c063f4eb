"""PyTorch's names of the operators."""

from __future__ import annotations

from ..array_library.helpers import Helpers
from ..array_library.vocabulary import Vocabulary

# NumPy's functions that give a tuple of indices.
TUPLES = frozenset({"nonzero", "unravel_index"})
_TEMPLATES = {
    "shape": "x.shape",
    "ndim": "x.ndim",
    "size": "x.numel()",
    "dtype": "x.dtype",
    "astype": "x.to(dtype)",
    "stop_gradient": "x.detach()",
    "positive": "x.clone()",  # of booleans too, which have no torch.positive
    "where": "torch.where(condition, x, y)",
    "reshape": "a.reshape(shape)",
    "broadcast_to": "array.expand(shape)",
    "swapaxes": "torch.swapaxes(a, axis1, axis2)",
    "diagonal": "torch.diagonal(a, offset=offset, dim1=axis1, dim2=axis2)",
    "tril": "torch.tril(m, diagonal=k)",
    "triu": "torch.triu(m, diagonal=k)",
    "take_along_axis": "torch.take_along_dim(arr, indices, dim=axis)",
    "polygamma": "torch.polygamma(n, x)",
    "sum": "total(a, axis=axis, keepdims=keepdims)",
    "max": "amax(a, axis=axis, keepdims=keepdims)",
    "min": "amin(a, axis=axis, keepdims=keepdims)",
    "all": "all_of(a, axis=axis, keepdims=keepdims)",
    "any": "any_of(a, axis=axis, keepdims=keepdims)",
    "zeros": "torch.zeros(shape, dtype=dtype, device=device)",
    "ones": "torch.ones(shape, dtype=dtype, device=device)",
    "full": "torch.full(shape, fill_value, dtype=dtype, device=device)",
    "full_like": "torch.full_like(a, fill_value)",
    "eye": "eye(N, M=M, k=k, dtype=dtype, device=device)",
    "tri": "tri(N, M=M, k=k, dtype=dtype, device=device)",
    "array": "torch.tensor(object, dtype=dtype, device=device)",
    "arange": "arange(start, stop=stop, step=step, device=device)",
    **{name: f"torch.fft.{name}(a, n=n, dim=axis, norm=norm)" for name in ("fft", "ifft", "rfft", "irfft")},
}
_CONSTANT = {
    "sum": "torch.sum(a, dim=axis, keepdim=keepdims)",
    "mean": "torch.mean(a, dim=axis, keepdim=keepdims)",
    "max": "torch.amax(a, dim=axis, keepdim=keepdims)",
    "min": "torch.amin(a, dim=axis, keepdim=keepdims)",
    "logsumexp": "torch.logsumexp(a, dim=axis, keepdim=keepdims)",
    "concatenate": "torch.cat(arrays, dim=axis)",
    "stack": "torch.stack(arrays, dim=axis)",
    "transpose": "torch.permute(a, axes)",
}
# Functions of one axis alone.
_ONE_AXIS = {
    "softmax": "torch.softmax(x, dim=axis)",
    "log_softmax": "torch.log_softmax(x, dim=axis)",
    "cumsum": "torch.cumsum(a, dim=axis)",
    "cumprod": "torch.cumprod(a, dim=axis)",
    "expand_dims": "torch.unsqueeze(a, dim=axis)",
}
_CALLS = {
    "numpy.einsum": "torch.einsum",
    "numpy.linalg.slogdet": "torch.linalg.slogdet",
    "numpy.linalg.eigh": "torch.linalg.eigh",
    "numpy.linalg.qr": "torch.linalg.qr",
    "numpy.linalg.svd": "torch.linalg.svd",
    "numpy.digitize": "_digitize",
    "numpy.argwhere": "torch.argwhere",
    "numpy.flatnonzero": "_flatnonzero",
    **{f"numpy.{name}": f"_{name}" for name in TUPLES},
    "scipy.special.round": "torch.round",
}
# PyTorch computes them and has no derivatives of them.
FORMULAS = frozenset({"j0", "j1", "y0", "y1", "k0", "k0e", "k1", "k1e"})


def torch_vocabulary(helpers: Helpers) -> Vocabulary:
    """The vocabulary with these helpers."""
    return Vocabulary(
        library="PyTorch",
        module="torch",
        helpers=helpers,
        function=lambda operator: operator.torch,
        attributes={"axis": "dim", "keepdims": "keepdim"},
        templates=_TEMPLATES,
        constant=_CONSTANT | _ONE_AXIS,
        one_axis=frozenset(_ONE_AXIS) | {"concatenate", "stack"},
        calls=_CALLS,
        formulas=FORMULAS,
        dtypes={"bool_": "bool"},
    )
