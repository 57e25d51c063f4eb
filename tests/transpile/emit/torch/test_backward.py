"""The backward of a generated class of PyTorch: the names that it gives to gradients."""

import importlib.util

import pytest

torch = pytest.importorskip("torch")

from pullback.tools.cli import main  # noqa: E402 - where torch is

pytestmark = pytest.mark.torch

TEXT = """
import numpy as np
import pullback as pb


@pb.derive_pullback
def changed(x, v):
    t = x * 1.0
    t += v
    return t * np.array([e * e for e in x])
"""


def test_no_variable_has_the_name_of_a_gradient_that_comes_in(tmp_path):
    (tmp_path / "source.py").write_text(TEXT)
    folder = tmp_path / "made"
    source = f"{tmp_path / 'source.py'}::changed"
    assert main(["transpile", source, "--target", "torch-python", "-o", str(folder)]) == 0
    (path,) = folder.glob("*.py")
    spec = importlib.util.spec_from_file_location("made_for_torch", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    x, v = (torch.rand(3, dtype=torch.float64, requires_grad=True) for _ in range(2))
    assert torch.autograd.gradcheck(module.changed, (x, v))
    assert torch.autograd.gradgradcheck(module.changed, (x, v))
