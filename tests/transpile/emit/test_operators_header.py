"""The header of operators: the functions that operators in C++ call."""

from __future__ import annotations

import pytest

from pullback.transpile.emit.operators_header import operators_header
from pullback.transpile.library import standard_library

ARCTAN2 = """
inline Tensor arctan2(const Tensor& y, const Tensor& x) {
    static const NamedOperator op("arctan2");
    return op(y, x);
}
"""
SWAPAXES = """
inline Tensor swapaxes(const Tensor& a, const Attribute& axis1, const Attribute& axis2) {
    static const NamedOperator op("swapaxes");
    return op({a.get()}, {{"axis1", axis1}, {"axis2", axis2}});
}
"""
STACK = """
inline Tensor stack(const Tensors& arrays, const Attribute& axis = 0) {
    static const NamedOperator op("stack");
    return op(arrays, {{"axis", axis}});
}
"""


@pytest.fixture(scope="module")
def header():
    return operators_header(standard_library())


@pytest.mark.parametrize("function", [ARCTAN2, SWAPAXES, STACK], ids=["operands", "attributes", "list"])
def test_functions(header, function):
    assert function in header


def test_an_operator_of_cpp_is_the_function_of_its_name(header):
    assert "operator/(const Tensor& x, const Tensor& y) { return divide(x, y); }" in header


def test_what_makes_lists_is_no_function(header):
    assert "split_like(" not in header
    assert "unpacked(" not in header
