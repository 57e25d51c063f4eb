"""What cannot be a JAX function says so: which formula, which line, and what to write instead."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy import linalg, special
from typeguard import suppress_type_checks

import pullback as pb

from .formulas import simple

pytestmark = pytest.mark.jax


@pb.formula
def positive_part(x):
    if np.sum(x) > 0:  # noqa: SIM108 - the branch is tested
        r = x * x
    else:
        r = -x

    def positive_part_pullback(grad):
        if np.sum(x) > 0:
            return 2 * grad * x
        return -grad

    return r, positive_part_pullback


@pb.formula
def of_scipy(a):
    return linalg.expm(a), lambda grad: grad


@pb.formula
def bessel(x):
    return special.y0(x), lambda grad: -grad * special.y1(x)


@pb.formula(first_order_only=True)
def once(x):
    t = np.exp(x)
    return t * x, lambda grad: grad * (t + t * x)


@pb.formula
def leaky(x, *, slope=0.1):
    return np.where(x > 0, x, slope * x), lambda grad: np.where(x > 0, grad, slope * grad)


def line_of(text):
    """The number of the first line of this file that begins with a text."""
    lines = Path(__file__).read_text(encoding="utf-8").splitlines()
    return next(k for k, line in enumerate(lines, start=1) if line.strip().startswith(text))


def test_a_branch_on_values_runs_where_they_are_known_and_names_its_line_where_they_are_traced():
    import jax

    from pullback.jax import function

    made = function(positive_part)
    assert made(np.array([1.0, 2.0])).tolist() == [1.0, 4.0]
    assert jax.grad(lambda x: made(x).sum())(np.array([1.0, 2.0])).tolist() == [2.0, 4.0]
    with pytest.raises(pb.FormulaError) as caught:
        jax.jit(made)(np.ones(2))
    text = str(caught.value)
    assert f"test_errors.py:{line_of('if np.sum(x) > 0:')}:" in text
    assert "PB501" in text
    assert "if np.sum(x) > 0:" in text
    assert "np.where" in text
    with pytest.raises(pb.FormulaError, match=f"test_errors.py:{line_of('if np.sum(x) > 0:')}:"):
        jax.vmap(made)(np.ones((2, 2)))


def test_functions_that_jax_lacks_are_named_with_their_line():
    from pullback.jax import function

    with pytest.raises(
        pb.FormulaError,
        match=rf"(?s)test_errors.py:{line_of('return linalg')}:12: PB502.*linalg.expm.*help: ",
    ):
        function(of_scipy)
    with pytest.raises(
        pb.FormulaError, match=f"(?s)test_errors.py:{line_of('return special.y0')}:.*special.y0"
    ):
        function(bessel)


def test_a_formula_for_first_derivatives_refuses_second_ones():
    import jax

    from pullback.jax import function

    made = function(once)
    np.testing.assert_allclose(jax.grad(made)(1.0), 2 * np.e)
    with pytest.raises(
        pb.errors.BarrierError, match=f"test_errors.py:{line_of('def once')}.*first_order_only"
    ):
        jax.grad(jax.grad(made))(1.0)
    with pytest.raises(ValueError, match="no forward mode"):
        function(once, "both")


def test_an_attribute_may_be_traced_and_has_no_derivative():
    import jax

    from pullback.jax import function

    made = function(leaky)
    assert jax.jit(lambda s: made(-2.0, slope=s))(0.25) == -0.5
    assert jax.jit(lambda s: jax.grad(lambda x: made(x, slope=s))(-2.0))(0.25) == 0.25
    for mode in ("both", "reverse"):
        with pytest.raises(TypeError, match="no derivative by its attributes"):
            jax.grad(lambda s, mode=mode: function(leaky, mode)(-2.0, slope=s))(0.25)


def test_what_is_no_formula_and_what_is_no_array_is_refused():
    import jax.numpy as jnp

    from pullback.jax import function

    with suppress_type_checks(), pytest.raises(TypeError, match="takes a formula, not function"):
        function(lambda x: x)
    with suppress_type_checks(), pytest.raises(ValueError, match="'both', 'reverse'"):
        function(simple, "forward")
    with pytest.raises(TypeError, match="tensor of pullback"):
        function(simple)(pb.tensor([1.0]), 2.0)
    with pytest.raises(TypeError, match="missing required argument 'b'"):
        function(simple)(1.0)
    with pytest.raises(pb.errors.ForeignArrayError, match=r"pullback.jax.function"):
        simple(jnp.ones(2), 1.0)


def test_without_jax_the_import_names_the_extra():
    program = "import sys; sys.modules['jax'] = None; import pullback.jax"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert "ImportError: pullback.jax needs JAX" in run.stderr
    assert "pip install 'pullback[jax]'" in run.stderr


def test_the_package_does_not_bring_jax():
    program = "import sys, pullback as pb; pb.tensor(1.0); sys.exit('jax' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program]).returncode == 0


@pytest.mark.parametrize("mode", ["both", "reverse"])
def test_complex_values_are_not_differentiated_by_a_closure_for_real_ones(mode):
    import jax
    import jax.numpy as jnp

    import pullback.jax

    @pb.formula
    def size(x):
        return np.abs(x), lambda grad: grad * np.sign(x)

    @pb.formula(complex=True)
    def squared(x):
        return x * x, lambda grad: 2 * grad * x

    z = jnp.array([1 + 2j, 3.0])
    function = pullback.jax.function(size, mode)
    assert function(z).shape == (2,)
    with pytest.raises(TypeError, match="size has complex values among what is differentiated"):
        jax.grad(lambda z: function(z).sum())(z)
    found = jax.grad(pullback.jax.function(squared, mode), holomorphic=True)(1 + 2j)
    assert complex(found) == 2 + 4j
