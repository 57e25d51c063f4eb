"""An operator with its gradients, and its second gradients, each as one function that takes gradients inside.

As `by_jax` has them; `pb.compile` makes one program of each. A function is written out for each number of
inputs and results, for its text is what is compiled.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import pullback as pb


class Programs(NamedTuple):
    """Functions of the inputs and a cotangent per result; of a vector per gradient too for `second`.

    `together` returns the results and the gradients, `second` the gradients of the gradients.
    """

    together: Callable[..., Any]
    second: Callable[..., Any]


def programs_of(operator: Any, inputs: int, results: int) -> Programs:
    """The two for an operator of so many inputs and results."""
    return _WAYS[inputs, results](operator)


def _of_one(operator: Any) -> Programs:
    def together(x, grad):
        result, grad_x = pb.vjp(operator, x, grad)
        return result, grad_x

    def first(x, grad):
        return pb.vjp(operator, x, grad, create_graph=True)[1]

    def second(x, grad, to_x):
        return pb.vjp(first, (x, grad), to_x)[1]

    return Programs(together, second)


def _of_two(operator: Any) -> Programs:
    def together(a, b, grad):
        result, grads = pb.vjp(operator, (a, b), grad)
        return result, *grads

    def first(a, b, grad):
        return pb.vjp(operator, (a, b), grad, create_graph=True)[1]

    def second(a, b, grad, to_a, to_b):
        return pb.vjp(first, (a, b, grad), (to_a, to_b))[1]

    return Programs(together, second)


def _of_three(operator: Any) -> Programs:
    def together(a, b, c, grad):
        result, grads = pb.vjp(operator, (a, b, c), grad)
        return result, *grads

    def first(a, b, c, grad):
        return pb.vjp(operator, (a, b, c), grad, create_graph=True)[1]

    def second(a, b, c, grad, to_a, to_b, to_c):
        return pb.vjp(first, (a, b, c, grad), (to_a, to_b, to_c))[1]

    return Programs(together, second)


def _of_four(operator: Any) -> Programs:
    def together(a, b, c, d, grad):
        result, grads = pb.vjp(operator, (a, b, c, d), grad)
        return result, *grads

    def first(a, b, c, d, grad):
        return pb.vjp(operator, (a, b, c, d), grad, create_graph=True)[1]

    def second(a, b, c, d, grad, to_a, to_b, to_c, to_d):
        return pb.vjp(first, (a, b, c, d, grad), (to_a, to_b, to_c, to_d))[1]

    return Programs(together, second)


def _of_five_with_two_results(operator: Any) -> Programs:
    def together(a, b, c, d, e, grad_1, grad_2):
        results, grads = pb.vjp(operator, (a, b, c, d, e), (grad_1, grad_2))
        return *results, *grads

    def first(a, b, c, d, e, grad_1, grad_2):
        return pb.vjp(operator, (a, b, c, d, e), (grad_1, grad_2), create_graph=True)[1]

    def second(a, b, c, d, e, grad_1, grad_2, to_a, to_b, to_c, to_d, to_e):
        return pb.vjp(first, (a, b, c, d, e, grad_1, grad_2), (to_a, to_b, to_c, to_d, to_e))[1]

    return Programs(together, second)


_WAYS = {
    (1, 1): _of_one,
    (2, 1): _of_two,
    (3, 1): _of_three,
    (4, 1): _of_four,
    (5, 2): _of_five_with_two_results,
}
