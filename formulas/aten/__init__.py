"""Helpers of the formulas of PyTorch's table of derivatives: what its text calls and ATen does not have.

PyTorch has them in C++ (FunctionsManual.cpp), where nothing else can call them. Here each is written from
its mathematics, a file per family, in ATen's vocabulary (`pullback.aten`). A helper that is not written is
refused where it is called: its name gives a function that raises MissingDerivativeError.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from .activations import (
    elu_double_backward,
    gelu_double_backward,
    glu_double_backward,
    glu_double_backward_grad_output,
    infinitely_differentiable_logit_backward,
    infinitely_differentiable_mish_backward,
    infinitely_differentiable_silu_backward,
    log_sigmoid_double_backward,
    softmax_double_backward,
    softplus_double_backward,
)
from .arithmetic import (
    clamp_backward,
    clamp_backward_min_max,
    copysign_tensor_self_backward,
    deg2rad_backward,
    div_tensor_other_backward,
    div_tensor_self_backward,
    mul_tensor_backward,
    pow_backward,
    pow_backward_exponent,
    pow_backward_self,
    rad2deg_backward,
)
from .dropout import (
    infinitely_differentiable_native_dropout_backward,
    native_dropout_double_backward,
)
from .dtypes import (
    NO_REDUCTION,
    conjugate,
    geometry,
    handle_r_to_c,
    is_complex,
    maybe_multiply,
    options,
    tangent,
)
from .factorizations import (
    cholesky_backward,
    cholesky_inverse_backward,
    cholesky_solve_backward,
    linalg_eig_backward,
    linalg_lu_backward,
    linalg_qr_backward,
    lu_factor_ex_backward,
    lu_unpack_backward,
    svd_backward,
)
from .fourier import (
    fft_c2r_backward,
    fft_r2c_backward,
)
from .indexing import (
    embedding_dense_double_backward,
    gather_with_keepdimed_indices,
    index_backward,
    index_reduce_backward,
    masked_fill_backward,
    max_pool_double_backward,
    scatter_reduce_backward,
    take_backward,
)
from .losses import (
    apply_loss_reduction,
    binary_cross_entropy_double_backward,
    binary_cross_entropy_double_backward_grad_output,
    binary_cross_entropy_double_backward_target,
    binary_cross_entropy_target_backward,
    binary_cross_entropy_with_logits_backward,
    binary_cross_entropy_with_logits_target_backward,
    huber_loss_double_backward,
    huber_loss_double_backward_grad_output,
    mse_loss_double_backward,
    smooth_l1_loss_double_backward,
    soft_margin_loss_double_backward,
    soft_margin_loss_double_backward_grad_output,
)
from .normalization import (
    _weight_norm_differentiable_backward,
    infinitely_differentiable_native_group_norm_backward,
    infinitely_differentiable_native_rms_norm_backward,
)
from .pointwise import (
    angle_backward,
    atan2_backward,
    i1_backward,
    i1e_backward,
    log1p_backward,
    mvlgamma_backward,
    polar_backward,
    sgn_backward,
    sinc_backward,
)
from .products import (
    _euclidean_dist_backward,
    _trilinear_backward,
    mm_mat1_backward,
    mm_mat2_backward,
)
from .reductions import (
    aminmax_backward,
    cumsum_backward,
    evenly_distribute_backward,
    linalg_vector_norm_backward,
    logcumsumexp_backward,
    logsumexp_backward,
    mean_backward,
    nansum_backward,
    norm_backward,
    prod_backward,
    renorm_backward,
    restore_reduced_dims,
    scale_grad_by_count,
    std_backward,
    std_mean_backward,
    sum_backward,
    var_backward,
    var_mean_backward,
)
from .refusals import (
    MissingDerivativeError,
    not_implemented,
)
from .running import (
    needs_gradient,
    records_gradients,
    retains_graph,
)
from .shapes import (
    _to_copy_backward,
    as_strided_backward,
    as_strided_scatter_backward,
    block_diag_backward,
    cat_tensors_backward,
    constant_pad_nd_backward,
    permute_backwards,
    repeat_backward,
    slice_backward_wrapper,
    split_backward,
    split_with_sizes_backward,
    stack_tensors_backward,
    sum_to,
    to_args_scalartypes,
    to_args_sizes,
    unbind_backward,
    unsqueeze_multiple,
    unsqueeze_to,
)
from .solving import (
    householder_product_backward,
    linalg_det_backward,
    linalg_lstsq_backward,
    linalg_lu_solve_LU,
    linalg_matrix_exp_differential,
    linalg_solve_backward,
    linalg_solve_triangular_backward,
    ormqr_backward,
    pinv_backward,
    slogdet_backward,
    triangular_solve_backward,
)

__all__ = [
    "NO_REDUCTION",
    "MissingDerivativeError",
    "_euclidean_dist_backward",
    "_to_copy_backward",
    "_trilinear_backward",
    "_weight_norm_differentiable_backward",
    "aminmax_backward",
    "angle_backward",
    "apply_loss_reduction",
    "as_strided_backward",
    "as_strided_scatter_backward",
    "atan2_backward",
    "binary_cross_entropy_double_backward",
    "binary_cross_entropy_double_backward_grad_output",
    "binary_cross_entropy_double_backward_target",
    "binary_cross_entropy_target_backward",
    "binary_cross_entropy_with_logits_backward",
    "binary_cross_entropy_with_logits_target_backward",
    "block_diag_backward",
    "cat_tensors_backward",
    "cholesky_backward",
    "cholesky_inverse_backward",
    "cholesky_solve_backward",
    "clamp_backward",
    "clamp_backward_min_max",
    "conjugate",
    "constant_pad_nd_backward",
    "copysign_tensor_self_backward",
    "cumsum_backward",
    "deg2rad_backward",
    "div_tensor_other_backward",
    "div_tensor_self_backward",
    "elu_double_backward",
    "embedding_dense_double_backward",
    "evenly_distribute_backward",
    "fft_c2r_backward",
    "fft_r2c_backward",
    "gather_with_keepdimed_indices",
    "gelu_double_backward",
    "geometry",
    "glu_double_backward",
    "glu_double_backward_grad_output",
    "handle_r_to_c",
    "householder_product_backward",
    "huber_loss_double_backward",
    "huber_loss_double_backward_grad_output",
    "i1_backward",
    "i1e_backward",
    "index_backward",
    "index_reduce_backward",
    "infinitely_differentiable_logit_backward",
    "infinitely_differentiable_mish_backward",
    "infinitely_differentiable_native_dropout_backward",
    "infinitely_differentiable_native_group_norm_backward",
    "infinitely_differentiable_native_rms_norm_backward",
    "infinitely_differentiable_silu_backward",
    "is_complex",
    "linalg_det_backward",
    "linalg_eig_backward",
    "linalg_lstsq_backward",
    "linalg_lu_backward",
    "linalg_lu_solve_LU",
    "linalg_matrix_exp_differential",
    "linalg_qr_backward",
    "linalg_solve_backward",
    "linalg_solve_triangular_backward",
    "linalg_vector_norm_backward",
    "log1p_backward",
    "log_sigmoid_double_backward",
    "logcumsumexp_backward",
    "logsumexp_backward",
    "lu_factor_ex_backward",
    "lu_unpack_backward",
    "masked_fill_backward",
    "max_pool_double_backward",
    "maybe_multiply",
    "mean_backward",
    "mm_mat1_backward",
    "mm_mat2_backward",
    "mse_loss_double_backward",
    "mul_tensor_backward",
    "mvlgamma_backward",
    "nansum_backward",
    "native_dropout_double_backward",
    "needs_gradient",
    "norm_backward",
    "not_implemented",
    "options",
    "ormqr_backward",
    "permute_backwards",
    "pinv_backward",
    "polar_backward",
    "pow_backward",
    "pow_backward_exponent",
    "pow_backward_self",
    "prod_backward",
    "rad2deg_backward",
    "records_gradients",
    "renorm_backward",
    "repeat_backward",
    "restore_reduced_dims",
    "retains_graph",
    "scale_grad_by_count",
    "scatter_reduce_backward",
    "sgn_backward",
    "sinc_backward",
    "slice_backward_wrapper",
    "slogdet_backward",
    "smooth_l1_loss_double_backward",
    "soft_margin_loss_double_backward",
    "soft_margin_loss_double_backward_grad_output",
    "softmax_double_backward",
    "softplus_double_backward",
    "split_backward",
    "split_with_sizes_backward",
    "stack_tensors_backward",
    "std_backward",
    "std_mean_backward",
    "sum_backward",
    "sum_to",
    "svd_backward",
    "take_backward",
    "tangent",
    "to_args_scalartypes",
    "to_args_sizes",
    "triangular_solve_backward",
    "unbind_backward",
    "unsqueeze_multiple",
    "unsqueeze_to",
    "var_backward",
    "var_mean_backward",
]


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    if name == "CONTIGUOUS":
        from pullback import aten

        return aten.contiguous_format
    return _unwritten(name)


def _unwritten(name: str) -> Callable[..., NoReturn]:
    def refuse(*args: Any, **kwargs: Any) -> NoReturn:
        raise MissingDerivativeError(f"`{name}`, which a formula of the table calls, is not written")

    refuse.__name__ = name
    return refuse
