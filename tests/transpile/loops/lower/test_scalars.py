import pytest

from pullback.transpile.emit.cpp.expressions import text_of
from pullback.transpile.loops.expressions import Infix, Name
from pullback.transpile.loops.lower.scalars import ABSENT, Scalar, lane, literal, refusal, result_type

X, Y = Scalar(Name("x"), "T"), Scalar(Name("y"), "T")
TWO = literal(2, "weak int")
SUM = Scalar(Infix("+", X.node, Y.node), "T")
PRODUCT = Scalar(Infix("*", X.node, Y.node), "T")


@pytest.mark.parametrize(
    ("op", "operands", "expected"),
    [
        ("multiply", [SUM, Y], "(x + y) * y"),
        ("add", [X, SUM], "x + (x + y)"),
        ("subtract", [SUM, Y], "x + y - y"),
        ("divide", [X, PRODUCT], "x / (x * y)"),
        ("multiply", [TWO, X], "T(2) * x"),
        ("negative", [SUM], "-(x + y)"),
        ("power", [X, TWO], "pb::square(x)"),
        ("power", [X, literal(0.5, "weak float")], "pb::sqrt(x)"),
        ("power", [X, Y], "pb::power(x, y)"),
        ("where", [Scalar(Name("c"), "bool"), X, TWO], "c ? x : T(2)"),
        ("clip", [X, ABSENT, Y], "pb::minimum(x, y)"),
        ("relu", [X], "pb::maximum(x, T(0))"),
        ("add", [X, Scalar(Name("mask"), "bool")], "x + T(mask)"),
        ("logical_xor", [X, Scalar(Name("mask"), "bool")], "(x != T(0)) != mask"),
        ("bitwise_xor", [Scalar(Name("mask"), "bool"), Scalar(Name("other"), "bool")], "mask != other"),
        ("equal", [Scalar(Infix("<", X.node, Y.node), "bool"), Scalar(Name("m"), "bool")], "(x < y) == m"),
    ],
)
def test_the_expression_of_an_operator(op, operands, expected):
    assert text_of(lane(op, operands, "T").node) == expected


def test_an_operand_of_float32_widens_by_a_float64_scalar():
    root = literal(1.4142, "double")
    assert result_type("multiply", ["T", "double"]) == "double"
    assert text_of(lane("multiply", [X, root], "double").node) == "static_cast<double>(x) * 1.4142"


def test_comparisons_compare_in_the_common_type():
    assert (
        text_of(lane("greater", [Scalar(Name("n"), "int64_t"), X], "bool").node)
        == "static_cast<double>(n) > static_cast<double>(x)"
    )
    assert text_of(lane("equal", [X, TWO], "bool").node) == "x == T(2)"


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
