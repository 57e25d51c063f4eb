"""``pullback check``: derivatives of formulas and torch classes against finite differences."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from rich.text import Text

from pullback.engine.core.errors import GradcheckError
from pullback.engine.formula.formula import Composite, Formula
from pullback.transpile.diagnostics import FormulaError
from pullback.transpile.ir import Literal

from ..checking import TOLERANCE, Contender, Measurement, locate, make_contender, measure, orders, why_not
from ..derived import compare, derived_of
from ..errors import CLEAN, FINDINGS, CommandError, UsageError, located
from ..files import python_files, read_bytes, split_target
from ..guessing import Sample, guess_inputs
from ..guessing_composites import guess_composite
from ..lint.linter import may_have_formulas
from ..loading import load_formulas
from ..progress import Stepper, steps
from ..render import count
from . import Subparsers, add_command
from .check_classes import check_classes, classes_in
from .check_fixes import fix_classes

EXAMPLE = """\
example:
  $ pullback check examples --order 3
  $ pullback check examples/softplus.py::softplus
  $ pullback check src/ops.py::Scaled --inputs 'torch.rand(3, 4), 2'
  $ pullback check --fix src/ops.py

This imports the file and runs what it defines: formulas and functions under pb.compile on both engines and
compiled, a plain function that is named, and classes of torch.autograd.Function in PyTorch. A class gets a
verdict: right, silently wrong, raises (it refuses second derivatives), first order wrong, could not run. Its
inputs come from --inputs, from a comment in the class such as `# pullback: inputs torch.rand(3, 4), 2`, or
are guessed; what was guessed is printed.

exit status: 0 all right, 1 a derivative is wrong or can't be computed, 2 misuse
"""

RUNS_ON = ("reference", "native", "compiled")


@dataclass
class Report:
    """The text that the command prints."""

    rows: list[tuple[str, str, list[Measurement]]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)  # below the table, on its marked entries
    failures: list[str] = field(default_factory=list)


def add_parser(subparsers: Subparsers) -> None:
    """Declare the command's arguments."""
    parser = add_command(
        subparsers,
        "check",
        "compare derivatives with finite differences: of formulas, and of torch.autograd.Function classes",
        EXAMPLE,
        run,
    )
    parser.add_argument(
        "targets", nargs="+", metavar="FILE[::NAME]", help="a formula or class, a file, or a folder"
    )
    parser.add_argument("--order", type=int, default=2, metavar="N", help="highest derivative (default: 2)")
    parser.add_argument(
        "--on",
        choices=RUNS_ON,
        action="append",
        help="where to run formulas; may be repeated (default: wherever they can run here)",
    )
    parser.add_argument(
        "--fix",
        action="store_true",
        help="fix the classes as lint --fix does, where they run and give the first gradients that they gave",
    )
    parser.add_argument(
        "--unsafe-fixes",
        action="store_true",
        help="with --fix: also refuse second derivatives with a barrier",
    )
    parser.add_argument(
        "--inputs",
        metavar="EXPR",
        help="the inputs of one class: a Python expression, in which the file's names and torch are known",
    )


def run(arguments: argparse.Namespace) -> int:
    """Check the formulas and the classes, and print a table for each."""
    if arguments.order < 1:
        raise UsageError("--order counts from 1")
    console = Console(highlight=False, markup=False)
    classes = classes_in(arguments.targets)
    if arguments.unsafe_fixes and not arguments.fix:
        raise UsageError("--unsafe-fixes goes with --fix")
    if arguments.fix:
        return fix_classes(classes, arguments.inputs, arguments.unsafe_fixes, console)
    if arguments.inputs is not None and not classes:
        raise UsageError("--inputs is for one class of torch.autograd.Function")
    named = {f"{one.source.path}::{one.name}" for one in classes if one.name is not None}
    rest = [target for target in arguments.targets if target not in named]
    formulas = (
        [item for target in rest for item in _formulas(target)]
        if _may_have_formulas(rest) or not classes
        else []
    )
    if not formulas and not classes:
        raise CommandError(
            f"{' '.join(arguments.targets)}: no formula, function under pb.compile or autograd function is "
            "defined there\n  help: name a plain function to check it as FILE::NAME"
        )
    status = _check_formulas(formulas, arguments, console) if formulas else CLEAN
    return max(status, check_classes(classes, arguments.inputs, console)) if classes else status


def _may_have_formulas(targets: list[str]) -> bool:
    """True where a function is named, or the text of some file may define a formula: then it is imported."""
    split = [split_target(target) for target in targets]
    if any(name is not None for _, name in split):
        return True
    texts = [read_bytes(file) for file, _ in python_files(path for path, _ in split)]
    return any(may_have_formulas(text) or b"pb.compile" in text for text in texts)


def _check_formulas(
    formulas: list[tuple[str, Formula]], arguments: argparse.Namespace, console: Console
) -> int:
    runs_on = _available(arguments.on, console)
    report = Report()
    with steps("check", len(formulas) * len(runs_on)) as step:
        for name, formula in formulas:
            _check(formula, name, runs_on, arguments.order, step, report)
    for note in report.notes:
        console.print(note, soft_wrap=True)
    console.print(_table(report.rows, arguments.order))
    for remark in report.remarks:
        console.print(remark, soft_wrap=True)
    for failure in report.failures:
        console.print(failure, soft_wrap=True)
    verdict = f"{len(report.failures)} failed" if report.failures else "all right"
    console.print(f"{verdict}: {count(len(formulas), 'formula')} to order {arguments.order}", soft_wrap=True)
    return FINDINGS if report.failures else CLEAN


def _formulas(target: str) -> Iterator[tuple[str, Formula]]:
    path, name = split_target(target)
    if name is not None or not Path(path).is_dir():
        yield from load_formulas(target)
        return
    for file, _ in python_files([path]):
        yield from load_formulas(str(file))


def _available(wanted: list[str] | None, console: Console) -> list[str]:
    """The engines on which formulas can run here; `UsageError` for one that was asked for and isn't there."""
    missing = {name: reason for name in RUNS_ON if (reason := why_not(name))}
    for name in wanted or ():
        if name in missing:
            raise UsageError(f"--on {name}: {missing[name]}")
    if wanted:
        return [name for name in RUNS_ON if name in wanted]
    for name, reason in missing.items():
        console.print(f"not checked: {name}: {reason}", soft_wrap=True)
    return [name for name in RUNS_ON if name not in missing]


def _check(
    formula: Formula, name: str, runs_on: list[str], highest: int, step: Stepper, report: Report
) -> None:
    """Add the rows and failures of one formula."""
    composite = formula if isinstance(formula, Composite) else None
    wanted = range(1, highest + 1) if composite else orders(formula, highest)
    if len(wanted) < highest:
        why = "its gradient is a surrogate" if not wanted else "it says first_order_only"
        report.notes.append(f"{name}: checked to order {len(wanted)}: {why}")
    samples = formula.samples()
    guessed = not samples
    if guessed:
        try:
            sample, guess = guess_composite(composite) if composite else guess_inputs(formula)
        except CommandError as error:
            report.failures.append(str(error))
            return
        samples = [sample]
        report.notes.append(guess)
    if not any(_is_inexact(leaf) for args, _ in samples for value in args for leaf in _leaves(value)):
        report.notes.append(f"{name}: not checked: its samples have no floats to differentiate")
        return
    failures: dict[str, list[str]] = {}  # what is wrong, and where
    helps: list[str] = []
    for where in runs_on:
        step(f"{name}, {where}")
        try:
            contender = make_contender(formula, where, highest)
            found = list(measure(contender, samples, wanted))
        except FormulaError as error:
            first = error.diagnostics[0]
            if composite:  # it may be any Python, of which the formula language is a part
                report.notes.append(f"{name}: not compiled: {first.code} {first.message}")
            else:
                not_compiled = all(found.code == "PB501" for found in error.diagnostics)
                (report.notes if not_compiled else report.failures).append(located(error))
            continue
        except Exception as error:  # the author's code runs here, and may raise anything
            failures.setdefault(f"{type(error).__name__}: {error}", []).append(where)
            continue
        report.rows.append((name, where, found))
        wrong = [m for m in found if not m.passes]
        if wrong:
            said, at = _first(contender, samples, wrong)
            failures.setdefault(said, []).append(where)
            if not composite and at is not None and not helps:
                helps += _meant(formula, at)
    for said, places in failures.items():
        report.failures.append(f"{_place_of(formula)}: {name} ({', '.join(places)}): {said}")
    if failures:
        if guessed:
            helps.append(
                "its inputs were guessed; where it wants others, decorate a function of rng, one that "
                f"yields (args, kwargs), with @{formula.__name__}.sample_inputs"
            )
        report.failures[-1] += "".join(f"\n  help: {each}" for each in helps)
    if runs_on and not composite:
        _check_against_derived(formula, name, samples, wanted, report)


def _leaves(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _is_inexact(value: Any) -> bool:
    return isinstance(value, (float, complex, np.ndarray)) and np.asarray(value).dtype.kind in "fc"


def _place_of(formula: Formula) -> str:
    """``path:line:column`` of a formula; of a composite, whose text need not be readable, its first line."""
    if not isinstance(formula, Composite):
        return str(formula.ir.span)
    code = formula.__wrapped__.__code__
    return f"{code.co_filename}:{code.co_firstlineno}"


def _check_against_derived(
    formula: Formula, name: str, samples: list[Sample], wanted: range, report: Report
) -> None:
    """Add a row that compares a closure with the one that follows from the forward, where one does.

    A closure that agrees with finite differences and not with the derived one is no error: the
    forward may be written with a kink, which the author's closure does not have.
    """
    derived = derived_of(formula)
    if derived is None or any(
        failure.startswith(f"{_place_of(formula)}: {name}") for failure in report.failures
    ):
        return
    found = compare(formula, derived, samples, wanted)
    report.rows.append((name, "derived", found))
    wrong = [measurement for measurement in found if not measurement.passes]
    if wrong:
        report.remarks.append(
            f"* {name} counts as right: finite differences agree with its closure (the rows above). The one "
            f"that `pb.derive_pullback` derives from the forward's text is off by {wrong[0].error:.2g} at "
            f"order {wrong[0].order}: the text has a kink at a sample, or one of the two loses digits"
        )


def _first(
    contender: Contender, samples: list[Sample], wrong: list[Measurement]
) -> tuple[str, GradcheckError | None]:
    """The first error: the element that `pb.gradcheck` finds, or the measurement itself."""
    lowest = min(wrong, key=lambda m: (m.order, m.dtype))
    found = locate(contender, samples, lowest.order) if lowest.dtype == "float64" else None
    if found is not None:
        return str(found), found
    return f"the derivative of order {lowest.order} in {lowest.dtype} is off by {lowest.error:.2g}", None


def _meant(formula: Formula, error: GradcheckError) -> list[str]:
    """Advice for a first derivative that is another one on purpose."""
    ir = formula.ir
    if error.order > 1 or ir.pullback is None:
        return []
    lists = any(param.var.kind == "list" for param in ir.inputs)
    atom = None if lists or error.input >= len(ir.inputs) else ir.pullback.results[error.input]
    if isinstance(atom, Literal) and atom.value is None:
        name = ir.inputs[error.input].var.name
        return [
            f"the closure returns None for `{name}`, a gradient of zero: return its gradient, or annotate a "
            f"number that needs none, `{name}: float`, or have the samples give integers for it"
        ]
    return ["where the gradient is another one on purpose (straight-through): @pb.formula(surrogate=True)"]


def _table(rows: list[tuple[str, str, list[Measurement]]], highest: int) -> Table:
    table = Table(title="largest relative error")
    for heading in ("formula", "runs on", "dtype"):
        table.add_column(heading)
    for order in range(1, highest + 1):
        table.add_column(f"order {order}", justify="right")
    for name, where, found in rows:
        for dtype in TOLERANCE:
            mark = " *" if where == "derived" else ""
            cells = {m.order: _cell(m, mark) for m in found if m.dtype == dtype}
            if not cells and where == "derived":
                continue
            table.add_row(name, where, dtype, *(cells.get(k, "-") for k in range(1, highest + 1)))
    return table


def _cell(measurement: Measurement, mark: str) -> Text:
    """The error; one that does not pass is red, or marked where a remark says why it counts all the same."""
    if measurement.passes:
        return Text(f"{measurement.error:.1e}")
    return Text(f"{measurement.error:.1e}{mark}", style="yellow" if mark else "bold red")
