"""Gradients that are asked for wrongly, or that go wrong."""

import numpy as np

import pullback as pb
from tests.conformance.formulas import simple
from tests.conformance.mistakes import leaf, mistake
from tests.conformance.mistakes.formulas import failing, misshapen, only_once, undefined_logarithm


@mistake
def backward_of_a_vector():
    (leaf() * 2.0).backward()


@mistake
def backward_of_what_has_no_gradient():
    pb.tensor([1.0]).backward()


@mistake
def backward_under_no_grad():
    x = leaf()
    with pb.no_grad():
        x.sum().backward()


@mistake
def a_seed_of_another_shape():
    (leaf() * 2.0).backward(np.ones(2))


@mistake
def a_seed_that_is_complex():
    (leaf() * 2.0).backward(np.ones(3) * 1j)


@mistake
def too_many_seeds():
    pb.grad([leaf() * 2.0], [leaf()], [np.ones(3), np.ones(3)])


@mistake
def no_outputs():
    pb.grad([], [leaf()])


@mistake
def no_inputs():
    pb.grad(leaf().sum(), [])


@mistake
def backward_to_no_inputs():
    leaf().sum().backward(inputs=())


@mistake
def zeros_and_an_error():
    pb.grad(leaf().sum(), leaf(), allow_unused=False, materialize_grads=True)


@mistake
def backward_of_no_outputs():
    pb.backward([])


@mistake
def outputs_that_are_no_tensors():
    pb.grad([1.0], [leaf()])


@mistake
def inputs_that_are_no_tensors():
    pb.grad(leaf().sum(), [1.0])


@mistake
def inputs_of_none():
    pb.grad(leaf().sum(), None)


@mistake
def an_input_that_requires_no_grad():
    pb.grad(leaf().sum(), pb.tensor([1.0]))


@mistake
def an_unused_input():
    pb.grad(leaf().sum(), leaf("unused"))


@mistake
def a_second_unused_input():
    x = leaf()
    pb.grad(x.sum(), [x, leaf()])


@mistake
def backward_twice():
    y = (leaf() * leaf()).sum()
    y.backward()
    y.backward()


@mistake
def backward_twice_through_a_formula():
    y = simple(leaf(), leaf()).sum()
    y.backward()
    y.backward()


@mistake
def a_second_derivative_behind_a_barrier():
    x = leaf()
    (g,) = pb.grad(only_once(x).sum(), x, create_graph=True)
    g.sum().backward()


@mistake
def a_gradient_of_another_shape():
    misshapen(leaf()).sum().backward()


@mistake
def a_gradient_of_another_shape_that_is_recorded():
    misshapen(leaf()).sum().backward(create_graph=True)


@mistake
def an_exception_in_a_closure():
    failing(leaf()).sum().backward()


@mistake
def an_exception_in_a_closure_that_is_recorded():
    failing(leaf()).sum().backward(create_graph=True)


@mistake
def a_nan_in_anomaly_mode():
    with pb.detect_anomaly():
        y = undefined_logarithm(leaf()).sum()
        with np.errstate(invalid="ignore"):
            y.backward()


@mistake
def a_grad_of_another_shape():
    leaf().grad = pb.tensor([1.0])


@mistake
def a_grad_of_another_dtype():
    leaf().grad = pb.tensor(np.ones(3, np.float32))


@mistake
def a_grad_that_is_the_tensor():
    x = leaf()
    x.grad = x


@mistake
def a_grad_that_is_an_array():
    leaf().grad = np.ones(3)
