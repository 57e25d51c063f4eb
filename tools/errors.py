"""Errors of the command line itself, and its exit statuses."""

from __future__ import annotations

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
