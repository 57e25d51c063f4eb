"""``python -m pullback.torch.derived FOLDER``: entries that need not have been written.

Of many operators PyTorch has a decomposition into others. It is recorded and differentiated by the formulas
of these, the operator's own left out; where the first and second gradients of the calls that PyTorch's
samples (`op_db`) make equal PyTorch's, the entry follows from the others.
"""

from __future__ import annotations

import argparse
import sys

import torch

from ..derivatives.calls import sampled_calls
from ..derivatives.table import Derivatives
from .comparing import Found, compare_derived


def main() -> int:
    """Compare, print each entry that follows, with what it follows from, and count."""
    parser = argparse.ArgumentParser(prog="python -m pullback.torch.derived", description=__doc__)
    parser.add_argument("folder", help="what `pullback import-derivatives -o` wrote")
    parser.add_argument(
        "--samples", type=int, default=12, help="of each entry of op_db; default: %(default)s"
    )
    parser.add_argument("--calls", type=int, default=4, help="of each operator; default: %(default)s")
    parser.add_argument(
        "--only", metavar="NAME", action="append", help="the samples of this entry of op_db; default: of all"
    )
    arguments = parser.parse_args()
    derivatives = Derivatives(arguments.folder)
    calls = sampled_calls(derivatives, torch.float64, arguments.samples, arguments.calls, arguments.only)
    found = compare_derived(arguments.folder, derivatives, calls)
    for name in found.derived():
        print(f"{name}: {', '.join(sorted(found.uses[name])) or 'nothing flows back'}")
    for name, problem in found.different().items():
        print(f"{name}: not derived: {problem}")
    print(summary(found))
    return 0


def summary(found: Found) -> str:
    """The counts."""
    return (
        f"of {found.compared} entries with a gradient to compare PyTorch decomposes {len(found.entries)}: "
        f"{len(found.derived())} follow from others, {len(found.primitives())} are made of themselves, "
        f"{len(found.different())} differ"
    )


if __name__ == "__main__":
    sys.exit(main())
