"""Whether operators are recorded: one context variable for both engines.

It belongs to the thread and to the asynchronous task, as context variables do.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from contextlib import ContextDecorator
from contextvars import ContextVar, Token
from functools import wraps
from types import TracebackType
from typing import Any, TypeVar, cast

ENABLED: ContextVar[bool] = ContextVar("pullback_grad_mode", default=True)

F = TypeVar("F", bound=Callable[..., Any])


def is_grad_enabled() -> bool:
    """Whether operators are recorded here and now."""
    return ENABLED.get()


class set_grad_enabled(ContextDecorator):
    """Switch recording on or off inside a ``with`` statement or a decorated function."""

    def __init__(self, enabled: bool) -> None:
        self._enabled = enabled
        self._tokens: list[Token[bool]] = []

    def __call__(self, function: F) -> F:
        """Decorate a function, a coroutine function included. A generator is refused.

        Its body would run between other people's steps, in their mode.
        """
        if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
            raise TypeError(f"{function.__name__} is a generator; put a with statement inside it instead")
        if not inspect.iscoroutinefunction(function):
            return super().__call__(function)

        @wraps(function)
        async def coroutine(*args: Any, **kwargs: Any) -> Any:
            with set_grad_enabled(self._enabled):
                return await function(*args, **kwargs)

        return cast(F, coroutine)

    def _recreate_cm(self) -> set_grad_enabled:
        return set_grad_enabled(self._enabled)

    def __enter__(self) -> set_grad_enabled:
        self._tokens.append(ENABLED.set(self._enabled))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        ENABLED.reset(self._tokens.pop())


class no_grad(set_grad_enabled):
    """Record nothing: results don't require grad.

    >>> import pullback as pb
    >>> x = pb.tensor([1.0, 2.0], requires_grad=True)
    >>> with pb.no_grad():
    ...     y = x * x
    >>> y.requires_grad
    False
    """

    def __init__(self) -> None:
        super().__init__(False)


class enable_grad(set_grad_enabled):
    """Record again inside a `no_grad` block or function.

    >>> import pullback as pb
    >>> x = pb.tensor([1.0, 2.0], requires_grad=True)
    >>> with pb.no_grad(), pb.enable_grad():
    ...     y = x * x
    >>> y.requires_grad
    True
    """

    def __init__(self) -> None:
        super().__init__(True)
