"""Formulas of the library and of the examples as CUDA, and runs of their kernels one after the other."""

from pathlib import Path

import numpy as np

from pullback.transpile.diagnostics import FormulaError
from pullback.transpile.frontend import Outline, read_operator
from pullback.transpile.ir import Source, Var
from pullback.transpile.library import Library, standard_library
from pullback.transpile.loops.interpreter import Arguments, run
from pullback.transpile.loops.interpreter.functions import NotInterpreted
from pullback.transpile.loops.interpreter.run import Refused
from pullback.transpile.loops.kernels.formula_kernels import formula_kernels
from pullback.transpile.loops.kernels.plain_values import place_of, with_plain_results
from pullback.transpile.loops.schedules.cuda import scheduled

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ("simple", "gelu_tanh", "softplus", "layer_norm", "cross_entropy", "lstm_cell")
# Shapes of all inputs, or of the first, the second and so on, the last one repeated.
SHAPES = (((5, 37),), ((2, 3, 40), (40,)), ((4, 1), (6,)), ((),), ((3, 700),))
TYPES = {"T": None, "float": np.float32, "double": np.float64, "int64_t": np.int64, "bool": np.bool_}


def formulas():
    """Formulas of the library and of the examples, with the library that each is compiled in."""
    library = standard_library()
    for name in library.names():
        if (formula := library.formula(name)) is not None:
            yield formula, library
    for name in EXAMPLES:
        path = ROOT / "examples" / f"{name}.py"
        formula = read_operator(Outline(Source(str(path), path.read_text(encoding="utf-8")), ours=True), name)
        yield formula, Library({name: formula}, library)


def compiled(formula, library):
    """The formula's kernels and their programs, to the highest order up to the second; or none."""
    attributes = {p.var.name: p.default.value for p in formula.attributes if p.default is not None}
    for order in (2, 1, 0):
        try:
            made = with_plain_results(formula_kernels(formula, library, attributes, order, general=False))
            return made, [(kernel, scheduled(kernel)) for kernel in made.kernels()]
        except FormulaError:
            continue
    return None, []


def each_run(made, programs, shapes, dtype, check):
    """Run each program by `check(kernel, program, arguments)` on what those before it give and random inputs.

    `check` returns the outputs. The first formula's numbers have their defaults, or are 1.5.
    """
    rng = np.random.default_rng(0)
    values = {}
    defaults = {p.var: p.default.value for p in made.formula.attributes if p.default is not None}
    for entry in made.forward.inputs:
        if entry.is_number:
            values[entry.var] = defaults.get(entry.var, 1.5)
            continue
        shape = shapes[min(len(values), len(shapes) - 1)]
        values[entry.var] = _random(rng, shape, TYPES[entry.dtype] or dtype)
    stage = made
    for kernel, program in programs:
        arrays = [np.asarray(values[entry.var]) for entry in kernel.inputs if not entry.is_number]
        numbers = [values[entry.var] for entry in kernel.inputs if entry.is_number]
        outputs = check(kernel, program, Arguments(arrays, numbers, dtype))
        first = len(kernel.outputs)
        for place, (position, atom) in enumerate(kernel.outputs):
            values[atom] = values[stage.formula.forward.results[position]] = outputs[place]
        for place, plain in enumerate(kernel.plain_results, first):
            found = outputs[place] if plain.kind in ("like", "shape") else np.ravel(outputs[place])[0]
            values[plain.var] = values[stage.formula.forward.results[plain.position]] = found
        for atom in stage.formula.forward.results[len(stage.formula.cotangents) :]:
            if (place := place_of(stage.formula, atom)) is not None:
                values[atom] = _found(stage.formula, place, values)
        for cotangent, result in zip(stage.formula.cotangents, stage.formula.forward.results, strict=False):
            if isinstance(result, Var) and isinstance(values.get(result), np.ndarray):
                values[cotangent] = _random(rng, values[result].shape, values[result].dtype)
        stage = stage.derivative


class Unfit(Exception):
    """Shapes that a formula does not take, or a function that the interpreter has not."""


def interpreted(program, arguments):
    """What the interpreter of loops finds for the arguments. Raises Unfit."""
    try:
        return run(program, Arguments(arguments.arrays, arguments.numbers, arguments.float_type))
    except (ValueError, ZeroDivisionError, Refused, NotInterpreted) as error:
        raise Unfit from error


def _found(formula, place, values):
    """A plain value that engines find by themselves."""
    params = [param.var for param in formula.params if param.attribute == (place.kind == "attribute")]
    found = values[[*params, *formula.forward.results][place.number]]
    if place.kind in ("attribute", "like"):
        return found
    return np.ndim(found) == place.axes if place.kind == "rank" else np.size(found)


def _random(rng, shape, dtype):
    if np.dtype(dtype).kind == "f":
        return np.asarray(rng.uniform(0.2, 0.9, shape), dtype)
    return np.asarray(rng.integers(0, 2, shape), dtype)
