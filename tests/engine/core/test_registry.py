"""The list of all formulas."""

import numpy as np
import pytest
import scipy.special

import pullback as pb
from pullback.engine.core.registry import FORMULAS, Formulas
from pullback.transpile.operators import OPERATORS


def test_found_by_name_and_by_function():
    formulas = pb.formulas()
    assert formulas[np.exp] is formulas["exp"]
    assert formulas[np.absolute] is formulas["abs"]
    assert formulas[scipy.special.erf] is formulas["erf"]
    assert np.exp in formulas
    assert "no such thing" not in formulas
    assert formulas[0] in list(formulas)
    assert len(formulas) == len(list(formulas)) > 40
    assert "exp" in repr(formulas)


def test_an_unknown_one_is_a_key_error_that_says_how_many_there_are():
    with pytest.raises(KeyError, match=r"no formula for 'nope'; pb\.formulas\(\) lists"):
        pb.formulas()["nope"]


WRITTEN_WITH_OPERATORS = {word.name for word in OPERATORS.values() if word.gives_list}


@pytest.mark.parametrize(
    "word",
    [
        w.name
        for w in OPERATORS.values()
        if w.derivative == "formula" and w.name not in WRITTEN_WITH_OPERATORS
    ],
)
def test_every_word_with_a_derivative_has_a_formula(word):
    assert FORMULAS.of_operator(word) is not None


def test_a_users_formula_without_target_replaces_nothing():
    formulas = Formulas()

    def exp(x):
        return x

    formulas.register("mine", exp)
    assert formulas["exp"] == formulas.operator("exp_2") == "mine"
    assert formulas.of_operator("exp") != "mine"


def test_a_users_formula_with_a_target_takes_the_librarys_place():
    formulas = Formulas()

    def mine(x):
        return x

    def library(x):
        return x

    library.__module__ = "pullback.formulas.exponential"
    formulas.register("mine", mine, np.exp)
    formulas.register("theirs", library, np.exp)
    assert formulas.of_operator("exp") == "mine"


def cubed(h):
    @pb.formula
    def outer(x):
        u = h(x)
        r = u * u

        def outer_pullback(grad):
            return grad * 2 * u * 3 * x * x

        return r, outer_pullback

    return outer


@pb.formula
def helper(x):
    t = x * x
    r = t * x

    def helper_pullback(grad):
        return grad * 3 * t

    return r, helper_pullback


outer = cubed(helper)
first_helper = helper


@pb.formula
def helper(x):
    r = np.sin(x)

    def helper_pullback(grad):
        return grad * np.cos(x)

    return r, helper_pullback


@pb.formula
def softplus(x):
    t = x * x

    def softplus_pullback(grad):
        return grad * 2 * x

    return t, softplus_pullback


def test_formulas_keep_calling_what_they_were_written_with(engine):
    assert pb.gradcheck(outer, np.array([1.3]), order=3)
    assert pb.gradcheck(first_helper, np.array([1.3]), order=3)
    assert pb.gradcheck(helper, np.array([1.3]), order=3)
    assert pb.formulas()["helper"] is helper
    assert FORMULAS.operator_name(first_helper) != FORMULAS.operator_name(helper)


def test_a_name_of_the_vocabulary_stays_what_it_is(engine):
    x = pb.tensor([1.0], requires_grad=True)
    assert pb.softplus(x).item() == pytest.approx(np.log1p(np.e))
    assert softplus(x).item() == 1.0
    assert pb.gradcheck(softplus, np.array([1.3]), order=3)
    assert pb.gradcheck(pb.softplus, np.array([1.3]), order=3)
