"""Expressions whose derivative is exact and finite wherever their value is, and near misses."""

from __future__ import annotations

import ast

import pytest

from pullback.tools.lint.fixes.text.smooth import is_smooth
from pullback.tools.lint.frontend.modules import Program
from pullback.transpile.ir import Source

TEXT = """import numpy as np
import torch
import torch.nn.functional as F


def helper(x):
    return x
"""


def _smooth(text: str, given: tuple[str, ...] = ()) -> bool:
    module = Program().module(Source("f.py", TEXT))
    assert module is not None
    return is_smooth(ast.parse(text, mode="eval").body, module, given)


@pytest.mark.parametrize(
    "text",
    [
        "a",
        "2 * a - b @ c",
        "-(a + 1)",
        "torch.exp(a)",
        "F.softmax(a, dim=dim, dtype=None)",
        "(a @ b.unsqueeze(-1)).squeeze(-1)",
        "a[..., :3].mT",
        "torch.cat([a, b[-1:]], dim=-1)",
        "a.to(b.dtype)",
        "torch.einsum('ij,jk->ik', a, b)",
    ],
)
def test_a_smooth_one(text: str) -> None:
    assert _smooth(text)


@pytest.mark.parametrize(
    "text",
    [
        "a / b",
        "a ** 0.5",
        "a.sqrt()",
        "a.norm()",
        "torch.where(a > 0, a, b)",
        "a.detach()",
        "a.mul_(b)",
        "torch.exp(a, out=b)",
        "helper(a)",
        "np.exp(a)",
        "mine.exp(a)(b)",
        "Scaled.apply(a)",
        "a[b]",
        "a if b else c",
        "torch.sum(a, *b)",
        "torch.sum(a, **b)",
        "torch.linalg.solve(a, b)",
    ],
)
def test_a_near_miss(text: str) -> None:
    assert not _smooth(text)


def test_what_is_known_counts() -> None:
    assert _smooth("helper(a) * b", given=("helper(a)",))
    assert not _smooth("helper(b) * b", given=("helper(a)",))
