"""Programs that were found by chance and mended run as NumPy runs them, to second order."""

import textwrap

import pytest

from tests.sampling import sampled

from .cases import USUAL
from .found import FOUND
from .generator import text_of
from .run import compare


@pytest.mark.compiler
@pytest.mark.parametrize("name", sampled(FOUND, 6))
def test_a_program_that_was_wrong_once(tmp_path, name):
    text = text_of(textwrap.dedent(FOUND[name]).strip().splitlines())
    assert not compare(text, tmp_path, USUAL).refusal
