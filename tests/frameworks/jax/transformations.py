"""JAX's transformations nested in each other, and formulas beside plain functions of `jax.numpy`."""

from functools import cache

import numpy as np

from .formulas import affine, layer_norm, log_sum_exp, simple, softmax_rows, swish

X = np.linspace(-1.0, 1.5, 6).reshape(2, 3)
Y = np.linspace(0.3, 0.8, 3)

# What asks for forward mode of the function itself, which a `custom_vjp` refuses, and what does not.
FORWARD = ("jvp", "linearize", "jacfwd of jacfwd", "jacrev of jacfwd", "grad of jvp")
REVERSE = (
    *("value", "grad", "grad of grad", "jacfwd of jacrev", "jacrev", "checkpoint", "scan of grad"),
    *("vmap in and out of other axes", "vmap of vmap", "vmap of grad", "vmap of grad in all arguments"),
)


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


def plain_layer_norm(x, gain, bias):
    import jax

    return jax.nn.standardize(x, axis=-1, epsilon=1e-5) * gain + bias


def plain_affine(x, weight):
    return x @ weight


# Those with kernels, and a product of matrices, which XLA computes in either form.
FIVE = [
    (simple, plain_simple, (X, Y)),
    (swish, plain_swish, (X,)),
    (softmax_rows, plain_softmax, (X,)),
    (log_sum_exp, plain_log_sum_exp, (X,)),
    (layer_norm, plain_layer_norm, (X**2, Y, Y - 1)),
]
SIX = [*FIVE, (affine, plain_affine, (X, X.T + 1))]


def transformed(function):
    """A name and a function for each nesting of transformations; all take the function's arguments."""
    import jax
    import jax.numpy as jnp

    def scalar(*args):
        return jnp.sin(function(*args)).sum()

    def pushed(*args):
        return jax.jvp(function, args, tuple(jnp.cos(arg) for arg in args))[1]

    def linear(*args):
        value, push = jax.linearize(function, *args)
        return value, push(*(jnp.cos(arg) for arg in args))

    def second(*args):
        return (jax.grad(scalar)(*args) ** 2).sum()

    def over_rows(*args):
        return jax.vmap(lambda rest: jax.grad(lambda x: scalar(x, *args[1:]))(rest))(args[0][None])

    def over_last(*args):
        batch = jnp.stack([args[0], 2 * args[0]], axis=-1)
        return jax.vmap(lambda x: function(x, *args[1:]), in_axes=-1, out_axes=1)(batch)

    def over_all(*args):
        batches = [jnp.stack([arg, arg + 0.25]) for arg in args]
        return jax.vmap(jax.grad(scalar, tuple(range(len(args)))))(*batches)

    def over_two(*args):
        batch = jnp.stack([args[0], 2 * args[0]])[:, None] + jnp.arange(3.0).reshape(3, *(1,) * args[0].ndim)
        return jax.vmap(jax.vmap(lambda x: function(x, *args[1:])), in_axes=1)(jnp.swapaxes(batch, 0, 1))

    def scanned(*args):
        return jax.lax.scan(lambda c, _: (c + jax.grad(scalar)(*args), c.sum()), 0 * args[0], None, length=2)

    return {
        "value": function,
        "grad": jax.grad(scalar),
        "jvp": pushed,
        "linearize": linear,
        "grad of grad": jax.grad(second),
        "jacfwd of jacrev": jax.jacfwd(jax.jacrev(scalar)),
        "jacfwd of jacfwd": jax.jacfwd(jax.jacfwd(scalar)),
        "jacrev of jacfwd": jax.jacrev(jax.jacfwd(scalar)),
        "jacrev": jax.jacrev(function),
        "grad of jvp": jax.grad(lambda *args: pushed(*args).sum()),
        "vmap in and out of other axes": over_last,
        "vmap of vmap": over_two,
        "vmap of grad": over_rows,
        "vmap of grad in all arguments": over_all,
        "checkpoint": jax.grad(jax.checkpoint(scalar)),
        "scan of grad": scanned,
    }


def values(function, args, only=None):
    """What each transformation of the function gives."""
    import jax

    made = {name: each for name, each in transformed(function).items() if only is None or name in only}
    return jax.jit(lambda *args: {name: each(*args) for name, each in made.items()})(*args)


@cache
def plain_values(k):
    """Those of the plain function beside formula `k` of `SIX`, which several tests compare with."""
    _, plain, args = SIX[k]
    return values(plain, args)


def assert_transformed_as_the_plain_function(made, formula, args, only=None):
    """Each transformation of what was made of a formula has the values that it has of `jax.numpy`."""
    import jax

    expected = plain_values([each for each, _, _ in SIX].index(formula))
    for name, found in values(made, args, only).items():
        pairs = zip(jax.tree.leaves(found), jax.tree.leaves(expected[name]), strict=True)
        for one, other in pairs:
            np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-12, err_msg=name)
