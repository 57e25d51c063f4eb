"""Python's own functions of numbers and of known sequences."""

import numpy as np
import pytest

import pullback as pb

from ..reading import equations, expression, findings, formula


def test_builtins_of_values_are_values():
    read = formula("@pb.formula\ndef f(x):\n    n = max(x.ndim, 1)\n    return x / n, lambda g: g / n\n")
    assert read.forward.eqns[1].outs[0].kind == "value"
    assert read.captures[0].verdict.value == "size"


def test_abs_of_a_number_stays_a_python_number():
    assert expression("x * abs(-3)") == ["_1 = multiply(x, 3)"]
    read = formula("@pb.formula\ndef f(x, *, n=1):\n    return x * abs(n), lambda g: g\n")
    assert equations(read)[0] == "_1 = opaque(n, callee='abs')"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("sum([x, y, x])", ["_1 = add(x, y)", "_2 = add(_1, x)"]),
        ("sum(x)", ["found = sum(x, axis=0)"]),
        (
            "sum(a * b for a, b in zip((x, y), (2, 3)))",
            ["_1 = multiply(x, 2)", "_2 = multiply(y, 3)", "_3 = add(_1, _2)"],
        ),
        ("list(reversed((x, y)))[0] * 1", ["_1 = multiply(y, 1)"]),
    ],
)
def test_functions_of_known_sequences(text, expected):
    if expected is None:
        assert findings(f"@pb.formula\ndef f(x, y):\n    return {text}, lambda g: (g, g)\n", "PB402")
    else:
        assert expression(text) == expected


def test_loops_over_zip():
    text = """
    @pb.formula
    def f(x, y):
        r = x
        for k, (a, b) in enumerate(zip((x, y), (2, 3))):
            r = r + a * b * k
        return r, lambda g: (g, g)
    """
    assert equations(formula(text))[-3:] == [
        "_3 = multiply(y, 3)",
        "_4 = multiply(_3, 1)",
        "r_1 = add(r, _4)",
    ]


def cheapest_path(x):
    cost = np.zeros(len(x) + 1)
    for i in range(len(x)):
        cost[i + 1] = min(cost[i] + x[i], 2.0 * x[i] ** 2, 1.0)
    best = x[0]
    for value in x[1:]:
        best = max(best, value)
    return cost * best * max([x[0] * x[1], x[1] ** 2, cost[1]])


def weighted_terms(x, *, weights: "tuple[float, ...]" = (0.2, 0.3, 0.5), rate: float = 0.1):
    terms = [w * value for w, value in zip(weights, x, strict=False)]
    return sum(value / (1 + rate) ** (k + 1) for k, value in enumerate(x)) * sum(terms)


@pytest.mark.parametrize("program", [cheapest_path, weighted_terms], ids=lambda each: each.__name__)
def test_functions_of_entries_compute_what_python_does(engine, program):
    x = np.array([0.7, 1.3, 0.4])
    formula = pb.derive_pullback(program)
    np.testing.assert_allclose(formula(x), program(x), rtol=1e-14)
    assert pb.gradcheck(formula, x, order=2)
