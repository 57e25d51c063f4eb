"""Derivatives of NumPy's functions with their options, to second order, against differences."""

import numpy as np
import pytest

import pullback as pb
from tests.conformance.calls_of_numpy import CALLS
from tests.conformance.test_values import operands

GIVEN = operands("float64")
RNG = np.random.default_rng(8)
DIRECTIONS = {name: RNG.uniform(-1.0, 1.0, value.shape) for name, value in GIVEN.items()}


def run(call, names):
    with np.errstate(all="ignore"):
        return eval(call, {"np": np}, {**names, "T": np.dtype(float)})


def projected(found):
    """A weighted sum of what a call gives, so that each entry counts."""
    weights = np.cos(np.arange(np.size(found)) * 1.7 + 0.3).reshape(np.shape(found))
    return (np.real(found) * weights).sum()


def by_differences(call):
    """First and second derivative along the directions, by stencils of fourth order."""

    def at(t):
        return projected(run(call, {name: value + t * DIRECTIONS[name] for name, value in GIVEN.items()}))

    h = 1e-3
    near, far = (at(h), at(-h)), (at(2 * h), at(-2 * h))
    first = (8 * (near[0] - near[1]) - (far[0] - far[1])) / (12 * h)
    second = (16 * (near[0] + near[1]) - (far[0] + far[1]) - 30 * at(0.0)) / (12 * h * h)
    return first, second


def by_gradients(call):
    t = pb.tensor(0.0, requires_grad=True)
    found = run(call, {name: value + t * DIRECTIONS[name] for name, value in GIVEN.items()})
    total = projected(found)
    if not getattr(total, "requires_grad", False):
        return 0.0, 0.0
    first = pb.grad(total, t, create_graph=True, materialize_grads=True)[0]
    if not first.requires_grad:
        return first.item(), 0.0
    return first.item(), pb.grad(first, t, materialize_grads=True)[0].item()


@pytest.fixture(scope="module")
def differences():
    return {call: by_differences(call) for call in CALLS if "'c16'" not in call and "'f4'" not in call}


def test_derivatives_are_those_of_differences(engine, differences):
    wrong = []
    for call, wanted in differences.items():
        try:
            found = by_gradients(call)
        except (TypeError, ValueError, pb.PullbackError) as error:
            wrong.append(f"{call}: {error!r:.150}")
            continue
        scale = 1 + abs(wanted[0]) + abs(wanted[1])
        if not np.allclose(found, wanted, rtol=0, atol=1e-6 * scale):
            wrong.append(f"{call}: {found} / {wanted}")
    assert not wrong, "\n".join(wrong)
