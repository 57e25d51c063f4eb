"""The formulas that differentiation may inline, found by operator, read from text once.

The standard library is the folder `formulas/` beside this one; a file that is
being transpiled adds its own. Formulas reach the transpiler as text, so that
the build needs neither NumPy nor an installed package.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from .ir import Eqn, Formula, Literal, Source, Var

if TYPE_CHECKING:
    import ast

    from .frontend import Names, Outline
    from .frontend.syntax.text import Text
    from .passes.variants.specialize import Variant


class NoDerivative(Exception):
    """An operator on the way of a gradient has no derivative. `eqn` is where."""

    def __init__(self, eqn: Eqn | None, what: str) -> None:
        self.eqn = eqn
        self.what = what
        super().__init__(what)


class Library:
    """Formulas by operator name; `parent` is asked for what this one lacks."""

    def __init__(self, formulas: Mapping[str, Formula] | None = None, parent: Library | None = None) -> None:
        self._formulas = dict(formulas or {})
        self._promoted: dict[str, tuple[Formula, Formula]] = {}
        self._variants: dict[tuple[object, ...], tuple[Formula, Variant]] = {}
        self._under_way: list[str] = []  # by the thread whose turn it is
        self._turn = threading.RLock()
        self._parent = parent

    def add(self, formula: Formula) -> None:
        """Make a formula known under its name."""
        self._formulas[formula.name] = formula
        self._promoted.pop(formula.name, None)

    def names(self) -> tuple[str, ...]:
        """Every operator with a formula, the parent's first."""
        before = self._parent.names() if self._parent is not None else ()
        return (*before, *(name for name in self._formulas if name not in before))

    def formula(self, op: str) -> Formula | None:
        """The operator's formula as written, or None."""
        if op in self._formulas:
            return self._formulas[op]
        return self._parent.formula(op) if self._parent is not None else None

    def promoted(self, op: str, eqn: Eqn | None = None) -> Formula:
        """The operator's formula after promotion. Raises NoDerivative where there is none."""
        if op not in self._formulas and self._parent is not None:
            return self._parent.promoted(op, eqn)
        with self._turn:
            return self._promoted_here(op, eqn)

    def _promoted_here(self, op: str, eqn: Eqn | None) -> Formula:
        from .passes.promote.promote import promote

        formula = self.formula(op)
        if formula is None:
            raise NoDerivative(eqn, f"{op!r} has no formula")
        if op in self._under_way:
            cycle = " -> ".join([*self._under_way[self._under_way.index(op) :], op])
            raise NoDerivative(eqn, f"the derivative of {op!r} needs itself: {cycle}")
        known = self._promoted.get(op)
        if known is None or known[0] is not formula:  # a name may be defined again
            self._under_way.append(op)
            try:
                known = self._promoted[op] = formula, promote(formula, self)
            finally:
                self._under_way.pop()
        return known[1]

    def variant(
        self, formula: Formula, defined: Sequence[bool], needed: Sequence[bool], values: Mapping[Var, Literal]
    ) -> Variant:
        """`specialize` of a promoted formula, once for a pattern: a program's operators are few."""
        from .passes.variants.specialize import specialize

        constants = ((var, repr(atom)) for var, atom in values.items())
        key = (formula.name, *defined, *needed, *constants)
        known = self._variants.get(key)
        if known is None or known[0] is not formula:  # a name may be defined again
            known = self._variants[key] = formula, specialize(formula, defined, needed, values)
        return known[1]


def formula_in(text: str) -> Formula:
    """The formula that a few lines state, with `np`, `special` and `pb` imported: for examples and tests.

    >>> formula_in('''
    ... def double(x):
    ...     return 2 * x, lambda grad: 2 * grad
    ... ''').name
    'double'
    """
    from .frontend import Binding, Names, read_function

    names = Names.of(
        {
            "np": Binding.dotted("numpy"),
            "special": Binding.dotted("scipy.special"),
            "pb": Binding.dotted("pullback"),
            "primitives": Binding.dotted("pullback.primitives"),
        }
    )
    name = text.split("def ", 1)[1].split("(")[0]
    return read_function(Source("example.py", text), names, name)


class Composite(NamedTuple):
    """A function of ours that others read in place of a call, the text around it, and the names there."""

    node: ast.FunctionDef
    text: Text
    names: Names


class Folder(Library):
    """The formulas of a folder, each read from its text when it is first asked for.

    Most programs meet a few of them, and reading takes a millisecond each.
    """

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._texts = {path: path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.py"))}
        # Each is a function of the module, under the name of the word that it stands for.
        self._places = {
            found[1]: path for path, text in self._texts.items() for found in _PUBLIC_FUNCTION.finditer(text)
        }
        self._outlines: dict[Path, Outline] = {}
        self._composites = {
            _MODULES[found[1]] + found[2]: path
            for path, text in self._texts.items()
            for found in _COMPOSITE.finditer(text)
        }

    def names(self) -> tuple[str, ...]:
        """Every operator with a formula, file by file."""
        return tuple(name for path in self._texts for name in self._outline(path).operators)

    def formula(self, op: str) -> Formula | None:
        """The operator's formula as written, or None."""
        if op not in self._formulas and op in self._places:
            with self._turn:
                self._read(op)
        return self._formulas.get(op)

    def _read(self, op: str) -> None:
        outline = self._outline(self._places[op])
        read = outline.read(op) if op in outline.operators and op not in self._formulas else None
        if read is not None:
            self.add(read)

    def composite(self, dotted: str) -> Composite | None:
        """The text of the function of this full name, where it is made of operators and no word itself."""
        path = self._composites.get(dotted)
        outline = self._outline(path) if path is not None else None
        if outline is None or dotted not in outline.composites:
            return None
        return Composite(outline.composites[dotted], outline.text, outline.module.names)

    def _outline(self, path: Path) -> Outline:
        from .frontend import Outline

        if path not in self._outlines:
            self._outlines[path] = Outline(Source(str(path), self._texts[path]), ours=True)
        return self._outlines[path]


_MODULES = {"np": "numpy", "pb": "pullback", "primitives": "pullback.primitives", "special": "scipy.special"}
_COMPOSITE = re.compile(r"^@pb\.composite\((np|pb|primitives|special)(\.[\w.]+)\)$", re.MULTILINE)
_PUBLIC_FUNCTION = re.compile(r"^def ([a-z]\w*)\(", re.MULTILINE)


@cache
def standard_library() -> Folder:
    """The formulas that come with the package."""
    return Folder(formula_folder())


def formula_folder() -> Path:
    """The folder of the package's formulas."""
    return Path(__file__).resolve().parent.parent / "formulas"
