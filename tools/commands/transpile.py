"""``pullback transpile``: C++, CUDA, or text for NumPy, PyTorch or JAX, from the formulas of a file."""

from __future__ import annotations

import argparse
import ast
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
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
from pullback.transpile.passes.promote.for_frameworks import for_frameworks
from pullback.transpile.passes.promote.promote import promote

from ..errors import CLEAN, FINDINGS, CommandError, UsageError
from ..formulas import FormulaFile, read_formulas
from ..generated import GeneratedFile
from ..progress import track
from . import Subparsers, add_command

EXAMPLE = """\
example:
  $ pullback transpile examples/softplus.py -o cpp_out --order 3
  $ pullback transpile examples/softplus.py -o cpp_out --order 3 --check
  $ pullback transpile examples/softplus.py::softplus -o - --target python
  $ pullback transpile examples/softplus.py -o softplus_torch.py --target torch-python
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
ModuleEmitter = Callable[[Sequence[Formula], Library], str]
FileEmitter = Callable[[Sequence[Formula], FormulaFile], Iterable[tuple[str, str]]]


def _python(formulas: Sequence[Formula], library: Library) -> str:
    """The forward, and the backward of the first order: higher ones follow by differentiating it."""
    text = "\n\n".join(module_text(promote(formula, library)) for formula in formulas)
    names = {node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}
    heads = (
        [line for name, line in _IMPORTS.items() if name in names],
        [line for name, line in _OWN_IMPORTS.items() if name in names],
    )
    return "\n\n".join("\n".join(lines) for lines in heads if lines) + f"\n\n\n{text}"


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


def _jax(formulas: Sequence[Formula], library: Library) -> str:
    """A module that needs only JAX, which differentiates it to every order."""
    return jax_text([for_frameworks(formula, library) for formula in formulas], library, jax_helpers())


def jax_helpers() -> Helpers:
    """The functions that emitted modules call beside JAX's, from their texts: JAX need not be there."""
    folder = Path(transpile.__file__).parent.parent
    files = ("jax/primitives.py", "jax/in_modules.py", "jax/functions.py", "transpile/attributes.py")
    return Helpers(tuple((folder / file).read_text(encoding="utf-8") for file in files))


def _torch_python(formulas: Sequence[Formula], library: Library) -> str:
    """A module that needs only PyTorch: derivatives of all orders."""
    if not _TORCH_HELPERS.is_dir():
        raise CommandError("the target torch-python comes with the package pullback, which is not installed")
    helpers = Helpers.of_folder(_TORCH_HELPERS)
    promoted = [(formula.name, for_frameworks(formula, library)) for formula in formulas]
    return torch_module(promoted, library, helpers, alone=True)


def _aten(formulas: Sequence[Formula], file: FormulaFile) -> Iterable[tuple[str, str]]:
    """One file of C++ for all formulas: PyTorch's headers take longer to compile than many of them."""
    stem = re.sub(r"\W", "_", Path(file.source.path).stem)
    made = [(formula.name, for_frameworks(formula, file.library)) for formula in formulas]
    yield f"{stem}.cpp", aten_module(made, file.library, stem)


def _derivatives_yaml(formulas: Sequence[Formula], file: FormulaFile) -> Iterable[tuple[str, str]]:
    """Entries of PyTorch's tables, and the C++ that they call."""
    made = [(formula.name, for_frameworks(formula, file.library)) for formula in formulas]
    yield from table_files(made, file.library).items()


def _default(param: Param, formula: Formula) -> object:
    if param.default is None and not is_runtime_number(param):
        name = param.var.name
        message = f"`{name}` is fixed when C++ is generated, and has no default"
        hint = f"give `{name}` a default; pb.compile generates C++ for the values that it is called with"
        finding = diagnostic("PB501", message, formula.span, name=formula.name, value=name, hint=hint)
        raise FormulaError([finding], formula.source)
    return param.default.value if param.default is not None else None


# Those that write a file for each formula.
TARGETS: dict[str, Emitter] = {"native": _native, "cuda": _cuda}
# Those that write a module of Python, for each formula or for all of them.
MODULE_TARGETS: dict[str, ModuleEmitter] = {"python": _python, "torch-python": _torch_python, "jax": _jax}
# Those that make one file, or set of files, of all formulas of a file.
FILE_TARGETS: dict[str, FileEmitter] = {"aten": _aten, "derivatives-yaml": _derivatives_yaml}
SUFFIXES = {"native": ".cpp", "cuda": ".cu", "aten": ".cpp"} | dict.fromkeys(MODULE_TARGETS, ".py")


def add_parser(subparsers: Subparsers) -> None:
    """Declare the command's arguments."""
    about = "generate C++, CUDA, Python, PyTorch or JAX from formulas"
    parser = add_command(subparsers, "transpile", about, EXAMPLE, run)
    parser.add_argument(
        "file",
        metavar="FILE[::NAME]",
        help="a Python file: its formulas and what pb.compile decorates; or the function NAME of it",
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="DIR",
        required=True,
        help="a folder, or one file for all formulas (a .py, .cpp or .cu); - prints",
    )
    targets = ("native", "cuda", *MODULE_TARGETS, *FILE_TARGETS)
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
    target, output = arguments.target, Path(arguments.output)
    one_file = _is_file(output, target)
    formulas, file = read_formulas(arguments.file)
    if target in FILE_TARGETS:
        made = _generated(FILE_TARGETS[target](formulas, file), file)
    elif target in TARGETS:
        made = generate(formulas, file, TARGETS[target], arguments.order)
    elif one_file:
        made = _generated([(output.name, MODULE_TARGETS[target](formulas, file.library))], file)
    else:
        made = generate(formulas, file, _module_each(MODULE_TARGETS[target]), arguments.order)
    if arguments.output == "-":
        sys.stdout.write("\n".join(item.text for item in made))
        return CLEAN
    if one_file:
        if len(made) > 1:
            raise CommandError(
                f"-o {output} is one file, and {arguments.file} has {len(made)} formulas\n"
                f"  help: name one of them as {arguments.file}::{formulas[0].name}, or give a folder"
            )
        made, output = [replace(made[0], name=output.name)], output.parent
    return _check(made, output) if arguments.check else _write(made, output, arguments.force)


def _is_file(output: Path, target: str) -> bool:
    """True where the output is a file by its name. Raises UsageError for the name of another target's."""
    suffix = SUFFIXES.get(target)
    if output.suffix not in SUFFIXES.values() or output.is_dir():
        return False
    if output.suffix != suffix:
        wanted = f"{output.with_suffix(suffix)}, or a folder" if suffix else "a folder"
        raise UsageError(f"-o {output}: --target {target} writes no {output.suffix}: give {wanted}")
    return True


def _module_each(emitter: ModuleEmitter) -> Emitter:
    """The emitter of a module for each formula."""
    return lambda formula, library, _: [(f"{formula.name}.py", emitter([formula], library))]


def _generated(texts: Iterable[tuple[str, str]], file: FormulaFile) -> list[GeneratedFile]:
    source = file.source
    return [GeneratedFile(name, body, Path(source.path).name, source.text) for name, body in texts]


def generate(
    formulas: Sequence[Formula], file: FormulaFile, emitter: Emitter, order: int
) -> list[GeneratedFile]:
    """The generated files of these formulas of a file. Raises FormulaError with what is wrong in any."""
    made: list[GeneratedFile] = []
    findings: list[Diagnostic] = []
    for formula in track(formulas, "transpile", len(formulas)):
        try:
            texts = list(emitter(formula, file.library, order))
        except FormulaError as error:
            findings += error.diagnostics
            continue
        made += _generated(texts, file)
    if findings:
        raise FormulaError(findings, file.source)
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
