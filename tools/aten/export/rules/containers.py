"""Lists, tuples and their elements."""

from __future__ import annotations

import ast
from dataclasses import replace

from pullback.transpile.emit.aten.values import PRIMARY

from ..errors import NotExported
from ..scope import Scope
from ..types import INT, INTS, NONE, SIZES, SYMINT, TENSORS, TUPLE, element_of, is_symbolic, is_tensor
from ..values import Expr
from .rule import Rule, Write


def all_gradients(node: ast.Tuple, scope: Scope, write: Write) -> Expr | None:
    """`(grad_values, grad_indices)`, the gradients of all results, is `grads`."""
    found = [element.id if isinstance(element, ast.Name) else None for element in node.elts]
    return Expr("grads", TENSORS) if len(found) > 1 and found == list(scope.gradients) else None


def listed(node: ast.Tuple, scope: Scope, write: Write) -> Expr:
    """`(a, b)` is `{a, b}`."""
    values = [write(element) for element in node.elts]
    if len(values) > 1 and all(value.type == NONE for value in values):
        return Expr(f"std::tuple<{', '.join('Tensor' for _ in values)}>()", TUPLE)
    if any(is_tensor(value.type) for value in values):
        of_type = TENSORS
    else:
        of_type = SIZES if any(is_symbolic(value.type) for value in values) else INTS
    return Expr(f"{{{', '.join(value.text for value in values)}}}", of_type)


def repeated(node: ast.BinOp, scope: Scope, write: Write) -> Expr | None:
    """`(0,) * n` is `std::vector<c10::SymInt>(n, 0)`, and `[None] * n` is `std::vector<Tensor>(n)`."""
    if not isinstance(node.op, ast.Mult) or not isinstance(node.left, ast.Tuple | ast.List):
        return None
    if len(node.left.elts) != 1:
        raise NotExported("the table repeats one value", node, "write (0,) * n, or [None] * n")
    (value,) = node.left.elts
    count = write(node.right).text
    if isinstance(value, ast.Constant) and value.value is None:
        return Expr(f"std::vector<Tensor>({count})", TENSORS)
    return Expr(f"std::vector<c10::SymInt>({count}, {write(value).text})", SIZES)


def reversed_list(node: ast.Subscript, scope: Scope, write: Write) -> Expr | None:
    """`x[::-1]` is `reverse_list(x)`."""
    if ast.unparse(node.slice) != "::-1":
        return None
    value = write(node.value)
    name = "reverse_list_symint" if is_symbolic(value.type) else "reverse_list"
    return Expr(f"{name}({value.text})", value.type)


def element(node: ast.Subscript, scope: Scope, write: Write) -> Expr | None:
    """`x[i]` is spelled the same; of several results of a call `x[0]` is `std::get<0>(x)`."""
    if isinstance(node.slice, ast.Slice):
        return None
    held = node.value.id if isinstance(node.value, ast.Name) else ""
    if isinstance(node.slice, ast.Name) and held in scope.elements:
        return scope.elements[held]
    value = write(node.value)
    if isinstance(node.value, ast.Call) and isinstance(node.slice, ast.Constant):
        return Expr(f"std::get<{ast.unparse(node.slice)}>({value.text})", element_of(TUPLE))
    return Expr(f"{value.within(PRIMARY)}[{write(node.slice).text}]", element_of(value.type))


def mapped(node: ast.ListComp, scope: Scope, write: Write) -> Expr | None:
    """`[-i for i in x]` is `fmap(x, [](c10::SymInt i) { return -i; })`."""
    (loop, *more) = node.generators
    if more or loop.ifs or not isinstance(loop.target, ast.Name):
        return None
    values = write(loop.iter)
    kind = "c10::SymInt" if is_symbolic(values.type) else "int64_t"
    name = loop.target.id
    of_type = SYMINT if is_symbolic(values.type) else INT
    body = write(node.elt, replace(scope, names={**scope.names, name: Expr(name, of_type)}))
    return Expr(f"fmap({values.text}, []({kind} {name}) {{ return {body.text}; }})", values.type)


RULES: dict[str, tuple[Rule, ...]] = {
    "Tuple": (all_gradients, listed),
    "BinOp": (repeated,),
    "Subscript": (reversed_list, element),
    "ListComp": (mapped,),
}
