"""Asking for gradients: `backward`, `grad`, `value_and_grad`, on either engine."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from operator import index
from typing import Any, Literal, SupportsIndex, overload

import numpy as np

from ..core.dispatch import Engine, current, engine_of, engine_of_type, mismatch
from ..core.errors import GradientShapeError, NotDifferentiableError, UnusedInputError
from ..core.foreign import refuse_foreign
from ..core.grad_mode import recording
from ..core.matching import matching, require_real
from ..core.typed import Tensor
from . import forward_ad


def backward(
    tensors: Any,
    grad_tensors: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Any = None,
) -> None:
    """Add the gradients of some tensors to the `grad` of the leaves that they depend on.

    Parameters
    ----------
    tensors : Tensor or iterable of Tensor
        Where to begin; a single value each, unless `grad_tensors` says what flows in.
    grad_tensors : array_like or sequence, optional
        A gradient per tensor, of its shape; None for ones.
    retain_graph : bool, optional
        Keep what the graph saved for another backward (default: as `create_graph`).
    create_graph : bool, optional
        Record the backward, so that the gradients can be differentiated again.
    inputs : Tensor or iterable of Tensor, optional
        Tensors that get a gradient in the place of all leaves; those that the outputs don't depend
        on get none.

    Raises
    ------
    UnusedInputError
        An output doesn't depend on an input; also where there is no output or no input at all.
    GraphFreedError
        What the graph saved was let go by an earlier backward.
    GradientShapeError
        A gradient that flows in has another shape than its output.
    NotDifferentiableError
        An output or input doesn't require grad.

    Examples
    --------
    >>> import pullback as pb
    >>> x = pb.tensor([1.0, 2.0], requires_grad=True)
    >>> pb.backward((x * x).sum())
    >>> x.grad
    tensor([2., 4.])
    """
    retain = create_graph if retain_graph is None else retain_graph
    _run(tensors, inputs, grad_tensors, retain, create_graph, True, True)


@overload
def grad(
    outputs: Any,
    inputs: Any,
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    allow_unused: Literal[False] | None = None,
    materialize_grads: bool = False,
) -> tuple[Tensor, ...]: ...
@overload
def grad(
    outputs: Any,
    inputs: Any,
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    allow_unused: bool | None = None,
    *,
    materialize_grads: Literal[True],
) -> tuple[Tensor, ...]: ...
@overload
def grad(
    outputs: Any,
    inputs: Any,
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    allow_unused: bool | None = None,
    materialize_grads: bool = False,
) -> tuple[Tensor | None, ...]: ...
def grad(
    outputs: Any,
    inputs: Any = None,
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    allow_unused: bool | None = None,
    materialize_grads: bool = False,
) -> tuple[Any, ...]:
    """The gradients of `outputs` with respect to `inputs`: a tuple, one per input.

    Parameters
    ----------
    outputs : Tensor or iterable of Tensor
        A single value each, unless `grad_outputs` says what flows in.
    inputs : Tensor or iterable of Tensor
        Tensors that require grad, leaves or not; there is no default.
    grad_outputs : array_like or sequence, optional
        A gradient per output: a tensor or array of its shape, or None for ones.
    retain_graph : bool, optional
        Keep what the graph saved for another backward (default: as `create_graph`).
    create_graph : bool, optional
        Record the backward, so that its results can be differentiated again.
    allow_unused : bool, optional
        None for an input that the outputs don't depend on, instead of an error.
    materialize_grads : bool, optional
        Zeros for it; they require grad where the backward is recorded.

    Returns
    -------
    tuple of Tensor
        A gradient per input, of its shape and dtype.

    Raises
    ------
    UnusedInputError
        An output doesn't depend on an input; also where there is no output or no input at all.
    GraphFreedError
        What the graph saved was let go by an earlier backward.
    GradientShapeError
        A gradient that flows in has another shape than its output.
    NotDifferentiableError
        An output or input doesn't require grad.
    ValueError
        `allow_unused=False` and `materialize_grads=True`, which contradict each other.

    Examples
    --------
    >>> import pullback as pb
    >>> x = pb.tensor(3.0, requires_grad=True)
    >>> y = x * x + 2 * x + 1
    >>> pb.grad(y, x)[0].item()
    8.0
    """
    if inputs is None:
        raise TypeError(
            "pb.grad takes tensors: outputs, and the inputs to differentiate by; the gradient of a function "
            "is pb.func.grad(f), which is called as f is"
            if callable(outputs)
            else "pb.grad takes outputs, and the inputs to differentiate by"
        )
    retain = create_graph if retain_graph is None else retain_graph
    if not materialize_grads:
        return _run(outputs, inputs, grad_outputs, retain, create_graph, bool(allow_unused), False)
    if allow_unused is False:
        raise ValueError("materialize_grads=True gives zeros where allow_unused=False asks for an error")
    inputs = _several(inputs)
    gradients = _run(outputs, inputs, grad_outputs, retain, create_graph, True, False)
    return tuple(
        _zeros(tensor, create_graph) if gradient is None else gradient
        for tensor, gradient in zip(inputs, gradients, strict=True)
    )


@overload
def value_and_grad(
    function: Callable[..., Any], argnums: SupportsIndex = 0
) -> Callable[..., tuple[Any, np.ndarray[Any, Any]]]: ...
@overload
def value_and_grad(
    function: Callable[..., Any], argnums: Sequence[SupportsIndex]
) -> Callable[..., tuple[Any, tuple[np.ndarray[Any, Any], ...]]]: ...
def value_and_grad(
    function: Callable[..., Any], argnums: SupportsIndex | Sequence[SupportsIndex] = 0
) -> Callable[..., tuple[Any, Any]]:
    """A function that returns the value of `function` and its gradient, arrays in and out.

    Recorded under `pb.no_grad` and in inference mode too. Fit for
    ``scipy.optimize.minimize(..., jac=True)``.

    Parameters
    ----------
    function : callable
        Computes a single value with NumPy's functions.
    argnums : int or sequence of int, optional
        The positional arguments to differentiate by, counted from the end where negative.

    Returns
    -------
    callable
        Takes what `function` takes: arrays, numbers, or tensors, whose values count. Gives the
        value and the gradient, or a tuple of gradients for several `argnums`; zeros where the value
        doesn't depend on an argument.

    Raises
    ------
    GradientShapeError
        `function` gives more than one value.

    Examples
    --------
    >>> import numpy as np, pullback as pb
    >>> value, gradient = pb.value_and_grad(lambda x: np.sum(x * x))(np.array([1.0, 2.0]))
    >>> print(value, gradient)
    5.0 [2. 4.]
    """
    several = isinstance(argnums, Sequence)
    positions = tuple(map(index, argnums if isinstance(argnums, Sequence) else (argnums,)))

    @wraps(function)
    def with_grad(*args: Any, **kwargs: Any) -> tuple[Any, Any]:
        engine = current()
        given = list(args)
        for position in positions:
            if not -len(args) <= position < len(args):
                raise TypeError(f"argnums={position} of a call with {len(args)} positional arguments")
        with recording():
            for position in positions:
                given[position] = engine.tensor(_floats(args[position]), requires_grad=True)
            leaves = [given[position] for position in positions]
            value = function(*given, **kwargs)
        if engine_of(value) is None:
            raise TypeError(
                f"{getattr(function, '__name__', 'the function')} returned a {type(value).__name__}, not a "
                "tensor: "
                "compute the value from the arguments with NumPy's functions, without float() or .item()"
            )
        if not value.requires_grad:
            gradients = tuple(np.zeros(leaf.shape, leaf.dtype) for leaf in leaves)
            return _plain(value), gradients if several else gradients[0]
        found = grad(value, leaves, materialize_grads=True)
        gradients = tuple(gradient.numpy() for gradient in found)
        return _plain(value), gradients if several else gradients[0]

    return with_grad


def _floats(array: Any) -> Any:
    """Whole numbers as float64, as people write them; of a tensor its values."""
    if engine_of(array) is not None:
        _refuse_tangent(array)
        array = array.detach()
    array = np.asarray(array)
    return array.astype(np.float64) if array.dtype.kind in "iu" else array


def _plain(value: Any) -> Any:
    """The value as a NumPy scalar."""
    _refuse_tangent(value)
    return value.detach().numpy()[()]


def _refuse_tangent(tensor: Any) -> None:
    if forward_ad.has_tangent(tensor):
        raise NotDifferentiableError(
            "pb.value_and_grad gives arrays, and the tangent that this tensor carries would be lost: use "
            "pb.vjp, or x.detach()"
        )


def _run(
    outputs: Any,
    inputs: Any,
    given: Any,
    retain_graph: bool,
    create_graph: bool,
    allow_unused: bool,
    accumulate: bool,
) -> tuple[Any, ...]:
    """The engine's `run_backward`, after a check of the arguments; `inputs` of None: all leaves."""
    own = engine_of_type(type(outputs[0] if type(outputs) in (tuple, list) and outputs else outputs))
    if own is not None:
        found = own.start_backward(
            outputs, given, inputs, retain_graph, create_graph, allow_unused, accumulate
        )
        if found is not None:
            return found
    outs = _several(outputs)
    engine = _engine(outs)
    targets = None if inputs is None and accumulate else _several(inputs)
    if targets is not None:
        _check_inputs(engine, targets)
    seeds = _seeds(engine, outs, given)
    return forward_ad.run(engine, outs, seeds, targets, retain_graph, create_graph, allow_unused, accumulate)


def _zeros(tensor: Any, requires_grad: bool) -> Any:
    engine = engine_of_type(type(tensor))
    assert engine is not None
    return engine.tensor(np.zeros(tensor.shape, tensor.dtype), requires_grad)


def _several(tensors: Any) -> tuple[Any, ...]:
    """The items of an iterable; anything with a shape is one value."""
    if isinstance(tensors, Iterable) and not hasattr(tensors, "shape"):
        return tuple(tensors)
    return (tensors,)


def _engine(outputs: Sequence[Any]) -> Engine:
    """The outputs' engine; each must be a tensor that requires grad."""
    if not outputs:
        raise UnusedInputError("there is no output to take a gradient of")
    first: Engine | None = None
    for output in outputs:
        engine = engine_of_type(type(output))
        if engine is None:
            refuse_foreign(output)
            raise TypeError(f"gradients are taken of tensors, not of {type(output).__name__}")
        if not output.requires_grad:
            raise NotDifferentiableError(
                "this output doesn't require grad: none of its inputs did, it was computed under "
                "pb.no_grad(), or through a function whose derivative is zero"
            )
        if first is not None and engine is not first:
            raise mismatch(first.name, engine.name)
        first = engine
    assert first is not None
    return first


def _check_inputs(engine: Engine, inputs: Sequence[Any]) -> None:
    if not inputs:
        raise UnusedInputError(
            "there is no input to take a gradient by; backward without inputs is by all leaves"
        )
    for position, tensor in enumerate(inputs):
        found = engine_of_type(type(tensor))
        if found is None:
            refuse_foreign(tensor)
            raise TypeError(
                f"gradients are taken by tensors, and input {position} is a {type(tensor).__name__}"
            )
        if found is not engine:
            raise mismatch(engine.name, found.name)
        if not tensor.requires_grad:
            raise NotDifferentiableError(
                f"input {position} doesn't require grad; make it with requires_grad=True"
            )


def _seeds(engine: Engine, outputs: Sequence[Any], given: Any) -> tuple[Any, ...]:
    """A gradient per output, of its shape and dtype; None for ones."""
    seeds = (None,) * len(outputs) if given is None else _several(given)
    if len(seeds) != len(outputs):
        raise GradientShapeError(f"{len(outputs)} outputs got {len(seeds)} gradients")
    return tuple([_seed(engine, k, outputs[k], seed) for k, seed in enumerate(seeds)])


def _seed(engine: Engine, position: int, output: Any, seed: Any) -> Any:
    if seed is None:
        if output.size != 1:
            raise GradientShapeError(
                f"output {position} has shape {output.shape}: a gradient can be left out for a single "
                "value only. "
                "Pass one of its shape, or take the gradient of a sum"
            )
        require_real(output, f"output {position}")
        return None
    return matching(engine, seed, output, f"output {position}", "gradient")
