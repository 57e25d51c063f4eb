"""What is read means what Python means: values, shapes and dtypes, forward and in the closure."""

import ast
import math
import warnings

import numpy as np
import scipy.special
from hypothesis import HealthCheck, Phase, assume, given, settings
from hypothesis import strategies as st

import pullback as pb
from pullback.transpile.emit.python import forward_function
from pullback.transpile.frontend import Binding, Names, read_one
from pullback.transpile.ir import Block, Options, Param, Source
from pullback.transpile.passes.promote.normalize import normalize

from .programs import closures, forwards

MODULES = {"np": np, "pb": pb, "math": math, "special": scipy.special}
SETTINGS = settings(
    max_examples=30,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
)
X = np.linspace(-1, 2, 6).reshape(2, 3)
INPUTS = [X, np.array([0.5, -1.0, 2.0]), np.array([1, 2, 3], np.float32)]


def read(text):
    """The formula of `f`, or None where it is refused."""
    source = Source("f.py", text)
    bindings = {"np": "numpy", "pb": "pullback", "math": "math"}

    def find(name):
        if name == "affine":
            return Binding.helper(name, source, names)
        return Binding.dotted(bindings[name]) if name in bindings else None

    names = Names.of(find)
    return read_one(source, names, "f", Options(surrogate=True, first_order_only=True)).formula


def emitted(formula):
    """The formula's forward as a Python function that returns a tuple."""
    module = ast.Module([forward_function(normalize(formula), "forward")], [])
    namespace = dict(MODULES)
    exec(compile(ast.fix_missing_locations(module), "forward", "exec"), namespace)
    return namespace["forward"]


def with_closure_inline(formula):
    """A formula whose forward computes the closure's gradients, for cotangents that are inputs."""
    closure = formula.pullback
    params = (*formula.params[:3], *(Param(var) for var in closure.params), *formula.params[3:])
    body = Block(tuple(p.var for p in params), (*formula.forward.eqns, *closure.eqns), closure.results)
    formula = formula.evolve(params=params, forward=body, pullback=None, captures=())
    return formula.evolve(results=3, result_is_tuple=True)


def run(function, *args, **kwargs):
    """The function's value on copies, or None where it raises."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return function(*[arg.copy() for arg in args], **kwargs)
        except (TypeError, ValueError, IndexError, AttributeError, ZeroDivisionError, UnboundLocalError):
            return None


def assert_same(got, wanted, text):
    if isinstance(wanted, tuple):
        assert isinstance(got, tuple), text
        assert len(got) == len(wanted), text
        for one, other in zip(got, wanted, strict=True):
            assert_same(one, other, text)
    elif wanted is None:
        assert got is None, text
    else:
        np.testing.assert_array_equal(got, wanted, text)
        if isinstance(wanted, np.ndarray | np.generic):
            assert np.asarray(got).dtype == wanted.dtype, text


def author(text):
    namespace = dict(MODULES)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(text, namespace)
    return namespace["f"]


@SETTINGS
@given(forwards(), st.sampled_from([1, 2, 3]), st.booleans())
def test_forwards(text, n, flag):
    formula = read(text)
    wanted = run(author(text), *INPUTS, n=n, flag=flag)
    assume(formula is not None and wanted is not None and not isinstance(wanted, list))
    with np.errstate(all="ignore"):
        got = emitted(formula)(*[array.copy() for array in INPUTS], n=n, flag=flag)
    assert_same(got if formula.result_is_tuple or not isinstance(got, tuple) else got[0], wanted, text)


@settings(SETTINGS, max_examples=10)
@given(closures(), st.sampled_from([1, 2, 3]), st.booleans())
def test_closures(text, n, flag):
    formula = read(text)
    assume(formula is not None)
    made = run(author(text), *INPUTS, n=n, flag=flag)
    assume(made is not None)
    cotangent = np.cos(X)
    wanted = run(made[1], cotangent)
    assume(wanted is not None and not any(isinstance(item, list | tuple) for item in wanted))
    inlined = emitted(with_closure_inline(formula))
    with np.errstate(all="ignore"):
        got = inlined(*[array.copy() for array in INPUTS], cotangent, n=n, flag=flag)
    for one, other in zip(got, wanted, strict=True):
        zero = isinstance(other, int | float) and other == 0  # a literal zero is no gradient
        assert_same(one, None if one is None and zero else other, text)
