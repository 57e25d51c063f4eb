"""DLPack, both ways: tensors over other libraries' memory, and theirs over ours, without copies.

What the other side writes is not counted by the version, as with
`pb.from_numpy`. So what requires grad is not exported, and memory that a
backward still needs is exported read-only, which needs DLPack 1.0 on the other
side.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.dispatch import current, engine_of_type
from ..core.errors import NotDifferentiableError
from ..transforms.forward_ad import lost_outside

CPU = (1, 0)


def from_dlpack(x: Any, /, *, device: Any = None, copy: bool | None = None) -> Any:
    """A tensor over the memory of another library's array, which has ``__dlpack__``.

    Parameters
    ----------
    x : object
        Anything with ``__dlpack__``; of a tensor of ours it is `detach()`.
    device : None or "cpu", optional
        Where the memory is.
    copy : bool, optional
        True always copies, False never does.

    Returns
    -------
    Tensor
        Read-only where the other side says so.

    Raises
    ------
    BufferError
        What DLPack or NumPy has no form for, as bfloat16 or another device's memory; a copy that
        `copy=False` forbids.
    NotDifferentiableError
        A tensor that requires grad.

    Examples
    --------
    >>> import numpy as np, pullback as pb
    >>> array = np.zeros(2)
    >>> x = pb.from_dlpack(array)
    >>> array[0] = 5.0
    >>> x
    tensor([5., 0.])
    """
    if device not in (None, "cpu"):
        raise ValueError(f"there is no device {device!r} here; tensors are on the cpu")
    engine = current()
    if engine_of_type(type(x)) is engine:
        _refuse_grad(x)
        return engine.tensor(x) if copy else x.detach()
    if not hasattr(x, "__dlpack__"):
        raise TypeError(f"from_dlpack takes what has __dlpack__, and {type(x).__name__} has not")
    try:
        array = np.from_dlpack(x, device=device, copy=copy)
    except RuntimeError as error:  # NumPy's error for a dtype or device that it has no form for
        raise BufferError(f"this {type(x).__name__} can't become an array: {error}") from error
    return engine.from_numpy(array)


def export(
    self: Any,
    *,
    stream: Any = None,
    max_version: tuple[int, int] | None = None,
    dl_device: tuple[int, int] | None = None,
    copy: bool | None = None,
) -> Any:
    """The memory as a DLPack capsule, for ``other_library.from_dlpack(tensor)``.

    stream       None: there is none on the cpu
    max_version  the newest version that the other side takes; None is one before 1.0, which
                 can't say that memory is read-only
    dl_device    None or (1, 0), the cpu
    copy         True for new memory

    NotDifferentiableError for a tensor that requires grad; BufferError where the
    memory must not be written and the other side could not know.
    """
    _refuse_grad(self)
    if stream is not None or dl_device not in (None, CPU):
        raise BufferError(f"tensors are on the cpu, {CPU}, without streams: not on {dl_device or stream}")
    array = self._exported()
    if not array.flags.writeable and max_version is None and not copy:
        raise BufferError(
            "this tensor's memory is read-only while a backward needs its values, or always, and DLPack "
            "before 1.0 can't say so to the other side; export x.copy()"
        )
    return array.__dlpack__(max_version=max_version, dl_device=dl_device, copy=copy)


def device(self: Any) -> tuple[int, int]:
    """The device's type and number for DLPack: the cpu."""
    return CPU


def _refuse_grad(tensor: Any) -> None:
    if lost := lost_outside(tensor):
        raise NotDifferentiableError(
            f"this tensor {lost} would be lost in what another library computes of its memory; x.detach() "
            "says that this is meant"
        )
