"""From a live Python function to a formula in the IR: its text, and what its names stand for."""

from __future__ import annotations

import ast
import builtins
import dataclasses
import functools
import inspect
import math
import textwrap
from collections import namedtuple
from collections.abc import Callable
from dataclasses import replace
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from ...transpile.frontend import Binding, Names, read_function
from ...transpile.frontend.names.signature import signature
from ...transpile.ir import Formula, Options, Source
from ..calls import special
from ..core.errors import SourceUnavailableError
from ..core.registry import FORMULAS

Function = Callable[..., Any]


def read_live(function: Function, options: Options) -> Formula:
    """The formula that a function states.

    Raises FormulaError for what the language refuses, and SourceUnavailableError
    where Python has no text for the function, as in a bare REPL.
    """
    source = source_of(function)
    return read_function(source, names_of(function), function.__name__, options)


def plain_function(value: object) -> FunctionType:
    """The function, without its decorators. Raises TypeError for what is no function of Python's."""
    function = inspect.unwrap(value) if callable(value) else value
    if isinstance(function, FunctionType):
        return function
    what = "a method" if isinstance(function, MethodType) else f"a {type(value).__name__}"
    raise TypeError(
        f"{value!r} is {what}, and a formula is read from the text of a function: "
        "write `def name(...):` that calls it, or takes what it holds as parameters"
    )


def source_of(function: Function) -> Source:
    """The text of a function, at its place in its file."""
    function = plain_function(function)
    try:
        lines, first = inspect.getsourcelines(function)
        path = inspect.getsourcefile(function) or function.__code__.co_filename
    except (OSError, TypeError):
        raise SourceUnavailableError(
            f"no source text for {function.__qualname__!r}, which a formula is read from: "
            "put it in a file, or in a notebook or IPython, which keep the text"
        ) from None
    return Source(path, "".join(lines), max(first, 1))


def signature_of(function: Function, operator: str, has_closure: bool) -> Binding:
    """The binding of a formula's name inside another one: its operator, parameters and results."""
    tree = ast.parse(textwrap.dedent(source_of(function).text))
    node = next(node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))
    return replace(signature(node, None, has_closure), name=operator)


def names_of(function: Function) -> Names:
    """The bindings of the function's free and global names, looked up when they are met."""
    variables = variables_of(function)

    def find(name: str) -> Binding | None:
        return binding(variables[name]) if name in variables else None

    return Names.of(find)


def variables_of(function: Function) -> dict[str, Any]:
    """The function's globals and the enclosing functions' variables."""
    function = plain_function(function)
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    return function.__globals__ | {name: cell.cell_contents for name, cell in cells if _filled(cell)}


def namespace_of(function: Function) -> dict[str, Any]:
    """The names of a function's emitted text: its own variables, and the modules of the vocabulary."""
    import pullback

    modules = {"np": np, "pb": pullback, "primitives": pullback.primitives, "special": special, "math": math}
    return variables_of(function) | modules


# Modules of ours that stand for another, by what a name of theirs is called in the vocabulary.
_STANDS_FOR = {"pullback.numpy": "numpy", special.__name__: "scipy.special"}


_NAMED: Any = namedtuple


def _is_plain(value: object) -> bool:
    """True of a number, a text, and a tuple of them or of such tuples."""
    plain = isinstance(value, (bool, int, float, str))
    return plain or (isinstance(value, tuple) and all(map(_is_plain, value)))


def _frozen_fields(value: object) -> tuple[object, ...] | None:
    """The fields of a frozen dataclass of numbers and texts, by their names; None for another object."""
    if isinstance(value, type) or not dataclasses.is_dataclass(value):
        return None
    found = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    plain = all(isinstance(each, (bool, int, float, str)) for each in found.values())
    if not plain or not getattr(type(value), "__dataclass_params__").frozen:  # noqa: B009  # typeshed lacks it
        return None
    fields: tuple[object, ...] = _NAMED(type(value).__name__, found)(**found)
    return fields


def binding(value: object) -> Binding:
    """The binding of an object in the formula language."""
    if isinstance(value, ModuleType):
        return Binding.dotted(_STANDS_FOR.get(value.__name__, value.__name__))
    if isinstance(value, np.generic):
        return Binding.constant(value.item(), strong=isinstance(value, np.float64))
    if value is None or value is Ellipsis or isinstance(value, (bool, int, float, complex, str)):
        return Binding.constant(value)
    if isinstance(value, tuple) and _is_plain(value):
        return Binding.constant(value)
    if (fields := _frozen_fields(value)) is not None:
        return Binding.constant(fields)
    ir = getattr(value, "_signature_binding", None)
    if isinstance(ir, Binding):
        return ir
    info = FORMULAS.info_of(value)
    if info is not None:
        return Binding.dotted(info.python)
    of_python = value is functools.partial or getattr(value, "__module__", "") == "itertools"
    if isinstance(value, type) and (of_python or issubclass(value, np.generic)):
        return Binding.dotted(f"{value.__module__}.{value.__name__}")
    if isinstance(value, (np.ufunc, BuiltinFunctionType)) or _has_dotted_name(value):
        module = getattr(value, "__module__", None) or "numpy"
        name = str(getattr(value, "__qualname__", None) or getattr(value, "__name__", ""))
        # Modules in C, as `_operator`, are those of Python's library without the underscore.
        return Binding.dotted(name if module == builtins.__name__ else f"{module.removeprefix('_')}.{name}")
    if type(value).__module__.startswith("scipy.stats.") and hasattr(value, "name"):
        return Binding.dotted(f"scipy.stats.{value.name}")
    if isinstance(value, FunctionType):
        try:
            return Binding.helper(value.__name__, source_of(value), names_of(value))
        except SourceUnavailableError:
            return Binding.dotted(f"{value.__module__}.{value.__qualname__}")
    return Binding.unknown(f"a {type(value).__name__} outside the formula")


def _has_dotted_name(value: object) -> bool:
    module = str(getattr(value, "__module__", ""))
    return module.partition(".")[0] in {"numpy", "scipy", "pullback", "math"} and hasattr(
        value, "__qualname__"
    )


def _filled(cell: Any) -> bool:
    try:
        _ = cell.cell_contents
    except ValueError:
        return False
    return True
