"""The autograd functions and registered operators in a text, which is only read."""

from __future__ import annotations

from pullback.transpile.ir import Source

from ..lint.analyses.facts import ClassFacts, Program, read_classes
from ..modules import find_module


def classes_of(source: Source) -> list[ClassFacts]:
    """The facts of each class, the last one of a name; barriers, which only raise, are left out."""
    known = read_classes(source, Program(find_module))
    found = {facts.name: facts for facts in known if not facts.cls.always_raises}
    return list(found.values())


def class_names(source: Source) -> list[str]:
    """Their names, in the order of the text."""
    return [facts.name for facts in classes_of(source)]
