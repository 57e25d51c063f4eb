"""Hooks on what nodes save for their backward: packed when they are saved, unpacked when they are read."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextvars import ContextVar
from types import TracebackType
from typing import Any, NamedTuple

import numpy as np

from .dispatch import available, engine_of, load
from .errors import MutationError, SavedVariableError
from .grad_mode import set_grad_enabled


class Packing(NamedTuple):
    """A pack hook and the unpack hook that belongs to it."""

    pack: Callable[[Any], Any]
    unpack: Callable[[Any], Any]


# The innermost block's hooks, in this thread and task; None switches those of outer blocks off.
HOOKS: ContextVar[Packing | None] = ContextVar("pullback_saved_tensors_hooks", default=None)


class saved_tensors_hooks:
    """Inside a ``with`` block, save ``pack(x)`` in place of each array, and read it back by ``unpack``.

    It concerns inputs, results, hidden outputs and masks, not sizes and numbers, nor
    what tangents of forward mode save. Neither function records anything. Of nested blocks the innermost
    counts. What is unpacked takes the place in the graph of what was packed, so
    higher derivatives are right.

    Parameters
    ----------
    pack : callable
        Takes a tensor without history; called when an operator is recorded.
    unpack : callable
        Takes what `pack` returned, and gives a tensor or array of the same shape, dtype and values;
        called when a derivative reads it, in whatever thread and as often as that happens.

    Raises
    ------
    MutationError
        `pack` writes to what it is given.

    Examples
    --------
    >>> import numpy as np, pullback as pb
    >>> kept = []
    >>> with pb.saved_tensors_hooks(lambda x: kept.append(x.shape) or x, lambda x: x):
    ...     y = np.exp(pb.tensor([1.0, 2.0], requires_grad=True))
    >>> kept
    [(2,)]
    """

    def __init__(self, pack: Callable[[Any], Any], unpack: Callable[[Any], Any]) -> None:
        self._packing = Packing(pack, unpack)
        self._before: list[Packing | None] = []

    def __enter__(self) -> saved_tensors_hooks:
        self._before.append(HOOKS.get())
        HOOKS.set(self._packing)
        _count(+1)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _count(-1)
        HOOKS.set(self._before.pop())


class Packed:
    """A saved array in the form that a pack hook gave it."""

    __slots__ = ("_dtype", "_engine", "_shape", "_unpack", "_value", "_watched")

    def __init__(self, packing: Packing, tensor: Any) -> None:
        self._engine = engine_of(tensor)
        self._shape, self._dtype = tensor.shape, tensor.dtype
        self._unpack = packing.unpack
        before = tensor._version
        with without_hooks():
            self._value = packing.pack(tensor)
        if tensor._version != before:
            raise MutationError(
                f"a pack hook wrote to the saved tensor of shape {self._shape} that it was given; "
                "it may change a copy"
            )
        # What shares memory with the tensor is changed by writes into that. The version tells of them.
        self._watched = (tensor, before) if _shares_memory(self._value, tensor) else None

    @property
    def size(self) -> tuple[tuple[int, ...], np.dtype[Any]]:
        """Shape and dtype of the array."""
        return self._shape, self._dtype

    def tensor(self) -> Any:
        """The values as a tensor without history."""
        self._refuse_changed()
        with without_hooks():
            found = self._unpack(self._value)
        engine = self._engine
        assert engine is not None
        if isinstance(found, (np.ndarray, np.generic)):
            found = engine.from_numpy(np.asarray(found))
        if engine_of(found) is not engine:
            raise TypeError(
                f"an unpack hook returns a tensor of the {engine.name} engine or an array, not "
                f"{type(found).__name__}"
            )
        if (found.shape, found.dtype) != (self._shape, self._dtype):
            raise SavedVariableError(
                f"an unpack hook returned shape {found.shape} and dtype {found.dtype} for a tensor that was "
                f"saved with shape {self._shape} and dtype {self._dtype}"
            )
        return found.detach()

    def _refuse_changed(self) -> None:
        if self._watched is None:
            return
        tensor, before = self._watched
        if tensor._version != before:
            raise SavedVariableError(
                f"a pack hook kept a saved tensor of shape {self._shape} and dtype {self._dtype} as it was "
                "handed over, and it was changed in place afterwards\n"
                f"  saved at version {before}\n"
                f"  now at version {tensor._version}, changed at {tensor._written}\n"
                "  help: have the hook return a copy, write x = x + y for x += y, or change a copy"
            )


def _shares_memory(value: Any, tensor: Any) -> bool:
    """True where a pack hook's result shares memory with the tensor that it got."""
    if isinstance(value, np.ndarray):
        return bool(np.may_share_memory(value, tensor._array))
    if isinstance(value, (list, tuple)):
        return any(_shares_memory(item, tensor) for item in value)
    if isinstance(value, dict):
        return _shares_memory(list(value.values()), tensor)
    return engine_of(value) is not None and value._storage is tensor._storage


class without_packing:
    """A context in which values are saved as they are, without hooks."""

    def __enter__(self) -> None:
        self._hooks = HOOKS.get()
        HOOKS.set(None)

    def __exit__(self, *error: Any) -> None:
        HOOKS.set(self._hooks)


class without_hooks(without_packing):
    """Neither record nor pack: the code of a hook runs in this."""

    def __enter__(self) -> None:
        self._mode = set_grad_enabled(False)
        self._mode.__enter__()
        super().__enter__()

    def __exit__(self, *error: Any) -> None:
        super().__exit__(*error)
        self._mode.__exit__(*error)


def pack(tensor: Any) -> Packed | None:
    """A tensor without history, as the hooks of this thread and task keep it; None where there are none."""
    packing = HOOKS.get()
    return None if packing is None else Packed(packing, tensor)


_LOCK = threading.Lock()
_blocks = 0


def _count(change: int) -> None:
    """Engines ask for hooks only while some thread is inside of a block."""
    global _blocks
    with _LOCK:
        _blocks += change
        for name in available():
            load(name).set_packing(pack if _blocks else None)
