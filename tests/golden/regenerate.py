"""Writes the golden files anew: `python -m tests.golden.regenerate`. A change is reviewed as a diff."""

from pathlib import Path

from pullback.transpile.emit.native import emit_cpp
from pullback.transpile.emit.native.formula_kernels import formula_kernels
from pullback.transpile.frontend import read_module
from pullback.transpile.ir import Source
from pullback.transpile.library import standard_library

HERE = Path(__file__).parent
EXAMPLES = HERE.parent.parent / "examples"
NAMES = ("simple", "lstm_cell")


def generated(name: str) -> str:
    """The C++ of an example, to the second order."""
    source = Source(f"{name}.py", (EXAMPLES / f"{name}.py").read_text(encoding="utf-8"))
    formula = read_module(source).formulas[name]
    library = standard_library()
    compiled = formula_kernels(formula, library, {}, order=2)
    return emit_cpp(name, compiled.kernels(), source)


if __name__ == "__main__":
    for name in NAMES:
        (HERE / f"{name}.cpp").write_text(generated(name), encoding="utf-8")
