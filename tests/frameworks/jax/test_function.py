"""Formulas as JAX functions: values and derivatives are those of the formula on NumPy."""

import numpy as np
import pytest

import pullback as pb
from tests.sampling import sampled

from .formulas import CASES, clipped_gradient, cross_entropy, cube, layer_norm, recurrence, simple, solution

pytestmark = pytest.mark.jax


def is_float(leaf):
    return isinstance(leaf, np.ndarray) and leaf.dtype.kind == "f"


class Problem:
    """A case with weights: the same sums of its results and gradients on JAX and on the engine."""

    def __init__(self, case):
        import jax

        self.case = case
        leaves, self.structure = jax.tree.flatten(case.args)
        self.leaves = leaves
        self.places = [k for k, leaf in enumerate(leaves) if is_float(leaf)]
        self.floats = [leaves[k] for k in self.places]
        results = self.results(case.formula, self.floats)
        rng = np.random.default_rng(1)
        self.weights = [rng.standard_normal(np.shape(result)) for result in results]
        self.directions = [[rng.standard_normal(x.shape) for x in self.floats] for _ in range(2)]

    def results(self, function, floats):
        import jax

        leaves = list(self.leaves)
        for place, value in zip(self.places, floats, strict=True):
            leaves[place] = value
        returned = function(*jax.tree.unflatten(self.structure, leaves), **self.case.kwargs)
        return list(returned) if isinstance(returned, tuple) else [returned]

    def loss(self, function, floats, sin):
        """A sum that is not linear in the results which have derivatives."""
        total = 0.0
        for result, weight in zip(self.results(function, floats), self.weights, strict=True):
            if np.issubdtype(result.dtype, np.floating):
                total = total + (sin(result) * weight).sum()
        return total

    def by_engine(self, order):
        """Values, and derivatives up to the order, each along a direction, in every input."""
        tensors = [pb.tensor(x, requires_grad=True) for x in self.floats]
        found = [np.asarray(result) for result in self.results(self.case.formula, self.floats)]
        scalar = self.loss(self.case.formula, tensors, np.sin)
        for step in range(order):
            gradients = pb.grad(scalar, tensors, create_graph=True, materialize_grads=True)
            found += [gradient.detach().numpy() for gradient in gradients]
            if step + 1 < order:
                scalar = sum((g * v).sum() for g, v in zip(gradients, self.directions[step], strict=True))
                if not scalar.requires_grad:
                    rest = order - step - 1
                    return found + [np.zeros(x.shape) for _ in range(rest) for x in self.floats]
        return found

    def by_jax(self, function, order):
        import jax
        import jax.numpy as jnp

        def scalar(floats):
            return self.loss(function, floats, jnp.sin)

        def every(floats):
            found = list(self.results(function, floats))
            value = scalar
            for step in range(order):
                gradient = jax.grad(value)
                found += gradient(floats)
                value = along(gradient, self.directions[step % 2])
            return found

        def along(gradient, direction):
            return lambda floats: sum((g * v).sum() for g, v in zip(gradient(floats), direction, strict=True))

        return jax.jit(every)(self.floats)


def assert_same(found, expected):
    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        assert one.shape == other.shape
        assert one.dtype.kind == other.dtype.kind
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("case", sampled(CASES, 4))
def test_values_and_two_derivatives_are_the_formulas(case):
    from pullback.jax import function

    problem = Problem(case)
    made = function(case.formula)
    assert made.mode == ("reverse" if case.reverse else "both")
    assert_same(problem.by_jax(made, 2), problem.by_engine(2))


THIRD = [case for case in CASES if case.formula in (cube, simple, layer_norm, solution, recurrence)]


@pytest.mark.parametrize("case", sampled(THIRD, 3))
@pytest.mark.parametrize("mode", ["both", "reverse"])
def test_third_derivatives_in_both_modes(case, mode):
    from pullback.jax import function

    problem = Problem(case)
    assert_same(problem.by_jax(function(case.formula, mode), 3), problem.by_engine(3))


@pytest.mark.parametrize("case", [case for case in CASES if case.formula in (cross_entropy, simple)], ids=str)
def test_the_closure_as_written_gives_the_same(case):
    from pullback.jax import function

    problem = Problem(case)
    assert_same(problem.by_jax(function(case.formula, "reverse"), 2), problem.by_engine(2))


@pytest.mark.parametrize("case", [case for case in CASES if case.formula in (simple, solution)], ids=str)
def test_finite_differences_agree_in_both_modes_of_jax(case):
    import jax
    from jax.test_util import check_grads

    from pullback.jax import function

    check_grads(jax.jit(function(case.formula)), case.args, order=2, modes=["fwd", "rev"])


def test_a_closure_without_a_transpose_runs_as_it_is():
    import jax

    from pullback.jax import function

    made = function(clipped_gradient)
    assert jax.grad(lambda x: (5 * made(x)).sum())(np.ones(2)).tolist() == [0.1, 0.1]
    with pytest.raises(pb.FormulaError, match=r"formulas.py:\d+:\d+: PB203"):
        function(clipped_gradient, "both")


def test_functions_are_copied_and_pickled_by_name():
    import copy
    import pickle

    from pullback.jax import function

    for mode in (None, "reverse"):
        made = function(simple, mode)
        assert copy.deepcopy({"op": made})["op"] is made
        assert pickle.loads(pickle.dumps(made)) is made

    @pb.formula
    def local(x):
        return np.exp(x), lambda grad: grad * np.exp(x)

    with pytest.raises(pickle.PicklingError, match="pickled by its name"):
        pickle.dumps(function(local))
