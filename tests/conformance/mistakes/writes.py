"""Values that are changed after they were saved, and writes in place."""

import numpy as np

import pullback as pb
from tests.conformance.mistakes import leaf, mistake


@mistake
def an_input_changed():
    x = pb.tensor([1.0, 2.0], requires_grad=True)
    y = pb.tensor([1.0, 2.0], name="weights")
    z = x * y
    y += 1.0
    z.sum().backward()


@mistake
def an_input_without_a_name_changed():
    x = leaf() * 2.0
    z = np.sin(x)
    x[0] = 1.0
    z.sum().backward()


@mistake
def a_result_changed():
    z = np.exp(leaf())
    z += 1.0
    z.sum().backward()


@mistake
def an_input_changed_through_a_view():
    x = leaf() * 2.0
    z = np.sin(x)
    x[:1].zero_()
    z.sum().backward()


@mistake
def an_input_of_a_recorded_backward_changed():
    x = leaf()
    y = pb.tensor([1.0, 2.0, 3.0])
    (g,) = pb.grad((x * x * x * y).sum(), x, create_graph=True)
    with pb.no_grad():
        x += 1.0
    g.sum().backward()


@mistake
def writing_to_a_leaf():
    leaf()[0] = 1.0


@mistake
def writing_to_a_broadcast_array():
    np.broadcast_to(leaf() * 2.0, (2, 3))[0] = 1.0


@mistake
def adding_to_a_leaf():
    x = leaf("x")
    x += 1.0


@mistake
def writing_to_a_view_of_a_leaf():
    leaf()[:2][0] = 1.0


@mistake
def writing_to_a_view_made_under_no_grad():
    x = leaf() * 2.0
    with pb.no_grad():
        view = x[:2]
    view[0] = leaf()[0]


@mistake
def writing_a_value_that_does_not_fit():
    x = leaf() * 2.0
    x[:2] = np.ones(3)


@mistake
def a_result_that_does_not_fit():
    x = leaf() * 2.0
    x += np.ones((2, 3))


@mistake
def a_result_of_another_dtype():
    x = pb.tensor([1, 2, 3])
    x += leaf()


@mistake
def writing_out_of_bounds():
    x = leaf() * 2.0
    x[5] = 1.0


@mistake
def reading_out_of_bounds():
    leaf()[5]


@mistake
def reading_by_too_many_indices():
    leaf()[0, 0]


@mistake
def writing_by_numpy_to_what_is_saved():
    x = pb.tensor([1.0, 2.0, 3.0])
    y = leaf() * x
    x.numpy()[0] = 1.0
    assert y.requires_grad


@mistake
def an_out_of_a_leaf():
    np.exp(leaf(), out=leaf())
