"""The choice of the engine, and the interface of one.

An engine is a module (`pullback.engine.reference`, `pullback.engine.native`)
that satisfies the protocol `Engine` below. Everything else, the methods of
tensors, `pb.grad`, NumPy's dispatch, the printed tape, is written once on top
of it.

Its type `Tensor` implements these itself:

``_array``              the NumPy array underneath (read only by convention)
``_version``            how often the memory was written, shared by all tensors that share memory
``_written_at``         the engine's `write_clock` at the last write; 0 before the first
``_written``            "file:line by x += value" of the last write
``_bump_version(what)`` count a write, and remember where the caller stands and what it is ("x += value")
``_storage``            an object that all tensors share which share memory
``_base``               the tensor that a view is a view of, no view itself; None for what is no view
``_made``               how a view was made, a constant of `views`; None for what is no view
``_rebase(result)``     take over a result's place in the graph, as its values were written into this memory
``shape dtype ndim size``
``requires_grad``       read and write; ``requires_grad_(flag=True)`` writes it and returns the tensor
``grad``                read and write: a tensor of the same engine or None
``grad_fn``             the node, or None for a leaf; has ``name`` (operator), ``next_functions``
``output_nr``           which of its outputs, 0 for a leaf
``is_leaf``             no ``grad_fn``
``is_inference()``      whether the memory was made in inference mode
``name``                read and write: str or None, for the printed tape
``detach()``            the same memory and version counter, no history
``register_hook(f)``    a handle with ``remove()``; f(grad) -> replacement or None, run on the summed gradient
``register_post_accumulate_grad_hook(f)``  likewise for leaves; f(tensor) after its `grad` was added to
``retain_grad()``       the gradient of a tensor that is no leaf goes to its ``grad`` too, after its hooks
``_exported()``         array over the same memory for ``.numpy()``: read-only while the value is saved

and gets everything else by ``methods.install(Tensor)`` (an engine may keep its
own faster ones: what the type already defines in its own ``__dict__`` stays).
It registers itself by ``pullback.engine.tensor.base.Tensor.register(Tensor)``.

Rules both engines keep, so that results agree to the last bit:

* Grad mode is one context variable for both, `grad_mode.ENABLED`: calls are recorded where it is True.
* A result requires grad when calls are recorded, its index is not in
  ``operator.nondifferentiable``, its dtype is a float or complex, and some tensor among the
  *differentiable* inputs requires grad. Unless ``operator.complex``, a complex result is then
  refused, and so is a complex input that requires grad.
* Gradients are ``dL/da + i dL/db`` of a value a + ib; that of a real value is real. An operator
  whose ``of_other_dtypes`` is for the inputs' dtypes is called as that one.
* A node gets a sequence number larger than any before; a leaf's accumulating
  node gets one when it is first reached. Nodes run in falling order of it.
* A node with no defined gradient among its outputs doesn't run, nor one that leads to
  nothing that was asked for.
* Hooks run in the order that `hooks` states. An error that comes out of a node's run,
  its hooks included, gets a note by `anomaly.explain`.
* A backward inside of a backward more than `reentrant.MOST_NESTED` deep in one thread
  runs in a fresh one, in the same context.
* Gradients that meet are added in the order in which they arrive: nodes in their
  order, within a node by input, within a list by position. The sum is the
  operator ``accumulate``.
* What a node saves: the entries of ``operator.saved`` that
  ``operator.backward(all differentiable outputs defined, needed).reads`` names.
  Inputs are saved as the tensor, outputs as memory plus (node, output number).
  All arrays are let go after a backward without ``retain_graph``; a node that
  had any and runs again raises GraphFreedError. Sizes and numbers stay.
* Unpacking a saved tensor whose version changed raises SavedVariableError.
* With ``create_graph`` a variant runs on tensors with grad mode on, else on
  arrays with grad mode off. With ``operator.barrier`` it always runs on arrays,
  and with ``create_graph`` its gradients hang on a barrier node, with the
  node's edges and those of the incoming gradients, that raises BarrierError.
* In a backward `needed` is true for inputs whose edges lead to what was asked for.
* A gradient that is handed out, or put into a `grad`, owns its memory unless it is
  part of a graph; adding to a `grad` makes a new tensor.
* A result that shares memory with an input shares its version counter, and is a view of it,
  or of its base. It is PLAIN if the operator has ``plain_views``, else BY_FORMULA, and
  UNRECORDED with grad mode off; a view of a view that is not PLAIN is as that.
* A base counts the recorded writes into it and its views (`_rebase`). A view whose history was
  made before the last one calls `views.renew` on itself when anybody asks for its history.
* What is saved of a tensor is its memory and its place in the graph at that time; only a leaf
  that requires grad is kept as such.
"""

from __future__ import annotations

import importlib
import os
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Lock
from types import TracebackType
from typing import Any, Protocol, cast

import numpy as np

from .errors import EngineMismatchError, EngineUnavailableError, StaleModuleError
from .foreign import refuse_foreign
from .operator import as_input

Observer = Callable[[Any, Sequence[Any], Mapping[str, Any], tuple[Any, ...]], None]


class Engine(Protocol):
    """The interface of an engine: a module with these functions."""

    name: str
    Tensor: Any

    def tensor(self, array: Any, requires_grad: bool = False, name: str | None = None) -> Any:
        """A leaf that owns a copy of the array. Only float and complex dtypes may require grad."""

    def from_numpy(self, array: Any) -> Any:
        """A leaf that shares the array's memory."""

    def apply(self, operator: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """Call an `Operator` with at least one tensor among its arguments and record it.

        Arguments are as the caller gave them: ``operator.bind(args, kwargs)`` sorts
        them. Returns a tensor, or a tuple where ``operator.result_is_tuple``.
        A tensor of another engine raises EngineMismatchError (`dispatch.mismatch`).
        """

    def run_backward(
        self,
        outputs: Sequence[Any],
        grad_outputs: Sequence[Any],
        inputs: Sequence[Any] | None,
        retain_graph: bool,
        create_graph: bool,
        allow_unused: bool,
        accumulate: bool,
    ) -> tuple[Any, ...]:
        """Send gradients from outputs to inputs.

        outputs       tensors that require grad
        grad_outputs  a tensor of the output's shape for each, or None for ones
                      (the output must have one element then); checked by the caller
        inputs        tensors whose gradients are wanted; None: every leaf reached
        allow_unused  False raises UnusedInputError where a gradient is undefined
        accumulate    True adds into the inputs' `grad` and returns (); False returns
                      a gradient per input, None where undefined
        """
        ...

    def start_backward(
        self,
        outputs: Any,
        grad_outputs: Any,
        inputs: Any,
        retain_graph: bool,
        create_graph: bool,
        allow_unused: bool,
        accumulate: bool,
    ) -> tuple[Any, ...] | None:
        """`run_backward`, if the engine finds that nothing is left to check; else None.

        Arguments are as the caller of `functional.grad` gave them; `inputs` of None
        with `accumulate` means every leaf. Nothing was done where it returns None,
        as it does while an observer is set: `run_backward` is asked then.
        """
        ...

    def write_clock(self) -> int:
        """A number higher than the `_written_at` of all writes so far, lower than those of all to come."""
        ...

    def current_pass(self) -> Any:
        """The innermost `backward_pass.BackwardPass` that runs in this thread, or None."""

    def set_observer(self, observer: Observer | None) -> None:
        """Have observer(operator, inputs, attributes, results) called after each `apply`, for the tape."""

    def set_packing(self, pack: Callable[[Any], Any] | None) -> None:
        """Give each tensor that is saved to `saved_hooks.pack`, and keep what that returns unless None."""

    def set_anomaly(self, enabled: bool, check_nan: bool) -> None:
        """Keep ``anomaly.stack()`` in nodes that are recorded; call ``anomaly.check_nan``."""


NAMES = ("reference", "native")
_SELECTED: ContextVar[str | None] = ContextVar("pullback_engine", default=None)
_LOADED: dict[str, Engine] = {}
# Types of what is no tensor and no array of another library, as most arguments are.
_PLAIN_TYPES = frozenset({
    np.ndarray, float, int, bool, complex, type(None), str, type(Ellipsis), slice, type, np.dtype,
    *np.sctypeDict.values(),
})  # fmt: skip
_ENGINE_OF_TYPE: dict[type, Engine] = {}


def load(name: str) -> Engine:
    """The engine of this name; EngineUnavailableError where it is unknown or not built."""
    engine = _LOADED.get(name)
    if engine is None:
        if name not in NAMES:
            raise EngineUnavailableError(f"there is no engine {name!r}; there are {', '.join(NAMES)}")
        try:
            module = importlib.import_module(f"pullback.engine.{name}")
            if not hasattr(module, "run_backward"):
                raise ImportError("its extension module is missing")
            engine = cast(Engine, module)
        except ImportError as error:
            if isinstance(error, StaleModuleError):
                warnings.warn(f"{error}; the reference engine runs meanwhile", RuntimeWarning, stacklevel=2)
            raise EngineUnavailableError(
                f"the {name} engine is not built here ({error}); use_engine('reference') always works"
            ) from error
        _LOADED[name] = engine
        _ENGINE_OF_TYPE[engine.Tensor] = engine
    return engine


def available() -> tuple[str, ...]:
    """Names of the engines that can be loaded here."""

    def loads(name: str) -> bool:
        try:
            load(name)
        except EngineUnavailableError:
            return False
        return True

    return tuple(name for name in NAMES if loads(name))


def _default() -> str:
    """PULLBACK_ENGINE where it is set, else native where it is built."""
    return os.environ.get("PULLBACK_ENGINE") or available()[-1]


def current() -> Engine:
    """The engine that new tensors belong to, in this thread and task."""
    name = _SELECTED.get()
    if name is None:
        global _DEFAULT
        name = _DEFAULT = _DEFAULT or _default()
    return load(name)


_DEFAULT: str | None = None


class use_engine:
    """Choose the engine for new tensors, in this thread and task.

    A plain call switches from here on; in a ``with`` statement the engine before
    the call comes back at its end.

    Parameters
    ----------
    name : {"native", "reference"}
        The engine.

    Raises
    ------
    EngineUnavailableError
        An unknown name, or an engine that is not built.

    Examples
    --------
    >>> import pullback as pb
    >>> with pb.use_engine("reference"):
    ...     x = pb.tensor([1.0])
    """

    def __init__(self, name: str) -> None:
        load(name)
        self._before = _SELECTED.get()
        _SELECTED.set(name)

    def __enter__(self) -> use_engine:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _SELECTED.set(self._before)


def tensors_in(values: Sequence[Any]) -> Iterator[Any]:
    """Tensors of any engine among the values, lists and tuples entered."""
    for value in values:
        kind = type(value)
        if kind in _ENGINE_OF_TYPE:
            yield value
        elif kind is list or kind is tuple:
            yield from tensors_in(value)


def engine_of(*values: Any) -> Engine | None:
    """The engine of the tensors among the values; None without any.

    Raises EngineMismatchError where tensors of two engines meet, ForeignArrayError for an array of
    another library.
    """
    found: Engine | None = None
    for value in values:
        kind = type(value)
        engine = _ENGINE_OF_TYPE.get(kind)
        if engine is None and kind not in _PLAIN_TYPES:
            if kind is list or kind is tuple:
                engine = engine_of(*value)
            else:
                refuse_foreign(value)
        if engine is not None and engine is not found:
            found = engine if found is None else _wrapping(found, engine)
    return found


def _wrapping(first: Engine, second: Engine) -> Engine:
    """Of two engines that meet in a call, the one whose tensors hold tensors of the other."""
    for engine in (first, second):
        if getattr(engine, "wraps", False):
            return engine
    raise mismatch(first.name, second.name)


def register(kind: type, engine: Engine) -> None:
    """Have an engine called for tensors of a type, beside the two that `load` knows."""
    _ENGINE_OF_TYPE[kind] = engine


def engine_of_type(kind: type) -> Engine | None:
    """The engine whose tensors are of this type; None for any other type."""
    return _ENGINE_OF_TYPE.get(kind)


def mismatch(first: str, second: str) -> EngineMismatchError:
    """The error for tensors of two engines in one call."""
    return EngineMismatchError(
        f"tensors of the {first} and of the {second} engine meet in one call; "
        "make both under the same pb.use_engine(...), or pass one as x.detach().numpy()"
    )


def apply(operator: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """Call an operator: recorded by the engine of its tensors, plain arrays in and out without any."""
    engine = engine_of(*args, *kwargs.values())
    if engine is not None:
        return engine.apply(operator, args, kwargs)
    given, attributes = operator.bind(args, kwargs)
    inputs = tuple(map(as_input, operator.inputs, given))
    results = operator.forward(inputs, attributes)[: operator.n_results]
    return tuple(results) if operator.result_is_tuple else results[0]


_OBSERVERS: list[Observer] = []
_OBSERVERS_CHANGE = Lock()  # the engines see what the list holds


@contextmanager
def observing(observer: Observer) -> Iterator[None]:
    """Call the observer after each operator on any engine, until the end of the block."""
    with _OBSERVERS_CHANGE:
        _OBSERVERS.append(observer)
        _set_observers()
    try:
        yield
    finally:
        with _OBSERVERS_CHANGE:
            _OBSERVERS.remove(observer)
            _set_observers()


def _set_observers() -> None:
    for name in available():
        load(name).set_observer(_notify if _OBSERVERS else None)


def _notify(
    operator: Any, inputs: Sequence[Any], attributes: Mapping[str, Any], results: tuple[Any, ...]
) -> None:
    for observer in tuple(_OBSERVERS):
        observer(operator, inputs, attributes, results)
