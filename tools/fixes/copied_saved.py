"""A saved tensor that the backward changes in place is copied first."""

from __future__ import annotations

from .fix import Fix, Place
from .parameters import Parameters
from .saved_call import find_saving, find_taking
from .splices import CannotFix

CODES = ("PB304",)


def apply(place: Place) -> None:
    """Copy the tensor where the backward has taken it."""
    name = place.finding.value
    saved = next((s for s in place.facts.saved if s.name == name and not s.on_context), None)
    if saved is None or saved.saved.path != place.module.source.path:
        raise CannotFix(f"`{name}` is not saved with `save_for_backward` in this file")
    saver = place.function_at(saved.saved.line)
    saving, taking = find_saving(saver, Parameters(saver, place).context), find_taking(place.backward)
    if saving is None or name not in saving.names or taking.place is None:
        raise CannotFix(f"`{name}` is not saved by its name")
    local = taking.local(saving.names.index(name))
    if local is None:
        raise CannotFix(f"the backward does not bind `{name}` to a name")
    place.text.after(taking.place, [f"{local} = {local}.clone()"])


FIX = Fix(apply, True, "a copy is changed")
