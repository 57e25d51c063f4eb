"""The page on views and writes in place says what happens: its examples are run on both engines."""

import doctest
import re
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs" / "mutation.md"
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def test_examples_and_messages(engine):
    failed, tried = doctest.testfile(str(PAGE), module_relative=False, optionflags=FLAGS, encoding="utf-8")
    assert tried > 20
    assert failed == 0


def test_the_methods_are_all_there():
    from pullback.engine.mutation.inplace_methods import InPlaceMethods

    listed = set(re.findall(r"\b[a-z_]+_\b", PAGE.read_text(encoding="utf-8")))
    assert {name for name in vars(InPlaceMethods) if name.endswith("_") and name[0] != "_"} <= listed
