"""Formulas that say that they are right for complex values, at complex points."""

import inspect
import tempfile
from pathlib import Path

import numpy as np
import pytest

import pullback as pb
from pullback.tools.checking import flattened
from pullback.transpile.library import standard_library
from tests.sampling import sampled

from .samples import samples

LIBRARY = standard_library()
NAMES = [
    name
    for name in LIBRARY.names()
    if (found := LIBRARY.formula(name)) is not None and found.options.complex and name != "refuse_gradient"
]
# Vectors are arbitrary up to a phase: tests/conformance/test_complex.py has losses that do not depend on it.
OF_PHASES = {"eigh", "eigh_upper", "svd", "eig"}


def turned(value, rng):
    """The value with an imaginary part, where it is an array of floats."""
    if isinstance(value, list):
        return [turned(item, rng) for item in value]
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        return value + 1j * rng.uniform(0.1, 0.5, value.shape)
    return value


@pytest.mark.parametrize("name", sampled([n for n in NAMES if n not in OF_PHASES | {"astype"}], 2))
def test_two_derivatives_agree_with_differences(engine, name):
    rng = np.random.default_rng(3)
    for case in samples(name):
        # The transform of real values takes no others.
        args = list(case.args) if name == "rfft" else [turned(value, rng) for value in case.args]
        call, flat = flattened(pb.formulas()[name], args, case.kwargs)
        assert pb.gradcheck(call, *flat)


@pytest.mark.parametrize(
    "mixed",
    [
        lambda x, z: x @ z.T,
        lambda x, z: np.einsum("ij,kj->ik", x, z),
        lambda x, z: np.linalg.solve(x @ x.T + np.eye(3), z),
        lambda x, z: np.linalg.solve(z @ z.T, x),
        lambda x, z: np.convolve(x[0], z[0]),
        lambda x, z: np.concatenate([x, z]) * z[0],
        lambda x, z: np.stack([x[0], z[0]]) * z[0],
        lambda x, z: np.where(np.arange(4) > 1, x, z) * z[0],
        lambda x, z: np.outer(x, z),
        lambda x, z: np.fft.fft(x) * z,
        lambda x, z: np.linalg.eigvals(x @ x.T) * z[:, 0],
        lambda x, z: np.linalg.inv(x @ x.T) @ z,
        lambda x, z: x**z + z**x,
        lambda x, z: np.cumsum(x, 0) * z,
    ],
)
def test_a_real_value_among_complex_ones_has_a_real_gradient(mixed):
    source = inspect.getsource(mixed).strip().removeprefix("lambda x, z: ").removesuffix(",")
    text = f"def program(x, z):\n    x = np.exp(x)\n    return {source}\n"
    rng = np.random.default_rng(5)
    x = rng.standard_normal((3, 4))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "program.py"
        path.write_text("import numpy as np\n\n\n" + text)
        names = {"__name__": "program", "__file__": str(path)}
        exec(compile(path.read_text(), str(path), "exec"), names)
        assert pb.gradcheck(pb.derive_pullback(names["program"]), x, x + 1j * rng.standard_normal((3, 4)))


def test_casts(engine):
    x = pb.tensor([1.0, 2.0], requires_grad=True)
    assert pb.grad((x.astype(np.complex64) * 1j).imag.sum(), x)[0].tolist() == [1.0, 1.0]
    z = pb.tensor([1 + 1j], requires_grad=True)
    assert pb.grad(z.astype(np.complex64).imag.sum(), z)[0].tolist() == [1j]
    with pytest.warns(np.exceptions.ComplexWarning):
        real = z.astype(np.float64)
    assert pb.grad(real.sum(), z)[0].tolist() == [1 + 0j]


@pytest.mark.parametrize("function", [np.cov, np.corrcoef])
def test_covariances_of_complex_values_are_refused_where_they_are_derived(function):
    @pb.derive_pullback
    def program(x):
        return function(x)

    with pytest.raises(TypeError, match="covariances of complex numbers"):
        program(np.array([[1.0, 2j, 0.5], [1j, 1.0, 2.0]]))


def test_a_float_power_of_complex_values_is_complex():
    @pb.derive_pullback
    def program(x):
        return np.float_power(x, 2.0)

    x = np.array([1 + 2j, 0.5 - 1j], np.complex64)
    np.testing.assert_array_equal(program(x), np.float_power(x, 2.0))
