"""The mode that records: PyTorch's autograd is left out, and ATen's calls come here."""

from __future__ import annotations

from contextlib import ExitStack
from types import TracebackType
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from pullback.engine.core.errors import NotDifferentiableError
from pullback.formulas.aten import MissingDerivativeError

from ..derivatives.table import Derivative
from ..derivatives.values import is_differentiable
from .below import AUTOGRAD, below, decomposing, is_below
from .call import call
from .formulas import Formulas, table
from .schemas import Facts, decompose, facts_of
from .views import mark_views
from .writes import refuse_written_leaves, write

# Results that do not depend on the values of the input.
_CONSTANT = frozenset({
    "detach", "empty_like", "full_like", "new_empty", "new_empty_strided", "new_full", "new_ones",
    "new_zeros", "ones_like", "rand_like", "randint_like", "randn_like", "zeros_like",
})  # fmt: skip


class _Recording(TorchDispatchMode):
    """Gets each call of ATen inside of a block."""

    def __init__(self, formulas: Formulas) -> None:
        super().__init__()
        self.formulas = formulas

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        kwargs = kwargs or {}
        if is_below():
            return func(*args, **kwargs)
        facts = facts_of(func)
        enabled = torch.is_grad_enabled()
        live = enabled and any(
            isinstance(each, torch.Tensor) and each.requires_grad for each in tree_leaves((args, kwargs))
        )
        derivative = self._derivative(facts) if live else None
        if derivative is None and facts.composite and enabled:
            with decomposing(self):
                return decompose(func, args, kwargs)
        if not live or facts.name in _CONSTANT:
            return _unrecorded(func, facts, args, kwargs, enabled)
        if facts.out:
            raise NotDifferentiableError(
                f"{facts.name}: a function with out= has no derivative, and an argument requires grad"
            )
        if derivative is None:
            return _refused(func, facts, args, kwargs)
        if facts.in_place:
            return write(self, func, facts, derivative, args, kwargs)
        refuse_written_leaves(facts, args)
        results = call(self, derivative, args, kwargs, facts.copies and derivative.operator == facts.stated)
        if facts.view:
            mark_views(func, args, kwargs, results, True)
        return results

    def _derivative(self, facts: Facts) -> Derivative | None:
        """The formula of an operator: of a composite one only where somebody has set it."""
        names = (facts.name, facts.stated) if facts.in_place or facts.copies else (facts.name,)
        find = self.formulas.own if facts.composite else self.formulas.get_derivative
        return next((found for name in names if (found := find(name)) is not None), None)


def _unrecorded(func: Any, facts: Facts, args: tuple[Any, ...], kwargs: dict[str, Any], enabled: bool) -> Any:
    """Call an operator of which there is nothing to record."""
    with below():
        results = func(*args, **kwargs)
    if facts.view:
        mark_views(func, args, kwargs, results, enabled)
    return results


def _refused(func: Any, facts: Facts, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call an operator without a formula; MissingDerivativeError where a result could have a gradient."""
    results = _unrecorded(func, facts, args, kwargs, True)
    if facts.written or is_differentiable(tree_leaves(results)):
        raise MissingDerivativeError(
            f"no formula has the derivative of {facts.name}, and an argument requires grad: "
            f'set formulas["{facts.name}"], or call it under torch.no_grad()'
        )
    return results


class record:
    """Record ATen's calls inside of a block, to differentiate them by formulas.

    PyTorch's own autograd is left out: formulas in Python give every gradient. Tensors are PyTorch's;
    what requires grad, `torch.no_grad` and `torch.is_grad_enabled` mean what they mean there.

    Parameters
    ----------
    formulas : Formulas or path, optional
        The formulas, or a folder of them. Default: the table of the installed PyTorch.

    Examples
    --------
    >>> import torch, pullback.torch.autograd as autograd
    >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> with autograd.record():
    ...     loss = (x * x).sum()
    >>> autograd.backward(loss)
    >>> x.grad
    tensor([2., 4.])
    """

    def __init__(self, formulas: Formulas | Any = None) -> None:
        if formulas is None:
            formulas = table()
        elif not isinstance(formulas, Formulas):
            formulas = Formulas(formulas)
        self.formulas: Formulas = formulas
        self._mode = _Recording(formulas)
        self._blocks: list[ExitStack] = []

    def __enter__(self) -> record:
        block = ExitStack()
        block.enter_context(torch._C._ExcludeDispatchKeyGuard(AUTOGRAD))
        block.enter_context(self._mode)
        self._blocks.append(block)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._blocks.pop().__exit__(kind, error, trace)
