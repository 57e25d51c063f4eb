"""Saved values that share memory: one that the backward takes is an alias of another."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import combinations

from .aliases import Aliases
from .parameters import Parameters
from .place import Place
from .reading import root_of
from .saved_call import find_saving
from .splices import CannotFix
from .taking import find_taking


def shared_saved(place: Place) -> set[tuple[str, str]]:
    """Pairs of names of the backward, and of attributes, whose values share memory in the forward.

    A value of unknown origin is taken for shared with none: the two ends are then not in this file.
    """
    try:
        saver = place.function_at(place.facts.forward.saver.node.lineno)
        if saver.lineno != place.facts.forward.saver.node.lineno:
            return set()
        taken = set(_taken(place, saver))
    except CannotFix:
        return set()
    aliases = Aliases(saver, lambda test: None, written=True)
    return {
        (one, other)
        for (one, a), (other, b) in combinations(sorted(taken), 2)
        if one != other and (a == b or b in aliases.of(a))
    }


def _taken(place: Place, saver: ast.FunctionDef) -> Iterator[tuple[str, str]]:
    """Names of the backward, each with the name of the forward whose memory it shares."""
    context = Parameters(saver, place).context
    saving = find_saving(saver, context, several=True)
    count = saving.count if saving is not None else None
    taking = find_taking(place.backward, inside=True, count=count)
    for one in saving.all if saving is not None else ():
        for index, argument in enumerate(one.call.args):
            root = root_of(argument)
            for local in (part.local(index) for part in taking.all):
                if local is not None and root is not None:
                    yield local, root
    stored = {}
    for node in ast.walk(saver):
        match node:
            case ast.Assign(targets=[ast.Attribute(value=ast.Name(id=owner), attr=name)], value=value):
                if owner == context and (root := root_of(value)) is not None:
                    stored[name] = root
    for node in ast.walk(place.backward):
        match node:
            case ast.Attribute(value=ast.Name(id=owner), attr=name, ctx=ast.Load()) if (
                owner == taking.context and name in stored
            ):
                yield f"{owner}.{name}", stored[name]
            case ast.Assign(
                targets=[ast.Name(id=local)], value=ast.Attribute(value=ast.Name(id=owner), attr=name)
            ) if owner == taking.context and name in stored:
                yield local, stored[name]
