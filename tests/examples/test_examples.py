"""The examples: right to third order on both engines, and equal to the operators of PyTorch."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

import pullback as pb

FOLDER = Path(__file__).parents[2] / "examples"
NAMES = ["simple", "gelu_tanh", "softplus", "lstm_cell", "layer_norm", "cross_entropy", "gp_covariance"]
# The intermediates that each closure captures.
INTERMEDIATES = {
    "cross_entropy": {"shifted", "e", "total", "log_total", "weight"},
    "simple": {"t"},
    "gelu_tanh": {"t"},
    "softplus": {"s"},
    "lstm_cell": {"i", "f", "g", "o", "u"},
    "layer_norm": {"s", "n"},
    "gp_covariance": {"scaled", "squared", "correlation"},
}


def example(name):
    """The formula of an example, imported from its file."""
    spec = importlib.util.spec_from_file_location(f"example_{name}", FOLDER / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, name)


FORMULAS = {name: example(name) for name in NAMES}
CASES = [(name, args, kwargs) for name in NAMES for args, kwargs in FORMULAS[name].samples()]
IDS = [f"{name}-{'-'.join(str(np.shape(a)) for a in args)}-{kwargs}" for name, args, kwargs in CASES]


def test_every_example_is_here():
    files = {path.stem for path in FOLDER.glob("*.py")}
    assert files == set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_what_each_captures(name):
    promoted = {c.name for c in FORMULAS[name].captures if c.verdict.value == "intermediate"}
    assert promoted == INTERMEDIATES[name]


@pytest.mark.parametrize(("name", "args", "kwargs"), CASES, ids=IDS)
def test_finite_differences(engine, variant, name, args, kwargs):
    formula = variant(FORMULAS[name])
    assert pb.gradcheck(lambda *xs: formula(*xs, **kwargs), *args, order=3)


@pytest.mark.parametrize(("name", "args", "kwargs"), CASES, ids=IDS)
def test_float32_in_float32_out(engine, variant, name, args, kwargs):
    tensors = [pb.tensor(a.astype(np.float32), requires_grad=True) for a in args]
    results = variant(FORMULAS[name])(*tensors, **kwargs)
    results = results if isinstance(results, tuple) else (results,)
    first = pb.grad(sum((r * r).sum() for r in results), tensors, create_graph=True)
    second = pb.grad(sum((g * g).sum() for g in first), tensors)
    assert {t.dtype for t in (*results, *first, *second)} == {np.dtype("float32")}


def _torch_functions(torch):
    f = torch.nn.functional

    def lstm_cell(i, f, g, o, c):
        c_next = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
        return torch.sigmoid(o) * torch.tanh(c_next), c_next

    def layer_norm(x, weight, bias, eps=1e-5):
        # Written out: the third derivatives of torch.nn.functional.layer_norm (2.13) are not those
        # of its second, which holds the saved mean and rstd constant.
        centered = x - x.mean(-1, keepdim=True)
        return centered / torch.sqrt((centered**2).mean(-1, keepdim=True) + eps) * weight + bias

    def gp_covariance(x1, x2, length_scale, variance):
        difference = (x1[:, None] - x2[None]) / length_scale
        return variance * torch.exp(-0.5 * (difference**2).sum(-1))

    return {
        "simple": lambda a, b: (a + b) * b,
        "gelu_tanh": lambda x: f.gelu(x, approximate="tanh"),
        "softplus": lambda x, beta=1.0: f.softplus(x, beta=beta, threshold=1e9),
        "lstm_cell": lstm_cell,
        "layer_norm": layer_norm,
        "cross_entropy": lambda x, p: -(p * f.log_softmax(x, -1)).sum(-1),
        "gp_covariance": gp_covariance,
    }


def _orders(function, leaves, grad, array):
    """Results, then all gradients of weighted sums, to third order."""
    rng = np.random.default_rng(0)
    results = function(*leaves)
    found = list(results if isinstance(results, tuple) else (results,))
    layer = found
    for _ in range(3):
        scalar = sum((value * array(rng.standard_normal(tuple(value.shape)))).sum() for value in layer)
        constant = not scalar.requires_grad
        layer = [0 * leaf for leaf in leaves] if constant else list(grad(scalar, leaves))
        found += layer
    return found


@pytest.mark.torch
@pytest.mark.parametrize(("name", "args", "kwargs"), CASES, ids=IDS)
def test_all_orders_are_those_of_torch(engine, variant, name, args, kwargs):
    import torch

    def ours(y, xs):
        return pb.grad(y, xs, create_graph=True, materialize_grads=True)

    def theirs(y, xs):
        return torch.autograd.grad(y, xs, create_graph=True, materialize_grads=True)

    formula, reference = variant(FORMULAS[name]), _torch_functions(torch)[name]
    found = _orders(
        lambda *xs: formula(*xs, **kwargs),
        [pb.tensor(a, requires_grad=True) for a in args],
        ours,
        pb.tensor,
    )
    expected = _orders(
        lambda *xs: reference(*xs, **kwargs),
        [torch.tensor(a).requires_grad_() for a in args],
        theirs,
        torch.tensor,
    )
    for mine, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(
            mine.detach().numpy(), other.detach().numpy(force=True), rtol=1e-9, atol=1e-10
        )
