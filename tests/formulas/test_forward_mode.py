"""Every formula of the library in forward mode: against finite differences, and against reverse mode."""

import numpy as np
import pytest

import pullback as pb
from pullback import forward_ad
from tests.sampling import sampled

from .samples import every_case

CASES = every_case()
STEP = 1e-6


def directions(leaves, rng):
    """A direction for each leaf that has derivatives; None for the others."""
    return [
        rng.standard_normal(np.shape(leaf))
        if isinstance(leaf, np.ndarray) and leaf.dtype.kind == "f"
        else None
        for leaf in leaves
    ]


def tangents_of(case, leaves, vs, requires_grad=False):
    """The results of a formula on dual tensors, their tangents, and the tensors underneath."""
    primals = [
        leaf if v is None else pb.tensor(leaf, requires_grad=requires_grad)
        for leaf, v in zip(leaves, vs, strict=True)
    ]
    with forward_ad.dual_level():
        duals = [
            leaf if v is None else forward_ad.make_dual(leaf, v) for leaf, v in zip(primals, vs, strict=True)
        ]
        returned = case.call(*duals)
        results = returned if isinstance(returned, tuple) else (returned,)
        unpacked = [forward_ad.unpack_dual(result) for result in results]
    return [dual.primal for dual in unpacked], [dual.tangent for dual in unpacked], primals


def numbers(values):
    values = values if isinstance(values, tuple) else (values,)
    return [np.asarray(value, float) for value in values]


@pytest.mark.parametrize("case", sampled(CASES, 2))
def test_tangents_agree_with_finite_differences(engine, case):
    rng = np.random.default_rng(1)
    vs = directions(case.leaves, rng)
    _, tangents, _ = tangents_of(case, case.leaves, vs)

    def at(step):
        moved = [leaf if v is None else leaf + step * v for leaf, v in zip(case.leaves, vs, strict=True)]
        return numbers(case.call(*moved))

    for tangent, after, before in zip(tangents, at(STEP), at(-STEP), strict=True):
        found = np.zeros(after.shape) if tangent is None else tangent.detach().numpy()
        assert found.shape == after.shape
        np.testing.assert_allclose(found, (after - before) / (2 * STEP), rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("case", sampled(CASES, 2))
def test_tangents_agree_with_reverse_mode_and_can_be_differentiated(engine, case):
    """<u, J v> is the same from both sides, and so is its gradient."""
    rng = np.random.default_rng(2)
    vs = directions(case.leaves, rng)
    results, tangents, primals = tangents_of(case, case.leaves, vs, requires_grad=True)
    inputs = [tensor for tensor, v in zip(primals, vs, strict=True) if v is not None]
    pairs = [(r, t) for r, t in zip(results, tangents, strict=True) if t is not None and r.requires_grad]
    if not pairs:
        return
    us = [rng.standard_normal(result.shape) for result, _ in pairs]
    forward = sum((t * u).sum() for (_, t), u in zip(pairs, us, strict=True))
    pulled = pb.grad([r for r, _ in pairs], inputs, us, create_graph=True, materialize_grads=True)
    reverse = sum((g * v).sum() for g, v in zip(pulled, [v for v in vs if v is not None], strict=True))
    np.testing.assert_allclose(forward.item(), reverse.item(), rtol=1e-9, atol=1e-12)
    if not (forward.requires_grad and reverse.requires_grad):
        return
    one = pb.grad(forward, inputs, retain_graph=True, materialize_grads=True)
    other = pb.grad(reverse, inputs, materialize_grads=True)
    for a, b in zip(one, other, strict=True):
        np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("case", sampled(CASES, 2))
def test_forward_over_reverse(engine, case):
    """The tangent of a gradient is the gradient of a tangent, where second derivatives commute."""
    rng = np.random.default_rng(3)
    vs = directions(case.leaves, rng)
    if all(v is None for v in vs):
        return
    primals = [
        leaf if v is None else pb.tensor(leaf, requires_grad=True)
        for leaf, v in zip(case.leaves, vs, strict=True)
    ]
    inputs = [tensor for tensor, v in zip(primals, vs, strict=True) if v is not None]

    def value(leaves):
        returned = case.call(*leaves)
        results = returned if isinstance(returned, tuple) else (returned,)
        return sum(np.sin(r).sum() for r in results if isinstance(r, pb.Tensor) and r.requires_grad)

    with forward_ad.dual_level():
        duals = [
            leaf if v is None else forward_ad.make_dual(leaf, v) for leaf, v in zip(primals, vs, strict=True)
        ]
        y = value(duals)
        if not isinstance(y, pb.Tensor):
            return
        gradients = pb.grad(y, inputs, allow_unused=True)
        found = [
            None if gradient is None else forward_ad.unpack_dual(gradient).tangent for gradient in gradients
        ]
    slopes = pb.grad(value(primals), inputs, create_graph=True, materialize_grads=True)
    total = sum((g * v).sum() for g, v in zip(slopes, [v for v in vs if v is not None], strict=True))
    if not total.requires_grad:
        return
    for tangent, expected in zip(found, pb.grad(total, inputs, materialize_grads=True), strict=True):
        array = np.zeros(expected.shape) if tangent is None else tangent.numpy()
        np.testing.assert_allclose(array, expected.numpy(), rtol=1e-8, atol=1e-9)
