"""Types of the IR: the dtype and symbolic shape of a tensor, or the kind of another value.

A dimension is a number, the name of a size (``x.0`` is the first of `x`, whose rank is known), or
what several broadcast to. A shape is a tuple of dimensions, or, where the rank is not known, what
several shapes broadcast to: names of shapes, and shapes with axes reduced or inserted. Equal
shapes are equal objects; different ones may be equal when the program runs.

>>> x = TensorType(Unranked(frozenset({"x"})), "x.dtype")
>>> print(TensorType(join_shapes([x.shape, (3,)]), "float32"))
float32[(3)*x]
>>> rows = reduced_shape(x.shape, (-1,), True)
>>> join_shapes([rows, x.shape]) == x.shape
True
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Literal as OneOf

from ..records import record
from .dtypes import CONCRETE, Dtype, dtype_text


class TypeMistake(Exception):
    """Operands that no arrays can be: the message is for the author of the expression."""


@record(frozen=True, slots=True)
class Joined:
    """The size that several sizes broadcast to."""

    parts: frozenset[str]


@record(frozen=True, slots=True)
class Reduced:
    """A shape of unknown rank with these axes removed, or of length 1 where they are `kept`.

    All axes where `axes` is None, which are kept then.
    """

    of: Unranked
    axes: tuple[int, ...] | None
    kept: bool


@record(frozen=True, slots=True)
class Expanded:
    """A shape of unknown rank with an axis of length 1 inserted."""

    of: Unranked
    axis: int


@record(frozen=True, slots=True)
class Part:
    """A shape of which no more is known than that it broadcasts to another one."""

    name: str
    of: Unranked


@record(frozen=True, slots=True)
class Stacked:
    """A shape of unknown rank with `count` of it along a new first axis."""

    of: Unranked
    count: Dim


Dim = int | str | Joined
Ranked = tuple[Dim, ...]
Term = str | Ranked | Reduced | Expanded | Part | Stacked


@record(frozen=True, slots=True)
class Unranked:
    """The shape to which these shapes broadcast, where the rank is not known."""

    parts: frozenset[Term]


Shape = Ranked | Unranked


@record(frozen=True, slots=True)
class TensorType:
    """A tensor. One that is `optional` may be None."""

    shape: Shape
    dtype: Dtype
    optional: bool = False

    def __str__(self) -> str:
        return f"{dtype_text(self.dtype)}[{shape_text(self.shape)}]" + ("?" if self.optional else "")


@record(frozen=True, slots=True)
class ListType:
    """A list of tensors, whose elements have this type where one is known; of one written out, `items`.

    `count` is the number of its elements, where a loop has collected them.
    """

    element: TensorType | None = None
    items: tuple[TensorType, ...] = ()
    count: Dim | None = None

    def __str__(self) -> str:
        return f"list[{self.element or '?'}]"


ScalarKind = OneOf[
    "int", "float", "bool", "complex", "number", "range", "str", "slice", "every", "ellipsis", "none", "value"
]  # fmt: skip


@record(frozen=True, slots=True)
class ScalarType:
    """A value that is no tensor; "value" where nothing is known of it.

    A "number" is an int or a float of Python's. An index is a "slice", or "every" entry along an
    axis. What has a `dtype` is a scalar of NumPy's, or may be one. `dim` is the size that a whole
    number is, `text` what a string is.
    """

    kind: ScalarKind
    dtype: Dtype | None = None
    dim: Dim | None = None
    text: str | None = None

    def __str__(self) -> str:
        text = dtype_text(self.dtype) if self.dtype in CONCRETE else self.kind
        return text if self.dim is None else f"{text}={dim_text(self.dim)}"


@record(frozen=True, slots=True)
class ShapeType:
    """The shape of a tensor, a tuple of numbers."""

    shape: Shape

    def __str__(self) -> str:
        return f"shape[{shape_text(self.shape)}]"


@record(frozen=True, slots=True)
class TupleType:
    """A tuple of other values."""

    items: tuple[Type, ...]

    def __str__(self) -> str:
        return f"tuple[{', '.join(map(str, self.items))}]"


@record(frozen=True, slots=True)
class TableType:
    """A tuple of numbers, or of such tuples to a `depth`, of lengths that only the run knows.

    `dtype` is that of the array which NumPy makes of it.
    """

    dtype: Dtype
    depth: int = 1

    def __str__(self) -> str:
        return f"{'tuple[' * self.depth}{dtype_text(self.dtype)}{', ...]' * self.depth}"


@record(frozen=True, slots=True)
class DtypeType:
    """The dtype of a tensor as a value."""

    dtype: Dtype

    def __str__(self) -> str:
        return f"dtype[{dtype_text(self.dtype)}]"


@record(frozen=True, slots=True)
class LikeType:
    """The shape and dtype of a tensor as a value, or of all tensors of a list."""

    of: TensorType | ListType

    def __str__(self) -> str:
        return f"like[{self.of}]"


Type = TensorType | ListType | ScalarType | ShapeType | TupleType | TableType | DtypeType | LikeType

NONE = ScalarType("none")
# Kinds of values that stand for numbers.
NUMBERS = frozenset({"bool", "int", "float", "complex", "number", "value"})


def there(tensor: TensorType) -> TensorType:
    """The type of a tensor of which something is read: it is not None."""
    return TensorType(tensor.shape, tensor.dtype) if tensor.optional else tensor


def unknown_tensor(name: str, optional: bool = False) -> TensorType:
    """The type of a tensor of which nothing is known, in names of its own."""
    return TensorType(Unranked(frozenset({name})), f"{name}.dtype", optional)


def unknown_value(name: str) -> ScalarType:
    """The type of a value of which nothing is known; in arithmetic it has a dtype of its own."""
    return ScalarType("value", f"{name}.dtype")


def ranked(name: str, rank: int) -> Ranked:
    """A shape of this rank whose sizes are not known, in names of its own."""
    return tuple(f"{name}.{axis}" for axis in range(rank))


def join_dims(dims: Iterable[Dim]) -> Dim:
    """The size that these broadcast to. Raises TypeMistake where there is none.

    >>> join_dims([1, "x.0"]), join_dims(["x.0", 3])
    ('x.0', 3)
    """
    numbers, names = set[int](), set[str]()
    for dim in dims:
        if isinstance(dim, int):
            numbers.add(dim)
        elif isinstance(dim, str):
            names.add(dim)
        else:
            names |= dim.parts
    numbers.discard(1)
    if len(numbers) > 1:
        raise TypeMistake(f"sizes {' and '.join(map(str, sorted(numbers)))} do not broadcast")
    if numbers:
        return numbers.pop()
    if len(names) > 1:
        return Joined(frozenset(names))
    return names.pop() if names else 1


def join_shapes(shapes: Iterable[Shape]) -> Shape:
    """The shape that these broadcast to. Raises TypeMistake where there is none."""
    known: list[Ranked] = []
    terms: set[Term] = set()
    for shape in shapes:
        if isinstance(shape, tuple):
            known.append(shape)
            continue
        for term in shape.parts:
            if isinstance(term, tuple):
                known.append(term)
            else:
                terms.add(term)
    rank = max((len(shape) for shape in known), default=0)
    padded = [(1,) * (rank - len(shape)) + shape for shape in known]
    joined = tuple(join_dims(dims) for dims in zip(*padded, strict=True))
    if not terms:
        return joined
    if joined:
        terms.add(joined)
    held = {t for t in terms if _is_held(t) and t.of.parts <= terms - {t}}  # type: ignore[union-attr]
    return Unranked(frozenset(terms - held))


def _is_held(term: Term) -> bool:
    """True for a shape that broadcasts to the one that it is made of."""
    if isinstance(term, Reduced):
        return term.kept or term.axes == tuple(range(len(term.axes or ())))
    return isinstance(term, Part)


def is_held(shape: Shape) -> bool:
    """True for a shape that is known to broadcast to another one, and is no number's."""
    return isinstance(shape, Unranked) and all(map(_is_held, shape.parts))


def held_shape(name: str, of: Shape) -> Shape:
    """A shape of this name that broadcasts to another one."""
    if isinstance(of, Unranked):
        return Unranked(frozenset({Part(name, of)}))
    return ranked(name, len(of)) if of else ()


def stacked_shape(shape: Shape, count: Dim) -> Shape:
    """The shape of so many arrays of this shape, stacked along a new first axis."""
    if isinstance(shape, tuple):
        return (count, *shape)
    return Unranked(frozenset({Stacked(shape, count)}))


def axes_in(axes: Sequence[int], rank: int) -> tuple[int, ...]:
    """Axes counted from the first. Raises TypeMistake for one that a tensor of this rank does not have."""
    for axis in axes:
        if not -rank <= axis < rank:
            raise TypeMistake(f"axis {axis} of an array of {rank} axes")
    found = tuple(axis % rank for axis in axes)
    if len(set(found)) < len(found):
        raise TypeMistake(f"an axis stands twice in {tuple(axes)}")
    return found


def reduced_shape(shape: Shape, axes: tuple[int, ...] | None, keepdims: bool) -> Shape:
    """The shape after a reduction over these axes, all of them where it is None."""
    if axes is None and not keepdims:
        return ()
    if isinstance(shape, Unranked):
        if len(shape.parts) == 1 and axes is None:
            (only,) = shape.parts
            if isinstance(only, Reduced) and only.axes is None:
                return shape
        return (
            Unranked(frozenset({Reduced(shape, axes and tuple(sorted(axes)), keepdims)}))
            if axes != ()
            else shape
        )
    taken = range(len(shape)) if axes is None else axes_in(axes, len(shape))
    if keepdims:
        return tuple(1 if axis in taken else dim for axis, dim in enumerate(shape))
    return tuple(dim for axis, dim in enumerate(shape) if axis not in taken)


def expanded_shape(shape: Shape, axis: int) -> Shape:
    """The shape with an axis of length 1 inserted before, or behind where it counts from the last."""
    if isinstance(shape, tuple):
        (place,) = axes_in((axis,), len(shape) + 1)
        return (*shape[:place], 1, *shape[place:])
    if len(shape.parts) == 1:
        (only,) = shape.parts
        # NumPy reduces a number over its axis 0 or -1 to a number: an axis inserted there is a new one.
        of_numbers_too = axis in (0, -1)
        if isinstance(only, Reduced) and only.axes == (axis,) and not only.kept and not of_numbers_too:
            return Unranked(frozenset({Reduced(only.of, only.axes, True)}))
    return Unranked(frozenset({Expanded(shape, axis)}))


def squeezed_shape(shape: Shape, axis: int) -> Shape | None:
    """The shape without an axis of length 1, or None where it is not known."""
    if isinstance(shape, tuple):
        (place,) = axes_in((axis,), len(shape))
        if isinstance(shape[place], int) and shape[place] != 1:
            raise TypeMistake(
                f"axis {axis} has {shape[place]} entries, and only one of length 1 can be removed"
            )
        return (*shape[:place], *shape[place + 1 :])
    if len(shape.parts) == 1:
        (only,) = shape.parts
        if isinstance(only, Expanded) and only.axis == axis:
            return only.of
        if isinstance(only, Reduced) and only.axes == (axis,) and only.kept:
            return Unranked(frozenset({Reduced(only.of, only.axes, False)}))
    return None


def shape_of(found: Type) -> Shape:
    """The shape of a tensor; that of a number for what is none."""
    return found.shape if isinstance(found, TensorType) else ()


def rank_of(found: Type) -> int | None:
    """The number of axes of an array, of a shape, or of what is described; None where it is not known."""
    if isinstance(found, LikeType):
        return rank_of(found.of)
    if isinstance(found, (TensorType, ShapeType)):
        return len(found.shape) if isinstance(found.shape, tuple) else None
    return 0 if isinstance(found, ScalarType) and found.kind in NUMBERS else None


# Shapes that are made of others so many times over are given up: what is not read need not be known.
_DEEPEST = 12


@lru_cache(maxsize=1 << 14)
def _depth(shape: Unranked) -> int:
    inner = [part.of for part in shape.parts if not isinstance(part, (str, tuple))]
    return 1 + max(map(_depth, inner), default=0)


def is_deep(shape: Shape) -> bool:
    """True for a shape derived from others through many steps: it is not worth knowing."""
    return isinstance(shape, Unranked) and _depth(shape) > _DEEPEST


@lru_cache(maxsize=1 << 14)  # shapes that are part of several others are many
def names_of(shape: Shape) -> frozenset[str]:
    """The names of shapes and sizes that it is made of."""
    found: set[str] = set()
    for part in shape if isinstance(shape, tuple) else shape.parts:
        if isinstance(part, str):
            found.add(part)
        elif isinstance(part, Joined):
            found |= part.parts
        elif isinstance(part, tuple):
            found |= names_of(part)
        elif not isinstance(part, int):
            found |= names_of(part.of)
        if isinstance(part, Part):
            found.add(part.name)
        elif isinstance(part, Stacked):
            found |= names_of((part.count,))
    return frozenset(found)


def dim_text(dim: Dim) -> str:
    """A size for a reader."""
    return "*".join(sorted(dim.parts)) if isinstance(dim, Joined) else str(dim)


def shape_text(shape: Shape) -> str:
    """A shape for a reader: sizes, or the shapes of unknown rank that broadcast to it."""
    if isinstance(shape, tuple):
        return ", ".join(map(dim_text, shape))
    return "*".join(sorted(map(_term_text, shape.parts)))


def _term_text(term: Term) -> str:
    if isinstance(term, str):
        return term
    if isinstance(term, tuple):
        return f"({shape_text(term)})"
    if isinstance(term, Expanded):
        return f"expanded({shape_text(term.of)}, {term.axis})"
    if isinstance(term, Part):
        return f"part({shape_text(term.of)}, {term.name})"
    if isinstance(term, Stacked):
        return f"stacked({shape_text(term.of)}, {dim_text(term.count)})"
    axes = "all" if term.axes is None else ", ".join(map(str, term.axes))
    return f"{'kept' if term.kept else 'reduced'}({shape_text(term.of)}, {axes})"
