"""Where something stands in a TOML text."""

from __future__ import annotations

import pytest

from pullback.tools.lint.configuration.toml_place import place_of

TEXT = """# select = ["no"]
[other]
select = ["X"]

  [ a.b ]  # here
"size" = 3
select = [
    "Y",  # "X"
    'X',
]
[a.b.c]
select = ["X"]
"""


@pytest.mark.parametrize(
    ("wanted", "place"),
    [
        (("a.b",), (5, 3)),
        (("a.b", "size"), (6, 1)),
        (("a.b", "select"), (7, 1)),
        (("a.b", "select", "Y"), (8, 5)),
        (("a.b", "select", "Z"), (7, 1)),
        (("a.b", "gone"), (5, 3)),
        (("a.b.c", "select", "X"), (12, 11)),
        (("gone", "select"), (1, 1)),
    ],
)
def test_place(wanted: tuple[str, ...], place: tuple[int, int]) -> None:
    assert place_of(TEXT, *wanted) == place
