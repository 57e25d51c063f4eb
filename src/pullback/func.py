"""Transforms of functions, as `torch.func` has them: arrays in and arrays out, over trees, and they nest.

>>> import numpy as np, pullback as pb
>>> pb.func.vmap(pb.func.grad(np.sin))(np.array([0.0, np.pi]))
array([ 1., -1.])
"""

from .engine import batched as _batched  # noqa: F401 - its tensors are what `vmap` hands to functions
from .engine.func.gradients import grad, grad_and_value, value_and_grad
from .engine.func.jacobians import hessian, jacfwd, jacrev
from .engine.func.products import hvp, jvp, vjp
from .engine.func.vectorization import vmap

__all__ = [
    "grad",
    "grad_and_value",
    "hessian",
    "hvp",
    "jacfwd",
    "jacrev",
    "jvp",
    "value_and_grad",
    "vjp",
    "vmap",
]
