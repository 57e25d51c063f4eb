import pytest

from pullback.transpile.loops.lower.scalars import PLUS, TIMES, Expr, lane, refusal, result_type

X, Y = Expr("x", "T"), Expr("y", "T")
TWO = Expr("2", "weak int", 1, 2)
SUM = Expr("x + y", "T", PLUS)


@pytest.mark.parametrize(
    ("op", "operands", "expected"),
    [
        ("multiply", [SUM, Y], "(x + y) * y"),
        ("add", [X, SUM], "x + (x + y)"),
        ("subtract", [SUM, Y], "x + y - y"),
        ("divide", [X, Expr("x * y", "T", TIMES)], "x / (x * y)"),
        ("multiply", [TWO, X], "T(2) * x"),
        ("negative", [SUM], "-(x + y)"),
        ("power", [X, TWO], "pb::square(x)"),
        ("power", [X, Expr("0.5", "weak float", 1, 0.5)], "pb::sqrt(x)"),
        ("power", [X, Y], "pb::power(x, y)"),
        ("where", [Expr("c", "bool"), X, TWO], "c ? x : T(2)"),
        ("clip", [X, Expr("", "none"), Y], "pb::minimum(x, y)"),
        ("relu", [X], "pb::maximum(x, T(0))"),
        ("add", [X, Expr("mask", "bool")], "x + T(mask)"),
    ],
)
def test_the_expression_of_an_operator(op, operands, expected):
    assert lane(op, operands, "T").text == expected


def test_an_operand_of_float32_widens_by_a_float64_scalar():
    root = Expr("1.4142", "double", 1, 1.4142)
    assert result_type("multiply", ["T", "double"]) == "double"
    assert lane("multiply", [X, root], "double").text == "static_cast<double>(x) * 1.4142"


def test_comparisons_compare_in_the_common_type():
    assert (
        lane("greater", [Expr("n", "int64_t"), X], "bool").text
        == "static_cast<double>(n) > static_cast<double>(x)"
    )
    assert lane("equal", [X, TWO], "bool").text == "x == T(2)"


@pytest.mark.parametrize(
    ("op", "types", "kind"),
    [
        ("divide", ["int64_t", "int64_t"], "double"),
        ("exp", ["int64_t"], "double"),
        ("add", ["int64_t", "T"], "double"),
        ("less", ["T", "T"], "bool"),
        ("where", ["bool", "T", "weak int"], "T"),
        ("multiply", ["bool", "weak float"], "double"),
    ],
)
def test_types_follow_numpy(op, types, kind):
    assert result_type(op, types) == kind


@pytest.mark.parametrize(
    ("op", "types"),
    [("subtract", ["bool", "bool"]), ("bitwise_and", ["int64_t", "int64_t"]), ("exp", ["bool"])],
)
def test_what_numpy_does_otherwise_is_refused(op, types):
    assert refusal(op, types)
