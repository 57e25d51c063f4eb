"""Forward mode: dual tensors, which carry a tangent through every operator; names as in torch.

A tangent belongs to a value of the graph, not to a Python object: to a node and
the number of its output, or to a tensor without history. So what a node saved has
its tangent again when a backward reads it, and a backward inside of a dual level
carries tangents too: that is forward over reverse. The rules are made of
operators of the vocabulary and run on tensors, recorded where grad mode is on: that is
reverse over forward.

>>> import pullback as pb
>>> with pb.forward_ad.dual_level():
...     x = pb.forward_ad.make_dual(pb.tensor(3.0), 1.0)
...     pb.forward_ad.unpack_dual(x * x).tangent
tensor(6.)
"""

from __future__ import annotations

import weakref
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NamedTuple

import numpy as np

from ..calls.call import arrays, call
from ..core.complex_values import not_complex
from ..core.dispatch import Engine, current, engine_of, observing, tensors_in
from ..core.errors import NotDifferentiableError
from ..core.grad_mode import is_recording, set_grad_enabled
from ..core.matching import matching
from ..core.operator import Operator
from ..core.saved_hooks import without_packing
from ..debugging import tape
from .tangents import tangent_rule


class UnpackedDualTensor(NamedTuple):
    """The two parts of a dual tensor; `tangent` is None where there is none, which means zero."""

    primal: Any
    tangent: Any


class Level:
    """The tangents of one dual level, by the value that they belong to; they go when that goes."""

    def __init__(self) -> None:
        self._tangents: dict[tuple[int, int], tuple[weakref.ref[Any], Any]] = {}

    def tangent(self, tensor: Any) -> Any:
        """The tangent of a tensor, or None."""
        holder, key = _place(tensor)
        found = self._tangents.get(key)
        return found[1] if found is not None and found[0]() is holder else None

    def attach(self, tensor: Any, tangent: Any) -> None:
        """Let the tensor have this tangent."""
        self.attach_at(*_place(tensor), tangent)

    def attach_at(self, holder: Any, key: tuple[int, int], tangent: Any) -> None:
        """Let a node's output, or a tensor without history, have this tangent."""
        tangents = self._tangents
        tangents[key] = weakref.ref(holder, lambda _: tangents.pop(key, None)), tangent

    def close(self) -> None:
        """Let all go: each entry's callback knows the table that it is in."""
        self._tangents.clear()

    def holds(self, holder: Any) -> bool:
        """True where an output of this node, or this leaf, has a tangent."""
        return any(ref() is holder for ref, _ in self._tangents.values())


def _place(tensor: Any) -> tuple[Any, tuple[int, int]]:
    node = tensor.grad_fn
    return (tensor, (id(tensor), -1)) if node is None else (node, (id(node), tensor.output_nr))


_LEVEL: ContextVar[Level | None] = ContextVar("pullback_dual_level", default=None)


@contextmanager
def dual_level() -> Iterator[None]:
    """Inside of the block tensors may carry tangents; at its end these are gone.

    It belongs to the thread and task. Levels don't nest (RuntimeError): for
    higher derivatives take gradients of tangents, or tangents of gradients.

    >>> import numpy as np, pullback as pb
    >>> with pb.forward_ad.dual_level():
    ...     x = pb.forward_ad.make_dual(pb.tensor([0.0, 1.0]), pb.tensor([1.0, 10.0]))
    ...     pb.forward_ad.unpack_dual(np.exp(x) * x).tangent
    tensor([ 1.        , 54.36563657])
    """
    if _LEVEL.get() is not None:
        raise RuntimeError("a dual level inside of another one: levels don't nest")
    level = Level()
    token = _LEVEL.set(level)
    try:
        with observing(_propagate):
            yield
    finally:
        _LEVEL.reset(token)
        level.close()


def make_dual(tensor: Any, tangent: Any) -> Any:
    """A tensor with the values and history of `tensor`, which carries a tangent.

    tensor   of a float or complex dtype
    tangent  a tensor or array of its shape, cast to its dtype; gradients flow into
             it where it requires grad

    Raises RuntimeError outside of a `dual_level`, GradientShapeError, NotDifferentiableError.
    """
    level = _present("make_dual")
    engine = engine_of(tensor)
    if engine is None:
        raise TypeError(f"make_dual takes a tensor, not {type(tensor).__name__}")
    if tensor.dtype.kind not in "fc":
        raise NotDifferentiableError(
            f"only tensors of a float or complex dtype have tangents, and this is {tensor.dtype}"
        )
    tangent = _tangent_of(engine, tangent, tensor)
    with _suspended():
        made = _alias(tensor)
    level.attach(made, tangent)
    return made


def unpack_dual(tensor: Any) -> UnpackedDualTensor:
    """A dual tensor's values, with their history, and its tangent, None where it carries none.

    Outside of a `dual_level` nothing carries a tangent.
    """
    if engine_of(tensor) is None:
        raise TypeError(f"unpack_dual takes a tensor, not {type(tensor).__name__}")
    level = _LEVEL.get()
    tangent = None if level is None else level.tangent(tensor)
    if tangent is None:
        return UnpackedDualTensor(tensor, None)
    with _suspended():
        return UnpackedDualTensor(_alias(tensor), tangent)


def _present(what: str) -> Level:
    level = _LEVEL.get()
    if level is None:
        raise RuntimeError(f"{what} needs a level: with pb.forward_ad.dual_level(): ...")
    return level


def _tangent_of(engine: Engine, tangent: Any, tensor: Any) -> Any:
    return matching(engine, tangent, tensor, "the tensor", "tangent")


def _alias(tensor: Any) -> Any:
    """The same values and history, without the tangent."""
    if tensor.requires_grad:
        return call("reshape", tensor, shape=tensor.shape)
    return tensor.detach()


@contextmanager
def _suspended() -> Iterator[None]:
    """A context in which results carry no tangents."""
    token = _LEVEL.set(None)
    try:
        yield
    finally:
        _LEVEL.reset(token)


def _propagate(
    operator: Any, inputs: Sequence[Any], attributes: Mapping[str, Any], results: Sequence[Any]
) -> None:
    """Give the results of a call their tangents."""
    level = _LEVEL.get()
    if level is None:
        return
    if isinstance(operator, Operator):
        operator = operator.for_dtypes(inputs)
    tangents = [
        _input_tangent(level, value) if param.differentiable else None
        for param, value in zip(operator.inputs, inputs, strict=True)
    ]
    if all(tangent is None for tangent in tangents):
        return
    carriers = tensors_in((*results, *(tangent for tangent in tangents if tangent is not None)))
    if not operator.complex and any(tensor.dtype.kind == "c" for tensor in carriers):
        raise NotDifferentiableError(not_complex(operator))
    if not any(result.dtype.kind in "fc" for result in results):
        return
    engine = engine_of(*results) or current()
    rule = tangent_rule(operator, tuple(tangent is not None for tangent in tangents))
    constants = {key: arrays(value) for key, value in attributes.items()}
    with _suspended(), without_packing():
        found = rule.call(inputs, constants, results, tangents)
        for index, tangent in enumerate(found):
            if tangent is None or index in operator.nondifferentiable:
                continue
            if index >= operator.n_results:
                _keep_hidden(level, results, index, tangent)
            elif results[index].dtype.kind in "fc":
                level.attach(results[index], _computed(engine, tangent, results[index]))


def _computed(engine: Engine, tangent: Any, result: Any) -> Any:
    """A tangent that a rule has computed: real where the result is."""
    if tangent.dtype.kind == "c" and result.dtype.kind != "c":
        tangent = tangent.real
    return _tangent_of(engine, tangent, result)


def _keep_hidden(level: Level, results: Sequence[Any], index: int, tangent: Any) -> None:
    """A hidden output has a tangent where a backward may read it: where a node was recorded."""
    node = next((result.grad_fn for result in results if result.grad_fn is not None), None)
    if node is not None and engine_of(tangent) is not None:
        level.attach_at(node, (id(node), index), tangent)


def _input_tangent(level: Level, value: Any) -> Any:
    """The tangent of an input; of a list of tensors a list, with zeros where there is none."""
    if not isinstance(value, list):
        return None if engine_of(value) is None else level.tangent(value)
    found = [_input_tangent(level, item) for item in value]
    if all(tangent is None for tangent in found):
        return None
    engine = engine_of(*found) or current()
    return [
        engine.tensor(np.zeros(np.shape(arrays(item)), _float_dtype(item))) if tangent is None else tangent
        for item, tangent in zip(value, found, strict=True)
    ]


def _float_dtype(value: Any) -> np.dtype[Any]:
    dtype = np.asarray(arrays(value)).dtype
    return dtype if dtype.kind in "fc" else np.dtype(np.float64)


def is_active() -> bool:
    """True inside of a dual level, where tensors may carry tangents."""
    return _LEVEL.get() is not None


def has_tangent(tensor: Any) -> bool:
    """True where a tensor carries a tangent here and now."""
    level = _LEVEL.get()
    return level is not None and level.tangent(tensor) is not None


def differentiated(values: Sequence[Any]) -> bool:
    """True where results computed of these values need a gradient or a tangent; lists are entered."""
    recorded = is_recording()
    return any((recorded and tensor.requires_grad) or has_tangent(tensor) for tensor in tensors_in(values))


def lost_outside(tensor: Any) -> str:
    """The parts of a tensor that its memory or a number lacks, for a message; empty where there is none."""
    if tensor.requires_grad:
        return "requires grad, and its gradient"
    return "carries a tangent, which" if has_tangent(tensor) else ""


def copied(tensor: Any) -> Any:
    """A tensor without history and with memory of its own, with the tangent of this one."""
    engine = engine_of(tensor)
    assert engine is not None
    made = engine.tensor(tensor._array, name=tensor.name)
    level = _LEVEL.get()
    tangent = None if level is None else level.tangent(tensor)
    if level is not None and tangent is not None:
        level.attach(made, tangent)
    return made


def without_history(tensor: Any) -> Any:
    """A tensor over the same memory, without history, with the tangent of this one."""
    made = tensor.detach()
    level = _LEVEL.get()
    tangent = None if level is None else level.tangent(tensor)
    if level is not None and tangent is not None:
        level.attach(made, tangent.detach())
    return made


def run(
    engine: Engine,
    outputs: Sequence[Any],
    seeds: Sequence[Any],
    inputs: Sequence[Any] | None,
    retain_graph: bool,
    create_graph: bool,
    allow_unused: bool,
    accumulate: bool,
) -> tuple[Any, ...]:
    """The engine's `run_backward`; in a dual level its gradients carry tangents.

    It is recorded then, which is how it runs on tensors, and its history is let go.
    """
    if create_graph or not is_active():
        return tape.run(engine, outputs, seeds, inputs, retain_graph, create_graph, allow_unused, accumulate)
    targets = inputs
    if targets is None:
        reached = _behind([output if output.grad_fn is None else output.grad_fn for output in outputs])
        targets = [holder for holder in reached if engine_of(holder) is not None]
    found = tape.run(engine, outputs, seeds, targets, retain_graph, True, allow_unused, False)
    gradients = tuple(None if gradient is None else _without_history(gradient) for gradient in found)
    if not accumulate:
        return gradients
    with set_grad_enabled(False):
        for tensor, gradient in zip(targets, gradients, strict=True):
            if gradient is not None:
                before = tensor.grad
                tensor.grad = gradient if before is None else call("accumulate", before, gradient)
    return ()


def _without_history(gradient: Any) -> Any:
    """A gradient of a backward that was recorded for its tangents only.

    Raises BarrierError where a tangent would have had to go through the backward of
    an operator whose derivative holds for the first order only.
    """
    level = _LEVEL.get()
    assert level is not None
    _refuse_barriers(level, gradient)
    made = copied(gradient)
    tangent = level.tangent(made)
    if tangent is not None:
        level.attach(made, tangent.detach())
    return made


def _refuse_barriers(level: Level, gradient: Any) -> None:
    for node in _behind([gradient.grad_fn]):
        if getattr(node, "is_barrier", False) and any(map(level.holds, _behind([node]))):
            node.refuse()


def _behind(roots: Sequence[Any]) -> Iterator[Any]:
    """The nodes that these lead to, and themselves; leaves as tensors."""
    seen = set()
    stack = [node for node in roots if node is not None]
    while stack:
        node = stack.pop()
        if id(node) not in seen:
            seen.add(id(node))
            yield node if getattr(node, "tensor", None) is None else node.tensor
            stack += [older for older, _ in getattr(node, "next_functions", ()) if older is not None]
