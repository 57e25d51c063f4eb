"""What requires grad, and what can't; values and arguments; tensors of inference mode."""

import array
import copy
import io
from fractions import Fraction

import numpy as np

import pullback as pb
import pullback.numpy as pnp
from tests.conformance.formulas import simple
from tests.conformance.mistakes import leaf, made_in_inference_mode, mistake


@mistake
def requires_grad_taken_from_a_result():
    (leaf() * 2.0).requires_grad = False


@mistake
def requires_grad_taken_from_a_result_by_the_method():
    (leaf() * 2.0).requires_grad_(False)


@mistake
def integers_require_grad():
    pb.tensor([1, 2], requires_grad=True)


@mistake
def requires_grad_of_integers():
    pb.tensor([1, 2]).requires_grad = True


@mistake
def an_operator_of_real_values():
    np.max(pb.tensor([1j], requires_grad=True))


@mistake
def a_gradient_of_a_complex_result():
    pb.grad((leaf() * 1j)[0], leaf())


@mistake
def an_inference_tensor_of_integers_requires_grad():
    with pb.inference_mode():
        x = pb.tensor([1, 2])
    x.requires_grad_()


@mistake
def text_is_no_tensor():
    pb.tensor(["a"])


@mistake
def objects_are_no_tensor():
    pb.from_numpy(np.array([object()]))


@mistake
def a_name_that_is_no_text():
    leaf().name = 3


@mistake
def an_axis_requires_grad():
    pnp.roll(leaf(), leaf().sum())


@mistake
def a_float_of_a_vector():
    float(leaf())


@mistake
def a_truth_of_a_vector():
    bool(leaf() > 0)


@mistake
def an_item_of_a_vector():
    leaf().item()


@mistake
def iterating_over_a_scalar():
    list(leaf().sum())


@mistake
def a_list_of_tensors_of_two_shapes():
    pnp.exp([leaf(), leaf().sum()])


@mistake
def a_function_without_a_derivative():
    np.fmod.reduce(leaf())


@mistake
def shapes_that_do_not_broadcast():
    leaf() + pb.tensor([1.0, 2.0])


@mistake
def an_axis_that_is_not_there():
    leaf().sum(axis=3)


@mistake
def matrices_that_do_not_fit():
    pb.tensor(np.ones((2, 3)), requires_grad=True) @ pb.tensor(np.ones((2, 3)))


@mistake
def an_argument_too_many():
    pnp.exp(leaf(), 1, 2, 3)


@mistake
def an_argument_missing():
    simple(leaf())


@mistake
def an_unknown_keyword():
    simple(leaf(), b=leaf(), c=1)


@mistake
def an_argument_twice():
    simple(leaf(), leaf(), a=leaf())


@mistake
def numpy_of_a_tensor_that_requires_grad():
    np.asarray(leaf())


@mistake
def copying_a_result():
    copy.deepcopy(leaf() * 2.0)


@mistake
def saving_an_inference_tensor():
    leaf() * made_in_inference_mode()


@mistake
def saving_an_inference_tensor_in_a_function():
    np.exp(made_in_inference_mode() * leaf())


@mistake
def saving_a_named_inference_tensor():
    x = made_in_inference_mode()
    x.name = "weights"
    simple(leaf(), x)


@mistake
def saving_a_list_with_an_inference_tensor():
    pnp.linalg.multi_dot([np.ones((2, 3)), made_in_inference_mode(), leaf()])


@mistake
def an_inference_tensor_requires_grad():
    made_in_inference_mode().requires_grad_()


@mistake
def writing_to_an_inference_tensor():
    made_in_inference_mode()[0] = 1.0


@mistake
def adding_to_an_inference_tensor():
    x = made_in_inference_mode()
    x += leaf()


@mistake
def a_file_of_what_requires_grad():
    np.savez(io.BytesIO(), leaf())


@mistake
def numbers_that_are_objects():
    leaf() * Fraction(1, 2)


@mistake
def none_in_the_place_of_a_value():
    np.where([True, False, True], leaf(), None)


@mistake
def an_array_of_the_standard_library():
    simple(leaf(), array.array("d", [1.0, 2.0, 3.0]))


@mistake
def a_number_of_what_requires_grad():
    float(leaf().sum())
