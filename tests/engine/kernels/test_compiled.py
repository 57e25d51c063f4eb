import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import pullback as pb
from pullback import primitives
from pullback.engine.kernels.launch import CompiledKernel, NotTaken
from pullback.transpile.diagnostics import FormulaError
from tests.sampling import sampled

from .programs import PROGRAMS, arithmetic, centered, joined, products, strong, total, two_results, weak

pytestmark = pytest.mark.compiler

BY_NAME = {program.__name__: program for program in PROGRAMS}
# Rounding is a step function: its inputs stay off the steps, where a last bit would decide.
FLOATS = st.floats(-4, 4, width=32).map(lambda x: round(x * 16) / 16 + 1 / 64)


@pytest.fixture(scope="module")
def compiled():
    made = {}

    def get(program, order=0):
        if (program, order) not in made:
            made[program, order] = pb.compile(program, order)
        return made[program, order]

    return get


@st.composite
def operands(draw, min_side=1):
    """Two arrays that broadcast, of two axes or more, in any memory layout."""
    full = draw(hnp.array_shapes(min_dims=2, max_dims=3, min_side=min_side, max_side=5))
    dtype = draw(st.sampled_from([np.float32, np.float64]))
    a = draw(hnp.arrays(dtype, full, elements=FLOATS))
    small = tuple(draw(st.sampled_from([n, 1])) for n in full)[draw(st.integers(0, 1)) :]
    b = draw(hnp.arrays(dtype, small, elements=FLOATS))
    return draw(layout(a)), draw(layout(b))


@st.composite
def layout(draw, array):
    """The same values in C order, in Fortran order, reversed, or as every second of a larger array."""
    way = draw(st.sampled_from(["C", "F", "reversed", "sparse"]))
    if way == "F":
        return np.asfortranarray(array)
    if way == "reversed":
        return np.flip(np.flip(array).copy())
    if way == "sparse":
        wide = np.zeros((*array.shape[:-1], 2 * array.shape[-1]), array.dtype)
        wide[..., ::2] = array
        return wide[..., ::2]
    return array


def results(value):
    return value if isinstance(value, tuple) else (value,)


def agree(found, expected, rtol):
    for one, other in zip(results(found), results(expected), strict=True):
        assert one.dtype == other.dtype
        assert one.shape == other.shape
        np.testing.assert_allclose(one, other, rtol=rtol, atol=rtol)


@pytest.mark.parametrize("name", sampled(BY_NAME, 2))
@settings(max_examples=15, deadline=None)
@given(data=st.data())
def test_a_compiled_function_gives_what_numpy_gives(name, compiled, data):
    a, b = data.draw(operands())
    program = BY_NAME[name]
    with np.errstate(all="ignore"):
        expected = program(a, b)
        agree(compiled(program)(a, b), expected, 2e-5 if a.dtype == np.float32 else 1e-12)


@pytest.mark.parametrize("name", BY_NAME)
def test_no_program_falls_back_to_python(name, compiled, monkeypatch):
    taken = []
    call = CompiledKernel.with_plain_outputs
    monkeypatch.setattr(
        CompiledKernel, "with_plain_outputs", lambda self, *args: taken.append(self) or call(self, *args)
    )
    operator = compiled(BY_NAME[name]).operator()
    monkeypatch.setattr(type(operator).__mro__[1], "forward", None)
    operator.forward((np.ones((3, 4)), np.full((3, 4), 0.5)), {})
    assert taken


@pytest.mark.parametrize("program", [arithmetic, centered, total])
def test_nan_infinities_and_signed_zeros_pass_through(program, compiled):
    a = np.array([[np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-310]])
    b = np.array([[1.0, 2.0, 3.0, -0.0, 5.0, 1.0]])
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(compiled(program)(a, b), program(a, b))


def test_empty_arrays(compiled):
    a = np.zeros((0, 3))
    assert compiled(arithmetic)(a, a).shape == (0, 3)
    assert compiled(total)(a, a) == 0.0


def test_a_maximum_of_nothing_is_numpys_error(compiled):
    with pytest.raises(ValueError, match="zero-size"):
        compiled(BY_NAME["extremes"])(np.zeros((2, 0)), np.zeros((2, 0)))


def test_zero_dimensional_inputs_and_python_numbers(compiled):
    assert compiled(arithmetic)(np.float64(2), np.float64(3)) == arithmetic(np.float64(2), np.float64(3))
    found = compiled(arithmetic)(np.ones(3, np.float32), 2.0)
    agree(found, arithmetic(np.ones(3, np.float32), 2.0), 1e-6)


def test_numpys_scalars_widen_and_pythons_do_not(compiled):
    x = np.ones(3, np.float32)
    assert compiled(strong)(x, x).dtype == np.float64
    assert compiled(weak)(x, x).dtype == np.float32


def softened(x, *, eps: float = 1e-5):
    return x / np.sqrt(np.mean(x * x) + eps)


@pytest.mark.parametrize("eps", [1e-3, np.float32(1e-3), np.float64(1e-3), np.int64(1)])
def test_an_attribute_widens_as_in_numpy(eps):
    fast, x = pb.compile(softened), np.ones(3, np.float32)
    assert fast(x, eps=eps).dtype == fast(pb.tensor(x), eps=eps).dtype == softened(x, eps=eps).dtype


@pytest.mark.parametrize("dtype", [np.int64, np.float16, np.complex128])
def test_other_dtypes_run_on_the_formula(dtype, compiled):
    a = np.ones((2, 3), dtype)
    agree(compiled(total)(a, a), total(a, a), 1e-3)


def test_a_large_float32_sum_is_as_good_as_numpys(compiled):
    x = np.random.default_rng(0).random((1000, 1000), np.float32)
    exact = (x.astype(np.float64) ** 2).sum()
    assert abs(float(compiled(total)(x, x)) - exact) <= abs(float((x * x).sum()) - exact) + 1e-2


def test_rows_longer_than_a_buffer(compiled):
    rng = np.random.default_rng(1)
    a, b = rng.standard_normal((3, 1300)), rng.standard_normal((3, 1))
    agree(compiled(centered)(a, b), centered(a, b), 1e-12)
    agree(compiled(centered)(a[:, ::-1], b), centered(a[:, ::-1], b), 1e-12)


@pytest.mark.parametrize("engine", pb.engine.core.dispatch.available())
@pytest.mark.parametrize("program", sampled([arithmetic, centered, joined, products, two_results], 2))
def test_gradients_to_third_order_are_those_of_the_formula(program, engine, compiled):
    rng = np.random.default_rng(2)
    values = rng.uniform(0.2, 1.0, (3, 4)), rng.uniform(0.2, 1.0, (3, 4))
    with pb.use_engine(engine):
        fast = _derivatives(compiled(program, order=2), values)
        slow = _derivatives(pb.derive_pullback(program), values)
    for one, other in zip(fast, slow, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-9)


def _derivatives(function, values):
    inputs = [pb.tensor(value, requires_grad=True) for value in values]
    loss = sum((result * result).sum() for result in results(function(*inputs)))
    found = []
    for order in (1, 2, 3):
        gradients = pb.grad(loss, inputs, create_graph=order < 3)
        found += [gradient.detach().numpy() for gradient in gradients]
        loss = sum((gradient * gradient).sum() for gradient in gradients)
    return found


def sum_of_product(a, b):
    return np.sum(np.exp(a) @ b)


def sum_of_parts(xs: list[pb.Tensor]):
    total = np.zeros_like(xs[0])
    for x in xs:
        total = total + x
    return total


@pytest.mark.parametrize(
    "values", [(np.float64(1.5), 2), ([1.0, 2.0], np.float64(3)), (np.arange(3), np.ones(3, bool))]
)
def test_arrays_give_numpys_arrays_and_scalars(values):
    result = pb.compile(two_sums)(*values)
    for one, other in zip(result, two_sums(*map(np.asarray, values)), strict=True):
        np.testing.assert_array_equal(one, other, strict=True)
        assert type(one) is type(other)


def two_sums(a, b):
    return a + b, np.sum(a * b)


def test_results_on_arrays_may_be_written_and_are_nobody_elses():
    fast, x = pb.compile(sum_of_product), np.ones((2, 2))
    first = pb.compile(arithmetic)(x, x)
    expected = first.copy()
    first += 1
    np.testing.assert_array_equal(pb.compile(arithmetic)(x, x), expected)
    assert isinstance(fast(x, x), np.float64)


def test_a_list_may_be_an_array_of_any_length(engine):
    fast = pb.compile(sum_of_parts)
    for count in (3, 2, 4):
        assert np.array_equal(fast(np.ones((count, 2))), np.full(2, count))
        x = pb.tensor(np.ones((count, 2)), requires_grad=True)
        (gradient,) = pb.grad(np.sum(fast(x)), [x])
        assert np.array_equal(gradient.numpy(), np.ones((count, 2)))


def test_attributes_each_have_their_version():
    @pb.formula
    def scaled(x, *, axis: int = 0, factor: float = 2.0):
        def scaled_pullback(grad):
            return primitives.broadcast_like(np.expand_dims(grad, axis), primitives.like(x)) * factor

        return np.sum(x, axis=axis) * factor, scaled_pullback

    fast = pb.compile(scaled)
    x = np.arange(6.0).reshape(2, 3)
    for axis, factor in [(0, 2.0), (1, 3.0), (1, 0.5)]:
        np.testing.assert_array_equal(fast(x, axis=axis, factor=factor), scaled(x, axis=axis, factor=factor))
    assert len(fast._operators) == 2


def test_what_is_not_compiled_is_refused_with_its_place():
    def halved(x):
        return np.astype(x * x, np.float16)

    place = r"test_compiled\.py:\d+:\d+: PB501 error: a cast to float16 is not compiled"
    with pytest.raises(FormulaError, match=place):
        pb.compile(halved)


def test_a_missing_input_is_not_taken(compiled):
    with pytest.raises(NotTaken, match="missing"):
        compiled(arithmetic).operator().kernel([np.ones(3), None])


def test_a_compiled_formula_tells_about_itself(compiled):
    fast = compiled(arithmetic)
    assert repr(fast) == "<compiled arithmetic, order 0>"
    assert "struct ArithmeticForward" in fast.source()
    with pytest.raises(ValueError, match="negative"):
        pb.compile(arithmetic, order=-1)
