"""``pullback``: the command line.

One handler around all commands turns every documented exception into a message with its place, and an
exit status: 0 done and clean, 1 findings or a failure, 2 misuse, 3 a bug of ours, 130 interrupted.
No traceback from inside is shown; set ``PULLBACK_TRACEBACK=1`` to see one.
"""

from __future__ import annotations

import argparse
import contextlib
import errno
import io
import os
import sys
import traceback
from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec

from pullback.transpile.diagnostics import FormulaError
from pullback.transpile.version import __version__

from .errors import (
    BROKEN_PIPE,
    FINDINGS,
    INTERNAL,
    INTERRUPTED,
    MISUSE,
    CommandError,
    UsageError,
    located,
)

COMMANDS = (
    "lint",
    "transpile",
    "derive",
    "import-derivatives",
    "export-derivatives",
    "explain",
    "check",
    "dump",
    "rule",
    "server",
    "doctor",
    "config",
    "cache",
    "completion",
)
# These need formulas or an engine, which come with the distribution `pullback`; the others read texts only.
RUNNING = frozenset(
    {
        "transpile",
        "derive",
        "import-derivatives",
        "export-derivatives",
        "explain",
        "check",
        "dump",
        "doctor",
        "config",
    }
)

DESCRIPTION = """\
Derivatives written once as plain Python: lint verdicts, right derivatives of every order, and C++.
"""

# How to begin, by the command that an example needs.
BEGIN = {
    "lint": """\
  pullback lint src                       what is silently wrong in your formulas and torch.autograd.Function
                                          classes, with file, line and column; nothing of them is run
""",
    "server": """\
  pullback server                         the same while you type, in an editor
""",
    "check": """\
  pullback check operators.py             compare their derivatives with finite differences
""",
    "explain": """\
  pullback explain operators.py::NAME     what becomes of each value that a closure captures
""",
    "transpile": """\
  pullback transpile operators.py -o cpp  the C++ of a file's formulas
""",
    "doctor": """\
  pullback doctor                         what runs on this machine: engines, compiler, caches
""",
}
END = "\n`pullback COMMAND --help` says more, with an example for each.\n"


def available() -> tuple[str, ...]:
    """The commands that work with what is installed."""
    return COMMANDS if _runs() else tuple(command for command in COMMANDS if command not in RUNNING)


def _runs() -> bool:
    return find_spec("pullback.engine") is not None


def build_parser(commands: Sequence[str] = COMMANDS) -> argparse.ArgumentParser:
    """The parser with these commands. The module of each is imported: lint needs no engine."""
    parser = argparse.ArgumentParser(
        prog="pullback",
        description=DESCRIPTION,
        epilog="to begin with:\n" + "".join(text for name, text in BEGIN.items() if name in commands) + END,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"pullback {__version__}")
    subparsers = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for command in commands:
        import_module(f".commands.{command.replace('-', '_')}", __package__).add_parser(subparsers)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status."""
    _write_any_text()
    try:
        status = _run(argv)
        if not sys.stdout.closed:  # as an editor leaves it that ends its server
            sys.stdout.flush()
        return status
    except KeyboardInterrupt:
        return _fail("interrupted", INTERRUPTED)
    except BrokenPipeError:
        _silence_stdout()
        return BROKEN_PIPE
    except UsageError as error:
        return _fail(f"pullback: {error}", MISUSE)
    except FormulaError as error:
        return _fail(located(error), FINDINGS)
    except CommandError as error:
        return _fail(f"pullback: {error}", FINDINGS)
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            return _fail(_internal(error), INTERNAL)
        _silence_stdout()
        return _fail(f"pullback: cannot write the output: {error.strerror}", MISUSE)
    except Exception as error:
        return _fail(_internal(error), INTERNAL)


def _write_any_text() -> None:
    """File names and sources may hold what the terminal's encoding doesn't: print it escaped."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _run(argv: Sequence[str] | None) -> int:
    given = sys.argv[1:] if argv is None else argv
    if not given:
        raise UsageError(f"which command?\n\n{build_parser(available()).format_help().rstrip()}")
    if given[0] in RUNNING and not _runs():
        raise UsageError(f"`pullback {given[0]}` needs the distribution pullback: pip install pullback")
    commands = given[:1] if given[0] in COMMANDS else available()
    try:
        arguments, unknown = build_parser(commands).parse_known_args(given)
        if unknown:
            arguments.misused(f"unrecognized arguments: {' '.join(unknown)}")
    except SystemExit as stop:  # argparse: --help, --version, wrong usage
        return stop.code if isinstance(stop.code, int) else MISUSE
    status: int = arguments.run(arguments)
    return status


def _internal(error: Exception) -> str:
    if os.environ.get("PULLBACK_TRACEBACK"):
        return "".join(traceback.format_exception(error)).rstrip()
    return (
        f"pullback: this is a bug in pullback: {type(error).__name__}: {error}\n"
        "  help: run again with PULLBACK_TRACEBACK=1 and report what it prints"
    )


def _fail(message: str, status: int) -> int:
    with contextlib.suppress(BrokenPipeError):
        sys.stdout.flush()
        print(message, file=sys.stderr)
    return status


def _silence_stdout() -> None:
    """Python flushes stdout once more at exit; give that flush somewhere to go."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    sys.exit(main())
