"""Importing a file to run its formulas. Only `check` and the benchmarks do this; lint never does."""

from __future__ import annotations

import importlib
import importlib.util
import sys
import traceback
from pathlib import Path
from types import FunctionType
from typing import Any

from pullback.engine.formula.decorators import derive_pullback
from pullback.engine.formula.formula import Formula
from pullback.engine.kernels.compiled import CompiledFormula
from pullback.transpile.diagnostics import FormulaError
from pullback.transpile.frontend.syntax.text import syntax_error

from .errors import CommandError
from .files import read_source, split_target, unknown_name


def load_formulas(target: str) -> list[tuple[str, Formula]]:
    """The formulas of FILE with what it compiles, in the order of the file, or the one of FILE::NAME.

    A name also finds a plain function, whose closure is derived. Raises `UsageError` for a file that can't be
    read or a name that it doesn't have, `CommandError` with the place where importing the file fails.
    """
    path, name = split_target(target)
    module = import_file(path)
    own = {key: value for key, value in vars(module).items() if _defined_in(module, value)}
    if name is None:
        found = {key: formula for key, value in own.items() if (formula := _formula(value)) is not None}
        return [(formula.__name__, formula) for formula in dict.fromkeys(found.values())]
    if name not in own:
        if type(vars(module).get(name)).__module__.partition(".")[0] in ("jax", "jaxlib"):
            raise CommandError(
                f"{path}: {name} is a function of JAX, which pullback check does not run\n"
                f"  help: jax.test_util.check_grads({name}, arguments, order=2) compares it with differences"
            )
        raise unknown_name(path, name, own)
    return [(name, _formula(own[name]) or derive_pullback(own[name]))]


def _defined_in(module: Any, value: Any) -> bool:
    """True for a formula, or a function to derive one from, that the module does not import."""
    kinds = (Formula, CompiledFormula, FunctionType)
    return isinstance(value, kinds) and value.__module__ == module.__name__


def _formula(value: Any) -> Formula | None:
    """The formula to check for a value of a module; None for a plain function, which has to be named."""
    if isinstance(value, CompiledFormula):
        return value.formula
    return value if isinstance(value, Formula) else None


def import_file(path: str) -> Any:
    """Import a file that stands alone.

    Raises `FormulaError` where it is no Python, `CommandError` with the place where importing it fails.
    """
    source = read_source(path)
    if (own := _library_name(path)) is not None:
        return importlib.import_module(own)
    name = f"pullback_checked_{Path(path).stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise CommandError(f"{path}: is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    folder = str(Path(path).resolve().parent)
    sys.path.insert(0, folder)
    try:
        spec.loader.exec_module(module)
    except SyntaxError as error:
        if error.filename and Path(error.filename).resolve() == Path(path).resolve():
            raise FormulaError([syntax_error(error, source)], source) from error
        raise CommandError(f"{error.filename}:{error.lineno}:{error.offset}: {error.msg}") from error
    except (Exception, SystemExit) as error:  # the file is a stranger's, and may do anything
        raise CommandError(f"{place_of(path, error)}: {type(error).__name__}: {error}") from error
    finally:
        sys.path.remove(folder)
    return module


def _library_name(path: str) -> str | None:
    """The module that a file of the library is: a second copy would define its operators anew."""
    library = importlib.util.find_spec("pullback.formulas")
    if library is None or library.origin is None:
        return None
    folder, file = Path(library.origin).resolve().parent, Path(path).resolve()
    if not file.is_relative_to(folder):
        return None
    parts = file.relative_to(folder).with_suffix("").parts
    return ".".join(["pullback.formulas", *(part for part in parts if part != "__init__")])


def place_of(path: str, error: BaseException) -> str:
    """``path:line`` of the innermost frame that is in the file."""
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if Path(frame.filename) == Path(path).resolve()]
    lines += [frame.lineno for frame in frames if frame.filename == path]
    return f"{path}:{lines[-1]}" if lines else path
