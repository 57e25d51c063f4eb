"""Variants of a pullback: no work for gradients that are undefined or that nobody needs."""

from pullback.transpile.ir import Block, Eqn, Literal, Var
from pullback.transpile.library import formula_in, standard_library
from pullback.transpile.passes.promote.promote import promote
from pullback.transpile.passes.variants.specialize import specialize
from pullback.transpile.passes.variants.zeros import propagate_zeros
from tests.transpile.texts import SIMPLE

BY_HAND = """
def by_hand(a, b):
    t = a + b
    r = t * b
    def by_hand_pullback(grad, grad_t):
        to_t = None if grad is None else grad * b
        if grad_t is not None:
            to_t = grad_t if to_t is None else to_t + grad_t
        to_b = to_t if grad is None else to_t + grad * t
        return to_t, to_b
    return r, by_hand_pullback
"""

CELL = """
def cell(c):
    u = np.tanh(c)
    def cell_pullback(grad_h, grad_c):
        return 2 * grad_c + grad_h * u + grad_h * c * (1 - u * u)
    return (c * u, 2 * c), cell_pullback
"""


def _variant(text, defined, needed):
    return specialize(promote(formula_in(text), standard_library()), defined, needed)


def _ops(variant):
    return [eqn.op for eqn in variant.block.eqns]


def test_a_plain_first_backward_does_nothing_for_the_hidden_output():
    plain = _variant(SIMPLE, (True, False), (True, True))
    assert sorted(_ops(plain)) == ["add", "multiply", "multiply", "sum_to", "sum_to"]
    assert [var.name for var in plain.block.params] == ["grad"]
    assert plain.materialize == ()


def test_only_the_hidden_output_s_gradient():
    assert _ops(_variant(SIMPLE, (False, True), (True, True))) == ["sum_to", "sum_to"]


def test_a_gradient_that_nobody_needs_is_not_computed():
    assert _ops(_variant(SIMPLE, (True, False), (True, False))) == ["multiply", "sum_to"]


def test_no_gradient_at_all():
    variant = _variant(SIMPLE, (False, False), (True, True))
    assert variant.block.eqns == ()
    assert [str(result) for result in variant.block.results] == ["None", "None"]


def test_questions_about_none_are_answered():
    plain = _variant(BY_HAND, (True, False), (True, True))
    assert not {"if", "is_none"} & set(_ops(plain))
    only_hidden = _variant(BY_HAND, (False, True), (True, True))
    assert _ops(only_hidden) == ["sum_to", "sum_to"]


def test_a_zero_passes_what_is_linear_in_it():
    only_c = _variant(CELL, (False, True, False), (True,))
    assert [var.name for var in only_c.block.params] == ["grad_c"]
    assert _ops(only_c) == ["multiply"]
    assert only_c.materialize == ()


def test_a_zero_that_would_lose_its_shape_is_given_as_zeros():
    text = """
def two(x, y):
    def two_pullback(grad_r, grad_s):
        both = np.concatenate([grad_r, grad_s])
        return both[:2], both[2:]
    return (2 * x, 3 * y), two_pullback
"""
    variant = _variant(text, (True, False), (True, True))
    assert variant.materialize == (1,)
    assert len(variant.block.params) == 2


def test_a_choice_between_a_zero_and_zero_is_one():
    text = """
def centred(x):
    top = np.max(x, axis=-1, keepdims=True)
    def centred_pullback(grad, grad_top):
        return grad + np.where(x == top, grad_top, 0)
    return (x - top, top), centred_pullback
"""
    variant = _variant(text, (True, False), (True,))
    assert "where" not in _ops(variant)
    assert variant.materialize == ()


PAIR = """
def pair(x):
    def pair_pullback(grad, grad_2):
        return grad * 2 + grad_2 * 3
    return (x * 2, x * 3), pair_pullback
"""


def test_what_a_variant_reads_is_what_the_one_for_all_gradients_reads():
    """Zeros that are added to an undefined gradient are not computed with it: their shape is not saved."""
    pair = promote(formula_in(PAIR), standard_library())
    grad, grad_2 = pair.pullback.params
    zeros, total, chosen = Var("zeros"), Var("total"), Var("chosen")
    like, flag = Var("like_x", "value"), Var("flag", "value")
    sides = (Block((), (Eqn((total,), "accumulate", (grad_2, zeros)),), (total,)), Block((), (), (grad,)))
    eqns = (
        Eqn((zeros,), "broadcast_like", (Literal(0.0),), (("like", like),)),
        Eqn((chosen,), "if", (flag,), (), sides),
    )
    pair = pair.evolve(pullback=Block((grad, grad_2), eqns, (chosen,)))
    assert specialize(pair, (True, True), (True,)).block.free() == (flag,)
    first = specialize(pair, (True, False), (True,))
    assert first.materialize == (1,)
    assert first.block.free() == (flag,)


def test_a_product_with_a_zero_among_its_factors_is_zero():
    grad, x, product = Var("grad"), Var("x"), Var("product")
    factors = Var("factors", "list")
    eqns = (
        Eqn((factors,), "list", (grad, x)),
        Eqn((product,), "contract", (factors,), (("subscripts", Literal(",a->a")),)),
    )
    left = propagate_zeros(Block((grad,), eqns, (product,)), [grad], {}, frozenset())
    assert (left.eqns, left.results) == ((), (Literal(None),))
