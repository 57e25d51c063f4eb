"""``python -m pullback.torch.derivatives FOLDER``: imported formulas compared with PyTorch's derivatives.

For each operator that PyTorch's own samples call, the first derivative by its formula is compared.
"""

from __future__ import annotations

import argparse
import sys

import torch

from .comparing import Compared, compare_all, sampled_calls
from .table import Derivatives


def main() -> int:
    """Compare, print what differs and why, and count. The exit status is 1 where something differs."""
    parser = argparse.ArgumentParser(prog="python -m pullback.torch.derivatives", description=__doc__)
    parser.add_argument("folder", help="what `pullback import-derivatives -o` wrote")
    parser.add_argument("--dtype", choices=("float64", "complex128"), default="float64")
    parser.add_argument(
        "--samples", type=int, default=40, help="of each entry of op_db; default: %(default)s"
    )
    parser.add_argument("--calls", type=int, default=25, help="of each operator; default: %(default)s")
    arguments = parser.parse_args()
    derivatives = Derivatives(arguments.folder)
    dtype = getattr(torch, arguments.dtype)
    report = compare_all(derivatives, sampled_calls(derivatives, dtype, arguments.samples, arguments.calls))
    print("\n".join(lines(report)))
    return int(not all(found.whole for found in report.values()))


def lines(report: dict[str, Compared]) -> list[str]:
    """The differences, a line per reason, and the counts."""
    differing = {operator: found for operator, found in report.items() if not found.whole}
    made = [
        f"{operator}: {found.equal} of {found.calls} calls are equal: {problem}"
        for operator, found in differing.items()
        for problem in found.problems
    ]
    calls = sum(found.calls for found in report.values())
    equal = len(report) - len(differing)
    return [*made, f"{equal} of {len(report)} operators equal PyTorch's first derivative, over {calls} calls"]


if __name__ == "__main__":
    sys.exit(main())
