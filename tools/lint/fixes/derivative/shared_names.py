"""Functions of PyTorch that formulas have as an operator, operand for operand."""

from __future__ import annotations

_NUMPY = "exp expm1 log log1p sin cos tan sinh cosh tanh sqrt square abs sign reciprocal where matmul"

SHARED_NAMES = {
    **{name: f"np.{name}" for name in _NUMPY.split()},
    "linalg.solve": "np.linalg.solve",
    "linalg.inv": "np.linalg.inv",
    "sigmoid": "special.expit",
    "erf": "special.erf",
}
