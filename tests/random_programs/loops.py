"""Loops of random programs: over ranges, rows and tables of numbers, with ways out; and by conditions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from .grammar import LOOP_NAMES
from .scope import Scope

if TYPE_CHECKING:
    from .generator import Generator

Statement = Callable[[Scope, int], tuple[str, Scope]]


@dataclass(frozen=True)
class Loops:
    """Draws loops by the source of a generator, which draws what stands in them."""

    of: Generator

    def kinds(self) -> list[Statement]:
        """Each kind of loop, as often as it is drawn among all statements."""
        return [self.range, self.range, self.items, self.items, self.total, self.counting, self.narrowing]

    def range(self, scope: Scope, depth: int) -> tuple[str, Scope]:
        """``for i in range(n)``."""
        item = self.of.pick(LOOP_NAMES)
        head = f"for {item} in {self.of.draw('rounds', scope)}:"
        return self._finished(head, scope.holding(integers=item), depth), scope

    def items(self, scope: Scope, depth: int) -> tuple[str, Scope]:
        """Over rows, lists, and tables of numbers, one or several at a time."""
        head, inner = self._over(scope)
        return self._finished(head, inner, depth), scope

    def total(self, scope: Scope, depth: int) -> tuple[str, Scope]:
        """A sum, a product or a mean that a loop adds up, in place or not."""
        name = self.of.name(scope)
        head, inner = self._over(scope)
        inner = inner.holding(tensors=name)
        start = self.of.pick(
            ("0.0", "0.0", "0", "1.0", "s", "np.zeros(len(x))", "0.0 * x", "np.float32(0.5)")
        )
        change = self.of.pick(
            (
                f"{name} += <value>",
                f"{name} = {name} + <expr>",
                f"{name} = 0.5 * {name} + <expr>",
                f"{name} *= 1.0 + 0.1 * (<expr>)",
                f"{name} -= <leaf>",
                f"{name} = np.tanh({name} * <leaf>) + <float>",
                f"last, {name} = {name}, 0.5 * {name} + <leaf>\n{name} -= 0.1 * last",
            )
        )
        lines = [f"    {line}" for line in self.of.filled(change, inner).splitlines()]
        if "last" in change:
            start = f"{start}\nlast = {start}"
        if depth > 1 and self.of.random.random() < 0.4:
            lines.insert(0, self.of.block(inner, depth - 1))
        if self.of.random.random() < 0.4:
            lines.insert(self.of.random.randrange(len(lines) + 1), self._way_out(inner))
        return "\n".join([f"{name} = {start}", head, *lines]), scope.holding(tensors=name)

    def counting(self, scope: Scope, depth: int) -> tuple[str, Scope]:
        """A ``while`` that counts to a bound, by whole numbers or by fractions, and may end before."""
        counter = self.of.pick(("q", "p", "count")) + str(depth)  # nothing else writes to that name
        inner = replace(scope, integers=tuple(name for name in scope.integers if name != counter))
        start, step, test = self.of.pick(
            (
                *(("0", "+= 1", f"{counter} {bound}") for bound in ("< n", "< 3", "< len(x)", "<= 1")),
                *(("0", "+= 2", f"{counter} {bound}") for bound in ("< len(weights)", "< 2.5")),
                ("0.0", "+= 0.5", f"{counter} < 1.2 + abs(scale)"),
                ("1.0", "*= 0.5", f"{counter} > 0.2"),
                ("n", "-= 1", counter),
                ("n", "-= 1", f"{counter} > 0"),
                ("1", "*= 2", f"{counter} < 2 * n"),
                ("9", "//= 2", f"{counter}"),
            )
        )
        if scope.own and self.of.random.random() < 0.3:
            test += f" and np.sum({self.of.pick(scope.own)}) < ({self.of.draw('float', Scope())}) + 2.0"
        lines = [self.of.block(inner, depth - 1), f"    {counter} {step}"]
        if "continue" in lines[0]:
            lines.reverse()
        if self.of.random.random() < 0.3:
            lines.insert(
                self.of.random.randrange(2), self._way_out(scope, ("break", "break", "return <expr>"))
            )
        if scope.integers and self.of.random.random() < 0.1:
            test = f"{test} and {self.of.pick(scope.integers)} < 9"
        text = "\n".join([f"{counter} = {start}", f"while {test}:", *lines])
        return text, scope.holding(**{"floats" if "." in start else "integers": counter})

    def narrowing(self, scope: Scope, depth: int) -> tuple[str, Scope]:
        """A ``while`` on elements: of an error that becomes smaller, or of the ends of an interval."""
        if self.of.random.random() < 0.25:
            low, high, middle = f"low{depth}", f"high{depth}", f"middle{depth}"
            lines = [
                f"{low}, {high} = {self.of.pick(('0.0, 1.0', '0.0 * s, 1.0 + s', '-1.0, x[0]'))}",
                f"while {high} - {low} > 0.2:",
                f"    {middle} = ({low} + {high}) / 2",
                f"    if {middle} * {self.of.draw('float', scope)} < np.sum({self.of.draw('leaf', scope)}):",
                f"        {low} = {middle}",
                "    else:",
                f"        {high} = {middle}",
            ]
            return "\n".join(lines), scope.holding(tensors=low).holding(tensors=high)
        error, acc = f"err{depth}", self.of.name(scope)  # nothing else writes to the first name
        small = self.of.pick(
            ("np.sum(np.abs(<e>)) > 0.3", "np.any(np.abs(<e>) > 0.2)", "np.sum(<e> ** 2) > 0.1")
        )
        small = small.replace("<e>", error)
        test = self.of.pick((small, small, "True", f"{small} and rounds < n", f"rounds < 4 and {small}"))
        change = self.of.pick(
            (f"{error} *= 0.5", f"{error} = 0.4 * np.sin({error})", f"{error} = {error} - 0.6 * {error}")
        )
        more = self.of.pick(
            (f"{acc} = {acc} + {error} * <leaf>", f"{acc} += np.sum({error})", f"{acc} = {error}")
        )
        lines = [f"    {self.of.filled(more, scope)}", f"    {change}"]
        if depth > 1 and self.of.random.random() < 0.3:
            lines.insert(0, self.of.block(scope, depth - 1))
        if "continue" in lines[0]:
            lines.reverse()
        if test == "True":
            way = self.of.pick(("break", "break", f"return {self.of.draw('expr', scope)}"))
            lines.insert(self.of.random.randrange(3), f"    if not ({small}):\n        {way}")
        elif self.of.random.random() < 0.25:
            lines.insert(self.of.random.randrange(3), self._way_out(scope, ("break", "return <expr>")))
        if "rounds" in test:
            lines.insert(0, "    rounds += 1")
        starts = [
            f"{error} = np.tanh({self.of.draw('expr', scope)})",
            f"{acc} = {self.of.pick(('0.0', 'x * 1.0'))}",
        ]
        starts += ["rounds = 0"] * ("rounds" in test)
        text = "\n".join([*starts, f"while {test}:", *lines])
        return text, scope.holding(tensors=error).holding(tensors=acc)

    def _over(self, scope: Scope) -> tuple[str, Scope]:
        """The head of a loop over values, and what its body may use."""
        item, inner = self.of.pick(LOOP_NAMES), scope.holding(tensors="e")
        tensor, other = self.of.pick(scope.tensors), self.of.pick(scope.tensors)
        form = self.of.random.randrange(15)
        if form < 2 and scope.lists:
            over = self.of.pick(scope.lists)
            # A list that grows while it is looped over has no end.
            return f"for e in {over}:", replace(
                inner, lists=tuple(name for name in scope.lists if name != over)
            )
        if form < 4:
            return f"for e in {tensor}:", inner
        if form == 4:
            return f"for {item}, e in enumerate({tensor}):", inner.holding(integers=item)
        if form == 5:
            return f"for e, f in zip({tensor}, {other}):", inner.holding(tensors="f")
        if form == 6:
            pairs = f"({tensor}, {other}), ({other}, {self.of.draw('expr', scope)})"
            return f"for e, f in [{pairs}]:", inner.holding(tensors="f")
        if form == 7:
            inner = inner.holding(tensors="f").holding(integers=item)
            return f"for {item}, (e, f) in enumerate(zip({tensor}, {other})):", inner
        if form == 8:
            return "for ga, gb in table:", scope.holding(floats="ga").holding(floats="gb")
        if form == 9:
            inner = scope.holding(floats="ga").holding(floats="gb").holding(integers=item)
            return f"for {item}, (ga, gb) in enumerate(table):", inner
        if form == 10:
            return "for ga in weights:", scope.holding(floats="ga")
        if form == 11:
            return f"for ga, e in zip(weights, {tensor}):", inner.holding(floats="ga")
        if form == 12:
            call = self.of.pick(
                ("product(x, y)", "combinations(x, 2)", "permutations(range(3), 2)", "pairwise(y)")
            )
            return f"for e, f in itertools.{call}:", inner.holding(tensors="f")
        return f"for {item} in hops:", scope.holding(integers=item)

    def _finished(self, head: str, inner: Scope, depth: int) -> str:
        """A loop with its body, and at times a way out of it."""
        text = f"{head}\n{self.of.block(inner, depth - 1)}"
        if self.of.random.random() < 0.3:
            text += f"\n{self._way_out(inner)}"
            if self.of.random.random() < 0.5:
                text += f"\n{self.of.block(inner, 0)}"
        if self.of.random.random() < 0.03:
            text += f"\nelse:\n{self.of.block(inner, 0)}"
        return text

    def _way_out(self, scope: Scope, ways: tuple[str, ...] = ("break", "continue", "return <expr>")) -> str:
        """``break``, ``continue`` or ``return`` on a number or an element."""
        tests = ["<condition>", "np.sum(<leaf>) > <float>", "np.any(<mask>)", "np.max(<tensor>) < 1.0"]
        if scope.integers:
            tests += ["<integer> == 1", "<integer> > 0 and flag", "np.sum(<tensor>) > <integer> * 0.5"]
        text = f"    if {self.of.pick(tests)}:\n        {self.of.pick(ways)}"
        return self.of.filled(text, scope)
