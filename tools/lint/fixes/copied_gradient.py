"""An incoming gradient that the backward changes in place is copied first."""

from __future__ import annotations

from .fix import Fix
from .text.place import Place, body_of
from .text.splices import CannotFix

CODES = ("PB302",)


def apply(place: Place) -> None:
    """Copy the gradient at the beginning of the backward."""
    backward, name = place.backward, place.finding.value
    arguments = [*backward.args.posonlyargs, *backward.args.args]
    if name not in {a.arg for a in arguments}:
        raise CannotFix(f"`{name}` is no parameter of the backward")
    line = f"{name} = {name}.clone()"
    if place.facts.forward.context.unmaterialized is not None:
        line = f"{name} = None if {name} is None else {name}.clone()"
    place.text.before(body_of(backward)[0], [line])


FIX = Fix(apply, True, "a copy is changed")
