"""In-place changes that something else would see."""

import pytest

from ..reading import HEAD_LINES, equations, findings, formula, module


def text(*statements, closure=("return g",)):
    lines = (
        [f"    {line}" for line in statements]
        + ["    def back(g):"]
        + [f"        {line}" for line in closure]
    )
    return "\n".join(["@pb.formula", "def f(x):", *lines, "    return r, back", ""])


@pytest.mark.parametrize(
    "statements",
    [
        ("x += 1", "r = x"),
        ("t = x", "t += 1", "r = t"),
        ("t = np.asarray(x)", "t *= 2", "r = t"),
        ("t = x.T", "t += 1", "r = t"),
        ("t = np.exp(x)", "u = np.ravel(t)", "u += 1", "r = t"),
        ("t = np.exp(x)", "u = t", "u += 1", "r = t"),
        ("t = np.exp(x)", "ts = [t]", "t += 1", "r = ts[0]"),
        ("t = np.exp(x)", "p = (t, 1)", "t += 1", "r = p[0]"),
        ("x[0] = 1", "r = x"),
        ("x.fill(0)", "r = x"),
        ("for v in x:", "    t = u = np.exp(x) * v", "u[1:] /= 2", "r = t"),
        ("for v in x:", "    t = np.exp(x) * v; u = t[1:]", "u[0] = 2", "r = t"),
        ("t = np.exp(x)", "s = t", "u = t[1:]", "u[0] = 2", "r = s"),
        ("t = np.exp(x)", "u = [t[1:]]", "v = t[0]", "v[0] = 2", "r = u[0]"),
    ],
)
def test_a_change_of_an_input_or_an_alias(statements):
    (found,) = findings(text(*statements), "PB301")
    assert found[1] == 2 + len(statements) - 1


def test_a_change_of_what_a_loop_left_beside_another_array():
    statements = ("for v in x:", "    t = np.exp(x) * v; u = t * 2", "t[1] = 2", "r = u * t")
    assert findings(text(*statements), "PB301") == []


@pytest.mark.parametrize("change", ["g *= 2", "g[0] = 1", "g.fill(0)", "h = g; h += 1"])
def test_a_change_of_the_incoming_gradient(change):
    assert findings(text("r = x * 2", closure=(change, "return g")), "PB302")[0][1] == 5


def test_a_change_of_a_captured_value_by_the_closure():
    assert findings(text("t = x * 2", "r = t", closure=("t[0] = 1", "return g")), "PB303")[0][:2] == (
        "PB303",
        6,
    )


def test_a_change_after_the_capture():
    lines = [
        "@pb.formula",
        "def f(x):",
        "    t = np.exp(x)",
        "    def back(g):",
        "        return g * t",
        "    t += 1",
    ]
    found = findings("\n".join([*lines, "    return x * 2, back", ""]))
    assert [item[:2] for item in found] == [("PB303", 6)]


def test_a_change_after_a_capture_as_default_argument():
    source = """
    @pb.formula
    def f(x):
        t = np.exp(x)
        def back(g, k=t):
            return g * k
        t += 1
        return x * 2, back
    """
    assert [item[:2] for item in findings(source)] == [("PB303", 6)]


def test_a_fresh_value_may_be_changed():
    made = equations(formula(text("r = np.exp(x)", "r += x")))
    assert made == ["r = exp(x)", "r_1 = add(r, x)", "r_2 = in_place(r_1, r)"]


def test_a_number_may_be_changed():
    assert findings(text("n = x.shape[0]", "m = n", "m += 1", "r = x / m")) == []


def test_the_closures_own_value_may_be_changed():
    assert findings(text("r = x * 2", closure=("h = g * 2", "h += g", "return h"))) == []


@pytest.mark.parametrize("write", ["row[:] = x[1]", "row += 1", "row[0] *= 2"])
def test_a_write_through_a_view_is_told_where_to_go(write):
    (found,) = module(text("t = x * 2", "row = t.T", write, "r = t * 1")).diagnostics
    assert (found.code, found.span.line - HEAD_LINES) == ("PB301", 5)
    assert "`row` is a view of `t`" in found.message
    assert found.hint == "write to `t[...]`, or to a copy: `row = row.copy()`"


def test_a_list_that_begins_with_an_entry_of_an_input_grows():
    loop = "for x in xs[1:]:\n        ys.append(ys[-1] * x)"
    head = "@pb.formula\ndef f(xs: list[pb.Tensor]):\n    ys = [xs[0]]"
    source = f"{head}\n    {loop}\n    return ys[-1], lambda g: [g]\n"
    assert findings(source, "PB301") == []
    (found,) = findings(source.replace("ys = [xs[0]]", "ys = xs"), "PB301")
    assert found[1:] == (5, 9, "ys")
