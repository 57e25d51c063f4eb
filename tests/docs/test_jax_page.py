"""The page on JAX: its programs run in its order, and print what stands below them."""

import contextlib
import io
import linecache
import re
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parents[2] / "docs" / "jax.md"


@pytest.mark.jax
@pytest.mark.compiler
def test_the_programs_print_what_the_page_says():
    text = PAGE.read_text(encoding="utf-8")
    names = {"__name__": "page"}
    blocks = re.findall(r"```python\n(.*?)```\n```\n(.*?)```", text, flags=re.DOTALL)
    assert len(blocks) == text.count("```") / 4 > 0  # each block is a program, or what it prints
    for k, (code, expected) in enumerate(blocks):
        file = f"<page {k}>"
        linecache.cache[file] = (len(code), None, code.splitlines(keepends=True), file)
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, file, "exec"), names)
        assert printed.getvalue() == expected
