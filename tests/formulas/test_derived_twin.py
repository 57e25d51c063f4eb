"""Each formula beside its twin: a plain function of the same forward, whose closure is derived.

The twin's derivatives come from the formulas inlined into it, promoted and simplified, at every order;
those of the formula from its own closure. To third order they are the same, and finite differences agree
with both. There is no exemption: a closure that is no derivative on purpose would be marked a surrogate.
"""

import pytest

import pullback as pb
from pullback.engine.formula.formula import Formula
from pullback.tools.derived import compare
from pullback.transpile.ir import Options
from tests.sampling import sampled

from .samples import every_case, names, samples

FIRST = {str(samples(name)[0]) for name in names()}


class Twin(Formula):
    """The formula's forward under another name, so that it calls the formula where that calls NumPy."""

    def __init__(self, formula):
        super().__init__(formula.__wrapped__, Options(), derived=True)
        self.ir = formula.ir.evolve(
            name=self._operator_name, target=None, pullback=None, captures=(), rules=(), options=Options()
        )

    @property
    def _operator_name(self):
        return f"{self.__wrapped__.__name__}_twin"


@pytest.mark.parametrize("case", sampled(every_case(), 4, is_costly=lambda case: str(case) not in FIRST))
def test_a_derived_closure_is_the_one_by_hand(case):
    formula = pb.formulas()[case.name]
    assert not formula.ir.options.surrogate
    found = compare(formula, Twin(formula), [(case.args, case.kwargs)], range(1, 4))
    assert [measurement for measurement in found if not measurement.passes] == []
