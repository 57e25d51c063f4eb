"""Lists and dictionaries under two names: what changes one of them changes the other, or is refused."""

import itertools

import numpy as np
import pytest

import pullback as pb

X = np.array([0.3, 0.8, -0.4])
TEXT = """
def f(x, *, flag: bool = True):
    def same(v):
        return v
    def chosen(u, v):
        if x[0] > 0:
            return u
        return v
    a = {start}
    b = {second}
    {change}
    return {result}
"""
LISTS = (
    "[x * 1.0, x * 2.0]",
    ("same(a)", "a + []", "a[:]", "list(a)", "a or [x]", "a if x[0] > 0 else [x, x]", "chosen(a, [x])"),
    ("b.append(x * 5.0)", "a.append(x * 5.0)", "b.insert(0, x * 7.0)", "b[0] = x * 9.0"),
    ("sum(a)", "sum(b) + len(b)"),
)
DICTIONARIES = (
    "{'u': x * 1.0, 'v': x * 2.0}",
    ("a", "a.copy()", "chosen(a, {'u': x, 'v': x})"),
    ("a['u'] = x * 5.0", "b['u'] = x * 5.0"),
    ("a['u'] + a['v']", "b['u'] - b['v']"),
)


def outcomes(tmp_path, start, seconds, changes, results):
    """For each text, True where the derived value is Python's and False where it is refused."""
    for second, change, result in itertools.product(seconds, changes, results):
        text = TEXT.format(start=start, second=second, change=change, result=result)
        path = tmp_path / "text.py"
        path.write_text(text)
        names = {"__name__": "text", "__file__": str(path)}
        exec(compile(text, str(path), "exec"), names)
        try:
            found = pb.derive_pullback(names["f"])(X.copy())
        except pb.FormulaError:
            yield False
            continue
        np.testing.assert_allclose(found, names["f"](X.copy()), err_msg=text)
        yield True


@pytest.mark.parametrize(("kind", "most"), [(LISTS, 24), (DICTIONARIES, 8)], ids=["lists", "dictionaries"])
def test_a_change_is_seen_under_both_names_or_refused(tmp_path, kind, most):
    refused = list(outcomes(tmp_path, *kind)).count(False)
    assert 0 < refused <= most
