"""Transforms inside of one another: their leaves and batches, and the results that they hand out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NamedTuple

import numpy as np

from ..batched.apply import per_example
from ..batched.tensor import Batched, Level, innermost
from ..calls.call import call
from ..core.dispatch import current, engine_of
from ..core.grad_mode import is_grad_enabled, recording
from ..transforms import transform_inputs
from ..transforms.forward_ad import without_history
from . import trees


class Nesting(NamedTuple):
    """The transforms around a call.

    outermost  there are none
    arrays     the outermost one got no tensor: it hands out arrays, which have no history
    records    results keep their history, for a caller that differentiates them
    levels     the runs of vmap, the outermost first
    """

    outermost: bool
    arrays: bool
    records: bool
    levels: tuple[Level, ...]


_NESTING: ContextVar[Nesting | None] = ContextVar("pullback_func", default=None)


def surroundings(args: Any) -> Nesting:
    """The transforms around this one, which gets these arguments."""
    found = _NESTING.get()
    if found is not None:
        return found
    arrays = not any(map(trees.is_tensor, trees.flattened(args)[0]))
    return Nesting(True, arrays, not arrays and is_grad_enabled(), ())


@contextmanager
def within(outer: Nesting, level: Level | None = None) -> Iterator[None]:
    """The block in which a transform calls its function; with a level a batch is what it adds."""
    levels = outer.levels if level is None else (*outer.levels, level)
    token = _NESTING.set(Nesting(False, outer.arrays, outer.records or level is None, levels))
    try:
        with recording():
            yield
    finally:
        _NESTING.reset(token)


def handed_out(tree: Any, outer: Nesting) -> Any:
    """Results as the caller gets them: arrays from the outermost transform of arrays, else tensors."""

    def out(value: Any) -> Any:
        if not trees.is_tensor(value):
            return value
        if outer.outermost and outer.arrays:
            return without_history(value).numpy()[()]
        return value if outer.records else without_history(value)

    return trees.mapped(out, tree)


def lifted(value: Any, levels: Sequence[Level]) -> Any:
    """The value with an example for each of these batches, repeated where it is the same for all."""
    if not levels:
        return value
    *outer, level = levels
    if type(value) is Batched and value.level is level:
        return Batched(lifted(value.value, outer), level)
    value = lifted(value, outer)
    return Batched(call("broadcast_to", value, shape=(level.size, *np.shape(value))), level)


def lowered(value: Any) -> Any:
    """The tensor of all examples of all batches under a lifted one."""
    while type(value) is Batched:
        value = value.value
    return value


def raised(value: Any, levels: Sequence[Level]) -> Any:
    """The other way round."""
    for level in levels:
        value = Batched(value, level)
    return value


def leaf(value: Any, outer: Nesting) -> Any:
    """An argument as a tensor that a transform differentiates by; TypeError for what has no gradient.

    One that requires grad stays connected to what the caller did before, where that is recorded.
    """
    if not trees.is_tensor(value):
        if not trees.is_array(value):
            raise TypeError(
                f"gradients are taken by tensors, arrays and numbers, not by a {type(value).__name__}; "
                "argnums says which arguments"
            )
        value = current().tensor(np.asarray(value))
    tensor = lowered(lifted(value, outer.levels))
    engine = engine_of(tensor)
    assert engine is not None
    if tensor.dtype.kind in "iub":
        tensor = engine.tensor(tensor.numpy().astype(np.float64))
    return raised(transform_inputs.leaf(engine, tensor, outer.records), outer.levels)


def leaves_of(args: Sequence[Any], outer: Nesting) -> tuple[list[Any], list[Any]]:
    """Arguments with leaves in them, and the leaves alone."""
    leaves: list[Any] = []
    given = []
    for arg in args:
        values, structure = trees.flattened(arg)
        made = [leaf(value, outer) for value in values]
        leaves += made
        given.append(trees.rebuilt(structure, made))
    return given, leaves


def outputs_of(func: Callable[..., Any], returned: Any) -> tuple[list[Any], Any]:
    """The tensors that a function returned, and the structure that they stood in; TypeError for others."""
    values, structure = trees.flattened(returned)
    for value in values:
        if not trees.is_tensor(value):
            raise TypeError(
                f"{getattr(func, '__name__', 'the function')} returned a {type(value).__name__}, not a "
                "tensor: compute it from the arguments with NumPy's functions, without float() or .item(); "
                "has_aux=True is for what else it returns"
            )
    return values, structure


def with_aux(func: Callable[..., Any], returned: Any, has_aux: bool) -> tuple[Any, Any]:
    """Output and the rest of a function that returns both, else None."""
    if not has_aux:
        return returned, None
    if not isinstance(returned, tuple) or len(returned) != 2:
        raise TypeError(
            f"has_aux=True: {getattr(func, '__name__', 'the function')} returns a pair, of an output and "
            f"what else there is, and not a {type(returned).__name__}"
        )
    return returned


def pulled(
    outputs: Sequence[Any],
    leaves: Sequence[Any],
    cotangents: Sequence[Any],
    outer: Nesting,
    create_graph: bool,
    retain_graph: bool | None = None,
) -> list[Any]:
    """The gradient by each leaf, for a cotangent of each output; zeros where there is none.

    Cotangents of a vmap that began after the outputs were computed go backward one example at a time.
    """
    level = innermost(cotangents)
    if level is not None and level not in outer.levels:

        def run(given: Sequence[Any], _: Any) -> Any:
            return tuple(pulled(outputs, leaves, given, outer, create_graph, True))

        return list(per_example(run, level, cotangents, {}))
    found = transform_inputs.gradients(
        [lowered(lifted(output, outer.levels)) for output in outputs],
        list(map(lowered, leaves)),
        [lowered(lifted(cotangent, outer.levels)) for cotangent in cotangents],
        create_graph,
        False,
        retain_graph,
    )
    return [raised(gradient, outer.levels) for gradient in found]


def constant(value: Any, like: Any) -> Any:
    """A tensor without history with these values, of the engine and dtype of another."""
    engine = engine_of(lowered(like))
    assert engine is not None
    return engine.tensor(np.asarray(value, like.dtype))
