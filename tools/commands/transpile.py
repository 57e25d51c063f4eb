"""``pullback transpile``: C++, CUDA, or text for NumPy, PyTorch or JAX, from the formulas of a file."""

from __future__ import annotations

import argparse
import ast
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from rich.console import Console

from pullback import transpile
from pullback.transpile.codes import diagnostic
from pullback.transpile.diagnostics import Diagnostic, FormulaError
from pullback.transpile.emit.array_library.helpers import Helpers
from pullback.transpile.emit.aten.module import aten_module
from pullback.transpile.emit.aten.table import table_files
from pullback.transpile.emit.cpp import emit_cpp
from pullback.transpile.emit.cuda import emit_cuda
from pullback.transpile.emit.jax import module_text as jax_text
from pullback.transpile.emit.python import module_text
from pullback.transpile.emit.torch.module import torch_module
from pullback.transpile.ir import Formula, Param
from pullback.transpile.library import Library
from pullback.transpile.loops.kernels.formula_kernels import formula_kernels, is_runtime_number
from pullback.transpile.passes.promote.promote import promote

from ..errors import CLEAN, FINDINGS, CommandError
from ..formulas import FormulaFile, read_formulas
from ..generated import GeneratedFile
from ..progress import track
from . import Subparsers, add_command

EXAMPLE = """\
example:
  $ pullback transpile examples/softplus.py -o cpp_out --order 3
  $ pullback transpile examples/softplus.py -o cpp_out --order 3 --check
  $ pullback transpile examples/softplus.py::softplus -o - --target python
  $ pullback transpile examples/softplus.py -o torch_out --target torch-python
  $ pullback transpile examples/softplus.py -o torch_out --target aten
  $ pullback transpile examples/softplus.py -o patch --target derivatives-yaml

exit status: 0 done (with --check: what is there is current), 1 it is not, or a formula has an error, 2 misuse
"""

# What an emitted module may name.
_IMPORTS = {"math": "import math", "np": "import numpy as np", "special": "from scipy import special"}
_OWN_IMPORTS = {"pb": "import pullback as pb", "primitives": "from pullback import primitives"}

# Read as text: who generates a module for PyTorch need not have it.
_TORCH_HELPERS = Path(__file__).parents[2] / "torch" / "helpers"

Emitter = Callable[[Formula, Library, int], Iterable[tuple[str, str]]]
FileEmitter = Callable[[Sequence[Formula], FormulaFile], Iterable[tuple[str, str]]]


def _python(formula: Formula, library: Library, order: int) -> Iterable[tuple[str, str]]:
    """The forward, and the backward of the first order: higher ones follow by differentiating it."""
    text = module_text(promote(formula, library))
    names = {node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}
    heads = (
        [line for name, line in _IMPORTS.items() if name in names],
        [line for name, line in _OWN_IMPORTS.items() if name in names],
    )
    yield f"{formula.name}.py", "\n\n".join("\n".join(lines) for lines in heads if lines) + f"\n\n\n{text}"


def _native(formula: Formula, library: Library, order: int) -> Iterable[tuple[str, str]]:
    """One file: the forward, and backwards up to the order. Attributes that C++ fixes have their defaults."""
    attributes = {param.var.name: _default(param, formula) for param in formula.attributes}
    compiled = formula_kernels(formula, library, attributes, order)
    yield f"{formula.name}.cpp", emit_cpp(formula.name, compiled.kernels(), formula.source)


def _cuda(formula: Formula, library: Library, order: int) -> Iterable[tuple[str, str]]:
    """One file: the forward and plain backwards up to the order, all of which must be compiled."""
    attributes = {param.var.name: _default(param, formula) for param in formula.attributes}
    compiled = formula_kernels(formula, library, attributes, order, general=False)
    if compiled.limits:
        raise FormulaError(compiled.limits, formula.source)
    yield f"{formula.name}.cu", emit_cuda(formula.name, compiled.kernels(), formula.source)


def _jax(formula: Formula, library: Library, order: int) -> Iterable[tuple[str, str]]:
    """A module that needs only JAX, which differentiates it to every order."""
    yield f"{formula.name}.py", jax_text(promote(formula, library), library, jax_helpers())


def jax_helpers() -> Helpers:
    """The functions that emitted modules call beside JAX's, from their texts: JAX need not be there."""
    folder = Path(transpile.__file__).parent.parent
    files = ("jax/primitives.py", "jax/functions.py", "transpile/attributes.py")
    return Helpers(tuple((folder / file).read_text(encoding="utf-8") for file in files))


def _torch_python(formula: Formula, library: Library, order: int) -> Iterable[tuple[str, str]]:
    """One module, which needs only PyTorch: derivatives of all orders."""
    if not _TORCH_HELPERS.is_dir():
        raise CommandError("the target torch-python comes with the package pullback, which is not installed")
    helpers = Helpers.of_folder(_TORCH_HELPERS)
    made = torch_module([(formula.name, promote(formula, library))], library, helpers, alone=True)
    yield f"{formula.name}.py", made


def _aten(formulas: Sequence[Formula], file: FormulaFile) -> Iterable[tuple[str, str]]:
    """One file of C++ for all formulas: PyTorch's headers take longer to compile than many of them."""
    stem = re.sub(r"\W", "_", Path(file.source.path).stem)
    made = [(formula.name, promote(formula, file.library)) for formula in formulas]
    yield f"{stem}.cpp", aten_module(made, file.library, stem)


def _derivatives_yaml(formulas: Sequence[Formula], file: FormulaFile) -> Iterable[tuple[str, str]]:
    """Entries of PyTorch's tables, and the C++ that they call."""
    made = [(formula.name, promote(formula, file.library)) for formula in formulas]
    yield from table_files(made, file.library).items()


def _default(param: Param, formula: Formula) -> object:
    if param.default is None and not is_runtime_number(param):
        name = param.var.name
        message = f"`{name}` is fixed when C++ is generated, and has no default"
        hint = f"give `{name}` a default; pb.compile generates C++ for the values that it is called with"
        finding = diagnostic("PB501", message, formula.span, name=formula.name, value=name, hint=hint)
        raise FormulaError([finding], formula.source)
    return param.default.value if param.default is not None else None


TARGETS: dict[str, Emitter] = {
    "native": _native,
    "python": _python,
    "cuda": _cuda,
    "torch-python": _torch_python,
    "jax": _jax,
}
# Those that make one file, or set of files, of all formulas of a file.
FILE_TARGETS: dict[str, FileEmitter] = {"aten": _aten, "derivatives-yaml": _derivatives_yaml}


def add_parser(subparsers: Subparsers) -> None:
    """Declare the command's arguments."""
    about = "generate C++, CUDA, Python, PyTorch or JAX from formulas"
    parser = add_command(subparsers, "transpile", about, EXAMPLE, run)
    parser.add_argument(
        "file",
        metavar="FILE[::NAME]",
        help="a Python file: its formulas and what pb.compile decorates; or the function NAME of it",
    )
    parser.add_argument("-o", "--output", metavar="DIR", required=True, help="where to write; - prints")
    targets = (*TARGETS, *FILE_TARGETS)
    parser.add_argument("--target", choices=targets, default="native", help="default: native (C++)")
    parser.add_argument(
        "--order", type=_order, default=2, metavar="N", help="highest derivative in C++ and CUDA (default: 2)"
    )
    parser.add_argument(
        "--check", action="store_true", help="write nothing, say whether what is there is current"
    )
    parser.add_argument("--force", action="store_true", help="overwrite files that were edited by hand too")


def _order(text: str) -> int:
    order = int(text)
    if not 1 <= order <= 4:
        raise argparse.ArgumentTypeError("from 1 to 4; beyond it the emitted closure runs")
    return order


def run(arguments: argparse.Namespace) -> int:
    """Generate everything first, then write: an error in one formula leaves all files as they were."""
    formulas, file = read_formulas(arguments.file)
    if arguments.target in FILE_TARGETS:
        texts = FILE_TARGETS[arguments.target](formulas, file)
        source = file.source
        made = [GeneratedFile(name, body, Path(source.path).name, source.text) for name, body in texts]
    else:
        made = generate(formulas, file, TARGETS[arguments.target], arguments.order)
    if arguments.output == "-":
        sys.stdout.write("\n".join(item.text for item in made))
        return CLEAN
    folder = Path(arguments.output)
    return _check(made, folder) if arguments.check else _write(made, folder, arguments.force)


def generate(
    formulas: Sequence[Formula], file: FormulaFile, emitter: Emitter, order: int
) -> list[GeneratedFile]:
    """The generated files of these formulas of a file. Raises FormulaError with what is wrong in any."""
    source = file.source
    made: list[GeneratedFile] = []
    findings: list[Diagnostic] = []
    for formula in track(formulas, "transpile", len(formulas)):
        try:
            texts = list(emitter(formula, file.library, order))
        except FormulaError as error:
            findings += error.diagnostics
            continue
        made += [GeneratedFile(name, body, Path(source.path).name, source.text) for name, body in texts]
    if findings:
        raise FormulaError(findings, source)
    return made


def _check(made: list[GeneratedFile], folder: Path) -> int:
    console = Console(highlight=False, markup=False)
    states = [(item, item.state(folder)) for item in made]
    for item, state in states:
        console.print(f"{folder / item.name}: {state}", soft_wrap=True)
    return CLEAN if all(state == "current" for _, state in states) else FINDINGS


def _write(made: list[GeneratedFile], folder: Path, force: bool) -> int:
    states = [(item, item.state(folder)) for item in made]
    edited = [str(folder / item.name) for item, state in states if state == "edited by hand"]
    if edited and not force:
        raise CommandError(
            f"{', '.join(edited)}: edited by hand, not overwritten\n"
            "  help: move the edit to the formula, or use --force to lose it"
        )
    console = Console(highlight=False, markup=False)
    for item, state in states:
        if state != "current":
            item.write(folder)
        console.print(
            f"{folder / item.name}: {'current' if state == 'current' else 'written'}", soft_wrap=True
        )
    return CLEAN
