"""Mistakes that authors of derivatives make, planted in the closure of a formula: text to text.

Each kind is a generator of changed copies of a formula's function, as syntax trees, one for each place
where it can be made.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator

Copies = Iterator[ast.FunctionDef]


def closure_of(function: ast.FunctionDef) -> ast.FunctionDef | None:
    """The first function in another one: the closure."""
    return next((node for node in function.body if isinstance(node, ast.FunctionDef)), None)


def wrong_sign(function: ast.FunctionDef) -> Copies:
    """A sum for a difference, a minus too few, or a gradient with the other sign."""
    for place, node in _places(function, (ast.BinOp, ast.UnaryOp)):
        if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub)):
            other = ast.Sub() if isinstance(node.op, ast.Add) else ast.Add()
            yield _replaced(function, place, lambda n, other=other: ast.BinOp(n.left, other, n.right))
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            yield _replaced(function, place, lambda n: n.operand)
    yield from _changed_gradients(function, lambda value: ast.UnaryOp(ast.USub(), value))


def missing_factor(function: ast.FunctionDef) -> Copies:
    """A product without one of its factors, or a quotient without its divisor."""
    for place, node in _places(function, (ast.BinOp,)):
        if not isinstance(node.op, (ast.Mult, ast.Div)):
            continue
        if _reads_gradient(function, node.left):
            yield _replaced(function, place, lambda n: n.left)
        elif isinstance(node.op, ast.Mult) and _reads_gradient(function, node.right):
            yield _replaced(function, place, lambda n: n.right)


def lost_term(function: ast.FunctionDef) -> Copies:
    """A sum without one of its terms, or `None` for one gradient of several."""
    for place, node in _places(function, (ast.BinOp,)):
        if isinstance(node.op, (ast.Add, ast.Sub)):
            yield _replaced(function, place, lambda n: n.left)
            yield _replaced(function, place, lambda n: n.right)
    yield from _changed_gradients(function, lambda value: ast.Constant(None), several=True)


def dropped_conjugate(function: ast.FunctionDef) -> Copies:
    """A value for its conjugate."""
    for place, node in _places(function, (ast.Call,)):
        name = getattr(node.func, "attr", "")
        if name in ("conj", "conjugate") and (node.args or isinstance(node.func, ast.Attribute)):
            yield _replaced(function, place, lambda n: n.args[0] if n.args else n.func.value)


def wrong_reduction(function: ast.FunctionDef) -> Copies:
    """A mean for a sum or a sum for a mean, another axis, or axes that are not kept."""
    others = {"sum": "mean", "mean": "sum", "max": "min", "min": "max", "cumsum": "cumprod", "prod": "sum"}
    for place, node in _places(function, (ast.Call,)):
        name = getattr(node.func, "attr", "")
        if name not in others:
            continue
        yield _replaced(function, place, lambda n, name=name: _called(n, others[name]))
        if any(keyword.arg == "keepdims" for keyword in node.keywords):
            yield _replaced(function, place, lambda n: _without(n, "keepdims"))
        if any(keyword.arg == "axis" for keyword in node.keywords):
            yield _replaced(function, place, lambda n: _without(n, "axis"))


def mutated_gradient(function: ast.FunctionDef) -> Copies:
    """An incoming gradient that the closure writes to."""
    closure = closure_of(function)
    assert closure is not None
    for parameter in closure.args.args:
        changed = copy.deepcopy(function)
        inner = closure_of(changed)
        assert inner is not None
        inner.body.insert(0, ast.parse(f"{parameter.arg} *= 2").body[0])
        yield changed


def captured_constant(function: ast.FunctionDef) -> Copies:
    """A captured value that is held constant: the second derivative lacks what flows through it."""
    closure = closure_of(function)
    assert closure is not None
    own = {node.arg for node in ast.walk(closure) if isinstance(node, ast.arg)}
    own |= {
        node.id
        for node in ast.walk(closure)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    values = {argument.arg for argument in function.args.args}
    values |= {
        node.id
        for node in ast.walk(function)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    captured = sorted(
        {node.id for node in ast.walk(closure) if isinstance(node, ast.Name) and node.id in values - own}
    )
    for name in captured:
        changed = copy.deepcopy(function)
        inner = closure_of(changed)
        assert inner is not None
        for node in ast.walk(inner):
            if isinstance(node, ast.Name) and node.id == name:
                node.id = f"{name}_held"
        inner.body.insert(0, ast.parse(f"{name}_held = pb.stop_gradient({name})").body[0])
        yield changed


KINDS: dict[str, Callable[[ast.FunctionDef], Copies]] = {
    "wrong sign": wrong_sign,
    "missing factor": missing_factor,
    "lost term": lost_term,
    "dropped conjugate": dropped_conjugate,
    "wrong reduction": wrong_reduction,
    "mutated gradient": mutated_gradient,
    "captured constant": captured_constant,
}


def _places(function: ast.FunctionDef, kinds: tuple[type, ...]) -> Iterator[tuple[int, ast.AST]]:
    """The nodes of some kinds in the closure, with their numbers in the walk."""
    closure = closure_of(function)
    assert closure is not None
    for place, node in enumerate(ast.walk(closure)):
        if isinstance(node, kinds):
            yield place, node


def _replaced(function: ast.FunctionDef, place: int, change: Callable[..., ast.expr]) -> ast.FunctionDef:
    """A copy in which the node at a place of the closure is another expression."""
    changed = copy.deepcopy(function)
    closure = closure_of(changed)
    assert closure is not None
    wanted = list(ast.walk(closure))[place]

    class Replacing(ast.NodeTransformer):
        def visit(self, node: ast.AST) -> ast.AST:
            return change(node) if node is wanted else self.generic_visit(node)

    Replacing().visit(closure)
    return changed


def _changed_gradients(
    function: ast.FunctionDef, change: Callable[[ast.expr], ast.expr], several: bool = False
) -> Copies:
    """Copies in which one returned gradient is changed; of `several` only those of tuples."""
    for place, node in _places(function, (ast.Return,)):
        value = node.value
        if isinstance(value, ast.Tuple):
            for k, part in enumerate(value.elts):
                if isinstance(part, ast.Constant):
                    continue
                yield _replaced(
                    function,
                    place,
                    lambda n, k=k: ast.Return(
                        ast.Tuple(
                            [change(each) if i == k else each for i, each in enumerate(n.value.elts)],
                            ast.Load(),
                        )
                    ),
                )
        elif not several and not isinstance(value, (ast.ListComp, ast.List, ast.Constant)):
            yield _replaced(function, place, lambda n: ast.Return(change(n.value)))


def _reads_gradient(function: ast.FunctionDef, node: ast.AST) -> bool:
    closure = closure_of(function)
    assert closure is not None
    names = {parameter.arg for parameter in closure.args.args}
    return any(isinstance(each, ast.Name) and each.id in names for each in ast.walk(node))


def _called(call: ast.Call, name: str) -> ast.Call:
    assert isinstance(call.func, ast.Attribute)
    return ast.Call(ast.Attribute(call.func.value, name, ast.Load()), call.args, call.keywords)


def _without(call: ast.Call, name: str) -> ast.Call:
    return ast.Call(call.func, call.args, [each for each in call.keywords if each.arg != name])
