"""``python -m pullback.torch.coverage``: the library's functions compared with PyTorch's, over its samples.

For each entry of `op_db` that has a gradient on the CPU: whether the library has a counterpart, and whether
its values, first and second gradients of a few samples equal PyTorch's.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterable

import torch

from ..autograd.comparing import entries
from .comparing import Covered, compare


def main() -> int:
    """Compare, print a reason for each entry that is not equal, and count. The exit status is 0."""
    parser = argparse.ArgumentParser(prog="python -m pullback.torch.coverage", description=__doc__)
    parser.add_argument("--dtype", choices=("float64", "complex128"), default="float64")
    parser.add_argument("--samples", type=int, default=3, help="of each entry; default: %(default)s")
    parser.add_argument("--entry", action="append", help="names of entries; default: all")
    arguments = parser.parse_args()
    dtype = getattr(torch, arguments.dtype)
    found = [
        compare(info, dtype, arguments.samples)
        for info in entries(dtype)
        if not arguments.entry or info.formatted_name in arguments.entry
    ]
    print("\n".join([*(line for entry in found for line in lines(entry)), summary(found)]))
    return 0


def lines(entry: Covered) -> Iterable[str]:
    """A line for each reason why an entry is not equal."""
    if entry.absent:
        yield f"{entry.name}: absent: {entry.absent}"
    for word, reasons in (
        ("different", entry.problems), ("PyTorch is wrong", entry.right), ("refused", entry.refused)
    ):  # fmt: skip
        for each in dict.fromkeys(reasons):
            yield f"{entry.name}: {word}: {each}"


def summary(found: list[Covered]) -> str:
    """The counts."""
    of = Counter(entry.verdict for entry in found)
    partly = sum(entry.verdict == "equal" and bool(entry.refused) for entry in found)
    return (
        f"{len(found)} entries: {len(found) - of['absent'] - of['refused']} covered: {of['equal']} equal "
        f"({partly} of them refuse a sample), {of['right']} right where PyTorch is wrong, "
        f"{of['different']} different, {of['not compared']} without a sample to compare; "
        f"{of['refused']} refused, {of['absent']} absent"
    )


if __name__ == "__main__":
    sys.exit(main())
