"""The formulas that differentiation may inline, found by operator, read from text once.

The standard library is the folder `formulas/` beside this one; a file that is
being transpiled adds its own. Formulas reach the transpiler as text, so that
the build needs neither NumPy nor an installed package.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from functools import cache

from .derivatives import Derivatives, NoDerivative, Variant
from .frontend import Binding, Names, read_function, read_operator
from .frontend.names.folder import FormulaFolder, package_formulas
from .ir import Eqn, Formula, Literal, Source, Var
from .operators import AROUND_DECOMPOSITIONS, OPERATORS
from .passes.promote.promote import promote
from .passes.variants.specialize import specialize


class Library(Derivatives):
    """Formulas by operator name; `parent` is asked for what this one lacks."""

    def __init__(self, formulas: Mapping[str, Formula] | None = None, parent: Library | None = None) -> None:
        self._formulas = dict(formulas or {})
        self._promoted: dict[str, tuple[Formula, Formula]] = {}
        self._variants: dict[tuple[object, ...], tuple[Formula, Variant]] = {}
        self._under_way: list[str] = []  # by the thread that holds the lock
        self._lock = threading.RLock()
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

    def is_internal(self, op: str) -> bool:
        """True for a formula that the package has for itself: it stands for no function that has a name."""
        return op not in self._formulas and self._parent is not None and self._parent.is_internal(op)

    def promoted(self, op: str, eqn: Eqn | None = None) -> Formula:
        """The operator's formula after promotion. Raises NoDerivative where there is none."""
        if op not in self._formulas and self._parent is not None:
            return self._parent.promoted(op, eqn)
        with self._lock:
            return self._promoted_here(op, eqn)

    def _promoted_here(self, op: str, eqn: Eqn | None) -> Formula:
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

    def having(self, formulas: Mapping[str, Formula]) -> Library:
        """The same, but for these formulas by their operators."""
        return Library(formulas, self)

    def variant(
        self, formula: Formula, defined: Sequence[bool], needed: Sequence[bool], values: Mapping[Var, Literal]
    ) -> Variant:
        """`specialize` of a promoted formula, once for a pattern: a program's operators are few."""
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


class Folder(Library):
    """The formulas of a folder, each read from its text when it is first asked for.

    Most programs meet a few of them, and reading takes a millisecond each.
    """

    def __init__(self, folder: FormulaFolder) -> None:
        super().__init__()
        self._folder = folder

    def names(self) -> tuple[str, ...]:
        """Every operator with a formula, file by file."""
        return self._folder.operators()

    def formula(self, op: str) -> Formula | None:
        """The operator's formula as written, or None."""
        if op not in self._formulas and op in self._folder.places:
            with self._lock:
                self._read(op)
        return self._formulas.get(op)

    def is_internal(self, op: str) -> bool:
        """True for a formula that stands for no function that has a name."""
        return op in self._folder.places and op not in OPERATORS and op not in AROUND_DECOMPOSITIONS

    def _read(self, op: str) -> None:
        outline = self._folder.outline(self._folder.places[op])
        missing = op in outline.operators and op not in self._formulas
        if missing and (formula := read_operator(outline, op)) is not None:
            self.add(formula)


@cache
def standard_library() -> Folder:
    """The formulas that come with the package."""
    return Folder(package_formulas())
