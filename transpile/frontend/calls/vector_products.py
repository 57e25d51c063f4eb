"""``pb.vjp(func, inputs, v)`` in a formula: one equation, whose block is the body of `func`.

The pass of the same name puts the reverse sweep in its place.
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from ...ir import Atom, Block, Eqn, Literal, Var
from ..state.atoms import atom
from ..state.values import Callee, Choice, Dotted, Frame, Function, Items, Value, elements
from ..syntax.fence import Refusal, refuse
from .inline import parameter_names

# Its names: as an attribute of the package, and as the function itself says.
VJP = frozenset({"pullback.vjp", "pullback.engine.transforms.vector_products.vjp"})
_PLACES = ("func", "inputs", "v", "create_graph")

# Reads a call of a function with these arguments, in place.
Apply = Callable[[Value, list[Value]], Value]


def read_vjp(
    frame: Frame, node: ast.Call, positional: list[Value], keywords: dict[str, Value], apply: Apply
) -> Items:
    """The outputs of the function and the product of `v` with its Jacobian, as `pb.vjp` returns them."""
    if frame.build.in_closure:
        hint = "leave the closure out: pb.derive_pullback and pb.compile derive it, from pb.vjp too"
        raise _wrong(frame, node, "a closure states a derivative, it does not ask for one", hint, "PB402")
    given = _bound(frame, node, positional, keywords)
    inputs, several_inputs = _tensors(frame, given["inputs"], _place(node, "inputs"), "an input")
    block, several_outputs = _body(frame, node, given["func"], inputs, apply)
    vectors = _vectors(frame, given.get("v", Literal(None)), _place(node, "v"), len(block.results))
    keeps = given.get("create_graph", Literal(False))
    if not isinstance(keeps, Literal) or not isinstance(keeps.value, bool):
        raise _wrong(frame, _place(node, "create_graph"), "`create_graph` is True or False here", "write it")
    span = frame.span(node)
    names = [_gradient_name(frame, var) for var in inputs]
    outs = tuple(frame.build.fresh(None, "tensor", span) for _ in block.results)
    gradients = tuple(frame.build.fresh(name, "tensor", span) for name in names)
    kwargs = (("create_graph", keeps),)
    frame.build.add(Eqn((*outs, *gradients), "vjp", (*inputs, *vectors), kwargs, (block,), span))
    return Items((_handed_out(outs, several_outputs), _handed_out(gradients, several_inputs)))


def _wrong(frame: Frame, node: ast.AST, message: str, hint: str, code: str = "PB404") -> Refusal:
    return refuse(code, message, frame.span(node), value="pb.vjp", hint=hint)


def _bound(
    frame: Frame, node: ast.Call, positional: list[Value], keywords: dict[str, Value]
) -> dict[str, Value]:
    given: dict[str, Value] = dict(zip(_PLACES, positional, strict=False))
    if len(positional) > len(_PLACES):
        raise _wrong(frame, node, "`pb.vjp` takes at most 4 arguments here", "func, inputs, v, create_graph")
    for key, value in keywords.items():
        if key not in _PLACES or key in given:
            hint = f"it takes {', '.join(_PLACES)}, each once"
            raise _wrong(frame, _place(node, key), f"`pb.vjp` cannot take `{key}` here", hint)
        given[key] = value
    for name in _PLACES[:2]:
        if name not in given:
            hint = "pb.vjp(func, inputs, v): a function, a tensor or a tuple, and as many as it returns"
            raise _wrong(frame, node, f"`pb.vjp` lacks its argument `{name}`", hint)
    return given


def _place(node: ast.Call, name: str) -> ast.AST:
    """The place of an argument."""
    index = _PLACES.index(name) if name in _PLACES else len(node.args)
    if index < len(node.args):
        return node.args[index]
    return next((item.value for item in node.keywords if item.arg == name), node)


def _tensors(frame: Frame, value: Value, node: ast.AST, what: str) -> tuple[tuple[Var, ...], bool]:
    """The tensors of an argument, and whether it is a tuple."""
    known = elements(value)
    found: list[Var] = []
    for item in (value,) if known is None else known:
        one = item if isinstance(item, Var | Literal) else None
        if not isinstance(one, Var) or one.kind != "tensor":
            hint = "pass tensors, several as a tuple; numbers and sizes need no place among them"
            raise _wrong(frame, node, f"{what} of `pb.vjp` is no tensor", hint)
        found.append(one)
    return tuple(found), known is not None


def _vectors(frame: Frame, value: Value, node: ast.AST, count: int) -> tuple[Atom, ...]:
    """A vector per output; None for one that is left out, for a single value."""
    if value == Literal(None):
        if count != 1:
            hint = "pass a tensor per output, as a tuple"
            raise _wrong(frame, node, "`v` can be left out for a single value only", hint)
        return (Literal(None),)
    vectors, _ = _tensors(frame, value, node, "`v`")
    if len(vectors) != count:
        many = f"{count} output{'s' * (count != 1)}"
        hint = "pass a tensor per output, several as a tuple"
        raise _wrong(frame, node, f"`v` has {len(vectors)} parts for {many} of the function", hint)
    return vectors


def _body(
    frame: Frame, node: ast.Call, func: Value, inputs: tuple[Var, ...], apply: Apply
) -> tuple[Block, bool]:
    """The function's body, of parameters of its own, and whether it returns a tuple."""
    build, where = frame.build, _place(node, "func")
    if isinstance(func, Choice) or not isinstance(func, Function | Callee | Dotted):
        hint = "name a formula, a function of the module, one defined here, or write a lambda"
        raise _wrong(frame, where, "the function of `pb.vjp` is not known here", hint)
    names = parameter_names(func) if isinstance(func, Function) else ()
    labels = [names[k] if k < len(names) else var.name for k, var in enumerate(inputs)]
    with build.block() as eqns:
        params = tuple(build.fresh(label, "tensor", frame.span(node)) for label in labels)
        value = apply(func, list(params))
        known = elements(value)
        results: list[Atom] = []
        for item in (value,) if known is None else known:
            one = None if isinstance(item, Function | Choice) else atom(frame, item, where)
            if not isinstance(one, Var) or one.kind != "tensor":
                hint = "return the tensor, or a tuple of them"
                raise _wrong(
                    frame, where, "the function of `pb.vjp` returns something else than tensors", hint
                )
            results.append(one)
    block = Block(params, tuple(eqns), tuple(results))
    _check_body(frame, where, block)
    return block, known is not None


def _check_body(frame: Frame, where: ast.AST, block: Block) -> None:
    for eqn in block.every():
        if eqn.op == "opaque":
            hint = "write it in the vocabulary, or give it a formula of its own with @pb.formula"
            callee = eqn.kwarg("callee")
            what = callee.value if isinstance(callee, Literal) else "a call"
            raise _wrong(frame, where, f"`pb.vjp` meets `{what}`, whose derivative is not known", hint)
        if eqn.op == "vjp" and eqn.kwarg("create_graph") == Literal(False) and eqn.span is not None:
            message = "what this `pb.vjp` returns has no history, and another one differentiates it"
            hint = "write `create_graph=True` here, as for tensors"
            raise refuse("PB404", message, eqn.span, value="pb.vjp", hint=hint)


def _gradient_name(frame: Frame, var: Var) -> str | None:
    name = frame.build.origin.get(var)
    return None if name is None else f"grad_{name}"


def _handed_out(parts: tuple[Var, ...], several: bool) -> Value:
    return Items(parts) if several else parts[0]
