"""Expressions of C++ over ATen, and the names of what a backward returns."""

import re

from pullback.transpile.emit.aten.module import aten_module
from pullback.transpile.library import formula_in, standard_library
from pullback.transpile.passes.differentiate.derive import derive
from pullback.transpile.passes.promote.promote import promote


def printed(text):
    library = standard_library()
    return aten_module([("made", promote(derive(formula_in(text), library), library))], library, "operators")


def test_the_negative_of_a_truth_value_is_an_integer():
    text = printed("def turned(x, *, over: bool = False):\n    sign = -over\n    return np.exp(x) * sign\n")
    assert "const int64_t sign = -over;" in text


def test_a_gradient_that_is_written_to_is_not_declared_under_the_name_of_the_one_returned():
    text = printed("def first(x):\n    return np.exp(x[0])\n")
    assert text.count("at::Tensor grad_x;") == 1
    assert "at::Tensor grad_x =" not in text
    assert re.search(r"\bgrad_x = grad_x_\d;", text)


def test_a_part_of_a_shape_is_a_list_of_its_own():
    text = printed("def turned(x):\n    return x.reshape(x.shape[::-1])\n")
    assert "slice_of(x.sizes().vec(), std::nullopt, std::nullopt, -1)" in " ".join(text.split())


def test_an_output_that_a_branch_leaves_undefined_has_no_entries():
    text = printed("def either(x, *, wave: bool = True):\n    return np.sin(np.exp(x)) if wave else x\n")
    assert "= copied(exp_x_1);" in text


def test_the_negative_of_a_negative_has_brackets():
    assert "-(-" in printed("def twice(x):\n    return -(-np.exp(x)) * 2\n")


def test_a_text_of_several_lines_is_a_literal_of_one():
    text = printed(
        "def one(x):\n    if x.ndim > 1:\n        raise ValueError('one\\naxis')\n    return x * 2\n"
    )
    assert r'TORCH_CHECK(false, "one\naxis");' in text
