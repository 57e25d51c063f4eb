"""A pass for each costly output, so that a gradient that nobody needs is not computed."""

import numpy as np
import pytest

import pullback as pb
from pullback.transpile.library import standard_library
from pullback.transpile.loops.kernels.formula_kernels import formula_kernels
from pullback.transpile.loops.lower.schedule import program_of
from pullback.transpile.loops.statements import Passes, RunPasses, Scope, Space


def spaces(formula):
    """The passes of a formula's plain backward, and the statements about the list of them."""
    compiled = formula_kernels(formula, standard_library(), {}, 1)
    body = program_of(compiled.derivative.forward).body
    inner = [statement.body[0] if isinstance(statement, Scope) else statement for statement in body]
    found = [one for one in inner if isinstance(one, Space)]
    return found, [one for one in body if isinstance(one, Passes | RunPasses)]


def sinks_of(formula):
    return [{sink.name for sink in space.sinks} for space in spaces(formula)[0]]


def test_each_costly_gradient_has_a_pass_that_reads_what_it_needs():
    (first, second), (passes, ran) = spaces(standard_library().promoted("power"))
    assert [{read.name for read in space.reads} for space in (first, second)] == [
        {"x", "y", "grad"},
        {"x", "r", "grad"},
    ]
    assert (passes.count, passes.operands, ran.units) == (2, 8, False)


def test_gradients_that_cost_little_stay_together():
    assert len(sinks_of(standard_library().promoted("divide"))) == 1


def test_gradients_that_share_something_costly_stay_together():
    @pb.formula
    def shared(a, b):
        def pullback(grad):
            t = np.exp(a * b) * grad
            return t * a, t * b

        return a + b, pullback

    assert sinks_of(shared.ir) == [{"grad_a", "grad_b"}]


@pytest.mark.compiler
@pytest.mark.parametrize("shapes", [((3, 5), (3, 5)), ((3, 5), (5,)), ((), (40, 3)), ((40, 1), (3,))])
def test_a_gradient_alone_is_the_one_of_all(shapes):
    rng = np.random.default_rng(0)

    def f(a, b):
        return np.power(a, b) + np.logaddexp(a, 2 * b)

    compiled = pb.compile(f)
    x, y = (pb.tensor(rng.uniform(0.5, 2, shape), requires_grad=True) for shape in shapes)
    both = pb.grad(compiled(x, y).sum(), (x, y))
    reference = pb.grad(f(x, y).sum(), (x, y))
    for k, leaf in enumerate((x, y)):
        (alone,) = pb.grad(compiled(x, y).sum(), (leaf,))
        np.testing.assert_allclose(alone, both[k], rtol=1e-14)
        np.testing.assert_allclose(alone, reference[k], rtol=1e-12)
