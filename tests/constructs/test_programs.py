"""Random programs run as Python, and as emitted Python, and are differentiated twice: all agree."""

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import pullback as pb
from pullback.transpile.emit.python import module_text

from .programs import INPUTS, loaded, programs


@given(programs(), st.integers(0, 3), st.sampled_from("ab"))
@settings(
    max_examples=8,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.generate],
)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_every_way_to_run_a_program_agrees(tmp_path_factory, program, n, kind):
    folder = tmp_path_factory.mktemp("program")
    plain = loaded(folder, program)
    formula = pb.derive_pullback(plain)
    expected = plain(*INPUTS, n=n, kind=kind)
    np.testing.assert_allclose(formula(*INPUTS, n=n, kind=kind), expected, rtol=1e-12)

    operator = formula.operator
    namespace = dict(operator.namespace)
    exec(module_text(operator.formula), namespace)
    np.testing.assert_allclose(namespace["program_forward"](*INPUTS, n, kind)[0], expected, rtol=1e-12)

    x, y, rows = INPUTS
    with pb.use_engine("reference"):
        assert pb.gradcheck(lambda x, y: formula(x, y, rows, n=n, kind=kind), x, y, order=2, rtol=1e-4)
