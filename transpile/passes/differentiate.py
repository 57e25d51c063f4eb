"""The reverse sweep: cotangents of a block's inputs from cotangents of its values.

In: equations in order, cotangents of some of their outputs, the variables that
gradients are wanted for. Out: the equations of the sweep, the cotangents, and
the forward equations with the outputs that the sweep needs of them (hidden
outputs of operators, values inside a conditional).

Each operator contributes its own formula, promoted and inlined; that is what
makes differentiation closed. See Griewank and Walther, "Evaluating
Derivatives", 2nd ed., section 3.2, for the reverse sweep itself.

>>> from ..ir import Block
>>> from ..library import formula_in, standard_library
>>> from ..printer import block_text
>>> formula = formula_in('''
... def wave(x):
...     t = np.sin(x)
...     return t * t
... ''')
>>> (x,), (r,) = formula.forward.params, formula.forward.results
>>> namer = Namer.of(formula)
>>> seed = namer.fresh("grad")
>>> sweep = differentiate(formula.forward.eqns, {r: seed}, [x], frozenset(), standard_library(), namer)
>>> print(block_text(Block((seed,), tuple(sweep.backward), (sweep.cotangents[x],))))
_1_1 = multiply(grad, t)
_2 = multiply(grad, t)
grad_t = sum_to(_1_1, like=like_t)
grad_t_1 = sum_to(_2, like=like_t_1)
grad_t_2 = accumulate(grad_t, grad_t_1)
_1_2 = cos(x)
grad_x = multiply(grad_t_2, _1_2)
return grad_x
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field

from ..analysis.differentiability import Flow, propagate
from ..ir import Atom, Block, Eqn, Formula, Literal, Param, Var
from ..library import Library, NoDerivative
from .rewrite import Namer, copy_eqns, defining, replace_atom, slice_of
from .specialize import specialize

_METADATA = frozenset({"shape", "ndim", "size", "dtype", "like"})


@dataclass(slots=True)
class Sweep:
    """What a reverse sweep leaves: `forward` replaces the equations it went over."""

    forward: list[Eqn]
    backward: list[Eqn] = field(default_factory=list)
    cotangents: dict[Var, Var] = field(default_factory=dict)


def differentiate(
    eqns: Sequence[Eqn],
    cotangents: Mapping[Var, Var],
    inputs: Iterable[Var],
    stop: Set[Var],
    library: Library,
    namer: Namer,
) -> Sweep:
    """Sweep back over `eqns`, from `cotangents`, as far as `inputs` and the values in `stop`.

    Raises NoDerivative where an operator on the way has no derivative.
    """
    flow = dict.fromkeys(inputs, Flow.DIFFERENTIABLE)
    propagate(eqns, flow, dict.fromkeys(stop, Flow.DIFFERENTIABLE))
    active = {var for var, here in flow.items() if here is not Flow.NONE} | set(stop)
    sweep = Sweep([], [], dict(cotangents))
    for eqn in reversed(eqns):
        reached = [var for var in eqn.outs if var in sweep.cotangents and var not in stop]
        if not reached or not any(var in active for var in reached):
            sweep.forward.append(eqn)
        elif eqn.op == "if":
            _sweep_conditional(eqn, sweep, active, stop, library, namer)
        elif eqn.op == "list":
            _sweep_list(eqn, sweep, active, namer)
        elif eqn.op == "item":
            raise NoDerivative(eqn, "an element of a list of tensors")
        else:
            _sweep_operator(eqn, sweep, active, library, namer)
    sweep.forward.reverse()
    return sweep


def _add(sweep: Sweep, var: Var, gradient: Atom, eqn: Eqn, namer: Namer) -> None:
    """Add a contribution to a variable's cotangent."""
    if not isinstance(gradient, Var):
        return
    before = sweep.cotangents.get(var)
    if before is None:
        sweep.cotangents[var] = gradient
        return
    total = namer.fresh(_grad_name(var), before.kind)
    sweep.backward.append(Eqn((total,), "accumulate", (before, gradient), (), (), eqn.span))
    sweep.cotangents[var] = total


def _grad_name(var: Var) -> str:
    return f"grad_{var.name.lstrip('_')}"


def _sweep_list(eqn: Eqn, sweep: Sweep, active: Set[Var], namer: Namer) -> None:
    gradients = sweep.cotangents[eqn.outs[0]]
    for index, atom in enumerate(eqn.args):
        if isinstance(atom, Var) and atom in active:
            part = namer.fresh(_grad_name(atom))
            sweep.backward.append(Eqn((part,), "item", (gradients, Literal(index)), (), (), eqn.span))
            _add(sweep, atom, part, eqn, namer)
    sweep.forward.append(eqn)


def _sweep_operator(eqn: Eqn, sweep: Sweep, active: Set[Var], library: Library, namer: Namer) -> None:
    """Inline the operator's pullback at its equation."""
    formula = library.promoted(eqn.op, eqn)
    outs = list(eqn.outs)
    while len(outs) < formula.results + len(formula.hidden):
        hidden = formula.hidden[len(outs) - formula.results]
        outs.append(namer.fresh(f"{outs[0].name.lstrip('_')}_{hidden.name}"))
    env = bind_operands(formula, eqn)
    env.update(zip((a for a in formula.forward.results if isinstance(a, Var)), outs, strict=False))
    needed = [_wanted(env.get(param.var), active) for param in formula.inputs]
    defined = [out in sweep.cotangents for out in outs]
    literals = {var: atom for var, atom in env.items() if isinstance(atom, Literal)}
    variant = specialize(formula, defined, needed, literals)

    forward = Eqn(tuple(outs), eqn.op, eqn.args, eqn.kwargs, (), eqn.span)
    cotangents: dict[Var, Atom] = {
        param: sweep.cotangents[out]
        for param, out in zip(formula.cotangents, outs, strict=True)
        if out in sweep.cotangents
    }
    zeros = _zeros(formula, variant.materialize, outs, eqn, namer)
    cotangents.update({formula.cotangents[i]: var for i, var in zeros.values.items()})
    saved = slice_of(formula.forward.eqns, variant.block.free(), (*env, *cotangents))
    inlined = copy_eqns([_at(e, eqn) for e in saved], env, namer, _metadata_names(saved, env))
    env.update(cotangents)
    named = _gradient_names(formula, variant.block.results, env)
    body = copy_eqns([_at(e, eqn) for e in variant.block.eqns], env, namer, named)
    sweep.forward += [*zeros.likes, *reversed(inlined), forward]
    sweep.backward += [*zeros.eqns, *body]
    for param, atom in zip(formula.inputs, variant.block.results, strict=True):
        operand = env.get(param.var)
        if isinstance(operand, Var):
            _add(sweep, operand, replace_atom(atom, env), eqn, namer)


def _gradient_names(formula: Formula, gradients: Sequence[Atom], env: Mapping[Var, Atom]) -> dict[Var, str]:
    """What the operator calls ``grad_x`` is called after the operand that stands for `x`."""
    named = {}
    for param, gradient in zip(formula.inputs, gradients, strict=True):
        operand = env.get(param.var)
        if isinstance(gradient, Var) and isinstance(operand, Var) and not operand.temp:
            named[gradient] = _grad_name(operand)
    return named


def _metadata_names(eqns: Iterable[Eqn], env: Mapping[Var, Atom]) -> dict[Var, str]:
    """What the operator calls ``like_x`` is called after the operand that stands for `x`."""
    named = {}
    for eqn in eqns:
        operand = env.get(eqn.args[0]) if eqn.args and isinstance(eqn.args[0], Var) else None
        if eqn.op in _METADATA and isinstance(operand, Var) and not operand.temp:
            named[eqn.outs[0]] = f"like_{operand}" if eqn.op == "like" else f"{operand}_{eqn.op}"
    return named


@dataclass(slots=True)
class _Zeros:
    """Zeros for undefined cotangents that an operator's pullback reads."""

    values: dict[int, Var] = field(default_factory=dict)
    likes: list[Eqn] = field(default_factory=list)
    eqns: list[Eqn] = field(default_factory=list)


def _zeros(formula: Formula, wanted: Iterable[int], outs: Sequence[Var], eqn: Eqn, namer: Namer) -> _Zeros:
    zeros = _Zeros()
    for index in wanted:
        like = namer.fresh(f"like_{outs[index].name.lstrip('_')}", "value")
        zeros.values[index] = namer.fresh(_grad_name(outs[index]))
        zeros.likes.append(Eqn((like,), "like", (outs[index],), (), (), eqn.span))
        zeros.eqns.append(
            Eqn((zeros.values[index],), "broadcast_like", (Literal(0.0),), (("like", like),), (), eqn.span)
        )
    return zeros


def bind_operands(formula: Formula, eqn: Eqn) -> dict[Var, Atom]:
    """What each parameter of an operator's formula stands for at an equation that uses it."""
    given = dict(eqn.kwargs)
    env: dict[Var, Atom] = {}
    operands = iter(eqn.args)
    for param in formula.params:
        operand = given.get(param.var.name) if param.attribute else next(operands, None)
        if operand is None and not param.attribute:
            operand = given.get(param.var.name)
        if operand is None:
            operand = _default(param)
        env[param.var] = operand
    return env


def _default(param: Param) -> Literal:
    return param.default if param.default is not None else Literal(None)


def _wanted(operand: Atom | None, active: Set[Var]) -> bool:
    return isinstance(operand, Var) and operand in active


def _at(eqn: Eqn, place: Eqn) -> Eqn:
    """The equation, said to stand where the operator is used."""
    blocks = tuple(Block(b.params, tuple(_at(e, place) for e in b.eqns), b.results) for b in eqn.blocks)
    return Eqn(eqn.outs, eqn.op, eqn.args, eqn.kwargs, blocks, place.span)


def _sweep_conditional(
    eqn: Eqn, sweep: Sweep, active: Set[Var], stop: Set[Var], library: Library, namer: Namer
) -> None:
    """Sweep each branch; what a branch's sweep reads becomes an output of the conditional.

    On the side where a value does not exist it is None, and nobody reads it.
    A gradient that only one branch contributes is zero on the other.
    """
    inner: list[Sweep] = []
    for block in eqn.blocks:
        cotangents: dict[Var, Var] = {}
        seeds: list[Eqn] = []
        for out, atom in zip(eqn.outs, block.results, strict=True):
            if out in sweep.cotangents and isinstance(atom, Var):
                if atom in cotangents:
                    total = namer.fresh(_grad_name(atom))
                    seeds.append(
                        Eqn((total,), "accumulate", (cotangents[atom], sweep.cotangents[out]), span=eqn.span)
                    )
                    cotangents[atom] = total
                else:
                    cotangents[atom] = sweep.cotangents[out]
        outer = [var for var in block.free() if var in active]
        outer += [atom for atom in cotangents if atom not in defining(block.eqns) and atom not in outer]
        part = differentiate(block.eqns, cotangents, outer, stop, library, namer)
        part.backward[:0] = seeds
        inner.append(part)
    inside = [set(defining(block.eqns)) for block in eqn.blocks]
    targets = list(
        dict.fromkeys(
            v
            for part, own in zip(inner, inside, strict=True)
            for v in part.cotangents
            if v not in own and v in active
        )
    )
    outs, results = list(eqn.outs), [list(block.results) for block in eqn.blocks]
    block_results = [set(block.results) for block in eqn.blocks]
    rename: list[dict[Var, Atom]] = [{}, {}]
    for side, part in enumerate(inner):
        produced = set(defining(part.forward))
        body = Block((), tuple(part.backward), tuple(part.cotangents.values()))
        for var in body.free():
            if var in produced:
                if var in block_results[side]:
                    rename[side][var] = outs[results[side].index(var)]
                    continue
                visible = namer.like(var)
                rename[side][var] = visible
                outs.append(visible)
                results[side].append(var)
                results[1 - side].append(Literal(None))
    branches = []
    likes: list[Eqn] = []
    for side, part in enumerate(inner):
        env = rename[side]
        body_eqns = copy_eqns(part.backward, env, namer)
        gradients: list[Atom] = []
        for target in targets:
            gradient = part.cotangents.get(target)
            if gradient is not None:
                gradients.append(replace_atom(gradient, env))
                continue
            like = namer.fresh(f"like_{target.name.lstrip('_')}", "value")
            zero = namer.fresh(_grad_name(target))
            likes.append(Eqn((like,), "like", (target,), span=eqn.span))
            body_eqns.append(
                Eqn((zero,), "broadcast_like", (Literal(0.0),), (("like", like),), span=eqn.span)
            )
            gradients.append(zero)
        branches.append(Block((), tuple(body_eqns), tuple(gradients)))
    blocks = tuple(
        Block((), tuple(part.forward), tuple(result)) for part, result in zip(inner, results, strict=True)
    )
    sweep.forward += [*likes, Eqn(tuple(outs), "if", eqn.args, eqn.kwargs, blocks, eqn.span)]
    gradients_of = [namer.fresh(_grad_name(target)) for target in targets]
    if targets:
        sweep.backward.append(Eqn(tuple(gradients_of), "if", eqn.args, (), tuple(branches), eqn.span))
    for target, grad in zip(targets, gradients_of, strict=True):
        _add(sweep, target, grad, eqn, namer)
