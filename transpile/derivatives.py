"""Derivatives of operators as passes ask for them; `library` finds and makes them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .ir import Block, Eqn, Formula, Literal, Var


class NoDerivative(Exception):
    """An operator on the way of a gradient has no derivative. `eqn` is where."""

    def __init__(self, eqn: Eqn | None, what: str) -> None:
        self.eqn = eqn
        self.what = what
        super().__init__(what)


@dataclass(frozen=True, slots=True)
class Variant:
    """A pullback for a pattern of gradients.

    `block.params` are the cotangents that are defined or materialized, in order.
    """

    block: Block
    materialize: tuple[int, ...]


class Derivatives(ABC):
    """Formulas by the operator whose derivative they state."""

    @abstractmethod
    def formula(self, op: str) -> Formula | None:
        """The operator's formula as written, or None."""

    def is_internal(self, op: str) -> bool:
        """True for a formula that the package has for itself: it stands for no function that has a name."""
        return False

    @abstractmethod
    def promoted(self, op: str, eqn: Eqn | None = None) -> Formula:
        """The operator's formula after promotion. Raises NoDerivative where there is none."""

    @abstractmethod
    def variant(
        self, formula: Formula, defined: Sequence[bool], needed: Sequence[bool], values: Mapping[Var, Literal]
    ) -> Variant:
        """`specialize` of a promoted formula."""

    @abstractmethod
    def having(self, formulas: Mapping[str, Formula]) -> Derivatives:
        """The same, but for these formulas by their operators."""
