"""Random programs, differentiated three times in two ways that must agree.

A program of small expressions becomes (1) a plain function, recorded operator
by operator, and (2) a formula whose closure is the derived text: it captures
whatever the derivation needs, and everything captured is promoted again.
"""

import importlib.util
import textwrap

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import pullback as pb
from pullback.tools.derived_file import derived_file
from pullback.tools.formulas import FormulaFile
from pullback.transpile.library import Library, formula_in, standard_library
from pullback.transpile.passes.promote.promote import promote
from pullback.transpile.passes.variants.reverse import reverse
from pullback.transpile.verify import verify

SHAPES = {"a": (3, 1), "b": (4,), "c": (2, 3, 4)}
UNARY = (
    "np.sin({0})",
    "np.tanh({0})",
    "np.exp(0.3 * {0})",
    "1 / (2 + {0} * {0})",
    "np.sqrt(1 + {0} * {0})",
    "np.log1p({0} * {0})",
    "np.mean({0}, axis=-1, keepdims=True)",
    "np.expand_dims({0}, 0)[0]",
    "np.where({0} > 0.1, {0}, 0.5 * {0})",
    "({0} ** 2 if flag else {0})",
    "pb.sigmoid({0})",
    "pb.softplus({0})",
)
BINARY = ("{0} + {1}", "{0} - {1}", "{0} * {1}", "{0} / (2 + {1} * {1})", "np.arctan2({0}, 2 + {1} * {1})")


@st.composite
def programs(draw):
    """The body of a function of a, b, c and flag, one assignment per line, that returns one tensor."""
    names, lines = list(SHAPES), []
    for number in range(draw(st.integers(2, 7))):
        form = draw(st.sampled_from(UNARY + BINARY))
        operands = [draw(st.sampled_from(names)) for _ in range(2)]
        lines.append(f"v{number} = {form.format(*operands)}")
        names.append(f"v{number}")
    lines.append(f"return v{draw(st.integers(0, len(lines) - 1))} * a + {names[-1]}")
    return "def program(a, b, c, *, flag: bool = True):\n" + textwrap.indent("\n".join(lines), "    ")


def _derived(program):
    formula = formula_in(program)
    return derived_file([formula], FormulaFile(formula.source, {formula.name: formula}, standard_library()))


def _load(path, text):
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.program


def _gradients(program, flag, order):
    """Gradients of a bent sum, then of the bent sum of those, and so on."""
    rng = np.random.default_rng(7)
    inputs = [pb.tensor(rng.uniform(-1, 1, shape), requires_grad=True) for shape in SHAPES.values()]
    total = np.sum(np.sin(program(*(np.tanh(x) for x in inputs), flag=flag)))
    found = []
    for _ in range(order):
        gradients = pb.grad(total, inputs, create_graph=True, allow_unused=True)
        found.append([None if g is None else g.detach().numpy() for g in gradients])
        parts = [np.sum(np.sin(g)) for g in gradients if g is not None and g.requires_grad]
        if not parts:
            break
        total = sum(parts[1:], parts[0])
    return found


@given(programs(), st.booleans())
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@pytest.mark.filterwarnings("error")
def test_a_derived_formula_has_the_derivatives_of_its_program(tmp_path_factory, program, flag):
    folder = tmp_path_factory.mktemp("program")
    head = "import numpy as np\nimport pullback as pb\n\n\n"
    plain = _load(folder / "plain.py", head + program + "\n")
    formula = _load(folder / "derived.py", _derived(program))
    with pb.use_engine("reference"):
        expected = _gradients(plain, flag, 3)
        actual = _gradients(formula, flag, 3)
    assert len(actual) == len(expected)
    for one, other in zip(actual, expected, strict=True):
        for left, right in zip(one, other, strict=True):
            zero = np.zeros(())
            np.testing.assert_allclose(
                zero if left is None else left, zero if right is None else right, rtol=1e-7, atol=1e-9
            )


@given(programs())
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
def test_every_pass_leaves_valid_ir_to_third_order(program):
    library = standard_library()
    formula = verify(promote(verify(formula_in(program)), library))
    for _ in range(2):
        plain = [i < formula.results for i in range(len(formula.cotangents))]
        backward = reverse(formula, plain, [True] * len(formula.inputs)).formula
        formula = verify(promote(verify(backward), Library(parent=library)))


@pytest.mark.compiler
@given(programs(), st.booleans())
@settings(max_examples=6, deadline=None, suppress_health_check=list(HealthCheck))
def test_kernels_have_the_derivatives_of_the_program(tmp_path_factory, program, flag):
    folder = tmp_path_factory.mktemp("program")
    head = "import numpy as np\nimport pullback as pb\n\n\n"
    plain = _load(folder / "plain.py", head + program + "\n")
    compiled = pb.compile(_load(folder / "derived.py", _derived(program)))
    with pb.use_engine("reference"):
        expected = _gradients(plain, flag, 2)
        actual = _gradients(compiled, flag, 2)
    assert compiled.limits(flag=flag) == ()
    for one, other in zip(actual, expected, strict=True):
        for left, right in zip(one, other, strict=True):
            zero = np.zeros(())
            np.testing.assert_allclose(
                zero if left is None else left, zero if right is None else right, rtol=1e-7, atol=1e-9
            )
