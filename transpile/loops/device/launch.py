"""The host's work before it runs a program: counts, maps and numbers, of shapes that are known."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import prod

from ...ir.types import Shape, evaluate
from .ir import Constant, Kernel, Program

Shapes = Mapping[str, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class Map:
    """A number's digits in mixed radix, `sizes`, each times a stride.

    >>> Map((2, 3), (0, 1)).at(4)
    1
    """

    sizes: tuple[int, ...]
    strides: tuple[int, ...]

    def at(self, position: int) -> int:
        """The number that this one becomes."""
        index = 0
        for size, stride in zip(reversed(self.sizes), reversed(self.strides), strict=True):
            index += position % size * stride
            position //= size
        return index


@dataclass(frozen=True, slots=True)
class Launch:
    """The number of a kernel's runs, the length of each fibre, and its maps: of loads, then of the fibre."""

    groups: int
    length: int
    maps: tuple[Map, ...]

    @property
    def lanes(self) -> int:
        """The number of threads that share a fibre: a power of two, a warp, or 256 for long ones."""
        if self.length > 1024:
            return 256
        return min(32, 1 << max(0, self.length - 1).bit_length())

    @property
    def is_small(self) -> bool:
        """True where numbers of 32 bits count its entries, with room for a stride."""
        return self.groups * max(1, self.length) < 2**30


def numbers(shape: Shape, shapes: Shapes) -> tuple[int, ...]:
    """The shape in numbers."""
    found = evaluate(shape, shapes)
    assert found is not None, shape
    return found


def launch(kernel: Kernel, shapes: Shapes) -> Launch:
    """The shapes' numbers that a kernel needs."""
    group = numbers(kernel.group, shapes)
    maps = [_broadcast(numbers(space, shapes), numbers(to, shapes)) for space, to in kernel.maps]
    if kernel.whole is None:
        return Launch(prod(group), 1, tuple(maps))
    whole = numbers(kernel.whole, shapes)
    if kernel.fibre == "chunk":
        return Launch(prod(group), prod(whole), tuple(maps))
    aligned = (1,) * (len(whole) - len(group)) + group
    if kernel.fibre == "map":
        strides = _strides(whole)
        maps.append(Map(aligned, tuple(s if n > 1 else 0 for n, s in zip(aligned, strides, strict=True))))
        free = tuple(n if g == 1 else 1 for n, g in zip(whole, aligned, strict=True))
        maps.append(Map(free, strides))
    length = prod(n for n, g in zip(whole, aligned, strict=True) if g == 1)
    return Launch(prod(group), length, tuple(maps))


def _strides(shape: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(prod(shape[axis + 1 :]) for axis in range(len(shape)))


def _broadcast(space: tuple[int, ...], to: tuple[int, ...]) -> Map:
    """From a number in `space` to one in what broadcasts to it."""
    aligned = (1,) * (len(space) - len(to)) + to
    return Map(space, tuple(0 if n == 1 else s for n, s in zip(aligned, _strides(aligned), strict=True)))


_HOST: dict[str, Callable[..., float]] = {
    "add": lambda x, y: x + y,
    "subtract": lambda x, y: x - y,
    "multiply": lambda x, y: x * y,
    "divide": lambda x, y: x / y if y else float("nan"),
    "floor_divide": lambda x, y: x // y if y else 0,
    "maximum": max,
    "power": lambda x, y: x**y,
    "negative": lambda x: -x,
    "select": lambda condition, then, other: then if condition else other,
}


def host_numbers(program: Program, shapes: Shapes, given: Mapping[str, float]) -> dict[str, float]:
    """All numbers of a program: those that it is given, and those that the host computes of shapes."""
    found = dict(given)
    for size in program.sizes:
        if size.op in ("size", "item"):
            shape = size.args[0]
            assert not isinstance(shape, (str, Constant))
            known = numbers(shape, shapes)
            at = size.args[-1]
            found[size.out] = known[int(at.value)] if isinstance(at, Constant) else prod(known)
        else:
            args = [
                a.value if isinstance(a, Constant) else found[a]
                for a in size.args
                if isinstance(a, (str, Constant))
            ]
            found[size.out] = _HOST[size.op](*args)
    return found
