"""The host's part of a launch: its space, its operands and its memory, of views that NumPy has."""

import ctypes
from dataclasses import dataclass
from functools import cache
from math import prod

import numpy as np

from pullback.transpile.loops.expressions import Name
from pullback.transpile.loops.schedules.cuda import numbers, operands
from pullback.transpile.loops.statements import Reduce

AXES = 8
NUMBERS = {"double": ctypes.c_double, "int64_t": ctypes.c_int64, "bool": ctypes.c_bool}


@cache
def space_type(count):
    """`pb::Space` of so many operands."""

    class Space(ctypes.Structure):
        _fields_ = (
            ("groups", ctypes.c_int64),
            ("length", ctypes.c_int64),
            *((name, ctypes.c_int) for name in ("outer", "rank", "lanes", "parts")),
            ("size", ctypes.c_int64 * AXES),
            ("stride", (ctypes.c_int64 * AXES) * count),
        )

    return Space


class Work(ctypes.Structure):
    """`pb::Work`."""

    _fields_ = (("totals", ctypes.c_void_p), ("arrived", ctypes.c_void_p))


@dataclass
class Started:
    """What a launch is started with: views of operands, `pb::Space`, its numbers, slots of totals."""

    views: list
    space: ctypes.Structure
    numbers: list
    slots: int
    is_small: bool

    @property
    def shares(self):
        """The number of fibres, or parts of them, times the threads of each."""
        return self.space.groups * self.space.parts * self.space.lanes


def started(launch, program, value, threads):
    """The launch for the values that its expressions have, in blocks of so many threads."""
    whole = value(launch.shape)
    views = [value(operand.view) for operand in operands(launch)]
    wide = [np.broadcast_to(view, whole) for view in views]
    inner = _axes_of_fibres(launch, whole, value)
    order = [axis for axis in range(len(whole)) if axis not in inner] + sorted(inner)
    outer = len(whole) - len(inner)
    strides = [tuple(view.strides[axis] // view.itemsize for view in wide) for axis in order]
    sizes = [whole[axis] for axis in order]
    first, then = _joined(sizes[:outer], strides[:outer]), _joined(sizes[outer:], strides[outer:])
    space = space_type(len(views))()
    space.groups, space.length = prod(sizes[:outer]), prod(sizes[outer:])
    space.outer, space.rank = len(first), len(first) + len(then)
    assert space.rank <= AXES
    for axis, (size, steps) in enumerate((*first, *then)):
        space.size[axis] = size
        for place, step in enumerate(steps):
            space.stride[place][axis] = step
    space.lanes = space.parts = 1
    if launch.over != "entries":
        long = space.length > 4 * threads
        space.lanes = threads if long else min(32, 1 << max(0, space.length - 1).bit_length())
        if long and launch.over == "fibres":
            space.parts = max(1, min(space.length // (4 * threads), 1024 // max(1, space.groups)))
    reach = sum(max(map(abs, steps), default=0) * size for size, steps in (*first, *then))
    given = [NUMBERS[kind](value(Name(name))) for name, kind in numbers(launch, program)]
    slots = space.groups * sum(isinstance(sink, Reduce) for each in launch.body for sink in each.sinks)
    return Started(views, space, given, slots, max(reach, space.groups * max(1, space.length)) < 2**30)


def _axes_of_fibres(launch, whole, value):
    """The axes that a launch reduces: for rows the last one."""
    if launch.over == "entries":
        return set()
    if launch.over == "rows":
        return {len(whole) - 1}
    target = np.shape(value(launch.body[0].sinks[0].view))
    aligned = (1,) * (len(whole) - len(target)) + target
    return {axis for axis, (n, m) in enumerate(zip(whole, aligned, strict=True)) if n != m}


def _joined(sizes, strides):
    """Axes with strides, those of one length left out, and neighbours as one where they are in step."""
    made = []
    for size, steps in zip(sizes, strides, strict=True):
        if size == 1:
            continue
        if made and all(before == step * size for before, step in zip(made[-1][1], steps, strict=True)):
            made[-1] = (made[-1][0] * size, steps)
        else:
            made.append((size, steps))
    return made
