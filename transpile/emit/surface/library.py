"""The library's operators for the engine that needs no Python: which there are, and their C++.

An operator is there if its forward is a kernel, one of `PRIMITIVES`, or written
over operators that are there, and if its derivative is, too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePath

from ...ir import Formula
from ...library import Library, NoDerivative
from ...operators import OPERATORS
from ..native.lanes import FROM_SCIPY
from ..native.solvers import SOLVERS
from .expressions import Unwritten, constant
from .functions import Function, backward_function, forward_function
from .kernels import KernelCalls

# What engine/native/standalone computes itself, by the names in its tables.
PRIMITIVES = frozenset(
    """
    less less_equal greater greater_equal equal not_equal
    logical_and logical_or logical_not logical_xor bitwise_and bitwise_or bitwise_xor invert
    isnan isinf isfinite signbit sign floor ceil trunc round floor_divide
    reshape transpose swapaxes moveaxis flip broadcast_to broadcast_like expect_like expand_dims squeeze
    getitem diagonal unslice undiagonal concatenate stack vstack hstack roll tile sum_tiles tril triu clip
    flatten_axes unflatten_axes astype zeros_like ones_like full_like stop_gradient
    sum mean max min prod var std all any sum_to cumsum cumprod linear_recurrence
    """.split()  # noqa: SIM905
)
# Functions over operators in engine/native/standalone/composites.cpp, each with a derivative of any order for
# that reason.
COMPOSITES = frozenset(["split_like", "unstack_like", "tensordot", "dot", "inner"])

_FROM_SCIPY = FROM_SCIPY | SOLVERS.keys() | {"opaque"}


@dataclass(frozen=True, slots=True)
class Entry:
    """An operator that is there; `kernels` are those that it calls."""

    formula: Formula
    backward: Function
    forward: Function | None
    kernels: KernelCalls

    @property
    def reads(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The inputs and the outputs whose values a backward reads, by its text or by its kernel."""
        pairs = [self.kernels.backward[i : i + 2] for i in range(0, len(self.kernels.backward), 2)]
        inputs = {*self.backward.inputs, *(int(pair[1]) for pair in pairs if pair[0] == "i")}
        outputs = {*self.backward.outputs, *(int(pair[1]) for pair in pairs if pair[0] == "o")}
        return tuple(sorted(inputs)), tuple(sorted(outputs))


@dataclass(frozen=True, slots=True)
class SurfaceLibrary:
    """Operators that are there, and for those that are not why not."""

    entries: tuple[Entry, ...]
    missing: Mapping[str, str]


def surface_library(library: Library, kernels: Mapping[str, KernelCalls]) -> SurfaceLibrary:
    """Every operator of a library; `kernels` are those of the build."""
    kernels = {name: calls for name, calls in kernels.items() if not _calls_scipy(name, library)}
    found: dict[str, Entry] = {}
    missing: dict[str, str] = {}
    for name in library.names():
        try:
            if name not in COMPOSITES:
                found[name] = _entry(library.promoted(name), kernels)
        except (Unwritten, NoDerivative) as reason:
            missing[name] = str(reason)
    without = {name for name, word in OPERATORS.items() if word.derivative == "zero"} & PRIMITIVES
    while True:
        known = found.keys() | without | COMPOSITES
        lost = {
            name: f"a call of {', '.join(sorted(calls))}"
            for name, entry in found.items()
            if (calls := _calls(entry) - known)
        }
        if not lost:
            break
        missing |= lost
        for name in lost:
            del found[name]
    others = [name for name in OPERATORS if name not in found.keys() | missing.keys() | without | COMPOSITES]
    missing |= dict.fromkeys(others, "a call of NumPy")
    return SurfaceLibrary(tuple(found.values()), missing)


def _calls_scipy(name: str, library: Library) -> bool:
    """Whether a formula's kernels call functions that Python has to supply."""
    formula = library.formula(name)
    return formula is not None and any(eqn.op in _FROM_SCIPY for eqn in formula.every())


def _entry(formula: Formula, kernels: Mapping[str, KernelCalls]) -> Entry:
    forward = None
    if formula.name not in kernels and formula.name not in PRIMITIVES:
        forward = forward_function(formula)
        if formula.name in forward.calls:
            word = OPERATORS.get(formula.name)
            raise Unwritten(f"a call of {word.python if word else formula.name}")
    return Entry(formula, backward_function(formula), forward, kernels.get(formula.name, KernelCalls("")))


def _calls(entry: Entry) -> frozenset[str]:
    return entry.backward.calls | (entry.forward.calls if entry.forward else frozenset())


def sources(library: SurfaceLibrary) -> dict[str, str]:
    """The C++ files, by name: one per file of formulas, and ``library.cpp``, which registers all."""
    families: dict[str, list[Entry]] = {}
    for entry in library.entries:
        families.setdefault(PurePath(entry.formula.source.path).stem, []).append(entry)
    files = {f"{family}.cpp": _family(family, entries) for family, entries in families.items()}
    files["library.cpp"] = _registration(families, library.missing)
    return files


def _family(family: str, entries: list[Entry]) -> str:
    functions = [f.text for entry in entries for f in (entry.forward, entry.backward) if f is not None]
    lines = [
        f"// Generated by pullback from {family}.py: derivatives over operators. Do not edit.",
        '#include "written.h"',
        "",
        "namespace pullback::standalone {",
        "namespace {",
        "",
        *(f"{text}\n" for text in functions),
        "}  // namespace",
        "",
        f"void add_{family}(Library& library) {{",
        *(line for entry in entries for line in _added(entry)),
        "}",
        "",
        "}  // namespace pullback::standalone",
    ]
    return "\n".join(lines) + "\n"


def _added(entry: Entry) -> list[str]:
    formula = entry.formula
    name = formula.name
    inputs = [param for param in formula.params if not param.attribute]
    reads_inputs, reads_outputs = entry.reads
    attributes = ", ".join(
        f'{{"{param.var.name}", {constant(param.default.value if param.default else None)}}}'
        for param in formula.attributes
    )
    facts = [
        f'.name = "{name}"',
        ".variadic = true" if any(param.var.kind == "list" for param in inputs) else "",
        f".inputs = {len(inputs)}",
        f".attributes = {{{attributes}}}" if attributes else "",
        ".makes_floats = true" if name in OPERATORS and OPERATORS[name].dtype == "float" else "",
        f'.kernel = "{entry.kernels.forward}"' if entry.kernels.forward else "",
        f".forward = {name}_forward" if entry.forward else "",
        f".backward = {name}_backward",
        f'.backward_kernel = "{entry.kernels.backward}"' if entry.kernels.backward else "",
        f'.gradients = "{entry.kernels.gradients}"' if entry.kernels.backward else "",
        f".reads_inputs = {sum(1 << i for i in reads_inputs)}" if reads_inputs else "",
        f".reads_outputs = {sum(1 << i for i in reads_outputs)}" if reads_outputs else "",
    ]
    return [
        "    library.add({" + ",\n                 ".join(fact for fact in facts if fact) + "});",
    ]


def _registration(families: Mapping[str, list[Entry]], missing: Mapping[str, str]) -> str:
    lines = [
        "// Generated by pullback: every operator of the library, and why some need Python. Do not edit.",
        '#include "library.h"',
        "",
        "namespace pullback::standalone {",
        "",
        *(f"void add_{family}(Library& library);" for family in families),
        "",
        "void add_formulas(Library& library) {",
        *(f"    add_{family}(library);" for family in families),
        *(f'    library.add_missing("{name}", "{reason}");' for name, reason in sorted(missing.items())),
        "}",
        "",
        "}  // namespace pullback::standalone",
    ]
    return "\n".join(lines) + "\n"
