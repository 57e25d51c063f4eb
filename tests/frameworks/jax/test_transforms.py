"""JAX's transformations of formulas, nested in each other."""

import numpy as np
import pytest

from .formulas import affine, log_sum_exp, product_of, simple, softmax_rows, straight_through, swish

pytestmark = pytest.mark.jax

X = np.linspace(-1.0, 1.5, 6).reshape(2, 3)
Y = np.linspace(0.3, 0.8, 3)


def plain_simple(a, b):
    return (a + b) * b


def plain_swish(x):
    import jax

    return x * jax.nn.sigmoid(x)


def plain_softmax(x):
    import jax

    return jax.nn.softmax(x, axis=-1)


def plain_log_sum_exp(x):
    import jax

    return jax.nn.logsumexp(x, axis=-1)


def plain_affine(x, weight):
    return x @ weight


FIVE = [
    (simple, plain_simple, (X, Y)),
    (swish, plain_swish, (X,)),
    (softmax_rows, plain_softmax, (X,)),
    (log_sum_exp, plain_log_sum_exp, (X,)),
    (affine, plain_affine, (X, X.T + 1)),
]


def transformed(function):
    """A name and a function for each nesting of transformations; all take the function's arguments."""
    import jax
    import jax.numpy as jnp

    def scalar(*args):
        return jnp.sin(function(*args)).sum()

    def pushed(*args):
        return jax.jvp(function, args, tuple(jnp.cos(arg) for arg in args))[1]

    def second(*args):
        return (jax.grad(scalar)(*args) ** 2).sum()

    def over_rows(*args):
        return jax.vmap(lambda rest: jax.grad(lambda x: scalar(x, *args[1:]))(rest))(args[0][None])

    def scanned(*args):
        return jax.lax.scan(lambda c, _: (c + jax.grad(scalar)(*args), c.sum()), 0 * args[0], None, length=2)

    return {
        "value": function,
        "grad": jax.grad(scalar),
        "jvp": pushed,
        "grad of grad": jax.grad(second),
        "hessian": jax.hessian(scalar),
        "jacfwd of jacfwd": jax.jacfwd(jax.jacfwd(scalar)),
        "jacrev of jacfwd": jax.jacrev(jax.jacfwd(scalar)),
        "jacrev": jax.jacrev(function),
        "grad of jvp": jax.grad(lambda *args: pushed(*args).sum()),
        "vmap of grad": over_rows,
        "checkpoint": jax.grad(jax.checkpoint(scalar)),
        "scan of grad": scanned,
    }


@pytest.mark.parametrize(("formula", "plain", "args"), FIVE, ids=[f.__name__ for f, _, _ in FIVE])
def test_every_transformation_is_that_of_the_plain_function(formula, plain, args):
    import jax

    from pullback.jax import function

    def every(function):
        return lambda *args: {name: made(*args) for name, made in transformed(function).items()}

    found, expected = jax.jit(every(function(formula)))(*args), jax.jit(every(plain))(*args)
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-12), found, expected)


@pytest.mark.parametrize(("formula", "plain", "args"), FIVE, ids=[f.__name__ for f, _, _ in FIVE])
def test_the_closure_as_written_runs_under_transformations_too(formula, plain, args):
    """All but forward mode of the function itself."""
    import jax

    from pullback.jax import function

    refused = ("jvp", "jacfwd of jacfwd", "jacrev of jacfwd", "grad of jvp")

    def every(function):
        made = transformed(function)
        return lambda *args: {name: f(*args) for name, f in made.items() if name not in refused}

    found, expected = jax.jit(every(function(formula, "reverse")))(*args), jax.jit(every(plain))(*args)
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-12), found, expected)
    with pytest.raises(TypeError, match="forward-mode"):
        transformed(function(formula, "reverse"))["jvp"](*args)


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
    text = str(jax.make_jaxpr(jax.grad(lambda w: made(X, w).sum()))(X.T))
    assert text.count("dot_general") == 2
