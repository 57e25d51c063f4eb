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


@pytest.mark.parametrize("index", ["..., places", ":, places", "places, 0", "None, places"])
def test_an_array_at_another_axis_is_refused_as_at_index_would_take_it_for_the_first(index):
    with pytest.raises(FormulaError, match="ATen has no equal of `an array among other parts of an index`"):
        printed(index)
