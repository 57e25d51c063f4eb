"""Lines below a schema: what an entry says of inputs and results, and no code of a formula shows.

>>> notes = Notes(zeros={"self": "aten.zeros_like(grad)"}, plain=("mask",))
>>> notes.lines()
['Zeros: self = aten.zeros_like(grad)', 'Non-differentiable: mask']
>>> read("where(...) -> Tensor\\n\\n" + "\\n".join(notes.lines())) == ("where(...) -> Tensor", notes)
True
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass, field

ZEROS = "Zeros: "
PLAIN = "Non-differentiable: "
WHERE = "Differentiable where: "


@dataclass(frozen=True)
class Notes:
    """The lines below a schema.

    zeros  the gradients of zeros by their inputs, as Python; the closure says None
    plain  inputs that the table calls `non_differentiable`; the closure says None, as of those left out
    where  a condition of C++ under which the result is differentiable, or nothing
    """

    zeros: Mapping[str, str] = field(default_factory=dict)
    plain: tuple[str, ...] = ()
    where: str = ""

    def lines(self) -> list[str]:
        """The text, a line each."""
        listed = [f"{ZEROS}{name} = {text}" for name, text in self.zeros.items()]
        listed += [f"{PLAIN}{', '.join(self.plain)}"] if self.plain else []
        return [*listed, *([f"{WHERE}{self.where}"] if self.where else [])]


def read(docstring: str) -> tuple[str, Notes]:
    """The schema of a docstring, on one line, and the notes below it."""
    head, _, rest = inspect.cleandoc(docstring).partition("\n\n")
    zeros: dict[str, str] = {}
    plain: list[str] = []
    where = ""
    for line in rest.splitlines():
        if line.startswith(ZEROS):
            name, _, text = line.removeprefix(ZEROS).partition("=")
            zeros[name.strip()] = text.strip()
        elif line.startswith(PLAIN):
            plain += [name.strip() for name in line.removeprefix(PLAIN).split(",")]
        elif line.startswith(WHERE):
            where = line.removeprefix(WHERE).strip()
    return " ".join(head.split()), Notes(zeros, tuple(plain), where)
