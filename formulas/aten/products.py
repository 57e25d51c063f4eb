"""Gradients of products of matrices."""

from __future__ import annotations

from typing import Any

from pullback import aten

from .dtypes import conjugate, maybe_multiply


def mm_mat1_backward(grad: Any, mat2: Any, shape: Any, strides: Any, layout: Any, alpha: Any) -> Any:
    """C = a A B: the cotangent of A is conj(a) G B^H."""
    return maybe_multiply(aten.mm(grad, aten.mH(mat2)), conjugate(alpha))


def mm_mat2_backward(grad: Any, mat1: Any, shape: Any, strides: Any, layout: Any, alpha: Any) -> Any:
    """C = a A B: the cotangent of B is conj(a) A^H G."""
    return maybe_multiply(aten.mm(aten.mH(mat1), grad), conjugate(alpha))


def _euclidean_dist_backward(grad: Any, x1: Any, x2: Any, result: Any) -> Any:
    """r_ij = |a_i - b_j|, so dr_ij = (a_i - b_j) (da_i - db_j) / r_ij; nothing flows where r is 0."""
    ratio = aten.where(result == 0, 0.0, grad / result)
    turned = aten.transpose(ratio, -1, -2)
    grad_x1 = x1 * aten.sum(ratio, (-1,), True) - aten.matmul(ratio, x2)
    return grad_x1, x2 * aten.sum(turned, (-1,), True) - aten.matmul(turned, x1)


def _trilinear_backward(
    grad: Any,
    i1: Any,
    i2: Any,
    i3: Any,
    expand1: Any,
    expand2: Any,
    expand3: Any,
    sumdim: Any,
    needed: tuple[bool, ...],
) -> Any:
    """A product of three, summed over axes: of each factor the product of the others with the gradient.

    Where a factor was repeated along an axis, its gradient is summed, and the other way round.
    """
    grad1 = grad2 = grad3 = None
    if needed[0]:
        grad1 = aten._trilinear(grad, aten.conj(i2), aten.conj(i3), sumdim, expand2, expand3, expand1)
    if needed[1]:
        grad2 = aten._trilinear(aten.conj(i1), grad, aten.conj(i3), expand1, sumdim, expand3, expand2)
    if needed[2]:
        grad3 = aten._trilinear(aten.conj(i1), aten.conj(i2), grad, expand1, expand2, sumdim, expand3)
    return grad1, grad2, grad3


def linear_double_backward(grads: Any, x: Any, grad_output: Any, weight: Any) -> Any:
    """Of x, g and W in g W, g^T x and the sum of g, the gradients of a product x W^T + b."""
    grad_x, grad_weight, grad_bias = grads
    of_x = of_weight = None
    parts = []
    if grad_x is not None:
        parts.append(aten.matmul(grad_x, aten.mT(weight)))
        rows, columns = (aten.reshape(given, (-1, given.shape[-1])) for given in (grad_output, grad_x))
        of_weight = aten.matmul(aten.mT(rows), columns)
    if grad_weight is not None:
        parts.append(aten.matmul(x, aten.mT(grad_weight)))
        of_x = aten.matmul(grad_output, grad_weight)
    if grad_bias is not None:
        parts.append(aten.expand(grad_bias, grad_output.shape))
    return of_x, sum(parts[1:], parts[0]) if parts else None, of_weight
