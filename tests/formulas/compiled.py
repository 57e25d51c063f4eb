"""Every formula of the library as kernels, compiled together: a dozen compiler runs in place of hundreds."""

from __future__ import annotations

import subprocess
import warnings
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pullback as pb
from pullback.engine.core.dispatch import engine_of
from pullback.engine.core.operator import Operator
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
TOLERANCE = {np.dtype("float32"): 3e-3, np.dtype("float64"): 1e-7}
# Not what kernels are built with, but compiled many times as fast. Warnings are those of a build too, which
# has the same kernels; only those that need an optimizer are left to it.
FLAGS = ("-std=c++20", "-O0", "-ffp-contract=off", "-DPB_SEPARATE_RUNTIME", "-fPIC")


def every_formula() -> list[Case]:
    """The cases of all formulas, those of several results too.

    Programs pass the like of `gradient_like` as a value: a sample's is no literal of the twin in Python.
    """
    cases = [*every_case(), *(case for name in DECOMPOSITIONS for case in samples(name))]
    return [case for case in cases if case.name != "gradient_like"]


@dataclass
class Kernels:
    """A case of an operator with its kernels and the arrays in its attributes; `operator` runs them."""

    case: Case
    origin: Operator
    arrays: list[np.ndarray[Any, Any]]
    compiled: Compiled
    text: str
    operator: CompiledOperator | None = None


def emitted(case: Case, number: int, order: int = ORDER, formula: pb.Formula | None = None) -> Kernels:
    """The kernels of a case under a name of their own, of the library's formula or of another.

    Raises FormulaError where not all of them are compiled.
    """
    formula = formula or pb.formulas()[case.name]
    operator, read = formula.operator, formula.ir
    attributes = {p.var.name: p.default.value for p in read.attributes if p.default is not None}
    split = split_attributes(attributes | case.kwargs, indexing(read))
    assert split is not None
    attributes, arrays = split
    names = [param.var.name for param in operator.inputs]
    compiled = formula_kernels(
        read.evolve(name=f"{read.name}_case{number}"),
        standard_library(),
        {name: tuple(v) if isinstance(v, list) else v for name, v in attributes.items()},
        order,
        signature(names, case.args, ranks=True),
    )
    if compiled.limits:
        raise FormulaError(compiled.limits, read.source)
    text = emit_cpp(compiled.formula.name, compiled.kernels(), read.source)
    return Kernels(case, operator, arrays, compiled, text)


def every_kernel(*names: str) -> dict[str, Kernels]:
    """The kernels of all cases that have some, or of formulas or cases, compiled without warnings."""
    made = []
    for number, case in enumerate(every_formula()):
        if not names or {case.name, str(case)} & {*names}:
            with suppress(FormulaError):
                made.append(emitted(case, number))
    return linked(made)


def linked(there: Sequence[Kernels], *options: str) -> dict[str, Kernels]:
    """The same kernels by their cases, compiled without warnings, a few at a time, with these options."""
    units = [there[unit::UNITS] for unit in range(UNITS)]
    with ThreadPoolExecutor(2) as pool:
        runtime = _compile(f'#include "{RUNTIME}"\n', "-c", ".o")
        texts = ["\n".join(kernels.text for kernels in unit) for unit in units if unit]
        paths = list(pool.map(lambda text: _compile(text, "-shared", ".so", str(runtime), *options), texts))
    for unit, path in zip(units, paths, strict=False):
        for kernels in unit:
            library = KernelLibrary(path, kernels.compiled.formula.name)
            kernels.operator = CompiledOperator(kernels.compiled, library, kernels.origin.namespace)
    return {str(kernels.case): kernels for kernels in there}


def _compile(text: str, how: str, ending: str, *options: str) -> Path:
    """What the compiler makes of a text with more options, kept in the cache of kernels."""
    compiler = find_compiler()

    def make(target: Path) -> None:
        source = target.with_suffix(".cpp")
        source.write_text(text, encoding="utf-8")
        command = [*compiler.command, *FLAGS, how, *WARNINGS, "-Werror", f"-I{INCLUDE}", str(source)]
        command += [*options, "-o", str(target), "-lm"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr[:4000]

    return cache.entry(key_of(text, how, *FLAGS, *WARNINGS, *options), make, ending)


def leaves_of(args: tuple[Any, ...]) -> list[Any]:
    """The arrays of a call, lists entered."""
    return [leaf for arg in args for leaf in (arg if isinstance(arg, list) else [arg])]


def derivatives(
    operator: Operator, args: Sequence[Any], attributes: Mapping[str, Any], arrays: Sequence[Any] = ()
) -> list[list[Any]]:
    """The results, their gradients, and the gradients of those; cotangents are reproducible."""
    rng = np.random.default_rng(7)

    def like(tensor: pb.Tensor) -> Any:
        return np.asarray(rng.uniform(0.5, 1.5, tensor.shape), tensor.dtype)

    with pb.use_engine("reference"):
        given = [
            None if leaf is None else pb.tensor(leaf, requires_grad=np.asarray(leaf).dtype.kind == "f")
            for leaf in leaves_of(args)
        ]
        present = [leaf for leaf in given if leaf is not None]
        leaves = [leaf for leaf in present if leaf.requires_grad]
        rest = iter(given)
        inputs = [[next(rest) for _ in arg] if isinstance(arg, list) else next(rest) for arg in args]
        if isinstance(operator, CompiledOperator):
            inputs = [*present, *arrays]
        found = []
        values = engine_of(*leaves).apply(operator, inputs, attributes)
        values = values if isinstance(values, tuple) else (values,)
        found.append([value.detach().numpy() for value in values if value.dtype.kind == "f"])
        values = [value for value in values if value.requires_grad]
        if not values:
            return [*found, *[[None] * len(leaves)] * 2]
        for _ in range(2):
            grads = pb.grad(values, leaves, [like(v) for v in values], create_graph=True, allow_unused=True)
            values = [g for g in grads if g is not None and g.requires_grad]
            found.append([None if g is None else g.detach().numpy() for g in grads])
            if not values:
                return [*found, *[[None] * len(leaves)] * (3 - len(found))]
    return found


def agree(found: Sequence[Any], expected: Sequence[Any], args: Sequence[Any]) -> None:
    """Compare to the precision of the coarsest array: a sum of float32 may be cast to float64 afterwards."""
    given = [TOLERANCE[leaf.dtype] for leaf in leaves_of(args) if getattr(leaf, "dtype", None) in TOLERANCE]
    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        for mine, theirs in zip(one, other, strict=True):
            if mine is None or theirs is None:
                there = mine if mine is not None else theirs
                assert there is None or not np.any(there)
                continue
            assert (mine.dtype, mine.shape) == (theirs.dtype, theirs.shape)
            scale = np.max(np.abs(theirs), initial=1.0, where=np.isfinite(theirs))
            tolerance = max([TOLERANCE[theirs.dtype], *given])
            np.testing.assert_allclose(mine, theirs, rtol=tolerance, atol=tolerance * scale)


def run(kernels: Kernels, args: tuple[Any, ...]) -> None:
    """Results and two derivatives by kernels, compared with those of the same operator's Python."""
    reference, compiled = kernels.origin, kernels.operator
    assert compiled is not None
    attributes = reference.bind([None] * len(reference.inputs), kernels.case.kwargs)[1]
    runtime = {p.var.name: attributes[p.var.name] for p in compiled.attributes}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            expected = derivatives(reference, args, attributes)
        except (ValueError, IndexError) as error:
            with pytest.raises(type(error)):
                derivatives(compiled, args, runtime, kernels.arrays)
            return
        agree(derivatives(compiled, args, runtime, kernels.arrays), expected, args)
