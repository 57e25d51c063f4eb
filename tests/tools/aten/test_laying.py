"""Lines are broken where a reader expects it, and mean the same."""

from __future__ import annotations

import ast

import pytest

from pullback.tools.aten.laying import WIDTH, laid

LONG = "aten.some_function_of_many_arguments(first_argument, second_argument)"
LINES = [
    f"    return {LONG} + ({LONG} - {LONG}) * {LONG}",
    f"    return {LONG} - ({LONG} - {LONG})",
    f"    return ({LONG} * ({LONG} + {LONG} + {LONG} - {LONG}), None)",
    f"    value = {LONG} if {LONG} else {LONG}",
    f"    value = {LONG[:-1]}, third={LONG}, fourth={LONG})[0]",
    f"    return [{LONG} + {LONG} for _ in values]",
    f"    {', '.join(f'a_rather_long_name_{i}' for i in range(6))} = {LONG}",
    "def function(" + ", ".join(f"parameter_{i}: int" for i in range(8)) + ", *, by_name: str = 'none'):",
]


@pytest.mark.parametrize("line", LINES)
def test_a_long_line_becomes_short_ones_with_the_same_meaning(line: str) -> None:
    lines = laid(line)
    assert max(map(len, lines)) <= WIDTH < len(line)
    body = "    pass\n" if line.startswith("def") else ""
    whole = "" if body else "def f():\n"
    expected = ast.dump(ast.parse(f"{whole}{line}\n{body}"))
    assert ast.dump(ast.parse(whole + "\n".join(lines) + f"\n{body}")) == expected


def test_a_short_line_stays() -> None:
    assert laid("    return f(x)") == ["    return f(x)"]
