"""Code of autograd.numpy and jax.numpy changes one import: the same derivatives, the second ones too."""

from importlib.util import find_spec

import numpy as np
import pytest

import pullback as pb
import pullback.numpy as pnp
from tests.sampling import sampled

from . import other_programs

NAMES = sorted(other_programs.SHAPES)
# JAX compiles each for seconds, and that one's loop for more.
IN_JAX = sampled(NAMES, 4, is_costly=lambda name: name == "hidden_markov")


def arguments(name):
    rng = np.random.default_rng(len(name))
    return [rng.standard_normal(shape) * 0.5 for shape in other_programs.SHAPES[name]]


def ours(name):
    """The value, the gradients, and the gradients of the sum of the gradients' squares."""
    tensors = [pb.tensor(array, requires_grad=True) for array in arguments(name)]
    value = getattr(other_programs, name)(pnp, pb.special, *tensors)
    first = pb.grad(value, tensors, create_graph=True)
    second = pb.grad(sum((g * g).sum() for g in first), tensors, materialize_grads=True)
    return [result.detach().numpy() for result in (value, *first, *second)]


@pytest.mark.parametrize("name", NAMES)
def test_as_hips_autograd(engine, name):
    import autograd
    import autograd.numpy as anp
    import autograd.scipy.special as special
    import autograd.scipy.stats.norm as norm

    special.ndtr = norm.cdf
    values = arguments(name)
    places = tuple(range(len(values)))

    def program(*given):
        return getattr(other_programs, name)(anp, special, *given)

    def squares(*given):
        return sum(anp.sum(g * g) for g in autograd.grad(program, places)(*given))

    expected = [
        program(*values),
        *autograd.grad(program, places)(*values),
        *autograd.grad(squares, places)(*values),
    ]
    for found, other in zip(ours(name), expected, strict=True):
        np.testing.assert_allclose(found, other, rtol=1e-7, atol=1e-9)


@pytest.mark.skipif(find_spec("jax") is None, reason="jax is not installed")
@pytest.mark.parametrize("name", IN_JAX)
def test_as_jax(name):
    import jax
    import jax.numpy as jnp
    import jax.scipy.special as special

    with jax.enable_x64(True):
        values = [jnp.asarray(value) for value in arguments(name)]
        places = tuple(range(len(values)))

        def program(*given):
            return getattr(other_programs, name)(jnp, special, *given)

        def squares(*given):
            return sum(jnp.sum(g * g) for g in jax.grad(program, places)(*given))

        expected = [
            program(*values),
            *jax.grad(program, places)(*values),
            *jax.grad(squares, places)(*values),
        ]
    for found, other in zip(ours(name), expected, strict=True):
        np.testing.assert_allclose(found, np.asarray(other), rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("name", NAMES)
def test_differences_agree(engine, name):
    program = getattr(other_programs, name)
    assert pb.gradcheck(lambda *given: program(pnp, pb.special, *given), *arguments(name), order=2)
