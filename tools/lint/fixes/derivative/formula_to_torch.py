"""A derived gradient as statements of PyTorch.

In: a block of equations in the vocabulary. Out: lines that compute its results from its parameters. An
equation that PyTorch has no one function for, and a conditional, is a `CannotFix`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence

from pullback.transpile.emit.python_expr import Expressions
from pullback.transpile.ir import Block
from pullback.transpile.rewrite import uses

from ..text.splices import CannotFix
from .shared_names import SHARED_NAMES

# Words that a derivative may have, and PyTorch's functions for them.
FUNCTIONS = {
    **{operator: name for name, operator in SHARED_NAMES.items()},
    "np.zeros_like": "zeros_like",
    "np.ones_like": "ones_like",
    "np.logical_and": "logical_and",
}


def torch_lines(block: Block, torch: str, taken: set[str]) -> tuple[list[str], list[str]]:
    """The lines, and the results as expressions. `taken`: names that new values must not have."""
    expressions = Expressions(uses(block))
    writer = _Writer(torch, _names(block, taken))
    lines: list[str] = []
    for eqn in block.eqns:
        if eqn.blocks or len(eqn.outs) != 1 or eqn.op == "ndim":
            raise CannotFix("its derivative depends on the number of axes, which is not known")
        value = expressions.equation(eqn)
        if value is None:
            continue
        if eqn.op == "like":
            writer.likes[eqn.outs[0].name] = value.args[0]  # type: ignore[attr-defined]
            continue
        if eqn.op == "dtype" and isinstance(value, ast.Attribute):
            writer.dtypes[eqn.outs[0].name] = value.value
            continue
        lines.append(f"{writer.names.get(eqn.outs[0].name, eqn.outs[0].name)} = {writer.written(value)}")
    return lines, [writer.written(expressions.of(atom)) for atom in block.results]


def _names(block: Block, taken: set[str]) -> dict[str, str]:
    """New names for temporaries: ``step``, ``step_2``."""
    found, number = {}, 0
    given = {var.name for var in block.params}
    for eqn in block.eqns:
        for var in eqn.outs:
            if var.name not in given and (var.temp or var.name.startswith("_") or var.name in taken):
                number += 1
                while (name := f"step_{number}") in taken:
                    number += 1
                found[var.name] = name
    return found


class _Writer(ast.NodeTransformer):
    """Turns expressions of NumPy into those of PyTorch."""

    def __init__(self, torch: str, names: Mapping[str, str]) -> None:
        self.torch, self.names = torch, names
        self.likes: dict[str, ast.expr] = {}
        self.dtypes: dict[str, ast.expr] = {}

    def written(self, node: ast.expr) -> str:
        return ast.unparse(ast.fix_missing_locations(self.visit(node)))

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return ast.Name(self.names.get(node.id, node.id), ast.Load())

    def visit_Call(self, node: ast.Call) -> ast.expr:
        name = ast.unparse(node.func)
        if name in ("np.conj", "np.real"):  # of real values: a fix is written for no others
            kept: ast.expr = self.visit(node.args[0])
            return kept
        keywords = {k.arg or "": k.value for k in node.keywords}
        special = _SPECIAL.get(name)
        if special is not None:
            made = special(self, [*node.args], keywords)
            if made is not None:
                return made
        if name in FUNCTIONS and not keywords:
            function = ast.parse(f"{self.torch}.{FUNCTIONS[name]}", mode="eval").body
            return ast.Call(function, [self.visit(a) for a in node.args], [])
        raise _unknown(node)

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        raise _unknown(node)

    def shape(self, like: ast.expr) -> ast.expr:
        """The shape of the tensor that a ``like`` was taken of."""
        tensor = self.likes.get(like.id) if isinstance(like, ast.Name) else None
        if tensor is None and isinstance(like, ast.Call):
            tensor = like.args[0]
        if tensor is None:
            raise CannotFix("the shape of a gradient is not known")
        return _attribute(self.visit(tensor), "shape")

    def method(self, tensor: ast.expr, name: str, *given: ast.expr, **keywords: ast.expr) -> ast.expr:
        """A call of a tensor's method."""
        function = _attribute(self.visit(tensor), name)
        return ast.Call(function, list(given), [ast.keyword(k, v) for k, v in keywords.items()])


def _unknown(node: ast.expr) -> CannotFix:
    return CannotFix(f"PyTorch has no one function for `{ast.unparse(node)}` of its derivative")


Keywords = dict[str, ast.expr]
Special = Callable[[_Writer, Sequence[ast.expr], Keywords], ast.expr | None]


def _to_shape(method: str) -> Special:
    def made(writer: _Writer, given: Sequence[ast.expr], keywords: Keywords) -> ast.expr:
        like = keywords["like"] if "like" in keywords else given[1]
        return writer.method(given[0], method, writer.shape(like))

    return made


def _accumulate(writer: _Writer, given: Sequence[ast.expr], keywords: Keywords) -> ast.expr:
    return ast.BinOp(writer.visit(given[0]), ast.Add(), writer.visit(given[1]))


def _sum(writer: _Writer, given: Sequence[ast.expr], keywords: Keywords) -> ast.expr | None:
    named = {{"axis": "dim", "keepdims": "keepdim"}.get(k, k): v for k, v in keywords.items()}
    if len(given) > 1 or set(named) - {"dim", "keepdim"}:
        return None
    return writer.method(given[0], "sum", **named)


def _swapaxes(writer: _Writer, given: Sequence[ast.expr], keywords: Keywords) -> ast.expr | None:
    axes = [*given[1:], *keywords.values()]
    written = [ast.unparse(a) for a in axes]
    if written == ["-1", "-2"]:
        return _attribute(writer.visit(given[0]), "mT")
    return writer.method(given[0], "transpose", *axes) if len(axes) == 2 else None


def _at_one_axis(method: str) -> Special:
    """A method that takes one axis, a constant."""

    def special(writer: _Writer, given: Sequence[ast.expr], keywords: Keywords) -> ast.expr | None:
        axis = keywords.get("axis", given[1] if len(given) > 1 else None)
        if axis is None or ast.unparse(axis) == "None" or not isinstance(axis, ast.Constant | ast.UnaryOp):
            return None
        return writer.method(given[0], method, axis)

    return special


def _reshape(writer: _Writer, given: Sequence[ast.expr], keywords: Keywords) -> ast.expr | None:
    shape = keywords.get("shape", given[1] if len(given) > 1 else None)
    return None if shape is None else writer.method(given[0], "reshape", writer.visit(shape))


def _shape(writer: _Writer, given: Sequence[ast.expr], keywords: Keywords) -> ast.expr:
    return _attribute(writer.visit(given[0]), "shape")


def _size(writer: _Writer, given: Sequence[ast.expr], keywords: Keywords) -> ast.expr:
    return writer.method(given[0], "numel")


def _ones(writer: _Writer, given: Sequence[ast.expr], keywords: Keywords) -> ast.expr | None:
    """``np.ones((), t.dtype)``, on the device of the tensor."""
    match [*given, *keywords.values()]:
        case [ast.Tuple() as shape, ast.Name(id=dtype)] if dtype in writer.dtypes:
            return writer.method(writer.dtypes[dtype], "new_ones", shape)
    return None


_SPECIAL: dict[str, Special] = {
    "np.ones": _ones,
    "primitives.sum_to": _to_shape("sum_to_size"),
    "primitives.broadcast_like": _to_shape("expand"),
    "primitives.accumulate": _accumulate,
    "np.sum": _sum,
    "np.swapaxes": _swapaxes,
    "np.expand_dims": _at_one_axis("unsqueeze"),
    "np.squeeze": _at_one_axis("squeeze"),
    "np.reshape": _reshape,
    "np.shape": _shape,
    "np.size": _size,
}


def _attribute(value: ast.expr, name: str) -> ast.expr:
    return ast.Attribute(value, name, ast.Load())
