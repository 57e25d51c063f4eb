"""Source text: places, scopes, what isn't Python."""

import pytest

from pullback.transpile.frontend.syntax.fence import Refusal
from pullback.transpile.frontend.syntax.text import find_function, parse
from pullback.transpile.ir import Source


def node_of(text, name="f", first_line=1):
    parsed = parse(Source("f.py", text, first_line))
    return parsed, find_function(parsed.tree, name)


def test_indented_text_keeps_its_lines_and_columns():
    parsed, node = node_of("        def f(x):\n            return x + 1\n", first_line=40)
    span = parsed.span(node.body[0].value)
    assert (span.line, span.column, span.end_column) == (41, 20, 25)


def test_an_indented_function_with_a_decorator():
    parsed, node = node_of("    @dec\n    def f(x):\n        return x\n", first_line=3)
    assert str(parsed.span(node)) == "f.py:4:5"


def test_columns_count_characters_not_bytes():
    parsed, node = node_of("def f(x):\n    return 'äöü', x\n")
    assert parsed.span(node.body[0].value.elts[1]).column == 19


def test_a_form_feed_does_not_end_a_line():
    parsed, node = node_of("x = 1\n\x0c\ndef f(x):\n    return x\n")
    assert parsed.span(node).line == 3


def test_scopes_are_those_of_the_compiler():
    parsed, node = node_of(
        "def f(x):\n    t = x\n    def g(a, b=t):\n        k = t + a\n        return k\n    return g\n"
    )
    inner = node.body[1]
    assert parsed.locals_of(inner) == {"a", "b", "k"}
    assert parsed.free_of(inner) == {"t"}


def test_two_lambdas_on_one_line_have_their_own_scopes():
    parsed, node = node_of("def f(x, y):\n    return (lambda a: a + x), (lambda b: b + y)\n")
    first, second = node.body[0].value.elts
    assert (parsed.free_of(first), parsed.free_of(second)) == ({"x"}, {"y"})


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("def f(:", 1),
        ("x = 1\n\ndef f(x):\nreturn x", 4),
        ("x = '''", 1),
        ("\x00", 1),
        ("def f(a, a): pass", 1),
        ("def f():\n    nonlocal q", 2),
        ("\ud800", 1),
        ("x = " + "-" * 20000 + "1", 1),
        ("(" * 500, 1),
    ],
)
def test_what_is_not_python_is_one_located_refusal(text, line):
    with pytest.raises(Refusal) as caught:
        parse(Source("f.py", text))
    assert caught.value.finding.code == "PB400"
    assert caught.value.finding.span.line == line


def test_a_syntax_error_in_a_piece_of_a_file_has_the_files_line():
    with pytest.raises(Refusal) as caught:
        parse(Source("f.py", "    def f(x):\n        return x +\n", first_line=10))
    assert caught.value.finding.span.line == 11
