"""The programs over PyTorch and as modules of JAX: results and gradients are the engine's."""

from itertools import chain

import numpy as np
import pytest

import pullback as pb
from tests.constructs.columns import flattened
from tests.sampling import sampled

from .corpus import SAMPLES
from .outcomes import NOT_IN_JAX, NOT_IN_PYTORCH, REFUSED

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


def those_without(refused):
    given = [sample for sample in SAMPLES if sample.function.__name__ not in {*REFUSED, *refused}]
    return pytest.mark.parametrize("sample", sampled(given, 24, lambda sample: sample.name))


class Problem:
    """A program of a sample's arrays; those of floats are `differentiable`."""

    def __init__(self, sample):
        self.formula = pb.derive_pullback(sample.function)
        self.call = sample.call
        self.arrays = flattened(self.formula, self.call)[1]
        self.places = [k for k, array in enumerate(self.arrays) if array.dtype.kind == "f"]
        self.differentiable = [self.arrays[k] for k in self.places]

    def results(self, function, given, others):
        """Results one by one, of `given` in the place of what is differentiable."""
        arrays = {**dict(enumerate(others)), **dict(zip(self.places, given, strict=True))}
        run, _ = flattened(function, self.call)
        return parts(run(*(arrays[k] for k in range(len(others)))))

    def expected(self):
        """By the engine: the results, and the gradients of the sum of their squares."""
        results = self.results(self.formula, self.differentiable, self.arrays)
        places = tuple(range(len(self.places)))
        loss = pb.func.grad(lambda *given: total(self.results(self.formula, given, self.arrays)), places)
        return [np.asarray(one) for one in chain(results, loss(*self.differentiable) if places else ())]


def parts(result):
    """Results one by one, numbers as arrays."""
    if isinstance(result, tuple | list):
        return [part for each in result for part in parts(each)]
    return [np.asarray(result) if isinstance(result, int | float) else result]


def total(results):
    """The sum of squares of all entries."""
    return sum((one * one).sum() for one in results)


def assert_same(found, wanted):
    for have, want in zip(found, wanted, strict=True):
        np.testing.assert_allclose(np.asarray(have, want.dtype), want, rtol=1e-6, atol=1e-9)


@pytest.mark.torch
@those_without(NOT_IN_PYTORCH)
def test_in_pytorch(sample):
    torch = pytest.importorskip("torch")
    from pullback.torch import function

    problem = Problem(sample)
    given = [torch.tensor(array, requires_grad=True) for array in problem.differentiable]
    results = problem.results(function(problem.formula), given, list(map(torch.tensor, problem.arrays)))
    results = list(map(torch.as_tensor, results))
    gradients = torch.autograd.grad(total(results), given, allow_unused=True, materialize_grads=True)
    assert_same([one.detach().numpy() for one in (*results, *gradients)], problem.expected())


@pytest.mark.jax
@those_without(NOT_IN_JAX)
def test_in_a_module_of_jax(sample):
    jax = pytest.importorskip("jax")
    from tests.frameworks.texts import jax_text

    problem, names = Problem(sample), {}
    exec(jax_text(problem.formula), names)
    made = names[sample.function.__name__]
    with jax.enable_x64(True):
        results = problem.results(made, problem.differentiable, problem.arrays)
        places = tuple(range(len(problem.places)))
        loss = jax.grad(lambda *given: total(problem.results(made, given, problem.arrays)), places)
        gradients = loss(*problem.differentiable) if places else ()
        assert_same([*results, *gradients], problem.expected())
