"""The ways to write (a + b) b as one operator. Its gradients are b and a + 2b."""

import pullback as pb


@pb.formula
def simple_captured(a, b):
    """The closure uses `t`, which the forward computed."""
    t = a + b
    r = t * b

    def simple_pullback(grad):
        return grad * b, grad * t + grad * b

    return r, simple_pullback


@pb.formula
def simple_recomputed(a, b):
    """The closure computes `t` again."""
    t = a + b
    r = t * b

    def simple_pullback(grad):
        t = a + b
        return grad * b, grad * t + grad * b

    return r, simple_pullback


@pb.formula
def simple_lost_path(a, b):
    """The closure uses a fresh tensor with `t`'s value, from which no path leads to `a`."""
    t = a + b
    r = t * b
    fresh = pb.tensor(t)

    def simple_pullback(grad):
        return grad * b, grad * fresh + grad * b

    return r, simple_pullback


@pb.formula
def simple_almost(a, b):
    """A hand-written rule for `t`, which leaves undefined gradients to the transformation."""
    t = a + b
    r = t * b

    def simple_pullback(grad, grad_t):
        return grad * b + grad_t, grad * t + grad * b + grad_t

    return r, simple_pullback


@pb.formula
def simple_by_hand(a, b):
    """A hand-written rule for `t`, with every undefined gradient told apart."""
    t = a + b
    r = t * b

    def simple_pullback(grad, grad_t):
        if grad is None:
            grad_a = grad_t
            grad_b = grad_t
        else:
            grad_a = grad * b if grad_t is None else grad * b + grad_t
            grad_b = grad * t + grad * b if grad_t is None else grad * t + grad * b + grad_t
        return grad_a, grad_b

    return r, simple_pullback


@pb.derive_pullback
def simple_derived(a, b):
    """No closure: it is derived."""
    t = a + b
    return t * b
