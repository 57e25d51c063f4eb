"""State of a reverse sweep, shared by the rules for operators, branches and loops."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Protocol

from ...derivatives import Derivatives
from ...ir import Atom, Eqn, Literal, Var
from ...ir.types import Type
from ...rewrite import Namer, label


@dataclass(slots=True)
class Sweep:
    """The outcome of a reverse sweep: `forward` replaces the equations it went over.

    `cut` has cotangents that are zeros already where their values hold integers or booleans.
    """

    forward: list[Eqn]
    backward: list[Eqn] = field(default_factory=list)
    cotangents: dict[Var, Var] = field(default_factory=dict)
    cut: set[Atom] = field(default_factory=set)

    def add(self, var: Var, gradient: Atom, eqn: Eqn, namer: Namer) -> None:
        """Add a contribution to a variable's cotangent."""
        if not isinstance(gradient, Var):
            return
        before = self.cotangents.get(var)
        if before is None:
            self.cotangents[var] = gradient
            return
        total = namer.fresh(grad_name(var), before.kind)
        self.backward.append(Eqn((total,), "accumulate", (before, gradient), (), (), eqn.span))
        self.cotangents[var] = total


class Recurse(Protocol):
    """A sweep of a nested block; `iteration` has the types of what a loop's iteration is given."""

    def __call__(
        self,
        inner: Sequence[Eqn],
        seeds: Mapping[Var, Var],
        wanted: Iterable[Var],
        iteration: Mapping[Var, Type] | None = None,
        /,
    ) -> Sweep: ...


@dataclass(frozen=True, slots=True)
class Context:
    """The context of a sweep: which variables carry a gradient, where to stop, and the formulas.

    `recurse` sweeps the equations of a nested block, from the cotangents of
    their outputs, as far as the variables that it is given. `in_loop` says that
    these equations are a loop's iteration, or a part of one, `types` what is known of what they
    read and define.
    """

    active: Set[Var]
    stop: Set[Var]
    library: Derivatives
    namer: Namer
    recurse: Recurse
    types: Mapping[Var, Type]
    in_loop: bool = False


def grad_name(var: Var) -> str:
    """The name of a variable's cotangent."""
    return f"grad_{label(var)}"


def zeros_of(var: Var, eqn: Eqn, namer: Namer) -> tuple[Var, Eqn, Eqn]:
    """Zeros like a variable, or each of a list: name, the forward's equation for its shape, and their own."""
    like = namer.fresh(f"like_{label(var)}", "value")
    zero = namer.fresh(grad_name(var), var.kind)
    fill = Eqn((zero,), "broadcast_like", (Literal(0.0),), (("like", like),), span=eqn.span)
    if var.kind == "list":
        fill = Eqn((zero,), "zeros_list", (), (("likes", like),), span=eqn.span)
    return zero, Eqn((like,), "like", (var,), span=eqn.span), fill
