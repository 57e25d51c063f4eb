"""The work of ``pullback lint``: lint, fix, write, and say at the end what to do next."""

from __future__ import annotations

import argparse
import io
import sys
from collections import Counter
from collections.abc import Sequence

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
from ..render import as_json, count, print_text, summary

STDIN = "-"


def lint(arguments: argparse.Namespace) -> int:
    """Lint the paths; what cannot be read is reported at the end, after all other findings."""
    if arguments.format == "html" and arguments.output is None:
        raise UsageError("--format html needs a file to write: add -o FILE")
    if arguments.unsafe_fixes and not (arguments.fix or arguments.diff):
        raise UsageError("--unsafe-fixes goes with --fix or --diff")
    request = _request(arguments)
    report = lint_paths(request)
    findings_to = None
    if arguments.fix or arguments.diff:
        from .lint_fixes import fixes_for, print_diff, print_fixed, write_fixes

        changes = fixes_for(report, request, arguments.unsafe_fixes, arguments.verbose)
        if arguments.diff:
            return print_diff(changes)
        if request.texts:
            request = print_fixed(changes, request)
            findings_to = sys.stderr
        else:
            write_fixes(changes)
        if any(change.changed for change in changes):
            report = lint_paths(request)
    shown = [found for found in report.findings if arguments.verbose or found.severity != "info"]
    _write(arguments, report, shown, Console(file=findings_to, highlight=False))
    if arguments.output is not None:
        _print_summary(Console(highlight=False, markup=False), report, shown, arguments.statistics)
    _complain([*report.unreadable, *(_crashed(crash) for crash in report.crashes)])
    if report.unreadable or report.crashes:
        return INTERNAL if report.crashes else MISUSE
    grave = {"error"} if arguments.fail_on == "error" else {"error", "warning"}
    return FINDINGS if any(found.severity in grave for found in report.findings) else CLEAN


def _request(arguments: argparse.Namespace) -> Request:
    exclude = [part for option in arguments.exclude or () for part in option.split(",") if part]
    if arguments.select is not None and not codes_of(arguments.select):
        raise UsageError("--select names no code: nothing would be looked for")
    override = Override(
        arguments.config,
        None if arguments.select is None else codes_of(arguments.select),
        None if arguments.ignore is None else codes_of(arguments.ignore),
        None if arguments.exclude is None else tuple(exclude),
        arguments.respect_gitignore,
    )
    paths, texts = _standard_input(arguments)
    return Request(
        paths,
        override,
        arguments.jobs,
        not arguments.no_cache,
        arguments.force_exclude,
        repairs=arguments.format in ("text", "sarif") or arguments.output is not None,
        texts=texts,
    )


def _standard_input(arguments: argparse.Namespace) -> tuple[list[str], dict[str, bytes]]:
    """The paths to lint, and the text of the one that comes from standard input."""
    if STDIN not in arguments.paths:
        if arguments.stdin_filename is not None:
            raise UsageError("--stdin-filename names what comes from standard input: lint `-`")
        return arguments.paths, {}
    if arguments.paths != [STDIN]:
        raise UsageError("standard input, `-`, is linted alone")
    name = arguments.stdin_filename or "stdin.py"
    return [name], {name: sys.stdin.buffer.read()}


def _write(
    arguments: argparse.Namespace, report: Report, shown: Sequence[Diagnostic], console: Console
) -> None:
    style, output = arguments.format, arguments.output
    if style == "text" and output is None:
        print_text(console, shown, report.sources)
        _print_summary(console, report, shown, arguments.statistics)
        return
    text = _text(style, report, shown)
    if output is None:
        console.file.write(text)
    else:
        write_atomically(output, text)


def _text(style: str, report: Report, shown: Sequence[Diagnostic]) -> str:
    if style == "json":
        return as_json(shown) + "\n"
    if style == "sarif":
        return as_sarif(shown, report) + "\n"
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
        raise UsageError(f"--format html needs {error.name}: pip install 'pullback-lint[report]'") from error
    return as_html(report)


def _print_summary(console: Console, report: Report, shown: Sequence[Diagnostic], statistics: bool) -> None:
    if report.unreadable and not report.files:
        return  # nothing was looked at, so nothing is clean
    if not report.files:
        console.print("nothing to lint: there is no Python file, or all are left out", soft_wrap=True)
        return
    if statistics:
        for code, times in sorted(Counter(found.code for found in shown).items()):
            console.print(f"{times:6}  {code}  {CODES[code].rule}", soft_wrap=True)
    if found := [one for one in shown if one.severity != "info"]:
        console.print(_next(report, found), soft_wrap=True)
    silenced = f"; {report.silenced} silenced" if report.silenced else ""
    console.print(summary(shown, report.files, report.formulas, report.classes) + silenced, soft_wrap=True)


PAGES = 4


def _next(report: Report, shown: Sequence[Diagnostic]) -> str:
    """The findings counted, those that have a fix, and the pages of their rules, most frequent first."""
    fixable = sum(found in report.repairs for found in shown)
    text = f"{count(len(shown), 'finding')}, {fixable} fixable with --fix"
    pages = [
        f"`pullback rule {code}{' --torch' if torch else ''}`"
        for (code, torch), _ in Counter((f.code, report.is_torch(f)) for f in shown).most_common()
    ]
    more = ", ..." if len(pages) > PAGES else ""
    return f"{text}; why: {', '.join(pages[:PAGES])}{more}"


def _crashed(crash: Crash) -> str:
    return f"{crash.path}: this is a bug in pullback: {crash.message}"


def _complain(messages: Sequence[str]) -> None:
    console = Console(stderr=True, highlight=False, markup=False)
    for message in messages:
        console.print(f"pullback: {message}", soft_wrap=True)
