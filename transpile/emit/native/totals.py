"""Reductions of a stage, and what the loop of one that goes by rows keeps in registers for them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ...ir import Atom
from ...records import record
from .types import number


@record(frozen=True, slots=True)
class Reduce:
    """Reduce a value to the view `target`; `op` is Sum, Prod, Max or Min, over terms of `term`.

    `once` says that it gives one result for all of a row.
    """

    value: Atom
    target: str
    name: str
    op: str
    term: str
    mean: bool = False
    once: bool = False


class _Way(NamedTuple):
    """The OpenMP operator, a loop's functions for a term and for a row's total, and where it begins."""

    operator: str
    collect: str
    join: str
    first: float


_WAYS = {
    "Sum": _Way("+", "sum", "add", 0),
    "Prod": _Way("*", "product", "multiply", 1),
    "Max": _Way("max", "largest", "raise", float("-inf")),
    "Min": _Way("min", "smallest", "lower", float("inf")),
}


def is_extreme(sink: Reduce) -> bool:
    """Whether it is the largest or the smallest term, which a NaN overrules."""
    return sink.op in ("Max", "Min")


def begin(sink: Reduce) -> list[str]:
    """The declarations of a row's total.

    >>> begin(Reduce(None, "s_view", "s", "Sum", "T"))
    ['T s_total = 0;']
    """
    if is_extreme(sink):
        first = number(_WAYS[sink.op].first, sink.term)
        return [f"{sink.term} {sink.name}_total = {first};", f"int {sink.name}_nans = 0;"]
    kind = "int64_t" if sink.term in ("int64_t", "bool") else sink.term if sink.op == "Sum" else "double"
    return [f"{kind} {sink.name}_total = {_WAYS[sink.op].first};"]


def over(sinks: Sequence[Reduce]) -> list[str]:
    """The OpenMP clauses that say which variables of a loop are totals."""
    found: dict[str, list[str]] = {}
    for sink in sinks:
        found.setdefault(_WAYS[sink.op].operator, []).append(f"{sink.name}_total")
        if is_extreme(sink):
            found.setdefault("|", []).append(f"{sink.name}_nans")
    clauses = [f"reduction({operator} : {', '.join(names)})" for operator, names in found.items()]
    return [" ".join(clauses)] if clauses else []


def collect(sink: Reduce, index: str, term: str) -> tuple[str, list[str]]:
    """The statement that takes a term in, up to the arguments of its call, and these."""
    term = f"int64_t{{{term}}}" if sink.term == "int64_t" else term  # where a literal's type is deduced
    head = f"{sink.name}_total = loop.{_WAYS[sink.op].collect}("
    return head, [f"{sink.name}_total", f"{sink.name}_row + {index}", term]


def finish(sink: Reduce) -> str:
    """The statement behind a row."""
    nans = f", {sink.name}_nans" if is_extreme(sink) else ""
    return f"loop.{_WAYS[sink.op].join}({sink.name}_rows, {sink.name}_total{nans});"
