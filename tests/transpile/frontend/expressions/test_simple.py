"""Expressions: one operator per equation, constants folded, values apart from tensors."""

import sys

import numpy as np
import pytest

import pullback as pb

from ..reading import equations, expression, findings, formula


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x + y * 2", ["_1 = multiply(y, 2)", "_2 = add(x, _1)"]),
        ("-x ** 2", ["_1 = power(x, 2)", "_2 = negative(_1)"]),
        ("x @ y", ["_1 = matmul(x, y)"]),
        ("x // 2 + x % 2", ["_1 = floor_divide(x, 2)", "_2 = remainder(x, 2)", "_3 = add(_1, _2)"]),
        (
            "(x > 0) & ~(y <= x)",
            ["_1 = greater(x, 0)", "_2 = less_equal(y, x)", "_3 = invert(_2)", "_4 = bitwise_and(_1, _3)"],
        ),
        ("x.T", ["_1 = transpose(x)"]),
        ("x.mT", ["_1 = swapaxes(x, axis1=-1, axis2=-2)"]),
        ("x.copy()", ["_1 = positive(x)"]),
        ("np.asarray(x) + np.array(y)", ["_1 = positive(y)", "_2 = add(x, _1)"]),
        (
            "x.ravel() + np.ravel(x) + x.flatten()",
            [
                "_1 = reshape(x, shape=(-1,))",
                "_2 = reshape(x, shape=(-1,))",
                "_3 = add(_1, _2)",
                "_4 = reshape(x, shape=(-1,))",
                "_5 = add(_3, _4)",
            ],
        ),
        (
            "x.size * x.ndim * x",
            ["_1 = size(x)", "_2 = ndim(x)", "_3 = multiply(_1, _2)", "_4 = multiply(_3, x)"],
        ),
        ("len(x) * x", ["_1 = shape(x)", "_2 = item(_1, 0)", "_3 = multiply(_2, x)"]),
        ("x[0]", ["_1 = getitem(x, index=0)"]),
        ("x[..., None]", ["_1 = getitem(x, index=(Ellipsis, None))"]),
        (
            "x[1:, ::-1]",
            [
                "_1 = slice(1, None, None)",
                "_2 = slice(None, None, -1)",
                "_3 = tuple(_1, _2)",
                "_4 = getitem(x, index=_3)",
            ],
        ),
        ("x[y]", ["_1 = getitem(x, index=y)"]),
        ("x.astype(float)", ["_1 = astype(x, dtype='float64')"]),
        ("x.astype(np.int32)", ["_1 = astype(x, dtype='int32')"]),
        ("x.astype(y.dtype)", ["_1 = dtype(y)", "_2 = astype(x, dtype=_1)"]),
        ("x * np.float32(2)", ["_1 = astype(2, dtype='float32')", "_2 = multiply(x, _1)"]),
    ],
)
def test_equations(text, expected):
    assert expression(text) == expected


@pytest.mark.parametrize(
    ("text", "value", "strong"),
    [
        ("2 * 3", 6, False),
        ("math.sqrt(2 / math.pi)", 0.7978845608028654, False),
        ("np.sqrt(2 / np.pi)", 0.7978845608028654, True),
        ("2 * np.sqrt(4.0)", 4.0, True),
        ("float(np.sqrt(4.0))", 2.0, False),
        ("np.float64(2)", 2.0, True),
        ("(1, 2, 3)[1]", 2, False),
        ("(1, 2, 3)[-2:][0]", 2, False),
        ("len((1, 2))", 2, False),
        ("3 if 1 < 2 <= 2 else 4", 3, False),
        ("1 if 'a' == 'a' and not False else 2", 1, False),
        ("5 if 2 in (1, 2) else 6", 5, False),
        ("0 or 7", 7, False),
    ],
)
def test_constants_are_folded(text, value, strong):
    operand = (
        formula(f"@pb.formula\ndef f(x):\n    return x * ({text}), lambda g: g\n").forward.eqns[-1].args[1]
    )
    assert (operand.value, operand.strong) == (value, strong)


@pytest.mark.parametrize(
    "text",
    ["np.square(3)", "1 / 0", "9 ** 9 ** 9 ** 9", "math.sqrt(-1)", "np.log(0)", "1e308 * 10 ** 30 ** 2"],
)
def test_what_cannot_be_folded_is_left_to_run(text):
    assert "multiply" in expression(f"x * ({text})")[-1]


def test_arithmetic_of_values_is_a_value():
    read = formula(
        "@pb.formula\ndef f(x, *, n: int = 2):\n    k = n * x.shape[0]\n    return x / k, lambda g: g\n"
    )
    kinds = {out.name: out.kind for eqn in read.forward.eqns for out in eqn.outs}
    assert kinds == {"_1": "value", "_2": "value", "k": "value", "_3": "tensor"}


def test_shapes_are_joined_as_tuples():
    assert expression("np.reshape(x, (*x.shape[:-1], 1))") == [
        "_1 = shape(x)",
        "_2 = slice(None, -1, None)",
        "_3 = item(_1, _2)",
        "_4 = add(_3, (1,))",
        "_5 = reshape(x, shape=_4)",
    ]
    assert expression("np.reshape(x, (2,) + (3, 4))") == ["_1 = reshape(x, shape=(2, 3, 4))"]


def test_a_conditional_expression_has_two_blocks():
    read = formula(
        "@pb.formula\ndef f(x, *, n=1):\n    t = np.exp(x) if n > 1 else x\n    return t, lambda g: g\n"
    )
    assert equations(read) == ["_1 = greater(n, 1)", "t = if(_1)", "  _2 = exp(x)", "  -> _2", "  -> x"]


def test_and_or_evaluate_what_python_would():
    read = formula("@pb.formula\ndef f(x, *, n=1, m=2):\n    return x * (n or m), lambda g: g\n")
    assert equations(read) == ["_1 = if(n)", "  -> n", "  -> m", "_2 = multiply(x, _1)"]


def test_a_list_comprehension_over_known_elements_is_written_out():
    assert expression("np.stack([x * k for k in (1, 2)])") == [
        "_1 = multiply(x, 1)",
        "_2 = multiply(x, 2)",
        "_3 = list(_1, _2)",
        "_4 = stack(_3)",
    ]


@pytest.mark.parametrize(
    ("text", "code", "column"),
    [
        ("{x: 1.0}['a']", "PB402", 13),
        ("x if x.ndim and (t := x) else x", "PB402", 29),
        ("f'{x}'", "PB402", 15),
        # What stands in an f-string has a place of its own since Python 3.12.
        ("f'{x.ndim:{x.ndim}}'", "PB402", 12 if sys.version_info < (3, 12) else 14),
        ("f'{3:q}'", "PB402", 12),
        ("x.strides", "PB402", 12),
        ("x is y", "PB402", 12),
        ("2j * x", "PB402", 12),
        ("x + unknown", "PB407", 16),
        ("np.exp", "PB402", 12),
        ("(1, 2)[5]", "PB402", 12),
        ("x(1)", "PB402", 12),
        ("sum(x, 1.0, 2.0)", "PB402", 12),
    ],
)
def test_what_is_refused_stands_at_its_place(text, code, column):
    found = findings(f"@pb.formula\ndef f(x, y):\n    return {text}, lambda g: (g, g)\n", code)
    assert [(line, at) for _, line, at, _ in found] == [(3, column)]


def test_deep_nesting_is_refused_not_a_crash():
    text = " + ".join(["x"] * 400)
    assert findings(f"@pb.formula\ndef f(x):\n    return {text}, lambda g: g\n", "PB402")[0][1] == 3


def copy_of_a_sum(x):
    total = np.sum(x)
    copied, same = total.copy(), +total
    copied += x
    same *= copied
    return copied * same * total


def copies_of_rows(z):
    row, totals = z[0].copy(), +np.sum(z, axis=0)
    row += z[1]
    totals -= row
    return row * totals * z[0]


def test_a_copy_of_a_number_is_a_number_and_one_of_an_array_an_array(engine):
    for function, given in (
        (copy_of_a_sum, np.array([0.5, 1.5])),
        (copies_of_rows, np.array([[0.5, 1.5], [0.7, 0.2]])),
    ):
        formula = pb.derive_pullback(function)
        np.testing.assert_allclose(formula(given), function(given), rtol=1e-15)
        assert pb.gradcheck(formula, given, order=2)
