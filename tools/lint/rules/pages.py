"""All rules as Markdown pages: ``python -m pullback.tools.lint.rules.pages docs/rules``."""

from __future__ import annotations

import sys
from pathlib import Path

from . import RULES, TORCH_RULES, Rule

# The name of a rule's page for programs: the project has no address of its own in the web.
ADDRESS = "urn:pullback:rule:{code}"

INDEX = """\
# Lint rules

`PB1xx` captures, `PB2xx` the gradient contract, `PB3xx` mutation and state, `PB4xx` the language
fence, `PB9xx` advice. Findings of severity error and warning make `pullback lint` exit with 1; those
of severity info show with `--verbose`.

| code | rule | severity | what it does |
| --- | --- | --- | --- |
"""


def page_of(code: str, torch_first: bool = False) -> str:
    """The page of a code, in Markdown: for formulas and for classes, where it is a rule about both.

    `torch_first`: what it is about classes comes first, as beside a finding in one.
    """
    rule, of_class = RULES[code], TORCH_RULES.get(code)
    if of_class is None or of_class is rule:
        return rule.page
    head = (
        f"# {code}: {rule.name}\n\nSeverity: {rule.severity} in a formula, {of_class.severity} in a "
        "`torch.autograd.Function`.\n"
    )
    parts = [("In a formula", rule), ("In a `torch.autograd.Function`", of_class)]
    if torch_first:
        parts.reverse()
    return head + "".join(f"\n## {where}\n{_deeper(one)}\n" for where, one in parts)


def _deeper(rule: Rule) -> str:
    return ("\n" + (rule.documentation or "").strip()).replace("\n## ", "\n### ").strip()


def pages() -> dict[str, str]:
    """The text of each page by file name."""
    made = {f"{code}.md": page_of(code) for code in RULES}
    rows = []
    for rule in sorted(RULES.values(), key=lambda rule: rule.code):
        what = rule.section("What it does").replace("\n", " ").replace("|", "\\|")
        rows.append(f"| [{rule.code}]({rule.code}.md) | {rule.name} | {severities(rule.code)} | {what} |\n")
    made["index.md"] = INDEX + "".join(rows)
    return made


def severities(code: str) -> str:
    """The severity of a finding: in a formula, then in a class, where they differ."""
    of_class = TORCH_RULES.get(code)
    both = [RULES[code].severity, *([of_class.severity] if of_class is not None else [])]
    return ", in a class ".join(dict.fromkeys(both))


def main(folder: Path) -> None:
    """Write the pages into the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in pages().items():
        (folder / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
