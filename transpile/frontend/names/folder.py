"""The texts of the package's formulas, and which function each of them states."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

from ...ir import Source
from ...operators import AROUND_DECOMPOSITIONS
from ..syntax.text import Text
from .bindings import Binding, Names
from .outline import Outline, formula_folder

_MODULES = {"np": "numpy", "pb": "pullback", "primitives": "pullback.primitives", "special": "scipy.special"}
_COMPOSITE = re.compile(r"^@pb\.composite\((np|pb|primitives|special)(\.[\w.]+)\)$", re.MULTILINE)
_PUBLIC_FUNCTION = re.compile(r"^def ([a-z]\w*)\(", re.MULTILINE)


class Composite(NamedTuple):
    """A function of ours that others read in place of a call, the text around it, and the names there."""

    node: ast.FunctionDef
    text: Text
    names: Names


class FormulaFolder:
    """The files of a folder; each is parsed when one of its formulas is first asked for.

    `places` has the file of each public function, which is named as the operator that it stands for.
    """

    def __init__(self, folder: Path) -> None:
        self._texts = {path: path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.py"))}
        self.places = {
            found[1]: path for path, text in self._texts.items() for found in _PUBLIC_FUNCTION.finditer(text)
        }
        self._outlines: dict[Path, Outline] = {}
        self._composites = {
            _MODULES[found[1]] + found[2]: path
            for path, text in self._texts.items()
            for found in _COMPOSITE.finditer(text)
        }

    def operators(self) -> tuple[str, ...]:
        """Every operator with a formula, file by file."""
        return tuple(name for path in self._texts for name in self.outline(path).operators)

    def outline(self, path: Path) -> Outline:
        """The formulas of a file."""
        if path not in self._outlines:
            self._outlines[path] = Outline(Source(str(path), self._texts[path]), ours=True)
        return self._outlines[path]

    def composite(self, dotted: str) -> Composite | None:
        """The text of the function of this full name, where it is made of operators and is none itself."""
        path = self._composites.get(dotted)
        outline = self.outline(path) if path is not None else None
        if outline is None or dotted not in outline.composites:
            return None
        return Composite(outline.composites[dotted], outline.text, outline.module.names)


@cache
def package_formulas() -> FormulaFolder:
    """The formulas that come with the package."""
    return FormulaFolder(formula_folder())


def formula_around(dotted: str) -> Binding | None:
    """The package's formula around a decomposition, by its full name: it stands for no function."""
    name = dotted.rpartition(".")[2]
    if AROUND_DECOMPOSITIONS.get(name) != dotted:
        return None
    folder = package_formulas()
    return folder.outline(folder.places[name]).module.names.find(name)
