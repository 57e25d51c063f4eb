"""Entries that need not have been written: a decomposition and other entries give the same gradients."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.utils._pytree import tree_flatten, tree_map_only

from ..autograd import functional
from ..autograd.comparing import Entry, NotComparableError, Program, Way, compare_program, requires_grad
from ..derivatives.call import Call
from ..derivatives.calls import Calls
from ..derivatives.table import Derivative, Derivatives
from .decomposed import Others, decomposition_of, record_decomposed


@dataclass
class Found:
    """The findings about the entries of a folder.

    entries   by operators, those that PyTorch decomposes and of which a call could be compared
    uses      per operator those whose formulas its decomposition needs: itself, where it is a primitive
    compared  how many entries there are with a gradient to compare, whether they are decomposed or not
    """

    entries: dict[str, Entry] = field(default_factory=dict)
    uses: dict[str, set[str]] = field(default_factory=dict)
    compared: int = 0

    def derived(self) -> list[str]:
        """The operators whose entries follow from others, all at once: none follows from itself."""
        equal = {name: self.uses[name] for name, entry in self.entries.items() if entry.verdict == "equal"}
        return well_founded(equal)

    def primitives(self) -> list[str]:
        """The operators of which PyTorch's decomposition is made of the operator itself."""
        return [name for name, used in self.uses.items() if name in used]

    def different(self) -> dict[str, str]:
        """The operators whose derived gradients differ, each with the first difference."""
        known = {*self.derived(), *self.primitives()}
        return {
            name: next(iter([*entry.problems, *entry.right]), "follows from itself by way of others")
            for name, entry in self.entries.items()
            if name not in known
        }


def well_founded(uses: Mapping[str, set[str]]) -> list[str]:
    """The keys that lead to no cycle.

    >>> well_founded({"addcmul": {"mul"}, "sub": {"add"}, "add": {"sub"}, "rsub": {"sub"}})
    ['addcmul']
    """
    counted: set[str] = set()
    while new := {name for name, of in uses.items() if of & uses.keys() <= counted} - counted:
        counted |= new
    return sorted(counted)


def compare_derived(folder: str, derivatives: Derivatives, calls: Calls) -> Found:
    """Compare the gradients of calls, by decompositions, with PyTorch's, of first and second order."""
    made = Found()
    formulas = Others(folder)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for operator, given in sorted(calls.found.items()):
            derivative = derivatives[operator]
            programs = [each for args, kwargs in given if (each := _program(derivative, args, kwargs))]
            made.compared += bool(programs)
            if programs and decomposition_of(derivative.overload) is not None:
                _compare(derivative, programs, formulas, made)
    return made


def _compare(derivative: Derivative, programs: Iterable[Program], formulas: Others, made: Found) -> None:
    entry, uses = Entry(derivative.operator), set[str]()
    way = Way(lambda: record_decomposed(formulas, derivative), functional.grad)
    for program in programs:
        formulas.used.clear()
        try:
            compare_program(program, way, entry, True)
        except NotComparableError:
            continue
        entry.samples += 1
        if entry.problems:
            uses |= formulas.used & {derivative.operator}
            break
        formulas.used.clear()
        with way.block():
            program.results(program.inputs())
        uses |= formulas.used
    if entry.samples:
        made.entries[derivative.operator], made.uses[derivative.operator] = entry, uses


def _program(derivative: Derivative, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Program | None:
    """The call with all its inputs, and the results that PyTorch differentiates; None without any."""
    call = Call(derivative, args, kwargs)
    given = call.arguments([value.clone().requires_grad_() for value in call.inputs], copied=False)

    mutable = derivative.overload._schema.is_mutable

    def own(tensor: torch.Tensor) -> torch.Tensor:
        """A copy of what the call may write into, as running statistics, which no schema names."""
        return tensor.clone() if mutable or not tensor.requires_grad else tensor

    def results(given: Any) -> list[Any]:
        args, kwargs = tree_map_only(torch.Tensor, own, given)
        return tree_flatten(derivative.overload(*args, **kwargs))[0]

    try:
        torch.default_generator.manual_seed(0)
        places = [k for k, each in enumerate(results(given)) if requires_grad(each)]
    except Exception:
        return None  # PyTorch refuses the call
    return Program(given, lambda given: _at(results(given), places)) if places else None


def _at(values: Sequence[Any], places: Sequence[int]) -> list[Any]:
    return [values[place] for place in places]
