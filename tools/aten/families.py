"""The families of ATen's operators: a file of formulas each."""

from __future__ import annotations

import re

# The first pattern that fits the name decides.
FAMILIES: tuple[tuple[str, str, str], ...] = (
    ("testing", "Operators for tests of dispatch.", r"_test_"),
    ("foreach", "Operators on lists of tensors, one by one.", r"_foreach_"),
    (
        "backends",
        "Operators of cuDNN, MIOpen, oneDNN, MPS and NNPACK.",
        r"_?(cudnn|miopen|mkldnn|mps|lstm_mps)|to_mkldnn|_mps|_nnpack|_lstm_mps",
    ),
    (
        "attention",
        "Scaled dot-product attention.",
        r"_(scaled_dot|flash|efficient|cudnn_attention|fill_mem)|_transform_bias",
    ),
    ("nested", "Nested tensors.", r"_nested|to_padded|_jagged"),
    (
        "sparse",
        "Sparse tensors.",
        r"_?(to_)?(sparse|coalesce|dense)|_to_dense|values$|_values$|_?indices$|c?(row|col)_indices|"
        r"_sparse|sspaddmm|smm",
    ),
    ("quantization", "Fake quantization.", r"_?fake_quant|_fused_moving|_?make_per"),
    (
        "linalg",
        "Decompositions, solvers and functions of matrices.",
        r"_?linalg|cholesky|lu_|_lu|triangular|geqrf|ormqr|lstsq|logdet|slogdet|_det",
    ),
    (
        "fft",
        "Fourier transforms, and complex numbers as pairs.",
        r"_fft|view_as_(real|complex)|_?conj|resolve_",
    ),
    (
        "upsampling",
        "Upsampling, by neighbours and by interpolation.",
        r"_?upsample|pixel_|channel_shuffle|grid_sampler|_grid|affine_grid",
    ),
    ("padding", "Padding.", r"(reflection|replication|constant)_pad"),
    ("pooling", "Pooling.", r"_?(adaptive|avg|max|fractional).*pool"),
    ("convolution", "Convolutions.", r".*conv|im2col|col2im"),
    (
        "normalization",
        "Normalization over batches, layers and groups.",
        r".*(batch_norm|layer_norm|group_norm|rms_norm|weight_norm)|renorm",
    ),
    ("losses", "Losses.", r".*(loss|cross_entropy)"),
    ("recurrent", "Recurrent cells, and packed sequences.", r"_thnn|_pack_padded|_?(lstm|gru)"),
    ("embedding", "Embeddings.", r"_?embedding"),
    (
        "random",
        "Random numbers, and dropout.",
        r".*(dropout|bernoulli|multinomial|dirichlet|gamma_grad|_gamma$)|(normal|uniform|random|"
        r"cauchy|exponential|geometric|log_normal|poisson|binomial)_?($|\.)|_?(standard_gamma|"
        r"sample_dirichlet)",
    ),
    (
        "comparison",
        "Comparisons: nothing flows back.",
        r"(eq|ge|gt|le|lt|ne)_?($|\.)|(any|all|is[a-z]+|_is_.*)($|\.)",
    ),
    ("softmax", "Softmax and its kin.", r".*(softmax|logsumexp)"),
    (
        "activation",
        "Activations of neural networks.",
        r"_?(relu|rrelu|elu|celu|selu|gelu|silu|mish|glu|hard|leaky|log_sigmoid|sigmoid|tanh|"
        r"soft(plus|shrink)|threshold|prelu|logit)",
    ),
    (
        "products",
        "Products of vectors and matrices.",
        r"(add|badd)?(mm|bmm|mv|r|bmm)($|\.)|addbmm|_?(dot|vdot|matmul|mm|bmm|mv|linear|_trilinear|"
        r"trilinear|_grouped)|_euclidean|_?[cp]dist|dist($|\.)",
    ),
    (
        "indexing",
        "Gathering and scattering by indices and masks.",
        r"_?(unsafe_)?(masked_)?index|_?(gather|scatter|take|put|masked|segment|where|embedding)|"
        r".*_scatter|_unique|unique",
    ),
    (
        "ordering",
        "Sorting, and entries chosen by their order.",
        r"(sort|topk|kthvalue|mode|median|nanmedian|cummax|cummin|_?aminmax|amax|amin|max|min|"
        r"argsort)($|\.)",
    ),
    (
        "reductions",
        "Sums, products and moments, along axes or of all.",
        r"(sum|nansum|mean|prod|var|std|norm|trace|histc|count_nonzero|cum.*|logcum.*|var_mean|"
        r"std_mean|bincount)($|\.)|trace|_fused",
    ),
    (
        "shapes",
        "Views and arrangements: entries move, and their values stay.",
        r"(_?unsafe_)?(alias|as_strided|cat|stack|chunk|split|unbind|expand|view|_?reshape|permute|"
        r"transpose|t_?$|t\.|squeeze|unsqueeze|slice|select|diagonal|diag|narrow|unfold|flip|roll|"
        r"rot90|repeat|tril|triu|block_diag|_unsafe_view|_reshape|detach|swap|lift|clone|"
        r"_lazy_clone|_to_copy|to|_pin|contiguous|resize|set|fill|zero|copy|_copy)",
    ),
)
OTHER = ("pointwise", "Functions of each entry by itself.")


def family_of(operator: str) -> str:
    """The family of an operator.

    >>> family_of("linalg_qr"), family_of("upsample_nearest1d_backward"), family_of("sin")
    ('linalg', 'upsampling', 'pointwise')
    """
    return next((name for name, _, pattern in FAMILIES if re.match(pattern, operator)), OTHER[0])


def title_of(family: str) -> str:
    """The first line of a family's file."""
    return {name: title for name, title, _ in FAMILIES}.get(family, OTHER[1])
