"""Entries of `op_db` by the library beside PyTorch: values, first and second gradients."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from typing import Any

import torch

from ..autograd.comparing import (
    Entry,
    NotComparableError,
    Program,
    Way,
    compare_program,
    difference,
    sample_program,
)
from ..derivatives.calls import samples_of
from .bridge import on_torch
from .table import FUNCTIONS, reason

_WAY = Way(torch.enable_grad, torch.autograd.grad)


@dataclass
class Covered(Entry):
    """The findings about an entry; `absent` says why it has no counterpart."""

    absent: str = ""
    refused: list[str] = field(default_factory=list)

    @property
    def verdict(self) -> str:
        """ "absent", "refused" where the library takes no sample, or as of an entry."""
        if self.absent:
            return "absent"
        return "refused" if self.refused and not self.samples else super().verdict


def compare(info: Any, dtype: torch.dtype, most: int) -> Covered:
    """The findings about the first samples of an entry."""
    entry = Covered(info.formatted_name)
    function = FUNCTIONS.get(entry.name)
    if function is None:
        entry.absent = reason(entry.name)
        return entry
    ours = on_torch(function, getattr(info.op, "__name__", entry.name))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for sample in samples_of(info, dtype, most):
            _compare_sample(entry, info, sample, sample_program(info, sample, ours))
    return entry


def _compare_sample(entry: Covered, info: Any, sample: Any, by_library: Program) -> None:
    program = sample_program(info, sample)
    try:
        expected = program.results(program.inputs())
    except Exception:
        return  # PyTorch refuses it
    try:
        found = by_library.results(by_library.inputs())
    except Exception as error:
        entry.refused.append(f"{type(error).__name__}: {str(error).partition(chr(10))[0]}")
        return
    problem = _other_values(found, expected)
    if problem is not None:
        entry.problems.append(problem)
        entry.samples += 1
        return
    try:
        compare_program(program, _WAY, entry, info.supports_gradgrad, by_library)
    except NotComparableError:
        return
    entry.samples += 1


def _other_values(found: list[torch.Tensor], expected: list[torch.Tensor]) -> str | None:
    if len(found) != len(expected):
        return f"value: {len(found)} results for {len(expected)}"
    return difference(found, expected, expected, of="value")
