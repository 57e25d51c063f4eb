"""Blocks of equations as statements of C++, each below the author's line that it came from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial

from ...analysis.types import Types, infer, types_of
from ...ir import Atom, Block, Eqn, Formula, Literal, Var
from ...rewrite import uses
from ..cpp.comments import Comments
from .code import Code, Piece, defined, in_row, indented, nested, statement, write
from .expressions import AtenExpressions
from .indexing import beside_arrays, forwards
from .values import (
    DOUBLES,
    INT,
    INTS,
    NONE,
    NUMBERS,
    PARTS,
    PRIMARY,
    SIZES,
    SLICE,
    SUM,
    TENSOR,
    TENSORS,
    Expr,
    braced,
    call,
    declared,
    joined,
    method,
    name,
    opposite,
    quoted,
    vector_of,
)
from .vocabulary import SEVERAL

# About how long an expression gets before a part of it stands in a statement of its own.
_WIDTH = 66


class Statements:
    """Prints blocks of one formula.

    `values` are the expressions of the variables that the blocks read, `beside` a tensor on whose device
    arrays made of numbers are put.
    """

    def __init__(
        self,
        formula: Formula,
        called: Callable[[str], str | None],
        values: Mapping[Var, Expr],
        beside: Piece | None = None,
    ) -> None:
        self._formula = formula
        types = infer(formula)
        self._types: Types = types.pullback | types.forward
        self.expressions = AtenExpressions(formula, dict(self._types), called, values, beside)
        self._comments = Comments(formula.source)
        self._counts: Counter[Var] = Counter()
        self._pending: set[Var] = set()

    def prepare(self, block: Block) -> None:
        """Count how often each variable of a block is read, and infer their types."""
        self._counts = Counter(uses(block))
        self.expressions.types.update(types_of(block.eqns, self._types))

    def of(self, atom: Atom) -> Expr:
        """The expression of an operand."""
        if isinstance(atom, Var):
            self._pending.discard(atom)
        return self.expressions.of(atom)

    def lines(self, eqns: Iterable[Eqn]) -> list[Code]:
        """Equations as lines."""
        made: list[Code] = []
        for eqn in eqns:
            lines = self._fit(eqn)
            lines += self._equation(eqn)
            if lines:
                made += [*map(Code, self._comments.of(eqn.span)), *lines]
        return made

    def comment(self, eqns: Sequence[Eqn]) -> list[Code]:
        """The author's line of the last of these equations, where it is not above already."""
        spans = [eqn.span for eqn in eqns if eqn.span is not None]
        return list(map(Code, self._comments.of(spans[-1]))) if spans else []

    def _fit(self, eqn: Eqn) -> list[Code]:
        """Statements for what would make an expression too long, or would be computed again in a loop."""
        free = [var for block in eqn.blocks for var in block.free()]
        if eqn.op in ("for", "if"):
            held = [var for var in (*eqn.reads(), *free) if var in self._pending]
            names = held if eqn.op == "for" else []
        else:
            held = [var for var in eqn.reads() if var in self._pending]
            lengths = {var: len(self.expressions.of(var).text) for var in held}
            names = []
            while len(lengths) > 0 and sum(lengths.values()) > _WIDTH:
                longest = max(lengths, key=lengths.__getitem__)
                del lengths[longest]
                names.append(longest)
        return [line for var in names for line in self._assigned(var, self.expressions.of(var), eqn)]

    def _assigned(self, var: Var, value: Expr, eqn: Eqn) -> list[Code]:
        """The declaration of a variable."""
        type = declared(value.type)
        if var.kind == "list" and value.type == NONE:
            type = TENSORS
        self._pending.discard(var)
        self.expressions.values[var] = name(var.name, type)
        if type == TENSORS and value.parts:
            return statement("const {} {}{};", type, var.name, braced(value.parts))
        made = self.expressions.converted(value, type, eqn)
        return defined(type, var.name, made)

    def _equation(self, eqn: Eqn) -> list[Code]:
        match eqn.op:
            case "raise":
                return self._raise(eqn)
            case "for":
                return self._loop(eqn)
            case "if":
                if (value := self._conditional(eqn)) is not None:
                    return self._value(eqn, value)
                return self._branches(eqn)
            case "unslice":
                return self._unslice(eqn)
            case "index_put":
                return self._index_put(eqn)
            case "take_region" | "spread_region" | "clear_region":
                raise self.expressions.refusal(eqn, f"a write by an index ({eqn.op})")
        if len(eqn.outs) > 1:
            return self._several(eqn)
        value = self.expressions.call(eqn)
        for var in eqn.reads():
            self._pending.discard(var)
        return self._value(eqn, value)

    def _value(self, eqn: Eqn, value: Expr) -> list[Code]:
        (out,) = eqn.outs
        simple = value.type in (PARTS, SLICE, SIZES, DOUBLES, NONE) or (
            (value.is_name or isinstance(value.constant, bool)) and value.type != TENSOR
        )
        once = out.temp and self._counts[out] <= 1
        if simple or once:
            self.expressions.values[out] = value
            if once and not simple:
                self._pending.add(out)
            return []
        return self._assigned(out, value, eqn)

    def _several(self, eqn: Eqn) -> list[Code]:
        """Functions with several results, and formulas with their hidden outputs."""
        callee = eqn.kwarg("callee")
        operands = [self.of(atom) for atom in eqn.args]
        names = in_row(out.name for out in eqn.outs)
        for out in eqn.outs:
            self.expressions.values[out] = name(out.name, TENSOR)
        if isinstance(callee, Literal) and str(callee.value) in SEVERAL:
            return statement("const auto [{}] = {};", names, call(SEVERAL[str(callee.value)], *operands))
        outputs = self.expressions.formula_outputs(eqn, operands)
        made = f"{eqn.outs[0].name}_outputs"
        lines = defined("variable_list", made, outputs)
        for k, out in enumerate(eqn.outs):
            lines += defined(TENSOR, out.name, f"{made}[{k}]")
        return lines

    def _unslice(self, eqn: Eqn) -> list[Code]:
        """Zeros of a shape with a tensor added at an index."""
        (out,) = eqn.outs
        operand, shape = self.of(eqn.args[0]), eqn.kwarg("shape")
        index = eqn.kwarg("index")
        assert shape is not None
        assert index is not None
        where = self.of(index)
        self.expressions.values[out] = made = name(out.name, TENSOR)
        zeros = method(operand, "new_zeros", self.of(shape))
        lines = statement("{} {} = {};", TENSOR, made, zeros)
        where, turned = forwards(where)
        part, arrays = beside_arrays(made, where, partial(self.expressions.refusal, eqn))
        sums = Code("/*accumulate=*/true")
        if arrays and part == made and not turned:
            put = call("at::index_put", made, braced(arrays), operand, sums)
            return [*lines, *statement("{} = {};", made, put)]
        if arrays:
            lines += statement("{};", method(part, "index_put_", braced(arrays), operand, sums))
        else:
            lines += statement("{}.add_({});", self.expressions.entries(eqn, made, where), operand)
        return [*lines, *(_flipped(made, turned) if turned else [])]

    def _index_put(self, eqn: Eqn) -> list[Code]:
        """A copy of a tensor with a value written to the part at an index."""
        (out,) = eqn.outs
        operand, value = (self.of(atom) for atom in eqn.args)
        index = eqn.kwarg("index")
        assert index is not None
        where = self.of(index)
        if any(part.type == TENSOR for part in (where, *where.parts)):
            places = call("places_of", method(operand, "sizes"), operand)
            spots = self.expressions.entries(eqn, places, where)
            values = self.expressions.converted(value, TENSOR, eqn)
            return self._value(eqn, call("written_at", operand, values, spots))
        where, turned = forwards(where)
        self.expressions.values[out] = made = name(out.name, TENSOR)
        lines = statement("{} {} = {};", TENSOR, made, method(operand, "clone"))
        flipped = _flipped(made, turned) if turned else []
        write_to = "copy_" if value.type == TENSOR else "fill_"
        written = statement(f"{{}}.{write_to}({{}});", self.expressions.entries(eqn, made, where), value)
        return [*lines, *flipped, *written, *flipped]

    # control flow

    def _raise(self, eqn: Eqn) -> list[Code]:
        message = in_row(map(self.of, eqn.args)) if eqn.args else quoted("")
        return statement("TORCH_CHECK(false, {});", message)

    def _conditional(self, eqn: Eqn) -> Expr | None:
        """The conditional as one expression, where each branch is one that is short enough."""
        if len(eqn.outs) != 1:
            return None
        for block in eqn.blocks:
            for inner in block.eqns:
                if inner.blocks or len(inner.outs) != 1 or inner.op in ("raise", "unslice"):
                    return None
                if not inner.outs[0].temp or self._counts[inner.outs[0]] != 1:
                    return None
        held, pending = dict(self.expressions.values), set(self._pending)
        branches = []
        for block in eqn.blocks:
            if self.lines(block.eqns):
                self._restore(held, pending)
                return None
            branches.append(self.of(block.results[0]))
        if eqn.outs[0].kind == "tensor" and all(value.type == NONE for value in branches):
            return call(TENSOR)
        value = self.expressions.choice(eqn, self.of(eqn.args[0]), *branches)
        if len(value.text) > _WIDTH:
            self._restore(held, pending)
            return None
        return value

    def _restore(self, held: Mapping[Var, Expr], pending: set[Var]) -> None:
        """Go back to expressions of before, which loops around add to."""
        values = self.expressions.values
        values.clear()
        values.update(held)
        self._pending = pending

    def _branches(self, eqn: Eqn) -> list[Code]:
        """``if``: variables declared before it, which both branches assign."""
        test = self.of(eqn.args[0])
        made: list[tuple[list[Code], list[Expr]]] = []
        for block in eqn.blocks:
            lines = self.lines(block.eqns)
            made.append((lines, [self.of(atom) for atom in block.results]))
        lines = []
        bodies = [list(body) for body, _ in made]
        for k, out in enumerate(eqn.outs):
            if not self._counts[out]:
                continue
            given = [values[k] for _, values in made]
            type = self._type_of(eqn, out, [value.type for value in given])
            self.expressions.values[out] = name(out.name, type)
            lines += statement("{} {}{};", type, out.name, Code("{}" if type in NUMBERS else ""))
            for body, value in zip(bodies, given, strict=True):
                if value.type != NONE:
                    body += statement("{} = {};", out.name, self.expressions.chosen(value, type, eqn))
        condition = self.expressions.condition(test)
        first, second = bodies
        if not first and second:
            condition, first, second = opposite(condition), second, []
        return [*lines, *nested("if", condition, first, second)]

    def _type_of(self, eqn: Eqn, out: Var, types: Sequence[str]) -> str:
        type = INTS if PARTS in types else joined(list(types))
        if out.kind in ("tensor", "list"):
            return type if type in NUMBERS else TENSOR if out.kind == "tensor" else TENSORS
        if not type:
            raise self.expressions.refusal(eqn, f"`{out.name}`, which is of different types in two branches")
        return type

    def _loop(self, eqn: Eqn) -> list[Code]:
        """A loop over numbers or a list; what it carries is assigned, what it collects grows."""
        (body,) = eqn.blocks
        item, carried = body.params[0], body.params[1:]
        finals, lists = eqn.outs[: len(carried)], eqn.outs[len(carried) :]
        over, backwards = self.of(eqn.args[0]), eqn.kwarg("reverse") is not None
        starts = [self.of(atom) for atom in eqn.args[1:]]
        values = self.expressions.values
        types = []
        for var, start in zip(carried, starts, strict=True):
            kinds = {"tensor": TENSOR, "list": TENSORS}
            type = kinds.get(var.kind) or joined([start.type])
            if not type:
                raise self.expressions.refusal(eqn, f"`{var.name}`, which begins as {start.text}")
            types.append(type)
            values[var] = name(var.name, type)
        of_list = over.type == TENSORS
        values[item] = name(item.name, TENSOR if of_list else INT)
        inside = self.lines(body.eqns)
        results = [self.of(atom) for atom in body.results]
        lines = []
        for var, type, start in zip(carried, types, starts, strict=True):
            lines += statement("{} {} = {};", type, var.name, self.expressions.chosen(start, type, eqn))
        for var, value in zip(lists, results[len(carried) :], strict=True):
            element = TENSOR if var.kind == "list" else declared(value.type)
            if element in (PARTS, NONE):
                element = INTS if element == PARTS else TENSOR
            values[var] = name(var.name, vector_of(element))
            lines += statement("{} {};", vector_of(element), var.name)
            added = self.expressions.converted(value, element, eqn)
            inside += statement("{}.push_back({});", var.name, added)
        inside += self._moves(eqn, carried, types, results)
        if eqn.kwarg("until") is not None:
            inside += statement("if ({}) break;", self.expressions.condition(values[carried[0]]))
        lines += self._head(item, over, backwards, of_list)
        lines += [*indented(inside), Code("}")]
        if backwards:
            for var in lists:
                lines += statement("std::reverse({}.begin(), {}.end());", var.name, var.name)
        for out, var in zip(finals, carried, strict=True):
            values[out] = values[var]
        return lines

    def _head(self, item: Var, over: Expr, backwards: bool, of_list: bool) -> list[Code]:
        k = item.name
        if not of_list:
            if over.type != INT:
                over = call("static_cast<int64_t>", over, type=INT)
            count = over.within(SUM)
            if backwards:
                return [write("for (int64_t {} = {} - 1; {} >= 0; --{}) {{", k, count, k, k)]
            return [write("for (int64_t {} = 0; {} < {}; ++{}) {{", k, k, count, k)]
        if backwards:
            place, values = f"{k}_place", over.within(PRIMARY)
            return [
                write("for (size_t {} = {}.size(); {}-- > 0;) {{", place, values, place),
                write("    const at::Tensor& {} = {}[{}];", k, values, place),
            ]
        return [write("for (const at::Tensor& {} : {}) {{", k, over)]

    def _moves(
        self, eqn: Eqn, carried: Sequence[Var], types: Sequence[str], results: Sequence[Expr]
    ) -> list[Code]:
        """The next iteration's values: one by one, where no later value reads a changed one."""
        moved = [
            (var.name, self.expressions.chosen(value, type, eqn))
            for var, type, value in zip(carried, types, results, strict=False)
            if value.text != var.name
        ]
        lines: list[Code] = []
        while moved:
            free = [
                k
                for k, (target, _) in enumerate(moved)
                if not any(target in value.names for j, (_, value) in enumerate(moved) if j != k)
            ]
            if not free:
                targets = in_row(target for target, _ in moved)
                return [
                    *lines,
                    *statement("std::tie({}) = std::make_tuple({});", targets, in_row(v for _, v in moved)),
                ]
            target, value = moved.pop(free[0])
            lines += statement("{} = {};", target, value)
        return lines


def _flipped(tensor: Expr, axes: Sequence[Expr]) -> list[Code]:
    """The statement that turns a tensor around along axes."""
    return statement("{} = {};", tensor, call("at::flip", tensor, braced(axes)))
