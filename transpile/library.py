"""The formulas that differentiation may inline, found by operator, read from text once.

The standard library is the folder `formulas/` beside this one; a file that is
being transpiled adds its own. Formulas reach the transpiler as text, so that
the build needs neither NumPy nor an installed package.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from .ir import Eqn, Formula, Source


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
        self._under_way: list[str] = []
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
        from .passes.promote import promote

        if op not in self._formulas and self._parent is not None:
            return self._parent.promoted(op, eqn)
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
        }
    )
    name = text.split("def ", 1)[1].split("(")[0]
    return read_function(Source("example.py", text), names, name)


_standard: Library | None = None


def standard_library(folder: Path | None = None) -> Library:
    """The formulas that come with the package, read from their source text at the first call."""
    global _standard
    if _standard is None or folder is not None:
        from .frontend import read_module

        library = Library()
        for path in sorted((folder or formula_folder()).glob("*.py")):
            module = read_module(Source(str(path), path.read_text(encoding="utf-8")), ours=True)
            for formula in module.formulas.values():
                library.add(formula)
        if folder is not None:
            return library
        _standard = library
    return _standard


def formula_folder() -> Path:
    """Where the package's formulas stand."""
    return Path(__file__).resolve().parent.parent / "formulas"
