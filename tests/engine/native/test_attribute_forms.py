"""Reductions with kernels for usual attributes: their values are the formula's, whoever computes them."""

import numpy as np
import pytest

import pullback as pb
import pullback.numpy as pnp
from pullback.engine.core.registry import FORMULAS
from pullback.engine.native.kernels import attribute_form, attribute_forms
from pullback.transpile.passes.kernel.attribute_patterns import ALONG, REDUCTIONS, TRIANGLES

pytestmark = pytest.mark.native

RNG = np.random.default_rng(0)
KEEPING = [name for name in REDUCTIONS if not name.endswith("softmax")]
AXES = [None, -1, 0, 1, -2, -3, (0, 2), (1,), (1, 2), (-2, -1), (0, 1), (2, 0), (-1, -1), np.int64(2)]
ARRAYS = {
    "C order": RNG.standard_normal((2, 3, 4)),
    "strides": RNG.standard_normal((4, 6, 5))[::2, ::-2, 1:].transpose(1, 0, 2),
    "zero strides": np.broadcast_to(RNG.standard_normal((3, 4)), (2, 3, 4)),
    "one": RNG.standard_normal((1, 1, 1)),
    "two axes": RNG.standard_normal((3, 4)),
    "four axes": RNG.standard_normal((2, 3, 2, 4)),
    "long": RNG.standard_normal((3, 2, 1000)),
    "ties": np.ones((2, 3, 4)),
    "NaN": np.where(np.arange(24).reshape(2, 3, 4) % 7 == 3, np.nan, 1.5),
    "infinite": np.where(np.arange(24).reshape(2, 3, 4) % 7 == 3, np.inf, 1.5),
}


def result_and_gradient(name, array, attributes):
    """The result, and the gradient of a sum with weights; or the error."""
    x = pb.tensor(array, requires_grad=True)
    try:
        r = getattr(pnp, name)(x, **attributes)
    except (ValueError, TypeError) as error:
        return type(error), str(error)
    weights = np.cos(np.arange(r.size)).reshape(r.shape).astype(r.dtype)
    (dx,) = pb.grad(r, x, pb.tensor(weights))
    return r.detach().numpy(), dx.numpy()


def assert_engines_agree(name, array, attributes, rtol):
    with np.errstate(all="ignore"):
        got = result_and_gradient(name, array, attributes)
        with pb.use_engine("reference"):
            expected = result_and_gradient(name, array, attributes)
    for one, other in zip(got, expected, strict=True):
        if not isinstance(other, np.ndarray):
            assert one == other
            continue
        assert (one.shape, one.dtype) == (other.shape, other.dtype)
        np.testing.assert_allclose(one, other, rtol=rtol, atol=rtol)


OTHERS = {
    "zeros": np.where(np.arange(24).reshape(2, 3, 4) % 5 == 0, 0.0, 1.5),
    "one zero": np.where(np.arange(24).reshape(2, 3, 4) == 7, 0.0, 1.5),
    "empty": np.zeros((2, 0, 4)),
    "a vector": RNG.standard_normal(7),
}


@pytest.mark.parametrize("axis", [None, -1, 0, 1])
@pytest.mark.parametrize("name", ALONG)
def test_what_goes_along_an_axis_agrees(name, axis):
    function = pnp.linalg.norm if name == "norm" else getattr(pnp, name)
    for case, each in (ARRAYS | OTHERS).items():
        if each.ndim == 1 and axis == 1:
            continue
        array = each.reshape(-1, each.shape[-1]) if name == "norm" and axis is None else each
        for dtype, rtol in ((np.float64, 1e-12), (np.float32, 2e-4)):
            with np.errstate(all="ignore"):
                got = first_and_second(function, array.astype(dtype), axis, "native")
                expected = first_and_second(function, array.astype(dtype), axis, "reference")
            for one, other in zip(got, expected, strict=True):
                assert (one.shape, one.dtype) == (other.shape, other.dtype)
                scale = np.max(np.abs(other), initial=1.0, where=np.isfinite(other))
                np.testing.assert_allclose(one, other, rtol=rtol, atol=rtol * scale, err_msg=case)


def first_and_second(function, array, axis, engine):
    """The result, a gradient with weights, and that of the gradient's."""
    with pb.use_engine(engine):
        x = pb.tensor(array, requires_grad=True)
        r = function(x, axis=axis)
        weights = np.cos(np.arange(r.size)).reshape(r.shape).astype(r.dtype)
        (dx,) = pb.grad(r, x, pb.tensor(weights), create_graph=True)
        if not dx.requires_grad:
            return r.detach().numpy(), dx.numpy()
        (second,) = pb.grad(dx, x, pb.tensor(np.sin(array)), materialize_grads=True)
        return r.detach().numpy(), dx.detach().numpy(), second.numpy()


@pytest.mark.parametrize("name", [*ALONG, *TRIANGLES])
def test_whole_numbers_have_numpys_dtype(name):
    function = pnp.linalg.norm if name == "norm" else getattr(pnp, name)
    for dtype in (np.int64, np.int32, np.uint8):
        array = np.array([[3, 1, 2], [2, 2, 0], [5, 0, 1]], dtype)
        for attributes in ({},) if name in TRIANGLES else ({}, {"axis": 0}, {"axis": -1}):
            found, expected = function(pb.tensor(array), **attributes), function(array, **attributes)
            assert found.dtype == expected.dtype
            np.testing.assert_allclose(found.numpy(), expected)


@pytest.mark.parametrize("name", [*REDUCTIONS, *ALONG, *TRIANGLES, "trace"])
def test_each_usual_attribute_has_its_kernels(name):
    operator = FORMULAS.of_operator(name).operator
    forms = attribute_forms(operator)
    assert all(attribute_form(operator, index) is not None for index in range(len(forms.values)))


@pytest.mark.parametrize("ord", [1, 2, 3])
def test_norms_of_an_order_agree(ord):
    def norm(x, axis):
        return pnp.linalg.vector_norm(x, axis=axis, ord=ord)

    for case, each in (ARRAYS | OTHERS).items():
        for axis in (-1, 0, None):
            with np.errstate(all="ignore"):
                got = first_and_second(norm, each, axis, "native")
                expected = first_and_second(norm, each, axis, "reference")
            for one, other in zip(got, expected, strict=True):
                assert (one.shape, one.dtype) == (other.shape, other.dtype)
                np.testing.assert_allclose(one, other, rtol=1e-11, atol=1e-11, err_msg=case)


@pytest.mark.parametrize("offset", [0, 1, -1])
@pytest.mark.parametrize("axes", [(0, 1), (1, 0), (-1, 0)], ids=str)
def test_traces_agree(axes, offset):
    attributes = {"offset": offset, "axis1": axes[0], "axis2": axes[1]}
    for array in (*ARRAYS.values(), np.zeros((0, 4)), np.ones((1, 3))):
        for dtype, rtol in ((np.float64, 1e-12), (np.float32, 2e-5)):
            assert_engines_agree("trace", array.astype(dtype), attributes, rtol)


@pytest.mark.parametrize("name", TRIANGLES)
def test_triangles_agree(name):
    for array in (*ARRAYS.values(), np.zeros((2, 0, 4)), np.arange(20.0).reshape(4, 5).T):
        for attributes in ({}, {"k": 0}, {"k": 1}, {"k": -1}, {"k": -7}):
            got = result_and_gradient(name, array, attributes)
            with pb.use_engine("reference"):
                expected = result_and_gradient(name, array, attributes)
            for one, other in zip(got, expected, strict=True):
                np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("axis", AXES, ids=str)
@pytest.mark.parametrize("name", REDUCTIONS)
def test_both_engines_agree(name, axis):
    for array in ARRAYS.values():
        for dtype, rtol in ((np.float64, 1e-12), (np.float32, 2e-5)):
            for keepdims in (False, True) if name in KEEPING else (None,):
                attributes = {"axis": axis} if keepdims is None else {"axis": axis, "keepdims": keepdims}
                assert_engines_agree(name, array.astype(dtype), attributes, rtol)


@pytest.mark.parametrize("name", REDUCTIONS)
@pytest.mark.parametrize(
    ("shape", "axis"),
    [((0,), None), ((0, 3), 0), ((0, 3), -1), ((3, 0), -1), ((), None), ((), 1), ((3,), 0), ((3,), 1)],
    ids=str,
)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_few_axes_and_few_entries_are_as_in_the_formula(name, shape, axis):
    assert_engines_agree(name, RNG.standard_normal(shape), {"axis": axis}, 1e-12)


@pytest.mark.parametrize(
    ("name", "dtype"),
    [
        (name, dtype)
        for name in REDUCTIONS
        for dtype in (np.int64, np.bool_, np.float16, ">f8")
        # NumPy subtracts no booleans, which these do.
        if dtype is not np.bool_ or not name.endswith(("softmax", "logsumexp"))
    ],
)
def test_dtypes_without_kernels_run_the_formula(name, dtype):
    array = np.arange(6).reshape(2, 3).astype(dtype)
    function = getattr(pnp, name)
    with pb.use_engine("reference"):
        expected = function(pb.from_numpy(array), axis=-1)
    got = function(pb.from_numpy(array), axis=-1)
    assert got.dtype == expected.dtype
    np.testing.assert_array_equal(got.numpy(), expected.numpy())


@pytest.mark.parametrize("axis", [None, 0, -1, 2, -3])
@pytest.mark.parametrize("name", REDUCTIONS)
def test_usual_attributes_never_reach_python(python_forwards, name, axis):
    x = pb.tensor(RNG.standard_normal((2, 3, 4)), requires_grad=True)
    result = getattr(pnp, name)(x, axis=axis)
    assert (result.grad_fn.name, python_forwards) == (name, [])


@pytest.mark.parametrize(
    "call", [lambda x: x.sum(axis=-1), lambda x: np.sum(x, -1), lambda x: pnp.sum(x, -1)]
)
def test_methods_and_functions_of_numpy_run_the_kernels_too(python_forwards, call):
    x = pb.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    np.testing.assert_array_equal(call(x).detach().numpy(), [3.0, 7.0])
    assert python_forwards == []


def test_what_numpys_signature_has_besides_runs_as_before():
    x = pb.tensor(np.array([[1.0, 2.0], [3.0, 4.0]], np.float32))
    assert pnp.sum(x, axis=-1, dtype=np.float64).dtype == np.float64
    np.testing.assert_array_equal(pnp.max(x, axis=0, initial=3.5).numpy(), [3.5, 4.0])
    out = pb.tensor(np.zeros(2, np.float32))
    assert pnp.sum(x, axis=-1, out=out) is out
    np.testing.assert_array_equal(out.numpy(), [3.0, 7.0])


@pytest.mark.parametrize("name", REDUCTIONS)
def test_higher_derivatives_are_those_of_the_formula(name):
    x = pb.tensor(RNG.permutation(6).reshape(2, 3) / 3.0, requires_grad=True)
    for axis in (None, -1, 0):
        assert pb.gradcheck(lambda x, axis=axis: getattr(pnp, name)(x * x, axis=axis), x, order=2)


def test_a_formula_of_the_users_own_with_the_name_of_one_keeps_its_meaning():
    @pb.formula
    def softmax(x, *, axis=-1, temperature=1.0):
        def softmax_pullback(grad):
            return grad * temperature

        return x * temperature, softmax_pullback

    x = pb.tensor([[1.0, 2.0]], requires_grad=True)
    y = softmax(x, temperature=2.0) + softmax(x, axis=0)
    np.testing.assert_array_equal(y.detach().numpy(), [[3.0, 6.0]])
    np.testing.assert_array_equal(pb.grad(y.sum(), x)[0].numpy(), [[3.0, 3.0]])


def test_a_kernel_of_another_text_is_not_used(monkeypatch):
    from pullback.engine.native import _native, kernels

    _, addresses = _native.builtin_kernels()["sum_all"]
    operator = pb.formulas()["sum"].operator
    assert kernels.attribute_form(operator, 0) is not None
    monkeypatch.setattr(kernels, "builtin_kernels", lambda: {"sum_all": ("another digest", addresses)})
    assert kernels.attribute_form(operator, 0) is None


@pytest.mark.parametrize("name", ["sum", "exp"])
def test_a_call_for_hidden_outputs_gives_a_tuple(name):
    (result,) = pb.formulas()[name].promoted(pb.tensor([0.0, 0.0]))
    assert result.shape == (() if name == "sum" else (2,))


def test_forward_mode_and_the_tape_see_the_operator_with_its_attributes():
    x = np.array([[1.0, 2.0], [3.0, 5.0]])
    with pb.tape() as tape:
        pnp.mean(pb.tensor(x, requires_grad=True), axis=-1)
    assert "axis=-1" in tape.source
    _, tangent = pb.jvp(lambda x: pnp.logsumexp(x, axis=-1), pb.tensor(x), pb.tensor(np.ones((2, 2))))
    np.testing.assert_allclose(tangent.numpy(), [1.0, 1.0])
