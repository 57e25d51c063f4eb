"""Tensors of integers that say which entries are meant."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pullback as pb

torch = pytest.importorskip("torch")

import pullback.torch  # noqa: E402 - where torch is

pytestmark = pytest.mark.torch


def of_entry(x, i, j):
    return x[i[0]] ** 3


def of_slice(x, i, j):
    return x[i[1:]] ** 3


def taken(x, i, j):
    return np.take(x, i, axis=1) ** 3


def of_sum(x, i, j):
    return x[i + 1, j - 1] ** 3


def masked(x, i, j):
    return np.where(np.arange(x.shape[1]) < i[:, None], x[:3], 0) ** 3


def along(x, i, j):
    return np.take_along_axis(x[:3], i[:, None], axis=1) ** 3


def scattered(x, i, j):
    r = np.zeros_like(x)
    for k in range(3):
        r[i[k]] += x[j[k]] ** 2
    return r


def apart(x, i, j):
    return (x[:, None, :] * x[:, :, None])[0, :, i] ** 2


def beyond(x, i, j):
    return (x[:, None, :] * x[:, :, None])[i[0], :, j] ** 2


FORMULAS = (of_entry, of_slice, taken, of_sum, masked, along, scattered, apart, beyond)
FORMS: dict[str, Callable[[Any], Any]] = {
    "function": pullback.torch.function,
    "register": lambda formula: pullback.torch.register("indices", formula),
}


def given() -> tuple[Any, Any, Any]:
    x = np.random.default_rng(1).standard_normal((4, 4))
    return x, np.array([0, 2, 1]), np.array([3, 2, -1])


def in_torch(operator: Any, order: int) -> list[np.ndarray[Any, Any]]:
    """The value and derivatives of a sum that is not symmetric in the entries."""
    x, *places = (torch.tensor(a) for a in given())
    x.requires_grad_()
    made = operator(x, *places)
    found = [made.detach().numpy()]
    for _ in range(order):
        total = (made * torch.arange(1.0, made.numel() + 1).reshape(made.shape)).sum()
        (made,) = torch.autograd.grad(total, x, create_graph=True)
        found.append(made.detach().numpy())
    return found


def in_numpy(formula: Any, order: int) -> list[np.ndarray[Any, Any]]:
    x, *places = given()
    leaf = pb.tensor(x, requires_grad=True)
    made = formula(leaf, *places)
    found = [made.detach().numpy()]
    for _ in range(order):
        total = (made * np.arange(1.0, made.size + 1).reshape(made.shape)).sum()
        (made,) = pb.grad(total, leaf, create_graph=True)
        found.append(made.detach().numpy())
    return found


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("function", FORMULAS)
def test_values_and_two_derivatives_are_numpys(function: Any, form: str) -> None:
    formula = pb.derive_pullback(function)
    wanted = in_numpy(formula, 2)
    for have, want in zip(in_torch(FORMS[form](formula), 2), wanted, strict=True):
        assert have.shape == want.shape
        np.testing.assert_allclose(have, want)


@pytest.mark.compiler
@pytest.mark.parametrize("function", [of_entry, taken, of_sum])
def test_kernels_take_them_too(function: Any) -> None:
    formula = pb.derive_pullback(function)
    operator = pullback.torch.register("indices_compiled", formula, compiled=True)
    for have, want in zip(in_torch(operator, 2), in_numpy(formula, 2), strict=True):
        np.testing.assert_allclose(have, want)


@pytest.mark.parametrize("function", [of_entry, taken, of_sum, scattered])
def test_a_batch_of_places(function: Any) -> None:
    operator = pullback.torch.function(pb.derive_pullback(function))
    x, i, j = (torch.tensor(a) for a in given())
    several = torch.stack([i, i.flip(0)]), torch.stack([j, j.flip(0)])
    found = torch.vmap(operator, (None, 0, 0))(x, *several)
    torch.testing.assert_close(found, torch.stack([operator(x, a, b) for a, b in zip(*several, strict=True)]))


def test_integers_that_are_computed_with_are_refused() -> None:
    @pb.derive_pullback
    def weighted(x, ids):
        return x * ids[1:]

    @pb.derive_pullback
    def counted(x, ids):
        return x[ids[0]] * ids.astype(np.int32)

    for formula in (weighted, counted):
        with pytest.raises(TypeError, match=r"`ids` is torch\.int64"):
            pullback.torch.function(formula)(torch.ones(2), torch.tensor([1, 0, 1]))


@pytest.mark.parametrize("mode", ["edge", "reflect", "symmetric", "wrap"])
def test_axes_are_padded_with_their_own_entries(mode: str) -> None:
    @pb.derive_pullback
    def padded(x, *, mode: str):
        return np.pad(x, ((1, 4), (5, 0)), mode) ** 2

    x = torch.rand(3, 2, dtype=torch.float64, requires_grad=True)
    operator = pullback.torch.function(padded)
    np.testing.assert_array_equal(operator(x, mode=mode).detach(), padded(x.detach().numpy(), mode=mode))
    assert torch.autograd.gradcheck(lambda x: operator(x, mode=mode), x)


@pytest.mark.parametrize("right", [False, True])
@pytest.mark.parametrize("bins", [[0.25, 0.5, 0.75], [0.75, 0.5, 0.25], [0.5]])
def test_bins_of_entries(bins: list[float], right: bool) -> None:
    @pb.derive_pullback
    def binned(x, bins, w, *, right: bool):
        return w[np.digitize(x, bins, right)] * x

    operator = pullback.torch.function(binned)
    w = np.linspace(1.0, 2.0, 4)
    for dtype in (np.float32, np.float64):
        x = np.array([0.1, 0.25, 0.5, 0.6, 0.75, 0.9], dtype)
        wanted = binned(x, np.array(bins), w.astype(dtype), right=right)
        given = (torch.tensor(x), torch.tensor(bins, dtype=torch.float64), torch.tensor(w.astype(dtype)))
        np.testing.assert_array_equal(operator(*given, right=right), wanted)


INDICES = (
    "x[np.nonzero(x > 0)] ** 2",
    "x[np.triu_indices(3, 1)] ** 2",
    "x[np.tril_indices(3)] * x[np.diag_indices(3)][0]",
    "x[np.triu_indices_from(x)] * x[np.tril_indices_from(x)]",
    "x[np.ix_([0, 2], [True, False, True])] ** 2",
    "x[np.unravel_index(np.argmax(x), x.shape)] * x[np.nonzero(x > 0)[1]]",
    "np.compress([True, False, True], x, axis=0) * x[np.argwhere(x[0] > 0)[0]]",
    "np.extract(x > 0, x) ** 2 + x[np.indices((3, 3))[0], 1].sum()",
)


@pytest.mark.filterwarnings("ignore:.torch.jit:DeprecationWarning")
@pytest.mark.parametrize("expression", INDICES)
def test_functions_that_give_indices(expression: str, tmp_path: Any) -> None:
    path = tmp_path / "indices.py"
    path.write_text(f"import numpy as np\n\n\ndef chosen(x):\n    return {expression}\n")
    names: dict[str, Any] = {"__name__": "indices", "__file__": str(path)}
    exec(compile(path.read_text(), str(path), "exec"), names)
    operator = pullback.torch.function(pb.derive_pullback(names["chosen"]))
    x = torch.tensor([[0.4, -0.3, 1.2], [0.7, 0.1, -0.9], [-0.2, 0.8, 0.5]], dtype=torch.float64)
    np.testing.assert_allclose(operator(x).numpy(), names["chosen"](x.numpy()))
    total = lambda x: torch.sin(operator(x)).sum()  # noqa: E731 - as PyTorch's transforms take it
    torch.testing.assert_close(torch.func.hessian(total)(x), torch.autograd.functional.hessian(total, x))
    assert torch.autograd.gradcheck(operator, x.requires_grad_())


def by_an_attribute(x, *, size=4):
    rows = np.clip(np.floor(x[:, 0]).astype(int) * size, 0, 3)
    return x[rows] * x[np.arange(2) * size // 4][:, :1].sum() + np.arange(x.shape[1]) * size


@pytest.mark.parametrize("size", [2, 4])
def test_integers_stay_integers_beside_an_attribute_that_is_one(size: int) -> None:
    """Its type is not stated: of a float, as NumPy has it, the product is one of float64."""
    derived = pb.derive_pullback(by_an_attribute)
    function = pullback.torch.function(derived)
    x = np.linspace(-0.5, 2.0, 20).reshape(4, 5)
    np.testing.assert_allclose(function(torch.tensor(x), size=size), by_an_attribute(x, size=size))
    scaled = pullback.torch.function(pb.derive_pullback(of_a_scale))
    found = scaled(torch.tensor(x, dtype=torch.float32), scale=0.1)
    assert found.dtype == torch.float64
    np.testing.assert_allclose(found, of_a_scale(x.astype(np.float32), scale=0.1))


def of_a_scale(x, *, scale=1):
    return x + np.arange(5) * scale
