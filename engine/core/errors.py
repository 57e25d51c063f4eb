"""Every error of the engines that a person can meet, in one place.

All derive from `PullbackError`. `FormulaError` (a formula that can't be used as
written) is defined by the transpiler, with its diagnostics.
"""

from __future__ import annotations

from ...transpile.diagnostics import PullbackError as PullbackError


class EngineUnavailableError(PullbackError, ImportError):
    """An engine was asked for that is unknown or not built on this machine."""


class StaleModuleError(EngineUnavailableError):
    """The native module was built from other sources than those beside it."""


class EngineMismatchError(PullbackError, TypeError):
    """Tensors of two engines met in one call."""


class SavedVariableError(PullbackError, RuntimeError):
    """A value that a backward needs was changed in place after it was saved."""


class GraphFreedError(PullbackError, RuntimeError):
    """A second backward through a graph whose saved values were let go after the first."""


class BarrierError(PullbackError, RuntimeError):
    """A derivative was differentiated again that holds for the first order only."""


class AnomalyError(PullbackError, RuntimeError):
    """A derivative gave a NaN, in anomaly mode."""


class InferenceTensorError(PullbackError, RuntimeError):
    """A tensor that was made in inference mode met a graph, or a write, outside of it."""


class CheckpointError(PullbackError, RuntimeError):
    """A checkpointed function computed something else when it ran again."""


class UnusedInputError(PullbackError, RuntimeError):
    """A gradient was asked for by a tensor that the outputs don't depend on, or by none at all."""


class GradientShapeError(PullbackError, ValueError):
    """A gradient doesn't have the shape of the tensor that it belongs to."""


class NotDifferentiableError(PullbackError, TypeError):
    """A function without a derivative was called on, or a gradient asked of, what can't have one."""


class ForeignArrayError(PullbackError, TypeError):
    """An array of another library, as torch or JAX, met a function that takes tensors and NumPy arrays."""


class MutationError(PullbackError, RuntimeError):
    """An in-place write that would make recorded gradients wrong."""


class OperatorLibraryError(PullbackError, ImportError):
    """A shared library is none of operators, or one that this package cannot use."""


class CompilerError(PullbackError, RuntimeError):
    """The C++ compiler is missing, or refused generated code."""


class GradcheckError(PullbackError, AssertionError):
    """A derivative disagrees with finite differences, or float32 with float64.

    order      of the derivative that is wrong, from 1
    input      position of the input
    index      of the element inside it
    analytic   what the formula gives
    numeric    what it was compared with
    error      their absolute difference
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
    """A formula's text can't be found: it was typed into a bare REPL, or made by `exec`."""
