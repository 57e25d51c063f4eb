"""What the page of PB110 says of its two programs is what PyTorch gives."""

from __future__ import annotations

from typing import Any

import pytest

from pullback.tools.lint.rules import TORCH_RULES

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.torch


@pytest.mark.parametrize(("heading", "squares"), [("Example", 5), ("Use instead", 3)])
def test_derivative_where_one_saved_tensor_depends_on_another(heading: str, squares: int) -> None:
    program: dict[str, Any] = {}
    exec(TORCH_RULES["PB110"].snippet(heading), program)
    a = torch.tensor(0.7, dtype=torch.float64, requires_grad=True)
    program["Product"].apply(a, a * a).backward()
    assert a.grad.item() == pytest.approx(squares * 0.7**2)
