"""What `pullback.numpy` and `pullback.special` offer, a formula may use: values, and two derivatives."""

import importlib.util
import warnings

import numpy as np
import pytest

import pullback as pb
from pullback.transpile.diagnostics import FormulaError
from pullback.transpile.loops.kernels.guard import FAILED
from tests.sampling import sampled, selected

from .compiled import emitted, linked, run
from .samples import Case
from .surface import ARRAYS, CALLS, REASONS, parameters, program, surface

EVERY = [call for calls in CALLS.values() for call in calls]
HEADER = "import numpy as np\nfrom scipy import special\n\nimport pullback as pb\n\n\n"


def loaded(path, call):
    """The function of a file that returns a call."""
    path.write_text(HEADER + program(call))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.program


def results(found):
    """One result, or several, as a list."""
    return list(found) if isinstance(found, (tuple, list)) else [found]


def squares(function, *given):
    """A number of all results, whose second derivatives are not zero."""
    return sum((result * result).sum() for result in results(function(*given)))


def slope(function, arrays, direction):
    """How fast a function changes in a direction, by a difference."""
    step = 1e-6
    there, back = ([a + sign * step * d for a, d in zip(arrays, direction, strict=True)] for sign in (1, -1))
    return (function(there) - function(back)) / (2 * step)


def connected(total, tensors):
    """The number, which depends on the tensors even where no result of the function has a gradient."""
    return total + sum((tensor * 0).sum() for tensor in tensors if np.isfinite(tensor.tolist()).all())


def along(gradients, direction):
    return sum((part * d).sum() for part, d in zip(gradients, direction, strict=True))


def check_two_derivatives(function, arrays):
    """Both in random directions, which no entry is left out of."""
    rng = np.random.default_rng(3)
    first, second = ([rng.uniform(0.5, 1.5, a.shape) for a in arrays] for _ in range(2))

    def value(given):
        return squares(function, *map(pb.tensor, given)).item()

    def derivative(given, create_graph=False):
        tensors = [pb.tensor(array, requires_grad=True) for array in given]
        total = connected(squares(function, *tensors), tensors)
        gradients = pb.grad(total, tensors, create_graph=create_graph, materialize_grads=True)
        found = along(gradients, first)
        return (found, tensors) if create_graph else found.item()

    found, tensors = derivative(arrays, create_graph=True)
    expected = slope(value, arrays, first)
    np.testing.assert_allclose(found.item(), expected, rtol=1e-5, atol=1e-6)
    if found.requires_grad:
        curvature = along(pb.grad(found, tensors, materialize_grads=True), second).item()
    else:
        curvature = 0.0
    expected = slope(derivative, arrays, second)
    np.testing.assert_allclose(curvature, expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("call", sampled(EVERY, 2))
def test_a_formula_calls_it(tmp_path, call):
    function = loaded(tmp_path / "program.py", call)
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
        if any(np.isnan(array).any() for array in arrays):
            numbers = [np.nan_to_num(array, nan=0.25) for array in arrays]
            check_two_derivatives(derived, numbers)
            gradients = pb.grad(connected(squares(derived, *tensors), tensors), tensors)
            assert all(np.isfinite(part.numpy()).all() for part in gradients)
        else:
            check_two_derivatives(derived, arrays)


@pytest.mark.parametrize("name", sorted(surface()))
def test_a_function_is_called_or_there_is_a_reason(name):
    assert (name in CALLS) != (name in REASONS)


def test_every_name_is_a_function_of_the_surface():
    assert CALLS.keys() <= surface().keys()
    assert all(REASONS.values())


@pytest.fixture(scope="module")
def kernels(request, tmp_path_factory):
    """Kernels of the tested calls that have some, by their text; of others, what they were refused with."""
    folder = tmp_path_factory.mktemp("surface")
    made, refused = [], {}
    for number, call in enumerate(sorted(selected(request, "compiled_call"))):
        arrays = tuple(ARRAYS[name] for name in parameters(call))
        derived = pb.derive_pullback(loaded(folder / f"call_{number}.py", call))
        try:
            made.append(emitted(Case(call, arrays, {}), number, 1, derived))
        except FormulaError as error:
            refused[call] = error
    compiled = linked(made, "-O0", "-DPB_ONLY_BITS=64", "-w")
    return {kernels.case.name: kernels for kernels in compiled.values()}, refused


@pytest.mark.compiler
@pytest.mark.parametrize("compiled_call", sampled(EVERY, 12))
def test_it_is_compiled_or_there_is_a_located_reason(kernels, compiled_call):
    compiled, refused = kernels
    if compiled_call in refused:
        (finding,) = refused[compiled_call].diagnostics
        assert (finding.code, finding.span.line) == ("PB501", 8)
        assert FAILED not in finding.message
    else:
        run(compiled[compiled_call], tuple(ARRAYS[name] for name in parameters(compiled_call)))
