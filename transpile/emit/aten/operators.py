"""Operators of tensors as expressions: calls of ATen."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ...analysis.types import type_of
from ...ir import Eqn
from ...ir.types import TensorType
from ...operators import OPERATORS, OperatorInfo
from ..array_library.widening import CONVERTED, of_no_floats, widened_operands
from ..torch.vocabulary import FORMULAS
from .code import Code, in_row, write
from .numbers import infix_of
from .operands import Operands
from .templates import argument, filled, options
from .values import (
    BOOL,
    DOUBLE,
    DOUBLES,
    DTYPE,
    INT,
    INTS,
    NONE,
    NUMBERS,
    PARTS,
    SIZES,
    STRING,
    TENSOR,
    Expr,
    binary,
    braced,
    call,
    constant,
    list_of,
    method,
    negative,
    quoted,
    tuple_of,
)
from .vocabulary import ALL_AXES, DTYPES, OF_NUMBERS, TEMPLATES

# What is along one axis where none is given.
_ALONG_ONE = frozenset({"concatenate", "sort", "argsort"})
# Lists of numbers of C++.
_ANSWERS = "std::vector<bool>"
_DTYPES_OF = {
    **dict.fromkeys((INTS, SIZES), "at::kLong"),
    **dict.fromkeys((DOUBLES, "std::vector<double>"), "at::kDouble"),
    _ANSWERS: "at::kBool",
}


def operator(e: Operands, eqn: Eqn, info: OperatorInfo, operands: list[Expr]) -> Expr | None:
    """The call of an operator of ATen; None for what only a formula computes."""
    if spoken := of_no_floats(eqn, info, e.types):
        raise e.refusal(eqn, spoken, CONVERTED)
    for k in widened_operands(eqn, info, e.types):
        if operands[k].type == TENSOR:
            operands[k] = method(operands[k], "to", "at::kDouble")
    if any(value.type == NONE for value in operands) and eqn.op != "clip":
        raise e.refusal(eqn, f"{info.python} of None")
    infix = infix_of(info)
    if eqn.op in ("subtract", "matmul"):
        operands = _counted(e, eqn, operands)
    if infix and len(operands) == 2:
        return binary(infix, operands[0], operands[1])
    if eqn.op == "negative":
        return negative(operands[0], TENSOR)
    if eqn.op == "matmul":
        return call("at::matmul", *operands)
    by_name = dict(zip(info.operands, operands, strict=False))
    by_name |= {name: e.of(value) for name, value in eqn.kwargs if name != "callee"}
    given: Mapping[str, Expr] = by_name
    if special := _SPECIAL.get(eqn.op):
        return special(e, eqn, given)
    axes = _over_an_axis(e, eqn, given)
    template = _template(e, eqn, info, axes)
    if template is not None:
        return filled(e, eqn, template, axes)
    without_derivative = eqn.op in FORMULAS and eqn.op != e.formula.name
    if info.aten and not without_derivative and not info.attrs and not info.gives_list:
        return _function(info.aten, operands)
    return None


def _counted(e: Operands, eqn: Eqn, operands: list[Expr]) -> list[Expr]:
    """The operands, a mask beside another one as numbers of its dtype, and truth values as numbers."""
    operands = [_as_int(value) if value.type == BOOL else value for value in operands]
    found = [type_of(atom, e.types) for atom in eqn.args]
    masks = [k for k, of in enumerate(found) if isinstance(of, TensorType) and of.dtype == "bool"]
    if len(masks) != 1 or operands[masks[0]].type != TENSOR:
        return operands
    (k,) = masks
    mask, other = operands[k], operands[1 - k]
    dtype = {INT: "at::kLong", DOUBLE: "at::kDouble"}.get(other.type)
    counted = method(mask, "to", dtype or method(other, "scalar_type"))
    return [counted, other] if k == 0 else [other, counted]


def _as_int(value: Expr) -> Expr:
    """A truth value as a number."""
    if value.constant is not None:
        return constant(int(value.constant))
    return call(f"static_cast<{INT}>", value, type=INT)


def _over_an_axis(e: Operands, eqn: Eqn, given: Mapping[str, Expr]) -> Mapping[str, Expr]:
    """The arguments of a reduction; no axis, which ATen takes for all of them, is one of length one."""
    axis = given.get("axis")
    if "{axis:axes}" not in TEMPLATES.get(eqn.op, "") or axis is None or axis.type != PARTS or axis.parts:
        return given
    whole = call("at::unsqueeze", given["a"], "0")
    return {**given, "a": whole, "axis": constant(0), "keepdims": constant(False)}


def _template(e: Operands, eqn: Eqn, info: OperatorInfo, given: Mapping[str, Expr]) -> str | None:
    axis = given.get("axes" if eqn.op == "transpose" else "axis")
    every = eqn.op not in _ALONG_ONE if axis is None else axis.type == NONE
    if eqn.op in ALL_AXES and every:
        keeps = given.get("keepdims")
        if keeps is None or keeps.constant is False or eqn.op in ("flip", "transpose"):
            return ALL_AXES[eqn.op]
        if eqn.op in ("sum", "mean", "max", "min", "var", "std"):
            return TEMPLATES[eqn.op].replace("{axis:axes}", "all_axes({a})")
        raise e.refusal(eqn, f"{info.python} with keepdims over all axes")
    return TEMPLATES.get(eqn.op) or OF_NUMBERS.get(eqn.op)


def _function(name: str, operands: list[Expr]) -> Expr:
    """An operator of ATen of these tensors; numbers become tensors beside the first one."""
    first = next(value for value in operands if value.type == TENSOR)
    beside = [call("scalar", value, first) if value.type in NUMBERS else value for value in operands]
    return call(f"at::{name}", *beside)


def _where(e: Operands, eqn: Eqn, given: Mapping[str, Expr]) -> Expr:
    condition, x, y = (e.of(atom) for atom in eqn.args)
    for k in widened_operands(eqn, OPERATORS["where"], e.types):
        if k and (x, y)[k - 1].type == TENSOR:
            value = method((x, y)[k - 1], "to", "at::kDouble")
            x, y = (value, y) if k == 1 else (x, value)
    if condition.type != TENSOR:
        condition = call("number", condition)
    else:
        found = type_of(eqn.args[0], e.types)
        if not (isinstance(found, TensorType) and found.dtype == "bool"):
            condition = call("truth", condition)
    numbers = x.type in NUMBERS and y.type in NUMBERS
    return call("where_of_numbers" if numbers else "at::where", condition, x, y)


def _clip(e: Operands, eqn: Eqn, given: Mapping[str, Expr]) -> Expr:
    """Bounds one by one: a number clamps, a tensor is compared with."""
    x = given["x"]
    for key, clamp, compare in (("a_min", "clamp_min", "maximum"), ("a_max", "clamp_max", "minimum")):
        bound = given.get(key, constant(None))
        if bound.type == TENSOR:
            x = _function(compare, [x, bound])
        elif bound.type != NONE:
            x = call(f"at::{clamp}", x, bound)
    return x


def _astype(e: Operands, eqn: Eqn, given: Mapping[str, Expr]) -> Expr:
    return method(e.of(eqn.args[0]), "to", e.dtype(eqn, given["dtype"]))


def _floor_divide(e: Operands, eqn: Eqn, given: Mapping[str, Expr]) -> Expr:
    """The quotient rounded down, without a gradient."""
    x, y = given["x"], given["y"]
    if x.type in NUMBERS:
        return call("at::floor_divide", call("scalar", x, y), method(y, "detach"))
    return call("at::floor_divide", method(x, "detach"), y)


def _roll(e: Operands, eqn: Eqn, given: Mapping[str, Expr]) -> Expr:
    """Entries moved along axes, by one number along all of them where it is one."""
    shift, axis = given["shift"], given.get("axis", constant(None))
    if axis.type == NONE:
        axis = tuple_of(())
    elif shift.type == INT and axis.parts:
        given = {**given, "shift": tuple_of((shift,) * len(axis.parts))}
    return filled(e, eqn, TEMPLATES["roll"], {**given, "axis": axis})


def _of_one_axis(e: Operands, eqn: Eqn, given: Mapping[str, Expr]) -> Expr:
    """A function along an axis, which ATen has for one alone."""
    if given["axis"].type != INT:
        raise e.refusal(eqn, f"{OPERATORS[eqn.op].python} with axis={given['axis'].text}")
    return filled(e, eqn, TEMPLATES[eqn.op], given)


def _repeat(e: Operands, eqn: Eqn, given: Mapping[str, Expr]) -> Expr:
    """Entries repeated, each as often."""
    if given["repeats"].type != INT:
        raise e.refusal(eqn, f"numpy.repeat by {given['repeats'].text}")
    return filled(e, eqn, TEMPLATES[eqn.op], given)


def _transpose(e: Operands, eqn: Eqn, given: Mapping[str, Expr]) -> Expr:
    axes = given.get("axes")
    if axes is None or axes.type == NONE:
        return call("reversed_axes", given["a"])
    return call("at::permute", given["a"], axes)


def _last_written(e: Operands, eqn: Eqn, given: Mapping[str, Expr]) -> Expr:
    index, shape = given["index"], given["shape"]
    spots = e.entries(eqn, call("places_of", shape, e.beside or index), index)
    return call("last_written", spots, call("c10::multiply_integers", shape, type=INT))


def _norm(e: Operands, eqn: Eqn, given: Mapping[str, Expr]) -> Expr:
    """A norm of vectors: of all entries, or along one axis."""
    order, axis = given.get("ord", constant(None)), given.get("axis", constant(None))
    if (axis.type, order.type) != (NONE, NONE) and (axis.type != INT or order.type == STRING):
        raise e.refusal(eqn, f"numpy.linalg.norm with ord={order.text} over such axes")
    places = axis.code if axis.type == NONE else braced([axis])
    number = constant(2) if order.type == NONE else order
    keeps = given.get("keepdims", constant(False))
    return call("at::linalg_vector_norm", given["x"], number, places, keeps)


def _searchsorted(e: Operands, eqn: Eqn, given: Mapping[str, Expr]) -> Expr:
    side = given.get("side", constant("left")).constant
    if side not in ("left", "right") or given.get("sorter", constant(None)).type != NONE:
        raise e.refusal(eqn, "numpy.searchsorted with a `sorter`, or by a side that is not known")
    flags = (Code("/*out_int32=*/false"), Code(f"/*right=*/{'true' if side == 'right' else 'false'}"))
    return call("at::searchsorted", given["a"], given["v"], *flags)


def _squeeze(e: Operands, eqn: Eqn, given: Mapping[str, Expr]) -> Expr:
    axis = given.get("axis")
    if axis is None or axis.type == NONE:
        return call("at::squeeze", given["a"])
    return call("without_axes", given["a"], axis)


def _expand_dims(e: Operands, eqn: Eqn, given: Mapping[str, Expr]) -> Expr:
    a, axis = given["a"], given["axis"]
    if axis.type == INT:
        return call("at::unsqueeze", a, axis)
    places = [part.constant for part in axis.parts if isinstance(part.constant, int)]
    if axis.type == PARTS and not axis.parts:
        return a
    if axis.type != PARTS or len(places) < len(axis.parts) or min(places) < 0 <= max(places):
        raise e.refusal(eqn, f"numpy.expand_dims with axis={axis.text}")
    for place in sorted(places, reverse=places[0] < 0):
        a = call("at::unsqueeze", a, constant(place))
    return a


def _mean(e: Operands, eqn: Eqn, given: Mapping[str, Expr]) -> Expr:
    """The mean; of a mask it is of doubles."""
    found = type_of(eqn.args[0], e.types)
    if isinstance(found, TensorType) and found.dtype in ("bool", "int64", "int32"):
        given = {**given, "a": method(given["a"], "to", "at::kDouble")}
    given = _over_an_axis(e, eqn, given)
    template = _template(e, eqn, OPERATORS["mean"], given)
    assert template is not None
    return filled(e, eqn, template, given)


def _contract(e: Operands, eqn: Eqn, given: Mapping[str, Expr]) -> Expr:
    return call("at::einsum", given["subscripts"], argument(e, eqn, given["arrays"]))


def _contract_gradients(e: Operands, eqn: Eqn, given: Mapping[str, Expr]) -> Expr:
    """For each factor the product of the gradient with the others."""
    subscripts, arrays = str(given["subscripts"].constant), given["arrays"].parts
    inputs, arrow, output = subscripts.replace(" ", "").partition("->")
    groups = inputs.split(",")
    made = []
    for k, group in enumerate(groups):
        others = [one for j, one in enumerate(groups) if j != k]
        known = set("".join([output, *others]))
        if not arrow or "." in subscripts or not arrays or len(set(group)) < len(group):
            raise e.refusal(eqn, f"the derivative of einsum {subscripts!r}")
        if not known.issuperset(group):
            raise e.refusal(eqn, f"the derivative of einsum {subscripts!r}")
        factors = [given["grad"], *(one for j, one in enumerate(arrays) if j != k)]
        letters = quoted(f"{','.join([output, *others])}->{group}")
        made.append(call("at::einsum", letters, braced(factors)))
    return list_of(tuple(made))


def _eye(e: Operands, eqn: Eqn, given: Mapping[str, Expr]) -> Expr:
    if "k" in given and given["k"].constant != 0:
        raise e.refusal(eqn, "numpy.eye with k")
    sizes = [given[name] for name in ("N", "M") if name in given and given[name].type != NONE]
    return call("at::eye", *sizes, options(e, eqn, given))


def _array(e: Operands, eqn: Eqn, given: Mapping[str, Expr]) -> Expr:
    """An array of numbers that are written out, or of an argument that is a list of them."""
    entries, own = given["object"], type_of(eqn.outs[0], e.types)
    dtype = DTYPES.get(str(own.dtype)) if isinstance(own, TensorType) else None
    dtype = dtype or _DTYPES_OF.get(entries.type)
    if dtype is None:
        raise e.refusal(eqn, f"numpy.array of {entries.text}")
    dtype_and_device = options(e, eqn, {**given, "dtype": Expr(write(dtype), DTYPE)})
    if entries.type in NUMBERS:
        return call("at::scalar_tensor", entries, dtype_and_device)
    if entries.type in _DTYPES_OF:
        element = INT if entries.type in (INTS, SIZES, _ANSWERS) else DOUBLE
        numbers = entries.code
        if entries.type == _ANSWERS:
            numbers = write("{}({}.begin(), {}.end())", INTS, entries, entries)
        return call(f"table<{element}>", numbers, dtype_and_device)
    element = {"at::kLong": INT, "at::kBool": INT}.get(dtype, DOUBLE)
    lengths, parts = [], entries.parts
    while True:
        lengths.append(constant(len(parts)))
        if not parts or parts[0].type != PARTS:
            break
        parts = tuple(each for part in parts for each in part.parts)
    listed = write("{{{}}}", in_row(e.converted(part, element, eqn) for part in parts))
    table = call(f"table<{element}>", listed, dtype_and_device)
    return method(table, "view", braced(lengths)) if len(lengths) > 1 else table


def _arange(e: Operands, eqn: Eqn, given: Mapping[str, Expr]) -> Expr:
    if "stop" not in given or given["stop"].type == NONE:
        given = {**given, "start": constant(0), "stop": given["start"]}
    return filled(e, eqn, OF_NUMBERS["arange"], given)


_SPECIAL: dict[str, Callable[[Operands, Eqn, Mapping[str, Expr]], Expr]] = {
    "where": _where,
    "clip": _clip,
    "astype": _astype,
    "floor_divide": _floor_divide,
    "roll": _roll,
    "repeat": _repeat,
    "sum_repeats": _repeat,
    **dict.fromkeys(("softmax", "log_softmax"), _of_one_axis),
    "searchsorted": _searchsorted,
    "last_written": _last_written,
    "norm": _norm,
    "transpose": _transpose,
    "squeeze": _squeeze,
    "expand_dims": _expand_dims,
    "mean": _mean,
    "contract": _contract,
    "contract_gradients": _contract_gradients,
    "eye": _eye,
    "arange": _arange,
    "array": _array,
}
