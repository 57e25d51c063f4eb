"""Equations as expressions over another array library.

In: equations of a promoted formula, and their types. Out: expressions in the library's vocabulary, with
NumPy's meaning; FormulaError (PB502) at an equation that the library has no function for.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Set

from ...analysis.types import Types, type_of
from ...codes import diagnostic
from ...diagnostics import FormulaError
from ...ir import Atom, Eqn, Formula, Literal, Var
from ...ir.dtypes import CONCRETE
from ...ir.types import ScalarType, TensorType, Type
from ...operators import DTYPES, OPERATORS, VALUE_CALLS, OperatorInfo, instead_of
from ...operators.plain import PLAIN_FUNCTIONS
from ..python_expr import BINARY, COMPARE, UNARY, Expressions, as_index, as_lists
from .helpers import private
from .templates import filled
from .vocabulary import Vocabulary, is_complex
from .widening import CONVERTED, OF_INTEGERS, dtype_of, of_no_floats, widened_operands

# Functions of numbers, where a formula computes with them before it meets an array.
_OF_VALUES = {
    **dict.fromkeys(("exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sqrt", "cbrt"), "math.{}"),
    **dict.fromkeys(("sin", "cos", "tan", "sinh", "cosh", "tanh", "floor", "ceil", "trunc"), "math.{}"),
    **dict.fromkeys(("hypot", "copysign", "erf", "erfc"), "math.{}"),
    **{"abs": "abs", "maximum": "max", "minimum": "min", "round": "round", "gamma": "math.gamma"},
    **{"gammaln": "math.lgamma", "arctan2": "math.atan2", "isnan": "math.isnan", "isinf": "math.isinf"},
    **{f"arc{name}": f"math.a{name}" for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh")},
    "isfinite": "math.isfinite",
}
# The same as expressions of `x` and `y`.
_OF_VALUES_WRITTEN = {
    "sign": "(x > 0) - (x < 0)",
    "logical_not": "not x",
    "logical_and": "bool(x and y)",
    "logical_or": "bool(x or y)",
    "logical_xor": "bool(x) != bool(y)",
}
_WHOLE = frozenset({"bool", "int32", "int64"})
_NUMBERS = frozenset({"int", "float", "bool", "number"})
_KEPT = frozenset({"item", "tuple", "list", "is_none", "isinstance", "not_", "slice", "format", "unpack"})


class ArrayExpressions(Expressions):
    """Equations of one block as expressions of a library.

    `types` are those of the block's variables, `device` an expression for where arrays made of numbers
    are put, `called` gives the name of another formula's function, `at_first` are names of tensors that
    may be numbers.
    """

    def __init__(
        self,
        counts: Mapping[Var, int],
        vocabulary: Vocabulary,
        formula: Formula,
        types: Types,
        called: Callable[[str], str | None],
        device: str = "",
        at_first: Set[str] = frozenset(),
        width: int = 66,
    ) -> None:
        super().__init__(counts, width)
        self._vocabulary = vocabulary
        self._formula = formula
        self._types = types
        self._called = called
        self._device = device
        self._at_first = at_first

    def _call(self, eqn: Eqn) -> ast.expr:
        if eqn.op in _KEPT:
            return super()._call(eqn)
        if eqn.op in ("shape", "ndim", "size", "dtype"):
            return self._metadata(eqn)
        info = OPERATORS.get(eqn.op)
        if info is None:
            return self._other(eqn)
        if eqn.op == "getitem":
            return self._entries(eqn)
        taken = eqn.op in _OF_VALUES and not info.infix and "scalar" in self._vocabulary.helpers
        if info.pointwise and not _reads_tensors(eqn) and (taken or eqn.outs[0].kind == "value"):
            return self._of_values(eqn, info)
        operands = self._operands(eqn, info)
        if len(eqn.outs) == 1 and (eqn.op == "accumulate" or eqn.op not in self._vocabulary.helpers):
            if eqn.op in UNARY:
                return ast.UnaryOp(UNARY[eqn.op](), operands[0])
            listed = eqn.outs[0].kind == "list"
            if info.infix in BINARY and len(operands) == 2 and not listed:
                return ast.BinOp(operands[0], BINARY[info.infix](), operands[1])
            if info.infix in COMPARE and len(operands) == 2:
                return ast.Compare(operands[0], [COMPARE[info.infix]()], [operands[1]])
        return self._function(eqn, info, operands)

    def _function(self, eqn: Eqn, info: OperatorInfo, operands: list[ast.expr]) -> ast.expr:
        """A call by a template, of a helper, of the library's function, or of another formula."""
        words = self._vocabulary
        if len(eqn.outs) > 1 and not info.gives_list:
            return self._formula_call(eqn, operands, info.python)
        if eqn.op == "contract" and isinstance(operands[0], ast.List) and "numpy.einsum" in words.calls:
            subscripts = self._attribute_value(eqn, "subscripts")
            return ast.Call(_parsed(words.calls["numpy.einsum"]), [subscripts, *operands[0].elts], [])
        own = eqn.op == self._formula.name
        if eqn.op in words.formulas and not own and (name := self._called(eqn.op)) is not None:
            return ast.Call(ast.Name(name, ast.Load()), operands, self._keywords(eqn, {}))
        template = words.templates.get(eqn.op)
        whole = eqn.op == "mean" and dtype_of(type_of(eqn.args[0], self._types)) in _WHOLE
        if eqn.op in words.constant and _axis_is_constant(eqn, eqn.op in words.one_axis) and not whole:
            template = words.constant[eqn.op]
        if eqn.op == "where" and not self._is_choice(eqn):
            template = None
        if template is not None:
            given = dict(zip(info.operands, operands, strict=False))
            keywords = self._keywords(eqn, {}, every=False)
            given |= {keyword.arg: keyword.value for keyword in keywords if keyword.arg}
            if "dtype" in info.attrs and eqn.kwarg("dtype") in (None, Literal(None)):
                given |= self._dtype_of_numbers(eqn)
            if eqn.op == "full" and (shape := eqn.kwarg("shape")) is not None:
                given["shape"] = _as_tuple(given["shape"], type_of(shape, self._types))
            if eqn.op == "array" and "dtype" not in given:
                template = "array_of(object, device)"
            return self._filled(template, given | {"device": _parsed(self._device or "None")})
        if eqn.op in words.helpers:
            return ast.Call(helper(eqn.op), operands, self._keywords(eqn, {}))
        if f"{eqn.op}_of_complex" in words.helpers and is_complex(self._formula):
            return ast.Call(helper(f"{eqn.op}_of_complex"), operands, [])
        if name := words.function(info):
            return ast.Call(_parsed(name), operands, self._keywords(eqn, words.attributes, every=False))
        return self._formula_call(eqn, operands, info.python)

    def _dtype_of_numbers(self, eqn: Eqn) -> dict[str, ast.expr]:
        """The dtype that NumPy gives an array made of numbers alone, by the operator or by what fills it."""
        words, fill = self._vocabulary, eqn.kwarg("fill_value")
        dtype = dtype_of(type_of(eqn.outs[0], self._types))
        if dtype in CONCRETE:
            return {"dtype": _parsed(f"{words.module}.{dtype}")}
        if fill is None or "dtype_of" not in words.helpers:
            return {}
        return {"dtype": ast.Call(helper("dtype_of"), [self.of(fill)], [])}

    def _filled(self, template: str, given: dict[str, ast.expr]) -> ast.expr:
        """The template with expressions in the place of names; those of helpers stay."""
        calls = [node.func for node in ast.walk(_parsed(template)) if isinstance(node, ast.Call)]
        read = {function.id for function in calls if isinstance(function, ast.Name)}
        helpers = {name: helper(name) for name in read if name in self._vocabulary.helpers}
        return filled(template, helpers | given)

    def _keywords(self, eqn: Eqn, renamed: Mapping[str, str], every: bool = True) -> list[ast.keyword]:
        """The attributes as keyword arguments; all axes are left out unless `every` is asked for."""
        return [
            ast.keyword(renamed.get(name, name), self._attribute_value(eqn, name))
            for name, value in eqn.kwargs
            if name != "callee" and (every or name != "axis" or value != Literal(None))
        ]

    def _is_choice(self, eqn: Eqn) -> bool:
        """True where the condition is known to be boolean, and an array is among what it chooses from."""
        condition = type_of(eqn.args[0], self._types)
        arrays = any(isinstance(atom, Var) and atom.kind == "tensor" for atom in eqn.args[1:])
        return isinstance(condition, TensorType) and condition.dtype == "bool" and arrays

    def _other(self, eqn: Eqn) -> ast.expr:
        """Calls beside the table of operators: metadata, `math`, a function of the text, another formula."""
        words = self._vocabulary
        callee = eqn.kwarg("callee")
        operands = [self.of(atom) for atom in eqn.args]
        if isinstance(callee, Literal) and callee.value in PLAIN_FUNCTIONS and eqn.outs[0].kind == "value":
            return ast.Call(_parsed(str(callee.value)), operands, self._keywords(eqn, {}))
        if isinstance(callee, Literal):
            name = words.calls.get(str(callee.value))
            if name is None:
                raise self.refusal(eqn, str(callee.value).lstrip("."))
            return ast.Call(_parsed(name), operands, self._keywords(eqn, {}))
        if eqn.op.startswith("pullback.primitives."):
            name = eqn.op.rsplit(".", 1)[1]
            if name not in words.helpers:
                raise self.refusal(eqn, eqn.op)
            return ast.Call(helper(name), operands, [])
        if eqn.op in VALUE_CALLS:
            return ast.Call(_parsed(eqn.op), operands, [])
        if eqn.op in words.helpers:
            return ast.Call(helper(eqn.op), operands, self._keywords(eqn, {}))
        return self._formula_call(eqn, operands, eqn.op)

    def _formula_call(self, eqn: Eqn, operands: list[ast.expr], spoken: str) -> ast.expr:
        name = self._called(eqn.op)
        if name is None:
            raise self.refusal(eqn, spoken)
        if len(eqn.outs) > 1:
            name += "_with_hidden"
        tensors = [k for k, atom in enumerate(eqn.args) if isinstance(atom, Var) and atom.kind == "tensor"]
        if tensors and "scalar" in self._vocabulary.helpers:
            beside = operands[tensors[0]]
            operands = [
                ast.Call(helper("scalar"), [made, beside], []) if _is_of_python(atom) else made
                for atom, made in zip(eqn.args, operands, strict=True)
            ]
        return ast.Call(ast.Name(name, ast.Load()), operands, self._keywords(eqn, {}))

    def refusal(self, eqn: Eqn, spoken: str, instead: str = "") -> FormulaError:
        """The error at an equation that the library has no function for."""
        library = self._vocabulary.library
        message = f"{library} has no equal of `{spoken}`"
        instead = instead or instead_of(spoken) or f"it with functions that {library} has"
        hint = f"write {instead}, or convert to NumPy and use pb.grad"
        span = eqn.span or self._formula.span
        finding = diagnostic("PB502", message, span, name=self._formula.name, value=spoken, hint=hint)
        return FormulaError([finding], self._formula.source)

    def _operands(self, eqn: Eqn, info: OperatorInfo) -> list[ast.expr]:
        """The operands; numbers, and arrays of another dtype, in the form that gives NumPy's result."""
        made = [self.of(atom) for atom in eqn.args]
        if info.view and _is_of_python(eqn.args[0]) and "array_of" in self._vocabulary.helpers:
            made[0] = self.as_array(made[0])
        if eqn.op in ("astype", "stop_gradient", "accumulate") or info.kind not in ("pointwise", "product"):
            return made
        if spoken := of_no_floats(eqn, info, self._types):
            raise self.refusal(eqn, spoken, CONVERTED)
        tensors = [k for k, atom in enumerate(eqn.args) if isinstance(atom, Var) and atom.kind == "tensor"]
        for k in widened_operands(eqn, info, self._types):
            numbers = self._numbers_beside(eqn, made, k) if eqn.op in OF_INTEGERS else []
            if not numbers or not all(isinstance(number, ast.Constant) for number in numbers):
                made[k] = ast.Call(helper("widened"), [made[k], *numbers[:1]], [])
        if eqn.op in ("subtract", "matmul", "vdot") and "counted" in self._vocabulary.helpers:
            masks = [k for k, atom in enumerate(eqn.args) if dtype_of(type_of(atom, self._types)) == "bool"]
            if len(masks) == 1 and masks[0] not in widened_operands(eqn, info, self._types):
                (k,) = masks
                made[k] = ast.Call(helper("counted"), [made[k], made[1 - k]], [])
            for k, atom in enumerate(eqn.args):
                if isinstance(of := type_of(atom, self._types), ScalarType) and of.kind == "bool":
                    known = ast.Constant(int(bool(atom.value))) if isinstance(atom, Literal) else None
                    made[k] = known or ast.Call(_parsed("int"), [made[k]], [])
        helped = eqn.op in self._vocabulary.helpers or eqn.op == "where"
        takes_numbers = helped or bool(info.infix) or not info.pointwise
        if not takes_numbers and tensors and "scalar" in self._vocabulary.helpers:
            sure = [k for k in tensors if not self.may_be_number(eqn.args[k])]
            if not sure:
                made[tensors[0]] = self.as_array(made[tensors[0]])
                sure = tensors[:1]
            beside = made[sure[0]]
            for k, atom in enumerate(eqn.args):
                if k not in sure and (k not in tensors or self.may_be_number(atom)):
                    made[k] = ast.Call(helper("scalar"), [made[k], beside], [])
        return made

    def may_be_number(self, atom: Atom) -> bool:
        """True for a tensor that is a number where a loop has no iteration."""
        return isinstance(atom, Var) and atom.name in self._at_first

    def as_array(self, value: ast.expr) -> ast.expr:
        """An operand that may be a number, as an array."""
        return ast.Call(helper("array_of"), [value, _parsed(self._device or "None")], [])

    def _numbers_beside(self, eqn: Eqn, made: list[ast.expr], k: int) -> list[ast.expr]:
        """The other operands, where they are integers, or one is a name of what may be one or a float."""
        found = []
        for j in (j for j in range(len(made)) if j != k):
            other = type_of(eqn.args[j], self._types)
            whole = isinstance(other, ScalarType) and other.kind in ("int", "value", "none")
            if not whole or not isinstance(made[j], ast.Constant | ast.Name | ast.Attribute):
                return []
            found.append(made[j])
        single = len(found) == 1 or all(isinstance(each, ast.Constant) for each in found)
        return found if single else []

    def _of_values(self, eqn: Eqn, info: OperatorInfo) -> ast.expr:
        """A function of numbers."""
        operands = self._dtypes(eqn) if info.infix in COMPARE else [self.of(atom) for atom in eqn.args]
        if eqn.op in UNARY:
            return ast.UnaryOp(UNARY[eqn.op](), operands[0])
        if info.infix in BINARY and len(operands) == 2:
            return ast.BinOp(operands[0], BINARY[info.infix](), operands[1])
        if info.infix in COMPARE and len(operands) == 2:
            return ast.Compare(operands[0], [COMPARE[info.infix]()], [operands[1]])
        if eqn.op == "square":
            return ast.BinOp(operands[0], ast.Pow(), ast.Constant(2))
        if eqn.op == "where":
            return ast.IfExp(*operands)
        if eqn.op in ("astype", "stop_gradient"):
            return operands[0]
        if eqn.op in _OF_VALUES_WRITTEN:
            return filled(_OF_VALUES_WRITTEN[eqn.op], dict(zip("xy", operands, strict=False)))
        name = _OF_VALUES.get(eqn.op)
        if name is None:
            raise self.refusal(eqn, info.python)
        return ast.Call(_parsed(name.format(eqn.op)), operands, [])

    def _dtypes(self, eqn: Eqn) -> list[ast.expr]:
        """The operands of a comparison; the name of a dtype, beside what is no string, as the library's."""
        found = [type_of(atom, self._types) for atom in eqn.args if isinstance(atom, Var)]
        is_text = any(isinstance(of, ScalarType) and of.kind == "str" for of in found)
        return [
            self._dtype_named(str(atom.value))
            if not is_text and isinstance(atom, Literal) and f"numpy.{atom.value}" in DTYPES
            else self.of(atom)
            for atom in eqn.args
        ]

    def _dtype_named(self, name: str) -> ast.expr:
        words = self._vocabulary
        return _parsed(f"{words.module}.{words.dtypes.get(name, name)}")

    def _entries(self, eqn: Eqn) -> ast.expr:
        """``x[index]``; a step backwards goes through the helper, where the library has one."""
        index = eqn.kwarg("index")
        assert index is not None
        base, made = self.of(eqn.args[0]), self.of(index)
        place = type_of(index, self._types)
        unknown = isinstance(index, Var) and index.kind == "value" and not _is_number(place)
        unknown = unknown or (isinstance(index, Var) and index.temp and _may_be_number(index, place))
        if "getitem" in self._vocabulary.helpers and (unknown or not _is_plain_index(made)):
            return ast.Call(helper("getitem"), [base, made], [])
        return ast.Subscript(base, as_index(made), ast.Load())

    def _metadata(self, eqn: Eqn) -> ast.expr:
        """Shape, number of axes, of entries, and dtype."""
        base = self.of(eqn.args[0])
        of = type_of(eqn.args[0], self._types)
        number = isinstance(of, ScalarType) and of.kind in _NUMBERS
        if eqn.op != "dtype" and (number or (isinstance(of, TensorType) and of.shape == ())):
            return ast.parse({"shape": "()", "ndim": "0", "size": "1"}[eqn.op], mode="eval").body
        if eqn.op == "ndim" and isinstance(eqn.args[0], Var) and eqn.args[0].kind == "value":
            return filled("1 if isinstance(x, tuple) else 0", {"x": base})  # an attribute
        return filled(self._vocabulary.templates.get(eqn.op, f"x.{eqn.op}"), {"x": base})

    def _attribute_value(self, eqn: Eqn, name: str) -> ast.expr:
        value = eqn.kwarg(name)
        assert value is not None
        if name == "dtype" and isinstance(value, Literal) and isinstance(value.value, str):
            return self._dtype_named(value.value)
        return as_lists(self.of(value)) if name == "object" else self.of(value)

    def name(self, full: str) -> ast.expr:
        """A constant of NumPy as the library's."""
        return _parsed(f"{self._vocabulary.module}.{full.rpartition('.')[2]}")

    def of(self, atom: Atom) -> ast.expr:
        """The expression for an operand; a number is a plain one."""
        return super().of(Literal(atom.value) if isinstance(atom, Literal) else atom)


def helper(name: str) -> ast.Name:
    """A helper's name as an expression."""
    return ast.Name(private(name), ast.Load())


def _parsed(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def _as_tuple(shape: ast.expr, of: Type) -> ast.expr:
    """A shape as a tuple, of a number too: `torch.full` takes no other."""
    if not isinstance(of, ScalarType):
        return shape
    known = of.kind == "int"
    return filled("(n,)" if known else "n if isinstance(n, tuple) else (n,)", {"n": shape})


def _reads_tensors(eqn: Eqn) -> bool:
    return any(var.kind in ("tensor", "list") for var in eqn.reads())


def _is_number(found: object) -> bool:
    return isinstance(found, ScalarType) and found.kind == "int"


def _is_of_python(atom: Atom) -> bool:
    """True for a number that the formula's text holds."""
    return isinstance(atom, Literal) and isinstance(atom.value, (int, float))


def _may_be_number(index: Var, found: object) -> bool:
    """True for an entry of integers, which may be an array without axes."""
    known = isinstance(found, TensorType) and isinstance(found.shape, tuple) and found.shape
    return index.kind == "tensor" and not known


def _axis_is_constant(eqn: Eqn, one: bool) -> bool:
    """True where axes are given, as numbers; `one`: an axis, as a number."""
    found = [
        value.value for name, value in eqn.kwargs if name.startswith("ax") and isinstance(value, Literal)
    ]
    several = [isinstance(axis, tuple) and axis and not one for axis in found]
    return bool(found) and all(type(axis) is int or many for axis, many in zip(found, several, strict=True))


def _is_plain_index(index: ast.expr) -> bool:
    """True where no slice can step backwards: a step that is a variable may."""
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    for part in parts:
        if isinstance(part, ast.Call) and isinstance(part.func, ast.Name) and part.func.id == "slice":
            step = part.args[2] if len(part.args) == 3 else None
            if step is not None and not isinstance(step, ast.Constant):
                return False
    return True
