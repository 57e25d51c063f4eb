"""Values that only one branch of a formula makes, in PyTorch."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import pullback as pb  # noqa: E402 - where torch is
import pullback.torch  # noqa: E402 - where torch is

pytestmark = [
    pytest.mark.torch,
    # What PyTorch does in forward mode.
    pytest.mark.filterwarnings("ignore:.torch.jit:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:.*should not be instantiated:DeprecationWarning"),
]


@pb.formula
def masked(x, *, causal: bool = False):
    s = x
    if causal:
        mask = np.tril(np.ones(x.shape, dtype=bool))
        s = np.where(mask, x, -9.0)
    p = np.exp(s)

    def pullback(g):
        d = g * p
        if causal:
            d = np.where(mask, d, 0.0)
        return d

    return p, pullback


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("forward_mode", [False, True])
def test_mask_that_one_branch_makes(causal: bool, forward_mode: bool) -> None:
    function = pullback.torch.function(masked)
    x = torch.linspace(-1, 1, 9, dtype=torch.float64).reshape(3, 3).requires_grad_()
    assert torch.autograd.gradcheck(lambda x: function(x, causal=causal), (x,), check_forward_ad=forward_mode)
    assert torch.autograd.gradgradcheck(lambda x: function(x, causal=causal), (x,))
