"""Decompositions of matrices inside of formulas, in PyTorch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import pullback as pb  # noqa: E402 - where torch is
import pullback.torch  # noqa: E402 - where torch is
from tests.sampling import sampled  # noqa: E402 - where torch is

pytestmark = pytest.mark.torch


def singular_values(a):
    return np.linalg.svd(a, compute_uv=False)


def low_rank(a):
    u, s, vh = np.linalg.svd(a, full_matrices=False)
    return np.matmul(u * np.sqrt(s), vh)


def eigenvalues(a):
    return np.linalg.eigvalsh(a + np.swapaxes(a, -1, -2))


def rotated(a):
    w, v = np.linalg.eigh(np.matmul(a, np.swapaxes(a, -1, -2)))
    return np.matmul(v * np.sin(w), np.swapaxes(v, -1, -2))


def triangle(a):
    q, r = np.linalg.qr(a)
    return np.matmul(q, np.sin(r))


def log_determinant(a):
    sign, logarithm = np.linalg.slogdet(a)
    return sign * logarithm


def correlations(a):
    return np.corrcoef(a)


WRITTEN = [singular_values, low_rank, eigenvalues, rotated, triangle, log_determinant]


@pytest.mark.parametrize("written", sampled(WRITTEN, 2))
def test_decompositions_have_derivatives_of_both_orders(written: Any) -> None:
    formula = pb.derive_pullback(written)
    function = pullback.torch.function(formula)
    a = np.random.default_rng(3).standard_normal((3, 3))
    x = torch.tensor(a, requires_grad=True)
    np.testing.assert_allclose(function(x).detach().numpy(), np.asarray(formula(a)), atol=1e-12)
    assert torch.autograd.gradcheck(function, (x,))
    assert torch.autograd.gradgradcheck(function, (x,))


def test_correlations_are_differentiated() -> None:
    operator = pullback.torch.function(pb.derive_pullback(correlations))
    x = torch.tensor(np.random.default_rng(4).standard_normal((2, 4)), requires_grad=True)
    np.testing.assert_allclose(operator(x).detach().numpy(), np.corrcoef(x.detach().numpy()))
    assert torch.autograd.gradcheck(operator, (x,))
