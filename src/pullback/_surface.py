"""Everything that `pullback` has to offer, imported in one order: its `__init__` hands it on."""

from __future__ import annotations

from typing import Any

# The folder of formulas first: its name is the function's below.
import pullback.formulas  # noqa: F401

from . import errors, implicit, memory, nn, primitives, random, special
from .engine.core.dispatch import current as _engine
from .engine.core.dispatch import use_engine
from .engine.core.errors import PullbackError
from .engine.core.grad_mode import (
    enable_grad,
    inference_mode,
    is_grad_enabled,
    is_inference_mode_enabled,
    no_grad,
    set_grad_enabled,
)
from .engine.core.multi_grad_hook import register_multi_grad_hook
from .engine.core.registry import formulas
from .engine.core.saved_hooks import saved_tensors_hooks
from .engine.debugging.anomaly import (
    detect_anomaly,
    is_anomaly_check_nan_enabled,
    is_anomaly_enabled,
    set_detect_anomaly,
)
from .engine.debugging.graph import Graph, graph
from .engine.debugging.tape import tape
from .engine.exchange.dlpack import from_dlpack
from .engine.formula.decorators import composite, derive_pullback, formula
from .engine.formula.formula import Composite, Formula
from .engine.formula.loaded import load_operator
from .engine.kernels import CompiledFormula, compile
from .engine.memory import get_num_threads, set_num_threads
from .engine.primitives.plumbing import stop_gradient
from .engine.tensor.array_methods import call_methods_directly as _call_methods_directly
from .engine.tensor.base import Tensor
from .engine.transforms import forward_ad
from .engine.transforms.checkpointing import checkpoint
from .engine.transforms.functional import backward, grad, value_and_grad
from .engine.transforms.gradcheck import gradcheck
from .engine.transforms.jacobian import hessian, jacobian
from .engine.transforms.vector_products import hvp, jvp, vhp, vjp
from .numpy import gelu, relu, sigmoid, softplus
from .transpile.diagnostics import Diagnostic, FormulaError
from .transpile.tracebacks import at_prompts
from .transpile.version import __version__

_call_methods_directly()


def tensor(array: Any, requires_grad: bool = False, name: str | None = None) -> Tensor:
    """A tensor with a copy of the values.

    Parameters
    ----------
    array : array_like
        An array, number, nested list or tensor; its dtype stays.
    requires_grad : bool, optional
        Have operators on it recorded; float dtypes only.
    name : str, optional
        For the printed tape.

    Returns
    -------
    Tensor
        Of the shape and dtype of `array`, on the current engine.

    Raises
    ------
    NotDifferentiableError
        `requires_grad` for a dtype that is no float.

    Examples
    --------
    >>> import pullback as pb
    >>> pb.tensor([1.0, 2.0], requires_grad=True)
    tensor([1., 2.], requires_grad=True)
    """
    made: Tensor = _engine().tensor(array, requires_grad, name)
    return made


def from_numpy(array: Any) -> Tensor:
    """A tensor over the array's own memory: each sees what the other writes.

    Writes from outside are not counted by the version, so a saved value that is
    changed through the array goes unnoticed.

    Parameters
    ----------
    array : numpy.ndarray
        Of any dtype that a tensor has.

    Returns
    -------
    Tensor
        Of the same shape and dtype, over the same memory.

    Examples
    --------
    >>> import numpy as np
    >>> import pullback as pb
    >>> array = np.zeros(2)
    >>> x = pb.from_numpy(array)
    >>> array[0] = 1.0
    >>> x
    tensor([1., 0.])
    """
    made: Tensor = _engine().from_numpy(array)
    return made


at_prompts()

__all__ = [
    "CompiledFormula",
    "Composite",
    "Diagnostic",
    "Formula",
    "FormulaError",
    "Graph",
    "PullbackError",
    "Tensor",
    "__version__",
    "backward",
    "checkpoint",
    "compile",
    "composite",
    "derive_pullback",
    "detect_anomaly",
    "enable_grad",
    "errors",
    "formula",
    "formulas",
    "forward_ad",
    "from_dlpack",
    "from_numpy",
    "gelu",
    "get_num_threads",
    "grad",
    "gradcheck",
    "graph",
    "hessian",
    "hvp",
    "implicit",
    "inference_mode",
    "is_anomaly_check_nan_enabled",
    "is_anomaly_enabled",
    "is_grad_enabled",
    "is_inference_mode_enabled",
    "jacobian",
    "jvp",
    "load_operator",
    "memory",
    "nn",
    "no_grad",
    "primitives",
    "random",
    "register_multi_grad_hook",
    "relu",
    "saved_tensors_hooks",
    "set_detect_anomaly",
    "set_grad_enabled",
    "set_num_threads",
    "sigmoid",
    "softplus",
    "special",
    "stop_gradient",
    "tape",
    "tensor",
    "use_engine",
    "value_and_grad",
    "vhp",
    "vjp",
]
