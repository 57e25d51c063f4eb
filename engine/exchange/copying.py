"""`pickle` and `copy` of leaves: values, dtype, name, `requires_grad` and `grad`; hooks stay behind.

A tensor with a history is refused: the graph behind it can't be copied, and a
copy without it would silently have no gradient.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..calls.call import operators
from ..core.dispatch import Engine, current, engine_of
from ..core.errors import NotDifferentiableError


def reduce(self: Any) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """For `pickle`: loaded as a leaf of the engine that is current then.

    >>> import pickle, pullback as pb
    >>> pickle.loads(pickle.dumps(pb.tensor([1.0, 2.0], requires_grad=True)))
    tensor([1., 2.], requires_grad=True)
    """
    _check(self, "pickled")
    return loaded, (np.array(self._array), self.requires_grad, self.name, self.grad)


def loaded(array: Any, requires_grad: bool, name: str | None, grad: Any) -> Any:
    """The leaf that `reduce` took apart."""
    return _made(current(), array, requires_grad, name, grad)


def shallow(self: Any) -> Any:
    """For `copy.copy`: a leaf over the same memory, with the same `grad`; each sees what the other writes."""
    _check(self, "copied")
    made = self.detach().requires_grad_(self.requires_grad)
    made.grad = self.grad
    return made


def deep(self: Any, memo: dict[int, Any]) -> Any:
    """For `copy.deepcopy`: a leaf of the same engine with memory of its own."""
    _check(self, "copied")
    engine = engine_of(self)
    assert engine is not None
    grad = None if self.grad is None else deep(self.grad.detach(), memo)
    made = memo[id(self)] = _made(engine, self._array, self.requires_grad, self.name, grad)
    return made


def _check(tensor: Any, done: str) -> None:
    if not tensor.is_leaf:
        raise NotDifferentiableError(
            f"only leaves can be {done}, and this tensor has a history (grad_fn=<{tensor.grad_fn.name}>), "
            "which would be lost: take x.detach(), or x.copy() for a copy that is part of the graph"
        )


def _made(engine: Engine, array: Any, requires_grad: bool, name: str | None, grad: Any) -> Any:
    made = engine.tensor(array, requires_grad, name)
    made.grad = grad
    return made


def duplicate(tensor: Any) -> Any:
    """The same values in new memory, with the same history: what `np.copy` and the method `copy` do."""
    if tensor.dtype != np.bool_:
        return operators.positive(tensor)
    engine = engine_of(tensor)
    assert engine is not None
    return engine.from_numpy(tensor._array.copy())
