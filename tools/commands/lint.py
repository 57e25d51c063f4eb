"""``pullback lint``: a verdict for every captured value, and what is wrong, without running anything."""

from __future__ import annotations

import argparse
import io
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from pullback.transpile.codes import CODES
from pullback.transpile.diagnostics import Diagnostic

from ..errors import CLEAN, FINDINGS, INTERNAL, MISUSE, UsageError
from ..files import write_atomically
from ..lint.configuration.settings import Override, codes_of
from ..lint.output.github import as_github
from ..lint.output.sarif import as_sarif
from ..lint.running.runner import Report, Request, lint_paths
from ..lint.running.work import Crash
from ..render import as_json, print_text, summary
from . import Subparsers, add_command

EXAMPLE = """\
example:
  $ pullback lint examples
  clean: 6 formulas in 6 files
  $ pullback lint --format github --fail-on error src
  $ pullback lint --diff src && pullback lint --fix src

`# noqa: PB101` at the end of a line silences it; [tool.pullback.lint] of the nearest pyproject.toml
has select, ignore, exclude and per-file-ignores, as ruff spells them.

exit status: 0 clean, 1 findings of severity error or warning, 2 misuse
"""

FORMATS = ("text", "json", "sarif", "github", "html")


def add_parser(subparsers: Subparsers) -> None:
    """Declare the command's arguments."""
    parser = add_command(
        subparsers,
        "lint",
        "say for every captured value what it is, and find what is wrong",
        EXAMPLE,
        run,
    )
    parser.add_argument("paths", nargs="+", metavar="PATH", help="a file, or a folder to walk")
    parser.add_argument("--verbose", action="store_true", help="also print the verdict of every capture")
    output = parser.add_argument_group("output")
    output.add_argument("--format", choices=FORMATS, default="text", help="output (default: text)")
    output.add_argument(
        "-o", "--output", metavar="FILE", type=Path, help="write it here, not to the terminal"
    )
    output.add_argument("--statistics", action="store_true", help="in text, also count findings per rule")
    output.add_argument(
        "--fail-on",
        choices=("error", "warning"),
        default="warning",
        help="the least severity that makes the exit status 1 (default: warning)",
    )
    fixing = parser.add_argument_group("fixes")
    fixing.add_argument("--fix", action="store_true", help="change the files, where lint then finds it clean")
    fixing.add_argument(
        "--diff", action="store_true", help="print what --fix would change, and change nothing"
    )
    fixing.add_argument(
        "--unsafe-fixes",
        action="store_true",
        help="also refuse second derivatives with a barrier, where they can't be made right",
    )
    which = parser.add_argument_group("what counts (instead of what the configuration says)")
    which.add_argument("--select", metavar="CODES", help="codes or prefixes, for example PB1,PB203")
    which.add_argument("--ignore", metavar="CODES", help="codes or prefixes to leave out")
    which.add_argument(
        "--exclude", metavar="PATTERN", action="append", help="a file or folder to leave out of a walk"
    )
    which.add_argument("--force-exclude", action="store_true", help="leave out files that are named, too")
    which.add_argument("--config", metavar="FILE", type=Path, help="a pyproject.toml to read")
    work = parser.add_argument_group("work")
    work.add_argument(
        "-j",
        "--jobs",
        metavar="N",
        type=_positive,
        help="processes to use (default: as many as are worth it)",
    )
    work.add_argument("--no-cache", action="store_true", help="lint unchanged files again")


def run(arguments: argparse.Namespace) -> int:
    """Lint the paths; what cannot be read is reported at the end, after all other findings."""
    if arguments.format == "html" and arguments.output is None:
        raise UsageError("--format html needs a file to write: add -o FILE")
    if arguments.unsafe_fixes and not (arguments.fix or arguments.diff):
        raise UsageError("--unsafe-fixes goes with --fix or --diff")
    request = _request(arguments)
    report = lint_paths(request)
    if arguments.fix or arguments.diff:
        from .lint_fixes import fixes_for, print_diff, write_fixes

        changes = fixes_for(report, request.override, arguments.unsafe_fixes, arguments.verbose)
        if arguments.diff:
            return print_diff(changes)
        if write_fixes(changes):
            report = lint_paths(request)
    shown = [found for found in report.findings if arguments.verbose or found.severity != "info"]
    _write(arguments, report, shown)
    if arguments.output is not None:
        _print_summary(Console(highlight=False, markup=False), report, shown, arguments.statistics)
    _complain([*report.unreadable, *(_crashed(crash) for crash in report.crashes)])
    if report.unreadable or report.crashes:
        return INTERNAL if report.crashes else MISUSE
    grave = {"error"} if arguments.fail_on == "error" else {"error", "warning"}
    return FINDINGS if any(found.severity in grave for found in report.findings) else CLEAN


def _request(arguments: argparse.Namespace) -> Request:
    exclude = [part for option in arguments.exclude or () for part in option.split(",") if part]
    override = Override(
        arguments.config,
        None if arguments.select is None else codes_of(arguments.select),
        None if arguments.ignore is None else codes_of(arguments.ignore),
        None if arguments.exclude is None else tuple(exclude),
    )
    return Request(arguments.paths, override, arguments.jobs, not arguments.no_cache, arguments.force_exclude)


def _write(arguments: argparse.Namespace, report: Report, shown: Sequence[Diagnostic]) -> None:
    style, output = arguments.format, arguments.output
    if style == "text" and output is None:
        console = Console(highlight=False)
        print_text(console, shown, report.sources)
        _print_summary(console, report, shown, arguments.statistics)
        return
    text = _text(style, report, shown)
    if output is None:
        sys.stdout.write(text)
    else:
        write_atomically(output, text)


def _text(style: str, report: Report, shown: Sequence[Diagnostic]) -> str:
    if style == "json":
        return as_json(shown) + "\n"
    if style == "sarif":
        return as_sarif(shown, report.sources) + "\n"
    if style == "github":
        text = as_github(shown)
        return text + "\n" if text else ""
    if style == "html":
        return _page(report)
    stream = io.StringIO()
    print_text(Console(file=stream, highlight=False, color_system=None), shown, report.sources)
    return stream.getvalue()


def _page(report: Report) -> str:
    try:
        from ..lint.output.page import as_html
    except ImportError as error:
        raise UsageError(f"--format html needs {error.name}: pip install 'pullback[report]'") from error
    return as_html(report)


def _print_summary(console: Console, report: Report, shown: Sequence[Diagnostic], statistics: bool) -> None:
    if report.unreadable and not report.files:
        return  # nothing was looked at, so nothing is clean
    if statistics:
        for code, times in sorted(Counter(found.code for found in shown).items()):
            console.print(f"{times:6}  {code}  {CODES[code].rule}", soft_wrap=True)
    silenced = f"; {report.silenced} silenced" if report.silenced else ""
    console.print(summary(shown, report.files, report.formulas, report.classes) + silenced, soft_wrap=True)


def _crashed(crash: Crash) -> str:
    return f"{crash.path}: this is a bug in pullback: {crash.message}"


def _complain(messages: Sequence[str]) -> None:
    console = Console(stderr=True, highlight=False, markup=False)
    for message in messages:
        console.print(f"pullback: {message}", soft_wrap=True)


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"a number of at least 1, not {text!r}")
    return int(text)
