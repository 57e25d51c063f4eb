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

            def _set_name(self, name):
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
    """

    __qualname__: str

    def __init__(self, op: str, function: Callable[..., Any]) -> None:
        self._call = function
        self.op = op
        self._set_name(op)
        update_wrapper(self, function)

    @property
    def __signature__(self) -> inspect.Signature:
        """That of NumPy's function: what the arguments mean."""
        return whole_signature(self.op)

    def __repr__(self) -> str:
        return f"<function {self.__module__}.{self.__qualname__}>"

    def __reduce__(self) -> str:
        return self.__qualname__
