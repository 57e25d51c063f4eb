"""Differentiability: which values depend on a differentiable input, and through what.

In: a formula. Out: a `Flow` for each variable of its forward.

``m = x > 0`` carries none, whatever `x` is: a comparison's derivative is zero.
Nor does ``sign``, ``floor``, or a mask cast to float. Results count as
differentiable whatever computes them, so that a straight-through closure over
``round`` stays consistent with itself; values with a hand-written rule do too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import IntEnum

from ..ir import Atom, Eqn, Formula, Literal, Var
from ..operators import OPERATORS


class Flow(IntEnum):
    """The flow through a value; of two operands, the larger one decides."""

    WHOLE = -1  # an array of integers or booleans, which cuts off what is written into it
    NONE = 0  # no gradient, or one that is known to be zero
    DIFFERENTIABLE = 1
    OPAQUE = 2  # depends on a differentiable input through something unknown


_SIZES = frozenset(
    {"shape", "ndim", "size", "dtype", "like", "is_none", "isinstance", "not_", "slice", "len", "range"}
)
_WHOLE = frozenset({"int", "bool", "math.ceil", "math.floor"})
_LEAVES_THE_GRAPH = ("float", "math.")


def flows(formula: Formula) -> dict[Var, Flow]:
    """The flow of every variable of the forward, those of nested blocks included.

    >>> from ..ir import Block, Param, Source, Span
    >>> x, m, r = Var("x"), Var("m"), Var("r")
    >>> zero = Literal(0)
    >>> eqns = (Eqn((m,), "greater", (x, zero)), Eqn((r,), "multiply", (x, m)))
    >>> span = Span("f.py", 1, 1, 1, 1)
    >>> f = Formula("f", (Param(x),), Block((x,), eqns, (r,)), None, Source("f.py", ""), span)
    >>> flows(f)[m].name, flows(f)[r].name
    ('NONE', 'DIFFERENTIABLE')
    """
    env = {param.var: Flow(param.differentiable) for param in formula.params}
    stops = {var: Flow.DIFFERENTIABLE for var, _ in formula.rules}
    for index, atom in enumerate(formula.forward.results[: formula.results]):
        if isinstance(atom, Var):
            stops[atom] = Flow(index not in formula.options.nondifferentiable)
    inputs = {param.var for param in formula.params}
    propagate(formula.forward.eqns, env, {var: flow for var, flow in stops.items() if var not in inputs})
    return env


def intermediates(formula: Formula) -> set[Var]:
    """Tensors that the pullback reads, that carry a gradient, and that are neither inputs nor results."""
    assert formula.pullback is not None
    flow = flows(formula)
    other = {*formula.forward.params, *formula.forward.results}
    return {
        var
        for var in formula.pullback.free()
        if var.kind == "tensor" and flow.get(var) is Flow.DIFFERENTIABLE and var not in other
    }


def propagate(eqns: Iterable[Eqn], env: dict[Var, Flow], stops: Mapping[Var, Flow]) -> None:
    """Extend `env` by what the equations define; `stops` have the flow that they have."""
    for eqn in eqns:
        if eqn.op == "if":
            for block in eqn.blocks:
                propagate(block.eqns, env, stops)
            for index, out in enumerate(eqn.outs):
                env[out] = max(flow_of(block.results[index], env) for block in eqn.blocks)
        elif eqn.op == "for":
            _through_loop(eqn, env, stops)
        elif eqn.op == "vjp":
            _through_vjp(eqn, env, stops)
        else:
            flow = _through(eqn, env)
            env.update(dict.fromkeys(eqn.outs, flow))
        for out in eqn.outs:
            if out in stops:
                env[out] = stops[out]


def _through_loop(eqn: Eqn, env: dict[Var, Flow], stops: Mapping[Var, Flow]) -> None:
    """A carried value has the strongest flow of any iteration: there may be none."""
    (body,) = eqn.blocks
    env.update({param: flow_of(atom, env) for param, atom in zip(body.params, eqn.args, strict=True)})
    carried = body.params[1:]
    while True:
        before = [env[var] for var in carried]
        propagate(body.eqns, env, stops)
        for var, atom in zip(carried, body.results, strict=False):
            env[var] = max(env[var], flow_of(atom, env))
        if before == [env[var] for var in carried]:
            break
    last = (*carried, *body.results[len(carried) :])
    env.update({out: flow_of(atom, env) for out, atom in zip(eqn.outs, last, strict=True)})


def _through_vjp(eqn: Eqn, env: dict[Var, Flow], stops: Mapping[Var, Flow]) -> None:
    """The outputs depend on the inputs and on what the block reads; the gradients on the cotangents too."""
    (body,) = eqn.blocks
    env.update({param: flow_of(atom, env) for param, atom in zip(body.params, eqn.args, strict=False)})
    propagate(body.eqns, env, stops)
    constant = eqn.kwarg("create_graph") == Literal(False)
    read = (*eqn.args, *body.free(), *body.results)
    flow = Flow.NONE if constant else max(flow_of(atom, env) for atom in read)
    env.update(dict.fromkeys(eqn.outs, flow))


def flow_of(atom: Atom, env: Mapping[Var, Flow]) -> Flow:
    """The flow of an operand."""
    return env.get(atom, Flow.NONE) if isinstance(atom, Var) else Flow.NONE


def _through(eqn: Eqn, env: Mapping[Var, Flow]) -> Flow:
    if _is_whole_array(eqn, env):
        return Flow.WHOLE
    info = OPERATORS.get(eqn.op)
    if eqn.op in _SIZES or eqn.op in _WHOLE or (info is not None and info.derivative == "zero"):
        return Flow.NONE
    args = eqn.args[1:] if eqn.op == "where" else eqn.args
    atoms = (*args, *(value for _, value in eqn.kwargs)) if eqn.op == "opaque" else args
    strongest = max((Flow.NONE, *(flow_of(atom, env) for atom in atoms)))
    if strongest is not Flow.NONE and (eqn.op == "opaque" or leaves_the_graph(eqn)):
        return Flow.OPAQUE
    return strongest


def _is_whole_array(eqn: Eqn, env: Mapping[Var, Flow]) -> bool:
    """True for arrays that are made of integers or booleans, and for those that are written to and copied."""
    if eqn.op in ("index_put", "positive"):
        return flow_of(eqn.args[0], env) is Flow.WHOLE
    return eqn.op in ("astype", "zeros", "ones", "full") and _is_whole(eqn.kwarg("dtype"))


def leaves_the_graph(eqn: Eqn) -> bool:
    """True where an equation makes a plain number of a tensor (``float(x)``, ``math.sqrt(x)``)."""
    return eqn.op.startswith(_LEAVES_THE_GRAPH) and eqn.op not in _WHOLE


def _is_whole(dtype: Atom | None) -> bool:
    name = dtype.value if isinstance(dtype, Literal) else None
    return isinstance(name, str) and name.startswith(("int", "uint", "bool"))
