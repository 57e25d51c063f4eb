"""Errors of the command line itself, and its exit statuses."""

from __future__ import annotations

import linecache

from pullback.transpile.diagnostics import FormulaError, render

CLEAN = 0
FINDINGS = 1
MISUSE = 2
INTERNAL = 3
INTERRUPTED = 130
BROKEN_PIPE = 141


class UsageError(Exception):
    """The command was called in a way that cannot work: a missing file, an unknown name. Exit status 2."""


class CommandError(Exception):
    """The command was called rightly and failed for a reason that the message gives. Exit status 1."""


def located(error: FormulaError) -> str:
    """The findings of an error with their source lines, read from the file where the error brings no text."""
    if error.source is not None:
        return str(error)
    spans = [found.span for found in error.diagnostics]
    lines = [linecache.getline(span.path, span.line).rstrip("\n") for span in spans]
    return "\n".join(map(render, error.diagnostics, lines))
