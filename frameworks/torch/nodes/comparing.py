"""Gradients by a library's operators compared with those of PyTorch's own, over its samples (`op_db`)."""

from __future__ import annotations

import warnings
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

from ..autograd.comparing import Entry, Way, compare_entry, sample_program
from ..derivatives.calls import samples_of
from .library import Library

# How a library's nodes are called: this, and the operator.
PREFIX = "pullback::"


@dataclass
class Comparison:
    """The entries of `op_db` by the operators of the library that their samples record."""

    entries: dict[str, list[Entry]] = field(default_factory=lambda: defaultdict(list))

    def equal(self) -> list[str]:
        """Operators of which every entry is equal."""
        return sorted(name for name, found in self.entries.items() if not any(map(_problems, found)))

    def different(self) -> dict[str, list[str]]:
        """The differences, by operators."""
        return {
            name: [f"{each.name}: {problem}" for each in found for problem in _problems(each)]
            for name, found in sorted(self.entries.items())
            if any(map(_problems, found))
        }


def _problems(entry: Entry) -> list[str]:
    return [*entry.problems, *entry.right]


def compare(library: Library, infos: Iterable[Any], dtype: torch.dtype, most: int) -> Comparison:
    """Compare the first and second gradients of a few samples of each entry that records a node of ours."""
    made = Comparison()
    way = Way(library.on, torch.autograd.grad)
    for info in infos:
        names = recorded_operators(library, info, dtype, most)
        if not names:
            continue
        entry = compare_entry(info, dtype, way, most)
        if entry.samples:
            for name in names:
                made.entries[name].append(entry)
    return made


def recorded_operators(library: Library, info: Any, dtype: torch.dtype, most: int) -> set[str]:
    """The operators of the library in the graphs of an entry's samples, and in those of their gradients."""
    found: set[str] = set()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for given in samples_of(info, dtype, most):
            sample = sample_program(info, given)
            try:
                with library.on():
                    inputs = sample.inputs()
                    results = sample.results(inputs)
                    ones = [torch.ones_like(each) for each in results]
                    found |= node_operators(results)
                    first = torch.autograd.grad(results, inputs, ones, create_graph=True, allow_unused=True)
                    found |= node_operators([each for each in first if each is not None])
            except Exception:
                continue  # the comparison runs it again, and says what is wrong
    return found


def node_operators(results: Sequence[torch.Tensor]) -> set[str]:
    """The operators whose nodes are those of a library, in the graph of these results."""
    seen: set[Any] = set()
    stack: list[Any] = [each.grad_fn for each in results]
    while stack:
        node = stack.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        stack += [following for following, _ in node.next_functions]
    return {node.name().removeprefix(PREFIX) for node in seen if node.name().startswith(PREFIX)}
