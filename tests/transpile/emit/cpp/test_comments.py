"""Comments that say from which line of the author's a statement came."""

from pullback.transpile.emit.cpp.comments import Comments
from pullback.transpile.ir import Source, Span

SOURCE = Source("f.py", "t = a + \\\n    b\n\\\nr = t * b\n")


def test_a_line_that_goes_on_does_not_comment_out_the_statement_after_it():
    comments = Comments(SOURCE)
    assert comments.of(Span("f.py", 1, 1, 2, 6)) == ["// f.py:1  t = a +"]
    assert comments.of(Span("f.py", 3, 1, 3, 2)) == []


def test_a_line_is_shown_once():
    comments = Comments(SOURCE)
    assert comments.of(Span("f.py", 4, 1, 4, 9)) == ["// f.py:4  r = t * b"]
    assert comments.of(Span("f.py", 4, 5, 4, 9)) == []
