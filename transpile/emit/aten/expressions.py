"""Equations as expressions of C++ over ATen.

In: equations of a promoted formula, and their types. Out: expressions with NumPy's meaning; FormulaError
(PB502) at an equation that ATen has no operator for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from string import Formatter

from ...analysis.types import Types, type_of
from ...codes import diagnostic
from ...diagnostics import FormulaError
from ...ir import Atom, Eqn, Formula, Literal, Var
from ...ir.types import TensorType
from ...operators import OF_TEXTS, OPERATORS, OperatorInfo
from ..array_library.widening import CONVERTED, of_no_floats, widened_operands
from ..torch.vocabulary import FORMULAS
from .code import Code, Piece, in_row, write
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
    SLICE,
    STRING,
    TENSOR,
    TENSORS,
    UNARY,
    Expr,
    added,
    binary,
    braced,
    call,
    constant,
    declared,
    element_of,
    expr,
    joined,
    list_of,
    method,
    negative,
    opposite,
    quoted,
    slice_of,
    tuple_of,
    vector_of,
)
from .vocabulary import ALL_AXES, DTYPES, OF_NUMBERS, OF_TRUTH, OF_VALUES, TEMPLATES, WHOLE

_INFIX = frozenset("+-*/%&|^") | {"<", "<=", ">", ">=", "==", "!="}


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
        beside: Piece | None = None,
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

    def converted(self, value: Expr, type: str, eqn: Eqn | None = None) -> Code:
        """A value as one of another type."""
        if value.type == type or (type == INT and value.type == BOOL):
            return value.code
        if type == TENSOR and value.type in NUMBERS:
            return write("number({})", value)
        if type == DOUBLE and value.type in (INT, BOOL):
            return write("static_cast<double>({})", value)
        if type == INTS and value.type == SIZES:
            return write("{}.vec()", value.within(PRIMARY))
        if type == INTS and value.type == PARTS and all(part.type == INT for part in value.parts):
            return write("{}{}", INTS, value)
        if value.type == NONE and type:
            return write("{}()", declared(type))
        raise self.refusal(eqn, f"{value.text} as {type or 'one type'}")

    def chosen(self, value: Expr, type: str, eqn: Eqn) -> Code:
        """The same of a value that a variable has in turn with others: a number does not widen float32."""
        if type == TENSOR and value.type in NUMBERS and self._beside is not None:
            return write("scalar({}, {})", value, self._beside)
        return self.converted(value, type, eqn)

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
                operands[k] = method(operands[k], "to", "at::kDouble")
        if any(value.type == NONE for value in operands) and eqn.op != "clip":
            raise self.refusal(eqn, f"{info.python} of None")
        infix = _infix(info)
        if eqn.op in ("subtract", "matmul"):
            operands = self._counted(eqn, operands)
        if infix in _INFIX and len(operands) == 2:
            return binary(infix, operands[0], operands[1])
        if eqn.op == "negative":
            return negative(operands[0], TENSOR)
        if eqn.op == "matmul":
            return call("at::matmul", *operands)
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
        operands = [_as_int(value) if value.type == BOOL else value for value in operands]
        found = [type_of(atom, self._types) for atom in eqn.args]
        masks = [k for k, of in enumerate(found) if isinstance(of, TensorType) and of.dtype == "bool"]
        if len(masks) != 1 or operands[masks[0]].type != TENSOR:
            return operands
        (k,) = masks
        mask, other = operands[k], operands[1 - k]
        dtype = {INT: "at::kLong", DOUBLE: "at::kDouble"}.get(other.type)
        counted = method(mask, "to", dtype or method(other, "scalar_type"))
        return [counted, other] if k == 0 else [other, counted]

    def _over_an_axis(self, eqn: Eqn, given: Mapping[str, Expr]) -> Mapping[str, Expr]:
        """The arguments of a reduction; no axis, which ATen takes for all of them, is one of length one."""
        axis = given.get("axis")
        if "{axis:axes}" not in TEMPLATES.get(eqn.op, "") or axis is None or axis.type != PARTS or axis.parts:
            return given
        whole = call("at::unsqueeze", given["a"], "0")
        return {**given, "a": whole, "axis": constant(0), "keepdims": constant(False)}

    def _template(self, eqn: Eqn, info: OperatorInfo, given: Mapping[str, Expr]) -> str | None:
        axis = given.get("axes" if eqn.op == "transpose" else "axis")
        every = eqn.op not in _ALONG_ONE if axis is None else axis.type == NONE
        if eqn.op in ALL_AXES and every:
            keeps = given.get("keepdims")
            if keeps is None or keeps.constant is False or eqn.op in ("flip", "transpose"):
                return ALL_AXES[eqn.op]
            if eqn.op in ("sum", "mean", "max", "min", "var", "std"):
                return TEMPLATES[eqn.op].replace("{axis:axes}", "all_axes({a})")
            raise self.refusal(eqn, f"{info.python} with keepdims over all axes")
        return TEMPLATES.get(eqn.op) or OF_NUMBERS.get(eqn.op)

    def _function(self, name: str, operands: list[Expr]) -> Expr:
        """An operator of ATen of these tensors; numbers become tensors beside the first one."""
        first = next(value for value in operands if value.type == TENSOR)
        beside = [call("scalar", value, first) if value.type in NUMBERS else value for value in operands]
        return call(f"at::{name}", *beside)

    def _filled(self, eqn: Eqn, template: str, given: Mapping[str, Expr]) -> Expr:
        """The template with expressions in the place of fields."""
        written: list[str] = []
        pieces: list[Piece | str] = []
        for text, field, form, _ in Formatter().parse(template):
            if written and written[-1] == "{}" and text[:1] == ".":  # a member of what stands before it
                pieces[-1] = self._within(pieces[-1])
            written.append(text)
            if field is not None:
                written.append("{}")
                pieces.append(self._field(eqn, given, field, form or ""))
        type = TENSORS if eqn.outs[0].kind == "list" else TENSOR
        return Expr(write("".join(written), *pieces), type)

    def _within(self, piece: Piece | str) -> Piece | str:
        return piece.within(PRIMARY) if isinstance(piece, Expr) else piece

    def _field(self, eqn: Eqn, given: Mapping[str, Expr], field: str, form: str) -> Piece | str:
        """The value of a field of a template."""
        name = field.removesuffix("?")
        value = given.get(name)
        if value is not None and value.type == NONE:
            value = None
        if name == "dtype":
            return self._options(eqn, given)
        if value is None:
            if name != field:
                return ""
            if form == "optional":
                return "std::nullopt"
            if form in ("", "axes", "list"):
                raise self.refusal(eqn, f"{eqn.op} without {name}")
            return form
        found = self._argument(eqn, value)
        if name != field:
            return write(", {}", found)
        if form == "list" and value.type == INT:
            return braced([value])
        return write("some_axes({})", found) if form == "axes" and value.type in (INTS, SIZES) else found

    def _argument(self, eqn: Eqn, value: Expr) -> Piece:
        if value.type == TENSORS and value.parts:
            return braced(value.parts)
        if value.type == PARTS and not all(part.type == INT for part in value.parts):
            raise self.refusal(eqn, f"{eqn.op} with {value.text}")
        return value

    def _options(self, eqn: Eqn, given: Mapping[str, Expr]) -> Code:
        dtype = given.get("dtype")
        if dtype is None or dtype.type == NONE:
            numbers = [given[name] for name in ("start", "stop", "step") if name in given]
            whole = bool(numbers) and all(value.type == INT for value in numbers)
            found = write("at::kLong" if whole else "at::kDouble")
        else:
            found = self._dtype(eqn, dtype)
        if self._beside is not None:
            return write("{}.options().dtype({})", self._beside, found)
        return write("at::dtype({})", found)

    def _dtype(self, eqn: Eqn, value: Expr) -> Code:
        if value.type == DTYPE:
            return value.code
        found = DTYPES.get(str(value.constant))
        if found is None:
            raise self.refusal(eqn, f"the dtype {value.text}")
        return write(found)

    def _where(self, eqn: Eqn, given: Mapping[str, Expr]) -> Expr:
        condition, x, y = (self.of(atom) for atom in eqn.args)
        for k in widened_operands(eqn, OPERATORS["where"], self._types):
            if k and (x, y)[k - 1].type == TENSOR:
                value = method((x, y)[k - 1], "to", "at::kDouble")
                x, y = (value, y) if k == 1 else (x, value)
        if condition.type != TENSOR:
            condition = call("number", condition)
        else:
            found = type_of(eqn.args[0], self._types)
            if not (isinstance(found, TensorType) and found.dtype == "bool"):
                condition = call("truth", condition)
        numbers = x.type in NUMBERS and y.type in NUMBERS
        return call("where_of_numbers" if numbers else "at::where", condition, x, y)

    def _clip(self, eqn: Eqn, given: Mapping[str, Expr]) -> Expr:
        """Bounds one by one: a number clamps, a tensor is compared with."""
        x = given["x"]
        for key, clamp, compare in (("a_min", "clamp_min", "maximum"), ("a_max", "clamp_max", "minimum")):
            bound = given.get(key, constant(None))
            if bound.type == TENSOR:
                x = self._function(compare, [x, bound])
            elif bound.type != NONE:
                x = call(f"at::{clamp}", x, bound)
        return x

    def _astype(self, eqn: Eqn, given: Mapping[str, Expr]) -> Expr:
        return method(self.of(eqn.args[0]), "to", self._dtype(eqn, given["dtype"]))

    def _floor_divide(self, eqn: Eqn, given: Mapping[str, Expr]) -> Expr:
        """The quotient rounded down, without a gradient."""
        x, y = given["x"], given["y"]
        if x.type in NUMBERS:
            return call("at::floor_divide", call("scalar", x, y), method(y, "detach"))
        return call("at::floor_divide", method(x, "detach"), y)

    def _roll(self, eqn: Eqn, given: Mapping[str, Expr]) -> Expr:
        """Entries moved along axes, by one number along all of them where it is one."""
        shift, axis = given["shift"], given.get("axis", constant(None))
        if axis.type == NONE:
            axis = tuple_of(())
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
            return call("reversed_axes", given["a"])
        return call("at::permute", given["a"], axes)

    def _last_written(self, eqn: Eqn, given: Mapping[str, Expr]) -> Expr:
        index, shape = given["index"], given["shape"]
        spots = self.entries(eqn, call("places_of", shape, self._beside or index), index)
        return call("last_written", spots, call("c10::multiply_integers", shape, type=INT))

    def _norm(self, eqn: Eqn, given: Mapping[str, Expr]) -> Expr:
        """A norm of vectors: of all entries, or along one axis."""
        order, axis = given.get("ord", constant(None)), given.get("axis", constant(None))
        if (axis.type, order.type) != (NONE, NONE) and (axis.type != INT or order.type == STRING):
            raise self.refusal(eqn, f"numpy.linalg.norm with ord={order.text} over such axes")
        places = axis.code if axis.type == NONE else braced([axis])
        number = constant(2) if order.type == NONE else order
        keeps = given.get("keepdims", constant(False))
        return call("at::linalg_vector_norm", given["x"], number, places, keeps)

    def _searchsorted(self, eqn: Eqn, given: Mapping[str, Expr]) -> Expr:
        side = given.get("side", constant("left")).constant
        if side not in ("left", "right") or given.get("sorter", constant(None)).type != NONE:
            raise self.refusal(eqn, "numpy.searchsorted with a `sorter`, or by a side that is not known")
        flags = (Code("/*out_int32=*/false"), Code(f"/*right=*/{'true' if side == 'right' else 'false'}"))
        return call("at::searchsorted", given["a"], given["v"], *flags)

    def _squeeze(self, eqn: Eqn, given: Mapping[str, Expr]) -> Expr:
        axis = given.get("axis")
        if axis is None or axis.type == NONE:
            return call("at::squeeze", given["a"])
        return call("without_axes", given["a"], axis)

    def _expand_dims(self, eqn: Eqn, given: Mapping[str, Expr]) -> Expr:
        a, axis = given["a"], given["axis"]
        if axis.type == INT:
            return call("at::unsqueeze", a, axis)
        places = [part.constant for part in axis.parts if isinstance(part.constant, int)]
        if axis.type == PARTS and not axis.parts:
            return a
        if axis.type != PARTS or len(places) < len(axis.parts) or min(places) < 0 <= max(places):
            raise self.refusal(eqn, f"numpy.expand_dims with axis={axis.text}")
        for place in sorted(places, reverse=places[0] < 0):
            a = call("at::unsqueeze", a, constant(place))
        return a

    def _mean(self, eqn: Eqn, given: Mapping[str, Expr]) -> Expr:
        """The mean; of a mask it is of doubles."""
        found = type_of(eqn.args[0], self._types)
        if isinstance(found, TensorType) and found.dtype in ("bool", "int64", "int32"):
            given = {**given, "a": method(given["a"], "to", "at::kDouble")}
        given = self._over_an_axis(eqn, given)
        template = self._template(eqn, OPERATORS["mean"], given)
        assert template is not None
        return self._filled(eqn, template, given)

    def _contract(self, eqn: Eqn, given: Mapping[str, Expr]) -> Expr:
        return call("at::einsum", given["subscripts"], self._argument(eqn, given["arrays"]))

    def _contract_gradients(self, eqn: Eqn, given: Mapping[str, Expr]) -> Expr:
        """For each factor the product of the gradient with the others."""
        subscripts, arrays = str(given["subscripts"].constant), given["arrays"].parts
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
            factors = [given["grad"], *(one for j, one in enumerate(arrays) if j != k)]
            letters = quoted(f"{','.join([output, *others])}->{group}")
            made.append(call("at::einsum", letters, braced(factors)))
        return list_of(tuple(made))

    def _eye(self, eqn: Eqn, given: Mapping[str, Expr]) -> Expr:
        if "k" in given and given["k"].constant != 0:
            raise self.refusal(eqn, "numpy.eye with k")
        sizes = [given[name] for name in ("N", "M") if name in given and given[name].type != NONE]
        return call("at::eye", *sizes, self._options(eqn, given))

    def _array(self, eqn: Eqn, given: Mapping[str, Expr]) -> Expr:
        """An array of numbers that are written out, or of an argument that is a list of them."""
        entries, own = given["object"], type_of(eqn.outs[0], self._types)
        dtype = DTYPES.get(str(own.dtype)) if isinstance(own, TensorType) else None
        dtype = dtype or _DTYPES_OF.get(entries.type)
        if dtype is None:
            raise self.refusal(eqn, f"numpy.array of {entries.text}")
        options = self._options(eqn, {**given, "dtype": Expr(write(dtype), DTYPE)})
        if entries.type in NUMBERS:
            return call("at::scalar_tensor", entries, options)
        if entries.type in _DTYPES_OF:
            element = INT if entries.type in (INTS, SIZES, _ANSWERS) else DOUBLE
            numbers = entries.code
            if entries.type == _ANSWERS:
                numbers = write("{}({}.begin(), {}.end())", INTS, entries, entries)
            return call(f"table<{element}>", numbers, options)
        element = {"at::kLong": INT, "at::kBool": INT}.get(dtype, DOUBLE)
        lengths, parts = [], entries.parts
        while True:
            lengths.append(constant(len(parts)))
            if not parts or parts[0].type != PARTS:
                break
            parts = tuple(each for part in parts for each in part.parts)
        listed = write("{{{}}}", in_row(self.converted(part, element, eqn) for part in parts))
        table = call(f"table<{element}>", listed, options)
        return method(table, "view", braced(lengths)) if len(lengths) > 1 else table

    def _arange(self, eqn: Eqn, given: Mapping[str, Expr]) -> Expr:
        if "stop" not in given or given["stop"].type == NONE:
            given = {**given, "start": constant(0), "stop": given["start"]}
        return self._filled(eqn, OF_NUMBERS["arange"], given)

    def _entries(self, eqn: Eqn) -> Expr:
        """``x[index]``: an operator for each part of the index."""
        index = eqn.kwarg("index")
        assert index is not None
        return self.entries(eqn, self.of(eqn.args[0]), self.of(index))

    def entries(self, eqn: Eqn, base: Expr, index: Expr) -> Expr:
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
            return negative(operands[0], INT if of_truth else operands[0].type)
        if eqn.op == "logical_not":
            return opposite(operands[0])
        if eqn.op == "add" and kinds <= {SIZES, INTS, PARTS}:
            if all(value.parts for value in operands):
                return tuple_of(tuple(part for value in operands for part in value.parts))
            return call("chained", *(self.converted(value, INTS, eqn) for value in operands), type=INTS)
        if not kinds <= {*NUMBERS, DTYPE, STRING} or not operands:
            raise self.refusal(eqn, info.python)
        if info.dtype == "bool" and infix in _INFIX:
            if DTYPE in kinds:
                operands = [Expr(self._dtype(eqn, value), DTYPE) for value in operands]
            return binary(infix, operands[0], operands[1], BOOL)
        floats = DOUBLE in kinds
        if eqn.op in _OF_INTEGERS and not floats:
            return call(_OF_INTEGERS[eqn.op], *operands, type=INT)
        if eqn.op == "divide":
            first, second = (
                value if value.type == DOUBLE else Expr(self.converted(value, DOUBLE), DOUBLE)
                for value in operands
            )
            return binary("/", first, second, DOUBLE)
        if eqn.op == "floor_divide" and not floats:
            written = any(value.constant is not None for value in operands)  # an `int`
            return call(f"c10::div_floor_integer{'<int64_t>' if written else ''}", *operands, type=INT)
        if eqn.op in ("add", "subtract", "multiply"):
            if floats:  # a whole number that is not written there is converted
                operands = [
                    Expr(self.converted(value, DOUBLE), DOUBLE)
                    if value.type != DOUBLE and value.constant is None
                    else value
                    for value in operands
                ]
            return binary(infix, operands[0], operands[1], DOUBLE if floats else INT)
        if eqn.op in ("maximum", "minimum"):
            type = DOUBLE if floats else INT
            return call(f"std::{eqn.op[:3]}<{type}>", *operands, type=type)
        if eqn.op == "square":
            return binary("*", operands[0], operands[0], operands[0].type)
        if eqn.op == "where":
            return self.choice(eqn, operands[0], operands[1], operands[2])
        name = OF_VALUES.get(eqn.op)
        if name is None or (eqn.op == "power" and not floats):
            raise self.refusal(eqn, f"{info.python} of numbers")
        type = BOOL if eqn.op in OF_TRUTH else DOUBLE
        return call(name, *operands, type=type)

    def choice(self, eqn: Eqn, test: Expr, first: Expr, second: Expr) -> Expr:
        """One of two values by a condition."""
        type = joined([first.type, second.type])
        sides = [self.chosen(value, type, eqn) for value in (first, second)]
        condition = self.condition(test).within(UNARY if test.type == BOOL else CHOICE)
        return expr("{} ? {} : {}", type, condition, *sides, level=CHOICE)

    def condition(self, test: Expr) -> Expr:
        """A value as the condition of a branch."""
        if test.type == TENSOR:
            return method(test, "is_nonzero", type=BOOL)
        return test if test.type == BOOL else binary("!=", test, constant(0), BOOL)

    def _other(self, eqn: Eqn) -> Expr:
        """Calls beside the table of operators: `math`, another formula, a function of the text."""
        callee = eqn.kwarg("callee")
        operands = [self.of(atom) for atom in eqn.args]
        if eqn.op == "range":
            bounds = operands if len(operands) > 1 else [constant(0), *operands]
            return call("range_of", *[*bounds, constant(1)][:3], type=INTS)
        if eqn.op == "math.prod" and operands[0].type in (INTS, SIZES):
            return call("c10::multiply_integers", *operands, type=INT)
        if callee == Literal("pow") and all(value.type == INT for value in operands):
            return call("power_of", *operands, type=INT)
        if callee == Literal("numpy.flatnonzero"):
            return method(call("at::nonzero", method(operands[0], "reshape", "-1")), "squeeze", "-1")
        if isinstance(callee, Literal):
            raise self.refusal(eqn, str(callee.value).lstrip("."))
        if eqn.op in TEMPLATES:
            return call(eqn.op, *operands)
        if eqn.op in OF_TEXTS:
            return call(eqn.op, *operands, *(self.of(value) for _, value in eqn.kwargs))
        if eqn.op in ("int", "float", "bool") and operands[0].type in NUMBERS:
            type = {"int": INT, "float": DOUBLE, "bool": BOOL}[eqn.op]
            return call(f"static_cast<{type}>", operands[0], type=type)
        if eqn.op in OF_VALUES and all(value.type in NUMBERS for value in operands):
            found = call(OF_VALUES[eqn.op], *operands, type=DOUBLE)
            return call(f"static_cast<{INT}>", found, type=INT) if eqn.op in WHOLE else found
        return self._formula_call(eqn, operands)

    def _formula_call(self, eqn: Eqn, operands: list[Expr]) -> Expr:
        return expr("{}[0]", TENSOR, self.formula_outputs(eqn, operands))

    def formula_outputs(self, eqn: Eqn, operands: list[Expr]) -> Code:
        """The call of another formula's struct, which gives all its outputs."""
        info = OPERATORS.get(eqn.op)
        spoken = info.python if info is not None else eqn.op
        name = self._called(eqn.op)
        if name is None:
            raise self.refusal(eqn, spoken)
        if eqn.kwargs or any(value.type != TENSOR for value in operands):
            raise self.refusal(eqn, f"{spoken} with attributes or numbers")
        return write("{}::apply({})", name, in_row(operands))

    # structural operators

    def _like(self, eqn: Eqn) -> Expr:
        value = self.of(eqn.args[0])
        if value.type == TENSORS:
            return call("likes", value, type=LIKES)
        if value.type in NUMBERS or value.type == NONE:
            return call("Like", type=LIKE)
        return value if value.type in (LIKE, LIKES) else call("like", value, type=LIKE)

    def _sum_to(self, eqn: Eqn) -> Expr:
        like = eqn.kwarg("like")
        assert like is not None
        value = self.of(eqn.args[0])
        return call(eqn.op, self.converted(value, TENSOR, eqn), self.of(like))

    def _in_place(self, eqn: Eqn) -> Expr:
        value, old = (self.of(atom) for atom in eqn.args)
        if old.type in NUMBERS:
            return value
        shared = eqn.kwarg("shared") or Literal(None)
        why = [] if shared == Literal(None) else [self.of(shared)]
        return call("in_place", self.converted(value, TENSOR, eqn), old, *why)

    def _accumulate(self, eqn: Eqn) -> Expr:
        first, second = (self.of(atom) for atom in eqn.args)
        if TENSORS in (first.type, second.type):
            return added(first, second, TENSORS)
        if NONE in (first.type, second.type):
            return second if first.type == NONE else first
        return binary("+", first, second, joined([first.type, second.type]))

    def _added(self, eqn: Eqn) -> Expr:
        first, second = (self.of(atom) for atom in eqn.args)
        return added(first, second, first.type)

    def _shape(self, eqn: Eqn) -> Expr:
        tensor = self._metadata_of(eqn).within(PRIMARY)
        return Expr(write("{}.sizes()", tensor), SIZES, form="sizes", operand=tensor)

    def _ndim(self, eqn: Eqn) -> Expr:
        return method(self._metadata_of(eqn), "dim", type=INT)

    def _size(self, eqn: Eqn) -> Expr:
        return call("numel", self._metadata_of(eqn).within(PRIMARY), type=INT)

    def _metadata_of(self, eqn: Eqn) -> Expr:
        value = self.of(eqn.args[0])
        return call("number", value) if value.type in NUMBERS else value

    def _dtype_of(self, eqn: Eqn) -> Expr:
        return method(self.of(eqn.args[0]), "scalar_type", type=DTYPE)

    def _is_none(self, eqn: Eqn) -> Expr:
        value = self.of(eqn.args[0])
        if value.type in (TENSOR, TENSORS):
            return opposite(method(value, "defined", type=BOOL))
        return constant(value.type == NONE)

    def _not(self, eqn: Eqn) -> Expr:
        value = self.of(eqn.args[0])
        return opposite(self.condition(value) if value.type == TENSOR else value)

    def _tuple(self, eqn: Eqn) -> Expr:
        return tuple_of(tuple(self.of(atom) for atom in eqn.args))

    def _slice(self, eqn: Eqn) -> Expr:
        return slice_of(tuple(self.of(atom) for atom in eqn.args))

    def _list(self, eqn: Eqn) -> Expr:
        values = [self.of(atom) for atom in eqn.args]
        if values and all(value.type == INT for value in values):
            values = [call("at::scalar_tensor", value, "at::kLong") for value in values]
        kinds = {value.type for value in values}
        if len(kinds) == 1 and kinds <= {LIKE, LIKES}:
            kind = vector_of(kinds.pop())
            return Expr(write("{}{}", kind, braced(values)), kind)
        made = (
            value if value.type == TENSOR else Expr(self.converted(value, TENSOR, eqn), TENSOR)
            for value in values
        )
        return list_of(tuple(made))

    def _len(self, eqn: Eqn) -> Expr:
        return call("static_cast<int64_t>", method(self.of(eqn.args[0]), "size"), type=INT)

    def _item(self, eqn: Eqn) -> Expr:
        base, index = self.of(eqn.args[0]), self.of(eqn.args[1])
        if base.type == PARTS or (base.type == TENSORS and base.parts):
            found = eqn.args[1]
            if isinstance(found, Literal) and isinstance(found.value, int):
                return base.parts[found.value]
        if base.operand is not None and base.form == "sizes" and index.type == INT:
            return expr("{}.size({})", INT, base.operand, index)
        element = element_of(base.type)
        if element in (INT, DOUBLE) and index.type == SLICE:
            whole = base if base.type == vector_of(element) else method(base, "vec")
            start, stop, step = index.parts
            step = constant(1) if step.type == NONE else step
            return call("slice_of", whole, start, stop, step, type=vector_of(element))
        if element is None or index.type != INT:
            raise self.refusal(eqn, f"{base.text}[{index.text}]")
        if index.is_negative:
            return expr("{}.end()[{}]", element, base.within(PRIMARY), index)
        return expr("{}[{}]", element, base.within(PRIMARY), index)

    def _format(self, eqn: Eqn) -> Expr:
        """A text with values in it."""
        template, *values = eqn.args
        assert isinstance(template, Literal)
        left = [self.of(atom) for atom in values]
        parts: list[Piece] = []
        for text, field, spec, conversion in Formatter().parse(str(template.value)):
            parts += [quoted(text)] if text else []
            if field is None:
                continue
            value = left.pop(0)
            if spec or conversion or value.type not in (*NUMBERS, STRING, SIZES, INTS):
                raise self.refusal(eqn, "a formatted string")
            parts.append(write("{}({})", SIZES, value) if value.type == INTS else value)
        return call("c10::str", *parts, type=STRING)


# Lists of numbers of C++.
_ANSWERS = "std::vector<bool>"
_DTYPES_OF = {
    **dict.fromkeys((INTS, SIZES), "at::kLong"),
    **dict.fromkeys((DOUBLES, "std::vector<double>"), "at::kDouble"),
    _ANSWERS: "at::kBool",
}


def _as_int(value: Expr) -> Expr:
    """A truth value as a number."""
    if value.constant is not None:
        return constant(int(value.constant))
    return call(f"static_cast<{INT}>", value, type=INT)


def _infix(info: OperatorInfo) -> str:
    return info.infix if info.name not in ("power", "floor_divide", "remainder", "matmul") else ""


# What is along one axis where none is given.
_ALONG_ONE = frozenset({"concatenate", "sort", "argsort"})
_OF_INTEGERS = {"remainder": "remainder_of", "power": "power_of"}
_SPECIAL = {
    "where": AtenExpressions._where,
    "clip": AtenExpressions._clip,
    "astype": AtenExpressions._astype,
    "floor_divide": AtenExpressions._floor_divide,
    "roll": AtenExpressions._roll,
    "repeat": AtenExpressions._repeat,
    "sum_repeats": AtenExpressions._repeat,
    **dict.fromkeys(("softmax", "log_softmax"), AtenExpressions._of_one_axis),
    "searchsorted": AtenExpressions._searchsorted,
    "last_written": AtenExpressions._last_written,
    "norm": AtenExpressions._norm,
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
