"""Kernels over the same entries, or over rows and what is reduced of them, become one.

In: kernels that each make a buffer. Out: fewer: two that run over the same groups are one, and what
is computed for each entry of a row stands behind the row's reductions, in an inner loop. A value that
only this kernel reads needs no buffer. Reductions over everything stay apart from what needs their result.

>>> from ..ir import program_text
>>> from ..examples import lowered
>>> from .dead_code import without_dead_code
>>> from .fuse_pointwise import fuse_pointwise
>>> made = fuse_pointwise(lowered("x - np.max(x, axis=-1, keepdims=True)"))
>>> print(program_text(without_dead_code(fuse_rows(made))))
program example_forward() -> _2
  input x: float32[x]
  output _2: float32[x]
  kernel _2 for each of [kept(x, -1)] over fibres of [x]:
    _1: float32 = max of x over the fibre
      x = load x[x]
    for each entry of the fibre
      x = load x[x]
      _2: float32 = subtract(x, _1)
      store _2 = _2
"""

from __future__ import annotations

from dataclasses import replace

from ..ir import Compute, Each, Kernel, Load, Program, Reduce, Statement, Store, every
from ..spaces import canonical, fibre_of, same_entries


def fuse_rows(program: Program) -> Program:
    """The program with kernels put together wherever two of them fit, the first pair first."""
    kernels = list(program.kernels)
    first = 0
    while first < len(kernels):
        for second in range(first + 1, len(kernels)):
            merged = _merged(kernels[first], kernels[second])
            place = _place(kernels, first, second) if merged is not None else None
            if merged is not None and place is not None:
                rest = [k for at, k in enumerate(kernels) if at not in (first, second)]
                rest.insert(first if place == first else second - 1, merged)
                kernels = rest
                first = -1
                break
        first += 1
    return replace(program, kernels=tuple(kernels))


def _stores(kernel: Kernel) -> set[str]:
    return {s.buffer for s in every(kernel.body) if isinstance(s, Store)}


def _loads(kernel: Kernel) -> set[str]:
    return {s.buffer for s in every(kernel.body) if isinstance(s, Load)}


def _place(kernels: list[Kernel], first: int, second: int) -> int | None:
    """The place where both may run as one: the second's, the first's, or none."""
    between = kernels[first + 1 : second]
    if not any(_loads(kernel) & _stores(kernels[first]) for kernel in between):
        return second
    if not any(_stores(kernel) & _loads(kernels[second]) for kernel in between):
        return first
    return None


def _merged(a: Kernel, b: Kernel) -> Kernel | None:
    """Both kernels as one, or None."""
    if a.whole is not None and b.whole is not None:
        if a.group != b.group or a.whole != b.whole:
            return None
        if canonical(a.group) == () and _loads(b) & _stores(a):
            return None
        return _joined(a, b, b.body)
    if a.whole is None and b.whole is None:
        return _joined(a, b, b.body) if a.group == b.group else None
    rows = a if a.whole is not None else b
    other = b if rows is a else a
    assert rows.whole is not None
    if same_entries(rows.group, other.group):
        simple = all(
            same_entries(s.shape, other.group) or canonical(s.shape) == ()
            for s in other.body
            if isinstance(s, Load)
        )
        return _joined(a, b, b.body, rows) if simple else None
    if other.group == rows.whole and fibre_of(rows.group, rows.whole) == "row":
        if rows is a:
            return _joined(a, b, (Each(b.body),), rows)
        if _stores(a) & _loads(b):
            return None
        return _joined(replace(a, body=(Each(a.body),)), b, b.body, rows)
    return None


def _joined(a: Kernel, b: Kernel, body: tuple[Statement, ...], like: Kernel | None = None) -> Kernel | None:
    """The statements of both, where what the second loads of the first is a value of its groups."""
    shape = like or b
    stored = {s.buffer: s for s in a.body if isinstance(s, Store)}
    inner = _stores(a) - set(stored)
    renamed: dict[str, str] = {}
    for load in every(body):
        if not isinstance(load, Load):
            continue
        if load.buffer in inner:
            return None
        if load.buffer in stored:
            if not _is_group(load, load in body, shape):
                return None
            renamed[load.out] = stored[load.buffer].value
    there = {getattr(s, "out", "") for s in a.body} - {""}
    statements = [s for s in _with_values(body, renamed) if getattr(s, "out", None) not in there]
    return replace(shape, name=b.name, body=(*a.body, *statements))


def _is_group(load: Load, outer: bool, kernel: Kernel) -> bool:
    """True where the one entry that belongs to the group is loaded."""
    return same_entries(load.shape, kernel.group) if outer else load.shape == kernel.group


def _with_values(body: tuple[Statement, ...], renamed: dict[str, str]) -> tuple[Statement, ...]:
    """The statements with values in the place of what was loaded."""
    made: list[Statement] = []
    for statement in body:
        if isinstance(statement, Load) and statement.out in renamed:
            continue
        if isinstance(statement, Compute):
            args = tuple(renamed.get(arg, arg) if isinstance(arg, str) else arg for arg in statement.args)
            statement = replace(statement, args=args)
        elif isinstance(statement, Reduce):
            inner = _with_values(statement.body, renamed)
            statement = replace(statement, body=inner, value=renamed.get(statement.value, statement.value))
        elif isinstance(statement, Each):
            statement = replace(statement, body=_with_values(statement.body, renamed))
        elif isinstance(statement, Store):
            statement = replace(statement, value=renamed.get(statement.value, statement.value))
        made.append(statement)
    return tuple(made)
