"""Linearity of the pullback in its cotangents, as of any derivative.

In: a formula as it was read. Out: findings. A gradient that depends on no
cotangent, whole or as an additive term, is PB202; one that is not linear in
them is PB203. A formula marked ``surrogate`` may do both.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import Enum

from ..codes import diagnostic
from ..diagnostics import Diagnostic
from ..ir import Atom, Eqn, Formula, Literal, Span, Var
from ..operators import info_of


class Form(Enum):
    """The form in which a value depends on the cotangents."""

    ZERO = "zero"
    CONSTANT = "constant"
    LINEAR = "linear"
    AFFINE = "linear plus a constant"
    NONLINEAR = "not linear"
    UNKNOWN = "unknown"


_PLAIN = frozenset({"shape", "ndim", "size", "dtype", "like", "is_none", "len", "ones_like", "full_like"})
_ZEROS = frozenset({"zeros_list", "zeros", "zeros_like"})
_Lists = dict[Var, tuple[Atom, ...]]  # the items of each list that is written out
_THROUGH = frozenset({"item", "list", "tuple", "stop_gradient", "positive"})


def nonlinearities(formula: Formula) -> list[Diagnostic]:
    """Findings about gradients that no derivative could be."""
    if formula.pullback is None or formula.options.surrogate:
        return []
    env = forms(formula)
    table = {out: eqn for eqn in formula.pullback.every() for out in eqn.outs}
    found = []
    for param, atom in zip(formula.inputs, formula.pullback.results, strict=False):
        form = _form(atom, env)
        eqn = table.get(atom) if isinstance(atom, Var) else None
        span = eqn.span if eqn is not None and eqn.span is not None else formula.span
        if form in (Form.CONSTANT, Form.AFFINE):
            found.append(_independent(formula, param.var.name, form, span))
        elif form is Form.NONLINEAR:
            found.append(_nonlinear(formula, param.var.name, span))
    return found


def forms(formula: Formula) -> dict[Var, Form]:
    """The form of each variable of the pullback."""
    assert formula.pullback is not None
    env = dict.fromkeys(formula.pullback.params, Form.LINEAR)
    _propagate(formula.pullback.eqns, env, {})
    return env


def _propagate(eqns: Iterable[Eqn], env: dict[Var, Form], lists: _Lists) -> None:
    for eqn in eqns:
        if eqn.op == "for":
            _loop(eqn, env, lists)
            continue
        for block in eqn.blocks:
            _propagate(block.eqns, env, lists)
        if eqn.op == "if":
            test = _form(eqn.args[0], env)
            for index, out in enumerate(eqn.outs):
                joined = _sum([_form(block.results[index], env) for block in eqn.blocks])
                env[out] = (
                    joined if test in (Form.CONSTANT, Form.ZERO) or joined is Form.ZERO else Form.NONLINEAR
                )
            continue
        if eqn.op == "list":
            lists[eqn.outs[0]] = eqn.args
        contracted = lists.get(eqn.args[0]) if eqn.op == "contract" and isinstance(eqn.args[0], Var) else None
        form = _through(eqn, env) if contracted is None else _product([_form(a, env) for a in contracted])
        env.update(dict.fromkeys(eqn.outs, form))


def _loop(eqn: Eqn, env: dict[Var, Form], lists: _Lists) -> None:
    """A carried value has the form that no iteration changes: there may be none."""
    (body,) = eqn.blocks
    env.update({param: _form(atom, env) for param, atom in zip(body.params, eqn.args, strict=True)})
    for _ in range(len(Form)):
        _propagate(body.eqns, env, lists)
        for var, atom in zip(body.params[1:], body.results, strict=False):
            env[var] = _sum([env[var], _form(atom, env)])
    carried = body.params[1:]
    last = (*carried, *body.results[len(carried) :])
    env.update({out: _form(atom, env) for out, atom in zip(eqn.outs, last, strict=True)})


def _form(atom: Atom, env: Mapping[Var, Form]) -> Form:
    if isinstance(atom, Literal):
        zero = atom.value is None or (isinstance(atom.value, int | float) and atom.value == 0)
        return Form.ZERO if zero else Form.CONSTANT
    return env.get(atom, Form.CONSTANT)


def _sum(parts: list[Form]) -> Form:
    """The form of a sum."""
    kinds = set(parts) - {Form.ZERO}
    for worst in (Form.UNKNOWN, Form.NONLINEAR, Form.AFFINE):
        if worst in kinds:
            return worst
    if kinds == {Form.LINEAR, Form.CONSTANT}:
        return Form.AFFINE
    return kinds.pop() if kinds else Form.ZERO


def _product(parts: list[Form]) -> Form:
    """The form of what is linear in each of its operands."""
    for certain in (Form.ZERO, Form.UNKNOWN):
        if certain in parts:
            return certain
    moving = [part for part in parts if part is not Form.CONSTANT]
    if len(moving) > 1:
        return Form.NONLINEAR
    return moving[0] if moving else Form.CONSTANT


def _through(eqn: Eqn, env: Mapping[Var, Form]) -> Form:
    parts = [_form(atom, env) for atom in eqn.args]
    named = [_form(atom, env) for _, atom in eqn.kwargs]
    if eqn.op in _ZEROS or _is_filled_with_zeros(eqn):
        return Form.ZERO
    if eqn.op in _PLAIN:
        return Form.CONSTANT
    if eqn.op in ("item", "in_place"):
        return parts[0]
    if all(part in (Form.CONSTANT, Form.ZERO) for part in (*parts, *named)):
        return _of_constants(eqn, parts)
    info = info_of(eqn.op)
    if eqn.op in _THROUGH:
        return _sum(parts)
    if info is None:
        return Form.UNKNOWN
    moving = [i for i, part in enumerate(parts) if part not in (Form.CONSTANT, Form.ZERO)]
    if any(part is Form.UNKNOWN for part in (*parts, *named)):
        return Form.UNKNOWN
    if not moving or any(i not in info.linear for i in moving):
        return Form.NONLINEAR
    if info.jointly:
        return _sum([part for i, part in enumerate(parts) if i in info.linear])
    return _product(parts)


def _is_filled_with_zeros(eqn: Eqn) -> bool:
    """True for ``np.array([0.0, 0.0])`` and ``np.full(3, 0.0)``."""
    name = {"array": "object", "full": "fill_value", "full_like": "fill_value"}.get(eqn.op)
    value = eqn.kwarg(name) if name is not None else None
    return isinstance(value, Literal) and _is_zero(value.value)


def _is_zero(value: object) -> bool:
    """True for the number, and for a tuple of nothing else."""
    if isinstance(value, tuple):
        return all(map(_is_zero, value))
    return isinstance(value, int | float) and value == 0


def _of_constants(eqn: Eqn, parts: list[Form]) -> Form:
    """Constants give a constant; a zero in a linear place gives a zero."""
    info = info_of(eqn.op)
    if info is None or not info.linear:
        all_zero = eqn.op in _THROUGH and bool(parts) and all(part is Form.ZERO for part in parts)
        return Form.ZERO if all_zero else Form.CONSTANT
    zero = [parts[i] is Form.ZERO for i in info.linear if i < len(parts)]
    return Form.ZERO if zero and (all(zero) if info.jointly else any(zero)) else Form.CONSTANT


def _independent(formula: Formula, name: str, form: Form, span: Span) -> Diagnostic:
    what = (
        "depends on no incoming gradient"
        if form is Form.CONSTANT
        else "has a term without an incoming gradient"
    )
    return diagnostic(
        "PB202",
        f"the gradient of `{name}` {what}",
        span,
        name=formula.name,
        value=name,
        hint="multiply by the incoming gradient, or mark the formula surrogate=True where it is meant so",
    )


def _nonlinear(formula: Formula, name: str, span: Span) -> Diagnostic:
    return diagnostic(
        "PB203",
        f"the gradient of `{name}` is not linear in the incoming gradient, as a derivative is",
        span,
        name=formula.name,
        value=name,
        hint="mark the formula surrogate=True where it is meant so",
    )
