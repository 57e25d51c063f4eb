"""Functions of words and compiled formulas as callables."""

import copy
import inspect
import pickle
from operator import attrgetter

import numpy as np
import pytest

import pullback as pb
import pullback.numpy as pnp
from pullback.engine.core.registry import FORMULAS


def test_a_function_has_its_name_and_documentation():
    assert pnp.exp.__name__ == "exp"
    assert "numpy.exp" in pnp.exp.__doc__
    assert repr(pnp.exp) == "<function pullback.numpy.exp>"
    assert list(inspect.signature(pnp.exp).parameters)[:2] == ["x", "out"]


def test_a_function_is_pickled_and_copied_by_name():
    assert pickle.loads(pickle.dumps(pnp.exp)) is pnp.exp
    assert copy.deepcopy(pnp.multiply) is pnp.multiply


@pytest.mark.parametrize("engine", ["reference", pytest.param("native", marks=pytest.mark.native)])
@pytest.mark.parametrize("make", [np.array, pb.tensor])
def test_it_takes_arrays_tensors_and_keywords(engine, make):
    with pb.use_engine(engine):
        x = make([1.0, 2.0])
        np.testing.assert_allclose(np.asarray(pnp.exp(x)), np.exp([1.0, 2.0]))
        np.testing.assert_allclose(np.asarray(pnp.sum(x, axis=0, keepdims=True)), [3.0])
        np.testing.assert_allclose(np.asarray(pnp.multiply(x, 2.0)), [2.0, 4.0])
        out = make([0.0, 0.0])
        assert pnp.multiply(x, x, out=out) is out


def test_bad_arguments_are_an_error_of_python():
    with pytest.raises(TypeError):
        pnp.exp()


@pytest.mark.parametrize("name", ["ptp", "pad", "linalg.norm"])
def test_functions_of_each_kind_are_pickled(name):
    function = attrgetter(name)(pnp)
    assert repr(pickle.loads(pickle.dumps(function)))[:15] == repr(function)[:15]


@pytest.mark.native
@pytest.mark.parametrize("name", ["ptp", "pad"])
def test_a_users_formula_stands_for_what_is_called_directly(name, monkeypatch):
    function, target = getattr(pnp, name), getattr(np, name)
    with pb.use_engine("native"):
        x = pb.tensor([1.0, 3.0])
        before = function(x, 0)
        with monkeypatch.context() as patch:
            patch.setitem(FORMULAS._by_function, target, lambda *args: "mine")
            replaced()
            assert function(x, 0) == "mine"
        replaced()
        np.testing.assert_array_equal(function(x, 0), before)


def replaced() -> None:
    """What a registration does, which would last for the other tests."""
    for listener in FORMULAS._listeners:
        listener()


def test_a_method_of_tensors_is_one():
    x = pb.tensor([1.0, 3.0])
    method = x.sum
    assert method.__self__ is x
    assert method() == type(x).sum(x) == 4
    assert x.sum(axis=0, keepdims=True).shape == (1,)
    assert "np.sum" in method.__doc__
    with pytest.raises(TypeError):
        x.sum(no_argument=1)
