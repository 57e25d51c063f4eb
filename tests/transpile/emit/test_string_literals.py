"""Literals are printed with the value that they have, and alike in all versions of Python."""

import ast

import pytest

from pullback.transpile.emit.string_literals import with_f_strings, with_literals

# As the source has them, and as they are printed. Each is Python 3.11, where no quotes are used again inside
# of a string.
F_STRINGS = {
    "f'axis {n} of {ndim}'": 'f"axis {n} of {ndim}"',
    "f'{n!r:>{width}} {{zero}}'": 'f"{n!r:>{width}} {{zero}}"',
    "f'{x[\"a\"]} and {n}'": "f\"{x['a']} and {n}\"",
    "f'{{{ {1: n}[1] }}}'": 'f"{{{ {1: n}[1]}}}"',
    "f'say \"{n}\"'": "f'say \"{n}\"'",
    "f'it\\'s \"{n}\"'": 'f"""it\'s "{n}\\""""',
    "f'a\\n\\t\\\\{n}'": 'f"a\\n\\t\\\\{n}"',
    "f'{(lambda k: k)(n)}{n:}'": 'f"{(lambda k: k)(n)}{n:}"',
    "f''": 'f""',
}
VALUES = {"n": 2, "ndim": 3, "width": 4, "x": {"a": 5}}


@pytest.mark.parametrize("source", F_STRINGS)
def test_an_f_string_has_its_value_in_text_that_all_versions_print(source):
    printed = ast.unparse(with_f_strings(ast.parse(source).body[0]))
    assert printed == F_STRINGS[source]
    assert eval(printed, dict(VALUES)) == eval(source, dict(VALUES))


def test_plain_strings_have_double_quotes_and_docstrings_stay():
    function = ast.parse("def f():\n    'A title.'\n    return 'a', 'say \"b\"', 1, b'c'").body[0]
    printed = ast.unparse(with_literals(function))
    assert printed == 'def f():\n    """A title."""\n    return ("a", \'say "b"\', 1, b\'c\')'


def test_the_statement_that_was_given_stays_as_it_is():
    statement = ast.parse("t = f'{n}', 'a'").body[0]
    with_literals(statement)
    assert ast.unparse(statement) == ast.unparse(ast.parse("t = f'{n}', 'a'"))
