"""Classes of published packages whose second derivatives were measured, and what lint is to say of them.

`WRONG` second derivatives are silently wrong: some finding of severity error or warning names one of
`values`. `RIGHT` ones are right. `FIRST` derivatives are wrong where the text shows it. Nothing of these
packages is in this repository: the test fetches them.
"""

from __future__ import annotations

from typing import NamedTuple

PACKAGES = {
    "botorch": "0.18.1",
    "entmax": "1.3",
    "gpytorch": "1.15.2",
    "kornia": "0.9.0",
    "linear_operator": "0.6.1",
    "pyro_ppl": "1.9.2",
    "snntorch": "1.0.0",
    "timm": "1.0.31",
    "torchdiffeq": "0.2.5",
    "transformers": "5.23.0",
    "xitorch": "0.5.1",
}


class Case(NamedTuple):
    """A class, and for a wrong one the values that a finding may name."""

    package: str
    path: str
    name: str
    values: tuple[str, ...] = ()


WRONG = (
    Case("gpytorch", "gpytorch/functions/_log_normal_cdf.py", "LogNormalCDF", ("denominator", "numerator")),
    Case("gpytorch", "gpytorch/functions/matern_covariance.py", "MaternCovariance", ("d_output_d_input",)),
    Case("gpytorch", "gpytorch/functions/rbf_covariance.py", "RBFCovariance", ("d_output_d_input",)),
    Case(
        "gpytorch",
        "gpytorch/variational/large_batch_variational_strategy.py",
        "QuadFormDiagonal",
        ("product",),
    ),
    Case(
        "gpytorch",
        "gpytorch/variational/variational_strategy.py",
        "ComputePredictiveUpdates",
        ("interp_term",),
    ),
    Case(
        "gpytorch",
        "gpytorch/variational/ciq_variational_strategy.py",
        "_NgdInterpTerms",
        ("s_times_interp_term", "expec_vec", "prec"),
    ),
    Case("entmax", "entmax/root_finding.py", "EntmaxBisectFunction", ("alpha",)),
    Case("entmax", "entmax/losses.py", "SparsemaxLossFunction", ("p_star",)),
    Case("entmax", "entmax/losses.py", "Entmax15LossFunction", ("p_star",)),
    Case("torchdiffeq", "torchdiffeq/_impl/odeint.py", "ImplicitFnGradientRerouting", ("event_t", "state_t")),
    Case("torchdiffeq", "torchdiffeq/_impl/adjoint.py", "OdeintAdjointMethod", ("t", "y", "grad_y")),
    Case("transformers", "transformers/models/yoso/modeling_yoso.py", "YosoCumulation", ("expectation",)),
    Case(
        "linear_operator",
        "linear_operator/functions/_sqrt_inv_matmul.py",
        "SqrtInvMatmul",
        ("rhs_solves", "lhs_solves", "lhs_no_shift_solves"),
    ),
    Case("linear_operator", "linear_operator/functions/_inv_quad.py", "InvQuad", ("inv_quad_solves",)),
    Case("linear_operator", "linear_operator/functions/_inv_quad_logdet.py", "InvQuadLogdet", ("solves",)),
    Case(
        "linear_operator",
        "linear_operator/functions/_pivoted_cholesky.py",
        "PivotedCholesky",
        ("matrix_args", "res.backward"),
    ),
    Case(
        "linear_operator",
        "linear_operator/functions/_root_decomposition.py",
        "RootDecomposition",
        ("q_mat", "root_evals"),
    ),
    Case("xitorch", "xitorch/integrate/quad.py", "_Quadrature", ("tensor_params",)),
    Case("kornia", "kornia/geometry/epipolar/essential.py", "_NullSpaceBasis", ("S", "V")),
)

RIGHT = (
    *(Case("entmax", "entmax/activations.py", name) for name in ("SparsemaxFunction", "Entmax15Function")),
    *(
        Case("entmax", "entmax/root_finding.py", name)
        for name in ("SparsemaxBisectFunction", "NormmaxBisectFunction", "BudgetBisectFunction")
    ),
    *(
        Case("timm", "timm/layers/activations_me.py", name)
        for name in (
            "SwishAutoFn",
            "MishAutoFn",
            "HardSigmoidAutoFn",
            "HardSwishAutoFn",
            "HardMishAutoFn",
        )
    ),
    Case("torchdiffeq", "torchdiffeq/_impl/misc.py", "_StitchGradient"),
    Case("xitorch", "xitorch/_impls/linalg/symeig.py", "degen_symeig"),
    Case("xitorch", "xitorch/optimize/rootfinder.py", "_RootFinder"),
    Case("xitorch", "xitorch/integrate/solve_ivp.py", "_SolveIVP"),
    Case("pyro_ppl", "pyro/ops/special.py", "_SafeLog"),
    Case("pyro_ppl", "pyro/contrib/oed/eig.py", "_EwmaLogFn"),
    Case("pyro_ppl", "pyro/distributions/relaxed_straight_through.py", "QuantizeBernoulli"),
    Case("kornia", "kornia/losses/focal.py", "_TargetLogSoftmax"),
    *(
        Case("snntorch", "snntorch/surrogate.py", name)
        for name in (
            "FastSigmoid",
            "Sigmoid",
            "ATan",
            "SpikeRateEscape",
            "StraightThroughEstimator",
            "Triangular",
        )
    ),
    Case("transformers", "transformers/models/bloom/modeling_bloom.py", "GeLUFunction"),
    Case(
        "transformers",
        "transformers/models/recurrent_gemma/modeling_recurrent_gemma.py",
        "SqrtBoundDerivative",
    ),
    Case("transformers", "transformers/models/sew_d/modeling_sew_d.py", "XSoftmax"),
    Case("transformers", "transformers/models/sew_d/modeling_sew_d.py", "XDropout"),
    Case("transformers", "transformers/models/phimoe/modeling_phimoe.py", "PhimoeMultiplier"),
    Case("linear_operator", "linear_operator/functions/_solve.py", "Solve"),
    Case("linear_operator", "linear_operator/functions/_matmul.py", "Matmul"),
    Case("botorch", "botorch/utils/rounding.py", "RoundSTE"),
    Case("botorch", "botorch/utils/rounding.py", "OneHotArgmaxSTE"),
    Case("torch", "torch/testing/_internal/autograd_function_db.py", "NumpyCube"),
    Case("torch", "torch/testing/_internal/autograd_function_db.py", "NumpyMul"),
    Case("torch", "torch/_lobpcg.py", "LOBPCGAutogradFunction"),
)

FIRST = (
    Case("torch", "torch/testing/_internal/autograd_function_db.py", "CubeGenVmap", ("x",)),
    Case("torch", "torch/nn/modules/_functions.py", "CrossMapLRN2d", ("scale",)),
)
