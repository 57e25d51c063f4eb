"""Typed equations into a program of kernels, one kernel for each equation: passes put them together.

In: a block in operators that loops have, and the types of its parameters, whose dtypes are known.
Out: a program. What is not lowered is a diagnostic at the author's expression.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ...analysis.types import Types, infer_block, type_of
from ...codes import diagnostic
from ...diagnostics import FormulaError
from ...ir import Atom, Block, Eqn, Formula, Literal, Span, Var
from ...ir.dtypes import CONCRETE, promote
from ...ir.types import LikeType, ScalarType, Shape, ShapeType, TensorType, Type, names_of, reduced_shape
from ...operators.call import joined_dtype
from ...operators.scalar import COMPARISONS, LOGIC, OF_BOOLS, OF_FLOATS, PREDICATES, SCALAR
from .ir import (
    Buffer,
    Compute,
    Constant,
    Kernel,
    Length,
    Load,
    Operand,
    Program,
    Reduce,
    Size,
    Statement,
    Store,
)
from .spaces import broadcasts

REDUCTIONS = {"sum": "sum", "mean": "sum", "prod": "prod", "max": "max", "min": "min"}
VIEWS = frozenset({"expand_dims", "squeeze", "reshape", "positive", "stop_gradient"})
FILLED = {"zeros_like": 0, "ones_like": 1, "full_like": None, "zeros": 0, "ones": 1, "full": None}
_LIKE = frozenset({"sum_to", "broadcast_like", "expect_like"})
_OF_SHAPES = frozenset({"shape", "like", "dtype", "ndim"})
_HOST = frozenset({"add", "subtract", "multiply", "divide", "floor_divide", "negative", "maximum", "power"})

# What `inline` leaves as it is.
PRIMITIVES = SCALAR | set(REDUCTIONS) | VIEWS | set(FILLED) | _LIKE | {"astype", "clip"}
FLOATS = ("float32", "float64")


@dataclass(frozen=True, slots=True)
class Array:
    """A buffer, read as an array of a shape."""

    buffer: str
    shape: Shape
    dtype: str


@dataclass
class Lowering:
    """A program under way."""

    formula: Formula
    types: Types
    inputs: frozenset[str]
    arrays: dict[Var, Array] = field(default_factory=dict)
    numbers: dict[Var, Operand] = field(default_factory=dict)
    buffers: dict[str, Buffer] = field(default_factory=dict)
    kernels: list[Kernel] = field(default_factory=list)
    sizes: list[Size] = field(default_factory=list)
    loads: dict[tuple[str, Shape], str] = field(default_factory=dict)
    span: Span | None = None

    def refuse(self, what: str) -> FormulaError:
        """The diagnostic of what is not lowered, at the expression under way."""
        span = self.span or self.formula.span
        hint = "the native target (C++) compiles more; see docs/architecture.md"
        found = diagnostic(
            "PB501", f"{what} is not lowered to loops", span, name=self.formula.name, hint=hint
        )
        return FormulaError([found], self.formula.source)

    def tensor(self, var: Var) -> tuple[Shape, str]:
        """The shape and dtype of a tensor, both of which its inputs decide."""
        found = self.types.get(var)
        if not isinstance(found, TensorType) or found.optional:
            raise self.refuse(f"{var}, which may be None,")
        if not names_of(found.shape) <= self.inputs:
            raise self.refuse(f"{var}, whose shape does not follow from those of the inputs,")
        if not isinstance(found.dtype, str) or found.dtype not in CONCRETE:
            raise self.refuse(f"{var}, whose dtype does not follow from those of the inputs,")
        if found.dtype not in ("bool", "int32", "int64", *FLOATS):
            raise self.refuse(f"{found.dtype}")
        return found.shape, found.dtype

    def new_buffer(self, name: str, shape: Shape, dtype: str, role: str = "workspace") -> Array:
        """A new buffer of this name, or of one like it."""
        while name in self.buffers:
            name += "_"
        self.buffers[name] = Buffer(name, dtype, shape, role)  # type: ignore[arg-type]
        return Array(name, shape, dtype)

    def load(self, body: list[Statement], array: Array) -> str:
        """The name of an array's entry, loaded into the body."""
        key = array.buffer, array.shape
        own = array.shape == self.buffers[array.buffer].shape
        name = self.loads.setdefault(key, array.buffer if own else f"{array.buffer}_{len(self.loads)}_")
        body.append(Load(name, array.buffer, array.shape, array.dtype))
        return name

    def operand(self, body: list[Statement], atom: Atom, wanted: str) -> Operand:
        """An operand of this type at the entry under way."""
        name: Operand
        if isinstance(atom, Var) and atom in self.arrays:
            array = self.arrays[atom]
            name, found = self.load(body, array), array.dtype
        else:
            name, found = self.number(atom), "float64"
        if isinstance(name, Constant):
            return Constant(_converted(name.value, wanted))
        return self.cast(body, name, found, wanted)

    def cast(self, body: list[Statement], name: str, found: str, wanted: str) -> str:
        """The value in another type."""
        if found == wanted:
            return name
        body.append(Compute(f"{name}_{wanted}", "cast", (name,), wanted, found, self.span))
        return f"{name}_{wanted}"

    def number(self, atom: Atom) -> Operand:
        """A number: a constant, a scalar that the program is given, or one that the host computes."""
        if isinstance(atom, Literal) and isinstance(atom.value, (bool, int, float)):
            return Constant(atom.value)
        if isinstance(atom, Var) and atom in self.numbers:
            return self.numbers[atom]
        raise self.refuse(f"the operand {atom}")

    def add(self, kernel: Kernel) -> None:
        """A kernel more."""
        self.kernels.append(kernel)


def _converted(value: bool | int | float, wanted: str) -> bool | int | float:
    if wanted == "bool":
        return bool(value)
    return float(value) if wanted in FLOATS else int(value)


def lower(
    formula: Formula, block: Block, given: Mapping[Var, Type], inputs: frozenset[str], name: str
) -> tuple[Program, Types]:
    """The program of a block, and the types of its variables. `inputs` are the shapes that have names."""
    inferred = infer_block(block, given, formula.name)
    low = Lowering(formula, inferred.forward, inputs)
    scalars = []
    for param in block.params:
        if param.kind == "tensor":
            shape, dtype = low.tensor(param)
            low.arrays[param] = low.new_buffer(param.name, shape, dtype, "input")
        elif isinstance(type_of(param, inferred.forward), ScalarType):
            low.numbers[param] = param.name
            scalars.append(param.name)
    for eqn in block.eqns:
        low.span = eqn.span or low.span
        _equation(low, eqn)
    results = [_result(low, atom) for atom in block.results]
    program = Program(
        name,
        tuple(low.buffers.values()),
        tuple(scalars),
        tuple(low.sizes),
        tuple(low.kernels),
        tuple(results),
        formula.source,
    )
    return program, inferred.forward


def _result(low: Lowering, atom: Atom) -> str:
    """The name of the buffer or number that is a result; a shape or dtype has none, for the host knows it."""
    if not isinstance(atom, Var):
        raise low.refuse(f"the result {atom}")
    if atom in low.numbers:
        return str(low.numbers[atom])
    if atom not in low.arrays:
        return ""
    array = low.arrays[atom]
    buffer = low.buffers[array.buffer]
    if buffer.role != "workspace" or buffer.shape != array.shape:
        target = low.new_buffer(atom.name, array.shape, array.dtype)
        body: list[Statement] = []
        value = low.load(body, array)
        body.append(Store(target.buffer, value, array.shape, span=low.span))
        low.add(Kernel(target.buffer, array.shape, tuple(body)))
        buffer = low.buffers[target.buffer]
    low.buffers[buffer.name] = Buffer(buffer.name, buffer.dtype, buffer.shape, "output")
    return buffer.name


def _equation(low: Lowering, eqn: Eqn) -> None:
    if eqn.op == "if" and all(out.kind == "value" for out in eqn.outs):
        _host_choice(low, eqn)
        return
    if len(eqn.outs) != 1 or eqn.blocks:
        raise low.refuse(f"`{eqn.op}`")
    (out,) = eqn.outs
    if eqn.op in _OF_SHAPES:
        return
    if out.kind != "tensor":
        _host_value(low, eqn, out)
    elif eqn.op in REDUCTIONS:
        _reduction(low, eqn, out)
    elif eqn.op == "sum_to":
        _sum_to(low, eqn, out)
    elif eqn.op in VIEWS:
        _view(low, eqn, out)
    elif eqn.op in FILLED:
        value: Atom | None = Literal(FILLED[eqn.op])
        if FILLED[eqn.op] is None:
            value = eqn.kwarg("fill_value")
        _pointwise(low, "positive", [value if value is not None else eqn.args[1]], out)
    elif eqn.op in ("broadcast_like", "expect_like") or eqn.op == "astype":
        _pointwise(low, "positive", [eqn.args[0]], out)
    elif eqn.op == "clip":
        _clip(low, eqn, out)
    elif eqn.op in SCALAR:
        op, args = _simpler(eqn)
        _pointwise(low, op, args, out)
    else:
        raise low.refuse(f"`{eqn.op}`")


def _simpler(eqn: Eqn) -> tuple[str, Sequence[Atom]]:
    """A power by a constant as the function that it is."""
    exponent = eqn.args[1] if eqn.op == "power" else None
    if isinstance(exponent, Literal) and not isinstance(exponent.value, bool):
        known = {2: "square", 1: "positive", 0.5: "sqrt", -1: "reciprocal"}
        if exponent.value in known:
            return known[exponent.value], eqn.args[:1]
    return eqn.op, eqn.args


def _of_type(low: Lowering, op: str, args: Sequence[Atom], dtype: str) -> str:
    """The type that an operator computes in."""
    found = joined_dtype(tuple(type_of(atom, low.types) for atom in args))
    joined = found if isinstance(found, str) and found in CONCRETE else promote([dtype])
    assert isinstance(joined, str)
    if op in COMPARISONS or op in PREDICATES:
        return joined
    if op in LOGIC:
        return "bool"
    if op in OF_BOOLS and dtype != "bool":
        raise low.refuse(f"`{op}` of numbers")
    if op in OF_FLOATS and dtype not in FLOATS:
        raise low.refuse(f"`{op}` of whole numbers")
    return dtype


def _pointwise(low: Lowering, op: str, args: Sequence[Atom], out: Var) -> None:
    shape, dtype = low.tensor(out)
    of = _of_type(low, op, args, dtype)
    body: list[Statement] = []
    operands = [
        low.operand(body, atom, "bool" if op == "where" and place == 0 else of)
        for place, atom in enumerate(args)
    ]
    for atom in args:
        if isinstance(atom, Var) and atom in low.arrays and not broadcasts(low.arrays[atom].shape, shape):
            raise low.refuse(f"`{op}` of {atom}, which is not known to broadcast to its result,")
    body.append(Compute(out.name, op, tuple(operands), dtype, of, low.span))
    _stored(low, out, shape, dtype, shape, body)


def _stored(
    low: Lowering,
    out: Var,
    shape: Shape,
    dtype: str,
    group: Shape,
    body: list[Statement],
    whole: Shape | None = None,
) -> None:
    """A kernel that ends with a store into a buffer of its own."""
    target = low.new_buffer(out.name, shape, dtype)
    low.arrays[out] = target
    body.append(Store(target.buffer, out.name, shape, span=low.span))
    low.add(Kernel(target.buffer, group, tuple(body), whole))


def _clip(low: Lowering, eqn: Eqn, out: Var) -> None:
    shape, dtype = low.tensor(out)
    bounds = [*eqn.args[1:], *(eqn.kwarg(name) for name in ("a_min", "a_max")[len(eqn.args) - 1 :])]
    body: list[Statement] = []
    value = low.operand(body, eqn.args[0], dtype)
    for op, bound in zip(("maximum", "minimum"), bounds, strict=False):
        if bound is None or bound == Literal(None):
            continue
        limit = low.operand(body, bound, dtype)
        body.append(Compute(f"{out.name}_{op}", op, (value, limit), dtype, dtype, low.span))
        value = f"{out.name}_{op}"
    body.append(Compute(out.name, "positive", (value,), dtype, dtype, low.span))
    _stored(low, out, shape, dtype, shape, body)


def _reduction(low: Lowering, eqn: Eqn, out: Var) -> None:
    shape, dtype = low.tensor(out)
    array = low.arrays.get(eqn.args[0]) if isinstance(eqn.args[0], Var) else None
    axis, keepdims = eqn.kwarg("axis") or Literal(None), eqn.kwarg("keepdims") or Literal(False)
    if array is None or not isinstance(axis, Literal) or not isinstance(keepdims, Literal):
        raise low.refuse(f"`{eqn.op}` over axes that are not known here")
    if eqn.op in ("max", "min", "mean") and dtype not in FLOATS:
        raise low.refuse(f"`{eqn.op}` of whole numbers")
    axes = (axis.value,) if type(axis.value) is int else axis.value
    group = () if axes is None else reduced_shape(array.shape, axes, True)  # type: ignore[arg-type]
    if not broadcasts(group, array.shape):
        raise low.refuse(f"`{eqn.op}` over these axes of arrays of any rank")
    inner: list[Statement] = []
    value = low.operand(inner, eqn.args[0], dtype)
    assert isinstance(value, str)
    total = out.name if eqn.op != "mean" else f"{out.name}_sum"
    body: list[Statement] = [Reduce(total, REDUCTIONS[eqn.op], tuple(inner), value, dtype, low.span)]  # type: ignore[arg-type]
    if eqn.op == "mean":
        body.append(Length(f"{out.name}_length", dtype))
        body.append(Compute(out.name, "divide", (total, f"{out.name}_length"), dtype, dtype, low.span))
    _stored(low, out, shape, dtype, group, body, array.shape)


def _sum_to(low: Lowering, eqn: Eqn, out: Var) -> None:
    shape, dtype = low.tensor(out)
    array = low.arrays.get(eqn.args[0]) if isinstance(eqn.args[0], Var) else None
    like = type_of(eqn.kwarg("like") or eqn.args[-1], low.types)
    if array is None or not isinstance(like, LikeType):
        raise low.refuse("`sum_to` of such operands")
    if array.shape == shape:
        _pointwise(low, "positive", eqn.args[:1], out)
        return
    if not broadcasts(shape, array.shape):
        raise low.refuse("a gradient whose shape is not known to be broadcast from its operand's")
    inner: list[Statement] = []
    value = low.operand(inner, eqn.args[0], dtype)
    assert isinstance(value, str)
    _stored(
        low,
        out,
        shape,
        dtype,
        shape,
        [Reduce(out.name, "sum", tuple(inner), value, dtype, low.span)],
        array.shape,
    )


def _view(low: Lowering, eqn: Eqn, out: Var) -> None:
    """The same entries in another shape: no kernel."""
    shape, dtype = low.tensor(out)
    source = eqn.args[0]
    if not isinstance(source, Var) or source not in low.arrays:
        _pointwise(low, "positive", [source], out)
        return
    array = low.arrays[source]
    if eqn.op == "reshape" and array.shape != shape and not names_of(shape) <= names_of(array.shape):
        raise low.refuse("`reshape` to a shape that is not made of its operand's")
    low.arrays[out] = Array(array.buffer, shape, dtype)


def _host_choice(low: Lowering, eqn: Eqn) -> None:
    """A choice between numbers, both of which the host computes."""
    for block in eqn.blocks:
        for inner in block.eqns:
            _equation(low, inner)
    condition = low.number(eqn.args[0])
    for out, then, other in zip(eqn.outs, *(block.results for block in eqn.blocks), strict=True):
        low.sizes.append(Size(out.name, "select", (condition, low.number(then), low.number(other))))
        low.numbers[out] = out.name


def _host_value(low: Lowering, eqn: Eqn, out: Var) -> None:
    """A number that the host computes; of other values the types say all."""
    found = type_of(out, low.types)
    of = type_of(eqn.args[0], low.types) if eqn.args else None
    if eqn.op == "size" and isinstance(of, TensorType) and names_of(of.shape) <= low.inputs:
        low.sizes.append(Size(out.name, "size", (of.shape,)))
    elif eqn.op == "item" and isinstance(of, ShapeType) and isinstance(eqn.args[1], Literal):
        if not names_of(of.shape) <= low.inputs or type(eqn.args[1].value) is not int:
            raise low.refuse("such an element")
        low.sizes.append(Size(out.name, "item", (of.shape, Constant(eqn.args[1].value))))
    elif eqn.op in _HOST and all(isinstance(a, Literal) or a in low.numbers for a in eqn.args):
        low.sizes.append(Size(out.name, eqn.op, tuple(low.number(atom) for atom in eqn.args)))
    elif isinstance(found, (ShapeType, LikeType)):
        return
    else:
        raise low.refuse(f"`{eqn.op}` of values")
    low.numbers[out] = out.name
