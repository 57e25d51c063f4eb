"""`pb.checkpoint`: save the inputs of a function, not its intermediates, and compute them again later.

The function is recorded as always, but in the place of each array that its nodes
save stands a `_Slot`. The first derivative that reads a slot runs the function
again, as far as the last value that somebody still waits for, and keeps those
values for the time of that backward. So the graph is that of the plain call:
tensors that the function closes over get gradients, and higher derivatives, hooks
and nesting need nothing else.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np

from ..core.dispatch import Engine, current, engine_of, observing, tensors_in
from ..core.errors import CheckpointError, SavedVariableError
from ..core.grad_mode import is_recording, recording
from ..core.random_state import RandomState
from ..core.saved_hooks import HOOKS, Packed, pack, saved_tensors_hooks
from ..core.sketch import Sketch
from ..core.typed import Q, S


def checkpoint(function: Callable[Q, S], *inputs: Q.args, **kwargs: Q.kwargs) -> S:
    """Call ``function(*inputs, **kwargs)``; its intermediates are let go, and computed again in the backward.

    The second run stops where the last value that is needed has been computed. It
    has NumPy's global random state, and that of each `np.random.Generator` among
    the arguments, as they were in the first run.

    Parameters
    ----------
    function : callable
        Computes anything with tensors, those that it closes over included.
    *inputs : object
        Tensors, also in lists, tuples and dicts, and anything else, which is passed on.
    **kwargs : object
        Likewise.

    Returns
    -------
    object
        What `function` returns.

    Raises
    ------
    CheckpointError
        The second run is seen to have saved other shapes, dtypes or values.
    SavedVariableError
        What the second run reads was changed in place in between.

    Examples
    --------
    >>> import numpy as np, pullback as pb
    >>> x = pb.tensor([0.0, 1.0], requires_grad=True)
    >>> y = pb.checkpoint(lambda x: np.exp(np.sin(x)) * x, x)
    >>> pb.grad(y.sum(), x)[0].shape
    (2,)
    """
    if not is_recording():
        return function(*inputs, **kwargs)
    tensors = list(tensors_in((*inputs, *_values(kwargs))))
    engine = engine_of(*tensors) or current()
    run = _Run(engine, function, inputs, kwargs)
    with saved_tensors_hooks(run.pack, run.unpack):
        results = function(*inputs, **kwargs)
    run.ended = engine.write_clock()
    return results


class _Seen(NamedTuple):
    """The part of a saved value on which both runs must agree."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    values: Sketch


class _Slot:
    """Stands for a saved value of the first run: the `number`-th that was saved."""

    __slots__ = ("__weakref__", "number")

    def __init__(self, number: int) -> None:
        self.number = number


class _Stop(BaseException):
    """Ends the second run: nobody waits for what would come. No error that a function may catch."""


class _Again:
    """The values of one second run, for the time of one backward."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.values: dict[int, Any] = {}


class _Run:
    """A call that can be repeated: the function, its arguments as they were, the random state."""

    def __init__(
        self, engine: Engine, function: Callable[..., Any], inputs: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> None:
        self._engine = engine
        self._function = function
        # Where this is nested, the tensors go the way of all that the outer function saves.
        self._arguments = _replaced((tuple(inputs), dict(kwargs)), _stored)
        self._random = RandomState((inputs, kwargs))
        # Where hooks of an outer block keep the arguments, they may be rounded when they come back.
        outer = HOOKS.get()
        self._exact = outer is None or isinstance(getattr(outer.pack, "__self__", None), _Run)
        # The clock of writes at the end of the first run.
        self.ended = engine.write_clock()
        self._seen: list[_Seen] = []
        self._slots: list[weakref.ref[_Slot]] = []

    def pack(self, tensor: Any) -> _Slot:
        """In the first run: a slot in the place of the value."""
        slot = _Slot(len(self._slots))
        self._seen.append(_Seen(tensor.shape, tensor.dtype, Sketch(tensor._array)))
        self._slots.append(weakref.ref(slot))
        return slot

    def unpack(self, slot: _Slot) -> Any:
        """The value, from the second run of this backward; each is handed out once."""
        running = self._engine.current_pass()
        scratch = {} if running is None else running.scratch
        again: _Again = scratch.setdefault(self, _Again())
        with again.lock:
            if slot.number not in again.values:
                again.values = self._values_again()
            if slot.number not in again.values:
                raise CheckpointError(
                    f"{self._name} was recorded by pb.checkpoint and saved {len(self._seen)} values, and "
                    f"when it ran again it didn't come to number {slot.number}: it must compute the same "
                    "each time"
                )
            return again.values.pop(slot.number)

    def _values_again(self) -> dict[int, Any]:
        """Run the function again, as far as the last slot that is alive."""
        waiting = [number for number, slot in enumerate(self._slots) if slot() is not None]
        last = waiting[-1]
        wanted = set(waiting)
        values: dict[int, Any] = {}
        count = 0
        differs: CheckpointError | None = None
        thread, begun = threading.get_ident(), self._engine.write_clock()

        def keep(tensor: Any) -> Any:
            nonlocal count, differs
            number = count
            count += 1
            if number > last:
                raise _Stop
            differs = differs or self._difference(number, tensor)
            if number in wanted:
                values[number] = tensor
            return tensor  # for a backward inside of the function

        def look(_: Any, inputs: Sequence[Any], *__: Any) -> None:
            if threading.get_ident() == thread:
                self._refuse_changed(inputs, begun, arguments)  # which says more than that values differ
                if differs is not None:
                    raise differs
                if count > last:
                    raise _Stop

        arguments: set[int] = set()  # their memory: that each is unchanged was found out by itself

        def given_back(value: Any) -> Any:
            value = _given_back(value)
            if engine_of(value) is not None:
                arguments.add(id(value._storage))
            return value

        inputs, kwargs = _replaced(self._arguments, given_back)
        hooks = saved_tensors_hooks(keep, lambda tensor: tensor)
        with suppress(_Stop), hooks, observing(look), recording(), self._random.restored():
            self._function(*inputs, **kwargs)
        if differs is not None:
            raise differs
        return values

    def _refuse_changed(self, read: Sequence[Any], begun: int, arguments: set[int]) -> None:
        """Raise where an operator of the second run reads what was written between the first one and it."""
        for tensor in tensors_in(read):
            if self.ended < tensor._written_at < begun and id(tensor._storage) not in arguments:
                raise SavedVariableError(
                    f"{self._name} was recorded by pb.checkpoint, and a tensor of shape {tensor.shape} that "
                    "it reads was changed in place before it ran again for the backward\n"
                    "  help: hand a copy over as an argument, or change it after the backward"
                )

    def _difference(self, number: int, tensor: Any) -> CheckpointError | None:
        """The error of a saved value that is not what it was in the first run."""
        before = self._seen[number]
        again = f"{self._name} was recorded by pb.checkpoint, and when it ran again its saved value {number}"
        if (tensor.shape, tensor.dtype) != (before.shape, before.dtype):
            return CheckpointError(
                f"{again} had shape {tensor.shape} and dtype {tensor.dtype} instead of {before.shape} and "
                f"{before.dtype}: it must compute the same each time"
            )
        if self._exact and not self._fits(before.values, tensor._array):
            return CheckpointError(
                f"{again} of shape {tensor.shape} and dtype {tensor.dtype} had other values: it must compute "
                "the same each time\n"
                "  help: have a generator that it draws from among its arguments, and change what it reads, "
                "as a running statistic, outside of it"
            )
        return None

    def _fits(self, before: Sketch, array: np.ndarray[Any, Any]) -> bool:
        if before.fits(array):
            return True
        # What cancels to nearly nothing was computed of values that need not be saved themselves.
        return before.fits(array, max(1.0, *(seen.values.largest for seen in self._seen)))

    @property
    def _name(self) -> str:
        return repr(getattr(self._function, "__name__", "the function"))


class _Argument:
    """A tensor among the arguments: its values, and whether it requires grad."""

    __slots__ = ("_name", "_packed", "_requires", "_tensor", "_version")

    def __init__(self, tensor: Any) -> None:
        detached = tensor.detach()
        self._requires = tensor.requires_grad
        self._version = detached._version
        self._packed: Packed | None = pack(detached) if HOOKS.get() is not None else None
        self._tensor: Any = None if self._packed is not None else detached
        self._name = tensor.name

    def given_back(self) -> Any:
        """A leaf with the values, unless they were changed."""
        tensor = self._tensor.detach() if self._packed is None else self._packed.tensor()
        # What an outer checkpoint computed again was written as often then; other hooks give new memory.
        if tensor._version > self._version:
            raise SavedVariableError(
                f"an argument{f' {self._name!r}' if self._name else ''} of pb.checkpoint of shape "
                f"{tensor.shape} was changed in place before the backward needed it: version "
                f"{tensor._version}, passed at version {self._version}"
            )
        tensor.name = self._name
        return tensor.requires_grad_() if self._requires else tensor


def _stored(value: Any) -> Any:
    return _Argument(value) if engine_of(value) is not None else value


def _given_back(value: Any) -> Any:
    return value.given_back() if isinstance(value, _Argument) else value


def _replaced(value: Any, replace: Callable[[Any], Any]) -> Any:
    """The arguments with each of their parts replaced; lists, tuples and dicts are entered."""
    if type(value) is dict:
        return {key: _replaced(item, replace) for key, item in value.items()}
    if type(value) in (list, tuple):
        return type(value)(_replaced(item, replace) for item in value)
    return replace(value)


def _values(value: Mapping[str, Any]) -> list[Any]:
    """A dict's items as lists, for callers that enter lists only."""
    return [_values(item) if type(item) is dict else item for item in value.values()]
