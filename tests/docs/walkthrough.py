"""The commands of docs/architecture.md with their outputs. Anew: `python -m tests.docs.walkthrough`.

A block that begins with ``$ pullback ...`` shows the output of the command, or of a filter behind ``|``.
"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "architecture.md"
_BLOCK = re.compile(r"^(```\w*\n\$ )(pullback [^\n]*)\n(.*?)(?=^```$)", re.MULTILINE | re.DOTALL)


def commands(page):
    """The commands of a page, each with the output that is shown under it."""
    return [(found[2], found[3]) for found in _BLOCK.finditer(page)]


def output(command):
    """What a command prints, run from the root of the project."""
    run, _, kept = command.partition(" | ")
    arguments = [sys.executable, "-m", "pullback", *run.split()[1:]]
    printed = subprocess.run(arguments, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    if kept:
        printed = subprocess.run(kept, shell=True, input=printed, capture_output=True, text=True).stdout
    return printed.rstrip("\n") + "\n"


def regenerated(page):
    """The page with each output as it is now."""
    return _BLOCK.sub(lambda found: f"{found[1]}{found[2]}\n{output(found[2])}", page)


if __name__ == "__main__":
    PAGE.write_text(regenerated(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
