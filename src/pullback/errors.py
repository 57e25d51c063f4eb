"""The errors that pullback raises: each is a `PullbackError`, which `pb` has too, as it has `FormulaError`.

>>> import pullback as pb
>>> issubclass(pb.errors.SavedVariableError, pb.PullbackError)
True
"""

from .engine.core.errors import (
    AnomalyError,
    BarrierError,
    BatchedValueError,
    CheckpointError,
    CompilerError,
    DistributedError,
    EngineMismatchError,
    EngineUnavailableError,
    ForeignArrayError,
    GradcheckError,
    GradientShapeError,
    GraphFreedError,
    InferenceTensorError,
    MutationError,
    NotDifferentiableError,
    OperatorLibraryError,
    PullbackError,
    SavedVariableError,
    SourceUnavailableError,
    UnusedInputError,
)
from .transpile.diagnostics import FormulaError

__all__ = [
    "AnomalyError",
    "BarrierError",
    "BatchedValueError",
    "CheckpointError",
    "CompilerError",
    "DistributedError",
    "EngineMismatchError",
    "EngineUnavailableError",
    "ForeignArrayError",
    "FormulaError",
    "GradcheckError",
    "GradientShapeError",
    "GraphFreedError",
    "InferenceTensorError",
    "MutationError",
    "NotDifferentiableError",
    "OperatorLibraryError",
    "PullbackError",
    "SavedVariableError",
    "SourceUnavailableError",
    "UnusedInputError",
]
