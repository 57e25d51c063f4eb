"""Trees of tensors: tuples, lists, dicts and named tuples, as `optree` sees them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import optree

from ..core.dispatch import engine_of_type


def flattened(tree: Any) -> tuple[list[Any], Any]:
    """The leaves of a tree, None among them, and what `rebuilt` makes it of again."""
    leaves, structure = optree.tree_flatten(tree, none_is_leaf=True)
    return list(leaves), structure


def rebuilt(structure: Any, leaves: Sequence[Any]) -> Any:
    """The tree of this structure with other leaves."""
    return optree.tree_unflatten(structure, leaves)


def mapped(function: Callable[[Any], Any], tree: Any) -> Any:
    """The tree with `function` of each leaf, None among them."""
    return optree.tree_map(function, tree, none_is_leaf=True)


def spread(prefix: Any, tree: Any) -> list[Any]:
    """The leaves of `prefix`, each as often as the part of `tree` in its place has leaves; ValueError."""
    return list(optree.broadcast_prefix(prefix, tree, none_is_leaf=True))


def is_tensor(value: Any) -> bool:
    """True for a tensor of any engine."""
    return engine_of_type(type(value)) is not None


def is_array(value: Any) -> bool:
    """True for an array or a number, of which a tensor can be made."""
    return isinstance(value, (np.ndarray, np.generic, int, float)) and not isinstance(value, bool)
