"""Formulas as kernels that XLA calls: the same numbers, under the same transformations."""

import subprocess
import sys

import numpy as np
import pytest

import pullback as pb
from tests.sampling import sampled

from .formulas import CASES, scaled_exponential, simple, softmax_rows, swish
from .test_function import Problem, assert_same
from .transformations import (
    FIVE,
    FORWARD,
    REVERSE,
    X,
    assert_transformed_as_the_plain_function,
    transformed,
)

pytestmark = [pytest.mark.jax, pytest.mark.compiler]


def calls(function, *args):
    """The number of calls of kernels in what JAX hands to XLA."""
    import jax

    return jax.jit(function).lower(*args).as_text().count("@pullback_kernel")


@pytest.mark.parametrize("case", sampled(CASES, 8))
def test_values_and_two_derivatives_are_the_formulas(case):
    from pullback.jax import compile

    problem = Problem(case)
    assert_same(problem.by_jax(compile(case.formula), 2), problem.by_engine(2))


@pytest.mark.parametrize("formula", [swish, softmax_rows, scaled_exponential])
def test_forward_and_backward_are_one_call_each(formula):
    import jax

    from pullback.jax import compile

    made = compile(formula)
    assert calls(made, X) == 1
    assert calls(jax.value_and_grad(lambda x: made(x).sum()), X) == 2


def test_functions_are_copied_and_pickled_by_name():
    import copy
    import pickle

    from pullback.jax import compile

    made = compile(simple, "both")
    assert copy.deepcopy({"op": made})["op"] is made
    again = pickle.loads(pickle.dumps(made))
    assert repr(again) == repr(made)
    assert again(X, X).tolist() == made(X, X).tolist()

    @pb.formula
    def local(x):
        return np.exp(x), lambda grad: grad * np.exp(x)

    with pytest.raises(pickle.PicklingError, match="pickled by its name"):
        pickle.dumps(compile(local))


@pytest.mark.parametrize("mode", ["reverse", "both"])
@pytest.mark.parametrize(
    "case", sampled([(formula, args) for formula, _, args in FIVE], 4, lambda case: case[0].__name__)
)
def test_every_transformation_is_that_of_the_plain_function(case, mode):
    """Forward mode of the function itself in mode "both"; "reverse" refuses it."""
    from pullback.jax import compile

    formula, args = case
    made = compile(formula, mode)
    assert_transformed_as_the_plain_function(
        made, formula, args, REVERSE if mode == "reverse" else (*FORWARD, "grad", "vmap of grad")
    )
    assert calls(made, *args) == 1
    if mode == "reverse":
        with pytest.raises(TypeError, match="forward-mode"):
            transformed(made)["jvp"](*args)


def test_a_batch_of_a_pointwise_kernel_is_one_call_and_of_another_a_loop():
    import jax

    from pullback.jax import compile

    text = str(jax.jit(jax.vmap(compile(swish))).lower(X).compiler_ir("stablehlo"))
    assert text.count("pullback_kernel") == 1
    assert "while" not in text
    text = str(jax.jit(jax.vmap(compile(softmax_rows))).lower(X).compiler_ir("stablehlo"))
    assert "while" in text


def test_forward_mode_of_the_function_itself():
    import jax

    from pullback.jax import compile, function

    made = compile(swish, "both")
    value, tangent = jax.jvp(made, (X,), (np.ones_like(X),))
    expected, slope = jax.jvp(function(swish), (X,), (np.ones_like(X),))
    np.testing.assert_allclose(value, expected)
    np.testing.assert_allclose(tangent, slope)
    assert calls(lambda x: jax.jvp(made, (x,), (x,)), X) == 1


def test_large_arrays_are_shared_among_threads():
    import jax

    from pullback.jax import compile, function

    x = np.random.default_rng(0).standard_normal((1500, 700))
    for formula in (swish, softmax_rows):
        found, expected = (jax.jit(make(formula))(x) for make in (compile, function))
        np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_what_kernels_do_not_take_runs_all_the_same():
    """Other dtypes, numbers that are traced, arrays without entries."""
    import jax
    import jax.numpy as jnp

    from pullback.jax import compile

    half = jnp.asarray(X, jnp.bfloat16)
    assert compile(swish)(half).dtype == jnp.bfloat16
    assert calls(compile(swish), half) == 0
    made = compile(scaled_exponential)
    traced = jax.jit(lambda x, a: made(x, alpha=a))(X, 1.25)
    np.testing.assert_allclose(traced, scaled_exponential(X, alpha=1.25))
    assert compile(swish)(np.ones((0, 3))).shape == (0, 3)
    with jax.enable_x64(False):
        assert compile(simple)(X, X).dtype == np.float32
        assert calls(compile(simple), X, X) == 1


def test_shapes_that_do_not_fit_are_refused_as_by_the_function():
    from pullback.jax import compile

    with pytest.raises(TypeError, match="incompatible shapes"):
        compile(simple)(np.ones(2), np.ones(3))


def test_a_kernel_that_is_not_loaded_in_this_process_is_an_error_that_says_so():
    import jax

    from pullback.jax.ffi.bridge import TARGET, bridge

    bridge()
    call = jax.ffi.ffi_call(TARGET, [jax.ShapeDtypeStruct((2,), np.float64)])
    words = np.zeros(1, np.int64)
    with pytest.raises(Exception, match=r"nobody: is not loaded in this process: call pullback.jax.compile"):
        call(np.ones(2), name="nobody", layout=words, numbers=words, wanted=words + 1, plain=np.int64(0))


PROGRAM = """
import numpy as np, pullback as pb
from pullback.jax import compile, function
from tests.frameworks.jax.formulas import swish
try:
    print(compile(swish)(np.ones(2)))
except pb.errors.CompilerError as error:
    print("CompilerError:", error)
print(function(swish)(np.ones(2)))
"""


def run(folder, **environment):
    import os

    from pullback.engine.kernels.compiler import INCLUDE

    root = INCLUDE.parent.parent.parent
    return subprocess.run(
        [sys.executable, "-c", PROGRAM],
        capture_output=True,
        text=True,
        cwd=root,
        env=os.environ | {"PULLBACK_CACHE": str(folder)} | environment,
    )


def test_without_a_compiler_the_error_says_what_to_install(tmp_path):
    done = run(tmp_path, CXX="/nowhere/g++")
    assert "CompilerError: CXX names '/nowhere/g++', which does not run; install one" in done.stdout
    assert done.stdout.count("0.7310") == 2  # the function needs none


@pytest.mark.slow
def test_the_bridge_is_compiled_once_and_a_damaged_one_anew(tmp_path):
    first = run(tmp_path)
    assert first.stderr.count("compiling the bridge") == 1
    assert first.stdout.count("0.7310") == 4
    assert "compiling the bridge" not in run(tmp_path).stderr
    kernels = sorted((tmp_path / "kernels").glob("*.so"), key=lambda path: path.stat().st_size)
    bridge = next(path for path in kernels if b"pullback_jax_kernel" in path.read_bytes())
    bridge.write_bytes(bridge.read_bytes()[:5000])
    again = run(tmp_path)
    assert again.stderr.count("compiling the bridge") == 1
    assert again.stdout == first.stdout
    assert not list((tmp_path / "kernels").glob(".making-*"))
