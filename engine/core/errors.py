"""Every error of the engines that a person can meet, in one place.

All derive from `PullbackError`. `FormulaError` (a formula that can't be used as
written) is defined by the transpiler, with its diagnostics.
"""

from __future__ import annotations

from ...transpile.diagnostics import PullbackError as PullbackError


class EngineUnavailableError(PullbackError, ImportError):
    """An engine was asked for that is unknown or not built on this machine.

    >>> import pullback as pb
    >>> with pb.use_engine("steam"):
    ...     pass
    Traceback (most recent call last):
    pullback.engine.core.errors.EngineUnavailableError: ...
    """


class StaleModuleError(EngineUnavailableError):
    """The native module was built from other sources than those beside it."""


class EngineMismatchError(PullbackError, TypeError):
    """Tensors of two engines met in one call.

    >>> import pullback as pb
    >>> with pb.use_engine("reference"):
    ...     a = pb.tensor(1.0)
    >>> with pb.use_engine("native"):
    ...     b = pb.tensor(1.0)
    >>> a + b
    Traceback (most recent call last):
    pullback.engine.core.errors.EngineMismatchError: ...
    """


class BatchedValueError(PullbackError, RuntimeError):
    """Inside of `pb.func.vmap`, the value of one example was asked for.

    >>> import numpy as np, pullback as pb
    >>> pb.func.vmap(lambda x: x if x > 0 else -x)(np.array([1.0, -2.0]))
    Traceback (most recent call last):
    pullback.engine.core.errors.BatchedValueError: ...
    """


class DistributedError(PullbackError, RuntimeError):
    """Processes can't communicate, call different operators, or one of them never comes.

    >>> import numpy as np
    >>> from pullback import distributed
    >>> distributed.recv(np.zeros(2), source=0, group=distributed.Alone())
    Traceback (most recent call last):
    pullback.engine.core.errors.DistributedError: ...
    """


class SavedVariableError(PullbackError, RuntimeError):
    """A value that a backward needs was changed in place after it was saved.

    >>> import pullback as pb
    >>> x = pb.tensor([1.0, 2.0], requires_grad=True)
    >>> y = x * 1.0
    >>> z = (y * y).sum()
    >>> y += 1.0
    >>> z.backward()
    Traceback (most recent call last):
    pullback.engine.core.errors.SavedVariableError: ...
    """


class GraphFreedError(PullbackError, RuntimeError):
    """A second backward through a graph whose saved values were let go after the first.

    >>> import pullback as pb
    >>> x = pb.tensor(2.0, requires_grad=True)
    >>> y = x * x
    >>> y.backward()
    >>> y.backward()
    Traceback (most recent call last):
    pullback.engine.core.errors.GraphFreedError: ...
    """


class BarrierError(PullbackError, RuntimeError):
    """A derivative was differentiated again that holds for the first order only.

    >>> import numpy as np
    >>> import pullback as pb
    >>> @pb.formula(first_order_only=True)
    ... def once(x):
    ...     return np.sin(x), lambda grad: grad * np.cos(x)
    >>> x = pb.tensor(1.0, requires_grad=True)
    >>> (first,) = pb.grad(once(x), x, create_graph=True)
    >>> first.backward()
    Traceback (most recent call last):
    pullback.engine.core.errors.BarrierError: ...
    """


class AnomalyError(PullbackError, RuntimeError):
    """A derivative gave a NaN, in anomaly mode.

    >>> import numpy as np
    >>> import pullback as pb
    >>> x = pb.tensor(0.0, requires_grad=True)
    >>> with np.errstate(all="ignore"), pb.detect_anomaly():
    ...     (np.sqrt(x) * 0.0).backward()
    Traceback (most recent call last):
    pullback.engine.core.errors.AnomalyError: the derivative of sqrt gave nan for its input 0...
    """


class InferenceTensorError(PullbackError, RuntimeError):
    """A tensor that was made in inference mode met a graph, or a write, outside of it.

    >>> import pullback as pb
    >>> with pb.inference_mode():
    ...     x = pb.tensor(1.0)
    >>> x * pb.tensor(2.0, requires_grad=True)
    Traceback (most recent call last):
    pullback.engine.core.errors.InferenceTensorError: ...
    """


class CheckpointError(PullbackError, RuntimeError):
    """A checkpointed function computed something else when it ran again.

    >>> import numpy as np
    >>> import pullback as pb
    >>> exponents = iter([2, 3])
    >>> x = pb.tensor([1.0, 2.0], requires_grad=True)
    >>> y = pb.checkpoint(lambda x: np.exp(x ** next(exponents)), x)
    >>> y.sum().backward()
    Traceback (most recent call last):
    pullback.engine.core.errors.CheckpointError: ...
    """


class UnusedInputError(PullbackError, RuntimeError):
    """A gradient was asked for by a tensor that the outputs don't depend on, or by none at all.

    >>> import pullback as pb
    >>> x, y = pb.tensor([1.0, 2.0], requires_grad=True)
    >>> pb.grad(x * x, y)
    Traceback (most recent call last):
    pullback.engine.core.errors.UnusedInputError: ...
    """


class GradientShapeError(PullbackError, ValueError):
    """A gradient doesn't have the shape of the tensor that it belongs to.

    >>> import numpy as np
    >>> import pullback as pb
    >>> x = pb.tensor([1.0, 2.0], requires_grad=True)
    >>> (x * x).backward(np.ones(3))
    Traceback (most recent call last):
    pullback.engine.core.errors.GradientShapeError: ...
    """


class NotDifferentiableError(PullbackError, TypeError):
    """A function without a derivative was called on, or a gradient asked of, what can't have one.

    >>> import numpy as np
    >>> import pullback as pb
    >>> pb.tensor([1, 2], requires_grad=True)
    Traceback (most recent call last):
    pullback.engine.core.errors.NotDifferentiableError: ...
    """


class ForeignArrayError(PullbackError, TypeError):
    """An array of another library, as torch or JAX, met a function that takes tensors and NumPy arrays.

    >>> import pullback as pb
    >>> from array import array
    >>> pb.grad(array("d", [1.0, 2.0]) * pb.tensor([1.0, 2.0], requires_grad=True), [])
    Traceback (most recent call last):
    pullback.engine.core.errors.ForeignArrayError: ...
    """


class MutationError(PullbackError, RuntimeError):
    """An in-place write that would make recorded gradients wrong.

    >>> import pullback as pb
    >>> w = pb.tensor([1.0, 2.0], requires_grad=True)
    >>> w += 1.0
    Traceback (most recent call last):
    pullback.engine.core.errors.MutationError: ...
    """


class OperatorLibraryError(PullbackError, ImportError):
    """A shared library is none of operators, or one that this package cannot use.

    >>> import numpy as np
    >>> import pullback as pb
    >>> pb.load_operator(np.linalg._umath_linalg.__file__, "cube")
    Traceback (most recent call last):
    pullback.engine.core.errors.OperatorLibraryError: ...
    """


class CompilerError(PullbackError, RuntimeError):
    """The C++ compiler is missing, or refused generated code.

    >>> import os
    >>> import pullback as pb
    >>> from unittest import mock
    >>> @pb.compile
    ... def square(x):
    ...     return x * x
    >>> with mock.patch.dict(os.environ, CXX="no-such-compiler"):
    ...     square(pb.tensor(2.0))
    Traceback (most recent call last):
    pullback.engine.core.errors.CompilerError: ...
    """


class GradcheckError(PullbackError, AssertionError):
    """A derivative disagrees with finite differences, or float32 with float64.

    order      of the derivative that is wrong, from 1
    input      position of the input
    index      of the element inside it
    analytic   what the formula gives
    numeric    what it was compared with
    error      their absolute difference

    >>> import numpy as np
    >>> import pullback as pb
    >>> @pb.formula()
    ... def wrong(x):
    ...     return np.sin(x), lambda grad: grad * np.sin(x)
    >>> pb.gradcheck(wrong, pb.tensor(0.5, requires_grad=True))
    Traceback (most recent call last):
    pullback.engine.core.errors.GradcheckError: ...
    """

    def __init__(
        self,
        message: str,
        *,
        order: int = 0,
        input: int = 0,
        index: tuple[int, ...] = (),
        analytic: float = 0.0,
        numeric: float = 0.0,
    ) -> None:
        super().__init__(message)
        self.order = order
        self.input = input
        self.index = index
        self.analytic = analytic
        self.numeric = numeric
        self.error = abs(analytic - numeric)


class SourceUnavailableError(PullbackError, OSError):
    """A formula's text can't be found: it was typed into a bare REPL, or made by `exec`.

    >>> import pullback as pb
    >>> names = {"pb": pb}
    >>> exec("double = pb.formula(lambda x: (2 * x, lambda grad: 2 * grad))", names)
    >>> names["double"](pb.tensor(1.0))
    Traceback (most recent call last):
    pullback.engine.core.errors.SourceUnavailableError: ...
    """
