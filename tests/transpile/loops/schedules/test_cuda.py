"""Launches compute what the passes do that they are made of, and what CUDA has none for is located."""

from contextlib import suppress
from dataclasses import replace
from itertools import islice

import numpy as np
import pytest

from pullback.transpile.diagnostics import FormulaError
from pullback.transpile.frontend import read_module
from pullback.transpile.ir import Source
from pullback.transpile.library import standard_library
from pullback.transpile.loops.interpreter import run
from pullback.transpile.loops.kernels.formula_kernels import formula_kernels
from pullback.transpile.loops.lower.schedule import program_of
from pullback.transpile.loops.schedules.cuda import scheduled
from pullback.transpile.loops.schedules.launches import operands, packs_of_thread
from pullback.transpile.loops.spec import check
from pullback.transpile.loops.statements import Launch, every
from tests.cuda.corpus import SHAPES, Unfit, compiled, each_run, formulas, interpreted
from tests.sampling import sampled
from tests.transpile.loops.compared import same

HEAD = "import numpy as np\nimport pullback as pb\nfrom scipy import special\n\n@pb.formula\n"


def launches(text, name="f", order=1):
    """The launches of each kernel of a formula's text."""
    formula = read_module(Source("f.py", HEAD + text)).formulas[name]
    made = formula_kernels(formula, standard_library(), {}, order, general=False)
    programs = [check(scheduled(kernel)) for kernel in made.kernels()]
    return [[s for s in every(program.body) if isinstance(s, Launch)] for program in programs]


@pytest.mark.parametrize("half", sampled([0, 1], 2))
def test_launches_of_every_formula_compute_what_its_passes_do(half):
    agree = set()

    def compare(kernel, program, arguments):
        passes = interpreted(plain[kernel.name], arguments)
        found = run(program, replace(arguments, outputs={}))
        for place, expected in passes.items():
            if isinstance(expected, np.ndarray):
                same(found[place], expected, kernel.name)
            else:
                assert found[place] == expected
        agree.add(kernel.name)
        return found

    for formula, library in islice(formulas(), half, None, 2):
        made, programs = compiled(formula, library)
        plain = {check(program).name: program_of(kernel) for kernel, program in programs}
        for shapes in SHAPES if programs else ():
            with suppress(Unfit):
                each_run(made, programs, shapes, np.float64, compare)
    assert len({name for name in agree if name.endswith("_forward")}) >= 40
    assert len({name for name in agree if name.endswith("_backward_backward")}) >= 38


SOFTMAX = """def f(x):
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    r = e / np.sum(e, axis=-1, keepdims=True)
    return r, lambda grad: r * (grad - np.sum(grad * r, axis=-1, keepdims=True))
"""


def test_a_softmax_over_rows_is_one_launch_forward_and_backward():
    for (launch,) in launches(SOFTMAX):
        assert launch.over == "rows"
        assert len(launch.body) == (3 if "forward" in launch.name else 2)


def test_what_is_read_more_than_a_row_of_is_a_launch_of_its_own():
    text = SOFTMAX.replace("e / np.sum(e, axis=-1, keepdims=True)", "e / np.sum(e)")
    assert [launch.over for launch in launches(text, order=0)[0]] == ["fibres", "fibres", "entries"]
    text = SOFTMAX.replace("e / np.sum(", "e / np.flip(np.sum(").replace(
        "True)\n    return", "True), axis=0)\n    return"
    )
    assert [launch.over for launch in launches(text, order=0)[0]] == ["rows", "entries"]


def test_a_row_has_an_element_of_a_pass_over_what_is_reduced():
    text = (
        "def f(x):\n    s = np.sum(x, axis=-1, keepdims=True)\n    return x * np.exp(s), lambda grad: grad\n"
    )
    ((launch,),) = launches(text, order=0)
    assert [space.shape == launch.shape for space in launch.body] == [True, False, True]


PRODUCT = "def f(a, b):\n    return a * b, lambda grad: (grad * b, grad * a)\n"


def test_what_may_be_reduced_is_one_launch_where_all_shapes_are_one():
    _, (together, *_) = launches(PRODUCT)
    assert together.over == "entries"
    assert [operand.name for operand in operands(together)] == ["a", "b", "grad", "grad_b", "grad_a"]


def test_what_is_part_of_a_first_array_is_reduced_alone():
    _, (_, whole, apart, *_) = launches(PRODUCT)
    assert [sink.name for sink in whole.columns] == ["grad_b"]
    assert (whole.over, apart.over) == ("rows", "fibres")
    for launch in (whole, apart):
        assert {operand.name for operand in operands(launch) if operand.written} == {"grad_a", "grad_b"}


def test_what_is_reduced_and_written_at_once_is_read_once():
    text = "def f(x):\n    e = np.exp(x)\n    return (e, np.mean(e, axis=0)), lambda g, h: (g + h) * e\n"
    ((launch,),) = launches(text, order=0)
    assert launch.over == "fibres"
    assert [operand.name for operand in operands(launch)] == ["x", "mean", "e"]


def test_a_layer_norm_is_one_launch_over_rows_where_its_weight_is_a_part():
    text = """def f(x, w):
    c = x - np.mean(x, axis=-1, keepdims=True)
    n = c / np.sqrt(np.mean(c * c, axis=-1, keepdims=True) + 1)

    def pullback(grad):
        g = grad * w
        return g - n * np.mean(g * n, axis=-1, keepdims=True), grad * n

    return n * w, pullback
"""
    (forward, *_), (backward, *_) = launches(text)
    assert (forward.over, backward.over) == ("rows", "rows")


def test_sums_that_are_saved_of_rows_are_elements_of_rows():
    ((backward,),) = launches(SOFTMAX, order=2)[2:]
    assert backward.over == "rows"


def test_what_is_always_reduced_has_no_launch_over_entries():
    ((launch,), _) = launches("def f(x):\n    return np.sum(x, axis=0), lambda grad: grad\n")
    assert launch.over == "fibres"


def test_what_is_reduced_to_two_shapes_is_two_launches():
    _, (*_, first, second) = launches(PRODUCT)
    assert (first.over, second.over) == ("fibres", "fibres")
    assert [operand.name for operand in operands(first)] == ["b", "grad", "grad_a"]
    assert [operand.written for operand in operands(first)] == [False, False, True]


def test_memory_that_is_filled_is_a_launch_that_reads_nothing():
    library = standard_library()
    _, programs = compiled(library.formula("diagonal"), library)
    filling, *_ = (statement for statement in programs[1][1].body if isinstance(statement, Launch))
    assert filling.over == "entries"
    assert filling.body[0].reads == ()


def test_a_view_that_passes_share_is_one_operand():
    (launch,), _ = launches(SOFTMAX)
    assert [operand.name for operand in operands(launch)] == ["x", "largest", "total", "r"]


@pytest.mark.parametrize(
    ("text", "what", "line"),
    [
        ("def f(x):\n    y = x + 1\n    return np.cumsum(y, axis=0), lambda grad: grad\n", "`cumsum`", 8),
        ("def f(x):\n    y = x + 1\n    return special.i0e(y), lambda grad: grad\n", "`i0e`", 8),
        (
            "def f(x):\n    for k in range(x.shape[0]):\n        x = x + x\n    return x, lambda g: g\n",
            "repeated",
            7,
        ),
    ],
)
def test_what_cuda_has_no_launch_for_is_located(text, what, line):
    with pytest.raises(FormulaError) as raised:
        launches(text, order=0)
    (found,) = raised.value.diagnostics
    assert what in found.message
    assert "is not compiled for CUDA" in found.message
    assert found.span.line == line
    assert "native" in found.hint


def test_a_thread_reads_two_packs_at_once_of_few_operands():
    (few,), _ = launches("def f(x, y):\n    return x * y, lambda grad: (grad * y, grad * x)\n")
    (many,), _ = launches("def f(x, y, z):\n    return x * y + z, lambda grad: (grad * y, grad * x, grad)\n")
    assert (packs_of_thread(few), packs_of_thread(many)) == (2, 1)
