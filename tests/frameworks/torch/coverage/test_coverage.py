"""The library's counterparts of PyTorch's operators, over PyTorch's samples: a few of every family."""

from __future__ import annotations

import pytest

pytest.importorskip("torch")
pytest.importorskip("expecttest")
pytestmark = pytest.mark.torch

# Some of each family, and those whose second derivative is easily wrong.
SOME = (
    *("lerp", "xlogy", "nan_to_num", "softmax", "polar", "std_mean", "cummax", "nanmedian", "renorm"),
    *("gradient", "unfold", "diag_embed", "as_strided", "scatter_add", "index_put", "take_along_dim"),
    *("linalg_eigh", "linalg_lstsq", "linalg_pinv_hermitian", "fft_hfftn", "masked_std", "masked_norm"),
    *("nn_functional_layer_norm", "nn_functional_conv_transpose2d", "nn_functional_ctc_loss", "cdist"),
    *("nn_functional_softsign", "nn_functional_tanhshrink"),
)


def infos(dtype):
    from pullback.torch.autograd.comparing import entries

    return {info.formatted_name: info for info in entries(dtype)}


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_some_of_every_family_equal_pytorch_to_second_order(dtype):
    import torch

    from pullback.torch.coverage.comparing import compare

    known = infos(getattr(torch, dtype))
    found = [compare(known[name], getattr(torch, dtype), 2) for name in SOME if name in known]
    assert {
        entry.name: [*entry.problems, *entry.refused] for entry in found if entry.verdict != "equal"
    } == {}
    assert len(found) >= (len(SOME) if dtype == "float64" else 15)


def test_every_entry_has_a_function_or_a_reason_and_none_has_both():
    import torch

    from pullback.torch.coverage.table import ABSENT, FUNCTIONS

    known = set(infos(torch.float64))
    assert len(known & FUNCTIONS.keys()) > 470
    assert ABSENT.keys() <= known
    assert not ABSENT.keys() & FUNCTIONS.keys()


@pytest.mark.parametrize(
    ("wrong", "verdict"),
    [
        (lambda x: x + 1e-6, "different: value 0: off by"),
        (lambda x: x.detach().numpy() ** 2, "different: value: 0 results for 1"),
        (lambda x: constant_slope(x), "different: first: input 0: off by"),
        (lambda x: constant_gradient(x), "different: second: input 0: off by"),
        (lambda x: x.missing, "refused: AttributeError"),
    ],
)
def test_what_is_not_equal_is_found(wrong, verdict, monkeypatch):
    import torch

    from pullback.torch.coverage import table
    from pullback.torch.coverage.__main__ import lines
    from pullback.torch.coverage.comparing import compare

    monkeypatch.setitem(table.FUNCTIONS, "square", wrong)
    entry = compare(infos(torch.float64)["square"], torch.float64, 1)
    assert all(line.startswith(f"square: {verdict}") for line in lines(entry))
    assert list(lines(entry))


def constant_slope(x):
    """A square with the slope of a line."""
    return x + (x * x - x).detach()


def constant_gradient(x):
    """A square whose gradient does not depend on it."""
    return 2 * x.detach() * x - (x * x).detach()


def test_the_command_counts_and_says_why(capsys, monkeypatch):
    from pullback.torch.coverage.__main__ import main

    command = ["coverage", "--samples", "1"]
    for name in ("exp", "to_sparse", "bfloat16"):
        command += ["--entry", name]
    monkeypatch.setattr("sys.argv", command)
    assert main() == 0
    *reasons, counts = capsys.readouterr().out.splitlines()
    assert counts.startswith("3 entries: 1 covered: 1 equal ")
    assert sorted(reasons) == [
        "bfloat16: refused: NotTakenError: NumPy has no such dtype",
        "to_sparse: absent: of sparse tensors",
    ]
