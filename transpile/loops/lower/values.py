"""Numbers, shapes and indices: what a kernel computes once, outside its loops."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from ...ir import Atom, Eqn, Literal, Var
from ...operators import DTYPES, OPERATORS
from ...passes.kernel.types import OF_DTYPES, of_literal, stored
from ...rewrite import MADE_OF, METADATA, REGION
from ..expressions import (
    NO_SHAPE,
    Braces,
    Constant,
    Expression,
    Infix,
    Member,
    Method,
    Prefix,
    SizeOf,
    braces,
    call,
    node,
    rank,
    run,
)
from . import shape_sets
from .facts import Fact, Leaf
from .names import derived
from .numbers import integer_near, of_math, of_numbers
from .scalars import POINTWISE, Scalar, lane, literal, refusal, result_type, truth

VALUE_OPS = frozenset(
    {"item", "tuple", "slice", "range", "len", "int", "float", "bool", "math.prod", "is_none", "not_", REGION}
    | METADATA
)
_BUILTINS = {"abs": "abs", "pow": "power"}
_TO_INTEGERS = {"int": "trunc", "math.ceil": "ceil", "math.floor": "floor"}
# NumPy's functions that give an integer back, as one of its own.
_KEEPING_INTEGERS = frozenset({"floor", "ceil", "trunc"})
CONVERSIONS = frozenset({"int", "float", "bool", "math.ceil", "math.floor"})
# What Python writes by a symbol; of numbers alone that is its own arithmetic.
SYMBOLS = frozenset(name for name, operator in OPERATORS.items() if operator.infix)


NONE, ONE = Constant("kNone"), node(1)


class Values:
    """Numbers, shapes and indices as expressions. None where something is not compiled."""

    def __init__(
        self,
        find: Callable[[Var], Fact],
        define: Callable[[Var, Fact], None],
        shape_of: Callable[[Atom], Expression | None],
    ) -> None:
        self._find = find
        self._define = define
        self._shape_of = shape_of

    def scalar(self, atom: Atom) -> Scalar | None:
        """A number."""
        if isinstance(atom, Literal):
            kind = of_literal(atom)
            return None if kind is None else literal(atom.value, kind)
        fact = self._find(atom)
        return _scalar(fact) if fact.kind == "number" else None

    def number(self, atom: Atom) -> Expression | None:
        """An integer."""
        scalar = self.scalar(atom)
        if scalar is None or scalar.type not in ("weak int", "int64_t"):
            return None
        return scalar.to("weak int").node

    def numbers(self, atoms: Sequence[Atom]) -> list[Expression] | None:
        """Integers, all of them."""
        found = [number for atom in atoms if (number := self.number(atom)) is not None]
        return found if len(found) == len(atoms) else None

    def shape(self, atom: Atom | None) -> Expression | None:
        """A shape: of a tuple of integers, an integer, or a saved shape."""
        if atom is None:
            return None
        if isinstance(atom, Var) and self._find(atom).kind in ("shape", "like"):
            return self._find(atom).node
        numbers = self.numbers(self.elements(atom))
        return None if numbers is None else call("shape_of", *numbers)

    def elements(self, atom: Atom) -> Sequence[Atom]:
        """The items of a tuple; of anything else, itself."""
        if isinstance(atom, Literal):
            values = atom.value if isinstance(atom.value, tuple | list) else (atom.value,)
            return [Literal(value) for value in values]
        fact = self._find(atom)
        single = fact.known is not None or (fact.eqn is not None and fact.eqn.op in ("slice", "range"))
        return fact.items if fact.kind == "index" and not single else (atom,)

    def axes(self, atom: Atom | None) -> Braces | None:
        """A list of axes, which must be known now."""
        if not isinstance(atom, Literal):
            return None
        values = atom.value if isinstance(atom.value, tuple) else (atom.value,)
        if not values or not all(isinstance(v, int) and not isinstance(v, bool) for v in values):
            return None
        return braces(*values)

    def index(self, atom: Atom | None) -> Braces | None:
        """The items of a basic index; None where an array is among them."""
        if atom is None:
            return None
        items = [self.index_item(element) for element in self.elements(atom)]
        known = [item for item in items if item is not None]
        if len(known) < len(items):
            return None
        return braces(*known) if known else braces(call("ellipsis"))

    def index_item(self, atom: Atom) -> Expression | None:
        """One item of a basic index; None for an array."""
        if isinstance(atom, Var) and self._find(atom).kind == "index":
            fact = self._find(atom)
            is_slice = fact.eqn is not None and fact.eqn.op == "slice"
            return fact.known or (self._slice(fact.items) if is_slice else None)
        if isinstance(atom, Literal):
            value = atom.value
            if value is None or value is Ellipsis:
                return call("new_axis" if value is None else "ellipsis")
            if isinstance(value, slice):
                return self._slice([Literal(value.start), Literal(value.stop), Literal(value.step)])
            if isinstance(value, bool):
                return None
        position = self.number(atom)
        maybe = isinstance(atom, Var) and self._find(atom).element == "maybe"
        return call("at_if_any" if maybe else "at", position) if position else None

    def _slice(self, bounds: Sequence[Atom]) -> Expression | None:
        nodes: list[Expression] = []
        for atom, missing in zip(bounds, (NONE, NONE, ONE), strict=False):
            absent = isinstance(atom, Literal) and atom.value is None
            bound = missing if absent else self.number(atom)
            if bound is None:
                return None
            nodes.append(bound)
        if nodes[2:] == [ONE]:
            nodes.pop()
        return call("slice", *nodes)

    def compute(self, eqn: Eqn) -> Fact | None:
        """The fact of an equation over numbers and metadata, or None where it is not compiled."""
        op, args = eqn.op, eqn.args
        if op == "is_none":
            return self._is_none(args[0])
        if op == "isinstance":
            return self._is_instance(eqn)
        if op in MADE_OF:
            return Fact("index", items=args, eqn=eqn)
        if op in METADATA:
            return self._metadata(op, args[0])
        if op == "item":
            return self._item(args)
        if op == "len" and isinstance(args[0], Literal) and isinstance(args[0].value, tuple):
            return _known(len(args[0].value))
        if op == "format":
            said = args[0].value if isinstance(args[0], Literal) else ""
            return Fact("index", literal=said, eqn=eqn)
        if op == "len" and isinstance(args[0], Var) and self._is_written_out(args[0]):
            return _known(len(self._find(args[0]).items))
        if op == "len" and (bounds := self._range(args[0])) is not None:
            return _integer(run("length_of_range", *bounds))
        if op in ("len", "math.prod"):
            whole = self.shape(args[0])
            if whole is None:
                return None
            return _integer(rank(whole) if op == "len" else Method(whole, "size"))
        if op == "opaque":
            return self._builtin(eqn)
        if op in ("add", "str") and any(map(self._is_text, args)):
            first = next((a.value for a in args if isinstance(a, Literal)), "")
            return Fact("index", literal=first, eqn=Eqn(eqn.outs, "text", args))
        found = self._of_dtypes(eqn) or self._of_shapes(eqn) or self._joined(eqn)
        operands = self._scalars(args)
        return found if found is not None or operands is None else self.of_scalars(eqn, operands)

    def of_scalars(self, eqn: Eqn, operands: Sequence[Scalar]) -> Fact | None:
        """A number of numbers, or of values without axes."""
        op = eqn.op
        if op in _TO_INTEGERS and len(operands) == 1:
            return _number(integer_near(_TO_INTEGERS[op], operands[0]))
        if op in _KEEPING_INTEGERS and operands[0].type in ("weak int", "int64_t"):
            return _number(operands[0].to("int64_t"))
        if op == "float" and len(operands) == 1:
            return _number(operands[0].to("weak float"))
        if op == "bool" and len(operands) == 1:
            of, known = truth(operands[0]), operands[0].literal
            return _number(replace(of, type="weak bool")) if known is None else _truth(bool(known))
        if op == "not_":
            known = None if operands[0].literal is None else not operands[0].literal
            return Fact("number", "weak bool", known=Prefix("!", operands[0].node), literal=known)
        return self._arithmetic(eqn, operands)

    def _is_instance(self, eqn: Eqn) -> Fact | None:
        """Decided of a number: of an integer, and of any where no type of numbers is asked for."""
        atom, asked = eqn.args[0], eqn.kwarg("of")
        fact = self._find(atom) if isinstance(atom, Var) else None
        if fact is None or fact.kind != "number" or fact.element == "maybe" or not isinstance(asked, Literal):
            return None
        types = str(asked.value).split()
        if fact.type == "weak int":
            return _truth("int" in types)
        return None if {"int", "float", "bool", "complex"} & {*types} else _truth(False)

    def _is_none(self, atom: Atom) -> Fact | None:
        if isinstance(atom, Literal):
            return _truth(atom.value is None)
        fact = self._find(atom)
        if fact.kind == "index" and fact.known is not None:
            return _condition("==", Member(fact.known, "kind"), Constant("Index::kNewAxis"))
        if fact.kind == "number" and fact.element == "maybe":
            return _condition("==", fact.node, NONE) if stored(fact.type) == "int64_t" else None
        if fact.kind == "none":
            return _truth(True)
        there = fact.kind in ("array", "lane", "scalar", "number", "index") and fact.element != "maybe"
        return _truth(False) if there else None

    def _builtin(self, eqn: Eqn) -> Fact | None:
        """A function of Python's on numbers, which the vocabulary has no word for."""
        callee = eqn.kwarg("callee")
        name = str(callee.value) if isinstance(callee, Literal) else ""
        rounds = {**_TO_INTEGERS, "round": "round"}
        operands = self._scalars(eqn.args)
        if operands is None:
            return None
        if name in rounds and len(operands) == 1:
            return _number(integer_near(rounds[name], operands[0]))
        if (made := of_math(name, operands)) is not None:
            return _number(made)
        if name not in _BUILTINS:
            return None
        return self._of_python(_BUILTINS[name], operands)

    def _scalars(self, atoms: Sequence[Atom]) -> list[Scalar] | None:
        """Numbers, all of them."""
        found = [scalar for atom in atoms if (scalar := self.scalar(atom)) is not None]
        return found if len(found) == len(atoms) else None

    def _of_python(self, op: str, operands: Sequence[Scalar]) -> Fact | None:
        """Python's own operator or function of its own numbers."""
        if not all(operand.type.startswith("weak") for operand in operands):
            return None
        made = of_numbers(op, operands)
        return None if made is None else _number(made)

    def _is_written_out(self, var: Var) -> bool:
        """True for a list whose elements are known, and for a tuple."""
        fact = self._find(var)
        made_by = fact.eqn.op if fact.kind == "index" and fact.eqn is not None else ""
        return fact.kind == "list" or made_by == "tuple" or (made_by == "list" and var.kind == "list")

    def _likes(self, items: Sequence[Atom]) -> Fact | None:
        """The likes of a list."""
        names = [derived(f"like_{item}", "value") for item in items]
        for name, item in zip(names, items, strict=True):
            fact = self._metadata("like", item)
            if fact is None:
                return None
            self._define(name, fact)
        return Fact("index", items=tuple(names))

    def _metadata(self, op: str, atom: Atom) -> Fact | None:
        if op == "like" and isinstance(atom, Var) and self._is_written_out(atom):
            return self._likes(self._find(atom).items)
        kind = self._type_without_axes(atom)
        if op == "like" and kind is not None:
            shapes = (Leaf(NO_SHAPE, shape_sets.SCALAR),)
            return Fact("like", stored(kind), leaves=shapes, known=NO_SHAPE)
        shape = self._shape_of(atom)
        if shape is None or not isinstance(atom, Var):
            return None
        fact = self._find(atom)
        if op == "dtype":
            return Fact("dtype", fact.type)
        if op == "like":
            return Fact("like", fact.type, fact.shape, fact.leaves, 0, shape)
        if op == "shape":
            return Fact("shape", "T", fact.shape, fact.leaves, 0, shape)
        return _integer(Braces((rank(shape),), "int64_t") if op == "ndim" else Method(shape, "size"))

    def _type_without_axes(self, atom: Atom) -> str | None:
        """The type of a number, or of a value without axes; None for what is neither."""
        if isinstance(atom, Var) and self._find(atom).kind == "scalar":
            return self._find(atom).type
        scalar = self.scalar(atom)
        return None if scalar is None else scalar.type

    def _item(self, args: Sequence[Atom]) -> Fact | None:
        owner, position = args
        if isinstance(owner, Literal) and isinstance(owner.value, tuple):
            return self._of_progression(owner.value, position)
        if (bounds := self._range(owner)) is not None:
            return self._stepped(bounds[0], bounds[2], position)
        if isinstance(owner, Var) and self._find(owner).kind in ("shape", "like"):
            if (slice_ := self._slice_of(position)) is not None:
                return Fact("shape", known=call("part_of", self._find(owner).node, slice_))
            index = self.number(position)
            return _integer(run("extent", self._find(owner).node, index)) if index else None
        if isinstance(owner, Var) and isinstance(position, Literal) and isinstance(position.value, int):
            items = self._find(owner).items
            if -len(items) <= position.value < len(items):
                scalar = self.scalar(items[position.value])
                return None if scalar is None else _number(scalar)
        return None

    def _stepped(self, first: Expression, step: Expression, position: Atom) -> Fact | None:
        """A number so many steps from the first one."""
        index = self.number(position)
        if index is None:
            return None
        return _integer(Infix("+", first, index if step == ONE else Infix("*", step, index)))

    def _slice_of(self, atom: Atom) -> Expression | None:
        """A slice of step 1; None for another index."""
        if isinstance(atom, Literal):
            value = atom.value
            return self.index_item(atom) if isinstance(value, slice) and value.step in (None, 1) else None
        fact = self._find(atom)
        whole = (
            fact.eqn is not None
            and fact.eqn.op == "slice"
            and fact.items[2:] in ((Literal(None),), (Literal(1),))
        )
        return self.index_item(atom) if whole else None

    def _joined(self, eqn: Eqn) -> Fact | None:
        """A shape and what stands behind it, or before it."""
        if eqn.op != "add" or not all(map(self._is_shape, eqn.args)):
            return None
        shapes = [self.shape(atom) for atom in eqn.args]
        known = [shape for shape in shapes if shape is not None]
        return Fact("shape", known=run("after_each_other", *known)) if len(known) == len(shapes) else None

    def _of_shapes(self, eqn: Eqn) -> Fact | None:
        """A comparison of shapes, or of tuples of integers; None for any other."""
        if eqn.op not in ("equal", "not_equal") or not all(map(self._is_shape, eqn.args)):
            return None
        shapes = [shape for atom in eqn.args if (shape := self.shape(atom)) is not None]
        return _condition("==" if eqn.op == "equal" else "!=", *shapes) if len(shapes) == 2 else None

    def _is_shape(self, atom: Atom) -> bool:
        if isinstance(atom, Literal):
            return isinstance(atom.value, tuple)
        fact = self._find(atom)
        return fact.kind == "shape" or (fact.eqn is not None and fact.eqn.op == "tuple")

    def _of_dtypes(self, eqn: Eqn) -> Fact | None:
        """True for an array of a dtype; what is templated is of a floating one."""
        first, second = eqn.args if len(eqn.args) == 2 else (None, None)
        if isinstance(first, Literal):
            first, second = second, first
        if (
            eqn.op not in ("equal", "not_equal")
            or not isinstance(first, Var)
            or not isinstance(second, Literal)
        ):
            return None
        fact, named = self._find(first), OF_DTYPES.get(str(second.value))
        if named is None:  # no array of a kernel is of this dtype
            return _truth(eqn.op == "not_equal") if f"numpy.{second.value}" in DTYPES else None
        if fact.kind != "dtype":
            return None
        if fact.type == "T" and named in ("float", "double"):
            return _condition("==" if eqn.op == "equal" else "!=", SizeOf("T"), SizeOf(named))
        return _truth((fact.type == named) == (eqn.op == "equal"))

    def _range(self, atom: Atom) -> list[Expression] | None:
        """Start, stop and step of a `range` whose bounds are not known."""
        fact = self._find(atom) if isinstance(atom, Var) else None
        if fact is None or fact.eqn is None or fact.eqn.op != "range":
            return None
        given = fact.items
        bounds = (Literal(0), given[0], Literal(1)) if len(given) == 1 else (*given, Literal(1))[:3]
        return self.numbers(bounds)

    def _of_progression(self, numbers: tuple[object, ...], position: Atom) -> Fact | None:
        """An element of a `range` that is known."""
        if not all(type(number) is int for number in numbers):
            return None
        if not numbers:  # of a loop that has no iterations
            return _known(0)
        first = numbers[0]
        step = numbers[1] - first if len(numbers) > 1 else 1  # type: ignore[operator]
        if tuple(first + k * step for k in range(len(numbers))) != numbers:  # type: ignore[operator]
            return None
        return self._stepped(node(first), node(step), position)  # type: ignore[arg-type]

    def _is_text(self, atom: Atom) -> bool:
        """True for a text, which only `raise` has a use for."""
        if isinstance(atom, Literal):
            return isinstance(atom.value, str)
        eqn = self._find(atom).eqn
        return eqn is not None and eqn.op in ("format", "str", "text")

    def _arithmetic(self, eqn: Eqn, operands: Sequence[Scalar]) -> Fact | None:
        if eqn.op.startswith("math."):  # of NumPy's numbers too, they give Python's
            return self._of_python(eqn.op, [_weak(operand) for operand in operands])
        if eqn.op in SYMBOLS and all(operand.type.startswith("weak") for operand in operands):
            return self._of_python(eqn.op, operands)
        if eqn.op == "astype":
            kind = OF_DTYPES.get(str(getattr(eqn.kwarg("dtype"), "value", None)))
            return None if kind is None else _number(replace(operands[0].to(kind), type=kind))
        if eqn.op not in POINTWISE or eqn.kwarg("decimals") not in (None, Literal(0)):
            return None
        types = [operand.type for operand in operands]
        if all(kind.startswith("weak") for kind in types):
            types = [stored(kind) for kind in types]  # NumPy's functions give numbers of NumPy
        if refusal(eqn.op, types):
            return None
        kind = result_type(eqn.op, types)
        return replace(_number(lane(eqn.op, operands, kind)), type=kind)


def _weak(operand: Scalar) -> Scalar:
    """A number as Python's own."""
    of_python = {"double": "weak float", "int64_t": "weak int", "bool": "weak bool"}.get(operand.type)
    return operand if of_python is None else replace(operand, type=of_python)


def _scalar(fact: Fact) -> Scalar:
    """A number of which a fact is known."""
    return (
        Scalar(fact.node, fact.type, fact.literal, fact.large)
        if fact.literal is None
        else literal(fact.literal, fact.type)
    )


def _number(scalar: Scalar) -> Fact:
    return Fact("number", scalar.type, known=scalar.node, literal=scalar.literal, large=scalar.large)


def _integer(expression: Expression) -> Fact:
    return Fact("number", "weak int", known=expression)


def _condition(operator: str, left: Expression, right: Expression) -> Fact:
    return Fact("number", "weak bool", known=Infix(operator, left, right))


def _known(count: int) -> Fact:
    return _number(literal(count, "weak int"))


def _truth(value: bool) -> Fact:
    return _number(literal(value, "weak bool"))
