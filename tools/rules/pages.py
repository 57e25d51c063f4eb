"""``python -m pullback.tools.rules.pages docs/rules``: the documentation of all rules as Markdown pages."""

from __future__ import annotations

import sys
from pathlib import Path

from . import RULES, TORCH_RULES

INDEX = """\
# Lint rules

`PB1xx` captures, `PB2xx` the gradient contract, `PB3xx` mutation and state, `PB4xx` the language
fence, `PB9xx` advice. Findings of severity error and warning make `pullback lint` exit with 1; those
of severity info show with `--verbose`.

| code | rule | severity | what it does |
| --- | --- | --- | --- |
"""


def pages() -> dict[str, str]:
    """The text of each page by file name."""
    made = {f"{rule.code}.md": rule.page for rule in RULES.values()}
    for code, of_class in TORCH_RULES.items():
        if RULES[code] is not of_class:
            about = of_class.page.replace("# ", "## In a `torch.autograd.Function`: ", 1).replace(
                "\n## ", "\n### "
            )
            made[f"{code}.md"] += "\n" + about
    rows = []
    for rule in sorted(RULES.values(), key=lambda rule: rule.code):
        what = rule.section("What it does").replace("\n", " ").replace("|", "\\|")
        rows.append(f"| [{rule.code}]({rule.code}.md) | {rule.name} | {rule.severity} | {what} |\n")
    made["index.md"] = INDEX + "".join(rows)
    return made


def main(folder: Path) -> None:
    """Write the pages into the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in pages().items():
        (folder / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
