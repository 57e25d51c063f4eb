"""Writes the golden files anew: `python -m tests.golden.regenerate`.

A change is reviewed as a diff.
"""

from pathlib import Path

from pullback.transpile.emit.aten.module import aten_module
from pullback.transpile.emit.cpp import emit_cpp
from pullback.transpile.passes.kernel.arguments import Argument
from pullback.transpile.loops.kernels.formula_kernels import formula_kernels
from pullback.transpile.frontend import read_module
from pullback.transpile.ir import Source
from pullback.transpile.library import standard_library
from pullback.transpile.passes.promote.promote import promote

HERE = Path(__file__).parent
EXAMPLES = HERE.parent.parent / "examples"
# The order that is shown: the second for two of them, for the others it would be more of the same.
ORDERS = {
    "simple": 2,
    "softplus": 2,
    "gelu_tanh": 1,
    "lstm_cell": 1,
    "layer_norm": 1,
    "cross_entropy": 1,
    "gp_covariance": 1,
    "iterated_sine": 1,
    "elu": 1,
    "embedding": 1,
}
NAMES = tuple(ORDERS)
# Examples in C++ over ATen: in the folder `aten`.
ATEN = ("simple", "layer_norm", "affine")
ARGUMENTS = {"embedding": {"tokens": Argument(dtype="int64_t")}}


def generated(name: str) -> str:
    """The C++ of an example, or of a formula that stands beside this file."""
    own = HERE / "formulas" / f"{name}.py"
    path = own if own.exists() else EXAMPLES / f"{name}.py"
    source = Source(path.name, path.read_text(encoding="utf-8"))
    formula = read_module(source).formulas[name]
    attributes = {p.var.name: p.default.value for p in formula.attributes if p.default is not None}
    compiled = formula_kernels(formula, standard_library(), attributes, ORDERS[name], ARGUMENTS.get(name))
    assert not compiled.limits
    return emit_cpp(name, compiled.kernels(), source)


def generated_aten(name: str) -> str:
    """The C++ over ATen of an example, or of a formula that stands beside this file."""
    own = HERE / "formulas" / f"{name}.py"
    path = own if own.exists() else EXAMPLES / f"{name}.py"
    source = Source(path.name, path.read_text(encoding="utf-8"))
    library = standard_library()
    return aten_module([(name, promote(read_module(source).formulas[name], library))], library, name)


if __name__ == "__main__":
    for name in ATEN:
        (HERE / "aten" / f"{name}.cpp").write_text(generated_aten(name), encoding="utf-8")
    for name in NAMES:
        (HERE / f"{name}.cpp").write_text(generated(name), encoding="utf-8")
