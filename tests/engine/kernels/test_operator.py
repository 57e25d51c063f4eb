from itertools import product

import numpy as np
import pytest

import pullback as pb
from pullback.engine.kernels.lazy import LazyLibrary
from tests.conformance import formulas
from tests.sampling import sampled

from .programs import centered, two_results

pytestmark = pytest.mark.compiler


simple = pb.formula(save=("t",))(formulas.simple.__wrapped__)


def general_call(operator, inputs, defined):
    """Gradients by the kernel and by the closure, with random cotangents where they are defined."""
    rng = np.random.default_rng(3)
    outputs = operator.forward(inputs, {})
    visible = operator.n_results + operator.n_hidden
    sources = {"input": inputs, "output": outputs[:visible], "plain": outputs[visible:]}
    saved = [sources[source][position] for source, position, _ in operator.saved]
    variant = operator.backward(defined, (True,) * len(inputs))
    cotangents = [
        rng.standard_normal(np.shape(value)) if here else None
        for here, value in zip(defined, outputs, strict=False)
    ]
    filled = [
        np.zeros_like(outputs[k]) if k in variant.materialize and c is None else c
        for k, c in enumerate(cotangents)
    ]
    return (
        variant.call.kernel,
        variant.call.sources,
        variant.call.python.call(saved, filled),
        saved,
        cotangents,
    )


@pytest.mark.parametrize("most", [0, 8])
@pytest.mark.parametrize("formula", sampled([simple, centered, two_results], 2))
def test_undefined_gradients_are_zeros_to_the_kernels(formula, most, monkeypatch):
    monkeypatch.setattr(LazyLibrary, "MOST_VARIANTS", most)
    operator = pb.compile(formula, order=1).operator()
    rng = np.random.default_rng(4)
    inputs = (rng.uniform(0.5, 1, (3, 1)), rng.uniform(0.5, 1, (4,)))
    count = operator.n_results + operator.n_hidden
    for defined in list(product([True, False], repeat=count))[:32]:
        if not any(defined):
            continue
        kernel, sources, expected, saved, cotangents = general_call(operator, inputs, defined)
        arguments = [cotangents[k] if is_cotangent else saved[k] for is_cotangent, k in sources]
        for one, other, value in zip(kernel(arguments), expected, inputs, strict=False):
            other = np.zeros_like(value) if other is None else other
            np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12)


def test_a_pattern_of_gradients_has_a_kernel_until_there_are_many(monkeypatch):
    monkeypatch.setattr(LazyLibrary, "MOST_VARIANTS", 1)
    operator = pb.compile(simple, order=1).operator()
    names = [
        operator.backward(defined, (True, True)).call.kernel.kernel.name
        for defined in ((False, True), (True, True), (False, True))
    ]
    assert names == ["simple_backward_01", "simple_backward_general", "simple_backward_01"]


def test_the_plain_first_backward_reads_no_hidden_gradient():
    operator = pb.compile(simple, order=1).operator()
    plain = operator.backward((True, False), (True, True)).call
    assert plain.kernel.kernel.name == "simple_backward"
    assert [entry.var.name for entry in plain.kernel.kernel.inputs if "grad" in entry.var.name] == ["grad"]


def test_beyond_the_compiled_orders_the_closure_runs():
    x = pb.tensor([0.5, 1.5], requires_grad=True)
    fast = pb.compile(pb.derive_pullback(cube), order=1)
    gradient = fast(x).sum()
    for expected in ([3 * 0.25, 3 * 2.25], [3.0, 9.0], [6.0, 6.0]):
        (gradient,) = pb.grad(gradient.sum(), [x], create_graph=True)
        np.testing.assert_allclose(gradient.detach().numpy(), expected)


def cube(x):
    return x * x * x
