"""Copies of the library's formulas with a mistake in them, and what finds it."""

from __future__ import annotations

import ast
import importlib.util
import inspect
import sys
import textwrap
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

import pullback as pb
from pullback.engine.core.registry import LIBRARY
from pullback.engine.formula.formula import Formula
from pullback.tools.checking import flattened
from pullback.tools.guessing import guess_inputs

from .mistakes import KINDS, closure_of

Derivatives = list[np.ndarray]
PLACES = 3
# Real transforms take no complex values; vectors are arbitrary up to a phase.
OF_REAL_SAMPLES = ("rfft", "eigh", "eigh_upper", "svd", "eig")
# Formulas whose arguments are not independent, each as a function of those that are.
OF_INDEPENDENT = {"share_of_length": lambda formula: lambda x, y: formula(x, y, np.hypot(x, y))}
IMPORTED = ("np", "pb", "primitives", "special")
HEADER = """import numpy as np
from scipy import special

import pullback as pb
from pullback import primitives
"""


@dataclass(frozen=True)
class Found:
    """A planted mistake: the formula, its kind, and the first line of what was said, or nothing."""

    formula: str
    kind: str
    text: str
    said: str


class Unchanged(Exception):
    """A copy has the derivatives of the formula, so that nothing was planted."""


def formulas() -> list[Formula]:
    """The library's formulas whose closure is written by hand."""
    found = []
    for formula in pb.formulas():
        if not str(formula.__module__).startswith(LIBRARY):
            continue  # of a test that ran before, in the same process
        if not isinstance(formula, Formula) or closure_of(_tree(formula)) is None:
            continue
        options = formula.ir.options
        if not (options.surrogate or options.first_order_only or formula.__name__ == "refuse_gradient"):
            found.append(formula)
    return found


def plant(formula: Formula, folder: Path, places: int = PLACES) -> Iterator[Found]:
    """Each kind of mistake in one formula, at so many places at most, and what the check says of it."""
    tree = _tree(formula)
    for kind, copies in KINDS.items():
        planted = 0
        for number, changed in enumerate(copies(tree)):
            text = ast.unparse(ast.fix_missing_locations(changed))
            try:
                said = _said(
                    formula,
                    _defined(
                        formula, text, folder / f"{formula.__name__}_{kind}_{number}.py".replace(" ", "_")
                    ),
                )
            except Unchanged:
                continue
            yield Found(formula.__name__, kind, text, said)
            planted += 1
            if planted == places:
                break


def copied(formula: Formula, folder: Path) -> Formula:
    """The formula without a mistake, defined in a file of its own as those with one are."""
    return _defined(formula, ast.unparse(_tree(formula)), folder / f"{formula.__name__}.py")


def said_of(wrong: Any, formula: Formula) -> str:
    """What the check says of a copy: the first line of the first error, or nothing."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a cast may lose an imaginary part
            for args, kwargs in _samples(formula):
                call, flat = _call(wrong, formula, args, kwargs)
                pb.gradcheck(call, *flat)
    except Exception as error:  # the closure may raise anything: then it is found
        return f"{type(error).__name__}: {error}".splitlines()[0]
    return ""


def _said(formula: Formula, wrong: Formula) -> str:
    """Also raises `Unchanged` where the two derivatives of the copy are those of the formula."""
    said = said_of(wrong, formula)
    if not said and all(_alike(formula, wrong, args, kwargs) for args, kwargs in _samples(formula)):
        raise Unchanged
    return said


def _alike(formula: Formula, wrong: Formula, args: Any, kwargs: Any) -> bool:
    """True where both give the same first and second derivatives, by the formula's own closures."""
    ours, theirs = (_derivatives(*_call(each, formula, args, kwargs)) for each in (formula, wrong))
    return all(
        np.allclose(a, b, rtol=1e-7, atol=1e-9, equal_nan=True) for a, b in zip(ours, theirs, strict=True)
    )


def _call(copy: Any, formula: Formula, args: Any, kwargs: Any) -> tuple[Any, list[Any]]:
    """A copy of a formula as a function of independent tensors, and those."""
    if formula.__name__ in OF_INDEPENDENT:
        call = OF_INDEPENDENT[formula.__name__](copy)
        return call, list(args[: len(inspect.signature(call).parameters)])
    return flattened(copy, args, kwargs)


def _derivatives(call: Any, flat: list[Any]) -> Derivatives:
    """The first gradients of a curved function of the results, and those of their own curved sum."""
    leaves = [pb.tensor(value, requires_grad=True) if _is_inexact(value) else value for value in flat]
    tensors = [leaf for leaf in leaves if isinstance(leaf, pb.Tensor)]
    results = call(*leaves)
    several = results if isinstance(results, (tuple, list)) else [results]
    total = sum((np.sin(np.real(r)) + np.cos(np.imag(r))).sum() for r in several if _is_inexact(r))
    if not isinstance(total, pb.Tensor) or not total.requires_grad:
        return []
    options: Any = {"create_graph": True, "materialize_grads": True}
    first = pb.grad(total, tensors, **options)
    inner = sum((np.sin(np.real(g)) + np.cos(np.imag(g))).sum() for g in first)
    second = pb.grad(inner, tensors, **options) if inner.requires_grad else []
    return [each.detach().numpy() for each in [*first, *second]]


def _is_inexact(value: Any) -> bool:
    return np.dtype(getattr(value, "dtype", "O")).kind in "fc"


def _samples(formula: Formula) -> Iterator[tuple[Any, Any]]:
    """The formula's samples or a guess, and those with imaginary parts where it takes complex values."""
    samples = formula.samples(0) or [guess_inputs(formula)[0]]
    yield from samples
    if formula.ir.options.complex and formula.__name__ not in OF_REAL_SAMPLES:
        rng = np.random.default_rng(3)
        for args, kwargs in samples:
            yield tuple(_made_complex(value, rng) for value in args), kwargs


def _made_complex(value: Any, rng: np.random.Generator) -> Any:
    if isinstance(value, list):
        return [_made_complex(item, rng) for item in value]
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        return value + 1j * rng.uniform(0.1, 0.5, value.shape)
    return value


def _tree(formula: Formula) -> ast.FunctionDef:
    (tree,) = ast.parse(textwrap.dedent(inspect.getsource(formula.__wrapped__))).body
    assert isinstance(tree, ast.FunctionDef)
    return tree


def _defined(formula: Formula, text: str, path: Path) -> Formula:
    """A formula of a file with this function, and with what else it takes from the library's file."""
    (function,) = ast.parse(text).body
    assert isinstance(function, ast.FunctionDef)
    home = sys.modules[formula.__wrapped__.__module__]
    helpers, imported = _used(function, home)
    options = formula.ir.options
    said = {"complex": options.complex, "nondifferentiable": options.nondifferentiable}
    function.decorator_list = [
        ast.parse(f"pb.formula({', '.join(f'{k}={v!r}' for k, v in said.items() if v)})", mode="eval").body
    ]
    function.name = f"planted_{function.name}"
    path.write_text(
        "\n\n\n".join(
            [
                HEADER + "".join(f"from {home.__name__} import {name}\n" for name in imported),
                *helpers.values(),
                ast.unparse(ast.fix_missing_locations(function)),
            ]
        )
    )
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    defined: Formula = getattr(module, function.name)
    return defined


def _used(function: ast.FunctionDef, home: ModuleType) -> tuple[dict[str, str], list[str]]:
    """The texts of the file's plain functions that one calls, in turn, and the other names that it reads."""
    helpers: dict[str, str] = {}
    imported = set()
    trees: list[ast.AST] = [function]
    while trees:
        for node in ast.walk(trees.pop()):
            if not isinstance(node, ast.Name) or node.id in helpers or node.id not in vars(home):
                continue
            value = vars(home)[node.id]
            if isinstance(value, FunctionType) and value.__module__ == home.__name__:
                helpers[node.id] = inspect.getsource(value)
                trees.append(ast.parse(helpers[node.id]))
            elif node.id not in IMPORTED:
                imported.add(node.id)
    return helpers, sorted(imported)
