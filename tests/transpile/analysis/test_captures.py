"""Verdicts: one per captured value, for each way to capture it."""

import symtable

import pytest

from ..frontend.reading import HEAD, HEAD_LINES, findings, formula, verdicts


def f(*statements, gradient, params="x", result="r"):
    lines = "".join(f"    {line}\n" for line in statements)
    closure = f"    def back(g):\n        return {gradient}\n    return {result}, back\n"
    return f"@pb.formula\ndef f({params}):\n{lines}{closure}"


SIMPLE = """
@pb.formula
def f(a, b):
    t = a + b
    r = t * b
    def back(grad):
        return grad * b, grad * t + grad * b
    return r, back
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f("r = x * x", gradient="2 * g * x"), {"x": "input"}),
        (f("r = np.exp(x)", gradient="g * r"), {"r": "result"}),
        (f("t = np.exp(x)", "r = t * x", gradient="g * t"), {"t": "intermediate"}),
        (f("r = x / x.shape[0]", gradient="g / x.shape[0]"), {"x_shape_0": "size"}),
        (f("n = x.shape[0]", "r = x / n", gradient="g / n"), {"n": "size"}),
        (
            f("r = np.sum(x)", gradient="np.broadcast_to(g, x.shape).astype(x.dtype)"),
            {"x_shape": "size", "x_dtype": "size"},
        ),
        (f("r = x", gradient="g * n", params="x, *, n=2"), {"n": "size"}),
        (f("m = x > 0", "r = np.where(m, x, 0)", gradient="np.where(m, g, 0)"), {"m": "not differentiable"}),
        (f("m = (x > 0).astype(x.dtype)", "r = x * m", gradient="g * m"), {"m": "not differentiable"}),
        (f("m = (x > 0) * 1.0 + 2", "r = x * m", gradient="g * m"), {"m": "not differentiable"}),
        (f("k = np.floor(x).astype(int)", "r = x * k", gradient="g * k"), {"k": "not differentiable"}),
        (f("k = x.astype(np.int64)", "r = x * k", gradient="g * k"), {"k": "not differentiable"}),
        (f("s = np.sign(x)", "r = s * x", gradient="g * s"), {"s": "not differentiable"}),
        (f("c = pb.stop_gradient(np.exp(x))", "r = c * x", gradient="g * c"), {"c": "not differentiable"}),
        (f("w = np.linspace(0, 1, 5)", "r = w * x", gradient="g * w"), {"w": "not differentiable"}),
        (f("r = np.round(x)", gradient="g * r"), {"r": "result"}),
        (f("r = np.round(x)", "t = r * r", gradient="g * t"), {"t": "intermediate"}),
        (f("t = x.T", "r = t * 2", gradient="(g * t).T"), {"t": "view"}),
        (f("t = x[1:][0]", "r = t * 2", gradient="g * t"), {"t": "view"}),
        (f("e = np.exp(x)", "t = e.T", "r = t * 2", gradient="g * t"), {"t": "intermediate"}),
        (f("r = np.exp(x)", "t = r.T", gradient="g * t"), {"t": "view"}),
        (f("r = (x, 2)[0] * 2", gradient="g"), {}),
        (SIMPLE, {"b": "input", "t": "intermediate"}),
    ],
)
def test_verdicts(text, expected):
    assert verdicts(text) == expected


def test_captures_are_free_names_of_the_compiler():
    """What the closure captures by the IR is what Python's symbol table says that it captures."""
    text = HEAD + SIMPLE.replace("a + b", "np.exp(a) + a").replace("* b\n", "* b\n    unused = t * 2\n")
    table = symtable.symtable(text, "f.py", "exec").get_children()[0].get_children()[0]
    assert set(table.get_frees()) == {"b", "t"} == set(verdicts(text.removeprefix(HEAD)))


def test_a_capture_through_a_default_argument():
    text = SIMPLE.replace("def back(grad)", "def back(grad, t=t)")
    assert verdicts(text) == {"b": "input", "t": "intermediate"}


def test_a_capture_through_nested_helpers():
    text = SIMPLE.replace(
        "    def back(grad)",
        "    def inner():\n        return t\n    def outer():\n        return inner()\n    def back(grad)",
    )
    assert verdicts(text.replace("grad * t", "grad * outer()")) == {"b": "input", "t": "intermediate"}


def test_two_intermediates_of_which_the_second_is_captured():
    text = f("s = np.exp(x)", "t = s * x", "r = t * t", gradient="2 * g * t * (x + 1)")
    assert verdicts(text) == {"t": "intermediate", "x": "input"}


def test_an_intermediate_of_one_branch():
    text = """
    @pb.formula
    def f(x, *, deep=False):
        if deep:
            t = np.exp(x)
            r = t * x
        else:
            r = x * 2.0
        def back(g):
            return g * t if deep else g * 2.0
        return r, back
    """
    assert verdicts(text) == {"deep": "size", "t": "intermediate"}


def test_a_value_has_its_strongest_use():
    text = f("t = np.exp(x)", "r = np.sum(t)", gradient="np.broadcast_to(g, t.shape) * t")
    assert verdicts(text) == {"t_shape": "size", "t": "intermediate"}


def test_an_unused_read_is_no_capture():
    text = f("t = np.exp(x)", "r = t * x", gradient="g if True else t")
    assert verdicts(text) == {}


def test_options_change_what_happens():
    captured = f("t = np.exp(x)", "r = t * x", gradient="g * t")
    actions = {}
    for option in ("", "(recompute='t')", "(first_order_only=True)"):
        (capture,) = formula(captured.replace("@pb.formula", "@pb.formula" + option)).captures
        actions[option] = capture.action
    assert list(actions.values()) == ["promoted", "recomputed", "saved"]


def test_a_rule_takes_over():
    text = "@pb.formula\ndef f(x):\n    t = np.exp(x)\n    return t * x, lambda g, grad_t: g * t + grad_t\n"
    (capture,) = formula(text).captures
    assert (capture.verdict.value, capture.action) == ("intermediate", "rule")


def test_places():
    (_, capture) = formula(SIMPLE).captures
    assert (capture.name, capture.span.line - HEAD_LINES, capture.span.column) == ("t", 6, 33)
    assert capture.defined.line - HEAD_LINES == 3
    assert capture.defined.column == 9


OPAQUE = f("t = np.real_if_close(x)", "u = t + x", "r = u * x", gradient="g * u")


def test_an_opaque_intermediate_is_an_error_and_says_which_call():
    assert findings(OPAQUE, "PB103") == [("PB103", 7, 20, "u")]


@pytest.mark.parametrize(
    "text",
    [
        OPAQUE.replace("@pb.formula", "@pb.formula(first_order_only=True)"),
        OPAQUE.replace("back(g)", "back(g, grad_u)").replace("return g * u", "return g * u + grad_u"),
        f("r = np.real_if_close(x)", "u = r * 2", gradient="g * u"),
        f("t = np.real_if_close(x)", "r = t * 1", gradient="g"),
        f("m = np.real_if_close(x) > 0", "r = x * m", gradient="g * m"),
    ],
)
def test_what_takes_precedence_over_opaque(text):
    assert findings(text, "PB103") == []
