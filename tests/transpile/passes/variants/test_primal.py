"""The primal alone: nothing is saved for a derivative."""

from pullback.transpile.library import formula_in, standard_library
from pullback.transpile.passes.promote.promote import promote
from pullback.transpile.passes.variants.primal import is_primal, primal
from tests.transpile.passes.variants.test_specialize import BY_HAND

LOOP = """
def repeated(x, w):
    for _ in range(5):
        x = np.tanh(w * x)
    return x
"""


def test_nothing_is_saved_of_a_loop():
    read = formula_in(LOOP)
    whole, alone = promote(read, standard_library()), promote(primal(read), standard_library())
    assert whole.hidden
    assert whole.plain
    assert alone.hidden == alone.plain == ()
    assert len(alone.cotangents) == 1
    assert [is_primal(each) for each in (alone, whole, read)] == [True, False, False]


def test_a_rule_for_an_intermediate_goes_too():
    alone = primal(formula_in(BY_HAND))
    assert len(alone.cotangents) == alone.results == 1
    assert alone.rules == ()
    assert not promote(alone, standard_library()).hidden
