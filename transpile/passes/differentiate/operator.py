"""The sweep over an operator: its own formula's pullback, promoted, specialized and inlined.

>>> from ...library import formula_in, standard_library
>>> from ...printer import formula_text
>>> from .derive import derive
>>> ratio = formula_in('''
... def ratio(a, b):
...     return a / b
... ''')
>>> print(formula_text(derive(ratio, standard_library())))
formula ratio(a: Tensor, b: Tensor)
  forward:
    ratio_1 = divide(a, b)
    like_a = like(a)
    like_b = like(b)
    return result ratio_1
  pullback(grad):
    _1 = divide(grad, b)
    _2 = negative(grad)
    _3 = multiply(_2, ratio_1)
    _4 = divide(_3, b)
    grad_a = sum_to(_1, like=like_a)
    grad_b = sum_to(_4, like=like_b)
    return grad_a, grad_b
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set

from ...analysis.types import type_of
from ...ir import Atom, Eqn, Formula, Literal, Var
from ...ir.dtypes import among_floats, is_inexact
from ...ir.types import TensorType, Type
from ...rewrite import METADATA, Namer, bind_operands, copy_eqns, label, placed, replace_atom, slice_of
from .sweep import Context, Sweep, grad_name, zeros_of

CASTING = frozenset({"index_put", "astype"})  # operators that cast an operand to a dtype


def sweep_operator(eqn: Eqn, sweep: Sweep, context: Context) -> None:
    """Sweep back over a call of an operator.

    Raises NoDerivative where it has none.
    """
    namer = context.namer
    formula = context.library.promoted(eqn.op, eqn)
    outs = list(eqn.outs)
    while len(outs) < formula.results + len(formula.hidden):
        hidden = formula.hidden[len(outs) - formula.results]
        outs.append(namer.fresh(f"{label(outs[0])}_{hidden.name}"))
    env = bind_operands(formula, eqn)
    env.update(zip((a for a in formula.forward.results if isinstance(a, Var)), outs, strict=False))
    needed = [_wanted(env.get(param.var), context.active) for param in formula.inputs]
    defined = [out in sweep.cotangents for out in outs]
    literals = {var: atom for var, atom in env.items() if isinstance(atom, Literal)}
    variant = context.library.variant(formula, defined, needed, literals)

    forward = Eqn(tuple(outs), eqn.op, eqn.args, eqn.kwargs, (), eqn.span)
    cut = eqn.op in CASTING and outs[0] in sweep.cotangents and _may_cut(eqn, context.types)
    # A derived closure of a cast cuts the gradient itself.
    cut = cut and all(inside.op != "gradient_like" for inside in variant.block.eqns)
    if cut and sweep.cotangents[outs[0]] not in sweep.cut:
        _cut_with_value(eqn, sweep, namer)
    cotangents: dict[Var, Atom] = {
        param: sweep.cotangents[out]
        for param, out in zip(formula.cotangents, outs, strict=True)
        if out in sweep.cotangents
    }
    for index in variant.materialize:
        zero, like, fill = zeros_of(outs[index], eqn, namer)
        cotangents[formula.cotangents[index]] = zero
        sweep.forward.append(like)
        sweep.backward.append(fill)
    saved = slice_of(formula.forward.eqns, variant.block.free(), (*env, *cotangents))
    known = dict(env)
    inlined = copy_eqns([placed(e, eqn) for e in saved], env, namer, _metadata_names(saved, env))
    # A conditional that is copied for one of its outputs leaves the others to the operator.
    env.update(known)
    env.update(cotangents)
    named = _gradient_names(formula, variant.block.results, env)
    body = copy_eqns([placed(e, eqn) for e in variant.block.eqns], env, namer, named)
    sweep.forward += [*reversed(inlined), forward]
    sweep.backward += body
    for param, atom in zip(formula.inputs, variant.block.results, strict=True):
        operand = env.get(param.var)
        if isinstance(operand, Var):
            gradient = replace_atom(atom, env)
            sweep.add(operand, gradient, eqn, namer)
            if cut and eqn.op == "index_put" and operand == eqn.args[0]:
                sweep.cut.add(gradient)


def _may_cut(eqn: Eqn, types: Mapping[Var, Type]) -> bool:
    """True where a result may hold integers or booleans that are cast from floats.

    It cannot where its dtype is known, or one of those that the value has: then that is no float either.
    """
    result, value = (type_of(atom, types) for atom in (eqn.outs[0], eqn.args[-1]))
    if not isinstance(result, TensorType) or is_inexact(result.dtype):
        return False
    return not isinstance(value, TensorType) or not among_floats(value.dtype) <= among_floats(result.dtype)


def _cut_with_value(eqn: Eqn, sweep: Sweep, namer: Namer) -> None:
    """Have what arrives at a cast value, zeros where the cast is one to integers or booleans."""
    (out,) = eqn.outs
    like = namer.fresh(f"like_{label(out)}", "value")
    grad = namer.fresh(grad_name(out))
    sweep.forward.append(Eqn((like,), "like", (out,), span=eqn.span))
    arrived = sweep.cotangents[out]
    sweep.backward.append(Eqn((grad,), "gradient_like", (arrived,), (("like", like),), span=eqn.span))
    sweep.cotangents[out] = grad


def _gradient_names(formula: Formula, gradients: Sequence[Atom], env: Mapping[Var, Atom]) -> dict[Var, str]:
    """Names that put the operand for `x` in the place of `x` in the operator's ``grad_x``."""
    named = {}
    for param, gradient in zip(formula.inputs, gradients, strict=True):
        operand = env.get(param.var)
        if isinstance(gradient, Var) and isinstance(operand, Var) and _is_named(operand):
            named[gradient] = grad_name(operand)
    return named


def _is_named(var: Var) -> bool:
    """True where a variable has a name for readers: a temporary may."""
    return not var.temp or label(var) == var.name


def _metadata_names(eqns: Iterable[Eqn], env: Mapping[Var, Atom]) -> dict[Var, str]:
    """Names that put the operand for `x` in the place of `x` in the operator's ``like_x``."""
    named = {}
    for eqn in eqns:
        operand = env.get(eqn.args[0]) if eqn.args and isinstance(eqn.args[0], Var) else None
        if eqn.op in METADATA and isinstance(operand, Var) and _is_named(operand):
            named[eqn.outs[0]] = f"like_{operand}" if eqn.op == "like" else f"{operand}_{eqn.op}"
    return named


def _wanted(operand: Atom | None, active: Set[Var]) -> bool:
    return isinstance(operand, Var) and operand in active
