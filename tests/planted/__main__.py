"""``python -m tests.planted [NAME ...]``: mistakes planted in the library's formulas, and how many are found.

Each kind of mistake is planted in the closure of each formula, in up to three places; a copy that has the
formula's own two derivatives at its samples all the same is not counted. The exit status is 1 where one is
not found.
"""

from __future__ import annotations

import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from .finding import Found, formulas, plant
from .mistakes import KINDS


def main(names: list[str]) -> int:
    """Plant, print each that was not found, and count."""
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    chosen = [formula for formula in formulas() if not names or formula.__name__ in names]
    with tempfile.TemporaryDirectory() as folder:
        found = [each for formula in chosen for each in plant(formula, Path(folder))]
    for each in found:
        if not each.said:
            print(f"not found: {each.formula}: {each.kind}\n{each.text}\n")
    print(table(found))
    caught = sum(bool(each.said) for each in found)
    print(f"{caught} of {len(found)} planted mistakes are found, in {len(chosen)} formulas")
    return int(caught < len(found))


def table(found: Iterable[Found]) -> str:
    """The counts by kind, in Markdown."""
    found = list(found)
    planted = Counter(each.kind for each in found)
    caught = Counter(each.kind for each in found if each.said)
    by_lint = Counter(each.kind for each in found if each.said.startswith("FormulaError"))
    rows = (f"| {kind} | {planted[kind]} | {caught[kind]} | {by_lint[kind]} |" for kind in KINDS)
    return "\n".join(["| mistake | planted | found | of them by lint |", "| --- | --- | --- | --- |", *rows])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
