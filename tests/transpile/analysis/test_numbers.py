"""Which values are numbers where they have no axes."""

import importlib

import numpy as np
import pytest

from pullback.transpile.analysis.numbers import gives_number, numbers
from pullback.transpile.operators import OPERATORS

from ..frontend.reading import formula

GIVE_NUMBERS = [info for name, info in OPERATORS.items() if gives_number(name)]


@pytest.mark.filterwarnings("ignore::RuntimeWarning", "ignore::scipy.special.SpecialFunctionWarning")
@pytest.mark.parametrize("info", GIVE_NUMBERS, ids=lambda info: info.name)
def test_functions_that_are_said_to_give_numbers_do(info):
    module, _, name = info.python.rpartition(".")
    function = getattr(importlib.import_module(module), name)
    for value in (0.5, 1, True):
        try:
            result = function(*(np.array(value) for _ in info.operands))
        except (TypeError, ValueError, AttributeError, np.linalg.LinAlgError):
            continue  # not of numbers of this kind
        parts = result if isinstance(result, tuple) else (result,)
        assert not any(isinstance(part, np.ndarray) for part in parts)


@pytest.mark.parametrize(
    ("statements", "expected"),
    [
        (("t = np.sin(x)",), True),
        (("t = x.copy()",), False),
        (("t = np.where(x > 0, x, 1.0)",), False),
        (("t = np.asarray(np.sin(x))",), False),
        (("t = np.sin(x).astype(np.float32)",), True),
        (("t = x.astype(np.float32)",), False),
        (("t = np.sin(x)[0]",), True),
        (("t = np.sin(x)[..., 0]",), False),
        (("t = np.sin(x)[0, 1:]",), False),
        (("t = 0.0", "for i in range(len(x)):", "    t = t + x[i]"), True),
        (("t = x.copy()", "for i in range(len(x)):", "    t = t * 1.0 if i else t"), False),
        (("t = np.sum(x) if x.ndim else np.cos(x)",), True),
        (("t = np.sum(x) if x.ndim else np.ones_like(x)",), False),
    ],
)
def test_values_are_numbers_by_what_computes_them(statements, expected):
    lines = "\n".join(f"    {line}" for line in statements)
    read = formula(f"@pb.formula\ndef f(x):\n{lines}\n    return t, lambda grad: grad\n")
    (result,) = read.forward.results
    assert (result in numbers(read.forward)) == expected
