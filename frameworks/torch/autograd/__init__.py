"""Autograd over torch tensors by formulas in Python: those of PyTorch's table of derivatives, or one's own.

>>> import torch
>>> import pullback.torch.autograd as autograd
>>> x = torch.tensor([1.0, 2.0], requires_grad=True)
>>> with autograd.record():
...     loss = (x.sin() * x).sum()
>>> autograd.grad(loss, x)
(tensor([1.3818, 0.0770]),)
"""

from .formulas import Formulas as Formulas
from .functional import backward as backward
from .functional import grad as grad
from .graph import graph as graph
from .record import record as record

__all__ = ["Formulas", "backward", "grad", "graph", "record"]
