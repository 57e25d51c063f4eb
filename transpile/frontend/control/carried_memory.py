"""One iteration of a loop, and whose memory the values are that it leaves to the next one."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from ...ir import Atom, Eqn, Var
from ..state.aliases import items_of, roots, share
from ..state.builder import Builder
from ..state.mutation import names_in_sight
from ..state.values import Frame, Growing, LastIteration, Value


@dataclass
class Iteration:
    """A loop's body as it was read, with what it starts from."""

    over: Atom
    item: Var
    carried: list[str]
    params: list[Var] = field(default_factory=list)
    start: list[Atom] = field(default_factory=list)
    results: list[Atom] = field(default_factory=list)
    eqns: list[Eqn] = field(default_factory=list)

    def arrays(self) -> list[tuple[str, Var, Var]]:
        """Each carried name with its parameter and its result, where that is a variable."""
        every = zip(self.carried, self.params, self.results, strict=True)
        return [(name, param, result) for name, param, result in every if isinstance(result, Var)]


@dataclass(frozen=True)
class MemoryAround:
    """The variables that are there before a loop, among them the `alone`: arrays of the formula's own that
    start one carried name, and that no other name sees. Iterations may exchange such arrays.
    """

    variables: frozenset[Var]
    alone: frozenset[Var]

    @classmethod
    def of(cls, frame: Frame, before: Mapping[str, Value], carried: Collection[str]) -> MemoryAround:
        """That before a loop which carries these names."""
        build = frame.build
        foreign = {*build.inputs, *build.gradients, *build.opaque, *build.listed}
        in_sight = [(name, var) for name, value in names_in_sight(frame) if (var := _variable(value))]
        alone = {
            start
            for name in carried
            if isinstance(start := before[name], Var) and start.kind == "tensor"
            if roots(build, start).isdisjoint(foreign)
            if not any(share(build, start, var) for other, var in in_sight if other != name)
        }
        variables = build.inputs | {value for value in before.values() if isinstance(value, Var)}
        return cls(frozenset(variables), frozenset(alone))

    def shared_with_next(self, build: Builder, iteration: Iteration) -> set[tuple[str, str | Var]]:
        """Carried names that an iteration leaves as views of what is there before the loop, or of one memory
        with other carried names: so they come into the next iteration.
        """
        arrays = iteration.arrays()
        seen = self.variables - self.alone
        found: set[tuple[str, str | Var]] = {
            (name, base)
            for name, param, result in arrays
            for base in (roots(build, result) & seen) - roots(build, param)
        }
        there = set[Var]().union(*(roots(build, var) for var in self.variables))
        for (one, _, first), (other, _, second) in itertools.combinations(arrays, 2):
            if not share(build, first, second, there):
                continue
            views = {(one, other)} if second in roots(build, first) else set[tuple[str, str]]()
            views |= {(other, one)} if first in roots(build, second) else set()
            # Parts of one array have no more in common than that.
            common = Var(f"<{one} {other}>", "tensor")
            found |= views or {(one, common), (other, common)}
        return found


def _variable(value: Value) -> Var | None:
    if isinstance(value, LastIteration):
        return value.iterations
    return value if isinstance(value, Var) else None


def in_lists(build: Builder, iteration: Iteration, lists: Mapping[str, Growing]) -> dict[str, str]:
    """Carried names that an iteration leaves as arrays which are in lists by then, by the lists' names."""
    arrays = iteration.arrays()
    items = {
        name: {item for item in growing.items if isinstance(item, Var)} for name, growing in lists.items()
    }
    items |= {name: items_of(build, result) for name, _, result in arrays if result.kind == "list"}
    held = {name: set[Var]().union(*(roots(build, item) for item in found)) for name, found in items.items()}
    for var, name in build.listed.items():
        if name in held:
            held[name].add(var)
    return {
        name: name_of_list
        for name, _, result in arrays
        if result.kind == "tensor"
        for name_of_list, memory in held.items()
        if roots(build, result) & memory
    }
