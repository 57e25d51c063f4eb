import pytest

from pullback.tools.explain.facts import facts_of
from pullback.transpile.library import formula_in, standard_library
from tests.transpile.texts import SIMPLE


def decisions(text):
    return {d.name: d for d in facts_of(formula_in(text), standard_library()).decisions}


NORMALIZED = """
def normalized(x):
    s = np.sqrt(np.mean(x * x, axis=-1, keepdims=True))
    n = x / s
    def normalized_pullback(grad):
        return (grad - n * np.mean(grad * n, axis=-1, keepdims=True)) / s
    return n * 2, normalized_pullback
"""


def test_each_capture_has_its_verdict_its_line_and_what_is_done_with_it():
    found = decisions(SIMPLE)
    assert (found["b"].verdict, found["b"].arrays, found["b"].kernel) == ("input", "saved", "saved")
    t = found["t"]
    assert (t.verdict, t.line, t.saved) == ("intermediate", 6, "4")
    assert (t.arrays, t.kernel, t.why) == ("hidden output", "computed again", "4.25 bytes against 8")


def test_statistics_of_rows_are_small():
    found = decisions(NORMALIZED)
    assert (found["s"].saved, found["s"].kernel, found["s"].why) == ("< 4", "hidden output", "small")
    assert found["n"].kernel == "computed again"


def test_what_the_sweep_reads_is_told_too():
    text = SIMPLE.replace("t = a + b", "t = np.sin(np.exp(a))").replace("grad * b,", "grad * t,")
    found = decisions(text)
    assert found["np.exp(a)"].why == "for the gradients of others"
    assert "bytes against" in found["t"].why


def test_a_sum_over_an_axis_that_is_not_small_enough_to_matter_is_never_repeated():
    text = SIMPLE.replace("t = a + b", "t = np.cumsum(a, axis=0)")
    assert decisions(text)["t"].why == "not repeated: it joins elements"


def test_the_lost_path_leads_from_the_inputs_to_the_intermediate():
    facts = facts_of(formula_in(SIMPLE), standard_library())
    assert {var.name for var in facts.lost} == {"a", "b", "t"}


def test_nothing_is_lost_where_only_inputs_are_captured():
    text = "def product(a, b):\n    return a * b, lambda grad: (grad * b, grad * a)\n"
    facts = facts_of(formula_in(text), standard_library())
    assert not facts.lost
    assert [d.name for d in facts.decisions] == ["b", "a"]


@pytest.mark.parametrize("text", [SIMPLE, NORMALIZED])
def test_a_derived_closure_is_explained_like_a_written_one(text):
    formula = formula_in(text).evolve(pullback=None, captures=())
    assert {d.verdict for d in facts_of(formula, standard_library()).decisions} <= {
        "input",
        "result",
        "intermediate",
    }
