"""Values that pass through JAX's transformations beside arrays: constants, absent tangents, barriers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.custom_derivatives import SymbolicZero

from pullback.engine.core.errors import BarrierError

from .ruled import Ruled


@jax.tree_util.register_pytree_node_class
class Static:
    """A Python value among arrays: a shape, a dtype, a number. A pytree without leaves.

    >>> jax.tree.leaves([Static((2, 3)), 1.0])
    [1.0]
    """

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Static) and type(self.value) is type(other.value) and self.value == other.value
        )

    def __hash__(self) -> int:
        return hash(repr(self.value))

    def __repr__(self) -> str:
        return f"Static({self.value!r})"

    def tree_flatten(self) -> tuple[tuple[()], Static]:
        """No leaves; the value itself is the structure."""
        return (), self

    @classmethod
    def tree_unflatten(cls, held: Static, leaves: object) -> Static:
        """The same value again."""
        return held


def is_array(value: Any) -> bool:
    """True for an array or a number of JAX or NumPy."""
    return isinstance(value, (jax.Array, np.ndarray, np.generic))


def packed(value: Any) -> Any:
    """A value of a forward as a pytree: arrays are leaves, what is no array is `Static`."""
    if value is None or is_array(value):
        return value
    if type(value) in (list, tuple) and any(map(_holds_array, value)):
        return [packed(item) for item in value]
    return Static(value)


def _holds_array(value: Any) -> bool:
    return is_array(value) or (type(value) in (list, tuple) and any(map(_holds_array, value)))


def unpacked(value: Any) -> Any:
    """The value that `packed` was given, tuples that hold arrays as lists."""
    if isinstance(value, Static):
        return value.value
    return [unpacked(item) for item in value] if isinstance(value, list) else value


def result(value: Any) -> Any:
    """A result or hidden output of a forward as JAX returns it; None, of a branch not taken, stays."""
    if isinstance(value, (list, tuple)):
        return [result(item) for item in value]
    return None if value is None else jnp.asarray(value)


def zero_tangent(value: Any) -> SymbolicZero:
    """The tangent of a value that does not move."""
    return SymbolicZero(jax.typeof(value).to_tangent_aval())


def is_zero(tangent: Any) -> bool:
    """True where no leaf of a tangent or cotangent may differ from zero."""
    return all(isinstance(leaf, SymbolicZero) for leaf in jax.tree.leaves(tangent))


def filled(tangent: Any) -> Any:
    """A tangent or cotangent whose zeros are arrays."""

    def array(leaf: Any) -> Any:
        if not isinstance(leaf, SymbolicZero):
            return leaf
        moved: Any = leaf.aval
        return jnp.zeros(moved.shape, moved.dtype)

    return jax.tree.map(array, tangent)


def tangent_like(tangent: Any, output: Any) -> Any:
    """The tangent of an output in its shape and dtype; None is zero."""
    if output is None or isinstance(output, Static):
        return output
    if isinstance(output, list):
        parts = [None] * len(output) if tangent is None else tangent
        return [tangent_like(part, item) for part, item in zip(parts, output, strict=True)]
    if tangent is None or not jnp.issubdtype(output.dtype, jnp.inexact):
        return zero_tangent(output)
    tangent = jax.lax.convert_element_type(tangent, output.dtype)
    return jnp.broadcast_to(tangent, output.shape)


def barrier(message: str) -> Callable[[Any], Any]:
    """The identity, whose derivative raises BarrierError with this message."""

    def held(values: Any) -> Any:
        return values

    def refuse(primals: Any, tangents: Any) -> Any:
        (values,), (moved,) = primals, tangents
        if not is_zero(moved):
            raise BarrierError(message)
        return values, jax.tree.map(zero_tangent, values)

    return Ruled(held, refuse)
