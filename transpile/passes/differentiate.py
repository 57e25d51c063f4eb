"""The reverse sweep: cotangents of a block's inputs from cotangents of its values.

In: equations in order, cotangents of some of their outputs, the variables that
gradients are wanted for. Out: the equations of the sweep, the cotangents, and
the forward equations with the outputs that the sweep needs of them (hidden
outputs of operators, values inside a conditional).

Each operator contributes its own formula, promoted and inlined; that is what
makes differentiation closed. See Griewank and Walther, "Evaluating
Derivatives", 2nd ed., section 3.2, for the reverse sweep itself.

>>> from ..library import formula_in, standard_library
>>> from ..printer import formula_text
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
    _1 = multiply(t, t)
    like_t = like(t)
    like_t_1 = like(t)
    return result _1
  pullback(grad):
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

from ..analysis.differentiability import Flow, propagate
from ..ir import Eqn, Literal, Var
from ..library import Library
from .differentiate_branch import sweep_branch
from .differentiate_loop import sweep_loop
from .differentiate_operator import sweep_operator
from .rewrite import Namer, label
from .sweep import Context, Sweep, grad_name


def differentiate(
    eqns: Sequence[Eqn],
    cotangents: Mapping[Var, Var],
    inputs: Iterable[Var],
    stop: Set[Var],
    library: Library,
    namer: Namer,
    in_loop: bool = False,
) -> Sweep:
    """Sweep back over `eqns`, from `cotangents`, as far as `inputs` and the values in `stop`.

    `in_loop` says that the equations are a loop's turn, or a part of one.
    Raises NoDerivative where an operator on the way has no derivative.
    """
    flow = dict.fromkeys(inputs, Flow.DIFFERENTIABLE)
    propagate(eqns, flow, dict.fromkeys(stop, Flow.DIFFERENTIABLE))
    active = {var for var, here in flow.items() if here is not Flow.NONE} | set(stop)

    def recurse(
        inner: Sequence[Eqn], seeds: Mapping[Var, Var], wanted: Iterable[Var], turn: bool = False
    ) -> Sweep:
        return differentiate(inner, seeds, wanted, stop, library, namer, in_loop or turn)

    context = Context(active, stop, library, namer, recurse, in_loop)
    sweep = Sweep([], [], dict(cotangents))
    for eqn in reversed(eqns):
        reached = [var for var in eqn.outs if var in sweep.cotangents and var not in stop]
        if not reached or not any(var in active for var in reached):
            sweep.forward.append(eqn)
        elif eqn.op == "if":
            sweep_branch(eqn, sweep, context)
        elif eqn.op == "for":
            sweep_loop(eqn, sweep, context)
        elif eqn.op == "list":
            _sweep_list(eqn, sweep, context)
        elif eqn.op == "item":
            _sweep_item(eqn, sweep, context)
        elif eqn.op == "unitem":
            _sweep_unitem(eqn, sweep, context)
        else:
            sweep_operator(eqn, sweep, context)
    sweep.forward.reverse()
    return sweep


def _sweep_list(eqn: Eqn, sweep: Sweep, context: Context) -> None:
    gradients = sweep.cotangents[eqn.outs[0]]
    for index, atom in enumerate(eqn.args):
        if isinstance(atom, Var) and atom in context.active:
            part = context.namer.fresh(grad_name(atom))
            sweep.backward.append(Eqn((part,), "item", (gradients, Literal(index)), (), (), eqn.span))
            sweep.add(atom, part, eqn, context.namer)
    sweep.forward.append(eqn)


def _sweep_item(eqn: Eqn, sweep: Sweep, context: Context) -> None:
    """An element's gradient is that of its list, with zeros in the other places."""
    values, index = eqn.args
    assert isinstance(values, Var)
    likes = context.namer.fresh(f"like_{label(values)}", "value")
    whole = context.namer.fresh(grad_name(values), "list")
    kwargs = (("index", index), ("likes", likes))
    sweep.backward.append(Eqn((whole,), "unitem", (sweep.cotangents[eqn.outs[0]],), kwargs, (), eqn.span))
    sweep.add(values, whole, eqn, context.namer)
    sweep.forward += [Eqn((likes,), "like", (values,), (), (), eqn.span), eqn]


def _sweep_unitem(eqn: Eqn, sweep: Sweep, context: Context) -> None:
    (element,), index = eqn.args, eqn.kwarg("index")
    assert isinstance(element, Var)
    assert index is not None
    part = context.namer.fresh(grad_name(element))
    sweep.backward.append(Eqn((part,), "item", (sweep.cotangents[eqn.outs[0]], index), (), (), eqn.span))
    sweep.add(element, part, eqn, context.namer)
    sweep.forward.append(eqn)
