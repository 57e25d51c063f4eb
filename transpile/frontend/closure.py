"""The backward closure: its cotangents, hand-written rules, and one gradient per input."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from ..ir import Atom, Block, Literal, Param, Var
from .expressions.branches import choose
from .state.atoms import atom
from .state.kinds import is_text, is_tuple
from .state.lookup import lookup
from .state.readers import read, read_body
from .state.values import Branch, Choice, Frame, Function, Growing, Items, Poison, Value, elements
from .syntax.fence import Refusal, is_generator, refuse
from .syntax.leaving import last_return


class Pullback(NamedTuple):
    """The closure as a block, and the hand-written rules among its parameters."""

    block: Block
    rules: tuple[tuple[Var, Var], ...]


def read_closure(frame: Frame, closure: Function | Choice, results: int, inputs: Sequence[Param]) -> Pullback:
    """Read the closure's body; `frame` is the formula's, whose forward was read to its end.

    Of several closures behind an `if` one runs, under the same condition.
    """
    build = frame.build
    leaves = list(closure.leaves()) if isinstance(closure, Choice) else [closure]
    for leaf in leaves:
        _check_late_binding(leaf.frame, leaf)
        if (found := is_generator(leaf.node)) is not None:
            raise refuse(
                "PB402", f"`{leaf.name}` is a generator", frame.span(found), hint="return the gradients"
            )
    build.forward, build.eqns = build.eqns, []
    inner = _inner(frame, leaves[0])
    cotangents, rules = _read_parameters(inner, leaves[0], results)
    build.gradients.update(cotangents)
    if not isinstance(closure, Choice):
        gradients = _gradients(inner, _returned(inner, closure), inputs, _place(closure), closure.name)
    else:
        read = partial(_chosen, frame, results=results, inputs=inputs, cotangents=cotangents)
        found_gradients = read(closure)
        gradients = tuple(atom(frame, gradient, leaves[0].node) for gradient in found_gradients.items)
    block = Block((*cotangents, *(grad for _, grad in rules)), tuple(build.eqns), gradients)
    return Pullback(block, rules)


def _inner(frame: Frame, closure: Function) -> Frame:
    """The frame of a closure, with its default arguments bound."""
    outer = closure.frame
    return Frame(
        frame.readers,
        frame.build,
        outer.text,
        outer.names,
        local=dict(closure.defaults),
        declared=outer.text.locals_of(closure.node),
        parent=outer,
        calls=(*frame.calls, closure.node),
    )


def _chosen(
    frame: Frame,
    closure: Function | Choice,
    *,
    results: int,
    inputs: Sequence[Param],
    cotangents: Sequence[Var],
) -> Items:
    """The gradients of one of several closures, under the conditions that choose it."""
    if isinstance(closure, Choice):
        read = partial(_chosen, frame, results=results, inputs=inputs, cotangents=cotangents)
        place = next(closure.leaves()).node
        test = lookup(frame, ast.copy_location(ast.Name(closure.test, ast.Load()), place))
        first, second = partial(read, closure.first), partial(read, closure.second)
        merged = choose(frame, test, first, second, place)
        assert isinstance(merged, Items)
        return merged
    inner = _inner(frame, closure)
    own, rules = _read_parameters(inner, closure, results)
    if rules:
        stated = inner.build.origin[rules[0][1]]
        raise refuse(
            "PB204",
            f"`{closure.name}` is one of several closures and states the rule `{stated}`",
            inner.span(closure.node),
            value=stated,
            hint="write one closure, and branch inside of it",
        )
    shared = dict(zip(own, cotangents, strict=True))
    inner.local = {
        name: shared.get(value, value) if isinstance(value, Var) else value
        for name, value in inner.local.items()
    }
    return Items(_gradients(inner, _returned(inner, closure), inputs, _place(closure), closure.name))


def _returned(inner: Frame, closure: Function) -> Value | None:
    """The result of the closure's body; `Refusal` where errors in it were reported."""
    node, build = closure.node, inner.build
    if isinstance(node, ast.Lambda):
        return read(inner, node.body)
    returned = read_body(inner, node.body, recover=True)
    if returned is None and any(finding.severity == "error" for finding in build.findings):
        raise Refusal
    return returned


def _place(closure: Function) -> ast.AST:
    """The place where a closure states its gradients."""
    node = closure.node
    return node.body if isinstance(node, ast.Lambda) else last_return(node) or node


def _read_parameters(
    inner: Frame, closure: Function, results: int
) -> tuple[tuple[Var, ...], tuple[tuple[Var, Var], ...]]:
    args, build = closure.node.args, inner.build
    defaults = dict(closure.defaults)
    plain = [
        arg for arg in (*args.posonlyargs, *args.args) if arg.arg not in defaults or _is_rule(inner, arg)
    ]
    span = inner.span(closure.node)
    if args.vararg is not None and not plain:
        grads = tuple(build.fresh(f"{args.vararg.arg}_{i}", "tensor", span) for i in range(results))
        inner.bind(args.vararg.arg, Items(grads), args.vararg)
        return grads, ()
    if args.vararg is not None or args.kwarg is not None:
        raise refuse("PB205", f"`{closure.name}` takes one named gradient per result", span)
    if len(plain) < results:
        raise refuse(
            "PB205",
            f"`{closure.name}` takes {counted(len(plain), 'gradient')}, "
            f"and there {counted(results, 'result', True)}",
            span,
            value=closure.name,
            hint="one parameter per result, in order",
        )
    cotangents: list[Var] = []
    rules: list[tuple[Var, Var]] = []
    for index, arg in enumerate([*plain, *(arg for arg in args.kwonlyargs if arg.arg not in defaults)]):
        grad = build.fresh(arg.arg, "tensor", inner.span(arg))
        inner.bind(arg.arg, grad, arg)
        if index < results:
            cotangents.append(grad)
        else:
            rules.append((_rule_target(inner, closure, arg, results), grad))
    return tuple(cotangents), tuple(rules)


def _is_rule(inner: Frame, arg: ast.arg) -> bool:
    outer = inner.parent
    target = outer.local.get(arg.arg.removeprefix("grad_")) if outer is not None else None
    return arg.arg.startswith("grad_") and isinstance(target, Var)


def _rule_target(inner: Frame, closure: Function, arg: ast.arg, results: int) -> Var:
    span = inner.span(arg)
    name = arg.arg.removeprefix("grad_")
    if name == arg.arg:
        raise refuse(
            "PB205",
            f"`{closure.name}` takes more gradients than there are results ({results}): `{arg.arg}`",
            span,
            value=arg.arg,
            hint="a rule for an intermediate `t` is a parameter named `grad_t`",
        )
    outer = inner.parent
    target = outer.local.get(name) if outer is not None else None
    if not isinstance(target, Var) or target in inner.build.inputs:
        raise refuse(
            "PB204",
            f"`{arg.arg}` is a rule for `{name}`, which is not an intermediate of the forward",
            span,
            value=arg.arg,
            hint="name it `grad_` and the name of a value that the forward computes",
        )
    return target


def _gradients(
    inner: Frame, returned: Value | None, inputs: Sequence[Param], where: ast.AST, name: str
) -> tuple[Atom, ...]:
    span = inner.span(where)
    expected = len(inputs)
    if expected == 0 and returned in (None, Literal(None)):
        return ()
    if returned is None or (returned == Literal(None) and expected != 1):
        raise refuse(
            "PB201",
            f"`{name}` returns nothing, and there {counted(expected, 'differentiable input', True)}",
            span,
            value=name,
            hint="return a gradient per input; None means zero",
        )
    known = elements(returned)
    if expected == 1 and ((isinstance(returned, Growing) and inputs[0].var.kind == "list") or known is None):
        return (_gradient(inner, returned, where, inputs[0]),)
    if (
        known is None
        and isinstance(returned, Var)
        and (returned.kind != "tensor" or returned in inner.build.opaque)
    ):
        known = tuple(inner.build.emit("item", (returned, Literal(i)), span) for i in range(expected))
    if known is None or len(known) != expected:
        count = 1 if known is None else len(known)
        names = ", ".join(f"`{param.var.name}`" for param in inputs)
        raise refuse(
            "PB201",
            f"`{name}` returns {counted(count, 'gradient')}, and there "
            f"{counted(expected, 'differentiable input', True)}: {names or 'none'}",
            span,
            value=name,
            hint="return a gradient per input, in order; None means zero",
        )
    return tuple(_gradient(inner, value, where, param) for value, param in zip(known, inputs, strict=True))


def _gradient(inner: Frame, value: Value, where: ast.AST, param: Param) -> Atom:
    """A returned gradient; a literal zero is no gradient."""
    found = atom(inner, value, where)
    wrong, wants = "", "a tensor or None"
    if param.var.kind == "list":
        wants = "a list with a gradient per element, or None"
        wrong = "a tensor" if isinstance(found, Var) and found.kind == "tensor" else ""
        wrong = "" if _is_opaque(inner, found) else wrong
    elif isinstance(found, Var) and found.kind == "list":
        wrong = "a list"
    if is_text(inner, found):
        wrong = "a string"
    elif is_tuple(inner, found):
        wrong = "a tuple"
    elif isinstance(found, Literal) and isinstance(found.value, bool):
        wrong = f"`{found.value}`"
    if wrong:
        message = f"the gradient of `{param.var.name}` is {wrong}"
        raise refuse("PB201", message, inner.span(where), value=param.var.name, hint=f"return {wants}")
    if isinstance(found, Literal) and isinstance(found.value, int | float) and found.value == 0:
        return Literal(None)
    return found


def _is_opaque(inner: Frame, value: Atom) -> bool:
    """True for what an unknown call computes, and for an element of that."""
    if not isinstance(value, Var):
        return False
    made = inner.build.made.get(value)
    element = made is not None and made.op == "item" and made.args[0] in inner.build.opaque
    return value in inner.build.opaque or element


def counted(number: int, what: str, verb: bool = False) -> str:
    """``1 gradient``, ``2 gradients``; with a verb ``is 1 result``, ``are 2 results``."""
    said = f"{number} {what}{'s' * (number != 1)}"
    return f"{'is' if number == 1 else 'are'} {said}" if verb else said


def _check_late_binding(outer: Frame, closure: Function) -> None:
    """Python reads a captured name when the closure runs: what it then holds must be what it held."""
    queue, seen = [closure], {id(closure)}
    while queue:
        function = queue.pop()
        for name in sorted(outer.text.free_of(function.node)):
            value = outer.local.get(name)
            if isinstance(value, Function) and value.frame is outer and id(value) not in seen:
                seen.add(id(value))
                queue.append(value)
            if isinstance(value, Poison):
                continue
            bound = [at for at in outer.bound.get(name, []) if not _apart(at.branch, function.branch)]
            if len(bound) > 1 and bound[-1].tick > function.order and bound[0].tick < function.order:
                raise refuse(
                    "PB104",
                    f"`{name}` is bound again after `{function.name}` captured it",
                    bound[-1].span,
                    value=name,
                    hint="give the new value another name, or define the closure last",
                )
            if name in outer.loop_names:
                raise refuse(
                    "PB104",
                    f"`{function.name}` captures the loop variable `{name}`",
                    outer.span(_first_use(function.node, name)),
                    value=name,
                    hint=f"assign it to another name, or take it as a default argument: `{name}={name}`",
                )


def _apart(one: Branch, other: Branch) -> bool:
    """True where two places stand in different branches of one `if`, of which one runs."""
    taken = dict(one)
    return any(taken.get(number, side) != side for number, side in other)


def _first_use(node: ast.AST, name: str) -> ast.AST:
    uses = [item for item in ast.walk(node) if isinstance(item, ast.Name) and item.id == name]
    return min(uses, key=lambda item: (item.lineno, item.col_offset), default=node)
