"""Equations as Python expressions. Temporaries that are read once nest where they are read."""

from __future__ import annotations

import ast
import math
import string
from collections.abc import Callable, Iterable, Mapping

from ..ir import Atom, Eqn, Literal, Var
from ..operators import BY_FULL_NAME, DTYPES, OPERATORS, python_types
from .python_signs import tidy

BINARY: dict[str, type[ast.operator]] = {
    "+": ast.Add,
    "-": ast.Sub,
    "*": ast.Mult,
    "/": ast.Div,
    "//": ast.FloorDiv,
    "%": ast.Mod,
    "**": ast.Pow,
    "@": ast.MatMult,
    "&": ast.BitAnd,
    "|": ast.BitOr,
    "^": ast.BitXor,
    "<<": ast.LShift,
    ">>": ast.RShift,
}
COMPARE: dict[str, type[ast.cmpop]] = {
    "<": ast.Lt,
    "<=": ast.LtE,
    ">": ast.Gt,
    ">=": ast.GtE,
    "==": ast.Eq,
    "!=": ast.NotEq,
}
UNARY: dict[str, type[ast.unaryop]] = {"negative": ast.USub, "invert": ast.Invert}
_MODULES = {
    "numpy": "np",
    "scipy.special": "special",
    "pullback.primitives": "primitives",
    "pullback": "pb",
    "math": "math",
}
_POSITIONAL = frozenset({"shape", "axes", "like"})
# Operators whose attributes are given by position.
_BY_PLACE = frozenset({"swapaxes", "moveaxis"})


class Expressions:
    """Turns equations into expressions, holding back temporaries until they are read."""

    def __init__(self, counts: Mapping[Var, int], width: int = 0, tidy: bool = False) -> None:
        """`width`: about how long expressions get in text for readers; calls in it return results only.

        `tidy`: signs and powers of two that cancel are left out, as they are where nobody wrote them.
        """
        self._counts = counts
        self._tidy = tidy
        self._pending: dict[Var, ast.expr] = {}
        self._width = width
        self._readable = width > 0
        self._apart: list[tuple[Var, ast.expr]] = []

    def fit(self, atoms: Iterable[Atom], beside: int = 0) -> None:
        """Take out what would make an expression of these operands, and so many letters, too long."""
        held = [atom for atom in atoms if isinstance(atom, Var) and atom in self._pending]
        lengths = {var: len(ast.unparse(self._pending[var])) for var in held}
        while self._width and lengths and beside + sum(lengths.values()) > self._width:
            longest = max(lengths, key=lengths.__getitem__)
            del lengths[longest]
            self._apart.append((longest, self._pending.pop(longest)))

    def apart(self) -> list[tuple[Var, ast.expr]]:
        """The temporaries that `fit` took out since the last call, to be assigned before the expression."""
        taken, self._apart = self._apart, []
        return taken

    def name(self, full: str) -> ast.expr:
        """The expression for a constant, a dtype or a function by its full name."""
        return dotted(full)

    def function(self, full: str, eqn: Eqn) -> ast.expr:
        """The function by this full name that an equation calls."""
        del eqn
        return self.name(full)

    def formula(self, op: str, hidden: bool) -> ast.expr:
        """The function of another formula; `hidden`: the one that also returns the hidden outputs."""
        if not hidden:
            return dotted(op)
        # pb.formulas().operator("gelu").promoted
        found = ast.Attribute(ast.Call(dotted("pullback.formulas"), [], []), "operator", ast.Load())
        return ast.Attribute(ast.Call(found, [ast.Constant(op)], []), "promoted", ast.Load())

    def of(self, atom: Atom) -> ast.expr:
        """The expression for an operand."""
        if isinstance(atom, Literal):
            return literal(atom, self.name)
        return self._pending.pop(atom, None) or ast.Name(atom.name, ast.Load())

    def equation(self, eqn: Eqn) -> ast.expr | None:
        """The right-hand side, or None where it waits to be nested in the equation that reads it."""
        texts = [value.value for _, value in eqn.kwargs if isinstance(value, Literal)]
        # A call that gives several values stands behind their names.
        beside = [*(f"{out}, " for out in eqn.outs), eqn.op] if eqn.outs[1:] and not eqn.blocks else []
        self.fit(eqn.reads(), sum(len(text) for text in (*texts, *beside) if isinstance(text, str)))
        value = self._conditional(eqn) if eqn.op == "if" else self._call(eqn)
        out = eqn.outs[0]
        if len(eqn.outs) == 1 and out.temp and self._counts.get(out, 0) == 1:
            self._pending[out] = value
            return None
        return value

    def conditional_expression(self, eqn: Eqn) -> bool:
        """True where a conditional has one output, branches of one expression each, and is short enough."""
        single = self._is_one_expression(eqn)
        if not single or not self._width:
            return single
        held, width = dict(self._pending), self._width
        self._width = 0
        length = len(ast.unparse(self._conditional(eqn)))
        self._pending, self._width = held, width
        return length <= width

    def _is_one_expression(self, eqn: Eqn) -> bool:
        return len(eqn.outs) == 1 and all(
            all(
                len(e.outs) == 1 and e.outs[0].temp and self._counts[e.outs[0]] == 1 and e.op != "if"
                for e in b.eqns
            )
            for b in eqn.blocks
        )

    def _conditional(self, eqn: Eqn) -> ast.expr:
        # Nothing of a branch may be computed before the condition is known.
        width, self._width = self._width, 0
        test = as_condition(self.of(eqn.args[0]))
        branches = []
        for block in eqn.blocks:
            for inner in block.eqns:
                self.equation(inner)
            branches.append(self.of(block.results[0]))
        self._width = width
        return ast.IfExp(test, branches[0], branches[1])

    def _call(self, eqn: Eqn) -> ast.expr:
        special = _STRUCTURAL.get(eqn.op)
        if special is not None:
            return special(self, eqn)
        args = [self.of(atom) for atom in eqn.args]
        if eqn.op == "contract" and self._readable and isinstance(args[0], ast.List):
            einsum = self.function("numpy.einsum", eqn)
            return ast.Call(einsum, [self._keyword(eqn, "subscripts"), *args[0].elts], [])
        info = OPERATORS.get(eqn.op)
        if info is None:
            return self._named_call(eqn, args)
        hidden = bool(eqn.outs[1:]) and not self._readable
        if eqn.op in UNARY:
            found = ast.UnaryOp(UNARY[eqn.op](), args[0])
            return tidy(found) if self._tidy else found
        if info.infix in BINARY and len(args) == 2 and eqn.outs[0].kind != "list" and not hidden:
            if self._tidy:
                return tidy(ast.BinOp(args[0], BINARY[info.infix](), args[1]))
            return ast.BinOp(args[0], BINARY[info.infix](), args[1])
        if info.infix in COMPARE and len(args) == 2:
            return ast.Compare(args[0], [COMPARE[info.infix]()], [args[1]])
        if eqn.op == "astype" and eqn.outs[0].kind == "value":
            return ast.Call(self._keyword(eqn, "dtype"), args, [])
        if eqn.op == "astype":
            method = ast.Attribute(args[0], "astype", ast.Load())
            return ast.Call(method, [self._keyword(eqn, "dtype")], [])
        if eqn.op == "positive" and not self._readable and eqn.outs[0].kind == "tensor":
            return ast.Call(
                self.function("numpy.copy", eqn), args, []
            )  # of booleans too, which have no `np.positive`
        function = self.formula(eqn.op, hidden) if hidden else self.function(info.python, eqn)
        names = [name for name in info.attrs if eqn.kwarg(name) is not None]
        leading = [n for n, slot in zip(names, info.attrs, strict=False) if n == slot]
        by_place = not info.operands or eqn.op in _BY_PLACE
        positional = [n for n in leading if by_place or (n in _POSITIONAL and n == info.attrs[0])]
        args += [self._keyword(eqn, name) for name in positional]
        keywords = [ast.keyword(name, self._keyword(eqn, name)) for name in names if name not in positional]
        extra = [name for name, _ in eqn.kwargs if name not in info.attrs]
        keywords += [ast.keyword(name, self._keyword(eqn, name)) for name in extra]
        return ast.Call(function, args, keywords)

    def _named_call(self, eqn: Eqn, args: list[ast.expr]) -> ast.expr:
        """A call of another formula, of an unknown function, or of `math` and the builtins."""
        callee = eqn.kwarg("callee")
        if isinstance(callee, Literal) and str(callee.value).startswith("."):
            function: ast.expr = ast.Attribute(args.pop(0), str(callee.value)[1:], ast.Load())
        elif isinstance(callee, Literal) and callee.value in BY_FULL_NAME:
            function = self.function(str(callee.value), eqn)
        elif eqn.op == "opaque" and isinstance(callee, Literal):
            function = ast.parse(str(callee.value), mode="eval").body
        elif eqn.op.startswith("pullback.primitives."):
            function = self.function(eqn.op, eqn)
        else:
            function = self.formula(eqn.op, len(eqn.outs) > 1 and not self._readable)
        keywords = [ast.keyword(name, self.of(value)) for name, value in eqn.kwargs if name != "callee"]
        return ast.Call(function, args, keywords)

    def _keyword(self, eqn: Eqn, name: str) -> ast.expr:
        value = eqn.kwarg(name)
        assert value is not None
        if name == "dtype" and isinstance(value, Literal) and f"numpy.{value.value}" in DTYPES:
            return self.name(f"numpy.{value.value}")
        return as_lists(self.of(value)) if name == "object" else self.of(value)

    def _subscript(self, eqn: Eqn) -> ast.expr:
        base = self.of(eqn.args[0])
        index = eqn.args[1] if eqn.op == "item" else eqn.kwarg("index")
        assert index is not None
        return ast.Subscript(base, as_index(self.of(index)), ast.Load())

    def _elements(self, eqn: Eqn) -> ast.expr:
        items = [self.of(atom) for atom in eqn.args]
        return ast.List(items, ast.Load()) if eqn.op == "list" else ast.Tuple(items, ast.Load())

    def _range(self, eqn: Eqn) -> ast.expr:
        made = ast.Call(ast.Name("range", ast.Load()), [self.of(atom) for atom in eqn.args], [])
        return ast.Call(ast.Name("tuple", ast.Load()), [made], []) if eqn.kwarg("of") else made

    def _isinstance(self, eqn: Eqn) -> ast.expr:
        types: list[ast.expr] = [ast.Name(each.__name__, ast.Load()) for each in python_types(eqn)]
        asked = types[0] if len(types) == 1 else ast.Tuple(types, ast.Load())
        return ast.Call(ast.Name("isinstance", ast.Load()), [self.of(eqn.args[0]), asked], [])

    def _numpy(self, eqn: Eqn) -> ast.expr:
        return ast.Call(self.function(f"numpy.{eqn.op}", eqn), [self.of(eqn.args[0])], [])

    def _plumbing(self, eqn: Eqn) -> ast.expr:
        function = self.function(f"pullback.primitives.{eqn.op}", eqn)
        return ast.Call(function, [self.of(atom) for atom in eqn.args], [])

    def _attribute(self, eqn: Eqn) -> ast.expr:
        return ast.Attribute(self.of(eqn.args[0]), eqn.op, ast.Load())

    def _is_none(self, eqn: Eqn) -> ast.expr:
        return ast.Compare(self.of(eqn.args[0]), [ast.Is()], [ast.Constant(None)])

    def _not(self, eqn: Eqn) -> ast.expr:
        asked = self.of(eqn.args[0])
        if isinstance(asked, ast.Compare) and isinstance(asked.ops[0], ast.Is):
            return ast.Compare(asked.left, [ast.IsNot()], asked.comparators)
        return ast.UnaryOp(ast.Not(), asked)

    def raising(self, eqn: Eqn) -> ast.Raise:
        """``raise ValueError("...")``."""
        name = eqn.kwarg("exception")
        assert isinstance(name, Literal)
        exception = dotted(str(name.value))
        call = ast.Call(exception, [self.of(atom) for atom in eqn.args], [])
        return ast.Raise(call if eqn.args else exception, None)

    def _format(self, eqn: Eqn) -> ast.expr:
        """``f"..."``."""
        template, *values = eqn.args
        assert isinstance(template, Literal)
        parts: list[ast.expr] = []
        operands = iter(values)
        for text, _, spec, conversion in string.Formatter().parse(str(template.value)):
            if text:
                parts.append(ast.Constant(text))
            if spec is not None:
                layout = ast.JoinedStr([ast.Constant(spec)]) if spec else None
                code = ord(conversion) if conversion else -1
                parts.append(ast.FormattedValue(self.of(next(operands)), code, layout))
        return ast.JoinedStr(parts)

    def _operand(self, eqn: Eqn) -> ast.expr:
        return self.of(eqn.args[0])

    def _slice(self, eqn: Eqn) -> ast.expr:
        return _slice_call([self.of(atom) for atom in eqn.args])


_STRUCTURAL = {
    "getitem": Expressions._subscript,
    "item": Expressions._subscript,
    "tuple": Expressions._elements,
    "list": Expressions._elements,
    "range": Expressions._range,
    "shape": Expressions._numpy,
    "ndim": Expressions._numpy,
    "size": Expressions._numpy,
    "dtype": Expressions._attribute,
    "like": Expressions._plumbing,
    "is_none": Expressions._is_none,
    "isinstance": Expressions._isinstance,
    "not_": Expressions._not,
    "slice": Expressions._slice,
    "format": Expressions._format,
    "unpack": Expressions._operand,
}


def as_condition(test: ast.expr) -> ast.expr:
    """A condition of several parts as a person writes it: ``a or b`` for ``True if a else b``.

    Only its truth is asked for.

    >>> ast.unparse(as_condition(ast.parse("(b > 0 if a else False) if n else False", mode="eval").body))
    'n and (a and b > 0)'
    """
    match test:
        case ast.IfExp(test=first, body=ast.Constant(value=True), orelse=second):
            return ast.BoolOp(ast.Or(), [as_condition(first), as_condition(second)])
        case ast.IfExp(test=first, body=second, orelse=ast.Constant(value=False)):
            return ast.BoolOp(ast.And(), [as_condition(first), as_condition(second)])
    return test


def dotted(name: str) -> ast.expr:
    """A dotted name as an expression, modules under their usual aliases."""
    for module, alias in _MODULES.items():
        if name.startswith(module + "."):
            name = alias + name[len(module) :]
            break
    first, *rest = name.split(".")
    expr: ast.expr = ast.Name(first, ast.Load())
    for part in rest:
        expr = ast.Attribute(expr, part, ast.Load())
    return expr


def as_lists(entries: ast.expr) -> ast.expr:
    """The entries of an array that is written out: ``[[1, 2], [3, 4]]``."""
    return (
        ast.List(list(map(as_lists, entries.elts)), ast.Load()) if isinstance(entries, ast.Tuple) else entries
    )


def as_index(index: ast.expr) -> ast.expr:
    """``slice(a, b, None)`` inside brackets is written ``a:b``."""
    if isinstance(index, ast.Tuple) and index.elts:
        return ast.Tuple([as_index(item) for item in index.elts], ast.Load())
    if isinstance(index, ast.Call) and isinstance(index.func, ast.Name) and index.func.id == "slice":
        parts = [None if isinstance(a, ast.Constant) and a.value is None else a for a in index.args]
        return ast.Slice(*([None, *parts] if len(parts) == 1 else parts))
    return index


def _slice_call(bounds: list[ast.expr]) -> ast.expr:
    """``slice(a, b)``, without a step that is none, and without a start where the stop is alone."""
    absent = [isinstance(bound, ast.Constant) and bound.value is None for bound in bounds]
    if absent[2:] == [True]:
        bounds = bounds[1:2] if absent[0] else bounds[:2]
    return ast.Call(ast.Name("slice", ast.Load()), bounds, [])


def literal(atom: Literal, name: Callable[[str], ast.expr]) -> ast.expr:
    """A constant; a number that NumPy holds as float64 stays one. `name` spells what modules have."""
    expr = _constant(atom.value, name)
    return ast.Call(name("numpy.float64"), [expr], []) if atom.strong else expr


def _constant(value: object, name: Callable[[str], ast.expr]) -> ast.expr:
    if isinstance(value, (tuple, list)):
        return ast.Tuple([_constant(item, name) for item in value], ast.Load())
    if isinstance(value, slice):
        return _slice_call([_constant(part, name) for part in (value.start, value.stop, value.step)])
    if isinstance(value, float) and not math.isfinite(value):
        spelled = name("numpy.nan" if math.isnan(value) else "numpy.inf")
        return ast.UnaryOp(ast.USub(), spelled) if value < 0 else spelled
    if isinstance(value, (int, float)) and not isinstance(value, bool) and value < 0:
        return ast.UnaryOp(ast.USub(), ast.Constant(-value))
    return ast.Constant(value)  # type: ignore[arg-type]
