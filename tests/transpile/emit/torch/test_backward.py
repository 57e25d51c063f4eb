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


CARRIED = """
import numpy as np
import pullback as pb


@pb.derive_pullback
def both(x, *, n: int = 3):
    u = x
    v = x
    for _ in range(n):
        u = np.tanh(v) + u
        v = v * 2
    return u * v
"""


LEFT_OUT = """
import numpy as np
import pullback as pb


@pb.derive_pullback
def products(a, b):
    return np.kron(a, b)
"""


def _loaded(tmp_path, text, name):
    """The function that a text defines, as a class of PyTorch."""
    (tmp_path / "source.py").write_text(text)
    folder = tmp_path / "made"
    source = f"{tmp_path / 'source.py'}::{name}"
    assert main(["transpile", source, "--target", "torch-python", "-o", str(folder)]) == 0
    (path,) = folder.glob("*.py")
    spec = importlib.util.spec_from_file_location("made_for_torch", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, name)


def _assert_two_derivatives(function, *shapes):
    operands = [torch.rand(shape, dtype=torch.float64, requires_grad=True) for shape in shapes]
    assert torch.autograd.gradcheck(function, operands)
    assert torch.autograd.gradgradcheck(function, operands)


def test_no_variable_has_the_name_of_a_gradient_that_comes_in(tmp_path):
    _assert_two_derivatives(_loaded(tmp_path, TEXT, "changed"), (3,), (3,))


def test_nor_has_a_value_that_a_loop_carries(tmp_path):
    _assert_two_derivatives(_loaded(tmp_path, CARRIED, "both"), (3,))


def test_what_a_branch_leaves_out_is_saved_as_none(tmp_path):
    products = _loaded(tmp_path, LEFT_OUT, "products")
    for shapes in [((2, 1, 2), (2, 2)), ((2, 2), (2,)), ((), (2,))]:
        _assert_two_derivatives(products, *shapes)
