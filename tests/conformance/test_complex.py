"""Complex tensors: gradients are ``dL/da + i dL/db`` of a real loss, as in PyTorch."""

import numpy as np
import pytest

import pullback as pb

RNG = np.random.default_rng(2)
Z = RNG.standard_normal((3, 4)) + 1j * RNG.standard_normal((3, 4))
X = RNG.standard_normal((3, 4))
SQUARE = RNG.standard_normal((3, 3)) + np.diag([1.0, 3.0, 7.0])
TURNING = np.array([[0.3, -2.0, 0.1], [1.5, 0.4, 0.2], [0.1, 0.3, 1.0]])  # has a pair of complex eigenvalues


def test_the_gradient_has_the_derivatives_by_both_parts(engine):
    z = pb.tensor(np.array([3 + 4j]), requires_grad=True)
    assert pb.grad(np.abs(z).sum(), z)[0].tolist() == [pytest.approx(0.6 + 0.8j)]
    assert pb.grad((z * np.conj(z)).real.sum(), z)[0].tolist() == [6 + 8j]
    assert pb.grad((z * z).real.sum(), z)[0].tolist() == [6 - 8j]
    assert pb.grad(z.imag.sum(), z)[0].tolist() == [1j]


def test_a_real_input_of_a_complex_result_has_a_real_gradient(engine):
    x = pb.tensor([1.0, 2.0], requires_grad=True)
    y = np.exp(x * np.array([1j, 2j]))
    (gradient,) = pb.grad(y.imag.sum(), x)
    assert gradient.dtype == np.float64
    np.testing.assert_allclose(gradient.numpy(), [np.cos(1.0), 2 * np.cos(4.0)])


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_gradients_keep_the_dtype(engine, dtype):
    z = pb.tensor(Z.astype(dtype), requires_grad=True)
    assert pb.grad(np.abs(np.sin(z) * X).sum(), z)[0].dtype == dtype


FUNCTIONS = {
    "conj": lambda z: np.conj(z) * z * z,
    "real and imag": lambda z: z.real * z.imag * z,
    "abs": lambda z: np.abs(z) ** 3,
    "angle": lambda z: np.angle(z) * np.angle(z, deg=True),
    "sign": lambda z: np.sign(z) * z,
    "power": lambda z: z**3 + z ** (0.5 + 1j) + z**-2,
    "writes": lambda z: _written(z),
    "indices": lambda z: z[[0, 0, 2]] * z[1:2, ::-1],
    "matmul": lambda z: np.conj(z.T) @ z,
    "einsum": lambda z: np.einsum("ij,kj->ik", z, np.conj(z)),
    "where": lambda z: np.where(X > 0, z * z, 1j),
    "norms": lambda z: np.linalg.norm(z) + np.linalg.norm(z, 3, axis=0).sum() + np.linalg.norm(z, 1, axis=1),
    "inf-norm": lambda z: np.linalg.norm(z, np.inf, axis=0),
    "var": lambda z: np.var(z, axis=1) + np.std(z),
    "joined": lambda z: np.concatenate([z, X, np.stack([z[0], z[1]])]),
    "of real parts": lambda z: np.sin(z.real + z.imag) * (1 + 2j) + z,
}


def _written(z):
    t = np.zeros_like(z) + 0
    t[0] = z[1]
    t[1:] += z[1:] * z[:2]
    t *= z
    return t


@pytest.mark.parametrize("name", FUNCTIONS)
def test_derivatives_to_second_order(engine, name):
    assert pb.gradcheck(FUNCTIONS[name], Z)


FOURIER = {
    "fft": lambda z: np.fft.fft(z, axis=0),
    "fft, fewer": lambda z: np.fft.fft(z, 3, norm="ortho"),
    "fft, more": lambda z: np.fft.fft(z, 7),
    "ifft": lambda z: np.fft.ifft(z, 6, 0),
    "fft2": lambda z: np.fft.fft2(z, (2, 5)),
    "ifft2": lambda z: np.fft.ifft2(z),
    "fftn": lambda z: np.fft.fftn(z, norm="forward"),
    "ifftn": lambda z: np.fft.ifftn(z, axes=(0,)),
    "irfft": lambda z: np.fft.irfft(z),
    "irfft, odd": lambda z: np.fft.irfft(z, 5, 0, "forward"),
    "irfft2": lambda z: np.fft.irfft2(z),
    "irfftn": lambda z: np.fft.irfftn(z, (3, 5), (0, 1)),
    "hfft": lambda z: np.fft.hfft(z, norm="ortho"),
    "fftshift": lambda z: np.fft.fftshift(z) * np.fft.ifftshift(z),
}
OF_REAL = {
    "fft": lambda x: np.fft.fft(x),
    "rfft": lambda x: np.fft.rfft(x, 3),
    "rfft2": lambda x: np.fft.rfft2(x, norm="ortho"),
    "rfftn": lambda x: np.fft.rfftn(x, (5,), (0,)),
    "ihfft": lambda x: np.fft.ihfft(x, 5),
    "spectrum": lambda x: np.abs(np.fft.rfft(x)) ** 2,
    "filter": lambda x: np.fft.irfft(np.fft.rfft(x) * np.array([1, 0.5j, 0]), 4),
}


@pytest.mark.parametrize("name", FOURIER)
def test_fourier_transforms(engine, name):
    np.testing.assert_allclose(FOURIER[name](pb.tensor(Z)).numpy(), FOURIER[name](Z))
    assert pb.gradcheck(FOURIER[name], Z)


@pytest.mark.parametrize("name", OF_REAL)
def test_fourier_transforms_of_real_values(engine, name):
    np.testing.assert_allclose(OF_REAL[name](pb.tensor(X)).numpy(), OF_REAL[name](X))
    assert pb.gradcheck(OF_REAL[name], X)


def test_wrong_options_of_fourier_transforms_are_numpys_errors(engine):
    z = pb.tensor(Z, requires_grad=True)
    for call in (
        lambda z: np.fft.fft(z, norm="none"),
        lambda z: np.fft.fft2(z, (1, 2, 3)),
        lambda z: np.fft.hfft(z, norm="none"),
        lambda z: np.fft.fft(z, 0),
    ):
        with pytest.raises(ValueError, match=r"[a-z]") as numpys:
            call(Z)
        with pytest.raises(ValueError, match=r"[a-z]") as ours:
            call(z)
        assert str(ours.value) == str(numpys.value)


def _absolute_eigenvalues(a):
    return np.abs(np.linalg.eigvals(a))


def _norm_of_eigenvalues(a):
    return np.linalg.norm(np.linalg.eig(a)[0])


@pytest.mark.parametrize("a", [SQUARE, TURNING], ids=["real", "turning"])
@pytest.mark.parametrize("function", [_absolute_eigenvalues, _norm_of_eigenvalues])
def test_closures_of_absolute_eigenvalues_are_derived(engine, a, function):
    derived = pb.derive_pullback(function)
    np.testing.assert_allclose(derived(pb.tensor(a)).numpy(), function(a))
    assert pb.gradcheck(derived, a, order=2)


@pytest.mark.parametrize("a", [SQUARE, SQUARE + 1j * Z[:, :3], TURNING], ids=["real", "complex", "turning"])
@pytest.mark.parametrize(
    "function",
    [
        np.linalg.eigvals,
        lambda a: np.abs(np.linalg.eig(a).eigenvectors) ** 2,
        lambda a: _function_of_matrix(np.exp, a),
        lambda a: np.linalg.slogdet(a)[1],
        lambda a: np.linalg.slogdet(a * 1j),
        np.linalg.qr,
        lambda a: np.linalg.cholesky(a @ np.conj(a.T)),
        lambda a: np.linalg.eigvalsh(a @ np.conj(a.T)),
        lambda a: np.abs(np.linalg.eigh(a @ np.conj(a.T))[1]) ** 2,
        lambda a: np.abs(np.linalg.eigh(a @ np.conj(a.T), "U")[1]) ** 2,
        np.linalg.svdvals,
        lambda a: _joined(*np.linalg.svd(a[:2], full_matrices=False)),
        lambda a: np.abs(np.linalg.svd(a)[0]),
        lambda a: np.abs(np.linalg.svd(a)[2]),
        lambda a: np.linalg.pinv(a[:, :2]),
    ],
    ids=lambda function: getattr(function, "__name__", ""),
)
def test_linear_algebra(engine, function, a):
    assert pb.gradcheck(function, a)


def _function_of_matrix(function, a):
    w, v = np.linalg.eig(a)
    return np.real((v * function(w)) @ np.linalg.inv(v))


def _joined(u, s, vh):
    return np.matmul(u, vh) * s.sum()


@pytest.mark.parametrize(
    "function",
    [
        lambda a: np.linalg.eig(a).eigenvectors,
        lambda a: np.linalg.eigh(a @ np.conj(a.T)).eigenvectors,
        lambda a: np.linalg.svd(a)[0],
        lambda a: np.linalg.svd(a)[2],
    ],
)
def test_a_loss_of_arbitrary_phases_is_refused(engine, function):
    a = pb.tensor(SQUARE + 1j * Z[:, :3], requires_grad=True)
    with pytest.raises(ValueError, match="phases"):
        pb.grad((function(a) * (1 + 1j)).real.sum(), a)


@pytest.mark.parametrize("p", [[1.0, 2.0, -3.0, 0.5], [1.0, 2.0, -3.0, 0.0], [1 + 1j, 2, -3, 0.5]])
def test_roots(engine, p):
    values = np.roots(pb.tensor(p)).numpy()
    np.testing.assert_array_equal(values, np.roots(p))
    assert pb.gradcheck(np.roots, np.array(p))


@pytest.mark.parametrize("p", [[0.0, 1.0, 2.0], [1.0, 2.0, 0.0, 0.0]])
def test_roots_without_a_gradient_are_refused(engine, p):
    with pytest.raises(pb.errors.NotDifferentiableError, match=r"np\.roots"):
        np.roots(pb.tensor(p, requires_grad=True))


def test_a_gradient_is_left_out_for_real_values_only(engine):
    z = pb.tensor(1 + 1j, requires_grad=True)
    with pytest.raises(pb.errors.NotDifferentiableError, match="real value"):
        pb.grad(z * z, z)
    assert pb.grad(z * z, z, 1.0)[0].item() == 2 - 2j
    assert pb.grad(z * z, z, 1j)[0].item() == 1j * (2 - 2j)


def test_parts_are_not_written(engine):
    z = pb.tensor(Z)
    for part in (z.real, z.imag):
        with pytest.raises(pb.errors.MutationError, match="read-only"):
            part[0] = 1.0


def test_forward_mode(engine):
    direction = RNG.standard_normal((3, 4)) + 1j * RNG.standard_normal((3, 4))
    for function in (lambda z: np.exp(z) * np.conj(z), np.fft.fft, lambda z: np.abs(z) * 1j):
        with pb.forward_ad.dual_level():
            z = pb.forward_ad.make_dual(pb.tensor(Z), direction)
            found = pb.forward_ad.unpack_dual(function(z)).tangent.numpy()
        h = 1e-6
        wanted = (function(Z + h * direction) - function(Z - h * direction)) / (2 * h)
        np.testing.assert_allclose(found, wanted, rtol=1e-7, atol=1e-7)


def test_a_formula_says_that_its_closure_holds_for_complex_values(engine):
    def closure(x):
        r = x * x

        def pullback(grad):
            return grad * 2 * x

        return r, pullback

    z = pb.tensor(Z, requires_grad=True)
    with pytest.raises(pb.errors.NotDifferentiableError, match="complex=True"):
        pb.formula(closure)(z)
    assert pb.gradcheck(pb.formula(complex=True)(closure), Z)


@pb.derive_pullback
def turned(z):
    return np.sign(z) * z


@pb.derive_pullback
def of_real_parts(z):
    """The cotangent of the real value in the middle is not real by itself."""
    return np.fft.fft(np.abs(z))


@pb.derive_pullback
def beside_real_parts(z):
    return z.T @ np.abs(z)


@pb.formula(complex=True)
def swept(z):
    size = np.abs(z)

    def swept_pullback(grad):
        return grad * size

    return z * size, swept_pullback


def test_a_derived_closure_holds_where_its_operators_do(engine):
    @pb.derive_pullback
    def smooth(z):
        return np.exp(z) * np.conj(z) + np.fft.fft(z)

    assert pb.gradcheck(smooth, Z)
    assert pb.gradcheck(of_real_parts, Z)
    for refused in (turned, beside_real_parts, swept):
        with pytest.raises(pb.errors.NotDifferentiableError, match="complex"):
            refused(pb.tensor(Z, requires_grad=True))


def test_hooks_and_accumulation(engine):
    z = pb.tensor(Z, requires_grad=True)
    seen = []
    y = z * z
    y.register_hook(lambda gradient: seen.append(gradient.numpy().copy()))
    (y * 1j).imag.sum().backward()
    np.testing.assert_array_equal(seen[0], np.ones((3, 4)))
    np.testing.assert_allclose(z.grad.numpy(), np.conj(2 * Z))
    (z * 1j).real.sum().backward()
    np.testing.assert_allclose(z.grad.numpy(), np.conj(2 * Z) - 1j)


@pytest.mark.parametrize(
    "transform",
    [
        lambda f: pb.jacobian(f, Z[0]),
        lambda f: pb.jacobian(f, Z[0], strategy="forward-mode"),
        lambda f: pb.func.jacrev(f)(Z[0]),
        lambda f: pb.func.jacfwd(f)(Z[0]),
        lambda f: pb.jacobian(lambda x: f(x) * 1j, X[0]),
        lambda f: pb.hessian(lambda z: np.abs(f(z)).sum(), Z[0]),
        lambda f: pb.func.hessian(lambda z: np.abs(f(z)).sum())(Z[0]),
    ],
)
def test_a_jacobian_of_complex_values_is_refused(engine, transform):
    with pytest.raises(pb.errors.NotDifferentiableError, match="jvp and vjp"):
        transform(np.exp)


def test_transforms_of_functions(engine):
    gradient, value = pb.func.grad_and_value(lambda z: np.abs(z * z).sum())(Z)
    np.testing.assert_allclose(value, np.sum(np.abs(Z) ** 2))
    np.testing.assert_allclose(gradient, 2 * Z)
    _, pullback = pb.func.vjp(np.exp, Z)
    np.testing.assert_allclose(pullback(Z)[0], Z * np.conj(np.exp(Z)))
    np.testing.assert_allclose(pb.func.jvp(np.exp, (Z,), (Z,))[1], Z * np.exp(Z))
    each = pb.func.vmap(pb.func.grad(lambda z: np.abs(z @ np.conj(z) * z[0])))(Z)
    wanted = np.stack([pb.func.grad(lambda z: np.abs(z @ np.conj(z) * z[0]))(row) for row in Z])
    np.testing.assert_allclose(each, wanted)


@pytest.mark.parametrize("function", [np.linalg.eigh, np.linalg.eig, np.linalg.svd])
def test_decompositions_of_no_entries_have_gradients(engine, function):
    a = pb.tensor(np.zeros((0, 0), complex), requires_grad=True)
    total = sum(abs(part).sum() for part in function(a))
    (found,) = pb.grad(total, a)
    assert (found.shape, found.dtype) == ((0, 0), np.complex128)


@pytest.mark.parametrize("axis", [None, -1])
def test_a_count_of_complex_entries_is_real(engine, axis):
    z = pb.tensor(np.array([[1j, 0.0], [2.0, 1 - 1j]]), requires_grad=True)
    counted = np.linalg.vector_norm(z, axis=axis, ord=0)
    expected = np.linalg.vector_norm(z.detach().numpy(), axis=axis, ord=0)
    assert counted.dtype == expected.dtype
    np.testing.assert_array_equal(counted.detach().numpy(), expected)


@pytest.mark.parametrize(
    "derivative",
    [
        lambda f, x: pb.func.grad(f)(x),
        lambda f, x: pb.func.value_and_grad(f)(x),
        pb.vjp,
        lambda f, x: pb.hvp(f, x, x),
        lambda f, x: pb.vhp(f, x, x),
        pb.hessian,
    ],
    ids=["func.grad", "func.value_and_grad", "vjp", "hvp", "vhp", "hessian"],
)
def test_a_gradient_of_ones_is_that_of_a_real_value(engine, derivative):
    with pytest.raises(pb.errors.NotDifferentiableError, match="complex: a gradient can be left out"):
        derivative(lambda x: pb.numpy.sum(x * (2 + 1j)), np.array([1.0, 2.0]))
