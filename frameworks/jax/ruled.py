"""Functions with a rule for tangents, which stays where JAX drops that of a `jax.custom_jvp`.

What runs in `lax.scan` and its kin is evaluated in part, to hoist what no iteration changes, and there JAX
replaces such a call by the text of its function. A primitive is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax.custom_derivatives import SymbolicZero
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir

Run = Callable[..., Sequence[Any]]

_CALL: Any = Primitive("pullback_call")
_CALL.multiple_results = True


class Ruled:
    """A function of pytrees whose tangents are those of a rule.

    function  gives a pytree of arrays
    rule      takes the arguments and their tangents, `SymbolicZero` for zeros, as tuples of pytrees; gives
              the outputs and their tangents
    """

    def __init__(self, function: Callable[..., Any], rule: Callable[[Any, Any], tuple[Any, Any]]) -> None:
        self._function = function
        self._rule = rule
        self.__name__ = getattr(function, "__name__", "ruled")

    def __call__(self, *args: Any) -> Any:
        leaves, structure = jax.tree.flatten(args)
        flat = _Flat(self._function, self._rule, structure)
        outputs = _CALL.bind(*map(jnp.asarray, leaves), flat=flat)
        return jax.tree.unflatten(flat.outputs, outputs)


class _Flat:
    """A function and its rule, of leaves: what the primitive is told."""

    outputs: Any

    def __init__(self, function: Any, rule: Any, structure: Any) -> None:
        self._function, self._rule, self._structure = function, rule, structure

    def run(self, *leaves: Any) -> list[Any]:
        """The leaves of the outputs."""
        found, self.outputs = jax.tree.flatten(self._function(*jax.tree.unflatten(self._structure, leaves)))
        return found

    def moved(self, primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        """The leaves of the outputs and of their tangents."""
        given = (jax.tree.unflatten(self._structure, each) for each in (primals, tangents))
        outputs, found = self._rule(*given)
        flat, self.outputs = jax.tree.flatten(outputs)
        return flat, jax.tree.leaves(found)


class _Batched:
    """The same for a batch; every output has it in front."""

    def __init__(self, flat: Any, axes: Sequence[int | None]) -> None:
        self._flat = flat
        self._axes = tuple(axes)

    def run(self, *leaves: Any) -> list[Any]:
        """The leaves of the outputs."""
        found: list[Any] = jax.vmap(self._flat.run, in_axes=self._axes)(*leaves)
        return found

    def moved(self, primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        """The leaves of the outputs and of their tangents."""
        moving = [k for k, tangent in enumerate(tangents) if not isinstance(tangent, SymbolicZero)]
        still: list[bool] = []

        def one(primals: Sequence[Any], given: Sequence[Any]) -> tuple[list[Any], list[Any]]:
            full = [SymbolicZero(jax.typeof(primal).to_tangent_aval()) for primal in primals]
            for k, tangent in zip(moving, given, strict=True):
                full[k] = tangent
            outputs, found = self._flat.moved(primals, full)
            still[:] = [isinstance(tangent, SymbolicZero) for tangent in found]
            return outputs, [tangent for tangent in found if not isinstance(tangent, SymbolicZero)]

        axes = list(self._axes), [self._axes[k] for k in moving]
        given = [tangents[k] for k in moving]
        outputs, found = jax.vmap(one, in_axes=axes)(list(primals), given)
        rest = iter(found)
        pairs = zip(still, outputs, strict=True)
        return outputs, [
            SymbolicZero(jax.typeof(output).to_tangent_aval()) if zero else next(rest)
            for zero, output in pairs
        ]


def _jvp(primals: Sequence[Any], tangents: Sequence[Any], *, flat: Any) -> tuple[list[Any], list[Any]]:
    given = [SymbolicZero(t.aval) if type(t) is ad.Zero else t for t in tangents]
    outputs, found = flat.moved(primals, given)
    return outputs, [ad.Zero(t.aval) if isinstance(t, SymbolicZero) else t for t in found]


def _batch(args: Sequence[Any], axes: Sequence[Any], *, flat: Any) -> tuple[list[Any], list[int]]:
    outputs = _CALL.bind(*args, flat=_Batched(flat, axes))
    return outputs, [0] * len(outputs)


_CALL.def_impl(lambda *args, flat: flat.run(*args))
_CALL.def_abstract_eval(lambda *avals, flat: jax.make_jaxpr(flat.run)(*avals).out_avals)
mlir.register_lowering(_CALL, mlir.lower_fun(lambda *args, flat: flat.run(*args), multiple_results=True))
ad.primitive_jvps[_CALL] = _jvp
batching.primitive_batchers[_CALL] = _batch
