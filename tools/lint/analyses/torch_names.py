"""Tables of PyTorch's functions and methods, by name.

The tables say what the analyses ask: whether a derivative is zero, whether the
result shares memory with the operand or may be the operand itself, whether it
is linear. A name in none of them is an ordinary differentiable function.
"""

from __future__ import annotations


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Constructors of PyTorch's first versions: of sizes, or of numbers that they copy.
WHOLE_TENSORS = _names("LongTensor IntTensor ShortTensor ByteTensor CharTensor BoolTensor")
TENSORS = WHOLE_TENSORS | _names("Tensor FloatTensor DoubleTensor HalfTensor BFloat16Tensor")

# Facts about a tensor that are no tensors.
METADATA = _names(
    """size dim ndimension ndim numel nelement element_size stride storage_offset shape dtype device layout
    is_cuda is_sparse is_contiguous is_floating_point is_complex requires_grad is_leaf grad_fn get_device
    is_meta is_cpu is_mps is_quantized itemsize nbytes names type_name is_tensor is_same_size
    is_pinned broadcast_shapes finfo iinfo result_type promote_types is_nested _version
    is_storage is_autocast_enabled get_autocast_dtype get_autocast_gpu_dtype is_inference"""
)

# A tensor whose derivative is zero, or which has none.
ZERO_DERIVATIVE = _names(
    """lt le gt ge eq ne less less_equal greater greater_equal equal not_equal allclose isclose isnan isinf
    isfinite isneginf isposinf isreal logical_and logical_or logical_not logical_xor bitwise_and bitwise_or
    bitwise_not bitwise_xor bitwise_left_shift bitwise_right_shift any all argmax argmin argsort argwhere
    nonzero count_nonzero floor ceil round trunc fix sign sgn signbit heaviside floor_divide bool int long
    short byte char bernoulli multinomial poisson histc bincount searchsorted bucketize one_hot nonzero_static
    isin unique unique_consecutive int_repr rand_like randn_like randint_like zeros_like ones_like full_like
    empty_like new_zeros new_ones new_full new_tensor new_empty new bernoulli_ random_ uniform_ normal_
    exponential_ geometric_ cauchy_ log_normal_ offsets"""
)
COMPARISONS = _names(
    """lt le gt ge eq ne less less_equal greater greater_equal equal not_equal allclose isclose isnan isinf
    isfinite isneginf isposinf"""
)
# Those whose result holds integers or booleans.
WHOLE = WHOLE_TENSORS | _names(
    """lt le gt ge eq ne less less_equal greater greater_equal not_equal isclose isnan isinf isfinite
    isneginf isposinf isreal logical_and logical_or logical_not logical_xor bitwise_and bitwise_or
    bitwise_not bitwise_xor bitwise_left_shift bitwise_right_shift argmax argmin argsort argwhere nonzero
    count_nonzero bool int long short byte char bincount searchsorted bucketize one_hot nonzero_static
    isin int_repr randint randint_like randperm tril_indices triu_indices"""
)
ZEROS = _names("zeros zeros_like new_zeros zero_")

# Made of nothing but sizes and numbers.
CREATION = (
    _names(
        """zeros ones full empty rand randn randint randperm eye arange range linspace logspace tril_indices
    triu_indices empty_strided hann_window hamming_window manual_seed seed get_rng_state cuda.Stream Generator
    device Size dtype finfo iinfo"""
    )
    | TENSORS
)
# The operands whose numbers a new tensor holds, by place and by name.
FILL_OPERANDS = {
    **dict.fromkeys(_names("full full_like"), (1,)),
    "new_full": (2,),
    **dict.fromkeys(_names("new_tensor new"), (1,)),
    **dict.fromkeys(TENSORS, (0,)),
    **dict.fromkeys(_names("linspace logspace"), (0, 1)),
    **dict.fromkeys(_names("arange range"), (0, 1, 2)),
}
FILL_NAMES = _names("data fill_value start end stop step")
EMPTY = TENSORS | _names("empty empty_like new_empty new empty_strided")
COPIES = TENSORS | _names("new new_tensor")

# Results that share memory with their first operand.
VIEWS = _names(
    """view view_as expand expand_as t transpose permute movedim moveaxis swapaxes swapdims unsqueeze squeeze
    select narrow diagonal as_strided detach unbind split chunk tensor_split hsplit vsplit dsplit
    split_with_sizes real imag adjoint T H mT mH data view_as_real view_as_complex broadcast_to values indices
    numpy unflatten"""
)
# May be the operand itself, or a fresh tensor: that depends on its layout, dtype or device.
MAYBE_SAME = _names(
    """contiguous to float double half bfloat16 type type_as cuda cpu to_dense coalesce requires_grad_
    resolve_conj resolve_neg mtia xpu as_tensor asarray as_subclass flatten"""
)
# Share memory in the ordinary case.
MAYBE_VIEWS = _names("reshape reshape_as flatten ravel contiguous requires_grad_")

# The path to the inputs is cut here.
CUTS = _names("detach data detach_ numpy item tolist Variable tensor from_numpy")
# The memory of a tensor, which compiled code reads and writes without a record.
MEMORY = _names("data_ptr storage untyped_storage typed_storage")

POINTERS = _names("cast c_void_p byref pointer addressof")

PAIRS = _names("max min median nanmedian mode cummax cummin kthvalue topk sort")

LINEAR = _names(
    """sum mean neg negative clone contiguous view view_as reshape reshape_as permute transpose t T mT H mH
    adjoint unsqueeze squeeze expand expand_as repeat repeat_interleave tile to float double half bfloat16
    type type_as cuda cpu flatten ravel unflatten narrow select index_select gather cat concat concatenate
    stack diag diagonal diag_embed tril triu roll flip fliplr flipud cumsum conj conj_physical real trace pad
    rot90 movedim moveaxis swapaxes swapdims unbind split chunk tensor_split as_strided take take_along_dim
    masked_select masked_fill broadcast_to requires_grad_ coalesce to_dense nansum hstack vstack dstack
    resize_as_ detach positive sum_to_size unfold fold interpolate avg_pool2d"""
)
PRODUCTS = _names(
    """mul multiply matmul mm bmm mv dot outer ger inner einsum kron tensordot vdot linear conv1d conv2d
    conv3d conv_transpose1d conv_transpose2d conv_transpose3d bilinear chain_matmul multi_dot"""
)
QUOTIENTS = _names("div divide true_divide")
SUMS = _names("add sub subtract rsub")

# In-place methods that change no entries.
NOT_WRITING = _names(
    """requires_grad_ squeeze_ unsqueeze_ transpose_ t_ swapaxes_ swapdims_ detach_ share_memory_ rename_
    as_strided_ __init__"""
)

MODES_OFF = _names("no_grad inference_mode")

# Attributes that only tensors have: a parameter with one of them is a tensor.
TENSOR_EVIDENCE = _names(
    """size dim ndimension numel shape dtype device new_zeros new_ones new_empty new_tensor new contiguous
    detach clone view reshape mul add sub div matmul mm bmm sum mean exp log pow sqrt unsqueeze squeeze expand
    expand_as transpose permute t T mT is_cuda requires_grad to float double half type type_as masked_fill
    masked_fill_ gather scatter softmax log_softmax sigmoid tanh clamp abs max min neg mul_ add_ sub_ div_
    zero_ fill_ copy_ ndim cpu cuda"""
)

# Methods that only tensors have; a call of another name on a parameter is a call of the unknown.
METHODS = _names(
    """abs absolute acos acosh add addbmm addcdiv addcmul addmm addmv addr adjoint all allclose amax amin
    aminmax angle any arccos arccosh arcsin arcsinh arctan arctan2 arctanh argmax argmin argsort argwhere
    as_strided asin asinh atan atan2 atanh baddbmm bernoulli bfloat16 bincount bitwise_and bitwise_not
    bitwise_or bitwise_xor bmm bool broadcast_to byte ceil char cholesky cholesky_inverse cholesky_solve chunk
    clamp clamp_max clamp_min clip clone conj contiguous copysign cos cosh count_nonzero cov cpu cross cuda
    cummax cummin cumprod cumsum deg2rad dequantize det detach diag diag_embed diagflat diagonal diff digamma
    dim dist div divide dot double eig element_size eq equal erf erfc erfinv exp exp2 expand expand_as expm1
    fix flatten flip fliplr flipud float float_power floor floor_divide fmax fmin fmod frac gather ge gt half
    hardshrink heaviside histc hypot i0 index_add index_copy index_fill index_put index_select inner int
    inverse is_complex is_contiguous is_floating_point isclose isfinite isinf isnan isneginf isposinf item
    kron kthvalue le lerp less lgamma log log10 log1p log2 log_softmax logaddexp logcumsumexp logdet
    logical_and logical_not logical_or logical_xor logit logsumexp long lt lu masked_fill masked_scatter
    masked_select matmul matrix_exp matrix_power max maximum mean median min minimum mm mode movedim msort mul
    multinomial multiply mv mvlgamma nan_to_num narrow ndimension ne neg negative nelement new new_empty
    new_full new_ones new_tensor new_zeros nonzero norm not_equal numel numpy outer permute pinverse polygamma
    positive pow prod put qr quantile rad2deg ravel reciprocal relu remainder renorm repeat repeat_interleave
    requires_grad_ reshape reshape_as roll rot90 round rsqrt scatter scatter_add scatter_reduce select sgn
    short sigmoid sign sin sinc sinh size slogdet softmax solve sort split split_with_sizes sqrt square
    squeeze std sub subtract sum svd swapaxes swapdims symeig t take take_along_dim tan tanh tensor_split tile
    to to_dense to_sparse tolist topk trace transpose triangular_solve tril triu true_divide trunc type
    type_as unbind unflatten unfold unique unsqueeze values var vdot view view_as where xlogy backward stride
    sum_to_size stft istft softplus data_ptr get_device is_same_size index indices coalesce offsets"""
)

# Python's own functions that give no tensor.
PLAIN_BUILTINS = _names(
    """len int bool str repr isinstance issubclass hasattr callable id type range print format hash ord chr
    warn format_exc"""
)
CONTAINERS = _names("list tuple reversed sorted set iter")


# The operand that gives a place or a shape: no value flows through it.
INDEX_OPERAND = {
    **dict.fromkeys(_names("gather index_select scatter scatter_add scatter_reduce index_add index_copy"), 2),
    **dict.fromkeys(_names("index_fill"), 2),
    **dict.fromkeys(_names("take take_along_dim masked_fill masked_select masked_scatter index_put"), 1),
    **dict.fromkeys(_names("repeat_interleave expand_as view_as reshape_as resize_as_"), 1),
    **dict.fromkeys(_names("where embedding"), 0),
}
# Backward operators whose own derivative counts what these operands, statistics of the input, stand for.
STATISTICS = {"native_layer_norm_backward": (3, 4), "native_batch_norm_backward": (5, 6)}
INDEX_NAMES = _names("index indices mask condition dim dims axis repeats size shape dtype device out")


# Raise where they are differentiated: PyTorch has no formula for them.
REFUSING = _names("batch_norm_backward_reduce batch_norm_backward_elemt native_group_norm_backward")

# Draws random numbers: computed again, it would give others.
RANDOM = _names(
    """rand randn randint randperm rand_like randn_like randint_like bernoulli multinomial normal poisson
    dropout alpha_dropout feature_dropout rrelu uniform_ normal_ random_ exponential_ geometric_ bernoulli_
    cauchy_ log_normal_ random sample rsample"""
)

# Costs about as much to compute again as to read from memory.
CHEAP = _names(
    """abs add clamp clamp_max clamp_min clone contiguous cos div double exp expand expand_as float half log
    masked_fill mT mul neg permute pow reciprocal relu reshape rsqrt sigmoid sign sin size sqrt square squeeze
    sub t tanh to transpose type_as unsqueeze view where dim bfloat16 dtype device shape ndim T"""
)


def is_in_place(name: str) -> bool:
    """True if a method of this name writes its tensor.

    >>> is_in_place("mul_"), is_in_place("squeeze_"), is_in_place("__init__")
    (True, False, False)
    """
    return (
        name.endswith("_")
        and not name.endswith("__")
        and not name.startswith("_")
        and name not in NOT_WRITING
    )
