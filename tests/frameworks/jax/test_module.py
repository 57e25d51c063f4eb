"""`pullback transpile --target jax`: modules that need only JAX, with the same derivatives."""

import subprocess
import sys

import numpy as np
import pytest
from jax.test_util import check_grads
from scipy import special

import pullback as pb
from pullback.tools import cli
from pullback.transpile.emit.jax.names import LACKING
from tests.frameworks.texts import jax_text
from tests.sampling import sampled

from .formulas import CASES, affine, clipped_gradient, scaled, swish
from .test_function import Problem, assert_same

pytestmark = pytest.mark.jax

# What is decided call by call.
REFUSED = (affine, scaled)


def text_of(formula):
    return jax_text(formula)


def function_of(formula):
    names = {}
    exec(compile(text_of(formula), "module.py", "exec"), names)
    return names[formula.__name__]


WRITTEN = [case for case in CASES if case.formula not in REFUSED]
EVERY = [
    pytest.param(case, id=str(case), marks=[] if k % 4 == 2 or case.reverse else pytest.mark.slow)
    for k, case in enumerate(WRITTEN)
]


@pytest.mark.parametrize("case", EVERY)
def test_values_and_two_derivatives_are_the_formulas(case):
    problem = Problem(case)
    assert_same(problem.by_jax(function_of(case.formula), 2), problem.by_engine(2))


@pytest.mark.parametrize("case", WRITTEN, ids=str)
def test_the_text_is_python_that_imports_jax_and_the_standard_library_only(case):
    import ast

    text = text_of(case.formula)
    imported = {
        (node.module if isinstance(node, ast.ImportFrom) else node.names[0].name).partition(".")[0]
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Import | ast.ImportFrom)
    }
    assert imported <= {"__future__", "jax", "numpy", "math", "string", "functools", "typing", "collections"}
    rule = "custom_vjp" if case.reverse else "custom_jvp"
    assert f"jax.{rule}" in text


def test_a_closure_without_a_transpose_is_the_rule():
    import jax

    made = function_of(clipped_gradient)
    assert jax.grad(lambda x: (5 * made(x)).sum())(np.ones(2)).tolist() == [0.1, 0.1]


@pb.formula
def powers(x, *, rate: float = 2.0):
    t = np.exp(rate * x)
    return (t, x * rate), lambda g, h: (g * t * rate + h * rate,)


@pb.formula
def rounded(x):
    def rounded_pullback(grad):
        return grad

    return np.round(x), rounded_pullback


@pb.derive_pullback
def with_calls(x, y):
    a, b = powers(x, rate=0.5)
    return rounded(a) * b * special.erfc(x) + np.hypot(x, y)


def test_formulas_that_are_called_stand_beside_it():
    import jax

    text = text_of(with_calls)
    assert "def powers(x, *, rate=2.0):" in text
    assert "def _slope_of_erf(x):" in text
    x, y = np.array([0.3, -0.7]), np.array([1.1, 0.2])
    made = function_of(with_calls)
    with jax.enable_x64(True):
        np.testing.assert_allclose(made(x, y), with_calls(x, y), rtol=1e-12)
        found = jax.jit(jax.hessian(lambda x: made(x, y).sum()))(x)
    wanted = pb.hessian(lambda x: with_calls(x, pb.tensor(y)).sum(), pb.tensor(x))
    np.testing.assert_allclose(found, wanted.numpy(), rtol=1e-10)


@pb.derive_pullback
def with_names_of_a_module(outputs, list, scale: pb.Tensor = 2.0):
    """Named like what the functions of a module have for themselves."""
    primals = np.sin(outputs) * scale
    return primals * list


@pytest.mark.parametrize("scale", [2, 3.0])
def test_integers_and_masks_have_no_tangents(scale):
    import jax

    made, mask = function_of(with_names_of_a_module), np.array([True, False, True])
    x = np.array([0.5, 1.0, -2.0])
    with jax.enable_x64(True):
        found = jax.grad(lambda x: made(outputs=x, list=mask, scale=scale).sum())(x)
        second = jax.hessian(lambda x: made(x, mask, scale).sum())(x)
    np.testing.assert_allclose(found, scale * np.cos(x) * mask)
    np.testing.assert_allclose(np.diag(second), -scale * np.sin(x) * mask)


@pb.derive_pullback
def with_a_list(x, weights: list[pb.Tensor]):
    for w in weights:
        x = np.tanh(x * w)
    return x


def test_the_tangents_of_a_list_are_a_list():
    import jax

    made, x, weights = function_of(with_a_list), np.array([0.5, -1.0]), [np.array(0.3), np.array(2.0)]
    with jax.enable_x64(True):
        found = jax.grad(lambda *given: made(*given).sum(), (0, 1))(x, weights)
    wanted = pb.func.grad(lambda x, v, w: with_a_list(x, [v, w]).sum(), (0, 1, 2))(x, *weights)
    for have, want in zip([found[0], *found[1]], wanted, strict=True):
        np.testing.assert_allclose(have, np.asarray(want), rtol=1e-12)


@pb.formula
def repeat(x):
    """Named like a function that modules copy."""
    return 3 * x, lambda grad: 3 * grad


@pb.derive_pullback
def with_the_name_of_a_helper(x):
    return repeat(x) * x


def test_a_called_formula_is_not_the_helper_of_its_name():
    x = np.array([0.5, -1.0])
    np.testing.assert_allclose(function_of(with_the_name_of_a_helper)(x), 3 * x * x, rtol=1e-6)


def exponential(rate):
    @pb.formula
    def grown(x):
        r = np.exp(rate * x)
        return r, lambda grad: grad * rate * r

    return grown


SLOW, FAST = exponential(2.0), exponential(3.0)


@pb.derive_pullback
def with_calls_of_one_name(x):
    return SLOW(x) + FAST(x)


def test_called_formulas_of_one_name_have_their_own_functions():
    import jax

    x = np.array([0.3, -0.2])
    found = jax.grad(lambda x: function_of(with_calls_of_one_name)(x).sum())(x)
    np.testing.assert_allclose(found, 2 * np.exp(2 * x) + 3 * np.exp(3 * x), rtol=1e-5)


@pb.formula
def bounded_gradient(x):
    r = np.exp(-0.5 * x * x) / np.sqrt(2 * np.pi)
    return r, lambda grad: np.clip(-grad * x * r, -0.1, 0.1)


def test_values_of_the_forward_and_of_the_closure_have_names_of_their_own():
    import jax

    x = np.linspace(-2.0, 2.0, 5)
    found = jax.grad(lambda x: function_of(bounded_gradient)(x).sum())(x)
    density = np.exp(-0.5 * x * x) / np.sqrt(2 * np.pi)
    np.testing.assert_allclose(found, np.clip(-x * density, -0.1, 0.1))


def test_the_rule_for_tangents_is_the_closure_as_it_is_written():
    text = text_of(swish)
    pullback = text[text.index("def swish_pullback") : text.index("    return outputs")]
    assert "jax.linear_transpose(swish_pullback, *outputs)(tangents)" in text
    assert "grad" in pullback
    assert "tangent" not in pullback


@pb.derive_pullback
def extreme(x):
    return np.max(x * x, axis=-1), np.argmax(x, axis=-1), x > 0.5


def test_results_that_are_no_floats_have_no_tangents():
    import jax

    function, x = function_of(extreme), np.array([[0.2, 0.9], [0.7, 0.1]])
    outputs, (moved, *others) = jax.jvp(function, (x,), (x,))
    np.testing.assert_allclose(moved, 2 * outputs[0])
    assert all(other.dtype == jax.dtypes.float0 for other in others)
    found = jax.grad(lambda x: function(x)[0].sum())(x)
    np.testing.assert_allclose(found, [[0, 1.8], [1.4, 0]])


@pytest.mark.parametrize("formula", REFUSED)
def test_what_a_module_does_not_hold_is_located(formula):
    with pytest.raises(pb.FormulaError, match=r"(?s)formulas.py:\d+:\d+: PB502.*pullback.jax.function"):
        text_of(formula)


def test_the_names_that_jax_lacks_are_those_that_the_module_refuses():
    import jax

    from pullback.jax.vocabulary import NUMPY, PRIMITIVES, SPECIAL
    from pullback.transpile.operators import OPERATORS

    modules = {"numpy": NUMPY, "scipy.special": SPECIAL, "pullback.primitives": PRIMITIVES}
    found = set()
    for info in OPERATORS.values():
        module, _, name = info.python.rpartition(".")
        if module in modules and not hasattr(modules[module], name):
            found.add(info.python)
    assert found - {"pullback.primitives.packed", "pullback.primitives.unpacked"} == LACKING
    assert jax.__version_info__ >= (0, 10)


def test_the_command_writes_a_module_that_runs_without_the_package(tmp_path):
    source = tmp_path / "mine.py"
    source.write_text(
        "import numpy as np\n\nimport pullback as pb\n\n\n@pb.formula\ndef swish(x):\n"
        "    s = pb.sigmoid(x)\n\n    def swish_pullback(grad):\n"
        "        return grad * (s + x * s * (1 - s))\n\n    return x * s, swish_pullback\n"
    )
    assert cli.main(["transpile", str(source), "-o", str(tmp_path / "out"), "--target", "jax"]) == 0
    program = (
        "import sys; sys.modules['pullback'] = None\nimport jax\nfrom swish import swish\n"
        "print(swish(1.0), jax.grad(swish)(1.0), jax.hessian(swish)(1.0))"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, cwd=tmp_path / "out"
    )
    numbers = [float(word) for word in run.stdout.split()]
    x = pb.tensor(1.0, requires_grad=True)
    (slope,) = pb.grad(swish(x), [x], create_graph=True)
    (curvature,) = pb.grad(slope, [x])
    np.testing.assert_allclose(numbers, [swish(1.0), slope.item(), curvature.item()], rtol=1e-6)


@pb.derive_pullback
def products(a, b):
    return np.kron(a, b)


@pytest.mark.parametrize("shapes", sampled([((2, 2), (2,)), ((2, 1, 2), (2, 2)), ((), (2,))], 3))
def test_a_branch_may_leave_out_what_another_one_saves(shapes):
    operands = [np.random.default_rng(0).uniform(0.5, 1.5, shape) for shape in shapes]
    by_jax = function_of(products)
    np.testing.assert_allclose(by_jax(*operands), np.kron(*operands))
    check_grads(by_jax, operands, order=2)
