"""Products of matrices: nothing is copied, and gradients that meet are summed inside of them."""

import itertools

import numpy as np
import pytest

import pullback as pb
import pullback.numpy as pnp

pytestmark = pytest.mark.native

RNG = np.random.default_rng(0)


def values(*shape, dtype=np.float64):
    return RNG.standard_normal(shape).astype(dtype)


def peak_of(run):
    """Bytes in use at most, beyond what was in use before."""
    run()  # kernels are compiled and the like
    pb.memory.reset_peak()
    before = pb.memory.stats().in_use
    kept = run()
    peak = pb.memory.stats().peak - before
    del kept
    return peak


def swapped(x):
    return pnp.swapaxes(x, -1, -2)


LAYOUTS = {
    "as it is": (values(6, 64, 48), lambda x: x),
    "transposed": (values(6, 48, 64), swapped),
    "every other row": (values(6, 128, 48), lambda x: x[:, ::2]),
    "heads of a sequence": (values(2, 64, 3, 48), lambda x: pnp.transpose(x, (0, 2, 1, 3))),
}


@pytest.mark.parametrize("left", LAYOUTS)
def test_a_stack_in_any_order_of_memory_is_not_copied(left):
    array, arranged = LAYOUTS[left]
    x, y = pb.tensor(array), pb.tensor(values(48, 80))
    result = 8 * 6 * 64 * 80
    assert peak_of(lambda: arranged(x) @ y) < 1.3 * result


@pytest.mark.parametrize("left", LAYOUTS)
def test_gradients_of_a_stack_in_any_order_of_memory(left):
    array, arranged = LAYOUTS[left]
    weight, seed = values(48, 80), None
    found = []
    for engine in ("reference", "native"):
        with pb.use_engine(engine):
            x, w = pb.tensor(array, requires_grad=True), pb.tensor(weight, requires_grad=True)
            y = arranged(x) @ w
            seed = values(*y.shape) if seed is None else seed
            found.append(pb.grad(y, (x, w), grad_outputs=seed))
    for mine, other in zip(*found, strict=True):
        np.testing.assert_allclose(mine.numpy(), other.numpy(), rtol=1e-10, atol=1e-10)


def test_the_gradient_of_a_shared_matrix_is_never_a_stack():
    x, w = pb.tensor(values(50, 64, 48)), pb.tensor(values(48, 48), requires_grad=True)
    y = x @ w
    seed = pb.tensor(values(50, 64, 48))
    gradient = 8 * 48 * 48
    assert peak_of(lambda: pb.grad(y, w, grad_outputs=seed, retain_graph=True)) < 3 * gradient


@pytest.mark.parametrize("subscripts", ["bik,bkj->bij", "bki,bjk->bij", "ik,bkj->ibj", "bik,bkj->ij"])
def test_an_einsum_that_is_a_product_is_one(subscripts):
    extents = {"b": 6, "i": 40, "j": 50, "k": 30}
    shapes = [[extents[letter] for letter in part] for part in subscripts.split("->")[0].split(",")]
    arrays = [values(*shape) for shape in shapes]
    x, y = (pb.tensor(array, requires_grad=True) for array in arrays)

    @pb.compile
    def contracted(x, y):
        return np.einsum(subscripts, x, y)

    z = contracted(x, y)
    np.testing.assert_allclose(z.detach().numpy(), np.einsum(subscripts, *arrays))
    seed = values(*z.shape)
    ours = pb.grad(z, (x, y), grad_outputs=seed)
    with pb.use_engine("reference"):
        u, v = (pb.tensor(array, requires_grad=True) for array in arrays)
        theirs = pb.grad(pnp.einsum(subscripts, u, v), (u, v), grad_outputs=seed)
    for mine, other in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(mine.numpy(), other.numpy(), rtol=1e-10, atol=1e-12)
    assert peak_of(lambda: contracted(x.detach(), y.detach())) < 1.3 * 8 * z.size


def test_gradients_of_products_that_meet_are_summed_in_one_array():
    steps = 8
    w = pb.tensor(values(64, 64), requires_grad=True)
    inputs = [pb.tensor(values(4, 64)) for _ in range(steps)]
    total = sum(((x @ w).sum() for x in inputs), pb.tensor(0.0))

    def differentiate():
        (gradient,) = pb.grad(total, [w], retain_graph=True)
        return gradient

    gradient = 8 * 64 * 64
    assert peak_of(differentiate) < 2 * gradient + steps * 8 * 4 * 64
    expected = sum(np.outer(x.numpy().sum(0), np.ones(64)) for x in inputs)
    np.testing.assert_allclose(differentiate().numpy(), expected)


def test_a_gradient_that_somebody_holds_is_not_added_to():
    w = pb.tensor(values(32, 32), requires_grad=True)
    x = pb.tensor(values(4, 32))
    seen = []
    y = w * 1.0
    out = (x @ y).sum() + (y * 2.0).sum()
    y.register_hook(seen.append)
    pb.grad(out, w)
    expected = np.outer(x.numpy().sum(0), np.ones(32)) + 2.0
    np.testing.assert_allclose(seen[0].numpy(), expected)
    seed = pb.tensor(values(32, 32))
    before = seed.numpy().copy()
    pb.grad((y, (x @ y).sum()), w, grad_outputs=(seed, None))
    np.testing.assert_array_equal(seed.numpy(), before)


PRODUCTS = {
    "matrices": ((150, 400), (400, 500)),
    "matrices of few columns": ((64, 512), (512, 128)),
    "a row and a matrix": ((1, 700), (700, 900)),
    "a row and a few columns": ((1, 50_000), (50_000, 3)),
    "a row and a matrix that is too short to cut": ((1, 5), (5, 90_000)),
    "a matrix and a column": ((900, 700), (700, 1)),
    "a column and a row": ((700, 1), (1, 900)),
    "vectors": ((300_000,), (300_000,)),
    "a vector and a matrix": ((700,), (700, 900)),
}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("arranged", [lambda x: x, lambda x: x.T, lambda x: x[::2]])
@pytest.mark.parametrize("shapes", PRODUCTS.values(), ids=PRODUCTS.keys())
def test_results_do_not_depend_on_the_number_of_threads(shapes, arranged, dtype):
    def operand(shape):
        # So large that `arranged` of it has the shape.
        length = {
            arranged(np.empty(full)).shape: full for full in (shape, shape[::-1], (2 * shape[0], *shape[1:]))
        }
        return arranged(values(*length[shape], dtype=dtype))

    a, b = map(operand, shapes)
    before, found = pb.get_num_threads(), []
    with pb.use_engine("native"):
        x, y = pb.from_numpy(a), pb.from_numpy(b)
        try:
            for count in (1, 2, 5):
                pb.set_num_threads(count)
                found.append((x @ y).numpy())
        finally:
            pb.set_num_threads(before)
    for other in found[1:]:
        np.testing.assert_array_equal(found[0], other)
    a, b = a.astype(np.longdouble), b.astype(np.longdouble)  # which no library multiplies
    exact, size = a @ b, np.abs(a) @ np.abs(b)
    assert (np.abs(found[0] - exact) <= 100 * np.finfo(dtype).eps * size).all()


@pytest.mark.parametrize("transposed", [False, True])
def test_a_vector_times_a_matrix_is_added_to_a_gradient(transposed):
    matrix, row = values(400, 600), values(1, 400)
    x = pb.tensor(row, requires_grad=True)
    w = pb.tensor(matrix.T).T if transposed else pb.tensor(matrix)
    back = pb.tensor(values(1, 600))
    y = x @ w
    (once,) = pb.grad(y, x, grad_outputs=back, retain_graph=True)
    (twice,) = pb.grad((y, x @ w), x, grad_outputs=(back, back))
    np.testing.assert_allclose(once.numpy(), back.numpy() @ matrix.T)
    np.testing.assert_allclose(twice.numpy(), 2 * once.numpy())


@pytest.mark.parametrize(
    "shapes", [((64, 32), (32, 48)), ((3, 40, 32), (32, 48)), ((2, 1, 40, 30), (3, 30, 48))]
)
def test_factors_whose_entries_repeat_in_memory(shapes):
    """A gradient that was spread over a sum: rows, columns, both, and the stack."""
    a, b = (values(*shape) for shape in shapes)
    for axes in itertools.product([False, True], repeat=a.ndim):
        short = pb.tensor(a[tuple(slice(1) if repeats else slice(None) for repeats in axes)])
        wide = pnp.broadcast_to(short, a.shape)
        np.testing.assert_allclose(wide @ pb.tensor(b), np.asarray(wide) @ b)
        turned = pnp.swapaxes(wide, -1, -2)
        other = pnp.swapaxes(pb.tensor(b), -1, -2)
        np.testing.assert_allclose(other @ turned, np.asarray(other) @ np.asarray(turned))
