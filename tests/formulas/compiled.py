"""Every formula of the library as kernels, compiled together: a dozen compiler runs in place of hundreds."""

from __future__ import annotations

import subprocess
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import pullback as pb
from pullback.engine.kernels import cache
from pullback.engine.kernels.array_attributes import split_attributes
from pullback.engine.kernels.compile import RUNTIME, key_of
from pullback.engine.kernels.compiler import INCLUDE, WARNINGS, find_compiler
from pullback.engine.kernels.load import KernelLibrary
from pullback.engine.kernels.operator import CompiledOperator
from pullback.engine.kernels.signature import signature
from pullback.transpile.diagnostics import FormulaError
from pullback.transpile.emit.cpp import emit_cpp
from pullback.transpile.library import standard_library
from pullback.transpile.loops.kernels.formula_kernels import Compiled, formula_kernels
from pullback.transpile.passes.kernel.array_attributes import indexing

from .samples import DECOMPOSITIONS, Case, every_case, samples

ORDER = 2
UNITS = 12
# Not what kernels are built with, but compiled four times as fast, with the same warnings.
FLAGS = ("-std=c++20", "-O1", "-ffp-contract=off", "-DPB_SEPARATE_RUNTIME", "-fPIC")


def every_formula() -> list[Case]:
    """The cases of all formulas, those of several results too."""
    return [*every_case(), *(case for name in DECOMPOSITIONS for case in samples(name))]


@dataclass
class Kernels:
    """A case with its kernels and the arrays in its attributes; `operator` comes with the library."""

    case: Case
    arrays: list[np.ndarray[Any, Any]]
    compiled: Compiled
    text: str
    operator: CompiledOperator | None = None


def emitted(case: Case, number: int) -> Kernels | None:
    """The kernels of a case under a name of their own; None where not all of them are compiled."""
    operator = pb.formulas()[case.name].operator
    formula = pb.formulas()[case.name].ir
    attributes = {p.var.name: p.default.value for p in formula.attributes if p.default is not None}
    attributes |= case.kwargs
    told = split_attributes(attributes, indexing(formula))
    if told is None:
        return None
    attributes, arrays = told
    names = [param.var.name for param in operator.inputs]
    try:
        compiled = formula_kernels(
            formula.evolve(name=f"{formula.name}_case{number}"),
            standard_library(),
            {name: tuple(v) if isinstance(v, list) else v for name, v in attributes.items()},
            ORDER,
            signature(names, case.args, ranks=True),
        )
    except FormulaError:
        return None
    if compiled.limits:
        return None
    return Kernels(
        case, arrays, compiled, emit_cpp(compiled.formula.name, compiled.kernels(), formula.source)
    )


def every_kernel(*names: str) -> dict[str, Kernels]:
    """The kernels of all cases that have some, or of the formulas named, compiled without warnings."""
    chosen = [case for case in every_formula() if not names or case.name in names]
    made = [emitted(case, number) for number, case in enumerate(chosen)]
    there = [kernels for kernels in made if kernels is not None]
    units = [there[unit::UNITS] for unit in range(UNITS)]
    with ThreadPoolExecutor(2) as pool:
        runtime = _compile(f'#include "{RUNTIME}"\n', "-c", ".o")
        texts = ["\n".join(kernels.text for kernels in unit) for unit in units if unit]
        paths = list(pool.map(lambda text: _compile(text, "-shared", ".so", str(runtime)), texts))
    for unit, path in zip(units, paths, strict=False):
        for kernels in unit:
            origin = pb.formulas()[kernels.case.name].operator
            library = KernelLibrary(path, kernels.compiled.formula.name)
            kernels.operator = CompiledOperator(kernels.compiled, library, origin.namespace)
    return {str(kernels.case): kernels for kernels in there}


def _compile(text: str, how: str, ending: str, *linked: str) -> Path:
    """What the compiler makes of a text, kept in the cache of kernels."""
    compiler = find_compiler()

    def make(target: Path) -> None:
        source = target.with_suffix(".cpp")
        source.write_text(text, encoding="utf-8")
        command = [*compiler.command, *FLAGS, how, *WARNINGS, "-Werror", f"-I{INCLUDE}", str(source), *linked]
        done = subprocess.run(
            [*command, "-o", str(target), "-lm"], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr[:4000]

    return cache.entry(key_of(text, how, *FLAGS, *WARNINGS), make, ending)


def leaves_of(args: tuple[Any, ...]) -> list[Any]:
    """The arrays of a call, lists entered."""
    return [leaf for arg in args for leaf in (arg if isinstance(arg, list) else [arg])]
