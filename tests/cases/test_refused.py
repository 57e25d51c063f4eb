"""What cannot be differentiated twice is refused with the line, never a silent None or zero."""

import numpy as np
import pytest

import pullback as pb

from . import refused, seven_ways

X = np.array([1.0, 2.0])


def test_a_write_to_the_input_is_an_error_at_its_line(engine):
    x = pb.tensor(X, requires_grad=True)
    with pytest.raises(pb.FormulaError, match=r"refused\.py:12:5: PB301") as caught:
        refused.mutated_alias(x)
    assert "t += 1" in str(caught.value)
    np.testing.assert_array_equal(x.detach().numpy(), X)


def test_a_lost_path_has_its_first_derivative_and_refuses_the_second(engine):
    a, b = pb.tensor(X, requires_grad=True), pb.tensor(X + 1, requires_grad=True)
    to_a, to_b = pb.grad(seven_ways.simple_lost_path(a, b).sum(), [a, b], create_graph=True)
    np.testing.assert_array_equal(to_a.detach().numpy(), X + 1)
    np.testing.assert_array_equal(to_b.detach().numpy(), X + 2 * (X + 1))
    with pytest.raises(pb.errors.BarrierError, match=r"seven_ways\.py:\d+.*'fresh'"):
        pb.grad((to_a + to_b).sum(), [a, b])


def test_an_opaque_intermediate_has_its_first_derivative_and_refuses_the_second(engine):
    x = pb.tensor(X, requires_grad=True)
    (gradient,) = pb.grad(refused.opaque_intermediate(x).sum(), [x], create_graph=True)
    np.testing.assert_array_equal(gradient.detach().numpy(), 4 * X)
    with pytest.raises(pb.errors.BarrierError, match=r"refused\.py:\d+.*'t'"):
        pb.grad(gradient.sum(), [x])


@pytest.mark.parametrize(
    ("formula", "name"), [(seven_ways.simple_lost_path, "fresh"), (refused.opaque_intermediate, "t")]
)
def test_the_capture_is_named_as_refused(formula, name):
    verdicts = {capture.name: capture.action for capture in formula.captures}
    assert verdicts[name] == "refused"
