"""The choice of an engine, without one."""

import subprocess
import sys

import numpy as np
import pytest

import pullback as pb
from pullback.engine.core import dispatch


def test_reference_is_always_there():
    assert "reference" in dispatch.available()


def test_both_engines_offer_the_boundary():
    for name in dispatch.available():
        engine = dispatch.load(name)
        assert engine.name == name
        for part in ("Tensor", "tensor", "from_numpy", "apply", "run_backward", "set_observer"):
            assert hasattr(engine, part)
        assert issubclass(engine.Tensor, pb.Tensor)


def test_lists_and_tuples_are_searched_for_tensors():
    with pb.use_engine("reference"):
        x = pb.tensor(1.0)
    assert dispatch.engine_of(1.0, [2.0, (x,)]) is dispatch.load("reference")
    assert dispatch.engine_of(1.0, np.ones(2), "text") is None
    assert list(dispatch.tensors_in([x, [x, 3]])) == [x, x]


@pytest.mark.parametrize(("value", "shown"), [("reference", "reference"), ("abacus", "no engine 'abacus'")])
def test_the_environment_chooses(value, shown):
    command = "import pullback as pb; from pullback.engine.core import dispatch; pb.tensor(1.0); "
    done = subprocess.run(
        [sys.executable, "-c", command + "print(dispatch.current().name)"],
        env={"PULLBACK_ENGINE": value, "PYTHONPATH": ":".join(sys.path)},
        capture_output=True,
        text=True,
    )
    assert shown in done.stdout + done.stderr


def test_raw_arrays_need_no_engine():
    assert type(pb.relu(np.ones(2))) is np.ndarray
