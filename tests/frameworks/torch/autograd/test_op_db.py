"""Recorded gradients equal those of PyTorch's own autograd, over its samples of operators."""

from __future__ import annotations

import sys
from collections import Counter

import pytest

pytestmark = pytest.mark.torch
torch = pytest.importorskip("torch")
pytest.importorskip("expecttest")

from pullback.torch.autograd.__main__ import lines, main  # noqa: E402 - where torch is
from pullback.torch.autograd.comparing import compare_entry, entries, recorded  # noqa: E402 - where torch is

# No formula has their derivative, or it calls a helper that is not written; they are refused.
REFUSED = {
    "grid_sampler_2d",
    "grid_sampler_3d",
    "nn_functional_grid_sample",
    "nn_functional_linear_cross_entropy_chunked",
    "nn_functional_linear_cross_entropy_chunked_none",
    "sparse_sampled_addmm",
    "to_sparse",
}
# PyTorch gives nan for the second derivative of a norm at 0, the formulas 0.
AT_ZERO = {"linalg_norm_subgradients_at_zero"}
QUICK = {
    "mul", "clamp", "prod", "cumprod", "logsumexp", "matmul", "linalg_svdvals", "linalg_det", "cat", "split",
    "index_put", "masked_fill", "permute_copy", "nn_functional_layer_norm", "nn_functional_dropout", "frexp",
    "pinverse",
}  # fmt: skip


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_gradients_of_common_operators_equal_those_of_pytorch(formulas, dtype):
    chosen = [info for info in entries(getattr(torch, dtype)) if info.formatted_name in QUICK]
    found = [compare_entry(info, getattr(torch, dtype), recorded(formulas), 2) for info in chosen]
    assert len(found) >= {"float64": 17, "complex128": 8}[dtype]
    assert [line for entry in found if entry.verdict != "equal" for line in lines(entry)] == []


@pytest.mark.slow
def test_gradients_of_all_operators_equal_those_of_pytorch(formulas):
    of = torch.float64
    found = [compare_entry(info, of, recorded(formulas), 3) for info in entries(of)]
    different = {entry.name: entry.problems for entry in found if entry.verdict == "different"}
    assert different.keys() <= REFUSED | AT_ZERO, different
    refused = [problem for name, problems in different.items() if name in REFUSED for problem in problems]
    assert all("MissingDerivativeError" in problem for problem in refused), refused
    verdicts = Counter(entry.verdict for entry in found)
    assert verdicts["equal"] >= 530, verdicts


def test_the_command_prints_counts(imported_table, monkeypatch, capsys):
    arguments = [
        str(imported_table),
        "--entry",
        "sin",
        "--entry",
        "as_strided_scatter",
        "--samples",
        "2",
    ]
    monkeypatch.setattr(sys, "argv", ["autograd", *arguments])
    assert main() == 0
    printed = capsys.readouterr().out
    assert "as_strided_scatter: PyTorch is wrong: first: input 0: off by" in printed
    assert printed.splitlines()[-1] == (
        "2 entries: 1 equal, 1 right where PyTorch is wrong, 0 different, 0 without a sample to compare"
    )
