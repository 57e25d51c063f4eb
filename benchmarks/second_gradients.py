"""The second gradients of an operator as one function: the vector-Jacobian product of that of its gradients.

As `by_jax` has them; `pb.compile` makes one program of each. A function is written out for each number of
inputs and results, for its text is what is compiled.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pullback as pb


def second_of(operator: Any, inputs: int, results: int) -> Callable[..., Any]:
    """A function of the inputs, a cotangent per result, and a vector per gradient, all tensors."""
    return _WAYS[inputs, results](operator)


def _of_one(operator: Any) -> Callable[..., Any]:
    def first(x, grad):
        return pb.vjp(operator, x, grad, create_graph=True)[1]

    def second(x, grad, to_x):
        return pb.vjp(first, (x, grad), to_x)[1]

    return second


def _of_two(operator: Any) -> Callable[..., Any]:
    def first(a, b, grad):
        return pb.vjp(operator, (a, b), grad, create_graph=True)[1]

    def second(a, b, grad, to_a, to_b):
        return pb.vjp(first, (a, b, grad), (to_a, to_b))[1]

    return second


def _of_three(operator: Any) -> Callable[..., Any]:
    def first(a, b, c, grad):
        return pb.vjp(operator, (a, b, c), grad, create_graph=True)[1]

    def second(a, b, c, grad, to_a, to_b, to_c):
        return pb.vjp(first, (a, b, c, grad), (to_a, to_b, to_c))[1]

    return second


def _of_four(operator: Any) -> Callable[..., Any]:
    def first(a, b, c, d, grad):
        return pb.vjp(operator, (a, b, c, d), grad, create_graph=True)[1]

    def second(a, b, c, d, grad, to_a, to_b, to_c, to_d):
        return pb.vjp(first, (a, b, c, d, grad), (to_a, to_b, to_c, to_d))[1]

    return second


def _of_five_with_two_results(operator: Any) -> Callable[..., Any]:
    def first(a, b, c, d, e, grad_1, grad_2):
        return pb.vjp(operator, (a, b, c, d, e), (grad_1, grad_2), create_graph=True)[1]

    def second(a, b, c, d, e, grad_1, grad_2, to_a, to_b, to_c, to_d, to_e):
        return pb.vjp(first, (a, b, c, d, e, grad_1, grad_2), (to_a, to_b, to_c, to_d, to_e))[1]

    return second


_WAYS = {
    (1, 1): _of_one,
    (2, 1): _of_two,
    (3, 1): _of_three,
    (4, 1): _of_four,
    (5, 2): _of_five_with_two_results,
}
