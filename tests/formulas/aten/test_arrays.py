"""Imported formulas, recorded and differentiated by this project's engines, equal those of `formulas/`."""

from __future__ import annotations

import importlib.util
import inspect
import warnings

import numpy as np
import pytest

import pullback as pb
from pullback import aten
from pullback.engine.formula.formula import Formula
from pullback.formulas.aten.arrays import find

pytestmark = pytest.mark.torch  # whose table is imported

# Every entry needs values where it has a slope: for arccosh and the like above 1.
DOMAINS = {"acosh": (1.2, 3.0)}
AT_LEAST = 60


@pytest.fixture
def on_arrays(monkeypatch):
    monkeypatch.setattr(aten, "_FIND", [find])


def formulas_of(path):
    spec = importlib.util.spec_from_file_location(f"imported_on_arrays_{path.stem}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return [value.__wrapped__ for value in vars(module).values() if isinstance(value, Formula)]


def drawn(function):
    """Inputs, and attributes: their defaults, or 2."""
    generator = np.random.default_rng(0)
    parameters = inspect.signature(function).parameters.values()
    names = [each.name for each in parameters if each.kind is each.POSITIONAL_OR_KEYWORD]
    attributes = {
        each.name: 2 if each.default is each.empty else each.default
        for each in parameters
        if each.kind is each.KEYWORD_ONLY
    }
    low, high = DOMAINS.get(function.__name__, (0.2, 0.8))
    return [generator.uniform(low, high, (3, 3)) for _ in names], attributes


def values_of(value):
    return value.detach().numpy() if isinstance(value, pb.Tensor) else value


def gradients(outputs, inputs, cotangents):
    """First derivatives that are recorded."""
    pairs = [
        pair
        for pair in zip(outputs, cotangents, strict=True)
        if isinstance(pair[0], pb.Tensor) and pair[0].requires_grad
    ]
    if not pairs:
        return [np.zeros(each.shape) for each in inputs]
    recorded, given = zip(*pairs, strict=True)
    return pb.grad(recorded, inputs, given, create_graph=True, allow_unused=True, materialize_grads=True)


def compared(function):
    """Whether gradients by the closure, and their gradients, equal those of `formulas/`.

    None where the formula has a function that arrays do not have, or another kind of argument or result.
    """
    values, attributes = drawn(function)
    cotangent = pb.tensor(np.linspace(0.5, 1.5, 9).reshape(3, 3), requires_grad=True)
    inputs = [pb.tensor(each, requires_grad=True) for each in values]
    try:
        result, closure = function(*inputs, **attributes)
        found = closure(cotangent)
    except (AttributeError, TypeError):
        return None
    if not isinstance(result, pb.Tensor) or not result.requires_grad or result.shape != (3, 3):
        return None
    found = list(found) if isinstance(found, tuple) else [found]
    expected = gradients([result], inputs, [cotangent])
    found = [0.0 * value if each is None else each for each, value in zip(found, inputs, strict=True)]
    weights = [np.linspace(-1.0, 1.0, 9).reshape(3, 3)] * len(inputs)
    at = [*inputs, cotangent]
    second = zip(gradients(found, at, weights), gradients(expected, at, weights), strict=True)
    pairs = [*zip(found, expected, strict=True), *second]
    return all(np.allclose(values_of(a), values_of(b), rtol=1e-9) for a, b in pairs)


def test_formulas_of_the_table_equal_those_of_this_project(imported_table, on_arrays):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # arccosh and the like away from their domains
        files = [imported_table / f"{name}.py" for name in ("pointwise", "products")]
        verdicts = {f.__name__: compared(f) for file in files for f in formulas_of(file)}
    assert [name for name, equal in verdicts.items() if equal is False] == []
    assert list(verdicts.values()).count(True) >= AT_LEAST, sorted(n for n, v in verdicts.items() if v)


def test_a_wrong_closure_is_found(on_arrays):
    def wrong(x):
        return aten.sin(x), lambda grad: grad * aten.sin(x)

    assert compared(wrong) is False


def test_a_function_that_arrays_do_not_have_is_named(on_arrays):
    with pytest.raises(AttributeError, match=r"aten\.convolution is not among"):
        _ = aten.convolution


def test_overloads_take_alpha(on_arrays):
    assert aten.add.Tensor(np.ones(2), np.ones(2), alpha=3).tolist() == [4.0, 4.0]
