"""The kernels of a formula as the emitter takes them, cached on disk: transpiling costs more than loading.

An entry is a pickle of `Compiled`. Its key holds what decides it: the formula as it was read, the user's
formulas that may stand in it, the attributes, and the transpiler and the library as they are now.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from ...transpile.diagnostics import FormulaError
from ...transpile.ir import Formula as FormulaIR
from ...transpile.loops.kernels.formula_kernels import Compiled, formula_kernels, pattern_kernel
from ...transpile.loops.kernels.plain_values import with_plain_results
from ...transpile.loops.lower.kernel import Kernel
from ...transpile.passes.kernel.arguments import Arguments
from ...transpile.passes.kernel.arguments import asks_ranks as asks
from ...transpile.passes.promote.promote import promote
from ...transpile.passes.promote.save_or_recompute import fused
from ..core.registry import FORMULAS
from ..formula.formula import Formula
from .disk_cache import cached, key_of_package
from .library import LIBRARY

_LAST: dict[str, FormulaIR] = {}


class Prepared(NamedTuple):
    """A formula with its kernels, and a key that no other has."""

    compiled: Compiled
    key: str


def prepare(formula: Formula, attributes: Mapping[str, Any], order: int, arguments: Arguments) -> Prepared:
    """The kernels for these attributes. Raises FormulaError where the forward is not compiled."""
    key = _key(formula, repr([*_stable(attributes), order, *_stable(arguments)]))

    def make() -> Compiled:
        optional = any(param.optional for param in formula.ir.params)
        ir = formula.ir if attributes or arguments or optional else _promoted(formula)
        return with_plain_results(
            formula_kernels(ir, LIBRARY, attributes, order, arguments, general=False, present=optional)
        )

    return Prepared(cached(key, make), key)


def pattern(key: str, compiled: Compiled, defined: tuple[bool, ...] | None) -> Kernel | None:
    """The kernel of one pattern of defined gradients, or of any, for a part of what was prepared under a key.

    None where there is none.
    """

    def make() -> Kernel | None:
        try:
            return pattern_kernel(compiled, LIBRARY, defined)
        except FormulaError:
            return None

    return cached(key_of_package(key, compiled.forward.name, repr(defined)), make)


def asks_ranks(formula: Formula, elements: bool = True) -> bool:
    """True where its kernels depend on the numbers of axes of its inputs; with `elements`, those in C++."""
    return cached(_key(formula, "asks ranks", str(elements)), lambda: asks(_promoted(formula), elements))


def _promoted(formula: Formula) -> FormulaIR:
    """The formula with the save-or-recompute decisions of fused kernels; the last one is remembered."""
    key = _key(formula, "promoted")
    if key not in _LAST:
        formula.refuse_recursion()
        _LAST.clear()
        _LAST[key] = promote(formula.ir, LIBRARY, fused)
    return _LAST[key]


def _key(formula: Formula, *what: str) -> str:
    return key_of_package(formula.reading or repr(formula.ir), *_of_users(formula.ir), *what)


def _stable(values: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    return [(name, type(value).__name__, repr(value)) for name, value in values.items()]


def _of_users(ir: FormulaIR) -> list[str]:
    """The user's formulas that this one may run: those for operators, those that it calls, and so on."""
    found: dict[str, str] = {}
    queue = [*FORMULAS.overridden, *{eqn.op for eqn in ir.every()}]
    while queue:
        name = queue.pop()
        if name in found or not _is_users(name):
            continue
        called: FormulaIR = FORMULAS.operator(name).ir  # type: ignore[union-attr]
        found[name] = f"{name}: {called!r}"
        queue += [eqn.op for eqn in called.every()]
    return [found[name] for name in sorted(found)]


def _is_users(name: str) -> bool:
    entry = FORMULAS.operator(name)
    return isinstance(entry, Formula) and not FORMULAS.of_library(entry)
