"""A recorded tape as straight-line Python: a function to read, to run, and to step through.

Each step is a line, forward and backward alike; nothing in it is recorded, it
computes with arrays. Its parameters are the tensors that were there before.
"""

from __future__ import annotations

import keyword
import linecache
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any
from weakref import WeakMethod

import numpy as np

from ...transpile.operators import OPERATORS
from ..core.dispatch import engine_of
from ..core.registry import FORMULAS
from ..primitives.plumbing import Like

_FILES = count(1)
_MODULES = {
    "numpy": "np",
    "scipy.special": "special",
    "pullback": "pb",
    "pullback.primitives": "primitives",
}


@dataclass
class _Step:
    """A recorded call: its node, its line, the names of its results and hidden outputs, its arguments."""

    node: Any
    line: int
    names: list[str]
    arguments: str
    hidden: list[str] = field(default_factory=list)


class Program:
    """The lines of a straight-line function, as they come."""

    def __init__(self, name_of: Callable[[Any], str]) -> None:
        self._name_of = WeakMethod(name_of)  # of the tape, which holds the program
        self._lines: list[str] = []
        self._parameters: list[str] = []
        self._bound: set[str] = set()
        self._known: dict[Any, str] = {}
        self._constants: dict[str, Any] = {}
        self._calls: dict[int, _Step] = {}

    def _name(self, tensor: Any) -> str:
        name_of = self._name_of()
        assert name_of is not None, "a program grows while there is its tape"
        return name_of(tensor)

    @property
    def text(self) -> str:
        """A module with the function, which returns every value by name."""
        body = self._lines or ["pass"]
        imports = [
            "import numpy as np",
            "from scipy import special",
            "",
            "import pullback as pb",
            "from pullback import primitives",
            "",
            "",
        ]
        head = f"def program({', '.join(self._parameters)}):"
        return "\n".join([*imports, head, *(f"    {line}" for line in body), "    return locals()", ""])

    def function(self) -> Callable[..., dict[str, np.ndarray[Any, Any]]]:
        """The function, compiled with its text at hand for a debugger."""
        path = f"<tape {next(_FILES)}>"
        text = self.text
        linecache.cache[path] = (len(text), None, text.splitlines(keepends=True), path)
        namespace: dict[str, Any] = dict(self._constants)
        exec(compile(text, path, "exec"), namespace)
        made: Callable[..., dict[str, np.ndarray[Any, Any]]] = namespace["program"]
        return made

    def step(
        self, operator: str, inputs: Sequence[Any], attributes: Mapping[str, Any], results: Sequence[Any]
    ) -> None:
        """Add a call of an operator."""
        operands = [self._value(value) for value in inputs]
        right = self._call(operator, operands, attributes)
        self.assign(results, right)
        node = next((result.grad_fn for result in results if result.grad_fn is not None), None)
        if node is not None:
            names = self._lines[-1].partition(" = ")[0].split(", ")
            given = {key: self._value(value) for key, value in attributes.items()}
            self._calls[id(node)] = _Step(node, len(self._lines) - 1, names, _arguments(operands, given))

    def assign(self, results: Sequence[Any], right: str) -> None:
        """Add a line that gives these tensors their values."""
        names = [self._fresh(result) for result in results]
        self._lines.append(f"{', '.join(names)} = {right}")

    def see(self, tensor: Any) -> None:
        """Have a line for a tensor's name, where it was given one since."""
        self._tensor(tensor)

    def note(self, line: str) -> None:
        """Add a comment."""
        self._lines.append(f"# {line}")

    def alias(self, name: str, tensor: Any) -> None:
        """Add a name for a value that has one."""
        self._lines.append(f"{_identifier(name)} = {self._value(tensor)}")

    def rebind(self, tensor: Any, value: Any) -> None:
        """Give a tensor's name another value: it was written in place."""
        right = self._value(value)
        self._lines.append(f"{self._fresh(tensor)} = {right}")

    def _fresh(self, tensor: Any) -> str:
        name = _identifier(self._name(tensor))
        self._bound.add(name)
        self._known[place(tensor)] = name
        return name

    def _tensor(self, tensor: Any) -> str:
        """A tensor's name: a parameter where nothing here made it, an alias where it was renamed."""
        name = _identifier(self._name(tensor))
        if name in self._bound:
            return name
        before = self._known.get(place(tensor))
        if before is None and self._bind_hidden(tensor, name):
            pass
        elif before is None:
            self._parameters.append(name)
        else:
            self._lines.append(f"{name} = {before}")
        self._bound.add(name)
        self._known[place(tensor)] = name
        return name

    def _bind_hidden(self, tensor: Any, name: str) -> bool:
        """Have the call that made a hidden output return it, now that a backward reads it."""
        step = self._calls.get(id(tensor.grad_fn))
        if step is None:
            return False
        operator = step.node.operator
        entry = FORMULAS.operator(operator.name)
        hidden = tensor.output_nr - operator.n_results
        if hidden < 0 or not hasattr(entry, "promoted"):
            return False
        step.hidden = step.hidden or ["_"] * operator.n_hidden
        step.hidden[hidden] = name
        callee = f"{_identifier(operator.name)}_formula"
        self._constants[callee] = entry
        self._lines[step.line] = (
            f"{', '.join([*step.names, *step.hidden])} = {callee}.promoted({step.arguments})"
        )
        return True

    def _value(self, value: Any) -> str:
        if type(value) in (list, tuple):
            inside = ", ".join(map(self._value, value))
            return f"[{inside}]" if type(value) is list else f"({inside}{',' if len(value) == 1 else ''})"
        if engine_of(value) is not None:
            return self._tensor(value)
        if isinstance(value, Like):
            return f"primitives.Like({value.shape}, np.{value.dtype!r})"
        if isinstance(value, np.dtype):
            return f"np.{value!r}"
        if isinstance(value, slice):
            return f"slice({', '.join(map(self._value, (value.start, value.stop, value.step)))})"
        if value is None or value is Ellipsis or isinstance(value, (bool, int, float, str)):
            return repr(value)
        name = f"c{len(self._constants)}"
        self._constants[name] = value
        return name

    def _call(self, operator: str, operands: list[str], attributes: Mapping[str, Any]) -> str:
        info = OPERATORS.get(operator)
        given = {key: self._value(value) for key, value in attributes.items()}
        if operator == "getitem":
            return f"{operands[0]}[{given['index']}]"
        if operator == "overwrite":
            return f"primitives.put_region({_arguments(operands, given)})"
        if info is None:
            entry = FORMULAS.operator(operator)
            name = _identifier(operator)
            self._constants[name] = entry
            return f"{name}({_arguments(operands, given)})"
        if info.infix:
            return f" {info.infix} ".join(operands) if len(operands) > 1 else f"{info.infix}{operands[0]}"
        if operator in ("astype", "reshape"):  # NumPy's names of these arguments are not ours
            return f"{operands[0]}.{operator}({', '.join([*operands[1:], *given.values()])})"
        module, _, function = info.python.rpartition(".")
        return (
            f"{_MODULES.get(module, module.replace('numpy', 'np'))}.{function}({_arguments(operands, given)})"
        )


def place(tensor: Any) -> Any:
    """The address of the values, by which a saved result has its name back when a backward reads it."""
    array = tensor._array
    return array.__array_interface__["data"][0], array.shape, array.strides, array.dtype


def _arguments(operands: list[str], attributes: Mapping[str, str]) -> str:
    named = (f"{key}={value}" for key, value in attributes.items() if value not in ("None", "False"))
    return ", ".join([*operands, *named])


def _identifier(name: str) -> str:
    """The name as Python takes it."""
    letters = "".join(letter if letter.isalnum() or letter == "_" else "_" for letter in name)
    return f"_{letters}" if not letters or letters[0].isdigit() or keyword.iskeyword(letters) else letters
