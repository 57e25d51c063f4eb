"""Derivatives of NumPy's functions with their options, to second order, against differences."""

import warnings

import numpy as np
import pytest

import pullback as pb
from tests.conformance.calls_of_numpy import CALLS
from tests.conformance.test_values import operands

# NumPy orders complex values by real parts and then imaginary ones; gradients through that are refused.
ORDERED = "max min nanmax nanmin ptp maximum fmin clip"


def run(call, names, dtype):
    with np.errstate(all="ignore"):
        return eval(call, {"np": np}, {**names, "T": np.dtype(dtype)})


def projected(found):
    """A weighted sum of what a call gives, so that each entry counts, with both of its parts."""
    places = np.arange(np.size(found)).reshape(np.shape(found)) * 1.7 + 0.3
    total = (np.real(found) * np.cos(places)).sum()
    return total + (np.imag(found) * np.sin(places)).sum() if np.iscomplexobj(found) else total


class Line:
    """The operands along a straight line, of one dtype."""

    def __init__(self, dtype):
        rng = np.random.default_rng(8)
        self.dtype, self.given = dtype, operands(dtype)
        self.directions = {name: rng.uniform(-1.0, 1.0, value.shape) for name, value in self.given.items()}
        if dtype == "complex128":
            for name, value in self.directions.items():
                self.directions[name] = value + 1j * rng.uniform(-1.0, 1.0, value.shape)

    def at(self, call, t):
        names = {name: value + t * self.directions[name] for name, value in self.given.items()}
        return projected(run(call, names, self.dtype))

    def by_differences(self, call):
        """First and second derivative, by stencils of fourth order."""
        h = 1e-3
        near, far = [[self.at(call, sign * k * h) for sign in (1, -1)] for k in (1, 2)]
        first = (8 * (near[0] - near[1]) - (far[0] - far[1])) / (12 * h)
        second = (16 * (near[0] + near[1]) - (far[0] + far[1]) - 30 * self.at(call, 0.0)) / (12 * h * h)
        return first, second

    def by_gradients(self, call):
        t = pb.tensor(0.0, requires_grad=True)
        total = self.at(call, t)
        if not getattr(total, "requires_grad", False):
            return 0.0, 0.0
        first = pb.grad(total, t, create_graph=True, materialize_grads=True)[0]
        if not first.requires_grad:
            return first.item(), 0.0
        return first.item(), pb.grad(first, t, materialize_grads=True)[0].item()


def wanted_of(line):
    """What differences give for each call that NumPy takes."""
    found = {}
    for call in CALLS:
        if "'f4'" in call or (line.dtype == "float64" and "'c16'" in call):
            continue
        try:
            found[call] = line.by_differences(call)
        except (TypeError, np.exceptions.ComplexWarning):
            assert line.dtype == "complex128", call
    return found


@pytest.fixture(scope="module", params=["float64", "complex128"])
def line(request):
    found = Line(request.param)
    with warnings.catch_warnings():
        warnings.simplefilter("error", np.exceptions.ComplexWarning)  # where imaginary parts are left out
        return found, wanted_of(found)


def test_derivatives_are_those_of_differences(engine, line):
    line, differences = line
    wrong = []
    for call, wanted in differences.items():
        if line.dtype == "complex128" and call.partition("(")[0].removeprefix("np.") in ORDERED.split():
            with pytest.raises(pb.errors.NotDifferentiableError, match="complex"):
                line.by_gradients(call)
            continue
        if "eigh" in call and call.endswith("[1]") and line.dtype == "complex128":
            with pytest.raises(ValueError, match="phases"):
                line.by_gradients(call)
            continue
        try:
            found = line.by_gradients(call)
        except (TypeError, ValueError, pb.PullbackError) as error:
            wrong.append(f"{call}: {error!r:.150}")
            continue
        scale = 1 + abs(wanted[0]) + abs(wanted[1])
        if not np.allclose(found, wanted, rtol=0, atol=1e-6 * scale):
            wrong.append(f"{call}: {found} / {wanted}")
    assert not wrong, "\n".join(wrong)
