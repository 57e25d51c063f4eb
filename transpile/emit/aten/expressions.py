"""Equations as expressions of C++ over ATen.

In: equations of a promoted formula, and their types. Out: expressions with NumPy's meaning; FormulaError
(PB502) at an equation that ATen has no operator for.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from functools import partial
from string import Formatter

from ...analysis.types import Types, type_of
from ...codes import diagnostic
from ...diagnostics import FormulaError
from ...ir import Atom, Eqn, Formula, Literal, Var
from ...ir.types import TensorType
from ...operators import OPERATORS, OperatorInfo
from ..array_library.widening import CONVERTED, of_no_floats, widened_operands
from ..torch.vocabulary import FORMULAS
from .indexing import entries
from .values import (
    BOOL,
    CHOICE,
    DOUBLE,
    DOUBLES,
    DTYPE,
    INT,
    INTS,
    LIKE,
    LIKES,
    NONE,
    NUMBERS,
    PARTS,
    PRIMARY,
    SIZES,
    STRING,
    TENSOR,
    TENSORS,
    UNARY,
    Expr,
    added,
    binary,
    constant,
    declared,
    joined,
    tuple_of,
)
from .vocabulary import ALL_AXES, DTYPES, OF_NUMBERS, OF_TRUTH, OF_VALUES, TEMPLATES, WHOLE

_NUMBER_OF = {"true": "1", "false": "0"}
_INFIX = frozenset("+-*/%&|^") | {"<", "<=", ">", ">=", "==", "!="}
_FIELD = re.compile(r"\{(\w+)(?:(\?)|:(\w+))?\}")


class AtenExpressions:
    """Equations of one block as expressions.

    `types` are those of the IR, `called` gives the struct of another formula, `beside` a tensor on whose
    device arrays made of numbers are put. `values` are the expressions of variables so far.
    """

    def __init__(
        self,
        formula: Formula,
        types: Types,
        called: Callable[[str], str | None],
        values: Mapping[Var, Expr],
        beside: str = "",
    ) -> None:
        self.formula = formula
        self.values: dict[Var, Expr] = dict(values)
        self._types = types
        self._called = called
        self._beside = beside

    def of(self, atom: Atom) -> Expr:
        """The expression of an operand."""
        if isinstance(atom, Var):
            return self.values[atom]
        return constant(atom.value)

    def converted(self, value: Expr, type: str, eqn: Eqn | None = None) -> str:
        """The text of a value as one of another type."""
        if value.type == type:
            return value.text
        if type == TENSOR and value.type in NUMBERS:
            return f"number({value.text})"
        if type == DOUBLE and value.type in (INT, BOOL):
            return f"static_cast<double>({value.text})"
        if type == INT and value.type == BOOL:
            return value.text
        if type == INTS and value.type == SIZES:
            return f"{value.within(PRIMARY)}.vec()"
        if type == INTS and value.type == PARTS and all(part.type == INT for part in value.parts):
            return f"{INTS}{value.text}"
        if value.type == NONE and type:
            return f"{declared(type)}()"
        raise self.refusal(eqn, f"{value.text} as {type or 'one type'}")

    def refusal(self, eqn: Eqn | None, spoken: str, instead: str = "") -> FormulaError:
        """The error at an equation that ATen has no operator for."""
        span = (eqn.span if eqn is not None else None) or self.formula.span
        hint = "write it with functions that ATen has, or use --target torch-python"
        hint = f"write {instead}" if instead else hint
        message = f"ATen has no equal of `{spoken}`"
        name = self.formula.name
        finding = diagnostic("PB502", message, span, name=name, value=spoken, hint=hint)
        return FormulaError([finding], self.formula.source)

    def call(self, eqn: Eqn) -> Expr:
        """The right-hand side of an equation with one result."""
        structural = _STRUCTURAL.get(eqn.op)
        if structural is not None:
            return structural(self, eqn)
        info = OPERATORS.get(eqn.op)
        if info is None:
            return self._other(eqn)
        operands = [self.of(atom) for atom in eqn.args]
        if info.pointwise and not any(value.type in (TENSOR, TENSORS) for value in operands):
            return self._of_values(eqn, info, operands)
        return self._operator(eqn, info, operands)

    # operators of tensors

    def _operator(self, eqn: Eqn, info: OperatorInfo, operands: list[Expr]) -> Expr:
        if spoken := of_no_floats(eqn, info, self._types):
            raise self.refusal(eqn, spoken, CONVERTED)
        for k in widened_operands(eqn, info, self._types):
            if operands[k].type == TENSOR:
                operands[k] = Expr(f"{operands[k].within(PRIMARY)}.to(at::kDouble)", TENSOR)
        if any(value.type == NONE for value in operands) and eqn.op != "clip":
            raise self.refusal(eqn, f"{info.python} of None")
        infix = _infix(info)
        if eqn.op in ("subtract", "matmul"):
            operands = self._counted(eqn, operands)
        if infix in _INFIX and len(operands) == 2:
            return binary(infix, operands[0], operands[1])
        if eqn.op == "negative":
            return Expr(f"-{operands[0].within(UNARY)}", TENSOR, UNARY)
        if eqn.op == "matmul":
            return Expr(f"at::matmul({operands[0].text}, {operands[1].text})", TENSOR)
        by_name = dict(zip(info.operands, operands, strict=False))
        by_name |= {name: self.of(value) for name, value in eqn.kwargs if name != "callee"}
        given: Mapping[str, Expr] = by_name
        if special := _SPECIAL.get(eqn.op):
            return special(self, eqn, given)
        axes = self._over_an_axis(eqn, given)
        template = self._template(eqn, info, axes)
        if template is not None:
            return self._filled(eqn, template, axes)
        without_derivative = eqn.op in FORMULAS and eqn.op != self.formula.name
        if info.aten and not without_derivative and not info.attrs and not info.gives_list:
            return self._function(info.aten, operands)
        return self._formula_call(eqn, operands)

    def _counted(self, eqn: Eqn, operands: list[Expr]) -> list[Expr]:
        """The operands, a mask beside another one as numbers of its dtype, and truth values as numbers."""
        operands = [
            Expr(_NUMBER_OF.get(value.text, f"static_cast<{INT}>({value.text})"), INT)
            if value.type == BOOL
            else value
            for value in operands
        ]
        found = [type_of(atom, self._types) for atom in eqn.args]
        masks = [k for k, of in enumerate(found) if isinstance(of, TensorType) and of.dtype == "bool"]
        if len(masks) != 1 or operands[masks[0]].type != TENSOR:
            return operands
        (k,) = masks
        mask, other = operands[k], operands[1 - k]
        dtype = {INT: "at::kLong", DOUBLE: "at::kDouble"}.get(other.type)
        dtype = dtype or f"{other.within(PRIMARY)}.scalar_type()"
        counted = Expr(f"{mask.within(PRIMARY)}.to({dtype})", TENSOR)
        return [counted, other] if k == 0 else [other, counted]

    def _over_an_axis(self, eqn: Eqn, given: Mapping[str, Expr]) -> Mapping[str, Expr]:
        """The arguments of a reduction; no axis, which ATen takes for all of them, is one of length one."""
        axis = given.get("axis")
        if "{axis:axes}" not in TEMPLATES.get(eqn.op, "") or axis is None or axis.type != PARTS or axis.parts:
            return given
        whole = Expr(f"at::unsqueeze({given['a'].text}, 0)", TENSOR)
        return {**given, "a": whole, "axis": Expr("0", INT), "keepdims": Expr("false", BOOL)}

    def _template(self, eqn: Eqn, info: OperatorInfo, given: Mapping[str, Expr]) -> str | None:
        axis = given.get("axes" if eqn.op == "transpose" else "axis")
        every = eqn.op != "concatenate" if axis is None else axis.type == NONE
        if eqn.op in ALL_AXES and every:
            keeps = given.get("keepdims")
            if keeps is None or keeps.text == "false" or eqn.op in ("flip", "transpose"):
                return ALL_AXES[eqn.op]
            if eqn.op in ("sum", "mean", "max", "min", "var", "std"):
                return TEMPLATES[eqn.op].replace("{axis:axes}", "all_axes({a})")
            raise self.refusal(eqn, f"{info.python} with keepdims over all axes")
        return TEMPLATES.get(eqn.op) or OF_NUMBERS.get(eqn.op)

    def _function(self, name: str, operands: list[Expr]) -> Expr:
        """An operator of ATen of these tensors; numbers become tensors beside the first one."""
        first = next(value for value in operands if value.type == TENSOR)
        texts = [
            f"scalar({value.text}, {first.text})" if value.type in NUMBERS else value.text
            for value in operands
        ]
        return Expr(f"at::{name}({', '.join(texts)})", TENSOR)

    def _filled(self, eqn: Eqn, template: str, given: Mapping[str, Expr]) -> Expr:
        """The template with expressions in the place of names."""

        def put(found: re.Match[str]) -> str:
            name, asked, form = found.groups()
            value = given.get(name)
            absent = value is None or value.type == NONE
            if asked:
                return "" if value is None or absent else f", {self._argument(eqn, value)}"
            if name == "dtype":
                return self._options(eqn, given)
            if form == "optional":
                return "std::nullopt" if value is None or absent else self._argument(eqn, value)
            if form == "list" and value is not None and value.type == INT:
                return f"{{{value.text}}}"
            if absent and form not in (None, "axes", "list"):
                return str(form)
            if value is None or absent:
                raise self.refusal(eqn, f"{eqn.op} without {name}")
            text = self._argument(eqn, value)
            if form == "axes" and value.type in (INTS, SIZES):
                return f"some_axes({text})"
            return value.within(PRIMARY) if f"{{{name}}}." in template else text

        return Expr(_FIELD.sub(put, template), TENSORS if eqn.outs[0].kind == "list" else TENSOR)

    def _argument(self, eqn: Eqn, value: Expr) -> str:
        if value.type == TENSORS and value.parts:
            return f"{{{', '.join(part.text for part in value.parts)}}}"
        if value.type == PARTS and not all(part.type == INT for part in value.parts):
            raise self.refusal(eqn, f"{eqn.op} with {value.text}")
        return value.text

    def _options(self, eqn: Eqn, given: Mapping[str, Expr]) -> str:
        dtype = given.get("dtype")
        if dtype is None or dtype.type == NONE:
            numbers = [given[name] for name in ("start", "stop", "step") if name in given]
            whole = bool(numbers) and all(value.type == INT for value in numbers)
            text = "at::kLong" if whole else "at::kDouble"
        else:
            text = self._dtype(eqn, dtype)
        return f"{self._beside}.options().dtype({text})" if self._beside else f"at::dtype({text})"

    def _dtype(self, eqn: Eqn, value: Expr) -> str:
        if value.type == DTYPE:
            return value.text
        found = DTYPES.get(value.text.strip('"'))
        if found is None:
            raise self.refusal(eqn, f"the dtype {value.text}")
        return found

    def _where(self, eqn: Eqn, given: Mapping[str, Expr]) -> Expr:
        condition, x, y = (self.of(atom) for atom in eqn.args)
        for k in widened_operands(eqn, OPERATORS["where"], self._types):
            if k and (x, y)[k - 1].type == TENSOR:
                value = Expr(f"{(x, y)[k - 1].within(PRIMARY)}.to(at::kDouble)", TENSOR)
                x, y = (value, y) if k == 1 else (x, value)
        if condition.type != TENSOR:
            condition = Expr(f"number({condition.text})", TENSOR)
        else:
            found = type_of(eqn.args[0], self._types)
            if not (isinstance(found, TensorType) and found.dtype == "bool"):
                condition = Expr(f"truth({condition.text})", TENSOR)
        if x.type in NUMBERS and y.type in NUMBERS:
            return Expr(f"where_of_numbers({condition.text}, {x.text}, {y.text})", TENSOR)
        return Expr(f"at::where({condition.text}, {x.text}, {y.text})", TENSOR)

    def _clip(self, eqn: Eqn, given: Mapping[str, Expr]) -> Expr:
        """Bounds one by one: a number clamps, a tensor is compared with."""
        x = given["x"]
        for key, clamp, compare in (("a_min", "clamp_min", "maximum"), ("a_max", "clamp_max", "minimum")):
            bound = given.get(key, Expr("", NONE))
            if bound.type == TENSOR:
                x = self._function(compare, [x, bound])
            elif bound.type != NONE:
                x = Expr(f"at::{clamp}({x.text}, {bound.text})", TENSOR)
        return x

    def _astype(self, eqn: Eqn, given: Mapping[str, Expr]) -> Expr:
        x = self.of(eqn.args[0])
        return Expr(f"{x.within(PRIMARY)}.to({self._dtype(eqn, given['dtype'])})", TENSOR)

    def _floor_divide(self, eqn: Eqn, given: Mapping[str, Expr]) -> Expr:
        """The quotient rounded down, without a gradient."""
        x, y = given["x"], given["y"]
        if x.type in NUMBERS:
            return Expr(f"at::floor_divide(scalar({x.text}, {y.text}), {y.within(PRIMARY)}.detach())", TENSOR)
        return Expr(f"at::floor_divide({x.within(PRIMARY)}.detach(), {y.text})", TENSOR)

    def _roll(self, eqn: Eqn, given: Mapping[str, Expr]) -> Expr:
        """Entries moved along axes, by one number along all of them where it is one."""
        shift, axis = given["shift"], given.get("axis", Expr("", NONE))
        if axis.type == NONE:
            axis = Expr("{}", PARTS)
        elif shift.type == INT and axis.parts:
            given = {**given, "shift": tuple_of((shift,) * len(axis.parts))}
        return self._filled(eqn, TEMPLATES["roll"], {**given, "axis": axis})

    def _of_one_axis(self, eqn: Eqn, given: Mapping[str, Expr]) -> Expr:
        """A function along an axis, which ATen has for one alone."""
        if given["axis"].type != INT:
            raise self.refusal(eqn, f"{OPERATORS[eqn.op].python} with axis={given['axis'].text}")
        return self._filled(eqn, TEMPLATES[eqn.op], given)

    def _repeat(self, eqn: Eqn, given: Mapping[str, Expr]) -> Expr:
        """Entries repeated, each as often."""
        if given["repeats"].type != INT:
            raise self.refusal(eqn, f"numpy.repeat by {given['repeats'].text}")
        return self._filled(eqn, TEMPLATES[eqn.op], given)

    def _transpose(self, eqn: Eqn, given: Mapping[str, Expr]) -> Expr:
        axes = given.get("axes")
        if axes is None or axes.type == NONE:
            return Expr(f"reversed_axes({given['a'].text})", TENSOR)
        return Expr(f"at::permute({given['a'].text}, {axes.text})", TENSOR)

    def _squeeze(self, eqn: Eqn, given: Mapping[str, Expr]) -> Expr:
        axis = given.get("axis")
        if axis is None or axis.type == NONE:
            return Expr(f"at::squeeze({given['a'].text})", TENSOR)
        return Expr(f"without_axes({given['a'].text}, {axis.text})", TENSOR)

    def _expand_dims(self, eqn: Eqn, given: Mapping[str, Expr]) -> Expr:
        a, axis = given["a"], given["axis"]
        if axis.type == INT:
            return Expr(f"at::unsqueeze({a.text}, {axis.text})", TENSOR)
        places = [int(part.text) for part in axis.parts if part.text.lstrip("-").isdigit()]
        if axis.type == PARTS and not axis.parts:
            return a
        if axis.type != PARTS or len(places) < len(axis.parts) or min(places) < 0 <= max(places):
            raise self.refusal(eqn, f"numpy.expand_dims with axis={axis.text}")
        for place in sorted(places, reverse=places[0] < 0):
            a = Expr(f"at::unsqueeze({a.text}, {place})", TENSOR)
        return a

    def _mean(self, eqn: Eqn, given: Mapping[str, Expr]) -> Expr:
        """The mean; of a mask it is of doubles."""
        found = type_of(eqn.args[0], self._types)
        if isinstance(found, TensorType) and found.dtype in ("bool", "int64", "int32"):
            a = Expr(f"{given['a'].within(PRIMARY)}.to(at::kDouble)", TENSOR)
            given = {**given, "a": a}
        given = self._over_an_axis(eqn, given)
        template = self._template(eqn, OPERATORS["mean"], given)
        assert template is not None
        return self._filled(eqn, template, given)

    def _contract(self, eqn: Eqn, given: Mapping[str, Expr]) -> Expr:
        arrays = self._argument(eqn, given["arrays"])
        return Expr(f"at::einsum({given['subscripts'].text}, {arrays})", TENSOR)

    def _contract_gradients(self, eqn: Eqn, given: Mapping[str, Expr]) -> Expr:
        """For each factor the product of the gradient with the others."""
        subscripts, arrays = given["subscripts"].text.strip('"'), given["arrays"].parts
        inputs, arrow, output = subscripts.replace(" ", "").partition("->")
        groups = inputs.split(",")
        made = []
        for k, group in enumerate(groups):
            others = [one for j, one in enumerate(groups) if j != k]
            known = set("".join([output, *others]))
            if not arrow or "." in subscripts or not arrays or len(set(group)) < len(group):
                raise self.refusal(eqn, f"the derivative of einsum {subscripts!r}")
            if not known.issuperset(group):
                raise self.refusal(eqn, f"the derivative of einsum {subscripts!r}")
            factors = [given["grad"].text, *(one.text for j, one in enumerate(arrays) if j != k)]
            text = f'at::einsum("{",".join([output, *others])}->{group}", {{{", ".join(factors)}}})'
            made.append(Expr(text, TENSOR))
        return Expr(f"{TENSORS}{{{', '.join(part.text for part in made)}}}", TENSORS, parts=tuple(made))

    def _eye(self, eqn: Eqn, given: Mapping[str, Expr]) -> Expr:
        if "k" in given and given["k"].text != "0":
            raise self.refusal(eqn, "numpy.eye with k")
        rows = given["N"].text
        columns = f", {given['M'].text}" if "M" in given and given["M"].type != NONE else ""
        return Expr(f"at::eye({rows}{columns}, {self._options(eqn, given)})", TENSOR)

    def _array(self, eqn: Eqn, given: Mapping[str, Expr]) -> Expr:
        """An array of numbers that are written out, or of an argument that is a list of them."""
        entries, own = given["object"], type_of(eqn.outs[0], self._types)
        dtype = DTYPES.get(str(own.dtype)) if isinstance(own, TensorType) else None
        dtype = dtype or _DTYPES_OF.get(entries.type)
        if dtype is None:
            raise self.refusal(eqn, f"numpy.array of {entries.text}")
        options = self._options(eqn, {"dtype": Expr(dtype, DTYPE), **given})
        if entries.type in NUMBERS:
            return Expr(f"at::scalar_tensor({entries.text}, {options})", TENSOR)
        if entries.type in _DTYPES_OF:
            element = INT if entries.type in (INTS, SIZES, _ANSWERS) else DOUBLE
            text = entries.text
            if entries.type == _ANSWERS:
                text = f"{INTS}({text}.begin(), {text}.end())"
            return Expr(f"table<{element}>({text}, {options})", TENSOR)
        element = {"at::kLong": INT, "at::kBool": INT}.get(dtype, DOUBLE)
        lengths, parts = [], entries.parts
        while True:
            lengths.append(str(len(parts)))
            if not parts or parts[0].type != PARTS:
                break
            parts = tuple(each for part in parts for each in part.parts)
        numbers = ", ".join(self.converted(part, element, eqn) for part in parts)
        shaped = f".view({{{', '.join(lengths)}}})" if len(lengths) > 1 else ""
        return Expr(f"table<{element}>({{{numbers}}}, {options}){shaped}", TENSOR)

    def _arange(self, eqn: Eqn, given: Mapping[str, Expr]) -> Expr:
        if "stop" not in given or given["stop"].type == NONE:
            given = {**given, "start": Expr("0", INT), "stop": given["start"]}
        return self._filled(eqn, OF_NUMBERS["arange"], given)

    def _entries(self, eqn: Eqn) -> Expr:
        """``x[index]``: an operator for each part of the index."""
        index = eqn.kwarg("index")
        assert index is not None
        return Expr(self.entries(eqn, self.of(eqn.args[0]).text, self.of(index)), TENSOR)

    def entries(self, eqn: Eqn, base: str, index: Expr) -> str:
        """The entries of a tensor at an index."""
        return entries(base, index, partial(self.refusal, eqn))

    # what is no operator of tensors

    def _of_values(self, eqn: Eqn, info: OperatorInfo, operands: list[Expr]) -> Expr:
        """A function of numbers."""
        infix = _infix(info)
        kinds = {value.type for value in operands}
        if eqn.op == "astype":
            return operands[0]
        if eqn.op == "negative":
            of_truth = operands[0].type == BOOL  # whose negative is an integer
            return Expr(f"-{operands[0].within(UNARY)}", INT if of_truth else operands[0].type, UNARY)
        if eqn.op == "logical_not":
            return Expr(f"!{operands[0].within(UNARY)}", BOOL, UNARY)
        if eqn.op == "add" and kinds <= {SIZES, INTS, PARTS} and all(value.parts for value in operands):
            parts = tuple(part for value in operands for part in value.parts)
            return tuple_of(parts)
        if not kinds <= {*NUMBERS, DTYPE, STRING} or not operands:
            raise self.refusal(eqn, info.python)
        if info.dtype == "bool" and infix in _INFIX:
            if DTYPE in kinds:
                operands = [Expr(self._dtype(eqn, value), DTYPE) for value in operands]
            return binary(infix, operands[0], operands[1], BOOL)
        floats = DOUBLE in kinds
        if eqn.op == "divide":
            first, second = (Expr(self.converted(value, DOUBLE), DOUBLE, value.level) for value in operands)
            return binary("/", first, second, DOUBLE)
        if eqn.op == "floor_divide" and not floats:
            texts = [value.text for value in operands]
            written = any(text.lstrip("-").isdigit() for text in texts)  # an `int`
            text = f"c10::div_floor_integer{'<int64_t>' if written else ''}({', '.join(texts)})"
            return Expr(text, INT)
        if eqn.op in ("add", "subtract", "multiply"):
            return binary(infix, operands[0], operands[1], DOUBLE if floats else INT)
        if eqn.op in ("maximum", "minimum"):
            type = DOUBLE if floats else INT
            texts = [value.text for value in operands]
            return Expr(f"std::{eqn.op[:3]}<{type}>({', '.join(texts)})", type)
        if eqn.op == "square":
            return binary("*", operands[0], operands[0], operands[0].type)
        if eqn.op == "where":
            return self.choice(eqn, operands[0], operands[1], operands[2])
        name = OF_VALUES.get(eqn.op)
        if name is None or (eqn.op == "power" and not floats):
            raise self.refusal(eqn, f"{info.python} of numbers")
        type = BOOL if eqn.op in OF_TRUTH else DOUBLE
        return Expr(f"{name}({', '.join(value.text for value in operands)})", type)

    def choice(self, eqn: Eqn, test: Expr, first: Expr, second: Expr) -> Expr:
        """One of two values by a condition."""
        type = joined([first.type, second.type])
        texts = [self.converted(value, type, eqn) for value in (first, second)]
        return Expr(f"{self.condition(test)} ? {texts[0]} : {texts[1]}", type, CHOICE)

    def condition(self, test: Expr) -> str:
        """A value as the condition of a branch."""
        if test.type == TENSOR:
            return f"{test.within(PRIMARY)}.is_nonzero()"
        return test.within(UNARY) if test.type == BOOL else f"{test.within(UNARY)} != 0"

    def _other(self, eqn: Eqn) -> Expr:
        """Calls beside the table of operators: `math`, another formula, a function of the text."""
        callee = eqn.kwarg("callee")
        operands = [self.of(atom) for atom in eqn.args]
        if isinstance(callee, Literal):
            raise self.refusal(eqn, str(callee.value).lstrip("."))
        if eqn.op in TEMPLATES:
            return Expr(f"{eqn.op}({', '.join(value.text for value in operands)})", TENSOR)
        if eqn.op in ("int", "float", "bool") and operands[0].type in NUMBERS:
            type = {"int": INT, "float": DOUBLE, "bool": BOOL}[eqn.op]
            return Expr(f"static_cast<{type}>({operands[0].text})", type)
        if eqn.op in OF_VALUES and all(value.type in NUMBERS for value in operands):
            text = f"{OF_VALUES[eqn.op]}({', '.join(value.text for value in operands)})"
            return Expr(f"static_cast<{INT}>({text})", INT) if eqn.op in WHOLE else Expr(text, DOUBLE)
        return self._formula_call(eqn, operands)

    def _formula_call(self, eqn: Eqn, operands: list[Expr]) -> Expr:
        return Expr(f"{self.formula_outputs(eqn, operands)}[0]", TENSOR)

    def formula_outputs(self, eqn: Eqn, operands: list[Expr]) -> str:
        """The call of another formula's struct, which gives all its outputs."""
        info = OPERATORS.get(eqn.op)
        spoken = info.python if info is not None else eqn.op
        name = self._called(eqn.op)
        if name is None:
            raise self.refusal(eqn, spoken)
        if eqn.kwargs or any(value.type != TENSOR for value in operands):
            raise self.refusal(eqn, f"{spoken} with attributes or numbers")
        return f"{name}::apply({', '.join(value.text for value in operands)})"

    # structural operators

    def _like(self, eqn: Eqn) -> Expr:
        value = self.of(eqn.args[0])
        if value.type == TENSORS:
            return Expr(f"likes({value.text})", LIKES)
        if value.type in NUMBERS or value.type == NONE:
            return Expr("Like()", LIKE)
        return value if value.type in (LIKE, LIKES) else Expr(f"like({value.text})", LIKE)

    def _sum_to(self, eqn: Eqn) -> Expr:
        like = eqn.kwarg("like")
        assert like is not None
        value = self.of(eqn.args[0])
        text = self.converted(value, TENSOR, eqn) if value.type != TENSOR else value.text
        return Expr(f"{eqn.op}({text}, {self.of(like).text})", TENSOR)

    def _in_place(self, eqn: Eqn) -> Expr:
        value, old = (self.of(atom) for atom in eqn.args)
        if old.type in NUMBERS:
            return value
        if eqn.kwarg("shared") not in (None, Literal(None)):
            raise self.refusal(eqn, "a number that may be an array under two names")
        return Expr(f"in_place({self.converted(value, TENSOR, eqn)}, {old.text})", TENSOR)

    def _accumulate(self, eqn: Eqn) -> Expr:
        first, second = (self.of(atom) for atom in eqn.args)
        if TENSORS in (first.type, second.type):
            return Expr(added(first.text, second.text, TENSORS), TENSORS)
        if NONE in (first.type, second.type):
            return second if first.type == NONE else first
        return binary("+", first, second, joined([first.type, second.type]))

    def _added(self, eqn: Eqn) -> Expr:
        first, second = (self.of(atom) for atom in eqn.args)
        return Expr(added(first.text, second.text, first.type), first.type)

    def _shape(self, eqn: Eqn) -> Expr:
        return Expr(f"{self._metadata_of(eqn)}.sizes()", SIZES)

    def _ndim(self, eqn: Eqn) -> Expr:
        return Expr(f"{self._metadata_of(eqn)}.dim()", INT)

    def _size(self, eqn: Eqn) -> Expr:
        return Expr(f"numel({self._metadata_of(eqn)})", INT)

    def _metadata_of(self, eqn: Eqn) -> str:
        value = self.of(eqn.args[0])
        return f"number({value.text})" if value.type in NUMBERS else value.within(PRIMARY)

    def _dtype_of(self, eqn: Eqn) -> Expr:
        value = self.of(eqn.args[0])
        return Expr(f"{value.within(PRIMARY)}.scalar_type()", DTYPE)

    def _is_none(self, eqn: Eqn) -> Expr:
        value = self.of(eqn.args[0])
        if value.type in (TENSOR, TENSORS):
            return Expr(f"!{value.within(PRIMARY)}.defined()", BOOL, UNARY)
        if value.type == NONE:
            return Expr("true", BOOL)
        if value.type.startswith("std::optional"):
            return Expr(f"!{value.within(PRIMARY)}.has_value()", BOOL, UNARY)
        return Expr("false", BOOL)

    def _not(self, eqn: Eqn) -> Expr:
        value = self.of(eqn.args[0])
        if value.text.startswith("!") and value.level == UNARY:
            return Expr(value.text[1:], BOOL)
        return Expr(f"!({self.condition(value)})" if value.level > UNARY else f"!{value.text}", BOOL, UNARY)

    def _tuple(self, eqn: Eqn) -> Expr:
        return tuple_of(tuple(self.of(atom) for atom in eqn.args))

    def _slice(self, eqn: Eqn) -> Expr:
        return Expr("slice", PARTS, parts=tuple(self.of(atom) for atom in eqn.args))

    def _list(self, eqn: Eqn) -> Expr:
        values = [self.of(atom) for atom in eqn.args]
        if values and all(value.type == INT for value in values):
            values = [Expr(f"at::scalar_tensor({value.text}, at::kLong)", TENSOR) for value in values]
        parts = tuple(Expr(self.converted(value, TENSOR, eqn), TENSOR) for value in values)
        return Expr(f"{TENSORS}{{{', '.join(part.text for part in parts)}}}", TENSORS, parts=parts)

    def _len(self, eqn: Eqn) -> Expr:
        value = self.of(eqn.args[0])
        return Expr(f"static_cast<int64_t>({value.within(PRIMARY)}.size())", INT)

    def _item(self, eqn: Eqn) -> Expr:
        base, index = self.of(eqn.args[0]), self.of(eqn.args[1])
        if base.type == PARTS or (base.type == TENSORS and base.parts):
            found = eqn.args[1]
            if isinstance(found, Literal) and isinstance(found.value, int):
                return base.parts[found.value]
        if base.type == SIZES and base.text.endswith(".sizes()") and index.type == INT:
            return Expr(f"{base.text.removesuffix('.sizes()')}.size({index.text})", INT)
        element = {TENSORS: TENSOR, INTS: INT, SIZES: INT, DOUBLES: DOUBLE, LIKES: LIKE}.get(base.type)
        if element is None and base.type.startswith("std::vector<"):
            element = base.type.removeprefix("std::vector<").removesuffix(">")
        if element is None or index.type != INT:
            raise self.refusal(eqn, f"{base.text}[{index.text}]")
        if index.text.startswith("-"):
            return Expr(f"{base.within(PRIMARY)}.end()[{index.text}]", element)
        return Expr(f"{base.within(PRIMARY)}[{index.text}]", element)

    def _format(self, eqn: Eqn) -> Expr:
        """A text with values in it."""
        template, *values = eqn.args
        assert isinstance(template, Literal)
        left = [self.of(atom) for atom in values]
        parts: list[str] = []
        for text, field, spec, conversion in Formatter().parse(str(template.value)):
            parts += [json.dumps(text)] if text else []
            if field is None:
                continue
            value = left.pop(0)
            if spec or conversion or value.type not in (*NUMBERS, STRING, SIZES, INTS):
                raise self.refusal(eqn, "a formatted string")
            parts.append(f"{SIZES}({value.text})" if value.type == INTS else value.text)
        return Expr(f"c10::str({', '.join(parts)})", STRING)


# Lists of numbers of C++.
_ANSWERS = "std::vector<bool>"
_DTYPES_OF = {
    **dict.fromkeys((INTS, SIZES), "at::kLong"),
    **dict.fromkeys((DOUBLES, "std::vector<double>"), "at::kDouble"),
    _ANSWERS: "at::kBool",
}


def _infix(info: OperatorInfo) -> str:
    return info.infix if info.name not in ("power", "floor_divide", "remainder", "matmul") else ""


_SPECIAL = {
    "where": AtenExpressions._where,
    "clip": AtenExpressions._clip,
    "astype": AtenExpressions._astype,
    "floor_divide": AtenExpressions._floor_divide,
    "roll": AtenExpressions._roll,
    "repeat": AtenExpressions._repeat,
    "sum_repeats": AtenExpressions._repeat,
    **dict.fromkeys(("softmax", "log_softmax"), AtenExpressions._of_one_axis),
    "transpose": AtenExpressions._transpose,
    "squeeze": AtenExpressions._squeeze,
    "expand_dims": AtenExpressions._expand_dims,
    "mean": AtenExpressions._mean,
    "contract": AtenExpressions._contract,
    "contract_gradients": AtenExpressions._contract_gradients,
    "eye": AtenExpressions._eye,
    "arange": AtenExpressions._arange,
    "array": AtenExpressions._array,
}
_STRUCTURAL: dict[str, Callable[[AtenExpressions, Eqn], Expr]] = {
    "getitem": AtenExpressions._entries,
    "item": AtenExpressions._item,
    "tuple": AtenExpressions._tuple,
    "list": AtenExpressions._list,
    "len": AtenExpressions._len,
    "shape": AtenExpressions._shape,
    "ndim": AtenExpressions._ndim,
    "size": AtenExpressions._size,
    "dtype": AtenExpressions._dtype_of,
    "like": AtenExpressions._like,
    "sum_to": AtenExpressions._sum_to,
    "broadcast_like": AtenExpressions._sum_to,
    "expect_like": AtenExpressions._sum_to,
    "gradient_like": AtenExpressions._sum_to,
    "in_place": AtenExpressions._in_place,
    "accumulate": AtenExpressions._accumulate,
    "added": AtenExpressions._added,
    "is_none": AtenExpressions._is_none,
    "not_": AtenExpressions._not,
    "slice": AtenExpressions._slice,
    "format": AtenExpressions._format,
}
