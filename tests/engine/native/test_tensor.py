"""The native tensor: a C type over memory that NumPy sees."""

import numpy as np
import pytest

import pullback as pb

pytestmark = pytest.mark.native


def test_it_is_a_tensor_of_the_public_type():
    x = pb.tensor([1.0])
    assert isinstance(x, pb.Tensor)
    assert type(x).__module__ == "pullback.engine.native"


def test_it_is_made_by_functions_only():
    with pytest.raises(TypeError, match="cannot create"):
        type(pb.tensor([1.0]))()


@pytest.mark.parametrize(
    "dtype", ["bool", "int8", "uint16", "int64", "float16", "float32", "float64", "longdouble"]
)
def test_metadata_are_numpys(dtype):
    array = np.zeros((2, 3), dtype)
    x = pb.tensor(array)
    assert (x.shape, x.ndim, x.size, x.dtype) == (array.shape, array.ndim, array.size, array.dtype)
    np.testing.assert_array_equal(x.numpy(), array)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_leaf_of_more_than_a_few_values_begins_at_a_line_of_the_cache(dtype):
    array = np.arange(4097, dtype=dtype)[1:]
    x = pb.tensor(array)
    assert x.detach().numpy().ctypes.data % 64 == 0
    array[0] = 7
    np.testing.assert_array_equal(x.numpy(), np.arange(1, 4097))


@pytest.mark.parametrize("view", [np.s_[::2], np.s_[::-1], np.s_[:, None], np.s_[1:1], np.s_[0]])
def test_from_numpy_shares_memory_of_any_strides(view):
    base = np.arange(12.0).reshape(4, 3)
    x = pb.from_numpy(base[view])
    base[...] = 7.0
    np.testing.assert_array_equal(x.numpy(), base[view])


@pytest.mark.parametrize("axes", [4, 5, 8, 9, 20])
def test_tensors_have_as_many_axes_as_arrays(axes):
    array = np.arange(6.0).reshape((2,) + (1,) * (axes - 2) + (3,))
    x = pb.tensor(array, requires_grad=True)
    y = np.transpose(x) * np.exp(np.transpose(x))
    assert y.shape == array.T.shape
    np.testing.assert_allclose(y.detach().numpy(), array.T * np.exp(array.T))
    (gradient,) = pb.grad(y, x, grad_outputs=np.ones(y.shape))
    np.testing.assert_allclose(gradient.numpy(), (1 + array) * np.exp(array))


def test_a_value_is_read_only_while_it_is_saved(apply, squared):
    x = pb.tensor([1.0, 2.0], requires_grad=True)
    array = x.detach().numpy()
    assert array.flags.writeable
    y = apply(squared, x)
    assert not array.flags.writeable
    assert not x.detach().numpy().flags.writeable
    del y
    assert array.flags.writeable


def test_a_saved_value_that_changed_is_an_error_with_both_places(apply, squared):
    x = pb.tensor([1.0, 2.0], requires_grad=True, name="weights")
    y = apply(squared, x)
    x._bump_version()
    with pytest.raises(pb.errors.SavedVariableError) as caught:
        y.backward(pb.tensor([1.0, 1.0]))
    message = str(caught.value)
    for part in (
        "squared",
        "'weights'",
        "'x'",
        "(2,)",
        "float64",
        "saved at version 0",
        "now at version 1",
        "hand.py:1:1",
    ):
        assert part in message
    assert "test_tensor.py:" in message, "where it was changed"
    assert "conftest.py:" in message, "where it was saved"


def test_tensors_over_the_same_memory_share_a_version(apply, make):
    halves = make(
        "halves", lambda x: (x[:2], x[2:]), lambda saved, grads: None, n_results=2, result_is_tuple=True
    )
    x = pb.tensor([1.0, 2.0, 3.0])
    first, second = apply(halves, x)
    second._bump_version()
    assert (x._version, first._version, x.detach()._version) == (1, 1, 1)
    assert apply(make("fresh", lambda x: x + 1.0, None), x)._version == 0


def test_a_tensor_of_the_other_engine_is_refused(apply, make, squared):
    with pb.use_engine("reference"):
        other = pb.tensor(1.0)
    stacked = make("stacked", np.stack, None, kind="list")
    for operator, argument in ((squared, other), (stacked, [pb.tensor(1.0), other])):
        with pytest.raises(pb.errors.EngineMismatchError, match="reference"):
            apply(operator, argument)


def test_grad_takes_tensors_of_its_own_shape_only():
    x = pb.tensor([1.0, 2.0])
    x.grad = pb.tensor([3.0, 4.0])
    with pytest.raises(TypeError, match=r"shape \(2,\)"):
        x.grad = pb.tensor(1.0)
    x.grad = None
    assert x.grad is None


def test_a_name_is_text():
    x = pb.tensor(1.0, name="a")
    assert x.detach().name == "a"
    with pytest.raises(TypeError, match="str or None"):
        x.name = 3
