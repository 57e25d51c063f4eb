"""Formulas as JAX functions: `function`, and `compile`, by which they run as compiled kernels on the CPU.

Needs `jax`: the extra `jax` of the package installs it.
"""

try:
    import jax as _jax  # noqa: F401
except ImportError as error:
    raise ImportError(
        "pullback.jax needs JAX, which is not installed: pip install 'pullback[jax]'"
    ) from error

from .compiled import Compiled as Compiled
from .compiled import compile as compile
from .function import Function as Function
from .function import function as function
