"""Helpers of the transforms: inputs as fresh leaves, outputs as tuples, gradients with zeros filled in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..calls.call import call
from ..core.dispatch import Engine, current, engine_of
from ..core.errors import GradientShapeError, NotDifferentiableError, UnusedInputError
from ..core.matching import matching, require_real
from .forward_ad import has_tangent, without_history
from .functional import grad


class Evaluated(NamedTuple):
    """A function with its inputs as leaves and its outputs.

    outputs         a tensor each
    several_inputs  whether the caller gave a tuple, and expects one
    several_outputs whether the function returned one
    """

    engine: Engine
    inputs: tuple[Any, ...]
    outputs: tuple[Any, ...]
    several_inputs: bool
    several_outputs: bool


def evaluate(func: Callable[..., Any], inputs: Any, create_graph: bool) -> Evaluated:
    """Call `func` on the inputs, to be recorded from here.

    With `create_graph` an input that requires grad stays connected to what the
    caller did before. Raises TypeError where the function returns anything but
    tensors, NotDifferentiableError for an input whose dtype is no float.
    """
    several_inputs = isinstance(inputs, (tuple, list))
    given = tuple(inputs) if several_inputs else (inputs,)
    engine = engine_of(*given) or current()
    leaves = tuple(leaf(engine, value, create_graph) for value in given)
    returned = func(*leaves)
    several_outputs = isinstance(returned, (tuple, list))
    outputs = tuple(returned) if several_outputs else (returned,)
    for position, output in enumerate(outputs):
        if engine_of(output) is None:
            raise TypeError(
                f"{getattr(func, '__name__', 'the function')} returned a {type(output).__name__} as output "
                f"{position}, not a tensor: compute it from the arguments with NumPy's functions, without "
                "float() or .item()"
            )
    return Evaluated(engine, leaves, outputs, several_inputs, several_outputs)


def leaf(engine: Engine, value: Any, create_graph: bool) -> Any:
    """An input as a tensor to differentiate by; with `create_graph` connected to its history."""
    if engine_of(value) is None:
        array = np.asarray(value)
        return engine.tensor(array.astype(np.float64) if array.dtype.kind in "iu" else array, True)
    if create_graph and value.requires_grad:
        return call("positive", value)
    if has_tangent(value):
        return without_history(value).requires_grad_()
    return (value.copy() if value.is_inference() else value.detach()).requires_grad_()


def refuse_complex(inputs: Sequence[Any], outputs: Sequence[Any], transform: str) -> None:
    """Raise NotDifferentiableError for complex values: their derivatives are not one matrix."""
    if any(tensor.dtype.kind == "c" for tensor in (*inputs, *outputs) if engine_of(tensor) is not None):
        raise NotDifferentiableError(
            f"{transform} is of real inputs and results, and there is a complex one: its derivative maps "
            "real and imaginary parts. Take these as inputs and results, or use jvp and vjp"
        )


def single_value(evaluated: Evaluated, transform: str) -> None:
    """Raise GradientShapeError unless the function gave one tensor with one value."""
    if evaluated.several_outputs or evaluated.outputs[0].size != 1:
        shapes = ", ".join(str(output.shape) for output in evaluated.outputs)
        raise GradientShapeError(
            f"{transform} needs a function with a single value, and this one returns shape {shapes}; "
            "sum it, or use pb.jacobian"
        )
    require_real(evaluated.outputs[0], "the output")


def vectors(
    engine: Engine, given: Any, targets: Sequence[Any], create_graph: bool, of: str
) -> tuple[Any, ...]:
    """The `v` of a product: a tensor of the shape of each target; 1 where it is left out for one value."""
    if given is None:
        if len(targets) != 1 or targets[0].size != 1:
            raise GradientShapeError(f"v can be left out for a single value only: pass one per {of}")
        require_real(targets[0], f"the {of}")
        return (engine.tensor(np.ones(targets[0].shape, targets[0].dtype)),)
    several = tuple(given) if isinstance(given, (tuple, list)) and len(targets) == len(given) else (given,)
    if len(several) != len(targets):
        raise GradientShapeError(f"v has {len(several)} parts for {len(targets)} {of}s")
    return tuple(
        _vector(engine, part, target, create_graph, f"{of} {position}")
        for position, (part, target) in enumerate(zip(several, targets, strict=True))
    )


def _vector(engine: Engine, part: Any, target: Any, create_graph: bool, of: str) -> Any:
    part = matching(engine, part, target, of, "part of v")
    return part if create_graph else part.detach()


def gradients(
    outputs: Sequence[Any],
    inputs: Sequence[Any],
    seeds: Sequence[Any],
    create_graph: bool,
    strict: bool,
    retain_graph: bool | None = None,
) -> tuple[Any, ...]:
    """Gradients by each input, zeros where the outputs don't depend on it; `strict` refuses that instead.

    Seeds are tensors; outputs may be constants. Raises UnusedInputError.
    """
    connected = [pair for pair in zip(outputs, seeds, strict=True) if pair[0].requires_grad]
    if strict and len(connected) != len(outputs):
        position = next(i for i, output in enumerate(outputs) if not output.requires_grad)
        raise UnusedInputError(f"strict: output {position} doesn't depend on any input")
    found: Sequence[Any] = [None] * len(inputs)
    if connected:
        found = grad(
            [output for output, _ in connected],
            list(inputs),
            [seed for _, seed in connected],
            retain_graph=retain_graph,
            create_graph=create_graph,
            allow_unused=True,
        )
    missing = [position for position, gradient in enumerate(found) if gradient is None]
    if strict and missing:
        raise UnusedInputError(f"strict: the outputs don't depend on input {missing[0]}")
    return tuple(
        zeros_like(tensor) if gradient is None else gradient
        for tensor, gradient in zip(inputs, found, strict=True)
    )


def zeros_like(tensor: Any) -> Any:
    """Zeros of the tensor's shape, dtype and engine, without history."""
    engine = engine_of(tensor)
    assert engine is not None
    return engine.tensor(np.zeros(tensor.shape, tensor.dtype))


def handed_out(tensors: Sequence[Any], several: bool, create_graph: bool) -> Any:
    """A tuple where the caller deals in tuples, else the only tensor; without history unless asked for."""
    results = tuple(tensor if create_graph else without_history(tensor) for tensor in tensors)
    return results if several else results[0]
