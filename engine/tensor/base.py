"""`pb.Tensor`: what tensors of both engines are an instance of."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Self

import numpy as np

from ..core.hooks import Hook, HookHandle
from .methods import TensorMethods


class Tensor(TensorMethods, ABC):
    """An array that may have a gradient: the type of both engines' tensors, for `isinstance` and annotations.

    Make one by `pb.tensor` (copies) or `pb.from_numpy` (shares memory). NumPy's
    operators, methods and functions work on it and are recorded.

    Examples
    --------
    >>> import pullback as pb
    >>> isinstance(pb.tensor(1.0), pb.Tensor)
    True
    """

    __slots__ = ()

    @property
    @abstractmethod
    def name(self) -> str | None:
        """The name in printed tapes and errors."""

    @name.setter
    @abstractmethod
    def name(self, value: str | None) -> None: ...

    @property
    @abstractmethod
    def shape(self) -> tuple[int, ...]:
        """The lengths of the axes."""

    @property
    @abstractmethod
    def dtype(self) -> np.dtype[Any]:
        """NumPy's dtype of the values."""

    @property
    @abstractmethod
    def ndim(self) -> int:
        """The number of axes."""

    @property
    @abstractmethod
    def size(self) -> int:
        """The number of values."""

    @property
    @abstractmethod
    def requires_grad(self) -> bool:
        """True where gradients flow to this tensor. Setting it is `requires_grad_`."""

    @requires_grad.setter
    @abstractmethod
    def requires_grad(self, value: bool) -> None: ...

    @property
    @abstractmethod
    def is_leaf(self) -> bool:
        """True for a tensor that no recorded operator made."""

    @property
    @abstractmethod
    def grad_fn(self) -> Any:
        """The node that made it: it has `name` and `next_functions`. None for a leaf."""

    @property
    @abstractmethod
    def output_nr(self) -> int:
        """Its number among the outputs of `grad_fn`; 0 for a leaf."""

    @property
    @abstractmethod
    def grad(self) -> Tensor | None:
        """The gradient that `backward` has accumulated, or None."""

    @grad.setter
    @abstractmethod
    def grad(self, value: Any) -> None: ...

    @abstractmethod
    def requires_grad_(self, requires_grad: bool = True) -> Self:
        """Have operators on this leaf recorded, or not; returns the tensor.

        Raises NotDifferentiableError for a dtype that is no float, and for taking
        it from a tensor with a history.
        """

    @abstractmethod
    def detach(self) -> Self:
        """The same memory without history: gradients stop here."""

    @abstractmethod
    def register_hook(self, hook: Hook) -> HookHandle:
        """Call ``hook(grad)`` with the summed gradient of this tensor, before it is accumulated or goes on.

        A tensor that it returns takes the gradient's place. Hooks run in the
        order of their registration; the handle's `remove()` takes one away.
        """

    @abstractmethod
    def register_post_accumulate_grad_hook(self, hook: Hook) -> HookHandle:
        """Call ``hook(tensor)`` of a leaf each time after a backward has added to its `grad`.

        The place for an optimizer's step inside of the backward: the hook may use
        `grad` and set it to None. Not called by `pb.grad`. Raises
        NotDifferentiableError for a tensor that is no leaf or doesn't require grad.
        """

    @abstractmethod
    def is_inference(self) -> bool:
        """True where its memory was made in `pb.inference_mode`."""

    @abstractmethod
    def retain_grad(self) -> None:
        """Keep the gradient of a tensor that is no leaf in its `grad`, as hooks have left it."""

    @property
    @abstractmethod
    def _version(self) -> int: ...

    @property
    @abstractmethod
    def _written_at(self) -> int: ...

    @property
    @abstractmethod
    def _written(self) -> str: ...

    @abstractmethod
    def _bump_version(self) -> None: ...

    @abstractmethod
    def _exported(self) -> np.ndarray[Any, Any]: ...
