"""The file in which an operator's formula is found."""

from __future__ import annotations

import pytest

from pullback.tools.aten.families import FAMILIES, family_of, title_of


@pytest.mark.parametrize(
    ("operator", "family"),
    [
        ("mul.Tensor", "pointwise"),
        ("sum.dim_IntList", "reductions"),
        ("_linalg_svd", "linalg"),
        ("view", "shapes"),
        ("max_pool2d_with_indices_backward", "pooling"),
        ("native_batch_norm", "normalization"),
        ("eq_.Scalar", "comparison"),
        ("_foreach_norm.Scalar", "foreach"),
        ("index_put", "indexing"),
        ("mm", "products"),
        ("normal_", "random"),
        ("topk", "ordering"),
        ("mse_loss", "losses"),
    ],
)
def test_an_operator_stands_with_its_kin(operator: str, family: str) -> None:
    assert family_of(operator) == family


def test_each_family_has_a_title() -> None:
    assert all(title_of(family) == title for family, title, _ in FAMILIES)
    assert title_of(family_of("sin")).startswith("Functions of each entry")
