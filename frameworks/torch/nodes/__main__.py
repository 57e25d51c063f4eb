"""``python -m pullback.torch.nodes FOLDER``: a library's gradients compared with PyTorch's, over its samples.

FOLDER is what `pullback export-derivatives --target aten` wrote. It is compiled, and the first and second
gradients of a few samples of each entry of `op_db` that uses its operators are taken by both.
"""

from __future__ import annotations

import argparse
import sys
import time

import torch

from ..autograd.comparing import entries
from .comparing import compare
from .library import load


def main() -> int:
    """Compare, print what differs, and count. The exit status is 1 where something differs."""
    parser = argparse.ArgumentParser(prog="python -m pullback.torch.nodes", description=__doc__)
    parser.add_argument("folder")
    parser.add_argument("--samples", type=int, default=3, help="of each entry; default: %(default)s")
    parser.add_argument("--entry", action="append", help="names of entries; default: all")
    parser.add_argument("--jobs", type=int, help="files compiled at once; default: one per processor")
    arguments = parser.parse_args()
    start = time.perf_counter()
    library = load(arguments.folder, arguments.jobs)
    print(f"compiled and loaded in {time.perf_counter() - start:.0f} s")
    infos = [
        info
        for info in entries(torch.float64)
        if not arguments.entry or info.formatted_name in arguments.entry
    ]
    made = compare(library, infos, torch.float64, arguments.samples)
    for name, problems in made.different().items():
        print(*(f"{name}: {problem}" for problem in problems), sep="\n")
    print(f"{len(made.entries)} operators compared: {len(made.equal())} equal")
    return int(bool(made.different()))


if __name__ == "__main__":
    sys.exit(main())
