"""Passes that go by rows give what the reference engine gives, whatever the rows are."""

import numpy as np
import pytest

import pullback as pb


@pb.formula
def of_rows(x, weight):
    """Every kind of reduction along rows, and what reads it in each element."""
    top = np.max(x, axis=-1, keepdims=True)
    low = np.min(x, axis=-1, keepdims=True)
    total = np.sum(x * weight, axis=-1, keepdims=True)
    r = (x - total) / (top - low) * weight
    product = np.prod(1 + x / 1000, axis=-1)
    count = np.sum(x > 0, axis=-1)

    def of_rows_pullback(grad, grad_product, grad_count):
        back = grad * weight / (top - low)
        return back - np.sum(back, axis=-1, keepdims=True) * weight, grad * r

    return (r, product, count), of_rows_pullback


compiled = pb.compile(of_rows, order=1)

SHAPES = [(3, 7), (5, 31), (5, 32), (70, 33), (4, 1000), (3, 5000), (300, 300), (2, 5, 40), (40,), (70000,)]


def agrees(x, weight, function=compiled):
    with np.errstate(all="ignore"):
        expected = of_rows(x, weight)
    for one, other in zip(function(x, weight), expected, strict=True):
        tolerance = 1e-3 if x.dtype == np.float32 else 1e-9
        assert one.dtype == other.dtype
        np.testing.assert_allclose(one, other, rtol=tolerance, atol=tolerance)


def gradients(function, x, weight):
    inputs = [pb.tensor(x, requires_grad=True), pb.tensor(weight, requires_grad=True)]
    r, *_ = function(*inputs)
    return [gradient.numpy() for gradient in pb.grad(r, inputs, pb.tensor(np.cos(x)))]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rows_of_any_length(shape, dtype):
    rng = np.random.default_rng(len(shape))
    agrees(rng.standard_normal(shape).astype(dtype), rng.standard_normal(shape[-1]).astype(dtype))


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_gradients_that_are_summed_over_rows_or_along_them(shape):
    rng = np.random.default_rng(len(shape))
    x, weight = rng.standard_normal(shape), rng.standard_normal(shape[-1])
    for one, other in zip(gradients(compiled, x, weight), gradients(of_rows, x, weight), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-9)


def normalized(x):
    """Two passes over rows that store nothing, before the one that does."""
    centered = x - np.mean(x, axis=-1, keepdims=True)
    r = centered / np.sqrt(np.mean(centered * centered, axis=-1, keepdims=True))

    return r


@pb.compile
def along_rows(x, y):
    """Sums of positive terms and of terms that cancel, as read and as computed."""
    r = np.sum(x, axis=-1), np.sum(x * y, axis=-1), np.sum(y, axis=-1)

    return r


@pb.compile
def over_rows(x, y):
    """The same for each column."""
    r = np.sum(x, axis=0), np.sum(x * y, axis=0), np.sum(y, axis=0)

    return r


@pytest.mark.parametrize(
    ("sums", "axis", "shape"),
    [(along_rows, -1, (5, length)) for length in (33, 1000, 1025, 5000, 100_000)]
    + [(over_rows, 0, (length, 37)) for length in (3, 4, 1000, 9999)],
    ids=lambda value: str(value) if isinstance(value, tuple) else "",
)
def test_sums_of_floats_stay_within_units_in_the_last_place(sums, axis, shape):
    rng = np.random.default_rng(shape)
    x = rng.uniform(0.5, 1.5, shape).astype(np.float32)
    y = rng.standard_normal(shape).astype(np.float32)
    for one, terms in zip(sums(x, y), (x, x * y, y), strict=True):
        exact, size = np.sum(terms, axis=axis, dtype=float), np.sum(np.abs(terms), axis=axis, dtype=float)
        assert one.dtype == np.float32
        assert np.all(np.abs(one - exact) <= 2 * np.finfo(np.float32).eps * size)


@pb.compile
def as_it_is(x):
    """Sums of what no loop computes, of which no row goes through a buffer."""
    r = np.sum(x, axis=0), np.sum(x, axis=(0, -1)), np.sum(x, axis=-2)

    return r


@pytest.mark.parametrize(
    "shape", [(1, 300), (7, 300), (301, 300), (9, 1500), (2, 40_000), (3, 6, 300), (41, 5, 1025)], ids=str
)
def test_rows_as_they_lie_are_summed_many_at_once(shape):
    x = np.random.default_rng(shape).standard_normal(shape).astype(np.float32)
    for one, axis in zip(as_it_is(x), (0, (0, -1), -2), strict=True):
        exact, size = np.sum(x, axis=axis, dtype=float), np.sum(np.abs(x), axis=axis, dtype=float)
        assert np.all(np.abs(one - exact) <= 2 * np.finfo(np.float32).eps * size)


@pytest.mark.parametrize("shape", [(1100, 256), (5, 220, 256), (8191, 33)], ids=str)
def test_rows_of_the_next_block_are_asked_for_and_change_nothing(shape):
    normalizes = pb.compile(normalized)
    x = np.random.default_rng(1).standard_normal(shape)
    np.testing.assert_allclose(normalizes(x), normalized(x), rtol=1e-9, atol=1e-9)


def surprise(x, targets):
    """A long pass over rows that the cache has, before one that reads others from memory."""
    shifted = x - np.max(x, axis=-1, keepdims=True)
    total = np.sum(np.exp(shifted), axis=-1, keepdims=True)
    r = np.sum(targets * (np.log(total) - shifted), axis=-1)

    return r


@pytest.mark.parametrize("shape", [(1100, 256), (5, 220, 256), (8191, 33)], ids=str)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rows_of_later_passes_are_asked_for_and_change_nothing(shape, dtype):
    rng = np.random.default_rng(2)
    x, targets = rng.standard_normal(shape).astype(dtype), rng.uniform(size=shape).astype(dtype)
    fast, tolerance = pb.compile(surprise), 100 * np.finfo(dtype).eps
    for other in (targets, targets[..., ::-1], targets[..., :1], x):
        np.testing.assert_allclose(fast(x, other), surprise(x, other), rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize(
    "view",
    [
        lambda x: x.T,
        lambda x: x[::2, ::3],
        lambda x: x[:, ::-1],
        lambda x: np.broadcast_to(x[:1], x.shape),
        lambda x: x.reshape(10, 9, 100).transpose(1, 0, 2),
    ],
)
def test_rows_that_do_not_lie_next_to_each_other(view):
    x = view(np.random.default_rng(0).standard_normal((90, 100)))
    agrees(x, np.linspace(0, 1, x.shape[-1]))
    agrees(x, np.linspace(0, 1, 2 * x.shape[-1])[::2])
    agrees(x, np.array([0.5]))


def as_they_are(x, weight):
    """Reductions of an input whose terms no loop writes, beside some whose terms one does."""
    centered = x - np.mean(x, axis=-1, keepdims=True)
    over_rows = np.sum(x, axis=0), np.max(x, axis=0), np.mean(x * weight, axis=0)
    return *over_rows, np.sum(centered * centered, axis=0), np.sum(x > 0, axis=0), np.mean(x, axis=(0, -1))


def shifted(x, bias):
    centered = x - np.mean(x, axis=-1, keepdims=True)
    return centered / np.sqrt(np.mean(centered * centered, axis=-1, keepdims=True)) + bias


VIEWS = [
    lambda x: x,
    lambda x: x.T,
    lambda x: x[::2, ::3],
    lambda x: x[::-1, ::-1],
    lambda x: np.broadcast_to(x[:1], x.shape),
    lambda x: np.broadcast_to(x[:, :1], x.shape),
    lambda x: np.where(x > 1, np.nan, x),
]


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("shape", [(3, 7), (70, 40), (9, 5000)], ids=str)
def test_inputs_are_reduced_as_they_lie(shape, view):
    x = view(np.random.default_rng(0).standard_normal(shape))
    reduces = pb.compile(as_they_are, order=0)
    for dtype, tolerance in [(np.float32, 1e-4), (np.float64, 1e-12)]:
        inputs = x.astype(dtype, copy=x.dtype != dtype), np.linspace(0, 1, x.shape[-1], dtype=dtype)
        for one, other in zip(reduces(*inputs), as_they_are(*inputs), strict=True):
            assert one.dtype == other.dtype
            np.testing.assert_allclose(one, other, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("shape", [(70, 40), (9, 5000)], ids=str)
def test_a_gradient_is_summed_over_rows_as_it_lies(shape, view):
    rng = np.random.default_rng(0)
    grad = view(rng.standard_normal(shape))
    values = rng.standard_normal(grad.shape), np.zeros(grad.shape[-1])
    inputs = [pb.tensor(value, requires_grad=True) for value in values]
    found = pb.grad(pb.compile(shifted)(*inputs), inputs, pb.tensor(grad))
    np.testing.assert_allclose(found[1].numpy(), grad.sum(axis=0), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("place", [0, 31, 45, 2999])
def test_a_nan_is_what_its_row_comes_to_and_no_other(place):
    x = np.random.default_rng(0).standard_normal((4, 3000))
    x[2, place] = np.nan
    agrees(x, np.ones(3000))
    r, product, _ = compiled(x, np.ones(3000))
    assert np.isnan(r[2]).all()
    assert np.isnan(product[2])
    assert not np.isnan(np.delete(r, 2, axis=0)).any()


def without_sum(x):
    return x - np.sum(x, axis=-1, keepdims=True)


def largest(x):
    return np.max(x, axis=-1)


def test_rows_of_nothing_and_no_rows():
    sums = pb.compile(without_sum, order=0)
    for shape in [(0, 40), (40, 0), (0,), (3, 0, 50)]:
        assert sums(np.ones(shape)).shape == shape


def spread(x):
    return np.std(x, axis=(0, 2), ddof=1)


def test_totals_of_nothing_are_there_before_they_are_read():
    fast = pb.compile(spread)
    for _ in range(20):
        fast(np.arange(24.0).reshape(2, 2, 6))  # leaves numbers in the memory that the next call works in
        np.testing.assert_array_equal(fast(np.ones((2, 2, 0))), [np.nan, np.nan])


def test_infinities_are_the_largest_and_the_smallest():
    x = np.full((3, 50), -np.inf)
    x[1, 7], x[2, :] = np.inf, 2.0
    assert pb.compile(largest, order=0)(x).tolist() == [-np.inf, np.inf, 2.0]


@pytest.mark.compiler
@pytest.mark.parametrize(("first", "then", "macro"), [(40, 7, "PB_ONLY_ROWS=1"), (7, 40, "PB_ONLY_ROWS=0")])
def test_loops_for_rows_of_another_length_are_compiled_when_such_are_seen(first, then, macro, macros):
    function = pb.compile(of_rows, order=1)
    for width in (first, then, first, then, 0):
        x = np.random.default_rng(width).standard_normal((3, width or 40))[: width and 3]
        agrees(x, np.linspace(0, 1, x.shape[-1]), function)
    assert macros == [("PB_ONLY_BITS=64", macro), ("PB_ONLY_BITS=64",)]
    agrees(np.ones((2, then), np.float32), np.ones(then, np.float32), function)
    assert macros[2:] == [("PB_ONLY_BITS=32", macro), ("PB_ONLY_BITS=32",)]


def chosen(x, mask):
    return x[mask], without_sum(x)


def test_a_length_that_a_mask_decides_survives_a_new_beginning():
    function = pb.compile(chosen, order=0)
    for width in (40, 3, 40):
        x = np.random.default_rng(width).standard_normal((5, width))
        picked, rest = function(x, x > 0)
        np.testing.assert_array_equal(picked, x[x > 0])
        np.testing.assert_allclose(rest, without_sum(x), atol=1e-12)


def product_of_rows(x, y):
    return without_sum(x) @ y


def test_kernels_that_add_to_their_outputs_are_compiled_for_all_rows(macros):
    x, y = np.random.default_rng(0).standard_normal((2, 40, 40))
    function = pb.compile(product_of_rows)
    inputs = [pb.tensor(x, requires_grad=True), pb.tensor(y, requires_grad=True)]
    found = pb.grad(function(*inputs), inputs, pb.tensor(np.ones((40, 40))))
    np.testing.assert_allclose(found[1].numpy(), without_sum(x).T @ np.ones((40, 40)), atol=1e-12)
    assert macros[0] == ("PB_ONLY_BITS=64", "PB_ONLY_LIKELY")
