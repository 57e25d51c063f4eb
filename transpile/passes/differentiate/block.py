"""The reverse sweep: cotangents of a block's inputs from cotangents of its values.

In: equations in order, cotangents of some of their outputs, the variables that
gradients are wanted for. Out: the equations of the sweep, the cotangents, and
the forward equations with the outputs that the sweep needs of them (hidden
outputs of operators, values inside a conditional).

Each operator contributes its own formula, promoted and inlined; that is what
makes differentiation closed. See Griewank and Walther, "Evaluating
Derivatives", 2nd ed., section 3.2, for the reverse sweep itself.

>>> from ...library import formula_in, standard_library
>>> from ...printer import formula_text
>>> from .derive import derive
>>> wave = formula_in('''
... def wave(x):
...     t = np.sin(x)
...     return t * t
... ''')
>>> print(formula_text(derive(wave, standard_library())))
formula wave(x: Tensor)
  forward:
    t = sin(x)
    product = multiply(t, t)
    like_t = like(t)
    like_t_1 = like(t)
    return result product
  pullback(grad):
    _1 = multiply(grad, t)
    _2 = multiply(grad, t)
    grad_t = sum_to(_1, like=like_t)
    grad_t_1 = sum_to(_2, like=like_t_1)
    grad_t_2 = accumulate(grad_t, grad_t_1)
    _1_1 = cos(x)
    grad_x = multiply(grad_t_2, _1_1)
    return grad_x
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set

from ...analysis.differentiability import Flow, propagate
from ...analysis.types import types_of
from ...derivatives import Derivatives
from ...ir import Eqn, Var
from ...ir.dtypes import dtype_text
from ...ir.types import TensorType, Type
from ...rewrite import Namer
from .branch import sweep_branch
from .list import OF_LISTS
from .loop import sweep_loop
from .operator import CASTING, sweep_operator
from .sweep import Context, Sweep


def differentiate(
    eqns: Sequence[Eqn],
    cotangents: Mapping[Var, Var],
    inputs: Iterable[Var],
    stop: Set[Var],
    library: Derivatives,
    namer: Namer,
    known: Mapping[Var, Type],
    in_loop: bool = False,
) -> Sweep:
    """Sweep back over `eqns`, from `cotangents`, as far as `inputs` and the values in `stop`.

    `known` has the types of what the equations read, as far as they are known; `in_loop` says
    that the equations are a loop's iteration, or a part of one.
    Raises NoDerivative where an operator on the way has no derivative.
    """
    flow = {var: Flow.WHOLE for var, type_ in known.items() if _is_whole(type_)}
    flow.update(dict.fromkeys(inputs, Flow.DIFFERENTIABLE))
    propagate(eqns, flow, dict.fromkeys(stop, Flow.DIFFERENTIABLE))
    active = {var for var, here in flow.items() if here > Flow.NONE} | set(stop)

    asked = any(eqn.blocks or eqn.op in CASTING for eqn in eqns)
    env = types_of(eqns, known) if asked else known

    def recurse(
        inner: Sequence[Eqn],
        seeds: Mapping[Var, Var],
        wanted: Iterable[Var],
        iteration: Mapping[Var, Type] | None = None,
    ) -> Sweep:
        inside, outer = iteration is not None, {**env, **(iteration or {})}
        return differentiate(inner, seeds, wanted, stop, library, namer, outer, in_loop or inside)

    context = Context(active, stop, library, namer, recurse, env, in_loop)
    sweep = Sweep([], [], dict(cotangents))
    for eqn in reversed(eqns):
        reached = [var for var in eqn.outs if var in sweep.cotangents and var not in stop]
        if not reached or not any(var in active for var in reached):
            sweep.forward.append(eqn)
            continue
        # What arrives where the sweep stops is for the author's closure, and no cotangent of this equation.
        held = {var: sweep.cotangents.pop(var) for var in eqn.outs if var in stop and var in sweep.cotangents}
        if eqn.op == "if":
            sweep_branch(eqn, sweep, context)
        elif eqn.op == "for":
            sweep_loop(eqn, sweep, context)
        elif eqn.op in OF_LISTS and (eqn.op != "accumulate" or eqn.outs[0].kind == "list"):
            OF_LISTS[eqn.op](eqn, sweep, context)
        else:
            sweep_operator(eqn, sweep, context)
        sweep.cotangents.update(held)
    sweep.forward.reverse()
    return sweep


def _is_whole(type_: Type) -> bool:
    """True for an array of integers or booleans."""
    return isinstance(type_, TensorType) and dtype_text(type_.dtype).startswith(("int", "uint", "bool"))
