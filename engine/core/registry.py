"""All formulas: which one stands for a NumPy function, and the list that `pb.formulas()` shows.

The library in `pullback.formulas` is imported when it is first needed. A formula
of the user with a target (``@pb.formula(np.tanh)``) takes the library's place; one
without a target is listed under its name and replaces nothing.

Names are not unique: a cell of a notebook runs twice, two modules call different
things `kernel`. Each entry therefore has an operator name of its own (`kernel`,
`kernel_2`), by which other formulas and emitted text refer to it for ever.
"""

from __future__ import annotations

import importlib
import pkgutil
import threading
from collections.abc import Callable, Iterator
from typing import Any

from ...transpile.ir import STRUCTURAL, Formula
from ...transpile.operators import OPERATORS, OperatorInfo
from .no_derivative import why

LIBRARY = "pullback.formulas"


def _function(dotted: str) -> Callable[..., Any] | None:
    """The function with this full name, or None where this NumPy or SciPy has none of it."""
    module, _, name = dotted.rpartition(".")
    return getattr(importlib.import_module(module), name, None) if module else None


class Formulas:
    """Every formula that is known: a sequence, also indexed by name or by the function it stands for.

    >>> import numpy as np, pullback as pb
    >>> pb.formulas()[np.exp] is pb.formulas()["exp"]
    True
    """

    def __init__(self) -> None:
        self._entries: dict[str, Any] = {}
        self._latest: dict[str, Any] = {}
        self._operator_names: dict[int, str] = {}
        self._by_function: dict[Any, Any] = {}
        self._by_operator: dict[str, Any] = {}
        self._infos: dict[Any, OperatorInfo] | None = None
        self.overridden: set[str] = set()  # for which formulas of a user stand
        self._library = False  # whether all of it is here
        self._importing = False
        self._lock = threading.RLock()  # of the thread that imports the library
        self._listeners: list[Callable[[], None]] = []

    def on_replaced(self, listener: Callable[[], None]) -> None:
        """Have a function called whenever another formula stands for an operator."""
        self._listeners.append(listener)

    def register(
        self, entry: Any, function: Callable[..., Any], target: Callable[..., Any] | None = None
    ) -> None:
        """Add a formula or composite.

        entry     what is called with arrays or tensors
        function  what the author wrote, for its name and module
        target    the function that it stands for, if any; where that one has no derivative, the library's
                  text is for formulas alone, and tensors are given to the function itself
        """
        name = function.__name__
        ours = str(function.__module__).startswith(LIBRARY)  # None where the text was run by `exec`
        if not ours:
            self.load_library()  # its names come first
        operator_name = self.free_name(name, ours)
        self._entries[operator_name] = entry
        self._operator_names[id(entry)] = operator_name
        self._latest[name] = entry
        if target is not None and not (ours and (target in self._by_function or why(target) is not None)):
            self._by_function[target] = entry
            info = self.info_of(target)
            if info is not None:
                self._by_operator[info.name] = entry
                if not ours:
                    self.overridden.add(info.name)
                for listener in self._listeners:
                    listener()
        if ours and name in OPERATORS:
            self._by_operator.setdefault(name, entry)

    def free_name(self, name: str, ours: bool = False) -> str:
        """The name, numbered where another entry has it or where an operator of the vocabulary has it."""
        free = name
        number = 2
        while free in self._entries or (not ours and (free in OPERATORS or free in STRUCTURAL)):
            free = f"{name}_{number}"
            number += 1
        return free

    def operator_name(self, entry: Any) -> str | None:
        """The name that only this entry has, or None where it was not registered."""
        return self._operator_names.get(id(entry))

    def operator(self, name: str) -> Any | None:
        """The entry with this operator name; of the vocabulary: the formula that stands for it."""
        if name in OPERATORS:
            return self.of_operator(name)
        if name not in self._entries and name not in STRUCTURAL:
            self.load_library()
        return self._entries.get(name)

    def called_by(self, formula: Formula) -> dict[str, Any]:
        """The entries that a formula's emitted text calls by their operator names."""
        names = {eqn.op for eqn in formula.every() if eqn.op not in OPERATORS}
        return {name: entry for name in names if (entry := self.operator(name)) is not None}

    def target(self, entry: Any) -> Callable[..., Any] | None:
        """The function that an entry stands for, or None."""
        return next((function for function, found in self._by_function.items() if found is entry), None)

    def info_of(self, function: Any) -> OperatorInfo | None:
        """The entry in the table of operators of this function, by identity."""
        if self._infos is None:
            names = ((name, info) for info in OPERATORS.values() for name in (info.python, *info.spelling))
            pairs = ((_function(name), info) for name, info in names)
            self._infos = {found: info for found, info in pairs if found is not None}
        try:
            return self._infos.get(function)
        except TypeError:
            return None

    def load_library(self) -> None:
        """Import every module of `pullback.formulas`, once; other threads wait until all are here."""
        if self._library:
            return
        with self._lock:
            if self._library or self._importing:  # while it is imported, it looks its own operators up
                return
            self._importing = True
            try:
                package = importlib.import_module(LIBRARY)
                for module in pkgutil.iter_modules(package.__path__):
                    importlib.import_module(f"{LIBRARY}.{module.name}")
                self._library = True
            finally:
                self._importing = False

    def find(self, which: str | Callable[..., Any]) -> Any | None:
        """The formula of a name ("exp"), the latest of several, or of a function (np.exp); or None."""
        self.load_library()
        if isinstance(which, str):
            return self._by_operator.get(which) or self._latest.get(which) or self._entries.get(which)
        entry = self._by_function.get(which)
        if entry is None and (info := self.info_of(which)) is not None:
            entry = self._by_operator.get(info.name)
        return entry

    def of_operator(self, name: str) -> Any | None:
        """The formula of an operator of the vocabulary, which methods of tensors call, or None."""
        if not self._library:
            self.load_library()
        return self._by_operator.get(name)

    def of_library(self, entry: Any) -> bool:
        """True for an entry of the package's own, not of a user."""
        return str(getattr(entry, "__module__", "")).startswith(LIBRARY)

    def is_replaced(self, function: Callable[..., Any]) -> bool:
        """True where a formula of a user stands for this function; nothing is imported to know that."""
        return function in self._by_function and not self.of_library(self._by_function[function])

    def __getitem__(self, which: int | str | Callable[..., Any]) -> Any:
        if isinstance(which, int):
            return list(self)[which]
        entry = self.find(which)
        if entry is None:
            raise KeyError(f"no formula for {which!r}; pb.formulas() lists {len(self)}")
        return entry

    def __contains__(self, which: object) -> bool:
        if isinstance(which, str) or callable(which):
            return self.find(which) is not None or which in list(self)
        return False

    def __iter__(self) -> Iterator[Any]:
        self.load_library()
        return iter(tuple(self._entries.values()))

    def __len__(self) -> int:
        self.load_library()
        return len(self._entries)

    def __repr__(self) -> str:
        self.load_library()
        return f"<{len(self)} formulas: {', '.join(self._entries)}>"


FORMULAS = Formulas()


def formulas() -> Formulas:
    """All formulas: iterate, or look one up by name or NumPy function.

    Returns
    -------
    Formulas
        A mapping by name and by NumPy function, whose iteration gives the formulas.

    Examples
    --------
    >>> import numpy as np
    >>> import pullback as pb
    >>> pb.formulas()["tanh"] is pb.formulas()[np.tanh]
    True
    """
    return FORMULAS
