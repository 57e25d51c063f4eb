"""Bindings of the names around a formula: modules, numbers, formulas, helpers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal as OneOf

from ...ir import Literal, Source

BUILTINS = frozenset(
    {
        "abs",
        "all",
        "any",
        "bool",
        "callable",
        "complex",
        "divmod",
        "enumerate",
        "float",
        "int",
        "isinstance",
        "len",
    }
    | {"list", "max", "min", "pow", "print", "range", "reversed", "round", "slice", "sorted", "str"}
    | {"sum", "tuple", "zip", "map", "filter", "dict"}
)


@dataclass(frozen=True)
class Binding:
    """The meaning of one name.

    ``dotted``    a module or a function by its full name ("numpy", "numpy.exp")
    ``constant``  a number, string, bool, None, or tuple of these, in `literal`
    ``formula``   another formula, by the name of its operator; `operands` and `attrs`
                  are its parameters, `results` how many it returns
    ``helper``    a plain function: the text that it stands in, and its own names
    ``factory``   a variable of a function around the formula, whose value isn't known yet
    ``unknown``   anything else; `why` says what it is ("a list that changes")
    """

    kind: OneOf["dotted", "constant", "formula", "helper", "factory", "unknown"]
    name: str = ""
    literal: Literal = field(default_factory=lambda: Literal(None))
    operands: tuple[str, ...] = ()
    attrs: tuple[str, ...] = ()
    results: int = 1
    result_is_tuple: bool = False
    source: Source | None = None
    names: Names | None = None
    why: str = ""

    @staticmethod
    def dotted(name: str) -> Binding:
        """A module or function by its full name."""
        return Binding("dotted", name)

    @staticmethod
    def constant(value: object, strong: bool = False) -> Binding:
        """A number, string, bool, None or tuple; `strong` for a NumPy scalar."""
        return Binding("constant", literal=Literal(value, strong))

    @staticmethod
    def formula(
        name: str,
        operands: tuple[str, ...] = (),
        attrs: tuple[str, ...] = (),
        results: int = 1,
        result_is_tuple: bool = False,
    ) -> Binding:
        """Another formula; without `operands` its arguments are taken as they are written."""
        return Binding(
            "formula", name, operands=operands, attrs=attrs, results=results, result_is_tuple=result_is_tuple
        )

    @staticmethod
    def helper(name: str, source: Source, names: Names) -> Binding:
        """A plain function with its text, to be inlined."""
        return Binding("helper", name, source=source, names=names)

    @staticmethod
    def factory(name: str) -> Binding:
        """A variable of a function around the formula."""
        return Binding("factory", name)

    @staticmethod
    def unknown(why: str) -> Binding:
        """Something that a formula may not capture."""
        return Binding("unknown", why=why)


@dataclass(frozen=True)
class Names:
    """Looks a module-level name up, lazily.

    >>> names = Names.of({"np": Binding.dotted("numpy")})
    >>> names.lookup("np").name
    'numpy'
    >>> names.lookup("missing") is None
    True
    """

    find: Callable[[str], Binding | None]
    formulas: Callable[[str], Binding | None] = field(default=lambda dotted: None)

    @staticmethod
    def of(bindings: Mapping[str, Binding] | Callable[[str], Binding | None]) -> Names:
        """Names of a mapping, or of a function that is asked for each name when it is met."""
        return Names(bindings.get if isinstance(bindings, Mapping) else bindings)

    def formula_of(self, dotted: str) -> Binding | None:
        """The formula that a function's full name stands for, where a library has one."""
        return self.formulas(dotted)

    def lookup(self, name: str) -> Binding | None:
        """The binding of a name; builtins are found last."""
        found = self.find(name)
        if found is None and name in BUILTINS:
            return Binding.dotted(name)
        return found
