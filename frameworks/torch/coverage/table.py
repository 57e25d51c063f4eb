"""The functions of all families by the entries of `op_db`, and the reasons where there is none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import entries, fourier, masked, matrices, networks, pointwise, reductions, shapes

FUNCTIONS: dict[str, Callable[..., Any]] = {
    name: function
    for family in (pointwise, reductions, shapes, entries, matrices, fourier, networks, masked)
    for name, function in family.TABLE.items()
}

_RANDOM = "draws random numbers"
_LU = "the library has no decomposition into L and U"
_INTERNAL = "PyTorch's own, behind a function that has a counterpart or none"
_SPARSE = "of sparse tensors"
_SCATTER = "the library has no scatter with this reduction"

# Reasons why an entry has no counterpart.
ABSENT: dict[str, str] = {
    **dict.fromkeys(("bernoulli", "normal", "normal_number_mean", "native_dropout_backward", "svd_lowrank",
                     "pca_lowrank"), _RANDOM),
    **{f"nn_functional_{name}": _RANDOM for name in (
        *("dropout", "dropout2d", "dropout3d", "alpha_dropout", "feature_alpha_dropout_with_train", "rrelu"),
        *("fractional_max_pool2d", "fractional_max_pool3d"),
    )},
    **dict.fromkeys(("lu", "lu_solve", "lu_unpack", "linalg_lu", "linalg_lu_factor", "linalg_lu_factor_ex",
                     "linalg_lu_solve"), _LU),
    **dict.fromkeys(("native_group_norm", "native_batch_norm", "_native_batch_norm_legit",
                     "_batch_norm_with_update", "_unsafe_masked_index", "_unsafe_masked_index_put_accumulate",
                     "max_pool2d_with_indices_backward", "_upsample_bilinear2d_aa", "_segment_reduce_lengths",
                     "_segment_reduce_offsets", "as_strided_partial_views", "as_strided_scatter"), _INTERNAL),
    **dict.fromkeys(("sparse_sampled_addmm", "sparse_mm_reduce", "to_sparse"), _SPARSE),
    **{f"scatter_reduce_{name}": _SCATTER for name in ("prod", "mean", "amin", "amax")},
    **{f"index_reduce_{name}": _SCATTER for name in ("prod", "mean", "amin", "amax")},
}  # fmt: skip


def reason(name: str) -> str:
    """The reason why an entry has no counterpart."""
    return ABSENT.get(name, "the library has no such function")
