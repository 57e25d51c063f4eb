"""Every CUDA kernel that is printed, run on a GPU and compared with the interpreter of loops in NumPy.

    python tests/cuda/gpu_check.py

from the root of the repository. It needs a GPU with its driver, NumPy, SciPy and the wheel
nvidia-cuda-nvrtc-cu12, and nothing installed of this package. The exit status is 1 where something differs.
"""

import sys
import types
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def use_the_tree():
    """Make the repository's folders the package `pullback`, as the build does."""
    package = types.ModuleType("pullback")
    package.__path__ = [str(ROOT)]
    sys.modules["pullback"] = package
    sys.path.insert(0, str(ROOT))


if __name__ == "__main__":
    use_the_tree()

import numpy as np

from pullback.transpile.diagnostics import FormulaError
from pullback.transpile.frontend import Outline, read_operator
from pullback.transpile.ir import Source, Var
from pullback.transpile.library import Library, standard_library
from pullback.transpile.loops.device.interpreter import run
from pullback.transpile.loops.device.prepare import stages

EXAMPLES = ("simple", "gelu_tanh", "softplus", "layer_norm", "cross_entropy", "lstm_cell")
# Shapes of all inputs, or of the first, the second and so on, the last one repeated.
SHAPES = (((5, 37),), ((2, 3, 40), (40,)), ((4, 1), (6,)), ((0, 4),), ((),), ((9, 2100),))


def formulas():
    """Formulas of the library and of the examples, by name."""
    library = standard_library()
    for name in library.names():
        if (formula := library.formula(name)) is not None:
            yield formula, library
    for name in EXAMPLES:
        path = ROOT / "examples" / f"{name}.py"
        formula = read_operator(Outline(Source(str(path), path.read_text(encoding="utf-8")), ours=True), name)
        yield formula, Library({name: formula}, library)


def staged(formula, library, dtype):
    """The programs of the highest order, up to the second, that is lowered; none where the forward is not."""
    for order in (2, 1, 0):
        try:
            return stages(formula, library, dtype, order)
        except FormulaError:
            continue
    return []


def inputs_of(stage, formula, shapes, dtype, rng):
    """Values of the first program's parameters, and the shapes by name."""
    values, named = {}, {}
    tensors = [param.var.name for param in formula.params if param.var.kind == "tensor"]
    for place, name in enumerate(tensors):
        shape = shapes[min(place, len(shapes) - 1)]
        named[name] = shape
        values[name] = rng.uniform(0.2, 0.9, shape).astype(dtype)
    for name in stage.program.scalars:
        default = next(p.default for p in formula.params if p.var.name == name)
        values[name] = 1.5 if default is None else default.value
    return values, named


def each_run(made, formula, shapes, dtype):
    """Every program with what it is given and what the interpreter finds, on what the one before gives."""
    rng = np.random.default_rng(0)
    values, named = inputs_of(made[0], formula, shapes, dtype, rng)
    for place, stage in enumerate(made):
        program = stage.program
        arrays = {b.name: values[b.name] for b in program.buffers if b.role == "input"}
        scalars = {name: values[name] for name in program.scalars}
        expected = run(program, arrays, scalars, named)
        yield program, arrays, scalars, named, expected
        for atom, value in zip(stage.results, expected, strict=True):
            if isinstance(atom, Var):
                values[atom.name] = value
        for var, atom in zip(stage.formula.cotangents, stage.results, strict=False):
            if place + 1 < len(made) and isinstance(atom, Var) and values[atom.name] is not None:
                like = np.asarray(values[atom.name])
                values[var.name] = rng.uniform(0.2, 0.9, like.shape).astype(like.dtype)


def check(gpu, formula, library):
    """How many runs of a formula's kernels agree with the interpreter, and a line for each that does not."""
    good, wrong = 0, []
    for dtype, near in (("float32", 3e-4), ("float64", 1e-9)):
        made = staged(formula, library, dtype)
        if not made:
            return good, wrong
        module = gpu.load([stage.program for stage in made])
        for shapes in SHAPES:
            try:
                for program, arrays, scalars, named, expected in each_run(made, formula, shapes, dtype):
                    for wide in (False, True):
                        found = gpu.run(module, program, arrays, scalars, named, wide)
                        for name, ours, theirs in zip(program.results, found, expected, strict=True):
                            if name and not np.allclose(ours, theirs, near, near, equal_nan=True):
                                far = np.max(np.abs(np.asarray(ours) - theirs))
                                wrong.append(f"{program.name} {dtype} {shapes}: {name} is off by {far}")
                        good += 1
            except Exception as error:
                wrong.append(f"{formula.name} {dtype} {shapes}: {type(error).__name__}: {error}")
    return good, wrong


def main():
    from tests.cuda.driver import Gpu

    gpu = Gpu()
    print(f"architecture {gpu.architecture}")
    total, lines = 0, []
    for formula, library in formulas():
        good, wrong = check(gpu, formula, library)
        total += good
        lines += wrong
        for line in wrong:
            print("WRONG", line, flush=True)
    print(f"{total} runs of programs agree, {len(lines)} differ")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
