"""Statements of PyTorch as a formula, where each has its operator in the vocabulary.

In: lines that assign to names, and what they read. Out: a `Formula` whose gradients `differentiate` can
derive. What has no operator, or may be a matrix or a vector, is a `CannotFix`: nothing is guessed.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Sequence, Set

from pullback.transpile.diagnostics import FormulaError
from pullback.transpile.ir import Formula
from pullback.transpile.library import formula_in

from ..text.reading import reads
from ..text.splices import CannotFix
from .shared_names import SHARED_NAMES

# Functions and methods of PyTorch whose operands stand in the same order as those of the operator.
PLAIN = {
    **SHARED_NAMES,
    "mul": "np.multiply",
    "multiply": "np.multiply",
    "add": "np.add",
    "sub": "np.subtract",
    "div": "np.divide",
    "neg": "np.negative",
    "pow": "np.power",
    "mm": "np.matmul",
    "bmm": "np.matmul",
    "inverse": "np.linalg.inv",
}
COMPLEX = re.compile(r"complex|conj|cfloat|cdouble|fft|adjoint|\.mH\b|\.H\b|\.real\b|\.imag\b")


def formula_of(
    lines: Sequence[str], torch: str, tensors: Sequence[str], numbers: Sequence[str], results: Sequence[str]
) -> Formula:
    """The formula of lines that compute `results` from tensors and numbers. `torch`: the module's name.

    >>> formula_of(["t = x.exp().sum(-1, keepdim=True)"], "torch", ["x"], [], ["t"]).forward.eqns[1].op
    'sum'
    """
    reader = _Reader(torch, {*tensors, *numbers}, set(tensors))
    body = [ast.unparse(reader.statement(s)) for s in ast.parse("\n".join(lines)).body]
    parameters = [*tensors, *(["*"] if numbers else []), *(f"{name}: float" for name in numbers)]
    head = f"def computed({', '.join(parameters)}):"
    text = "\n    ".join([head, *body, f"return {', '.join(results)}"])
    try:
        return formula_in(f"{text}\n")
    except FormulaError as error:
        raise CannotFix(f"its derivative is not known: {error.diagnostics[0].message}") from None


def matrices_in(tree: ast.AST) -> set[str]:
    """Names that are matrices, or stacks of such, by what is done with them.

    >>> sorted(matrices_in(ast.parse("g = a.mT @ b; c = torch.mm(d, e)")))
    ['a', 'd', 'e']
    """
    found: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value=ast.Name(id=name), attr="mT"):
                found.add(name)
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="t"), args=[]):
                found.add(name)
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="mm" | "bmm"), args=[other]):
                found |= {name, *_named(other)} - {"torch"}
            case ast.Call(func=ast.Attribute(attr="mm" | "bmm"), args=[one, other]):
                found |= {*_named(one), *_named(other)}
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="transpose"), args=[_, _]):
                found.add(name)
    return found


def _named(node: ast.expr) -> set[str]:
    return {node.id} if isinstance(node, ast.Name) else set()


class _Reader:
    """Writes expressions of PyTorch in the vocabulary of a formula."""

    def __init__(self, torch: str, known: Set[str], tensors: Set[str]) -> None:
        self.torch, self.known, self.tensors = torch, set(known), set(tensors)

    def statement(self, node: ast.stmt) -> ast.stmt:
        match node:
            case ast.Assign(targets=[ast.Name(id=name) as target], value=value):
                made = ast.Assign([target], self.read(value))
                self.known.add(name)
                if reads(value) & self.tensors:
                    self.tensors.add(name)
                return ast.fix_missing_locations(ast.copy_location(made, node))
        raise CannotFix("only plain assignments can be differentiated")

    def read(self, node: ast.expr) -> ast.expr:
        match node:
            case ast.Name(id=name) if name in self.known:
                return node
            case ast.Constant(value=int() | float()):
                return node
            case ast.BinOp(left=left, op=ast.Pow()) if not reads(left) & self.tensors:
                pass  # PyTorch's `where`, which the derivative asks about the base, takes no number
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return ast.UnaryOp(ast.USub(), self.read(operand))
            case ast.BinOp(
                op=ast.Add() | ast.Sub() | ast.Mult() | ast.Div() | ast.Pow() | ast.MatMult() as op
            ):
                return ast.BinOp(self.read(node.left), op, self.read(node.right))
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                return ast.Compare(self.read(left), [op], [self.read(right)])
            case ast.Attribute(value=value, attr="mT"):
                return _call("np.swapaxes", self.read(value), _number(-1), _number(-2))
            case ast.Call(func=ast.Attribute() as function):
                return self._call(node, function)
        raise CannotFix(f"the derivative of `{ast.unparse(node)}` is not known")

    def _call(self, node: ast.Call, function: ast.Attribute) -> ast.expr:
        name, operands = self._operands(node, function)
        keywords = {k.arg or "": k.value for k in node.keywords}
        if name in PLAIN and not keywords:
            return _call(PLAIN[name], *map(self.read, operands))
        special = _SPECIAL.get(name)
        if special is None or not operands:
            raise CannotFix(f"the derivative of `{name}` is not known")
        made = special(self.read(operands[0]), operands[1:], keywords)
        if made is None:
            raise CannotFix(f"the derivative of `{ast.unparse(node)}` is not known")
        return made

    def _operands(self, node: ast.Call, function: ast.Attribute) -> tuple[str, list[ast.expr]]:
        """The name of the callee, and its operands, of which a method's first one is its tensor."""
        written = ast.unparse(function)
        if written.startswith(f"{self.torch}."):
            return written.removeprefix(f"{self.torch}."), node.args
        return function.attr, [function.value, *node.args]


Keywords = dict[str, ast.expr]
Special = Callable[[ast.expr, list[ast.expr], Keywords], ast.expr | None]


def _reduced(name: str) -> Special:
    def made(tensor: ast.expr, given: list[ast.expr], keywords: Keywords) -> ast.expr | None:
        named = dict(zip(("dim", "keepdim"), given, strict=False)) | keywords
        dim, keep = named.pop("dim", None), named.pop("keepdim", ast.Constant(False))
        if named or len(given) > 2 or not isinstance(keep, ast.Constant):
            return None
        if dim is None:
            total = _call("np.sum", tensor)
            return total if name == "sum" else ast.BinOp(total, ast.Div(), _call("np.size", tensor))
        if _integer(dim) is None:
            return None
        total = _call("np.sum", tensor, axis=dim, keepdims=keep)
        size = ast.Subscript(_call("np.shape", tensor), dim, ast.Load())
        return total if name == "sum" else ast.BinOp(total, ast.Div(), size)

    return made


def _unsqueezed(tensor: ast.expr, given: list[ast.expr], keywords: Keywords) -> ast.expr | None:
    places = [*given, *([keywords["dim"]] if set(keywords) == {"dim"} else [])]
    known = len(places) == 1 and _integer(places[0]) is not None
    return _call("np.expand_dims", tensor, axis=places[0]) if known else None


def _transposed(tensor: ast.expr, given: list[ast.expr], keywords: Keywords) -> ast.expr | None:
    known = len(given) == 2 and not keywords and all(_integer(place) is not None for place in given)
    return _call("np.swapaxes", tensor, *given) if known else None


def _turned(tensor: ast.expr, given: list[ast.expr], keywords: Keywords) -> ast.expr | None:
    return None if given or keywords else _call("np.swapaxes", tensor, _number(0), _number(1))


_SPECIAL: dict[str, Special] = {
    "sum": _reduced("sum"),
    "mean": _reduced("mean"),
    "unsqueeze": _unsqueezed,
    "transpose": _transposed,
    "t": _turned,
}


def _integer(node: ast.expr) -> int | None:
    try:
        value = ast.literal_eval(node)
    except ValueError:
        return None
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _number(value: int) -> ast.expr:
    return ast.parse(str(value), mode="eval").body


def _call(name: str, *operands: ast.expr, **keywords: ast.expr) -> ast.expr:
    function = ast.parse(name, mode="eval").body
    return ast.Call(function, list(operands), [ast.keyword(k, v) for k, v in keywords.items()])
