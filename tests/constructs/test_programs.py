"""Random programs run as Python, as emitted Python and as C++, and are differentiated twice: all agree."""

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import pullback as pb
from pullback.transpile.emit.python import module_text
from tests.sampling import sampled

from .columns import _no_python_forward
from .programs import BLOCKS, INPUTS, loaded, programs

QUICK = settings(
    max_examples=4, deadline=None, suppress_health_check=list(HealthCheck), phases=[Phase.generate]
)


@given(programs(), st.integers(0, 3), st.sampled_from("ab"))
@QUICK
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_every_way_to_run_a_program_agrees(tmp_path_factory, program, n, kind):
    folder = tmp_path_factory.mktemp("program")
    plain = loaded(folder, program)
    formula = pb.derive_pullback(plain)
    expected = plain(*INPUTS, n=n, kind=kind)
    np.testing.assert_allclose(formula(*INPUTS, n=n, kind=kind), expected, rtol=1e-12)

    operator = formula.operator
    namespace = dict(operator.namespace)
    exec(module_text(operator.formula), namespace)
    np.testing.assert_allclose(namespace["program_forward"](*INPUTS, n, kind)[0], expected, rtol=1e-12)

    x, y, rows = INPUTS
    with pb.use_engine("reference"):
        assert pb.gradcheck(lambda x, y: formula(x, y, rows, n=n, kind=kind), x, y, order=2, rtol=1e-4)


@given(programs(), st.integers(0, 3), st.sampled_from("ab"))
@QUICK
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.compiler
@pytest.mark.slow
def test_a_program_agrees_with_its_kernels(tmp_path_factory, program, n, kind):
    compare_with_kernels(tmp_path_factory.mktemp("program"), program, n, kind)


# What once went wrong: a shape taken for a number's, a list that was empty while shapes are worked out.
WRONG = [block for block in BLOCKS if "v[i@ % 3, j@]" in block or "(i@ + j@)" in block]
# What once was refused: what an iteration saves where only one side has a loop, and indices and shapes of
# lists that are saved iteration by iteration, or on one side.
ONCE_REFUSED = [
    "if v.shape[0] > n:\n    for k in range(1, v.shape[0]):\n        v = np.sin(v) * x[k]",
    "for k in range(n):\n    v = v[rows[:, None], rows] * x[k]",
    "for k in range(n):\n    v = np.stack([np.sin(v), x * k])[0] * v",
    "if v.shape[0] > n:\n    v = v * np.sin(v)[rows, rows]",
]
# Where there are loops in loops, or several, the compiler takes seconds.
NAMES = {
    "elements in loops": pytest.mark.slow,
    "lists in loops": pytest.mark.slow,
    "a loop on one side": pytest.mark.slow,
    "an index in a loop": (),
    "a stack in a loop": (),
    "an index on one side": (),
}
CASES = [
    pytest.param(block, id=name, marks=marks)
    for block, (name, marks) in zip(WRONG + ONCE_REFUSED, NAMES.items(), strict=True)
]


@pytest.mark.parametrize("block", CASES)
@pytest.mark.compiler
def test_a_block_agrees_with_its_kernels(tmp_path, block):
    body = "\n".join(f"    {line}" for line in block.replace("@", "1").splitlines())
    program = (
        f"def program(x, y, rows, *, n: int, kind: str = 'a'):\n    v = x * y\n{body}\n    return v * y\n"
    )
    compare_with_kernels(tmp_path, program, 2, "a")


@pytest.mark.parametrize("n", [2, 3])
@pytest.mark.parametrize("first", ["slice(0, n - 1)", "slice(0, 2)", "(slice(0, 2), 1)"])
@pytest.mark.compiler
def test_each_side_of_a_condition_has_its_own_slice(tmp_path, first, n):
    """Kernels once took the first side's bounds, whichever side was taken."""
    other = "slice(1, 3)" if first[0] == "s" else "(slice(1, 3), 2)"
    plain = loaded(
        tmp_path,
        "def program(x, y, rows, *, n: int, kind: str = 'a'):\n"
        f"    if x.shape[0] > n:\n        i = {first}\n    else:\n        i = {other}\n"
        "    return np.sin(x)[i] * 2.0\n",
    )
    fast = pb.compile(pb.derive_pullback(plain), order=0)
    with _no_python_forward():
        result = fast(*INPUTS, n=n)
    np.testing.assert_allclose(result, plain(*INPUTS, n=n), rtol=1e-12)


def compare_with_kernels(folder, program, n, kind):
    """Compare a program's result and two derivatives with what its kernels compute, in both float types."""
    plain = loaded(folder, program)
    formula = pb.derive_pullback(plain)
    fast = pb.compile(formula, order=2)
    *floats, rows = INPUTS
    for dtype, near in ((np.float64, 1e-8), (np.float32, 1e-2)):
        inputs = [array.astype(dtype) for array in floats]
        with _no_python_forward():
            result = fast(*inputs, rows, n=n, kind=kind)
        np.testing.assert_allclose(result, plain(*inputs, rows, n=n, kind=kind), rtol=near, atol=near)
        with pb.use_engine("reference"):
            expected = two_derivatives(formula, inputs, rows, n, kind)
        found = two_derivatives(fast, inputs, rows, n, kind)
        np.testing.assert_allclose(found, expected, rtol=near, atol=near)
    assert not [limit for each in fast._operators.values() for limit in each.compiled.limits]


def two_derivatives(function, inputs, rows, n, kind):
    """First derivatives of a bent sum of the result, and of a bent sum of those; zeros for None."""
    tensors = [pb.tensor(array, requires_grad=True) for array in inputs]
    values = [function(*tensors, rows, n=n, kind=kind)]
    found = []
    for _ in range(2):
        parts = [np.sum(np.sin(value)) for value in values if value is not None and value.requires_grad]
        values = [None] * len(tensors)
        if parts:
            values = pb.grad(sum(parts[1:], parts[0]), tensors, create_graph=True, allow_unused=True)
        found += [
            np.zeros(array.shape) if value is None else value.detach().numpy()
            for array, value in zip(inputs, values, strict=True)
        ]
    return found


@pytest.mark.parametrize("n", sampled([3, 2], 2))
@pytest.mark.parametrize("use", ["x[:k]", "x[k]", "(x if k is None else x * k)", "(x * 3 if k == 1 else x)"])
@pytest.mark.compiler
def test_a_none_that_the_author_chose_stays_one(tmp_path, use, n):
    """Kernels once took the other side's literal for it in derivatives."""
    program = (
        "def program(x, y, rows, *, n: int, kind: str = 'a'):\n"
        "    k = None if x.shape[0] > n else 1\n"
        f"    return np.exp({use}).sum() * y\n"
    )
    compare_with_kernels(tmp_path, program, n, "a")
