"""The names of emitted Python, over JAX: `np` is `jax.numpy`, `special` is `jax.scipy.special`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import ModuleType
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from . import functions, primitives


class Names:
    """A module's names, some of them with another meaning than the module gives them."""

    def __init__(self, module: ModuleType, others: Mapping[str, Any]) -> None:
        self._module = module
        self._others = others

    def __getattr__(self, name: str) -> Any:
        found = self._others.get(name, getattr(self._module, name, None))
        if found is None:
            raise AttributeError(f"{self._module.__name__} has no {name!r}")
        return found() if isinstance(found, _Wide) else found


class _Wide:
    """A dtype that is half as wide where `jax_enable_x64` is off, as everything is in JAX then."""

    def __init__(self, dtype: Any) -> None:
        self._dtype = dtype

    def __call__(self) -> Any:
        return jax.dtypes.canonicalize_dtype(self._dtype).type


def _shape(x: Any) -> tuple[int, ...]:
    """The shape of an array, of a number or a tuple of them, or of what is `like` an array."""
    if hasattr(x, "shape"):
        return tuple(x.shape)
    return np.shape(x)


NUMPY = Names(
    jnp,
    {
        "shape": _shape,
        "ndim": lambda x: len(_shape(x)),
        "size": lambda x: math.prod(_shape(x)),
        "argsort": functions.argsort,
        "repeat": functions.repeat,
        "flatnonzero": functions.flatnonzero,
        "sign": functions.sign,
        **{name: _Wide(getattr(np, name)) for name in ("float64", "complex128", "int64", "uint64")},
    },
)

SPECIAL = Names(
    jax.scipy.special,
    {
        "log_expit": functions.log_expit,
        "exp10": functions.exp10,
        "cosm1": functions.cosm1,
        "erfcinv": functions.erfcinv,
    },
)
PRIMITIVES = Names(primitives, {})
