"""Values that a forward keeps where no context holds them: in names of a module, attributes of a class.

Each place has one `Thing` of its own, the same in the forward and the backward; the state
holds its value as an attribute of that thing, so that branches and calls are followed as for
any other object.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ....transpile.ir import Span
from .state import Heap
from .values import Kind, Thing, Value, leaves, union

REBOUND = "value"
CONTENTS = "items"
ANY = "*"  # an attribute whose name is computed
ADDING = frozenset({"append", "appendleft", "add", "insert", "extend", "update", "put", "push", "setdefault"})
TAKING = frozenset({"pop", "popleft", "popitem", "get", "setdefault", "values", "items", "copy", "remove"})


@dataclass(eq=False)
class Outside:
    """The places outside of a context that a class writes. `read`: those that its backward reads.

    `objects`: attributes of objects that the forward is given.
    """

    places: dict[tuple[object, str], Thing] = field(default_factory=dict)
    names: dict[Thing, str] = field(default_factory=dict)
    written: dict[tuple[Thing, str], Span] = field(default_factory=dict)
    read: set[tuple[Thing, str]] = field(default_factory=set)
    objects: set[Thing] = field(default_factory=set)

    def place(self, owner: object, name: str, shown: str) -> Thing:
        """The thing that stands for a name of a module, or for an attribute of a class."""
        found = self.places.setdefault((owner, name), Thing())
        self.names.setdefault(found, shown)
        return found

    def write(self, place: Thing, how: str, value: Value, span: Span, heap: Heap) -> None:
        """Keep a value; what no input has a part in is kept as before: a table, a counter."""
        if not any(of_call(thing) for thing in leaves(value)):
            return
        kept = heap.get((place, how), ()) if how == CONTENTS else ()
        heap[place, how] = union(kept, value)
        self.written.setdefault((place, how), span)

    def take(self, place: Thing, how: str, heap: Heap) -> Value:
        """The value that is kept in a place; nothing where the class keeps nothing there."""
        found = heap.get((place, how), ())
        if found:
            self.read.add((place, how))
        return found


def of_call(thing: Thing) -> bool:
    """True if a value comes from the inputs of one call."""
    of_input = thing.token is not None and thing.token.sort == "input"
    return of_input or thing.whole or (thing.parts is None and thing.facts.kind is not Kind.NONE)
