"""``python -m pullback.torch.autograd``: recorded gradients compared with PyTorch's, over its samples.

For each entry of `op_db` that has a gradient, the first and second gradients of a few samples are taken by
formulas and by PyTorch's own autograd.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter

import torch

from .comparing import Entry, compare_entry, entries, recorded
from .formulas import Formulas, table


def main() -> int:
    """Compare, print what differs and why, and count. The exit status is 1 where something differs."""
    parser = argparse.ArgumentParser(prog="python -m pullback.torch.autograd", description=__doc__)
    parser.add_argument("folder", nargs="?", help="formulas; default: the table of the installed PyTorch")
    parser.add_argument("--dtype", choices=("float64", "complex128"), default="float64")
    parser.add_argument("--samples", type=int, default=3, help="of each entry; default: %(default)s")
    parser.add_argument("--entry", action="append", help="names of entries; default: all")
    parser.add_argument("--order", type=int, choices=(1, 2), default=2, help="the highest")
    arguments = parser.parse_args()
    dtype = getattr(torch, arguments.dtype)
    way = recorded(Formulas(arguments.folder) if arguments.folder else table())
    found = [
        compare_entry(info, dtype, way, arguments.samples, arguments.order > 1)
        for info in entries(dtype)
        if not arguments.entry or info.formatted_name in arguments.entry
    ]
    print("\n".join([*(line for entry in found for line in lines(entry)), summary(found)]))
    return int(any(entry.verdict == "different" for entry in found))


def lines(entry: Entry) -> list[str]:
    """The differences, a line per reason."""
    return [
        *(f"{entry.name}: {each}" for each in dict.fromkeys(entry.problems)),
        *(f"{entry.name}: PyTorch is wrong: {each}" for each in dict.fromkeys(entry.right)),
    ]


def summary(found: list[Entry]) -> str:
    """The counts."""
    of = Counter(entry.verdict for entry in found)
    return (
        f"{len(found)} entries: {of['equal']} equal, {of['right']} right where PyTorch is wrong, "
        f"{of['different']} different, {of['not compared']} without a sample to compare"
    )


if __name__ == "__main__":
    sys.exit(main())
