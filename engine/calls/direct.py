"""Functions that call the native engine without Python in between, where it is built."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import update_wrapper
from types import MethodType
from typing import TYPE_CHECKING, Any

from ..core.registry import FORMULAS
from ..core.typed import Routine
from .wide import whole_signature

if TYPE_CHECKING:
    from ..native._native import DirectCall as DirectCall
    from ..native._native import result_on_arrays as result_on_arrays
else:
    try:
        from ..native._native import DirectCall as DirectCall
        from ..native._native import result_on_arrays as result_on_arrays
    except ImportError:

        class DirectCall:
            """Calls its method `_call`, always."""

            def __init_subclass__(cls, *, binds=False):
                if binds:
                    cls.__get__ = lambda self, x, _: self if x is None else MethodType(self, x)

            def __call__(self, *args, **kwargs):
                return self._call(*args, **kwargs)

            def _set_operator(self, operator):
                pass

            def _set_name(self, name, whole):
                pass

            def _set_written(self, function, most):
                pass

            def _remember(self, operator, attributes, args, keywords, fixed, by_ranks):
                pass

        def result_on_arrays(operator, inputs, attributes):
            """Calls a compiled operator on arrays."""
            outputs = operator.results(inputs, attributes)
            return outputs if operator.result_is_tuple else outputs[0]


class OperatorFunction(DirectCall, Routine):
    """The function of an operator on arrays and tensors: `function`, or the operator itself at once.

    op        name of the operator; calls of it by position need no more than arguments
    function  what is called otherwise, whose name and documentation this takes
    whole     it takes what NumPy's function does; else what the formula does
    """

    __qualname__: str

    def __init__(self, op: str, function: Callable[..., Any], whole: bool = True) -> None:
        self._call = function
        self.op = op
        self._set_name(op, whole)
        update_wrapper(self, function)

    @property
    def __signature__(self) -> inspect.Signature:
        """That of NumPy's function: what the arguments mean."""
        return whole_signature(self.op)

    def __repr__(self) -> str:
        return f"<function {self.__module__}.{self.__qualname__}>"

    def __reduce__(self) -> str:
        return self.__qualname__


class OperatorMethod(DirectCall, binds=True):
    """The method of tensors that is an operator: as `OperatorFunction`, the tensor before the arguments."""

    __qualname__: str

    def __init__(self, op: str, function: Callable[..., Any]) -> None:
        self._call = function
        self._set_name(op, True)
        update_wrapper(self, function)


class WrittenFunction(DirectCall, Routine):
    """A function that is written with operators, called at once where tensors are among its arguments.

    target    the function that it stands for; where a formula of a user stands for that, nothing is at once
    function  what is written with operators
    most      arguments by position that it takes
    general   what is called otherwise, whose name and documentation this takes
    make      makes this of the target, where it is unpickled
    """

    __qualname__: str

    def __init__(
        self,
        target: Callable[..., Any],
        function: Callable[..., Any],
        most: int,
        general: Callable[..., Any],
        make: Callable[[Any], Any],
    ) -> None:
        self._target, self._function, self._most, self._general = target, function, most, general
        self._make = make
        self._choose()
        FORMULAS.on_replaced(self._choose)
        update_wrapper(self, general)

    def _choose(self) -> None:
        """Have the function called at once, unless a user's formula stands for the target."""
        if FORMULAS.is_replaced(self._target):
            self._call = self._target  # whose dispatch finds that formula
            self._set_operator(None)
        else:
            self._call = self._general
            self._set_written(self._function, self._most)

    def __repr__(self) -> str:
        return repr(self._call)

    def __reduce__(self) -> tuple[Any, ...]:
        return self._make, (self._target,)
