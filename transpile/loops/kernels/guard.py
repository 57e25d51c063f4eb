"""The emitter's own failures as diagnostics: nobody meets an exception from inside of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ...codes import diagnostic
from ...diagnostics import FormulaError
from ...ir import Source, Span

FAILED = "the emitter fails on this formula"


@contextmanager
def located(name: str, span: Span, source: Source | None = None) -> Iterator[None]:
    """Raise FormulaError (PB501) at the formula in place of an exception that is no diagnostic.

    >>> try:
    ...     with located("f", Span("f.py", 3, 1, 3, 2)):
    ...         {}["kind"]
    ... except FormulaError as error:
    ...     print(error.diagnostics[0].message)
    the emitter fails on this formula (KeyError: 'kind')
    """
    try:
        yield
    except (FormulaError, MemoryError):
        raise
    except Exception as error:
        raise failed(name, span, f"{type(error).__name__}: {error}", source) from error


def failed(name: str, span: Span, why: str, source: Source | None = None) -> FormulaError:
    """The error for a formula of which the emitter makes no kernel, or one that no compiler takes."""
    hint = "without `pb.compile` it runs, in Python; please report the formula"
    return FormulaError([diagnostic("PB501", f"{FAILED} ({why})", span, name=name, hint=hint)], source)
