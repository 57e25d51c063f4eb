"""Functions that call the native engine without Python in between, where it is built."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import update_wrapper
from typing import TYPE_CHECKING, Any

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


class WrittenFunction(DirectCall, Routine):
    """A function that is written with operators, called at once where there are tensors among its arguments.

    dispatching  what is called otherwise, which wraps the function
    most         arguments by position before `out`
    """

    __qualname__: str

    def __init__(self, dispatching: Callable[..., Any], most: int) -> None:
        self._call = dispatching
        self._most = most
        self._set_written(inspect.unwrap(dispatching), most)
        update_wrapper(self, dispatching)

    def __repr__(self) -> str:
        return repr(self._call)

    def __reduce__(self) -> tuple[Any, ...]:
        return WrittenFunction, (self._call, self._most)
