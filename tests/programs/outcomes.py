"""What is known of the programs that are not compiled, or not to second order, each with the reason."""

# Programs outside of the formula language: the diagnostic's code and message.
REFUSED = {
    "black_scholes_scipy_stats": (
        "PB106 the gradient of 'black_scholes_scipy_stats' passes 'norm.cdf', whose derivative is not known: "
        "it has no formula"
    ),
    "heston_path": "PB301 `v` may be the input `v0`, which this changes in place for the caller as well",
    "lindenmayer": "PB402 `.replace` of this value is outside of the formula language",
    "lists_of_lists": "PB401 `<list>` must grow by one tensor, or by one number, in every ",
    "path_length": "PB404 `*` needs a tuple that is written out",
    "soft_dtw_lists": "PB401 a list that stands in a list grows in a branch or a loop",
    "try_and_except": "PB401 a `try` statement is outside of the formula language",
    "vending_machine": "PB402 `.split` of this value is outside of the formula language",
}

# Samples whose kernels are refused, in all or for derivatives: they run on the formula's Python.
KERNELS = {
    "absorption_times": "PB501 `numpy.ix_` is not in the vocabulary, and what is not there is not compiled",
    "clip_polygon": "runs on Python",
    "count_weighted": "its backward runs on Python",
    "diagonal_by_index": "PB501 `min` of these values is not compiled",
    "dropout": "runs on Python",
    "dropout(training=False)": "runs on Python",
    "early_ways_out": "runs on Python",
    "fft_energy": "PB501 rfft is not compiled",
    "masked_mean": "runs on Python",
    "run_lengths": "runs on Python",
    "string_of_letters": "PB501 item of these values is not compiled",
}

# Programs whose kernels take long to compile.
TAKES_LONG = frozenset(
    {
        "allpass_cascade",
        "average_price",
        "biquad",
        "cholesky",
        "conjugate_gradient",
        "ctc_like",
        "double_pendulum_step",
        "expectation_maximization",
        "dtw_row_by_row",
        "expm_squaring",
        "extended_kalman",
        "gauss_seidel",
        "gradient_descent",
        "gravity_forces",
        "gru",
        "hermite_slopes",
        "iir_filter",
        "implied_volatility",
        "jacobi",
        "kalman_filter",
        "kalman_matrix",
        "knapsack_relaxed",
        "lagrange",
        "longest_common_soft",
        "lorenz_rk4",
        "lstm",
        "lu_determinant",
        "matrix_chain",
        "mixture_by_loops",
        "multi_head_attention",
        "portfolio_variance_loops",
        "potential_energy",
        "projectile_range",
        "smith_waterman",
        "soft_dtw",
        "soft_edit_distance",
        "soft_needleman_wunsch",
        "sorting_network",
        "successive_over_relaxation",
        "thomas",
        "three_bodies",
        "tree_of_values",
        "value_iteration",
        "van_der_pol_implicit",
    }
)

# Programs that PyTorch computes in another dtype than NumPy, or has no equal of something in.
NOT_IN_PYTORCH = {
    "logistic_log_likelihood": "NumPy makes float64 of whole numbers, PyTorch does not",
    "negative_binomial": "NumPy makes float64 of whole numbers, PyTorch does not",
    "poisson_log_likelihood": "NumPy makes float64 of whole numbers, PyTorch does not",
    "run_lengths": "NumPy makes float64 of whole numbers, PyTorch does not",
}

# Programs that JAX has no equal of something in, or that ask for a value of an array.
NOT_IN_JAX = {"run_lengths": "a hidden output of whole numbers has no cotangent in jax.linear_transpose"}
