"""Computations whose derivative, as autograd records it, is exact and finite wherever their value is.

Loops, comparisons, roots and quotients are not among them, nor are calls of what lint cannot look into: a
solver's steps have another derivative than its solution.
"""

from __future__ import annotations

import ast
from collections.abc import Collection

from ...analyses.torch_names import LINEAR, METADATA, PRODUCTS, SUMS
from ...frontend.classes import resolve
from ...frontend.modules import Dotted, TorchModule

_FUNCTIONS = frozenset({"exp", "expm1", "sigmoid", "tanh", "sin", "cos", "softmax", "log_softmax", "square"})
_CUTTING = frozenset({"detach", "requires_grad_", "resize_as_"})
SMOOTH = (LINEAR | PRODUCTS | SUMS | _FUNCTIONS) - _CUTTING
_OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.MatMult, ast.USub, ast.UAdd)


def is_smooth(node: ast.expr, module: TorchModule, given: Collection[str] = ()) -> bool:
    """True for an expression of such functions. `given`: expressions, as text, that count as known.

    >>> import ast
    >>> from ...frontend.modules import Program
    >>> from .....transpile.ir import Source
    >>> module = Program().module(Source("f.py", "import torch"))
    >>> [is_smooth(ast.parse(text, mode="eval").body, module) for text in ("torch.exp(a @ b)", "a.sqrt()")]
    [True, False]
    """
    if ast.unparse(node) in given:
        return True

    def each(*parts: ast.expr) -> bool:
        return all(is_smooth(part, module, given) for part in parts)

    match node:
        case ast.Constant() | ast.Name():
            return True
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            return each(*parts)
        case ast.BinOp(left=left, op=operator, right=right) if isinstance(operator, _OPERATORS):
            return each(left, right)
        case ast.UnaryOp(op=operator, operand=operand) if isinstance(operator, _OPERATORS):
            return each(operand)
        case ast.Attribute(attr=name):
            return name in METADATA or (name in SMOOTH and each(node.value))
        case ast.Subscript(value=value, slice=index):
            return each(value) and all(isinstance(n, _IN_INDEX) for n in ast.walk(index))
        case ast.Call(func=ast.Attribute(value=value, attr=name), args=args, keywords=keywords):
            if name not in SMOOTH or any(k.arg in (None, "out") for k in keywords):
                return False
            entity = resolve(value, module)
            of_torch = isinstance(entity, Dotted) and entity.name.partition(".")[0] == "torch"
            known = of_torch if entity is not None else each(value)
            return known and each(*args, *(k.value for k in keywords))
    return False


_IN_INDEX = (ast.Slice, ast.Constant, ast.Tuple, ast.UnaryOp, ast.USub, ast.expr_context)
