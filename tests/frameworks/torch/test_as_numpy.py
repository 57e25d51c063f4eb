"""Calls whose arguments PyTorch takes otherwise than NumPy: values, gradients and shapes are NumPy's."""

from __future__ import annotations

from runpy import run_path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from scipy import special  # noqa: E402 - where torch is

import pullback as pb  # noqa: E402 - where torch is
import pullback.torch  # noqa: E402 - where torch is
from pullback.torch.helpers import special as helpers  # noqa: E402 - where torch is

pytestmark = [
    pytest.mark.torch,
    # What PyTorch does in forward mode.
    pytest.mark.filterwarnings("ignore:.torch.jit:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:.*should not be instantiated:DeprecationWarning"),
]

# No axis, where PyTorch takes all of them; numbers as operands; masks beside floats; dtypes compared.
CALLS = [
    *(f"np.{name}(x, axis=())" for name in ("sum", "mean", "max", "min", "var", "std", "prod")),
    "special.logsumexp(x, axis=())",
    "x * np.all(x > 0.7, axis=())",
    "x * np.any(x > 0.7, axis=())",
    "x * np.all(x > 0.7, axis=(0, 1))",
    "np.nanmax(np.where(x > 0.8, np.nan, x))",
    "np.nanmin(np.where(x > 0.8, np.nan, x), axis=0)",
    "np.nan_to_num(np.where(x > 0.8, np.nan, x), nan=0.25)",
    "x * 2 if x.dtype == np.float32 else x * 3",
    "x * 2 if x.dtype != np.float64 else x * 3",
    "2**x",
    "np.power(0.75, x)",
    "np.arctan2(x, 0.75)",
    "np.arctan2(0.75, x)",
    "special.beta(2.5, x)",
    "special.betaln(x, 2.5)",
    "special.rel_entr(0.3, x)",
    "np.dot(x, 2.5)",
    "np.diff(x, axis=1, prepend=0.0)",
    "np.broadcast_to(0.5, (2, 3)) * x",
    "x * (x > 0.8).mean(axis=0)",
    "(x > 0.8) @ x.T",
    "x * np.digitize(x, np.array([0.6, 0.9]))",
    "x * np.fix(3 * x)",
    "x * special.round(3 * x)",
    "special.pseudo_huber(0.8, x)",
    "np.heaviside(0.5, x) * x",
]
SOURCE = "import numpy as np\nfrom scipy import special\n\n\n"


@pytest.fixture(scope="module")
def functions(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    path = tmp_path_factory.mktemp("calls") / "calls.py"
    texts = [f"def call_{k}(x):\n    return {call}\n" for k, call in enumerate(CALLS)]
    path.write_text(SOURCE + "\n\n".join(texts))
    found = run_path(str(path))
    return {call: found[f"call_{k}"] for k, call in enumerate(CALLS)}


EVERY = [(call, (2, 3)) for call in CALLS]
EVERY += [(call, (0, 3)) for call in CALLS if call.startswith(("x * np.a", "np.max", "np.min", "2**"))]


@pytest.mark.parametrize(("call", "shape"), EVERY)
def test_calls_are_numpys(call: str, shape: tuple[int, ...], functions: dict[str, Any]) -> None:
    formula = pb.derive_pullback(functions[call])
    values = np.random.default_rng(0).uniform(0.5, 1.4, shape)
    x = pb.tensor(values, requires_grad=True)
    expected = formula(x)
    given = torch.tensor(values, requires_grad=True)
    found = pullback.torch.function(formula)(given)
    np.testing.assert_allclose(found.detach(), expected.detach(), rtol=1e-13, strict=True)
    weights = np.cos(np.arange(expected.size)).reshape(expected.shape)
    (slope,) = pb.grad((expected * weights).sum(), x)
    (made,) = torch.autograd.grad((found * torch.tensor(weights)).sum(), given)
    np.testing.assert_allclose(made, slope, rtol=1e-12, strict=True)


EDGES = np.array([-3.0, -2.5, -2.0, -1.0, -0.0, 0.0, 0.5, 1.0, 4.0, 170.5, np.inf, np.nan])


@pytest.mark.parametrize("name", ["gamma", "rgamma", "loggamma", "beta", "betaln", "rel_entr", "kl_div"])
def test_special_functions_at_poles_and_limits(name: str) -> None:
    helper = getattr(helpers, name)
    others = [] if name.endswith("gamma") else [[0.5, 1.0, 2.5, 300.0]]
    operands = [grid.ravel() for grid in np.meshgrid(EDGES, *others)]
    with np.errstate(all="ignore"):
        expected = getattr(special, name)(*operands)
    found = helper(*map(torch.tensor, operands))
    finite = np.isfinite(operands).all(0) if name.startswith("beta") else ...
    np.testing.assert_allclose(found[finite], expected[finite], rtol=1e-9)


def of_waves(x, *, n: int = 4):
    z = np.fft.rfft(x, n)
    w = np.fft.fft(x) * np.exp(np.fft.ifft(x * x))
    return np.abs(z) ** 2, np.real(w) * np.imag(w), np.fft.irfft(z * z, n)


def as_composed(x: Any) -> Any:
    z = torch.fft.rfft(x, 4)
    w = torch.fft.fft(x) * torch.exp(torch.fft.ifft(x * x))
    return torch.abs(z) ** 2, w.real * w.imag, torch.fft.irfft(z * z, 4)


@pytest.mark.parametrize("form", ["function", "register"])
def test_transforms_of_fourier_to_third_order(form: str) -> None:
    formula = pb.derive_pullback(of_waves)
    make = getattr(pullback.torch, form)
    operator = make(formula) if form == "function" else make("pullback_as_numpy_tests", formula)

    def orders(function: Any) -> list[Any]:
        def total(x: Any) -> Any:
            return sum(torch.sin(found).sum() for found in function(x))

        x = torch.linspace(-0.7, 1.1, 10, dtype=torch.float64).reshape(2, 5).requires_grad_()
        numbers = [total(x)]
        for _ in range(3):
            (slope,) = torch.autograd.grad(numbers[-1], x, create_graph=True)
            numbers.append((slope * slope).sum())
        tangent = torch.func.jvp(total, (x.detach(),), (torch.cos(x.detach()),))[1]
        return [*numbers, tangent, torch.func.hessian(total)(x.detach())]

    for found, expected in zip(orders(operator), orders(as_composed), strict=True):
        torch.testing.assert_close(found, expected)


def spectrum(x):
    return np.fft.rfft(x)


def test_a_complex_gradient_of_a_result_is_pytorchs() -> None:
    x = torch.linspace(-0.7, 1.1, 5, dtype=torch.float64, requires_grad=True)
    weights = torch.tensor([1 + 2j, 0.5 - 1j, 2j], dtype=torch.complex128)
    made = [
        torch.autograd.grad(function(x), x, weights)
        for function in (pullback.torch.function(pb.derive_pullback(spectrum)), torch.fft.rfft)
    ]
    torch.testing.assert_close(*made)


def filtered(x, kernel):
    z = np.fft.rfft(x) * np.fft.rfft(kernel)
    return np.fft.irfft(z, x.shape[-1]), z.real, z.imag


@pytest.mark.filterwarnings("ignore:.torch.jit:DeprecationWarning")
def test_forward_mode_beside_complex_values_that_do_not_move() -> None:
    x = torch.linspace(-0.7, 1.1, 4, dtype=torch.float64, requires_grad=True)
    kernel = torch.cos(x.detach())
    operator = pullback.torch.function(pb.derive_pullback(filtered))
    assert torch.autograd.gradcheck(operator, (x, kernel), check_forward_ad=True)
    assert torch.autograd.gradcheck(operator, (kernel, x), check_forward_ad=True)
