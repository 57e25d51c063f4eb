"""Indices of tensors as operators of ATen."""

import pytest

from pullback.transpile.diagnostics import FormulaError
from pullback.transpile.emit.aten.module import aten_module
from pullback.transpile.library import formula_in, standard_library
from pullback.transpile.passes.differentiate.derive import derive
from pullback.transpile.passes.promote.promote import promote


def printed(index):
    library = standard_library()
    formula = formula_in(f"def taken(x, places):\n    return np.exp(x)[{index}]\n")
    return aten_module([("taken", promote(derive(formula, library), library))], library, "operators")


@pytest.mark.parametrize("index", ["places", "places, ...", "places,"])
def test_an_array_alone_takes_entries_along_the_first_axis_and_puts_gradients_back(index):
    text = printed(index)
    assert "at::index(exp_x, {places})" in text
    assert "{places}, grad, /*accumulate=*/true)" in text


@pytest.mark.parametrize(
    ("index", "made"),
    [
        (":, places", "at::index(exp_x, {std::nullopt, places})"),
        ("places, 0", "at::index(exp_x, {places, at::scalar_tensor(0, at::kLong)})"),
        ("None, places", "at::index(at::unsqueeze(exp_x, 0), {std::nullopt, places})"),
        ("1:, places", "at::index(at::slice(exp_x, 0, 1, std::nullopt), {std::nullopt, places})"),
    ],
)
def test_other_parts_of_an_index_are_applied_before_the_arrays(index, made):
    assert made in " ".join(printed(index).split())


@pytest.mark.parametrize("index", ["..., places", "places, None", "places, 1:"])
def test_an_array_before_what_moves_axes_is_refused_as_it_may_be_a_mask_of_several(index):
    with pytest.raises(FormulaError, match="ATen has no equal of `an array among other parts of an index`"):
        printed(index)
