"""``python -m pullback.torch.derivatives FOLDER``: imported formulas compared with PyTorch's derivatives.

For each operator that PyTorch's own samples call, the first and second derivatives by its formula are
compared, and its rule for forward mode.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator

import torch

from .calls import sampled_calls
from .comparing import ORDERS, Compared, compare_all
from .table import Derivatives

Report = dict[str, dict[str, Compared]]


def main() -> int:
    """Compare, print what differs and why, and count. The exit status is 1 where something differs."""
    parser = argparse.ArgumentParser(prog="python -m pullback.torch.derivatives", description=__doc__)
    parser.add_argument("folder", help="what `pullback import-derivatives -o` wrote")
    parser.add_argument("--dtype", choices=("float64", "complex128"), default="float64")
    parser.add_argument("--order", choices=ORDERS, action="append", help="what to compare; default: all")
    parser.add_argument(
        "--samples", type=int, default=40, help="of each entry of op_db; default: %(default)s"
    )
    parser.add_argument("--calls", type=int, default=25, help="of each operator; default: %(default)s")
    parser.add_argument(
        "--only", metavar="NAME", action="append", help="the samples of this entry of op_db; default: of all"
    )
    parser.add_argument("--format", choices=("text", "json"), default="text", help="json has the counts only")
    arguments = parser.parse_args()
    derivatives = Derivatives(arguments.folder)
    dtype = getattr(torch, arguments.dtype)
    calls = sampled_calls(derivatives, dtype, arguments.samples, arguments.calls, arguments.only)
    report = {order: compare_all(derivatives, calls, order) for order in arguments.order or ORDERS}
    if arguments.format == "json":
        print(json.dumps({order: counts(found) for order, found in report.items()}))
    else:
        print("\n".join(lines(report)))
    return int(any(each["different"] for each in map(counts, report.values())))


def counts(report: dict[str, Compared]) -> dict[str, int]:
    """Counts of operators: all, and equal, right where PyTorch is wrong, refused, or different."""
    verdicts = Counter(found.verdict for found in report.values())
    return {
        "compared": len(report),
        **{verdict: verdicts[verdict] for verdict in ("equal", "right", "refused", "different")},
    }


def lines(report: Report) -> Iterator[str]:
    """The differences, a line per reason, and the counts."""
    for order, operators in report.items():
        for operator, found in operators.items():
            verdict = "PyTorch is wrong: " if found.verdict == "right" else ""
            for problem in found.problems:
                equal = f"{found.equal} of {found.calls} calls are equal"
                yield f"{order}: {operator}: {equal}: {verdict}{problem}"
    for order, operators in report.items():
        of = counts(operators)
        yield (
            f"{order}: {of['equal']} of {of['compared']} operators equal PyTorch, "
            f"{of['right']} are right where PyTorch is wrong, "
            f"{of['refused']} are refused for some calls, {of['different']} differ"
        )


if __name__ == "__main__":
    sys.exit(main())
