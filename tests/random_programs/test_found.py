"""Programs that were found by chance and mended run as NumPy runs them, to second order."""

import textwrap

import pytest

from .found import FOUND
from .generator import text_of
from .run import compare


@pytest.mark.compiler
@pytest.mark.parametrize("name", FOUND)
def test_a_program_that_was_wrong_once(tmp_path, name):
    assert not compare(text_of(textwrap.dedent(FOUND[name]).strip().splitlines()), tmp_path).startswith("PB")
