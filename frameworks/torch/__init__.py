"""Formulas as operators of PyTorch: right to every order, under `torch.func` and `torch.compile`.

>>> import torch
>>> import pullback as pb
>>> import pullback.torch
>>> @pb.formula
... def simple(a, b):
...     t = a + b
...     def simple_pullback(grad):
...         return grad * b, grad * t + grad * b
...     return t * b, simple_pullback
>>> product = pullback.torch.function(simple)
>>> a, b = torch.tensor([0.5], requires_grad=True), torch.tensor([0.25], requires_grad=True)
>>> product(a, b)
tensor([0.1875], grad_fn=<SelectBackward0>)
"""

from __future__ import annotations

try:
    import torch as _torch  # noqa: F401
except ModuleNotFoundError as missing:
    if missing.name != "torch":
        raise
    raise ImportError(
        "pullback.torch needs PyTorch: pip install 'pullback[torch]', which takes the build that pip finds; "
        "docs/pytorch.md says how to get one for the CPU alone"
    ) from missing

from .derivatives import functions as _functions  # noqa: F401  # ATen's functions for `pullback.aten`
from .first_order import first_order_only as first_order_only
from .function import TorchFunction as TorchFunction
from .function import function as function
from .register import TorchOperator as TorchOperator
from .register import register as register

__all__ = ["TorchFunction", "TorchOperator", "first_order_only", "function", "register"]
