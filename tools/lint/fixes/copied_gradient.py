"""An incoming gradient that the backward changes in place is copied first."""

from __future__ import annotations

from .fix import Fix
from .text.place import Place, body_of, names_in, unused
from .text.splices import CannotFix

CODES = ("PB302",)


def apply(place: Place) -> None:
    """Copy the gradient at the beginning of the backward."""
    backward, name = place.backward, place.finding.value
    arguments = [*backward.args.posonlyargs, *backward.args.args]
    copy = f"{name}.clone()"
    if place.facts.forward.context.unmaterialized is not None:
        copy = f"None if {name} is None else {copy}"
    if backward.args.vararg is not None and name == backward.args.vararg.arg:
        one = unused("g", names_in(backward))  # of a result that is no tensor it is None
        copy = f"tuple(None if {one} is None else {one}.clone() for {one} in {name})"
    elif name not in {a.arg for a in arguments}:
        raise CannotFix(f"`{name}` is no parameter of the backward")
    place.text.before(body_of(backward)[0], [f"{name} = {copy}"])


FIX = Fix(apply, True, "a copy is changed")
