"""Checkpoints, transforms and forward mode."""

import numpy as np

import pullback as pb
from tests.conformance.mistakes import leaf, mistake
from tests.conformance.mistakes.formulas import failing, misgraded


@mistake
def a_checkpoint_that_saves_fewer_values():
    calls = []

    def function(x):
        calls.append(x)
        return np.sin(np.exp(x)) if len(calls) == 1 else x * 2.0

    pb.checkpoint(function, leaf()).sum().backward()


@mistake
def a_checkpoint_with_another_shape():
    calls = []

    def function(x):
        calls.append(x)
        return np.exp(x if len(calls) == 1 else x[:1]).sum()

    pb.checkpoint(function, leaf()).sum().backward()


@mistake
def a_strict_jacobian():
    pb.jacobian(lambda x: pb.tensor([1.0]), leaf(), strict=True)


@mistake
def a_branch_inside_of_vmap():
    pb.func.vmap(lambda x: x if x > 0 else -x)(np.ones(2))


@mistake
def a_vjp_without_v():
    pb.vjp(lambda x: x * 2.0, leaf())


@mistake
def a_vjp_with_v_of_another_shape():
    pb.vjp(lambda x: x * 2.0, leaf(), np.ones(2))


@mistake
def a_hessian_of_a_vector():
    pb.hessian(lambda x: x * 2.0, leaf())


@mistake
def a_function_that_returns_no_tensor():
    pb.jacobian(lambda x: 1.0, leaf())


@mistake
def a_value_and_grad_that_returns_no_tensor():
    pb.value_and_grad(float)(np.array(1.0))


@mistake
def a_dual_outside_of_a_level():
    pb.forward_ad.make_dual(leaf(), np.ones(3))


@mistake
def a_tangent_of_another_shape():
    with pb.forward_ad.dual_level():
        pb.forward_ad.make_dual(leaf(), np.ones(2))


@mistake
def levels_in_levels():
    with pb.forward_ad.dual_level(), pb.forward_ad.dual_level():
        pass


@mistake
def an_array_of_a_dual():
    with pb.forward_ad.dual_level():
        pb.forward_ad.make_dual(pb.tensor([1.0]), [1.0]).numpy()


@mistake
def a_tangent_of_a_formula_that_is_not_linear():
    with pb.forward_ad.dual_level():
        failing(pb.forward_ad.make_dual(pb.tensor([1.0]), [1.0]))


@mistake
def a_graph_of_what_has_none():
    pb.graph(pb.tensor([1.0]))


@mistake
def a_wrong_derivative():
    pb.gradcheck(misgraded, leaf())


@mistake
def tensors_of_two_engines():
    tensors = []
    for name in ("native", "reference"):
        with pb.use_engine(name):
            tensors.append(leaf())
    tensors[0] * tensors[1]
