"""The sweep over what makes lists, and over what takes them apart.

The gradient of a list is a list: of gradients where it is written out, of parts where an array
was taken apart into it, and of zeros but for one place where an element was read.

>>> from ...library import formula_in, standard_library
>>> from ...printer import formula_text
>>> from .derive import derive
>>> pair = formula_in('''
... def pair(x, y):
...     return np.stack([x, x * y])
... ''')
>>> print(formula_text(derive(pair, standard_library())))
formula pair(x: Tensor, y: Tensor)
  forward:
    product = multiply(x, y)
    like_x = like(x)
    like_y = like(y)
    list_value = list(x, product)
    stacked = stack(list_value)
    like_list_value = like(list_value)
    return result stacked
  pullback(grad):
    grad_list_value = unstack_like(grad, likes=like_list_value, axis=0)
    grad_x = item(grad_list_value, 0)
    grad_product = item(grad_list_value, 1)
    _1 = multiply(grad_product, y)
    _2 = multiply(grad_product, x)
    grad_x_1 = sum_to(_1, like=like_x)
    grad_y = sum_to(_2, like=like_y)
    grad_x_2 = accumulate(grad_x, grad_x_1)
    return grad_x_2, grad_y
"""

from __future__ import annotations

from collections.abc import Callable

from ...ir import Atom, Eqn, Literal, Var
from ...rewrite import label
from .sweep import Context, Sweep, grad_name, zeros_of


def _list(eqn: Eqn, sweep: Sweep, context: Context) -> None:
    gradients = sweep.cotangents[eqn.outs[0]]
    for index, atom in enumerate(eqn.args):
        if isinstance(atom, Var) and atom in context.active:
            part = context.namer.fresh(grad_name(atom))
            sweep.backward.append(Eqn((part,), "item", (gradients, Literal(index)), (), (), eqn.span))
            sweep.add(atom, part, eqn, context.namer)
    sweep.forward.append(eqn)


def _item(eqn: Eqn, sweep: Sweep, context: Context) -> None:
    """An element's gradient is that of its list, with zeros in the other places."""
    values, index = eqn.args
    assert isinstance(values, Var)
    likes = context.namer.fresh(f"like_{label(values)}", "value")
    whole = context.namer.fresh(grad_name(values), "list")
    kwargs = (("index", index), ("likes", likes))
    sweep.backward.append(Eqn((whole,), "unitem", (sweep.cotangents[eqn.outs[0]],), kwargs, (), eqn.span))
    sweep.add(values, whole, eqn, context.namer)
    sweep.forward += [Eqn((likes,), "like", (values,), (), (), eqn.span), eqn]


def _unitem(eqn: Eqn, sweep: Sweep, context: Context) -> None:
    (element,), index = eqn.args, eqn.kwarg("index")
    assert isinstance(element, Var)
    assert index is not None
    part = context.namer.fresh(grad_name(element))
    sweep.backward.append(Eqn((part,), "item", (sweep.cotangents[eqn.outs[0]], index), (), (), eqn.span))
    sweep.add(element, part, eqn, context.namer)
    sweep.forward.append(eqn)


def _parts(eqn: Eqn, sweep: Sweep, context: Context) -> None:
    """The gradient of an array that was taken apart is the parts' gradients joined again.

    Slices that were summed to their parts' shapes repeat along what was summed.
    """
    (whole,), gradients = eqn.args, sweep.cotangents[eqn.outs[0]]
    assert isinstance(whole, Var)
    axis = eqn.kwarg("axis") or Literal(0)
    like = context.namer.fresh(f"like_{label(whole)}", "value")
    joined = context.namer.fresh(grad_name(whole))
    if eqn.op == "split_like":
        kwargs: tuple[tuple[str, Atom], ...] = (("like", like), ("axis", axis))
        sweep.backward.append(Eqn((joined,), "join_like", (gradients,), kwargs, (), eqn.span))
    else:
        op, kwargs = ("collect", ()) if axis == Literal(0) else ("stack", (("axis", axis),))
        slices = context.namer.like(joined)
        sweep.backward.append(Eqn((slices,), op, (gradients,), kwargs, (), eqn.span))
        sweep.backward.append(Eqn((joined,), "broadcast_like", (slices,), (("like", like),), (), eqn.span))
    sweep.add(whole, joined, eqn, context.namer)
    sweep.forward += [Eqn((like,), "like", (whole,), (), (), eqn.span), eqn]


def _appended(eqn: Eqn, sweep: Sweep, context: Context) -> None:
    """The last gradient is the new element's, those before it the list's."""
    (values, element), gradients = eqn.args, sweep.cotangents[eqn.outs[0]]
    if isinstance(element, Var) and element in context.active:
        last = context.namer.fresh(grad_name(element))
        sweep.backward.append(Eqn((last,), "item", (gradients, Literal(-1)), (), (), eqn.span))
        sweep.add(element, last, eqn, context.namer)
    if isinstance(values, Var) and values in context.active:
        before = context.namer.fresh(grad_name(values), "list")
        sweep.backward.append(Eqn((before,), "without_last", (gradients,), (), (), eqn.span))
        sweep.add(values, before, eqn, context.namer)
    sweep.forward.append(eqn)


def _without_last(eqn: Eqn, sweep: Sweep, context: Context) -> None:
    """The element that was left out has no gradient: zeros."""
    (values,) = eqn.args
    assert isinstance(values, Var)
    last = context.namer.fresh(f"last_{label(values)}")
    zeros, like, fill = zeros_of(last, eqn, context.namer)
    whole = context.namer.fresh(grad_name(values), "list")
    operands = (sweep.cotangents[eqn.outs[0]], zeros)
    sweep.backward += [fill, Eqn((whole,), "appended", operands, (), (), eqn.span)]
    sweep.add(values, whole, eqn, context.namer)
    sweep.forward += [like, Eqn((last,), "item", (values, Literal(-1)), (), (), eqn.span), eqn]


def _accumulate(eqn: Eqn, sweep: Sweep, context: Context) -> None:
    """A sum of lists hands its gradients to both; their elements are as the sum's."""
    for operand in eqn.reads():
        if operand in context.active:
            sweep.add(operand, sweep.cotangents[eqn.outs[0]], eqn, context.namer)
    sweep.forward.append(eqn)


OF_LISTS: dict[str, Callable[[Eqn, Sweep, Context], None]] = {
    "accumulate": _accumulate,
    "appended": _appended,
    "without_last": _without_last,
    "list": _list,
    "item": _item,
    "unitem": _unitem,
    "unstack_like": _parts,
    "split_like": _parts,
}
