"""Formulas on which a promotion that is nearly right goes wrong at second or third order."""

import numpy as np

import pullback as pb
from pullback import primitives


@pb.formula
def shared_chain(a, b, c):
    """(a + b)**2 c on shapes of which each broadcasts differently; t and u are both captured."""
    t = a + b
    u = t * c
    r = t * u

    def shared_chain_pullback(grad):
        to_t = grad * u + grad * t * c
        return to_t, to_t, grad * t * t

    return r, shared_chain_pullback


@pb.formula
def reduced_by_hand(a, b):
    """(a + b) b on shapes (3, 1) and (4,), with a closure that has reduced its gradients itself."""
    t = a + b
    r = t * b

    def reduced_by_hand_pullback(grad):
        return np.sum(grad * b, axis=1, keepdims=True), np.sum(grad * t + grad * b, axis=0)

    return r, reduced_by_hand_pullback


@pb.formula(surrogate=True)
def straight_through(x):
    """round(x) with the stated slope dr/dx = r**2, so the derivatives are r**2, 2 r**3, 6 r**4."""
    r = np.round(x)
    t = r * r

    def straight_through_pullback(grad):
        return grad * t

    return r, straight_through_pullback


@pb.formula
def from_result(x):
    """exp(x), with an intermediate computed from the result."""
    r = np.exp(x)
    t = r * r

    def from_result_pullback(grad):
        return grad * t / r

    return r, from_result_pullback


@pb.formula
def second_of_two(x):
    """x exp(2x) by two intermediates, of which the closure captures the second."""
    t = np.exp(x)
    u = t * t
    r = x * u

    def second_of_two_pullback(grad):
        return grad * (u + 2 * x * u)

    return r, second_of_two_pullback


@pb.formula
def default_argument(a, b):
    """(a + b) b, where the capture is a default argument."""
    t = a + b
    r = t * b

    def default_argument_pullback(grad, t=t):
        return grad * b, grad * t + grad * b

    return r, default_argument_pullback


@pb.formula
def nested_helper(a, b):
    """(a + b) b, where a helper inside the closure does the capturing."""
    t = a + b
    r = t * b

    def nested_helper_pullback(grad):
        def times_t(g):
            return g * t

        return grad * b, times_t(grad) + grad * b

    return r, nested_helper_pullback


@pb.formula
def one_sided(x, *, growing: bool = True):
    """x exp(x) or sin(x): the intermediate exists on one side only."""
    if growing:
        t = np.exp(x)
        r = t * x
    else:
        r = np.sin(x)

    def one_sided_pullback(grad):
        if growing:
            slope = t + x * t
            grad_x = grad * slope
        else:
            grad_x = grad * np.cos(x)
        return grad_x

    return r, one_sided_pullback


@pb.formula
def view_of_input(x):
    """x[1:] x[:-1], capturing one of the views."""
    v = x[1:]
    r = v * x[:-1]

    def view_of_input_pullback(grad):
        later = primitives.unslice(grad * x[:-1], index=slice(1, None), shape=x.shape)
        earlier = primitives.unslice(grad * v, index=slice(None, -1), shape=x.shape)
        return later + earlier

    return r, view_of_input_pullback


@pb.formula
def view_of_intermediate(x):
    """x**2 times the first column of x**2, which is a view of an intermediate."""
    t = x * x
    v = t[:, :1]
    r = t * v

    def view_of_intermediate_pullback(grad):
        first = np.sum(grad * t, axis=1, keepdims=True)
        to_t = grad * v + primitives.unslice(first, index=(slice(None), slice(None, 1)), shape=x.shape)
        return 2 * x * to_t

    return r, view_of_intermediate_pullback


@pb.formula
def integer_intermediate(x):
    """floor(x) x, whose intermediate is an integer: the derivatives are floor(x), 0, 0."""
    n = np.floor(x).astype(np.int64)
    r = n * x

    def integer_intermediate_pullback(grad):
        return grad * n

    return r, integer_intermediate_pullback


@pb.formula
def mask_as_float(x):
    """x**3 where x is positive, by a mask cast to float."""
    m = (x > 0).astype(np.float64)
    r = m * x * x * x

    def mask_as_float_pullback(grad):
        return 3 * grad * m * x * x

    return r, mask_as_float_pullback


@pb.formula
def own_results(x):
    """x softplus(exp(x)): both operators on the slice capture something of their own."""
    t = np.exp(x)
    s = pb.softplus(t)
    r = s * x

    def own_results_pullback(grad):
        return grad * (s + x * pb.sigmoid(t) * t)

    return r, own_results_pullback


@pb.formula
def two_results(a, b):
    """a**2 b and sin(a b), which share a captured intermediate."""
    t = a * b
    p = t * a
    q = np.sin(t)

    def two_results_pullback(grad_p, grad_q):
        to_t = grad_p * a + grad_q * np.cos(t)
        return to_t * b + grad_p * t, to_t * a

    return (p, q), two_results_pullback


@pb.formula
def exp_saved(x):
    """x exp(x)**2, saving exp(x) and x."""
    e = np.exp(x)
    r = x * e**2

    def exp_saved_pullback(grad):
        return grad * (e**2 + 2 * x * e**2)

    return r, exp_saved_pullback


@pb.formula
def softplus_saved(x):
    """log(1 + exp(x)), saving exp(x)."""
    e = np.exp(x)
    r = np.log1p(e)

    def softplus_saved_pullback(grad):
        return grad * e / (1 + e)

    return r, softplus_saved_pullback


@pb.formula
def doubled_saved(x):
    """(2x)**2, saving 2x."""
    t = 2 * x
    r = t**2

    def doubled_saved_pullback(grad):
        return grad * 2 * t * 2

    return r, doubled_saved_pullback
