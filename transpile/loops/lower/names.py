"""C++ names: those of the Python text, changed only where C++ or the generated code needs them."""

from __future__ import annotations

from ...ir import Kind, Var

# Keywords of C++, macros of its library, and what the generated code calls its own.
_WORDS = """
    alignas alignof and and_eq asm auto bitand bitor bool break case catch char class compl concept const
    consteval constexpr constinit const_cast continue co_await co_return co_yield decltype default delete do
    double dynamic_cast else enum explicit export extern false float for friend goto if inline int long
    mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public register
    reinterpret_cast requires return short signed sizeof static static_assert static_cast struct switch
    template this thread_local throw true try typedef typeid typename union unsigned using virtual void
    volatile wchar_t while xor xor_eq
    errno linux unix NULL EOF T pb context loop space int64_t uint32_t inputs outputs size
"""
_RESERVED = frozenset(_WORDS.split())
# What a loop calls the rows and totals of a value, after its name.
_OF_LOOPS = ("_row", "_rows", "_total", "_nans")


def derived(name: str, kind: Kind = "tensor") -> Var:
    """A variable of the emitter's own, which no variable of a formula is equal to.

    >>> Names().of(derived("x_cast")), derived("x_cast") == Var("x_cast", temp=True)
    ('x_cast', False)
    """
    return Var(f"{name}'", kind, True)


class Names:
    """Names taken so far in one kernel, and the name of each variable."""

    def __init__(self) -> None:
        self._taken: set[str] = set(_RESERVED)
        self._of: dict[Var, str] = {}

    def copy(self) -> Names:
        """The same names, for a trial."""
        made = Names()
        made._taken, made._of = set(self._taken), dict(self._of)
        return made

    def of(self, var: Var) -> str:
        """The variable's name; a made-up one such as `_1` becomes `v1`."""
        if var not in self._of:
            stem = var.name.lstrip("_").partition("'")[0]
            self._of[var] = self.fresh(f"v{stem}" if stem[:1].isdigit() or not stem else stem)
        return self._of[var]

    def fresh(self, name: str) -> str:
        """The name, with a number where it is taken already; those in `pb_` are the emitters' own."""
        name = f"v_{name}" if name.startswith("pb_") else name
        chosen, count = name, 1
        while self._is_taken(chosen):
            count += 1
            chosen = f"{name}_{count}" if name not in _RESERVED or count > 2 else f"{name}_"
        self._taken.add(chosen)
        return chosen

    def _is_taken(self, name: str) -> bool:
        """True for one of the names, or one that a loop would give to something of its own."""
        owners = (name.removesuffix(ending) for ending in _OF_LOOPS if name.endswith(ending))
        return not self._taken.isdisjoint((name, *owners, *(f"{name}{ending}" for ending in _OF_LOOPS)))
