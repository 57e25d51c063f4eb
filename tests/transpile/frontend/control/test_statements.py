"""Statements: single assignment, branches, loops over what is known, the fence."""

import pytest

from ..reading import equations, findings, formula, module


def body(*statements, params="x, y", gradients="(g, g)"):
    lines = "".join(f"    {line}\n" for line in statements)
    return f"@pb.formula\ndef f({params}):\n{lines}    return r, lambda g: {gradients}\n"


def forward(*statements, **options):
    return equations(formula(body(*statements, **options)))


def test_a_name_that_is_bound_again_is_numbered():
    assert forward("r = x + y", "r = r * 2", "r = r * 3") == [
        "r = add(x, y)",
        "r_1 = multiply(r, 2)",
        "r_2 = multiply(r_1, 3)",
    ]


def test_copies_are_dropped():
    assert forward("a = b = x", "c = a", "r = c * b") == ["r = multiply(x, x)"]


def test_tuples_are_unpacked_while_reading():
    assert forward("(a, b), c = (x, y), 2", "a, b = b, a", "r = a - b * c") == [
        "_1 = multiply(x, 2)",
        "r = subtract(y, _1)",
    ]


def test_a_shape_is_unpacked_by_name():
    assert forward("n, m = x.shape", "r = x / n") == [
        "_1 = shape(x)",
        "_2 = len(_1)",
        "_3 = not_equal(_2, 2)",
        " = if(_3)",
        "  _4 = format('expected 2 values to unpack, got {}', _2)",
        "   = raise(_4, exception='ValueError')",
        "  -> ",
        "  -> ",
        "n = item(_1, 0)",
        "m = item(_1, 1)",
        "r = divide(x, n)",
    ]


def test_if_assigns_on_either_side():
    assert forward(
        "if n > 1:", "    r = x", "    t = 3", "else:", "    r = y * 2", params="x, y, *, n=1"
    ) == [
        "_1 = greater(n, 1)",
        "r = if(_1)",
        "  -> x",
        "  r_1 = multiply(y, 2)",
        "  -> r_1",
    ]


def test_what_one_side_lacks_is_none_on_that_side():
    text = body(
        "r = x", "if n:", "    t = np.exp(x)", "    r = t * y", params="x, y, *, n=1", gradients="(g * t, g)"
    )
    assert equations(formula(text)) == [
        "r, t = if(n)",
        "  t_1 = exp(x)",
        "  r_1 = multiply(t_1, y)",
        "  -> r_1, t_1",
        "  -> x, None",
    ]


def test_a_constant_condition_takes_one_side():
    assert forward("if 1 > 2:", "    r = x.anything.at.all", "else:", "    r = y + x") == ["r = add(y, x)"]


def test_an_early_return_gives_the_rest_to_the_other_branch():
    text = """
    @pb.formula
    def f(x):
        def back(g):
            if g is None:
                return None
            t = g * 2
            return t
        return x * 2, back
    """
    assert equations(formula(text), "pullback") == [
        "_2 = is_none(g)",
        "_3 = if(_2)",
        "  -> None",
        "  t = multiply(g, 2)",
        "  -> t",
    ]


def test_loops_over_what_is_known_are_written_out():
    assert forward("r = x", "for k in range(1, 3):", "    r = r * k") == [
        "r = multiply(x, 1)",
        "r_1 = multiply(r, 2)",
    ]
    assert forward("r = x", "for a, b in ((x, 1), (y, 2)):", "    r = r + a * b")[-1] == "r_1 = add(r, _2)"


def test_a_list_filled_by_append_is_a_list_of_values():
    assert forward("ts = []", "for k in (1, 2):", "    ts.append(x * k)", "r = ts[0] + ts[-1]") == [
        "_1 = multiply(x, 1)",
        "_2 = multiply(x, 2)",
        "r = add(_1, _2)",
    ]


@pytest.mark.parametrize(
    ("statement", "line"),
    [
        ("while True: pass", 3),
        ("with x: pass", 3),
        ("try: pass\n    except: pass", 3),
        ("class A: pass", 3),
        ("global q", 3),
        ("del x.name", 3),
        ("import os", 3),
        ("raise ValueError('no')", 3),
        ("async def g(): pass", 3),
        ("x[0] = 1", 3),
        ("a, *b, *c = (1, 2, 3)", 3),
        ("a, b = (1, 2, 3)", 3),
        ("x.name = 1", 3),
    ],
)
def test_the_fence(statement, line):
    found = findings(body(statement, "r = x"))
    assert [(code[:3], at) for code, at, _, _ in found] == [("PB4", line)] or found[0][0] == "PB301"


def test_every_mistake_is_found_in_one_go_and_once():
    text = body("a = unknown + 1", "b = a * 2", "while True: pass", "c = other + b", "r = c")
    assert [(code, line) for code, line, _, _ in findings(text)] == [("PB407", 3), ("PB401", 5), ("PB407", 6)]


def test_a_name_before_its_value_is_an_error_as_in_python():
    text = (
        "@pb.formula\ndef f(x):\n    t = x * 2\n    def back(g):\n"
        "        t = t * g\n        return t\n    return t, back\n"
    )
    assert findings(text)[0][:3] == ("PB407", 5, 13)


def test_a_hint_says_what_to_write_instead():
    (finding,) = [
        item for item in module(body("while True: pass", "r = x")).diagnostics if item.code == "PB401"
    ]
    assert "while" in finding.message
    assert "for" in finding.hint
