"""Random programs of ordinary statements: what people write with NumPy, in no order that anybody thought of.

`Generator(random).program()` draws the text of ``program(x, y, z, s, idx, mask, *, n, scale, flag)``.
A statement that raises, or that leaves numbers too large to differentiate, is drawn again, so that every
program runs on the arrays of its case.
"""

from __future__ import annotations

import ast
import functools
import itertools
import math
import random
import re
import textwrap
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

import pullback as pb

from .cases import HOMES, USUAL, Case
from .grammar import FILLED_LISTS, GRAMMAR, NAMES
from .loops import Loops
from .scope import Scope, kind_of

HEAD = "import functools\nimport itertools\nimport math\n\nimport numpy as np\nimport pullback as pb\n\n\n"
SIGNATURE = (
    "def program(x, y, z, s, idx, mask, *, n: int, scale: float, flag: bool, weights: 'tuple[float, ...]', "
    "table: 'tuple[tuple[float, float], ...]', hops: 'tuple[int, ...]'):"
)
LARGEST, MOST = 50.0, 1000
RAISED = "raised by the program"
_NAMED = {
    "tensor": "tensors",
    "integer": "integers",
    "real": "floats",
    "list": "lists",
    "dictionary": "dictionaries",
    "tuple": "tuples",
    "integer_array": "positions",
    "bool_array": "masks",
    "function": "functions",
}
_WITHOUT = {"integer": ("n", "1"), "real": ("scale",), "integer_array": ("idx",), "bool_array": ("mask",)}


class Generator:
    """Draws programs from a source of random numbers, for a case that it picks unless it is given.

    They are of a few statements, `mostly_loops`, or of any.
    """

    def __init__(self, source: random.Random, case: Case | None = None, mostly_loops: bool = False) -> None:
        self.random, self.mostly_loops = source, mostly_loops
        self.loops = Loops(self)
        if case is None:
            case = USUAL if source.random() < 0.5 else HOMES[source.randrange(len(HOMES))]
        self.case = case

    def program(self, statements: int | None = None) -> str:
        """The text of a program that runs, and whose numbers stay small."""
        most = 5 if self.mostly_loops else 12
        lines = self._drawn([], statements or self.random.randint(3, most))
        return text_of([*lines, self._last(self._scope_after(lines), lines)])

    def without(self, text: str, line: int) -> str | None:
        """A program without the statement of a line and those that then raise; None where it is the last."""
        function = ast.parse(text).body[-1]
        assert isinstance(function, ast.FunctionDef)
        *statements, last = function.body
        if not line < last.lineno:
            return None
        lines: list[str] = []
        for each in statements:
            candidate = [*lines, ast.unparse(each)]
            held = each.lineno <= line <= (each.end_lineno or each.lineno)
            if not held and run(candidate, self.case):
                lines = candidate
        if len(lines) == len(statements):  # refused as a whole, at its `def`
            return None
        ending = ast.unparse(last)
        if run([*lines, ending], self.case) is None:
            ending = self._last(self._scope_after(lines), lines)
        return text_of([*lines, ending])

    def long_program(self, statements: int, reads: Callable[[str], bool]) -> str:
        """One of at least so many statements, which `reads` accepts: eight are drawn at a time."""
        lines: list[str] = []
        while len(lines) < statements:
            more = self._drawn(lines, len(lines) + 8)
            if reads(text_of([*more, "return x * 1.0"])):
                lines = more
        return text_of([*lines, self._last(self._scope_after(lines), lines)])

    def _drawn(self, lines: Sequence[str], count: int) -> list[str]:
        """These statements, and about as many as are missing."""
        drawn, scope = list(lines), self._scope_after(lines)
        for _ in range(count - len(lines)):
            for _ in range(6):
                candidate, _ = self._statement(scope, 2)
                if found := run([*drawn, candidate], self.case):
                    drawn.append(candidate)
                    scope = Scope.left_by(found)
                    break
        return drawn

    def _last(self, scope: Scope, lines: Sequence[str]) -> str:
        """The return: of the last tensor, of sums of several, or of two or three values."""
        usable = [name for name in scope.own if run([*lines, f"return {name}"], self.case) is not None]
        names = usable or ["x * 1.0"]
        some = [self.pick(names) for _ in range(3)]
        ways = [names[-1], " + ".join(f"np.sum({name})" for name in [names[-1], *some])]
        if not any("return" in line for line in lines):  # another way out gives one result
            ways += [f"{names[-1]}, {some[0]}", f"{some[1]}, {some[2]} * 1.0, np.sum({names[-1]})"]
            ways += [f"{names[-1]}, {name}" for name in (*scope.positions, *scope.masks)][:1]
        return f"return {self.pick(ways)}"

    # Statements: each is a text, and the scope behind it.

    def _statement(self, scope: Scope, depth: int) -> tuple[str, Scope]:
        kinds = [self._assign] * 6 + [self._write] * 4 + [self._fresh] * 3 + [self._augment] * 2
        kinds += [self._append, self._number, self._pair, self._array, self._unpack, *([self._list] * 2)]
        kinds += [self._starred, self._several_targets, self._slice_by_name]
        kinds += [self._chosen, self._chosen, self._dictionary, self._in_place_call, self._filled_list]
        if depth:
            kinds += [*self.loops.kinds() * (3 if self.mostly_loops else 1), *([self._if] * 2)]
        if depth == 2:
            kinds += [self._helper] * 2
            if self.random.random() < 0.3:
                kinds.append(self._return)
        return self.pick(kinds)(scope, depth)

    def block(self, scope: Scope, depth: int) -> str:
        lines, scope = [], replace(scope, inside=True)
        for _ in range(self.random.randint(1, 3)):
            line, scope = self._statement(scope, depth)
            lines.append(line)
        return textwrap.indent("\n".join(lines), "    ")

    def _assign(self, scope: Scope, depth: int) -> tuple[str, Scope]:
        name, value = self.name(scope), self.draw("expr", scope)
        return f"{name} = {value}" + " * 1.0" * value.isidentifier(), scope.holding(tensors=name)

    def _pair(self, scope: Scope, depth: int) -> tuple[str, Scope]:
        a, b = self.name(scope), self.name(scope)
        if len(scope.own) > 1 and self.random.random() < (0.5 if scope.inside else 0.2):
            return f"{(a := self.pick(scope.own))}, {(b := self.pick(scope.own))} = {b}, {a}", scope
        text = f"{a}, {b} = {self.draw('expr', scope)}, {self.draw('expr', scope)}"
        if scope.own and self.random.random() < 0.3:  # views of one array
            text = f"{a}, {b} = {(c := self.pick(scope.own))}[{self.draw('index', scope)}], {c}[1:]"
        return text, scope.holding(tensors=a).holding(tensors=b)

    def _unpack(self, scope: Scope, depth: int) -> tuple[str, Scope]:
        """Of a tuple, a list, a shape, or a tensor's rows."""
        form = self.random.randrange(5)
        a, b = self.name(scope), self.name(scope)
        if form == 0:
            return f"q, p = {self.pick(scope.tensors)}.shape", scope.holding(integers="q").holding(
                integers="p"
            )
        if form == 1:
            return f"pair = ({self.draw('expr', scope)}, {self.draw('expr', scope)})", scope.holding(
                tuples="pair"
            )
        if form == 2:
            c, values = self.name(scope), [self.draw("expr", scope) for _ in range(3)]
            text = f"{a}, ({b}, {c}) = {values[0]}, ({values[1]}, {values[2]})"
            return text, scope.holding(tensors=a).holding(tensors=b).holding(tensors=c)
        several = [*scope.tuples, *scope.lists] or scope.tensors
        text = f"{a}, {b} = {self.pick(several if form == 3 else scope.tensors)}"
        return text, scope.holding(tensors=a).holding(tensors=b)

    def _number(self, scope: Scope, depth: int) -> tuple[str, Scope]:
        if self.random.random() < 0.4:
            name = self.pick(("rate", "gain"))
            if name in scope.floats and self.random.random() < 0.4:
                return f"{name} *= 0.5", scope
            return f"{name} = {self.draw('float', scope)} + 0.1", scope.holding(floats=name)
        name = self.pick(("q", "p", "count", "half"))
        if name in scope.integers and self.random.random() < 0.5:
            return f"{name} {self.pick(('+= 1', '-= 1', '*= 2', '//= 2'))}", scope
        return f"{name} = {self.draw('number', scope)} + 1", scope.holding(integers=name)

    def _array(self, scope: Scope, depth: int) -> tuple[str, Scope]:
        """An array of integers or of bools."""
        if self.random.random() < 0.5:
            name = self.pick(("order", "places", "ids"))
            return f"{name} = {self.draw('positions', scope)} + 0", scope.holding(positions=name)
        name = self.pick(("valid", "chosen"))
        return f"{name} = {self.draw('mask', scope)}", scope.holding(masks=name)

    def _fresh(self, scope: Scope, depth: int) -> tuple[str, Scope]:
        name = self.name(scope)
        return f"{name} = {self.draw('fresh', scope)}", scope.holding(tensors=name)

    def _write(self, scope: Scope, depth: int) -> tuple[str, Scope]:
        if not scope.own:
            return self._fresh(scope, depth)
        target = f"{self.pick(scope.own)}[{self.draw('index', scope)}]"
        if self.random.random() < 0.1:
            other = f"{self.pick(scope.own)}[{self.draw('index', scope)}]"
            value = self.pick((target, target, f"{target} * 1.0", self.draw("value", scope)))
            return f"{target}, {other} = {other}, {value}", scope
        operator = self.pick(("=", "=", "=", "+=", "*=", "-=", "/=", "**="))
        value = self.draw("value", scope)
        value = "2" if operator == "**=" else f"{'2 + ' * (operator == '/=')}{value}"
        return f"{target} {operator} {value}", scope

    def _augment(self, scope: Scope, depth: int) -> tuple[str, Scope]:
        if not scope.own or self.random.random() < 0.2:
            return self._augment_other(scope, depth)
        name = self.pick(scope.own)
        if self.random.random() < 0.25:
            return f"{name} {self.draw('change', scope)}", scope
        return f"{name} {self.pick(('+=', '*=', '-='))} {self.draw('value', scope)}", scope

    def _augment_other(self, scope: Scope, depth: int) -> tuple[str, Scope]:
        """Of an array of integers or bools, of float32, or of a number that a loop adds up."""
        if scope.positions and self.random.random() < 0.3:
            return f"{self.pick(scope.positions)} {self.draw('whole change', scope)}", scope
        if scope.masks and self.random.random() < 0.3:
            return f"{self.pick(scope.masks)} {self.pick(('&=', '|='))} {self.draw('mask', scope)}", scope
        name = self.name(scope)
        start = self.pick(("0.0", "0", "x[0]", f"np.sum({self.draw('leaf', scope)})", "np.float32(0.5)"))
        dtype = self.pick(("np.float32", "np.float64"))
        array = self.pick((f"np.zeros({self.draw('shape', scope)}, dtype={dtype})", f"x.astype({dtype})"))
        change = f"{name} {self.pick(('+=', '-=', '*='))} {self.draw('value', scope)}"
        loop = f"for _ in range(2):\n    {change}"
        lines = [f"{name} = {self.pick((start, array))}", self.pick((change, loop))]
        return "\n".join(lines), scope.holding(tensors=name)

    def _list(self, scope: Scope, depth: int) -> tuple[str, Scope]:
        name = self.pick(("items", "rows", "parts", "steps"))
        return f"{name} = {self.draw('items', scope)}", scope.holding(lists=name)

    def _append(self, scope: Scope, depth: int) -> tuple[str, Scope]:
        if not scope.lists:
            return self._list(scope, depth)
        name, value = self.pick(scope.lists), self.draw("expr", scope)
        return self.pick((f"{name}.append({value})",) * 4 + (f"{name}[0] = {value}",)), scope

    def _helper(self, scope: Scope, depth: int) -> tuple[str, Scope]:
        """A function inside: of its parameter, and of names around it."""
        name, inner = self.pick(("helper", "kernel", "act")), scope.holding(tensors="v")
        if self.random.random() < 0.4:
            return f"{name} = lambda v: {self.draw('expr', inner)}", scope.holding(functions=name)
        lines, within = [], replace(inner, tensors=(*scope.tensors, "v"), lists=(), tuples=(), functions=())
        parameters = self.pick(("v", "v", f"v, gain={self.draw('float', Scope())}"))
        if "gain" in parameters:
            within = within.holding(floats="gain")
        for target in self.pick(((), ("u",), ("u", "w"))):
            lines.append(f"{target} = {self.draw('expr', within)} + 0.5")
            within = within.holding(tensors=target)
        if self.random.random() < 0.3:
            lines.append(f"if {self.draw('condition', within)}:\n    return {self.draw('expr', within)}")
        lines.append(f"return {self.draw('expr', within)}")
        body = textwrap.indent("\n".join(lines), "    ")
        return f"def {name}({parameters}):\n{body}", scope.holding(functions=name)

    def _starred(self, scope: Scope, depth: int) -> tuple[str, Scope]:
        """Unpacking by a star, in a call, a list and a target."""
        a, rest = self.name(scope), self.pick(("rest", "others"))
        several = self.pick([*scope.tuples, *scope.lists, *scope.tensors])
        form = self.pick((0, 1, 2, 3, 3, 3, 4, 4))
        if form == 0:
            ends = self.pick((f"{a}, *{rest}", f"*{rest}, {a}"))
            return f"{ends} = {several}", scope.holding(tensors=a).holding(lists=rest)
        if form == 1:
            name = self.pick(("items", "rows", "parts", "steps"))
            return f"{name} = [*{several}, {self.draw('expr', scope)}]", scope.holding(lists=name)
        if form == 2:
            return f"pair = ({self.draw('expr', scope)}, *{several})", scope.holding(tuples="pair")
        if form == 3:
            pair = f"({self.draw('expr', scope)}, {self.draw('expr', scope)})"
            call = self.pick(("np.maximum", "np.multiply", "np.hypot", "np.subtract", "np.dot"))
            return f"{a} = {call}(*{self.pick((pair, several))})", scope.holding(tensors=a)
        shape = self.pick((f"({several}.shape[0], 2)", f"{self.pick(scope.tensors)}.shape"))
        return f"{a} = np.ones((2, *{shape}))", scope.holding(tensors=a)

    def _several_targets(self, scope: Scope, depth: int) -> tuple[str, Scope]:
        """``a = b = value``."""
        a, b = self.name(scope), self.name(scope)
        text = f"{a} = {b} = {self.draw('expr', scope)} * 1.0"
        return text, scope.holding(tensors=b).holding(tensors=a)

    def _slice_by_name(self, scope: Scope, depth: int) -> tuple[str, Scope]:
        """An index that has a name."""
        a = self.name(scope)
        index = self.pick(("slice(1, None)", "slice(None, None, -1)", "(0, slice(None))", "(..., 0)", "None"))
        lines = [f"where = {index}", f"{a} = {self.pick(scope.tensors)}[where] * 1.0"]
        if scope.own and self.random.random() < 0.4:
            lines.append(f"{self.pick(scope.own)}[where] {self.pick(('=', '+=', '*='))} 0.5")
        return "\n".join(lines), scope.holding(tensors=a)

    def _chosen(self, scope: Scope, depth: int) -> tuple[str, Scope]:
        """A number, a place or a text that elements decide, and a tensor that it makes."""
        a, test = self.name(scope), self.draw("test of elements", scope)
        low, high = self.pick((("0", "2"), ("1", "2"), ("0.5", "-1.5"), ("len(x)", "1"), ("n", "-1")))
        lines = self.pick(
            (
                [f"chosen_ = {high}", f"if {test}:", f"    chosen_ = {low}"],
                [f"if {test}:", f"    chosen_ = {low}", "else:", f"    chosen_ = {high}"],
                [f"chosen_ = {low} if {test} else {high}"],
                [
                    "chosen_ = 0",
                    "for e in x:",
                    f"    if e > {self.draw('float', scope)}:",
                    "        chosen_ += 1",
                ],
                [
                    "chosen_ = 0",
                    "far = np.sum(x * x)",
                    "while far > 0.3 and chosen_ < 6:",
                    "    far = far * 0.5",
                    "    chosen_ += 1",
                ],
            )
        )
        use = self.draw("use of a number", scope)
        return "\n".join([*lines, f"{a} = {use}"]), scope.holding(tensors=a)

    def _dictionary(self, scope: Scope, depth: int) -> tuple[str, Scope]:
        """One of tensors, and what is done to it."""
        if scope.dictionaries and self.random.random() < 0.6:
            name, a = self.pick(scope.dictionaries), self.name(scope)
            change = self.pick(
                (
                    f"{name}['a'] = {self.draw('expr', scope)}",
                    f"{name}['b'] = {name}['a'] * 0.5 + {self.draw('leaf', scope)}",
                    f"{name}['a'] += {self.draw('float', scope)}",
                    f"{a} = 0.0\nfor key, e in {name}.items():\n    {a} = {a} + np.sum(e) * len(key)",
                    f"{a} = sum(np.sum(e) for e in {name}.values())",
                    f"{a} = {name}.get('c', 0.5) * {self.draw('leaf', scope)}",
                )
            )
            return change, scope.holding(tensors=a) if change.startswith(f"{a} = ") else scope
        name = self.pick(("params", "state"))
        text = self.pick(("{'a': <expr>, 'b': <expr>}", "dict(a=<expr>, b=<leaf> * 1.0)"))
        return f"{name} = {self.filled(text, scope)}", scope.holding(dictionaries=name)

    def _in_place_call(self, scope: Scope, depth: int) -> tuple[str, Scope]:
        """A function or a method that writes to its operand."""
        if not scope.own:
            return self._fresh(scope, depth)
        return self.filled(self.draw("in place", scope).replace("OWN", self.pick(scope.own)), scope), scope

    def _filled_list(self, scope: Scope, depth: int) -> tuple[str, Scope]:
        """A list of numbers that a loop fills by place, or a list of such lists."""
        if (len(self.case.x), len(self.case.y)) != (1, 1):  # lists of rows are refused as they run
            return self._fresh(scope, depth)
        a = self.name(scope)
        text = self.filled(self.pick(FILLED_LISTS), scope).replace("RESULT", a)
        return text, scope.holding(tensors=a)

    def _if(self, scope: Scope, depth: int) -> tuple[str, Scope]:
        text = f"if {self.draw('condition', scope)}:\n{self.block(scope, depth - 1)}"
        if self.random.random() < 0.2:
            text += f"\nelif {self.draw('condition', scope)}:\n{self.block(scope, depth - 1)}"
        if self.random.random() < 0.7:
            text += f"\nelse:\n{self.block(scope, depth - 1)}"
        return text, scope

    def _return(self, scope: Scope, depth: int) -> tuple[str, Scope]:
        if self.random.random() < 0.3:
            return f"if {self.draw('condition', scope)}:\n    raise ValueError({RAISED!r})", scope
        return f"if {self.draw('condition', scope)}:\n    return {self.draw('expr', scope)}", scope

    # Texts of the grammar.

    def pick(self, options: Sequence[Any]) -> Any:
        return options[self.random.randrange(len(options))]

    def name(self, scope: Scope) -> str:
        again = self.random.random() < (0.75 if scope.inside else 0.3)
        return self.pick(scope.own) if scope.own and again else self.pick(NAMES)

    def draw(self, kind: str, scope: Scope, depth: int = 2) -> str:
        """A text of this kind, expressions nested so deep."""
        if kind in _NAMED:
            return self.pick(getattr(scope, _NAMED[kind]) or _WITHOUT[kind])
        if kind == "expr":
            kind, depth = (
                ("leaf", depth) if depth == 0 or self.random.random() < 0.15 else ("expr", depth - 1)
            )
        missing = [
            hole for hole in ("list", "tuple", "function", "dictionary") if not getattr(scope, _NAMED[hole])
        ]
        chosen = self.pick(
            [text for text in GRAMMAR[kind] if not any(f"<{hole}>" in text for hole in missing)]
        )
        return self.filled(chosen, scope, depth)

    def filled(self, text: str, scope: Scope, depth: int = 2) -> str:
        """A text with an alternative in the place of each ``<kind>``."""
        return re.sub(r"<([\w ]+)>", lambda hole: self.draw(hole[1], scope, depth), text)

    def _scope_after(self, lines: Sequence[str]) -> Scope:
        return Scope.left_by(run(lines, self.case) or {}) if lines else Scope()


def text_of(lines: Sequence[str]) -> str:
    """The text of a file with a program of these statements."""
    return f"{HEAD}{SIGNATURE}\n" + textwrap.indent("\n".join(lines), "    ") + "\n"


def run(lines: Sequence[str], case: Case) -> dict[str, Any] | None:
    """The names that statements leave, or None where they raise or leave large numbers."""
    body = textwrap.indent("\n".join([*lines, "return dict(locals())"]), "    ")
    namespace: dict[str, Any] = {
        "np": np,
        "math": math,
        "pb": pb,
        "functools": functools,
        "itertools": itertools,
    }
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            exec(f"{SIGNATURE}\n{body}", namespace)
            found = namespace["program"](**case.arrays(), **case.attributes)
    except Exception:
        return None
    if isinstance(found, dict):
        return found if all(map(is_small, found.values())) else None
    results = found if isinstance(found, tuple) else (found,)
    return {} if kind_of(results[0]) == "tensors" and all(map(is_small, results)) else None


def is_small(value: Any) -> bool:
    """True for no array, and for one of few finite numbers that are not large; of all that a list holds."""
    if isinstance(value, dict):
        return all(map(is_small, value.values()))
    if isinstance(value, list | tuple):
        return len(value) <= MOST and all(map(is_small, value))
    if not isinstance(value, np.ndarray | np.generic):
        return True
    if value.dtype.kind not in "biufc":  # of objects
        return False
    return value.size <= MOST and bool(np.all(np.isfinite(value)) and np.all(np.abs(value) < LARGEST))
