"""Random programs of ordinary statements: what people write with NumPy, in no order that anybody thought of.

`Generator(random).program()` draws the text of ``program(x, y, z, s, idx, mask, *, n, scale, flag)``.
A statement that raises, or that leaves numbers too large to differentiate, is drawn again, so that every
program runs.
"""

from __future__ import annotations

import random
import re
import textwrap
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .grammar import GRAMMAR, LOOP_NAMES, NAMES

HEAD = "import numpy as np\nimport pullback as pb\n\n\n"
SIGNATURE = "def program(x, y, z, s, idx, mask, *, n: int, scale: float, flag: bool):"
TENSORS = {"x": (4,), "y": (4,), "z": (3, 4), "s": ()}
ATTRIBUTES: dict[str, Any] = {"n": 3, "scale": 0.75, "flag": True}
LARGEST, MOST = 50.0, 200


def arrays() -> dict[str, Any]:
    """Inputs: smooth numbers away from kinks, positions and a mask."""
    rng = np.random.default_rng(5)
    made: dict[str, Any] = {name: np.array(rng.uniform(0.4, 1.4, shape)) for name, shape in TENSORS.items()}
    return {**made, "idx": np.array([2, 0, 3, 0]), "mask": np.array([True, False, True, True])}


@dataclass(frozen=True)
class Scope:
    """Names that a statement may use; `own` ones may be assigned to. `inside` a block, few are new."""

    tensors: tuple[str, ...] = tuple(TENSORS)
    integers: tuple[str, ...] = ()
    lists: tuple[str, ...] = ()
    inside: bool = False

    @property
    def own(self) -> list[str]:
        """Tensors that are not inputs."""
        return [name for name in self.tensors if name not in TENSORS]

    def holding(self, **names: str) -> Scope:
        """With a name that now holds a tensor, an integer or a list, whatever it held before."""
        ((kind, name),) = names.items()
        without = {
            field: tuple(each for each in getattr(self, field) if each != name)
            for field in ("tensors", "integers", "lists")
        }
        return replace(self, **{**without, kind: (*without[kind], name)})

    @classmethod
    def left_by(cls, found: dict[str, Any]) -> Scope:
        """What a run has left."""
        given = {"idx", "mask", *ATTRIBUTES}
        held = {name: value for name, value in found.items() if name not in given}
        return cls(
            tuple(name for name, value in held.items() if isinstance(value, np.ndarray | np.floating)),
            tuple(name for name, value in held.items() if type(value) is int),
            tuple(name for name, value in held.items() if isinstance(value, list)),
        )


class Generator:
    """Draws programs from a source of random numbers."""

    def __init__(self, source: random.Random) -> None:
        self.random = source

    def program(self, statements: int | None = None) -> str:
        """The text of a program that runs, and whose numbers stay small."""
        lines: list[str] = []
        scope = Scope()
        for _ in range(statements or self.random.randint(3, 12)):
            for _ in range(6):
                candidate, _ = self._statement(scope, 2)
                if found := run([*lines, candidate]):
                    lines.append(candidate)
                    scope = Scope.left_by(found)
                    break
        return text_of([*lines, self._last(scope, lines)])

    def _last(self, scope: Scope, lines: Sequence[str]) -> str:
        """The return: of the last tensor, of sums of several, or of two."""
        names = [name for name in scope.own if run([*lines, f"return {name}"]) is not None] or ["x * 1.0"]
        some = [self._pick(names) for _ in range(3)]
        ways = [names[-1], " + ".join(f"np.sum({name})" for name in [names[-1], *some])]
        if not any("return" in line for line in lines):  # another way out gives one result
            ways.append(f"{names[-1]}, {some[0]}")
        return f"return {self._pick(ways)}"

    # Statements: each is a text, and the scope behind it.

    def _statement(self, scope: Scope, depth: int) -> tuple[str, Scope]:
        kinds = [self._assign] * 5 + [self._write] * 4 + [self._fresh] * 3 + [self._augment] * 2
        kinds += [self._append, self._number, self._pair, *([self._list] * 2)]
        if depth:
            kinds += [self._for] * 4 + [self._if] * 2
        if depth == 2 and self.random.random() < 0.3:
            kinds.append(self._return)
        return self._pick(kinds)(scope, depth)

    def _block(self, scope: Scope, depth: int) -> str:
        lines, scope = [], replace(scope, inside=True)
        for _ in range(self.random.randint(1, 3)):
            line, scope = self._statement(scope, depth)
            lines.append(line)
        return textwrap.indent("\n".join(lines), "    ")

    def _assign(self, scope: Scope, depth: int) -> tuple[str, Scope]:
        name, value = self._name(scope), self._draw("expr", scope)
        return f"{name} = {value}" + " * 1.0" * value.isidentifier(), scope.holding(tensors=name)

    def _pair(self, scope: Scope, depth: int) -> tuple[str, Scope]:
        a, b = self._name(scope), self._name(scope)
        text = f"{a}, {b} = {self._draw('expr', scope)}, {self._draw('expr', scope)}"
        return text, scope.holding(tensors=a).holding(tensors=b)

    def _number(self, scope: Scope, depth: int) -> tuple[str, Scope]:
        name = self._pick(("q", "p", "count", "half"))
        return f"{name} = {self._draw('number', scope)} + 1", scope.holding(integers=name)

    def _fresh(self, scope: Scope, depth: int) -> tuple[str, Scope]:
        name = self._name(scope)
        return f"{name} = {self._draw('fresh', scope)}", scope.holding(tensors=name)

    def _write(self, scope: Scope, depth: int) -> tuple[str, Scope]:
        if not scope.own:
            return self._fresh(scope, depth)
        target = f"{self._pick(scope.own)}[{self._draw('index', scope)}]"
        return f"{target} {self._pick(('=', '=', '=', '+=', '*=', '-='))} {self._draw('value', scope)}", scope

    def _augment(self, scope: Scope, depth: int) -> tuple[str, Scope]:
        if not scope.own:
            return self._fresh(scope, depth)
        return f"{self._pick(scope.own)} {self._pick(('+=', '*=', '-='))} {self._draw('value', scope)}", scope

    def _list(self, scope: Scope, depth: int) -> tuple[str, Scope]:
        name = self._pick(("items", "rows", "parts", "steps"))
        return f"{name} = {self._draw('items', scope)}", scope.holding(lists=name)

    def _append(self, scope: Scope, depth: int) -> tuple[str, Scope]:
        if not scope.lists:
            return self._list(scope, depth)
        name, value = self._pick(scope.lists), self._draw("expr", scope)
        return self._pick((f"{name}.append({value})",) * 4 + (f"{name}[0] = {value}",)), scope

    def _for(self, scope: Scope, depth: int) -> tuple[str, Scope]:
        item, inner = self._pick(LOOP_NAMES), scope.holding(tensors="e")
        form = self._pick(("range",) * 5 + ("list", "array", "enumerate", "zip"))
        if form == "list" and scope.lists:
            over = self._pick(scope.lists)
            head = f"for e in {over}:"
            # A list that grows while it is looped over has no end.
            inner = replace(inner, lists=tuple(name for name in scope.lists if name != over))
        elif form == "array":
            head = f"for e in {self._pick(scope.tensors)}:"
        elif form == "enumerate":
            head = f"for {item}, e in enumerate({self._pick(scope.tensors)}):"
            inner = inner.holding(integers=item)
        elif form == "zip":
            head = f"for e, f in zip({self._pick(scope.tensors)}, {self._pick(scope.tensors)}):"
            inner = inner.holding(tensors="f")
        else:
            head = f"for {item} in {self._draw('rounds', scope)}:"
            inner = scope.holding(integers=item)
        text = f"{head}\n{self._block(inner, depth - 1)}"
        if item in inner.integers and self.random.random() < 0.1:
            text += f"\n    if {item} == 1:\n        {self._pick(('break', 'continue'))}"
        return text, scope

    def _if(self, scope: Scope, depth: int) -> tuple[str, Scope]:
        text = f"if {self._draw('condition', scope)}:\n{self._block(scope, depth - 1)}"
        if self.random.random() < 0.7:
            text += f"\nelse:\n{self._block(scope, depth - 1)}"
        return text, scope

    def _return(self, scope: Scope, depth: int) -> tuple[str, Scope]:
        return f"if {self._draw('condition', scope)}:\n    return {self._draw('expr', scope)}", scope

    # Texts of the grammar.

    def _pick(self, options: Sequence[Any]) -> Any:
        return options[self.random.randrange(len(options))]

    def _name(self, scope: Scope) -> str:
        again = self.random.random() < (0.75 if scope.inside else 0.3)
        return self._pick(scope.own) if scope.own and again else self._pick(NAMES)

    def _draw(self, kind: str, scope: Scope, depth: int = 2) -> str:
        """A text of this kind, expressions nested so deep."""
        names = {"tensor": scope.tensors, "integer": scope.integers or ("n", "1"), "list": scope.lists}
        if kind in names:
            return self._pick(names[kind])
        if kind == "expr":
            kind, depth = (
                ("leaf", depth) if depth == 0 or self.random.random() < 0.15 else ("expr", depth - 1)
            )
        chosen = self._pick([text for text in GRAMMAR[kind] if scope.lists or "<list>" not in text])
        return re.sub(r"<(\w+)>", lambda hole: self._draw(hole[1], scope, depth), chosen)


def text_of(lines: Sequence[str]) -> str:
    """The text of a file with a program of these statements."""
    return f"{HEAD}{SIGNATURE}\n" + textwrap.indent("\n".join(lines), "    ") + "\n"


def run(lines: Sequence[str]) -> dict[str, Any] | None:
    """The names that statements leave, or None where they raise or leave large numbers."""
    body = textwrap.indent("\n".join([*lines, "return dict(locals())"]), "    ")
    namespace: dict[str, Any] = {"np": np}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            exec(f"def program(x, y, z, s, idx, mask, n, scale, flag):\n{body}", namespace)
            found = namespace["program"](**arrays(), **ATTRIBUTES)
    except Exception:
        return None
    if isinstance(found, dict):
        parts = [each for held in found.values() for each in (held if isinstance(held, list) else [held])]
        return found if all(map(_is_small, parts)) else None
    results = found if isinstance(found, tuple) else (found,)
    floats = all(isinstance(each, np.ndarray | np.floating) and each.dtype.kind == "f" for each in results)
    return {} if floats and all(map(_is_small, results)) else None


def _is_small(value: Any) -> bool:
    if not isinstance(value, np.ndarray | np.floating):
        return True
    return value.size <= MOST and bool(np.all(np.isfinite(value)) and np.all(np.abs(value) < LARGEST))
