"""Operations on constants, done while transpiling; called by `simplify`.

In: an equation. Out: what its output is, where its operands decide that:
``2 - 1`` is 1, ``x ** 1`` and ``x * 1`` are `x`, ``where(False, p, x)`` is `x`
where `p` does not widen it.

>>> from ...library import formula_in, standard_library
>>> from ...printer import formula_text
>>> from ..promote.promote import promote
>>> square = formula_in('''
... def square(x):
...     return x ** 2
... ''')
>>> print(formula_text(promote(square, standard_library())))
formula square(x: Tensor)
  forward:
    power = power(x, 2)
    return result power
  pullback(grad):
    _1 = multiply(grad, 2)
    _2 = multiply(_1, x)
    return _2
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import replace
from math import isinf, prod

from ...analysis.types import type_of
from ...attributes import dot_subscripts, p_of_norm, tensordot_subscripts
from ...ir import Atom, Eqn, Literal, Var
from ...ir.dtypes import among_floats
from ...ir.types import NUMBERS, ScalarType, TensorType, Type, join_shapes, rank_of, shape_of
from ...operators.call import joined_dtype

_BINARY: dict[str, Callable[[float, float], float | bool]] = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "equal": operator.eq,
    "not_equal": operator.ne,
    "less": operator.lt,
    "less_equal": operator.le,
    "greater": operator.gt,
    "greater_equal": operator.ge,
}
_PARTIAL = {"floor_divide": operator.floordiv, "remainder": operator.mod, "power": operator.pow}
_MOST = 64  # so large an exponent is folded
# Numbers of a range that are written out.
_FEW = 256
_NEUTRAL = {"multiply": 1, "divide": 1, "power": 1, "subtract": 0}
_NEUTRAL_OF_VALUES = {"floor_divide": 1, "subtract": 0}


def fold(eqn: Eqn, known: Mapping[Var, Type], false: set[Var], floats: bool = True) -> Atom | None:
    """The atom that the equation's output equals, or None. `false` gains masks that are false everywhere.

    floats  arrays of dtypes that are not known are floats, so that Python numbers change none of them
    """
    args = eqn.args
    if eqn.op in _BINARY and len(args) == 2:
        numbers = [number(atom) for atom in args]
        if numbers[0] is not None and numbers[1] is not None:
            return Literal(_BINARY[eqn.op](numbers[0], numbers[1]))
    if eqn.op in ("add", "multiply") and (joined := _of_tuples(eqn)) is not None:
        return joined
    if eqn.op in _PARTIAL and (folded := _partial(eqn)) is not None:
        return folded
    if eqn.op in ("int", "float", "bool") and len(args) == 1 and number(args[0]) is not None:
        return _CALLS[eqn.op](eqn)
    if eqn.op in ("equal", "not_equal") and all(_is_named(atom) for atom in args):
        same = args[0].value == args[1].value  # type: ignore[union-attr]
        return Literal(same == (eqn.op == "equal"))
    if eqn.op == "isinf" and (value := number(args[0])) is not None:
        return Literal(isinf(value))
    if eqn.op == "negative" and (value := number(args[0])) is not None:
        return Literal(-value)
    if eqn.op == "floor_divide" and not _is_integer(args[0], known):
        return None
    if eqn.op in _NEUTRAL_OF_VALUES and isinstance(args[0], Var) and args[0].kind == "value":
        return args[0] if _is(args[1], _NEUTRAL_OF_VALUES[eqn.op]) else None
    if eqn.op in _NEUTRAL and len(args) == 2 and _is(args[1], _NEUTRAL[eqn.op]):
        return _if_same(args[0], eqn, known, floats)
    if eqn.op == "multiply" and len(args) == 2 and _is(args[0], 1):
        return _if_same(args[1], eqn, known, floats)
    if eqn.op in ("bitwise_and", "logical_and") and any(_false(atom, false) for atom in args):
        false.update(eqn.outs)
    if eqn.op == "like" and args[0] == Literal(None):
        return args[0]
    if eqn.op in ("size", "ndim") and isinstance(of := type_of(args[0], known), TensorType):
        count = rank_of(of) if eqn.op == "ndim" else 1 if of.shape == () else None
        return None if count is None else Literal(count)
    if eqn.op == "ndim" and isinstance(of := type_of(args[0], known), ScalarType):
        return Literal(0) if of.kind in NUMBERS - {"value"} else _CALLS["ndim"](eqn)
    if eqn.op == "tuple" and not any(atom.strong for atom in args if isinstance(atom, Literal)):
        items = [atom.value for atom in args if isinstance(atom, Literal)]
        return Literal(tuple(items)) if len(items) == len(args) else None
    if eqn.op in _CALLS:
        return _CALLS[eqn.op](eqn)
    if eqn.op == "where" and len(args) == 3 and _false(args[0], false):
        return _if_same(args[2], eqn, known, floats)
    return None


def _of_tuples(eqn: Eqn) -> Literal | None:
    """Two tuples joined, or one repeated, where these and the number are known."""
    if not all(isinstance(atom, Literal) for atom in eqn.args):
        return None
    first, second = (atom.value for atom in eqn.args if isinstance(atom, Literal))
    if eqn.op == "add":
        return Literal(first + second) if isinstance(first, tuple) and isinstance(second, tuple) else None
    if isinstance(second, tuple):
        first, second = second, first
    if not isinstance(first, tuple) or type(second) is not int or len(first) * second > _FEW:
        return None
    return Literal(first * second)


def _partial(eqn: Eqn) -> Atom | None:
    """A function of two numbers that is not there for all of them: for integers, where it gives one."""
    first, second = map(number, eqn.args)
    if not isinstance(first, int) or not isinstance(second, int):
        return None
    there = 0 <= second <= _MOST if eqn.op == "power" else second != 0
    return Literal(_PARTIAL[eqn.op](first, second)) if there else None


def _called(function: Callable[..., object]) -> Callable[[Eqn], Atom | None]:
    """A function of attributes where all of them are known; what it refuses is left to run time."""

    def fold_call(eqn: Eqn) -> Atom | None:
        given = [atom.value if isinstance(atom, Literal) else atom for atom in eqn.args]
        given += [atom.value if isinstance(atom, Literal) else atom for _, atom in eqn.kwargs]
        if any(isinstance(value, Var) for value in given):
            return None
        try:
            return Literal(function(*given))
        except (ArithmeticError, ValueError, TypeError, IndexError):
            return None

    return fold_call


def _depth(value: object) -> int:
    """The number of axes of a number or of nested tuples."""
    return 1 + _depth(value[0]) if isinstance(value, tuple) and value else int(isinstance(value, tuple))


def _order_of_norm(eqn: Eqn) -> Atom | None:
    """The order of a norm, for which the number of axes is seldom needed."""
    ord, axis, ndim = (atom.value if isinstance(atom, Literal) else atom for atom in eqn.args)
    if isinstance(ord, Var) or isinstance(axis, Var):
        return None
    try:
        p = p_of_norm(ord, axis, ndim if isinstance(ndim, int) else None)  # type: ignore[arg-type]
    except ValueError:
        return None
    return None if p is None else Literal(p)


def _element(values: object, position: object) -> object:
    """An element of a tuple."""
    if not isinstance(values, tuple) or type(position) is not int:
        raise TypeError
    return values[position]


def _short_range(*bounds: int) -> tuple[int, ...]:
    """The numbers of a range, of which there are few."""
    numbers = range(*bounds)
    if len(numbers) > _FEW:
        raise ValueError("left to run time")
    return tuple(numbers)


_CALLS: dict[str, Callable[[Eqn], Atom | None]] = {
    "pullback.primitives.dot_subscripts": _called(dot_subscripts),
    "pullback.primitives.tensordot_subscripts": _called(tensordot_subscripts),
    "pullback.primitives.order_of_norm": _order_of_norm,
    "ndim": _called(_depth),
    "range": lambda eqn: _called(_short_range)(replace(eqn, kwargs=())),  # also as a tuple
    "len": _called(len),
    "math.prod": _called(prod),
    **{kind.__name__: _called(kind) for kind in (int, float, bool)},
    "item": _called(_element),
}


def _is_named(atom: Atom) -> bool:
    """True where the operand is a text, a truth value, None or a tuple."""
    return isinstance(atom, Literal) and isinstance(atom.value, str | bool | tuple | None)


def number(atom: Atom) -> int | float | None:
    """A Python number that is no bool, or None."""
    if isinstance(atom, Literal) and not atom.strong and type(atom.value) in (int, float):
        value: int | float = atom.value  # type: ignore[assignment]
        return value
    return None


def _is(atom: Atom, value: int) -> bool:
    """True where the operand is this number."""
    return number(atom) == value


def _is_integer(atom: Atom, known: Mapping[Var, Type]) -> bool:
    """True for an integer of Python's."""
    of = type_of(atom, known)
    return isinstance(of, ScalarType) and of.kind == "int"


def _false(atom: Atom, false: set[Var]) -> bool:
    return atom in false if isinstance(atom, Var) else atom.value is False


def _if_same(atom: Atom, eqn: Eqn, known: Mapping[Var, Type], floats: bool) -> Atom | None:
    """The operand, where the operation changes neither its shape nor its dtype."""
    own = type_of(atom, known)
    if not isinstance(own, TensorType):
        return None
    others = [found for other in eqn.args if other != atom and (found := type_of(other, known)) != own]
    dtype = joined_dtype((own, *others))
    if dtype is None:
        return None
    if floats:
        same = among_floats(dtype) - {"bool"} == among_floats(own.dtype) - {"bool"}
    else:
        same = eqn.op != "divide" and dtype == own.dtype
    if not same:
        return None
    shapes = [own.shape, *map(shape_of, others)]
    return atom if join_shapes(shapes) == own.shape else None
