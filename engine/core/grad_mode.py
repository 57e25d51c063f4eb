"""The modes of recording: one context variable for both engines.

It belongs to the thread and to the asynchronous task, as context variables do.
"""

from __future__ import annotations

import inspect
import threading
from collections.abc import Callable, Generator
from contextvars import ContextVar
from enum import Enum
from functools import wraps
from types import TracebackType
from typing import Any, Self, TypeVar, cast, overload


class Inference(Enum):
    """Inference mode, in which nothing is recorded; what `is_grad_enabled` says in it is remembered."""

    GRAD_DISABLED = False
    GRAD_ENABLED = True


# Operators are recorded where this is True itself; an engine looks at nothing else.
ENABLED: ContextVar[bool | Inference] = ContextVar("pullback_grad_mode", default=True)

F = TypeVar("F", bound=Callable[..., Any])


def is_recording() -> bool:
    """True where operators are recorded here and now."""
    return ENABLED.get() is True


def is_grad_enabled() -> bool:
    """True where grad mode is on: operators are recorded then, outside inference mode.

    Returns
    -------
    bool
        False in `no_grad` too.

    Examples
    --------
    >>> import pullback as pb
    >>> with pb.no_grad():
    ...     pb.is_grad_enabled()
    False
    """
    mode = ENABLED.get()
    return mode.value if isinstance(mode, Inference) else mode


def is_inference_mode_enabled() -> bool:
    """True inside of `inference_mode`.

    Examples
    --------
    >>> import pullback as pb
    >>> with pb.inference_mode():
    ...     print(pb.is_inference_mode_enabled(), pb.is_grad_enabled())
    True False
    """
    return isinstance(ENABLED.get(), Inference)


class _Mode:
    """A context manager and decorator that sets the mode, and sets it back."""

    def __init__(self) -> None:
        self._before: list[bool | Inference] = []

    def _mode(self) -> bool | Inference:
        """The mode to set, given the present one."""
        raise AssertionError("a mode says what it is")

    def _again(self) -> _Mode:
        """Another one of the same kind, for each call of a decorated function."""
        return type(self)()

    def __call__(self, function: F) -> F:
        """Decorate a function, a coroutine function or a generator function.

        Each step of a generator runs in the mode; between the steps its caller's
        own mode is back. An asynchronous generator is refused.
        """
        if inspect.isasyncgenfunction(function):
            raise TypeError(
                f"{function.__name__} is an asynchronous generator; put a with statement inside it instead"
            )
        if inspect.isgeneratorfunction(function):
            return cast(F, _stepwise(function, self._again))

        if inspect.iscoroutinefunction(function):

            @wraps(function)
            async def coroutine(*args: Any, **kwargs: Any) -> Any:
                with self._again():
                    return await function(*args, **kwargs)

            return cast(F, coroutine)

        @wraps(function)
        def decorated(*args: Any, **kwargs: Any) -> Any:
            with self._again():
                return function(*args, **kwargs)

        return cast(F, decorated)

    def __enter__(self) -> Self:
        self._before.append(ENABLED.get())
        ENABLED.set(self._mode())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        ENABLED.set(self._before.pop())


def _stepwise(function: Callable[..., Any], mode: Callable[[], _Mode]) -> Callable[..., Any]:
    """A generator function whose body runs in a mode, and whose caller's code doesn't."""

    @wraps(function)
    def generator(*args: Any, **kwargs: Any) -> Generator[Any, Any, Any]:
        body = function(*args, **kwargs)
        step: Callable[[], Any] = lambda: next(body)  # noqa: E731
        while True:
            try:
                with mode():
                    value = step()
            except StopIteration as end:
                return end.value
            try:
                sent = yield value
            except GeneratorExit:
                with mode():
                    body.close()
                raise
            except BaseException as error:
                step = _bound(body.throw, error)
            else:
                step = _bound(body.send, sent)

    return generator


def _bound(function: Callable[[Any], Any], value: Any) -> Callable[[], Any]:
    return lambda: function(value)


class set_grad_enabled(_Mode):
    """Switch recording on or off.

    A plain call switches from here on; in a ``with`` statement what was before
    comes back at its end, and as a decorator it holds inside of the function only.
    Inside of `inference_mode` nothing is recorded either way.

    Parameters
    ----------
    mode : bool
        Whether to record.

    Examples
    --------
    >>> import pullback as pb
    >>> with pb.set_grad_enabled(False):
    ...     pb.is_grad_enabled()
    False
    """

    def __init__(self, mode: bool) -> None:
        super().__init__()
        self._enabled = bool(mode)
        self._outside: bool | Inference = ENABLED.get()
        ENABLED.set(self._mode())

    def _mode(self) -> bool | Inference:
        return Inference(self._enabled) if is_inference_mode_enabled() else self._enabled

    def _again(self) -> _Mode:
        return set_grad_enabled(self._enabled)

    def __call__(self, function: F) -> F:
        ENABLED.set(self._outside)
        return super().__call__(function)

    def __enter__(self) -> Self:
        self._before.append(self._outside)
        ENABLED.set(self._mode())
        return self


class recording(_Mode):
    """Record, in inference mode too: for what takes derivatives of its own, or makes a history anew."""

    def _mode(self) -> bool | Inference:
        return True


class _Plain(_Mode):
    """A mode without arguments, which also decorates without parentheses."""

    @overload
    def __new__(cls, function: F) -> F: ...  # type: ignore[misc]
    @overload
    def __new__(cls, function: None = None) -> Self: ...
    def __new__(cls, function: Any = None) -> Any:
        made = super().__new__(cls)
        if function is None:
            return made
        made.__init__()  # type: ignore[misc]
        return made(function)

    def __init__(self, function: None = None) -> None:
        super().__init__()


class no_grad(_Plain):
    """Record nothing: results don't require grad. Also ``@pb.no_grad``, with or without parentheses.

    Examples
    --------
    >>> import pullback as pb
    >>> x = pb.tensor([1.0, 2.0], requires_grad=True)
    >>> with pb.no_grad():
    ...     y = x * x
    >>> y.requires_grad
    False
    """

    def _mode(self) -> bool | Inference:
        return Inference.GRAD_DISABLED if is_inference_mode_enabled() else False


class enable_grad(_Plain):
    """Record again inside a `no_grad` block or function.

    Examples
    --------
    >>> import pullback as pb
    >>> x = pb.tensor([1.0, 2.0], requires_grad=True)
    >>> with pb.no_grad(), pb.enable_grad():
    ...     y = x * x
    >>> y.requires_grad
    True
    """

    def _mode(self) -> bool | Inference:
        return Inference.GRAD_ENABLED if is_inference_mode_enabled() else True


class inference_mode(_Mode):
    """Record nothing, and make tensors that can't be part of a graph later on.

    A tensor with memory of its own that is made in here is an *inference tensor*
    (`x.is_inference()`): its writes are not counted, and it can't be saved for a
    backward, nor require grad outside, which raises InferenceTensorError; `x.copy()`
    outside is an ordinary tensor. A view of an ordinary tensor stays ordinary.

    Parameters
    ----------
    mode : bool, optional
        False is the ordinary mode again, inside of an inference mode.

    Raises
    ------
    InferenceTensorError
        Outside, where an inference tensor is saved for a backward or is to require grad.

    Examples
    --------
    >>> import pullback as pb
    >>> with pb.inference_mode():
    ...     y = pb.tensor([1.0, 2.0]) * 2
    >>> y.is_inference()
    True
    """

    @overload
    def __new__(cls, mode: F) -> F: ...  # type: ignore[misc]
    @overload
    def __new__(cls, mode: bool = True) -> Self: ...
    def __new__(cls, mode: Any = True) -> Any:
        made = super().__new__(cls)
        if isinstance(mode, bool):
            return made
        made.__init__()  # type: ignore[misc]
        return made(mode)

    def __init__(self, mode: bool = True) -> None:
        super().__init__()
        self._inference = mode

    def __enter__(self) -> Self:
        _count(+1)
        return super().__enter__()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        super().__exit__(kind, error, trace)
        _count(-1)

    def _again(self) -> _Mode:
        return inference_mode(self._inference)

    def _mode(self) -> bool | Inference:
        return Inference.GRAD_DISABLED if self._inference else True


_LOCK = threading.Lock()
_LISTENERS: list[Callable[[bool], None]] = []
_blocks = 0


def on_inference(listener: Callable[[bool], None]) -> None:
    """Have listener(True) called when some thread enters `inference_mode`, with False when none is in it."""
    _LISTENERS.append(listener)
    listener(_blocks > 0)


def _count(change: int) -> None:
    """An engine asks for the mode of new memory only while some thread is inside of a block."""
    global _blocks
    with _LOCK:
        _blocks += change
        for listener in _LISTENERS:
            listener(_blocks > 0)
