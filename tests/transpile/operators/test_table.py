"""The table of operators, against what it speaks of: NumPy's signatures and PyTorch's values."""

import inspect
import itertools
from importlib import import_module

import numpy as np
import pytest

import pullback as pb
from pullback.transpile.loops.lower.scalars import POINTWISE, refusal, result_type
from pullback.transpile.operators import OPERATORS

# What some of PyTorch's functions are given besides the operands.
OPTIONS = {
    "cumsum": {"dim": 0},
    "cumprod": {"dim": 0},
    "expand_dims": {"dim": 0},
    "flip": {"dims": (0, 1)},
    "full_like": {"fill_value": 2.0},
    "log_softmax": {"dim": (0)},
    "logsumexp": {"dim": (0, 1)},
    "moveaxis": {"source": 0, "destination": 1},
    "repeat": {"repeats": 2},
    "reshape": {"shape": (3, 2)},
    "roll": {"shifts": 1},
    "softmax": {"dim": 0},
    "swapaxes": {"axis0": 0, "axis1": 1},
    "take_along_axis": {"dim": 1},
    "tensordot": {"dims": 1},
    "tile": {"dims": (2, 1)},
    "broadcast_to": {"size": (2, 3, 3)},
}
NUMPYS = {
    "cumsum": {"axis": 0},
    "cumprod": {"axis": 0},
    "expand_dims": {"axis": 0},
    "full_like": {"fill_value": 2.0},
    "log_softmax": {"axis": 0},
    "moveaxis": {"source": 0, "destination": 1},
    "repeat": {"repeats": 2},
    "reshape": {"shape": (3, 2)},
    "roll": {"shift": 1},
    "softmax": {"axis": 0},
    "swapaxes": {"axis1": 0, "axis2": 1},
    "take_along_axis": {"axis": 1},
    "tensordot": {"axes": 1},
    "tile": {"reps": (2, 1)},
    "broadcast_to": {"shape": (2, 3, 3)},
}
RNG = np.random.default_rng(4)
SQUARE = RNG.uniform(0.2, 0.8, (3, 3))
WHOLE = np.array([[1, 2, 0], [3, 1, 2]])
OPERANDS = {
    "reshape": (np.arange(6.0).reshape(2, 3),),
    "arccosh": (1 + SQUARE,),
    "cholesky": (SQUARE @ SQUARE.T + np.eye(3),),
    "outer": (SQUARE[0], SQUARE[1]),
    "vdot": (SQUARE[0], SQUARE[1]),
    "searchsorted": (np.sort(SQUARE[0]), SQUARE[1]),
    "take_along_axis": (SQUARE, np.argsort(SQUARE, 1)),
    "concatenate": ([SQUARE, SQUARE],),
    "stack": ([SQUARE, SQUARE],),
    "vstack": ([SQUARE, SQUARE],),
    "hstack": ([SQUARE, SQUARE],),
    "argsort": (SQUARE,),
    "where": (SQUARE > 0.5, SQUARE, 2 * SQUARE),
    **dict.fromkeys(("bitwise_and", "bitwise_or", "bitwise_xor"), (WHOLE, WHOLE.T[:2, :1])),
    **dict.fromkeys(("left_shift", "right_shift"), (WHOLE, WHOLE.T[:2, :1])),
    "invert": (WHOLE,),
    "zeros": ((2, 3),),
    "ones": ((2, 3),),
    "full": ((2, 3), 0.5),
    "arange": (1, 7, 2),
}


def function(dotted):
    """The function of a full name."""
    module, _, name = dotted.rpartition(".")
    return getattr(import_module(module), name)


def named(prefix):
    return [operator for operator in OPERATORS.values() if operator.python.startswith(prefix)]


def test_each_name_stands_once():
    names = [name for operator in OPERATORS.values() for name in (operator.python, *operator.spelling)]
    assert len(set(names)) == len(names)
    assert all(operator.name == name for name, operator in OPERATORS.items())


@pytest.mark.parametrize("operator", named("numpy."), ids=lambda operator: operator.name)
def test_arguments_are_called_as_numpy_calls_them(operator):
    numpys = function(operator.python)
    if isinstance(numpys, np.ufunc):
        assert len(operator.operands) == numpys.nin
        return
    try:
        parameters = list(inspect.signature(numpys).parameters)
    except ValueError:  # built into C
        return
    given = [name for name in (*operator.operands, *operator.attrs) if name in parameters]
    aliases = {"clip": 3, "where": 0, "abs": 0}  # operands that NumPy has other names for
    assert len(given) >= len((*operator.operands, *operator.attrs)) - aliases.get(operator.name, 0) - 1
    assert given == sorted(given, key=parameters.index)


@pytest.mark.parametrize(
    "operator", [each for each in OPERATORS.values() if each.torch], ids=lambda operator: operator.name
)
def test_torch_computes_the_same(operator):
    torch = pytest.importorskip("torch")
    theirs = function(operator.torch)
    assert hasattr(torch.ops.aten, operator.aten)
    operands = OPERANDS.get(operator.name) or tuple(SQUARE + 0.1 * k for k in range(len(operator.operands)))
    made = [[torch.tensor(a) for a in x] if isinstance(x, list) else _tensor(torch, x) for x in operands]
    found = theirs(*made, **OPTIONS.get(operator.name, {}))
    if operator.python.startswith("pullback."):
        expected = getattr(pb, operator.python.removeprefix("pullback."))(*operands)
    else:
        expected = function(operator.python)(*operands, **NUMPYS.get(operator.name, {}))
    np.testing.assert_allclose(np.asarray(found), np.asarray(expected), rtol=1e-10, atol=1e-12)


def _tensor(torch, operand):
    return torch.tensor(operand) if isinstance(operand, np.ndarray) else operand


def test_an_operator_of_entries_says_what_it_is_in_cpp_and_cuda():
    for operator in OPERATORS.values():
        assert (operator.scalar is None) or operator.pointwise, operator.name
        assert operator.type is not None or not operator.pointwise, operator.name
    assert {"exp", "add", "where", "astype"} <= POINTWISE


DTYPES = {"int64_t": np.int64, "bool": np.bool_, "double": np.float64, "float": np.float32}


@pytest.mark.parametrize("name", sorted(POINTWISE))
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_cpp_gives_numpys_dtype_or_refuses(name):
    operator = OPERATORS[name]
    if not operator.python.startswith(("numpy.", "scipy.")) or name == "astype":
        return
    for types in itertools.product(DTYPES, repeat=len(operator.operands)):
        if (name, types) == ("positive", ("bool",)):
            continue  # copies of booleans, which NumPy's function of this name refuses
        if refusal(name, types) is None and (name != "where" or types[0] == "bool"):
            value = function(operator.python)(*(np.ones(2, DTYPES[each]) for each in types))
            assert DTYPES[result_type(name, types)] == value.dtype, types
