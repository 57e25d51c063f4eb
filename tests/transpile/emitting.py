"""C++ of a formula's text."""

from pullback.transpile.emit.cpp import emit_cpp
from pullback.transpile.frontend import read_module
from pullback.transpile.ir import Source
from pullback.transpile.library import standard_library
from pullback.transpile.loops.kernels.formula_kernels import formula_kernels
from pullback.transpile.passes.kernel.arguments import Argument

HEAD = "import numpy as np\nimport pullback as pb\nfrom scipy import special\n\n@pb.formula\n"


def compiled(text, attributes=None, order=0, ranks=None):
    """The kernels of the formula in the text."""
    source = Source("file.py", HEAD + text)
    (formula,) = read_module(source).formulas.values()
    library = standard_library()
    arguments = {name: Argument(rank=rank) for name, rank in (ranks or {}).items()}
    return formula_kernels(formula, library, attributes or {}, order, arguments)


def cpp(text, **options):
    """Its C++."""
    made = compiled(text, **options)
    return emit_cpp(made.formula.name, made.kernels(), made.formula.source)


def function(*body, params="x"):
    """A formula of these lines, whose closure is beside the point."""
    lines = [f"    {line}" for line in body]
    inputs = params.partition("*")[0].rstrip(", ").split(",")
    gradients = ", ".join(["None"] * len(inputs))
    return "\n".join([f"def f({params}):", *lines, f"    return r, lambda grad: ({gradients})"]) + "\n"
