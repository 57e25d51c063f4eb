"""NumPy's functions that are written with operators, a file per kind.

Their derivatives come from the operators that they are made of. On arrays alone
NumPy's own functions run.
"""

from . import (
    calculus,
    entries,
    extending,
    floats,
    fourier,
    histograms,
    joining,
    matrices,
    nan,
    polynomials,
    products,
    quantiles,
    selection,
    sets,
    shapes,
    splitting,
    statistics,
)
from .table import WRITTEN_WITH_OPERATORS

__all__ = [
    "WRITTEN_WITH_OPERATORS",
    "calculus",
    "entries",
    "extending",
    "floats",
    "fourier",
    "histograms",
    "joining",
    "matrices",
    "nan",
    "polynomials",
    "products",
    "quantiles",
    "selection",
    "sets",
    "shapes",
    "splitting",
    "statistics",
]
