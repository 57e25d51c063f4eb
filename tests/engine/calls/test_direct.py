"""Functions of words and compiled formulas as callables."""

import copy
import inspect
import pickle

import numpy as np
import pytest

import pullback as pb
import pullback.numpy as pnp


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
