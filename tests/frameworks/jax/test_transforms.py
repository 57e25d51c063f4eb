"""JAX's transformations of formulas, nested in each other."""

import numpy as np
import pytest

import pullback as pb
from tests.sampling import sampled

from .formulas import affine, product_of, simple, straight_through
from .transformations import (
    REVERSE,
    SIX,
    X,
    Y,
    assert_transformed_as_the_plain_function,
    transformed,
)

pytestmark = pytest.mark.jax

EACH = sampled([(formula, args) for formula, _, args in SIX], 2, lambda case: case[0].__name__)


@pytest.mark.parametrize("case", EACH)
def test_every_transformation_is_that_of_the_plain_function(case):
    from pullback.jax import function

    formula, args = case
    assert_transformed_as_the_plain_function(function(formula), formula, args)


@pytest.mark.parametrize("case", EACH)
def test_the_closure_as_written_runs_under_transformations_too(case):
    """All but forward mode of the function itself."""
    from pullback.jax import function

    formula, args = case
    made = function(formula, "reverse")
    assert_transformed_as_the_plain_function(made, formula, args, only=REVERSE)
    with pytest.raises(TypeError, match="forward-mode"):
        transformed(made)["jvp"](*args)


def test_without_jit_and_with_batches_in_any_place():
    import jax

    from pullback.jax import function

    made = function(simple)
    batched = jax.vmap(jax.grad(lambda a, b: made(a, b).sum(), (0, 1)), (1, None))
    by_a, by_b = batched(X, Y[:2])
    one = [jax.grad(lambda a, b: made(a, b).sum(), (0, 1))(X[:, k], Y[:2]) for k in range(3)]
    np.testing.assert_allclose(by_a, np.stack([a for a, _ in one]))
    np.testing.assert_allclose(by_b, np.stack([b for _, b in one]))


def test_a_straight_through_estimator_has_slope_one_at_every_order():
    """Two, where a rule around the text of the forward says zero: the round in it is flat."""
    import jax

    from pullback.jax import function

    for mode in ("both", "reverse"):
        made = function(straight_through, mode)
        squared = lambda x: made(x) ** 2  # noqa: B023, E731
        assert jax.grad(jax.grad(squared))(0.7) == 2.0
        assert jax.hessian(squared)(0.7) == 2.0
        assert jax.jit(jax.grad(jax.grad(squared)))(0.7) == 2.0
        assert jax.vmap(jax.grad(jax.grad(squared)))(np.array([0.2, 1.7])).tolist() == [2.0, 2.0]


def test_gradients_of_lists_come_as_lists():
    import jax

    from pullback.jax import function

    parts = [Y, Y + 1, Y + 2]
    found = jax.jit(jax.grad(lambda parts: function(product_of)(parts).sum()))(parts)
    assert isinstance(found, list)
    np.testing.assert_allclose(found[1], parts[0] * parts[2])


def test_the_gradient_of_one_input_leaves_the_others_alone():
    """What needs no gradient is not computed: no product with the weight's transpose."""
    import jax

    from pullback.jax import function

    made = function(affine, "reverse")
    text = jax.jit(jax.value_and_grad(lambda w: made(X, w).sum())).lower(X.T).as_text()
    assert text.count("stablehlo.dot_general") == 2


@pb.derive_pullback
def power_spectrum(x):
    return np.abs(np.fft.rfft(x)) ** 2


def test_a_real_part_does_not_stand_for_the_complex_array():
    import jax
    import jax.numpy as jnp

    from pullback.jax import function

    weights = np.arange(1.0, 4.0)
    x = np.array([0.3, -0.7, 1.2, 0.4])
    made = function(power_spectrum)
    expected = jax.grad(lambda x: (jnp.abs(jnp.fft.rfft(x)) ** 2 * weights).sum())(x)
    np.testing.assert_allclose(jax.grad(lambda x: (made(x) * weights).sum())(x), expected, rtol=1e-5)
    _, tangent = jax.jvp(lambda x: (made(x) * weights).sum(), (x,), (np.ones(4),))
    np.testing.assert_allclose(tangent, expected.sum(), rtol=1e-5)
    # The spectrum is a quadratic form, so that the Hessian times x is the gradient.
    hessian = jax.hessian(lambda x: (made(x) * weights).sum())(x)
    np.testing.assert_allclose(hessian @ x, expected, rtol=1e-5)
    reverse = function(power_spectrum, "reverse")
    compiled = jax.jit(jax.hessian(lambda x: (reverse(x) * weights).sum()))
    np.testing.assert_allclose(compiled(x), hessian, rtol=1e-5)


@pb.derive_pullback
def by_indices(x):
    kept = np.compress([True, False, True], x[np.ix_([0, 2], [1, 0, 2])][0])
    return (x[np.triu_indices(3)] ** 2).sum() * kept


def test_indices_of_written_lists_are_known_under_jit():
    import jax

    from pullback.jax import function

    x = np.arange(9.0).reshape(3, 3) / 7
    made = function(by_indices)
    np.testing.assert_allclose(jax.jit(made)(x), by_indices(x), rtol=1e-5)
    np.testing.assert_allclose(
        jax.jit(jax.hessian(lambda x: made(x).sum()))(x),
        pb.func.hessian(lambda x: by_indices(x).sum())(x),
        rtol=1e-5,
    )


@pb.derive_pullback
def log_determinant(a):
    return np.linalg.slogdet(a)[1]


def test_a_branch_for_complex_values_is_none_of_real_ones():
    import jax
    import jax.numpy as jnp

    from pullback.jax import function

    a = jnp.array([[2.0, 0.5], [-0.3, 1.0]])
    expected = jax.hessian(lambda a: jnp.linalg.slogdet(a)[1])(a)
    np.testing.assert_allclose(jax.jit(jax.hessian(function(log_determinant)))(a), expected, rtol=1e-5)


def test_shards_and_exported_programs_have_the_closures_derivatives():
    import jax
    from jax import export
    from jax.sharding import AxisType
    from jax.sharding import PartitionSpec as P

    from pullback.jax import function

    made = function(straight_through)
    mesh = jax.make_mesh((1,), ("i",), axis_types=(AxisType.Auto,))
    sharded = jax.shard_map(made, mesh=mesh, in_specs=P("i"), out_specs=P("i"))

    def bent(x):
        slope = jax.grad(lambda x: (sharded(x) ** 2).sum())
        return jax.grad(lambda x: (slope(x) ** 2).sum())(x)

    x = np.array([0.3, 1.7], "float32")
    assert export.export(jax.jit(bent))(x).call(x).tolist() == [0, 16]
