"""Which kernels of a formula the engine without Python calls, and with what.

A kernel's arguments are written as pairs: ``i0`` the first input, ``o0`` the
first result, ``g0`` its gradient, ``l0`` the shape and dtype of the first input.
"""

from __future__ import annotations

from dataclasses import dataclass

from ...ir import Atom, Formula, Var
from ..native.formula_kernels import Compiled
from ..native.kernel import Input


@dataclass(frozen=True, slots=True)
class KernelCalls:
    """A letter per input of the forward's kernel; the backward's arguments, and whose gradients it gives."""

    forward: str
    backward: str = ""
    gradients: str = ""


def kernel_calls(formula: Formula, compiled: Compiled) -> KernelCalls:
    """Of the plain first backward, if it takes nothing but tensors and shapes."""
    forward = "".join(entry.code for entry in compiled.forward.inputs)
    derivative = compiled.derivative
    if derivative is None:
        return KernelCalls(forward)
    arguments = [_argument(formula, entry) for entry in derivative.forward.inputs]
    if None in arguments or derivative.forward.name != f"{formula.name}_backward":
        return KernelCalls(forward)
    inputs = [i for i, param in enumerate(formula.params) if param.differentiable]
    gradients = "".join(str(inputs[k]) for k in compiled.gradients)
    return KernelCalls(forward, "".join(map(str, arguments)), gradients)


def _argument(formula: Formula, entry: Input) -> str | None:
    assert formula.pullback is not None
    if entry.role == "like":
        shapes = [eqn for eqn in formula.forward.eqns if eqn.op == "like" and entry.var in eqn.outs]
        of = _place(formula, shapes[0].args[0]) if shapes else None
        return None if of is None or of[0] != "i" else f"l{of[1:]}"
    if entry.role != "tensor":
        return None
    if entry.var in formula.pullback.params:
        return f"g{formula.pullback.params.index(entry.var)}"
    return _place(formula, entry.var)


def _place(formula: Formula, var: Atom) -> str | None:
    inputs = [param.var for param in formula.params if not param.attribute]
    results = [atom for atom in formula.forward.results[: formula.results] if isinstance(atom, Var)]
    if not isinstance(var, Var):
        return None
    if var in inputs:
        return f"i{inputs.index(var)}"
    return f"o{results.index(var)}" if var in results else None
