"""The type of every variable: dtype and symbolic shape of tensors, kinds of other values.

In: a formula, or a block and the types of what it reads. Out: a type for each variable, and
diagnostics where an expression's rank or shape cannot be right. It is total: of what it does
not know it claims nothing. Names of sizes that are made in a loop's body, where they mean
another number in each iteration, do not leave it.

>>> from ..library import formula_in
>>> types = infer(formula_in('''
... def row(x, *, scale: float = 1.0):
...     m = np.max(x, axis=-1, keepdims=True)
...     return (x - m) * scale
... '''))
>>> for var, found in types.forward.items():
...     print(f"{var}: {found}")
x: x.dtype[x]
scale: float
m: x.dtype[kept(x, -1)]
_1: number(x.dtype)[x]
_2: promoted(number(x.dtype), float)[x]
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from ..codes import diagnostic
from ..diagnostics import Diagnostic
from ..ir import Atom, Block, Eqn, Formula, Literal, Param, Var
from ..ir.type_joins import as_tensor, collected, merged, with_unknown_sizes
from ..ir.types import (
    NONE,
    Dim,
    LikeType,
    ListType,
    ScalarType,
    TensorType,
    Type,
    TypeMistake,
    unknown_tensor,
    unknown_value,
)
from ..operators import NAMED_GRADIENTS, info_of
from ..operators.call import Call, literal_type
from ..operators.pointwise import of_values
from .annotations import annotated
from .type_values import of_structure

Types = dict[Var, Type]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class FormulaTypes:
    """Types of the variables of both blocks, and what is wrong in them.

    The pullback's block may use a name of the forward for another value of its own.
    """

    forward: Types
    pullback: Types
    findings: tuple[Diagnostic, ...] = ()

    def of(self, atom: Atom, pullback: bool = False) -> Type:
        """The type of an operand of the forward, or of the pullback."""
        return type_of(atom, self.pullback if pullback else self.forward)


def type_of(atom: Atom, types: Mapping[Var, Type]) -> Type:
    """The type of an operand."""
    if isinstance(atom, Literal):
        return literal_type(atom)
    return types.get(atom) or unknown(atom)


def unknown(var: Var) -> Type:
    """The type of a variable of which its kind alone is known."""
    if var.kind == "tensor":
        return unknown_tensor(var.name)
    if var.kind == "list":
        return ListType()
    return NONE if var.kind == "none" else unknown_value(var.name)


def param_type(param: Param, prefix: str) -> Type:
    """The type of a parameter by its annotation, in names that start so."""
    if param.var.kind == "tensor":
        return unknown_tensor(prefix + param.var.name, param.optional)
    if param.var.kind == "list":
        return ListType()
    own = unknown_value(prefix + param.var.name)
    return own if param.optional else annotated(param.annotation) or own


def param_types(formula: Formula, prefix: str = "") -> Types:
    """Types of a formula's parameters: what their annotations say, and what else is known of them."""
    params = {param.var: param_type(param, prefix) for param in formula.params}
    return params | dict(formula.types)


def known_types(formula: Formula) -> Types:
    """Types of the forward's values and of the cotangents, which have those of their results.

    In names that start with the formula's, for the pullback may use a name of the forward for another value.
    """
    prefix = f"{formula.name}/"
    known = param_types(formula, prefix)
    _Inferrer(formula.name, prefix).block(formula.forward, known)
    outputs = formula.forward.results[: formula.results + len(formula.hidden)]
    for cotangent, output in zip(formula.cotangents, outputs, strict=False):
        known[cotangent] = type_of(output, known)
    return known


def add_types(eqn: Eqn, types: Types) -> None:
    """The types of what one equation defines, into `types`."""
    _Inferrer("").equation(eqn, types)


def types_of(eqns: Iterable[Eqn], known: Mapping[Var, Type]) -> Types:
    """The types of all that the equations define, on top of those known."""
    types, inferrer = dict(known), _Inferrer("")
    for eqn in eqns:
        inferrer.equation(eqn, types)
    return types


def of_iteration(eqn: Eqn, types: Mapping[Var, Type]) -> Types:
    """The types of the parameters of a loop's body, which are so in every iteration."""
    return _Inferrer("").iteration(eqn, types)[0]


def infer(formula: Formula, given: Mapping[Var, Type] | None = None) -> FormulaTypes:
    """Types of a formula's variables; `given` are those of parameters of which more is known."""
    inferrer = _Inferrer(formula.name)
    forward: Types = param_types(formula) | dict(given or {})
    inferrer.block(formula.forward, forward)
    if formula.pullback is None:
        return FormulaTypes(forward, {}, tuple(inferrer.findings))
    free = set(formula.pullback.free())
    pullback = {var: found for var, found in forward.items() if var in free}
    outputs = formula.forward.results[: formula.results + len(formula.hidden)]
    if not formula.promoted:
        outputs = (*formula.forward.results[: formula.results], *(value for value, _ in formula.rules))
    for cotangent, output in zip(formula.pullback.params, outputs, strict=False):
        pullback[cotangent] = _cotangent(type_of(output, forward), cotangent)
    inner = _Inferrer(formula.name, prefix="'")
    inner.block(formula.pullback, pullback)
    return FormulaTypes(forward, pullback, (*inferrer.findings, *inner.findings))


def _cotangent(output: Type, var: Var) -> Type:
    """The type of what flows back to an output: its shape; a gradient's dtype is the caller's."""
    if isinstance(output, TensorType):
        return TensorType(output.shape, output.dtype, output.optional)
    return unknown(var)


# A loop whose types have not settled after so many rounds is one of which nothing is known.
_ROUNDS = 8


class _Inferred(Generic[T]):
    """The last inferences for each equation, with the facts that they followed from.

    Passes ask for the types of the same equations again and again, and loops within each other once per
    round of each: the first rounds of an inner loop come back with every round of the outer one, so that
    one inference each would double the work with every level. By identity, as equations are compared by
    all that is in them; one that is held here keeps its identity.
    """

    def __init__(self) -> None:
        self._last: dict[int, tuple[Eqn, list[tuple[tuple[object, ...], T]]]] = {}

    def get(self, eqn: Eqn, known: tuple[object, ...]) -> T | None:
        """The inference for an equation, where the same was known."""
        held, last = self._last.get(id(eqn), (None, []))
        return next((found for facts, found in last if held is eqn and facts == known), None)

    def add(self, eqn: Eqn, known: tuple[object, ...], found: T) -> T:
        """Remember what follows."""
        if len(self._last) >= _LARGEST:
            self._last.clear()
        held, last = self._last.get(id(eqn), (None, []))
        self._last[id(eqn)] = eqn, [(known, found), *(last[: _HELD - 1] if held is eqn else ())]
        return found


_LARGEST = 1 << 14
_HELD = 4
_results = _Inferred[Types]()
_iterations = _Inferred[tuple[Types, Types]]()


@dataclass
class _Inferrer:
    """Walks blocks in order; `findings` gains what runs always and cannot be right, once per place."""

    formula: str
    prefix: str = ""
    findings: list[Diagnostic] = field(default_factory=list)
    said: set[tuple[object, str]] = field(default_factory=set)
    conditional: int = 0
    """The number of open branches and loops: what stands there may never run."""

    def block(self, block: Block, types: Types) -> None:
        """The types of what a block defines, into `types`."""
        for param in block.params:
            types.setdefault(param, self._unknown(param))
        for eqn in block.eqns:
            self.equation(eqn, types)

    def _conditional_block(self, block: Block, types: Types) -> None:
        self.conditional += 1
        self.block(block, types)
        self.conditional -= 1

    def equation(self, eqn: Eqn, types: Types) -> None:
        """The types of what an equation defines, into `types`."""
        if eqn.op == "if":
            self._branches(eqn, types)
        elif eqn.op == "for":
            self._loop(eqn, types)
        elif eqn.op in NAMED_GRADIENTS.values():
            types.update(zip(eqn.outs, (type_of(atom, types) for atom in eqn.args[1:]), strict=True))
        elif eqn.op != "unpacked" or eqn.outs[0] not in types:
            for block in eqn.blocks:
                self.block(block, types)
            types.update(self._outputs(eqn, types))

    def _outputs(self, eqn: Eqn, types: Types) -> Types:
        """The types of the outputs of an equation that is no branch and no loop."""
        asked = (self.prefix, [types.get(var) for var in eqn.reads()])
        known = _results.get(eqn, asked)
        if known is not None:
            return known
        found = {out: self._unknown(out) for out in eqn.outs}
        try:
            made = self._result(eqn, types)
        except TypeMistake as mistake:  # which each inference says
            self._say(eqn, mistake)
            return found
        if made is not None:
            first = eqn.outs[0]
            found[first] = _of_kind(first, made, found[first])
        return _results.add(eqn, asked, found)

    def _unknown(self, var: Var) -> Type:
        return unknown(Var(self.prefix + var.name, var.kind))

    def _say(self, eqn: Eqn, mistake: TypeMistake) -> None:
        if self.conditional or eqn.span is None or (eqn.span, str(mistake)) in self.said:
            return
        self.said.add((eqn.span, str(mistake)))
        self.findings.append(diagnostic("PB409", f"{eqn.op}: {mistake}", eqn.span, name=self.formula))

    def _result(self, eqn: Eqn, types: Types) -> Type | None:
        """The type of an equation's first output, or None."""
        if not eqn.outs:
            return None
        out = eqn.outs[0]
        name = self.prefix + out.name
        args = tuple(type_of(atom, types) for atom in eqn.args)
        attributes = dict(eqn.kwargs)
        named = {key: type_of(atom, types) for key, atom in eqn.kwargs}
        structure = of_structure(eqn, args, named, name)
        if structure is not None:
            return structure
        info = info_of(eqn.op)
        if info is None or info.type is None:
            return None
        later = tuple(named.get(operand) for operand in info.operands[len(args) :])
        call = Call(name, eqn.op, (*args, *later), attributes, named)
        if out.kind == "value":
            return of_values(call)
        return info.type(call)

    def _branches(self, eqn: Eqn, types: Types) -> None:
        sides = []
        for block in eqn.blocks:
            inner = _read_inside(block, types)
            self._conditional_block(block, inner)
            types |= {var: found for var, found in inner.items() if var not in types}
            sides.append([type_of(atom, inner) for atom in block.results])
        for out, then, other in zip(eqn.outs, *sides, strict=True):
            own = self._unknown(out)
            types[out] = _of_kind(out, merged(then, other, own), own)

    def _loop(self, eqn: Eqn, types: Types) -> None:
        (body,) = eqn.blocks
        given, inner = self.iteration(eqn, types)
        born = {self.prefix + var.name for var in body.bound()}
        count = None if eqn.kwarg("until") is not None else self._count(eqn.args[0])
        types |= {var: found for var, found in inner.items() if var not in types}
        for place, out in enumerate(eqn.outs):
            own = self._unknown(out)
            if place + 1 < len(body.params):
                found = with_unknown_sizes(given[body.params[place + 1]], born, own)
                types[out] = _of_kind(out, found, own)
            else:
                types[out] = collected(type_of(body.results[place], inner), born, count)

    def _count(self, over: Atom) -> Dim | None:
        """The number of iterations of a loop."""
        if isinstance(over, Var):
            return self.prefix + over.name
        return over.value if type(over.value) is int else None

    def iteration(self, eqn: Eqn, types: Mapping[Var, Type]) -> tuple[Types, Types]:
        """Types of what a loop's body is given, and of everything inside."""
        (body,) = eqn.blocks
        over, *start = (type_of(atom, types) for atom in eqn.args)
        outer = _read_inside(body, types)
        asked = (self.prefix, over, start, outer)
        found = _iterations.get(eqn, asked)
        given, inner = found or _iterations.add(eqn, asked, self._settled(body, over, start, outer))
        return dict(given), dict(inner)

    def _settled(self, body: Block, over: Type, start: list[Type], outer: Types) -> tuple[Types, Types]:
        """Types of what a loop's body is given and of everything inside, which an iteration leaves so."""
        item, *carried = body.params
        given: Types = {item: self._item(item, over)}
        for param, found in zip(carried, start, strict=True):
            given[param] = _of_kind(param, found, self._unknown(param))
        for iteration in range(_ROUNDS + 1):
            inner = {**outer, **given}
            self._conditional_block(body, inner)
            after = dict(given)
            for param, atom in zip(carried, body.results, strict=False):
                own = self._unknown(param)
                after[param] = (
                    own if iteration == _ROUNDS - 1 else merged(given[param], type_of(atom, inner), own)
                )
            if after == given:
                break
            given = after
        return given, inner

    def _item(self, item: Var, over: Type) -> Type:
        if item.kind == "tensor" and isinstance(over, ListType) and over.element is not None:
            name = self.prefix + item.name
            return with_unknown_sizes(over.element, {"*"}, unknown_tensor(name))
        if item.kind == "value" and isinstance(over, ScalarType):
            return ScalarType("int")
        return self._unknown(item)


def _read_inside(block: Block, types: Mapping[Var, Type]) -> Types:
    """Those of the types that a nested block reads, or finds of what it defines and then lets be."""
    read = [*block.free()]
    for eqn in block.every():
        if eqn.op == "unpacked":
            read += eqn.outs
        elif eqn.op not in ("if", "for"):
            read += [param for inner in eqn.blocks for param in inner.params]
    return {var: types[var] for var in read if var in types}


def _of_kind(var: Var, found: Type, own: Type) -> Type:
    """The type, where it is one of the variable's kind, else the one of which nothing is known."""
    if var.kind == "tensor" and isinstance(own, TensorType):
        made = as_tensor(found, own)
        return made if isinstance(made, TensorType) else own
    if var.kind == "list":
        return found if isinstance(found, (ListType, LikeType)) else own
    return own if isinstance(found, (TensorType, ListType)) else found
