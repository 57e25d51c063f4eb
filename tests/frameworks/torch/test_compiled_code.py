"""PyTorch's cache of compiled code on disk: a formula that was changed is compiled anew."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

from pullback.torch.compiled_code import tag  # noqa: E402 - where torch is

pytestmark = pytest.mark.torch

PROGRAM = """
import numpy as np
import torch
from torch._dynamo.utils import counters

import pullback as pb
import pullback.torch


@pb.formula
def scaled(x):
    return x * x * {factor}, lambda grad: 2 * grad * x * {factor}


operator = pullback.torch.register("compiled_code", scaled)
x = torch.tensor([1.0, 2.0], requires_grad=True)
torch.compile(lambda x: operator(x).sum(), fullgraph=True)(x).backward()
print(x.grad.tolist(), counters["aot_autograd"]["autograd_cache_hit"])
"""


def test_the_tag_tells_of_every_text_and_keeps_what_the_user_put_there() -> None:
    config = torch.compiler.config
    with config.patch(cache_key_tag="mine"):
        tag({"a::f": "1", "a::g": "2"})
        first = config.cache_key_tag
        tag({"a::g": "2", "a::f": "1"})
        assert config.cache_key_tag == first
        assert first.startswith("mine pullback ")
        tag({"a::f": "1", "a::g": "3"})
        assert config.cache_key_tag != first
        assert config.cache_key_tag.startswith("mine pullback ")
        assert config.cache_key_tag.count("pullback") == 1


@pytest.mark.slow
@pytest.mark.compiler
@pytest.mark.usefixtures("inductor")
def test_a_formula_that_is_changed_between_processes_has_its_own_gradient(tmp_path: Path) -> None:
    file, found = tmp_path / "program.py", []
    for factor in ("2.0", "5.0", "5.0"):
        file.write_text(PROGRAM.format(factor=factor))
        made = subprocess.run(
            [sys.executable, "-W", "ignore", str(file)],
            env=os.environ | {"TORCHINDUCTOR_CACHE_DIR": str(tmp_path / "cache")},
            capture_output=True,
            text=True,
            check=True,
            timeout=280,
        )
        found.append(made.stdout.strip())
    assert found == ["[4.0, 8.0] 0", "[10.0, 20.0] 0", "[10.0, 20.0] 1"]
