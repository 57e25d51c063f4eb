"""Programs of kernels run in NumPy give what the author's own Python gives, without a compiler."""

import numpy as np
import pytest

import pullback as pb
from pullback.engine.kernels.signature import leaves, signature
from pullback.transpile.diagnostics import FormulaError
from pullback.transpile.library import standard_library
from pullback.transpile.loops.interpreter import Arguments, run
from pullback.transpile.loops.interpreter.functions import NotInterpreted
from pullback.transpile.loops.interpreter.numbers import Refused
from pullback.transpile.loops.kernels.formula_kernels import formula_kernels
from pullback.transpile.loops.lower.schedule import program_of
from tests.programs.corpus import SAMPLES
from tests.sampling import sampled

QUICK = SAMPLES[::4]


def interpreted(sample):
    """The first results of a program's forward kernel, run in NumPy; None where it is not all interpreted."""
    formula = pb.derive_pullback(sample.function).ir
    inputs = [param.var.name for param in formula.params if not param.attribute]
    given = dict(zip(inputs, sample.call.inputs, strict=False))
    attributes = {p.var.name: p.default.value for p in formula.attributes if p.default is not None}
    attributes |= sample.call.attributes
    if set(given) != set(inputs) or any(isinstance(v, np.ndarray) for v in attributes.values()):
        return None
    known = signature(inputs, list(given.values()), ranks=True)
    made = formula_kernels(formula, standard_library(), attributes, 0, known)
    numbers = []
    arrays = [np.asarray(value) for value in leaves(given.values())]
    for entry in made.forward.inputs:
        if entry.is_number:
            numbers.append(attributes.get(entry.var.name))
    try:
        outputs = run(program_of(made.forward), Arguments(arrays, numbers))
    except NotInterpreted:
        return None
    return [outputs[k] for k in range(made.formula.results)]


@pytest.mark.parametrize("half", sampled([0, 1], 2))
def test_programs_give_what_their_python_gives(half):
    compared = 0
    for sample in QUICK[half::2]:
        try:
            found = interpreted(sample)
        except FormulaError:
            continue
        if found is None:
            continue
        expected = sample.call.of(sample.function)
        for one, other in zip(found, expected if isinstance(expected, tuple) else (expected,), strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-12, err_msg=sample.name)
        compared += 1
    assert compared >= len(QUICK) // 4


def test_what_is_not_in_the_table_is_said():
    from pullback.transpile.loops.interpreter.functions import function

    with pytest.raises(NotInterpreted, match="pinv"):
        function("pinv")


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("triangle", (None, np.ones(3), 0, False, np.ones(3))),
        ("repeated", (None, (), (2,), 0)),
        ("axis_set", (None, (-1,), 0)),
        ("sum_repeats", (None, np.ones(2), (2,), 0, np.ones(()))),
        ("argsort", (None, np.array(0.7), -1, np.zeros((), int))),
    ],
)
def test_what_kernels_refuse_of_vectors_and_numbers_is_refused(name, arguments):
    from pullback.transpile.loops.interpreter.functions import function

    with pytest.raises(Refused):
        function(name)(*arguments)


def halved_while_large(x):
    rounds = 0
    while rounds < 3 and np.any(x > 0.2):
        rounds += 1
        x = x * 0.5
    return np.sum(x)


@pytest.mark.parametrize("largest", [0.1, 0.3, 3.0])
def test_what_a_branch_leaves_out_is_there_all_the_same(largest):
    formula = pb.derive_pullback(halved_while_large).operator.formula
    compiled = formula_kernels(formula, standard_library(), {}, order=0)
    x = np.array([0.1, largest])
    found = run(program_of(compiled.forward), Arguments([x], []))
    np.testing.assert_allclose(found[0], halved_while_large(x))
