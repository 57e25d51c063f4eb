"""What `pullback.numpy` and `pullback.special` offer, a formula may use: values, and two derivatives."""

import importlib.util
import warnings

import numpy as np
import pytest

import pullback as pb

from .surface import ARRAYS, CALLS, OTHERS, REASONS, parameters, program, surface

EVERY = [call for calls in CALLS.values() for call in calls]
HEADER = "import numpy as np\nfrom scipy import special\n\nimport pullback as pb\n\n\n"


@pytest.fixture
def plain(tmp_path):
    """Makes the function of a file that returns a call."""

    def load(call):
        path = tmp_path / "program.py"
        path.write_text(HEADER + program(call))
        spec = importlib.util.spec_from_file_location("program", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module.program

    return load


def results(found):
    """One result, or several, as a list."""
    return list(found) if isinstance(found, (tuple, list)) else [found]


@pytest.mark.parametrize("call", EVERY)
def test_a_formula_calls_it(plain, call):
    function = plain(call)
    arrays = [ARRAYS[name] for name in parameters(call)]
    derived = pb.derive_pullback(function)
    with pb.use_engine("reference"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tensors = [pb.tensor(array, requires_grad=True) for array in arrays]
        found = results(derived(*tensors))
        for actual, expected in zip(found, results(function(*arrays)), strict=True):
            value = actual.detach().numpy() if isinstance(actual, pb.Tensor) else np.asarray(actual)
            np.testing.assert_allclose(value, expected, rtol=1e-10, atol=1e-12)
            assert (value.dtype, value.shape) == (np.asarray(expected).dtype, np.shape(expected))

        def squares(*given):
            return sum((result * result).sum() for result in results(derived(*given)))

        if any(np.isnan(array).any() for array in arrays):
            assert all(np.isfinite(part.numpy()).all() for part in pb.grad(squares(*tensors), tensors))
        else:
            assert pb.gradcheck(squares, *arrays, order=2, atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize("name", sorted(surface()))
def test_a_function_is_called_or_there_is_a_reason(name):
    assert (name in CALLS) != (name in REASONS)


def test_every_name_is_a_function_of_the_surface():
    assert CALLS.keys() - surface().keys() == OTHERS
    assert all(REASONS.values())
