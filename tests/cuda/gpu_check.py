"""Every CUDA kernel that is printed, run on a GPU and compared with the interpreter of loops in NumPy.

    python tests/cuda/gpu_check.py            # all, or each eighth from the third on: gpu_check.py 3 8

from the root of the repository. It needs a GPU with its driver, NumPy, SciPy, a C++ compiler and the wheel
nvidia-cuda-nvrtc-cu12 (or cu13's), and nothing installed of this package. The exit status is 1 where any
output differs.
"""

import sys
import types
from itertools import islice
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SQUARES = {"outer"}  # whose results have as many entries as the square of their operands


def use_the_tree():
    """Make the repository's folders the package `pullback`, as the build does."""
    package = types.ModuleType("pullback")
    package.__path__ = [str(ROOT)]
    sys.modules["pullback"] = package
    sys.path.insert(0, str(ROOT))


if __name__ == "__main__":
    use_the_tree()

import numpy as np

from pullback.transpile.emit.cuda import emit_cuda
from tests.cuda.corpus import SHAPES, Unfit, compiled, each_run, formulas, interpreted
from tests.cuda.host import Host, shapes_of


def check(gpu, formula, library):
    """How many runs of a formula's kernels agree with the interpreter, and a line for each that does not."""
    good, wrong = 0, []
    made, programs = compiled(formula, library)
    if not programs:
        return good, wrong
    kernels = [kernel for kernel, _ in programs]
    gpu.load(emit_cuda(formula.name, kernels, formula.source))
    host = Host(formula.name, kernels, formula.source, gpu)
    for dtype, near in ((np.float32, 3e-4), (np.float64, 1e-9)):

        def compare(kernel, program, arguments, near=near):
            nonlocal good
            expected = interpreted(program, arguments)
            for wide in (False, True):
                found = host.run(kernel, arguments, wide)
                for place, theirs in expected.items():
                    if place in shapes_of(kernel):
                        continue
                    if not np.allclose(found[place], theirs, near, near, equal_nan=True):
                        wrong.append(f"{kernel.name} {arguments.float_type.__name__}: output {place} differs")
                good += 1
            return expected

        large = () if formula.name in SQUARES else (((9, 21000),), ((1000000,),))
        for shapes in (*SHAPES, ((0, 4),), *large):
            try:
                each_run(made, programs, shapes, dtype, compare)
            except Unfit as error:
                print(f"not compared: {formula.name} {shapes}: {error.__cause__ or error}", flush=True)
    return good, wrong


def main():
    from tests.cuda.driver import Gpu

    gpu = Gpu()
    print(f"architecture {gpu.architecture}")
    total, lines = 0, []
    first, step = map(int, sys.argv[1:]) if len(sys.argv) == 3 else (0, 1)
    for formula, library in islice(formulas(), first, None, step):
        good, wrong = check(gpu, formula, library)
        total += good
        lines += wrong
        for line in wrong:
            print("WRONG", line, flush=True)
    print(f"{total} runs of programs agree, {len(lines)} differ")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
