"""A user's program for type checkers: `# E: code` stands where mypy reports an error of that code, and
`# T: type` where it reveals that type. pyright finds errors in the same lines.
"""

from collections.abc import Callable
from typing import Any, reveal_type

import numpy as np

import pullback as pb

Closure = Callable[..., Any]
x = pb.tensor([1.0, 2.0], requires_grad=True)


@pb.formula
def product(a: pb.Tensor, b: pb.Tensor, *, scale: float = 1.0) -> tuple[pb.Tensor, Closure]:
    def product_pullback(grad: pb.Tensor) -> tuple[pb.Tensor, pb.Tensor]:
        return grad * b * scale, grad * a * scale

    return a * b * scale, product_pullback


@pb.formula(recompute=("both",))
def both(a: pb.Tensor, b: pb.Tensor) -> tuple[tuple[pb.Tensor, pb.Tensor], Closure]:
    def both_pullback(first: pb.Tensor, second: pb.Tensor) -> tuple[pb.Tensor, pb.Tensor]:
        return first + second, first - second

    return (a + b, a - b), both_pullback


@pb.formula(np.sinh)
def sinh(x: pb.Tensor) -> tuple[pb.Tensor, Closure]:
    return x, lambda grad: grad


@pb.derive_pullback
def cube(x: pb.Tensor) -> pb.Tensor:
    return x * x * x


reveal_type(product)  # T: Formula[[a: Tensor, b: Tensor, *, scale: float =], Tensor]
reveal_type(product(x, x))  # T: Tensor
reveal_type(both(x, x))  # T: tuple[Tensor, Tensor]
reveal_type(sinh(x))  # T: Tensor
reveal_type(cube(x))  # T: Tensor
product(x, x, scale=2.0)
product(x)  # E: call-arg
product(x, x, x, x, x, x, x, x)  # E: call-arg
product(x, x, size=2.0)  # E: call-arg
product(x, x, scale="two")  # E: arg-type
both(x, x, x, x, x, x, x, x)  # E: call-arg
sinh(x, x)  # E: call-arg
cube(x, x)  # E: call-arg

fast = pb.compile(both, order=1)
reveal_type(fast)  # T: CompiledFormula[[a: Tensor, b: Tensor], tuple[Tensor, Tensor]]
reveal_type(pb.compile(fast)(x, x))  # T: tuple[Tensor, Tensor]
fast(x, x, x, x, x, x, x, x)  # E: call-arg
pb.compile(cube)(y=x)  # E: call-arg
reveal_type(pb.checkpoint(cube, x))  # T: Tensor
pb.checkpoint(cube, x, x)  # E: call-arg

reveal_type(pb.grad(x.sum(), x))  # T: tuple[Tensor, ...]
reveal_type(pb.grad(x.sum(), x, allow_unused=True))  # T: tuple[Tensor | None, ...]
reveal_type(pb.grad(x.sum(), x, allow_unused=True, materialize_grads=True))  # T: tuple[Tensor, ...]
reveal_type(pb.value_and_grad(cube)(np.ones(3))[1])  # T: ndarray[Any, Any]
reveal_type(pb.value_and_grad(product, [0, 1])(1.0, 2.0)[1])  # T: tuple[ndarray[Any, Any], ...]
reveal_type(pb.numpy.exp(x))  # T: Tensor
reveal_type(pb.numpy.concatenate([x, x], axis=0))  # T: Tensor
reveal_type(pb.numpy.add(1.0, x))  # T: Tensor
reveal_type(pb.numpy.where(True, 1.0, x))  # T: Tensor
reveal_type(pb.special.gammaln(x))  # T: Tensor
reveal_type(pb.special.betaln(1.0, x))  # T: Tensor
reveal_type(pb.numpy.zeros(3))  # T: Tensor
reveal_type(pb.relu(x))  # T: Tensor
reveal_type(x.grad)  # T: Tensor | None
pb.numpy.sum(x, axis=0).derivative()  # E: attr-defined
pb.grad(x.sum(), x)[0].derivative()  # E: attr-defined


def takes(f: pb.Formula[[pb.Tensor], pb.Tensor], any_formula: pb.Formula) -> pb.Tensor:
    return f(x)


takes(sinh, both)
takes(product, both)  # E: arg-type


# mypy takes the result of a function without annotations for Any, and still knows its parameters.
@pb.formula
def plain(a, b):  # type: ignore[no-untyped-def]
    return a * b, lambda grad: (grad * b, grad * a)


plain(x, x)
plain(x, x, x, x, x, x, x, x)  # E: call-overload
plain(x, x, size=2)  # E: call-overload
