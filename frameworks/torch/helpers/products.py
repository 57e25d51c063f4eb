"""Products of tensors, and systems of equations, by NumPy's rules of shapes and dtypes."""

from __future__ import annotations

import string
from collections.abc import Sequence
from typing import Any

import torch

from .likes import Like, like, sum_to
from .numbers import scalar


def promoted(*arrays: torch.Tensor) -> list[torch.Tensor]:
    """The tensors in the dtype that they have in common."""
    dtype = arrays[0].dtype
    for array in arrays[1:]:
        dtype = torch.promote_types(dtype, array.dtype)
    return [array.to(dtype) for array in arrays]


def left_gradient(grad: torch.Tensor, right: torch.Tensor, like: Like) -> torch.Tensor:
    """The gradient of a product's left factor, of its shape and dtype."""
    columns, matrix = (grad[..., None], right[:, None]) if right.ndim == 1 else (grad, right)
    rows = columns[..., None, :] if like.ndim == 1 else columns
    return sum_to(rows @ matrix.to(grad.dtype).mT, like)


def right_gradient(grad: torch.Tensor, left: torch.Tensor, like: Like) -> torch.Tensor:
    """The gradient of a product's right factor, of its shape and dtype."""
    columns = grad[..., None] if like.ndim == 1 else grad
    rows, matrix = (columns[..., None, :], left[None]) if left.ndim == 1 else (columns, left)
    found = matrix.to(grad.dtype).mT @ rows
    return sum_to(found[..., 0] if like.ndim == 1 else found, like)


def outer(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """The matrix of products of two operands read as vectors."""
    return a.reshape(-1)[:, None] * b.reshape(-1)


def vdot(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """The sum of products of two operands read as vectors, the first one conjugated."""
    return (a.reshape(-1).conj() * b.reshape(-1)).sum()


def inner(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Sums of products over the last axes of both."""
    return torch.inner(*promoted(a, b))


def dot(a: Any, b: Any) -> torch.Tensor:
    """Sums of products over the last axis of the first and the last but one, or only, of the second."""
    if not (isinstance(a, torch.Tensor) and isinstance(b, torch.Tensor)) or a.ndim == 0 or b.ndim == 0:
        return a * b
    a, b = promoted(a, b)
    return torch.tensordot(a, b, dims=([-1], [max(0, b.ndim - 2)]))


def tensordot(a: torch.Tensor, b: torch.Tensor, axes: Any = 2) -> torch.Tensor:
    """Sums of products over axes of both."""
    if not isinstance(axes, int):
        axes = tuple([[each] if isinstance(each, int) else list(each) for each in axes])
    a, b = promoted(a, b)
    return torch.tensordot(a, b, dims=axes)


def contract(arrays: Sequence[torch.Tensor], subscripts: str) -> torch.Tensor:
    """The sum of products of the tensors that the subscripts state.

    >>> contract([torch.ones(2, 3), torch.ones(3)], "ij,j->i")
    tensor([3., 3.])
    """
    return torch.einsum(subscripts, *promoted(*arrays))


def contract_gradients(
    grad: torch.Tensor, arrays: Sequence[torch.Tensor], subscripts: str
) -> list[torch.Tensor]:
    """The gradients of `contract` by each of its tensors."""
    arrays = [scalar(array, grad) for array in arrays]
    groups, output = spelled_out(subscripts, [array.ndim for array in arrays])
    return [contract_gradient(grad, arrays, groups, output, k) for k in range(len(arrays))]


def contract_gradient(
    grad: torch.Tensor, arrays: Sequence[torch.Tensor], groups: Sequence[str], output: str, position: int
) -> torch.Tensor:
    """The gradient by one of them: its subscripts take the place of the output's."""
    target = arrays[position]
    factors = [grad, *(array for k, array in enumerate(arrays) if k != position)]
    names = [output, *(group for k, group in enumerate(groups) if k != position)]
    known = set("".join(names))
    unused = iter(sorted(set(string.ascii_letters) - set("".join(groups)) - known))
    result = ""
    for name, length in zip(groups[position], target.shape, strict=True):
        if name in result:
            again = next(unused)
            factors.append(torch.eye(length, dtype=target.dtype, device=target.device))
            names.append(name + again)
            result += again
            continue
        if name not in known:
            factors.append(torch.ones(length, dtype=target.dtype, device=target.device))
            names.append(name)
        result += name
    found = contract(factors, f"{','.join(names)}->{result}")
    repeated = [n if m == 1 else m for m, n in zip(found.shape, target.shape, strict=True)]
    return sum_to(found.expand(repeated), like(target))


def spelled_out(subscripts: str, ranks: Sequence[int]) -> tuple[list[str], str]:
    """The subscripts of each operand and of the output, without an ellipsis."""
    inputs, arrow, output = subscripts.replace(" ", "").partition("->")
    groups = inputs.split(",")
    unused = sorted(set(string.ascii_letters) - set(subscripts))
    most = max([rank - len(group.replace("...", "")) for group, rank in zip(groups, ranks, strict=True)])
    letters = "".join(unused[: max(0, most)])
    made = []
    for group, rank in zip(groups, ranks, strict=True):
        count = rank - len(group.replace("...", ""))
        made.append(group.replace("...", letters[len(letters) - count :] if count else ""))
    if not arrow:
        text = "".join(groups).replace("...", "")
        once = "".join(sorted(name for name in set(text) if text.count(name) == 1))
        output = ("..." if "..." in subscripts else "") + once
    return made, output.replace("...", letters)


def tensordot_subscripts(first: int, second: int, axes: Any) -> str:
    """The subscripts of `tensordot` of tensors with so many axes."""
    if isinstance(axes, int):
        axes = (range(first - axes, first), range(axes))
    over_a, over_b = ([each] if isinstance(each, int) else list(each) for each in axes)
    letters = string.ascii_letters
    a, b = list(letters[:first]), list(letters[first : first + second])
    for one, other in zip(over_a, over_b, strict=True):
        b[other] = a[one]
    summed = set(a) & set(b)
    kept = "".join([name for name in (*a, *b) if name not in summed])
    return f"{''.join(a)},{''.join(b)}->{kept}"


def dot_subscripts(first: int, second: int, axis: int) -> str:
    """The subscripts of `dot` and `inner`: the last axis of the first meets this one of the second."""
    if first == 0 or second == 0:
        return tensordot_subscripts(first, second, 0)
    return tensordot_subscripts(first, second, (-1, -1 if second == 1 else axis))


def solve(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """The solution of a x = b: `b` of one axis is a vector, of more a stack of matrices."""
    a, b = promoted(a, b)
    if b.ndim == 1:
        return torch.linalg.solve(a, b[:, None])[..., 0]
    stack = torch.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    return torch.linalg.solve(a.expand((*stack, *a.shape[-2:])), b.expand((*stack, *b.shape[-2:])))


def pinv(a: torch.Tensor, rcond: Any = None) -> torch.Tensor:
    """The pseudo-inverse, in which singular values up to `rcond` times the largest are zero."""
    return torch.linalg.pinv(a, rtol=1e-15 if rcond is None else rcond)


def convolve(a: torch.Tensor, v: torch.Tensor, mode: str = "full") -> torch.Tensor:
    """The discrete convolution of two rows.

    >>> convolve(torch.tensor([1.0, 2.0]), torch.tensor([1.0, 10.0]))
    tensor([ 1., 12., 20.])
    """
    a, v = promoted(a, v)
    if v.shape[0] > a.shape[0]:
        a, v = v, a
    short = v.shape[0] - 1
    made = torch.nn.functional.conv1d(a[None, None], torch.flip(v, (0,))[None, None], padding=short)[0, 0]
    if mode == "valid":
        made = made[short : made.shape[0] - short]
    elif mode == "same":
        made = made[short // 2 : short // 2 + a.shape[0]]
    return made.clone()
