"""Derived text is a formula file: it reads back, is derived from itself, and has the right derivatives."""

import itertools
from pathlib import Path

import numpy as np
import pytest

import pullback as pb
from pullback.tools.derived_file import derived_file
from pullback.tools.formulas import read_formula
from pullback.tools.loading import load_formulas
from pullback.transpile.diagnostics import FormulaError
from pullback.transpile.frontend import read_module
from pullback.transpile.ir import Source

from .catalog import Call
from .columns import assert_same, outcome, raises, second_order
from .costs import BY_COST

ROOT = Path(__file__).resolve().parents[2]
LIBRARY = [
    (path, name)
    for folder in ("examples", "formulas")
    for path in sorted((ROOT / folder).glob("*.py"))
    if path.stem != "__init__"
    for name in read_module(Source(str(path), path.read_text(encoding="utf-8"))).formulas
]
# The forward of these is a call of LAPACK that nothing but their own closure differentiates.
NOT_DERIVED = {"slogdet", "slogdet_of_complex", "eig", "eigh", "eigh_upper", "qr", "svd"}
# This is differentiated along a condition on its arguments, which its text does not have.
CONDITIONAL = {"share_of_length"}
# A gradient of these without one for the result is an error: no sample is differentiated.
REFUSED = {"refuse_gradient", "rfft"}
# Parts of these have a kink where the whole has none: max(z, 0) and |z| at 0. What follows is wrong there.
KINKS = {"softplus": 0.0}
QUICK = {"simple", "cross_entropy", "layer_norm", "softplus", "gp_covariance", "exp", "mean", "max", "clip"}
QUICK |= {"astype", "hypot"}


def checked_text(path, name):
    """The derived text, after it was read back and derived from itself."""
    formula, file = read_formula(f"{path}::{name}")
    return derived_file([formula], file)


def read_back(text, name, folder):
    """The formula of a derived text; a second derivation gives the same text."""
    path = folder / f"{name}_derived.py"
    path.write_text(text, encoding="utf-8")
    formula, file = read_formula(f"{path}::{name}")
    assert derived_file([formula], file) == text
    return dict(load_formulas(str(path)))[name]


def assert_agree(original, derived, calls):
    for call in calls:
        assert_same(outcome(lambda call=call: call.of(original)), outcome(lambda call=call: call.of(derived)))
        with pb.use_engine("reference"):
            pairs = zip(second_order(original, call), second_order(derived, call), strict=True)
            for expected, found in pairs:
                np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-9)


@BY_COST
def test_a_construct(construct, tmp_path):
    path = Path(construct.function.__code__.co_filename)
    derived = read_back(checked_text(path, construct.name), construct.name, tmp_path)
    assert_agree(construct.formula, derived, [c for c in construct.calls if not raises(construct, c)])


@pytest.mark.usefixtures("library_restored")
@pytest.mark.parametrize(
    ("path", "name"),
    [
        pytest.param(path, name, id=name, marks=[] if name in QUICK else pytest.mark.slow)
        for path, name in LIBRARY
        if name not in NOT_DERIVED | REFUSED | CONDITIONAL
    ],
)
def test_a_formula_of_the_library(path, name, tmp_path):
    original = dict(load_formulas(str(path)))[name]
    derived = read_back(checked_text(path, name), name, tmp_path)
    calls = [Call(args, kwargs) for args, kwargs in itertools.islice(original.samples(0), 4)]
    rng = np.random.default_rng(0)
    inputs = [param for param in original.ir.params if not param.attribute]
    calls = calls or [Call(tuple(rng.standard_normal((3, 4)) for _ in inputs), {})]
    smooth = [c for c in calls if name not in KINKS or not np.any(c.inputs[0] == KINKS[name])]
    assert_agree(original, derived, smooth)


@pytest.mark.parametrize("name", sorted(NOT_DERIVED))
def test_what_cannot_be_derived_is_a_located_error(name):
    path = next(path for path, other in LIBRARY if other == name)
    formula, file = read_formula(f"{path}::{name}")
    with pytest.raises(FormulaError) as error:
        derived_file([formula], file)
    assert "np.linalg" in str(error.value)
    assert f"{path.name}:" in str(error.value)


LOSS = """
import numpy as np


def loss(q, k, x, *, reduction: str = "mean"):
    n, _ = x.shape
    scores = np.einsum("ij,kj->ik", q, k) * n
    if reduction == "mean":
        return np.mean(scores)
    return np.sum(scores)
"""


def test_the_text_is_that_of_an_author(tmp_path):
    path = tmp_path / "loss.py"
    path.write_text(LOSS, encoding="utf-8")
    lines = checked_text(path, "loss").splitlines()
    assert "    n, _ = np.shape(x)" in lines
    assert "    product = np.einsum('ij,kj->ik', q, k)" in lines
    assert any(line.lstrip().startswith("grad_q, grad_k = primitives.contract_gradients(") for line in lines)
    # What each side of the condition chose is known behind the same condition in the closure.
    assert not any("axis_is_none" in line for line in lines)


NETWORK = """
import numpy as np


def network(x, h, w, b, target):
    joined = np.concatenate([x, h], axis=-1)
    difference = np.tanh(joined @ w + b) - target
    return -np.mean(0.5 * difference[:, None] ** 2)
"""
PULLBACK = """\
        wide = primitives.broadcast_like(-grad, primitives.like(part))
        grad_part = wide / np.size(product_1) * part
        grad_difference = primitives.unslice(grad_part, index=(slice(None), None), shape=np.shape(difference))
        grad_target = -grad_difference
        grad_tanh = primitives.sum_to(grad_difference, primitives.like(tanh))
        grad_b = grad_tanh * (1 - tanh * tanh)
        grad_product = primitives.sum_to(grad_b, primitives.like(product))
        grad_joined, grad_w = primitives.matmul_gradients(grad_product, joined, w)
        grad_x, grad_h = primitives.split_like(grad_joined, likes=primitives.like([x, h]), axis=-1)
        return grad_x, grad_h, grad_w, grad_b, grad_target
"""


def test_gradients_have_names_and_signs_cancel(tmp_path):
    path = tmp_path / "network.py"
    path.write_text(NETWORK, encoding="utf-8")
    text = checked_text(path, "network")
    assert PULLBACK in text


@pytest.mark.parametrize(
    "shapes",
    [((2, 3), (3, 4)), ((3,), (3,)), ((3,), (5, 3, 4)), ((5, 2, 3), (3,)), ((2, 1, 2, 3), (5, 3, 2))],
)
def test_the_gradients_of_a_product_by_name_are_differentiable(tmp_path, shapes):
    path = tmp_path / "product.py"
    path.write_text("def product(x, y):\n    return x @ y\n", encoding="utf-8")
    text = checked_text(path, "product")
    assert "grad_x, grad_y = primitives.matmul_gradients(grad, x, y)" in text
    derived = read_back(text, "product", tmp_path)
    rng = np.random.default_rng(0)
    assert pb.gradcheck(derived, *[rng.standard_normal(shape) for shape in shapes], order=3)


def test_a_single_element_and_a_shared_length_keep_their_check(tmp_path):
    path = tmp_path / "first.py"
    path.write_text("def first(x):\n    (n,) = x.shape\n    return x * n\n", encoding="utf-8")
    assert "    n = shape_x[0]" in checked_text(path, "first").splitlines()
