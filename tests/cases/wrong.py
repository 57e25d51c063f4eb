"""Formulas with a wrong derivative, each in a way that some checker lets pass."""

import numpy as np

import pullback as pb


@pb.formula
def hundredfold(x):
    """The closure of an identity gives a hundred times the gradient."""
    r = np.positive(x)

    def hundredfold_pullback(grad):
        return 100 * grad

    return r, hundredfold_pullback


@pb.formula
def right_at_first_order_only(x):
    """x**2 with the slope 2x, in which x is held constant."""
    r = x * x

    def right_at_first_order_only_pullback(grad):
        return grad * 2 * pb.stop_gradient(x)

    return r, right_at_first_order_only_pullback


@pb.formula
def gradient_changed_in_place(x):
    """The closure writes to the incoming gradient, which a sibling branch receives too."""
    r = 2 * x

    def gradient_changed_in_place_pullback(grad):
        grad *= 2
        return grad

    return r, gradient_changed_in_place_pullback


@pb.formula
def one_gradient_of_two(a, b):
    """a b with the gradient for b left out as zero."""
    r = a * b

    def one_gradient_of_two_pullback(grad):
        return grad * b, None

    return r, one_gradient_of_two_pullback


@pb.formula
def wrong_rule(x):
    """x exp(x) with a hand-written rule for the intermediate that forgets a factor."""
    t = np.exp(x)
    r = x * t

    def wrong_rule_pullback(grad, grad_t):
        return grad * (t + x * t) + grad_t

    return r, wrong_rule_pullback
