"""A printed tape: each step of a program with named tensors, forward and backward.

The form is that of the notebook "Simple Grad": ``v1 = v0 * b`` for a step, and
after a backward ``dL0_db = v6`` for each gradient.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar, Token
from types import TracebackType
from typing import Any, TextIO

import numpy as np

from ...transpile.operators import OPERATORS
from ..core import dispatch
from ..core.dispatch import Engine
from ..core.errors import MutationError
from ..primitives.plumbing import Like
from .tape_program import Program, place

_ACTIVE: ContextVar[Tape | None] = ContextVar("pullback_tape", default=None)
RULE = "------------------------"


class Tape:
    """Prints each operator on tensors while a ``with`` block runs, and keeps the lines.

    Tensors without a name are called v0, v1, ... A backward is printed too; it is
    recorded for that, and `backward` (not `grad`) then runs hooks twice.

    >>> import pullback as pb
    >>> a = pb.tensor([1.0, 2.0], requires_grad=True, name="a")
    >>> with pb.tape():
    ...     y = a * a
    v0 = a * a
    """

    def __init__(self, file: TextIO | None = None) -> None:
        self.lines: list[str] = []
        self._file = file
        self._names = 0
        self._places: dict[Any, str] = {}
        self._seen: dict[int, Any] = {}
        self._observing: Any = None
        self._token: Token[Tape | None] | None = None
        self._program = Program(self.name)

    @property
    def source(self) -> str:
        """The same program as straight-line Python on arrays: a function of the tensors there were before.

        Forward and backward, a line each. It returns every value by its name.

        >>> import io, pullback as pb
        >>> a = pb.tensor([1.0, 2.0], requires_grad=True, name="a")
        >>> with pb.tape(io.StringIO()) as tape:
        ...     y = (a * a).sum()
        >>> print(tape.source[tape.source.index("def") :])
        def program(a):
            v0 = a * a
            v1 = np.sum(v0)
            return locals()
        <BLANKLINE>
        """
        return self._program.text

    def function(self) -> Callable[..., dict[str, Any]]:
        """`source` as a function, to run on other arrays or to step through: ``pdb.runcall(f, *arrays)``."""
        return self._program.function()

    def __str__(self) -> str:
        """The lines that were printed."""
        return "\n".join(self.lines)

    def __enter__(self) -> Tape:
        self._token = _ACTIVE.set(self)
        self._observing = dispatch.observing(self._observe)
        self._observing.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._observing.__exit__(kind, error, trace)
        if self._token is not None:
            _ACTIVE.reset(self._token)

    def name(self, tensor: Any) -> str:
        """The tensor's name; a new one where it has none."""
        if tensor.name is None:
            where = place(tensor)
            if where not in self._places:
                self._places[where] = f"v{self._names}"
                self._names += 1
            tensor.name = self._places[where]
        self._seen[id(tensor)] = tensor
        return str(tensor.name)

    def write(self, line: str) -> None:
        """Keep a line and print it."""
        self.lines.append(line)
        print(line, file=self._file or sys.stdout)

    def _observe(
        self, operator: Any, inputs: Sequence[Any], attributes: Mapping[str, Any], results: Sequence[Any]
    ) -> None:
        """Print a call, where this is the innermost tape of the thread and task that it comes from."""
        if _ACTIVE.get() is self:
            self.step(operator.name, inputs, attributes, results)

    def step(
        self, operator: str, inputs: Sequence[Any], attributes: Mapping[str, Any], results: Sequence[Any]
    ) -> None:
        """Print one call of an operator."""
        if operator in ("sum_to", "broadcast_like") and _same(inputs[0], results[0]):
            results[0].name = self.name(inputs[0])
            return
        self._program.step(operator, inputs, attributes, results)
        right = _expression(operator, [self._text(value) for value in inputs], attributes)
        self.write(f"{', '.join(map(self.name, results))} = {right}")
        if operator == "overwrite":
            self._seen.pop(id(results[0]))  # the tensor that was written takes its place

    def written(self, tensor: Any, result: Any) -> None:
        """Print that a tensor has the values of another now, or, where nothing is recorded, new ones."""
        name = self.name(tensor)
        if result is not None:
            self.write(f"{name} = {self.name(result)}")
        else:
            self.write(f"{name} = {_short(tensor._array)}, written in place")
        self._program.rebind(tensor, tensor._array.copy() if result is None else result)

    def _text(self, value: Any) -> str:
        if dispatch.engine_of(value) is None:
            return _short(value)
        if isinstance(value, (list, tuple)):
            return f"[{', '.join(map(self._text, value))}]"
        return self.name(value)

    def gradients(
        self, engine: Engine, outputs: Sequence[Any], seeds: Sequence[Any], retain_graph: bool
    ) -> dict[int, Any]:
        """Run a recorded backward, print its steps, and return the gradient of each tensor seen, by id."""
        title = "_".join(map(self.name, outputs))
        watched = [tensor for tensor in list(self._seen.values()) if _wants_gradient(tensor)]
        self.write(f"d{title} {RULE}")
        for output in outputs:
            self._program.see(output)
        self._program.note(f"d{title}")
        seeds = [self._seed(engine, *pair) for pair in zip(outputs, seeds, strict=True)]
        found = engine.run_backward(outputs, seeds, watched, retain_graph, True, True, False)
        by_id: dict[int, Any] = {}
        printed: set[str] = set()
        for tensor, gradient in zip(watched, found, strict=True):
            by_id[id(tensor)] = gradient
            if gradient is not None and tensor.name not in printed:
                printed.add(tensor.name)
                self.write(f"d{title}_d{tensor.name} = {self.name(gradient)}")
                self._program.alias(f"d{title}_d{tensor.name}", gradient)
        self.write(RULE)
        return by_id

    def _seed(self, engine: Engine, output: Any, seed: Any) -> Any:
        if seed is None:
            seed = engine.tensor(np.ones(output.shape, output.dtype))
            self.write(f"{self.name(seed)} = 1")
            self._program.assign([seed], f"np.ones({seed.shape}, np.{seed.dtype!r})")
        return seed

    def watch(self, tensors: Sequence[Any]) -> None:
        """Have the gradients of these printed as well."""
        for tensor in tensors:
            self.name(tensor)


def tape(file: TextIO | None = None) -> Tape:
    """A tape that prints each operator in a ``with`` block, to `file` or standard output.

    Parameters
    ----------
    file : file, optional
        Where to print; standard output if it is left out.

    Returns
    -------
    Tape
        For a ``with`` block.

    Examples
    --------
    >>> import pullback as pb
    >>> x = pb.tensor([1.0, 2.0], requires_grad=True, name="x")
    >>> with pb.tape():
    ...     y = x * x
    v0 = x * x
    """
    return Tape(file)


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
    """The engine's `run_backward`, printed where a tape is running."""
    active = _ACTIVE.get()
    rest = (inputs, retain_graph, create_graph, allow_unused, accumulate)
    if active is None:
        return engine.run_backward(outputs, seeds, *rest)
    active.watch(inputs or ())
    found = active.gradients(engine, outputs, seeds, retain_graph or accumulate)
    gradients = tuple(found[id(tensor)] for tensor in inputs or ())
    if accumulate or (not allow_unused and any(gradient is None for gradient in gradients)):
        token = _ACTIVE.set(None)
        try:
            return engine.run_backward(outputs, seeds, *rest)
        finally:
            _ACTIVE.reset(token)
    return gradients if create_graph else tuple(g if g is None else g.detach() for g in gradients)


def observe_write(tensor: Any, result: Any = None) -> None:
    """Print a write in place: of a recorded result, or of what nobody recorded."""
    active = _ACTIVE.get()
    if active is not None:
        active.written(tensor, result)


def observe_unrecorded(function: Any, args: Sequence[Any], kwargs: Mapping[str, Any], result: Any) -> None:
    """Print a function without a derivative, which no engine sees."""
    active = _ACTIVE.get()
    if active is not None and dispatch.engine_of(result) is not None:
        results = result if isinstance(result, (list, tuple)) else (result,)
        active.step(function.__name__, args, kwargs, results)


def _wants_gradient(tensor: Any) -> bool:
    try:
        return bool(tensor.requires_grad)
    except MutationError:  # a view that nobody may use any more
        return False


def _same(x: Any, y: Any) -> bool:
    return dispatch.engine_of(x) is not None and x.shape == y.shape and x.dtype == y.dtype


def _short(value: Any) -> str:
    """A constant, on one line."""
    if isinstance(value, Like):
        return str(value.shape)
    if isinstance(value, np.ndarray) and value.ndim:
        return f"<{value.dtype} {value.shape}>"
    return str(value)


def _expression(name: str, operands: list[str], attributes: Mapping[str, Any]) -> str:
    """The call as a person would write it."""
    info = OPERATORS.get(name)
    given = ((key, value) for key, value in attributes.items() if value is not None and value is not False)
    options = [f"{key}={_short(value)}" for key, value in given]
    if name == "getitem":
        return f"{operands[0]}[{attributes.get('index')}]"
    if info is not None and info.infix:
        return f" {info.infix} ".join(operands) if len(operands) > 1 else f"{info.infix}{operands[0]}"
    if info is not None and info.methods:
        return f"{operands[0]}.{info.methods[0]}({', '.join(operands[1:] + options)})"
    return f"{name}({', '.join(operands + options)})"
