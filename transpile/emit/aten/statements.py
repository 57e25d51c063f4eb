"""Blocks of equations as statements of C++, each below the author's line that it came from."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

from ...analysis.types import Types, infer, types_of
from ...ir import Atom, Block, Eqn, Formula, Literal, Var
from ...rewrite import uses
from ..cpp.comments import Comments
from ..cpp.lines import LINE_WIDTH, indented
from .expressions import AtenExpressions
from .indexing import alone, forwards
from .values import (
    DOUBLES,
    INT,
    INTS,
    NONE,
    NUMBERS,
    PARTS,
    PRIMARY,
    SIZES,
    SUM,
    TENSOR,
    TENSORS,
    Expr,
    declared,
    joined,
    name,
)
from .vocabulary import SEVERAL

# About how long an expression gets before a part of it stands in a statement of its own.
_WIDTH = 66
_WORD = re.compile(r"\b[A-Za-z_]\w*\b")


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
        beside: str = "",
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
        self.expressions._types.update(types_of(block.eqns, self._types))

    def of(self, atom: Atom) -> Expr:
        """The expression of an operand."""
        if isinstance(atom, Var):
            self._pending.discard(atom)
        return self.expressions.of(atom)

    def lines(self, eqns: Iterable[Eqn]) -> list[str]:
        """Equations as lines."""
        made: list[str] = []
        for eqn in eqns:
            lines = self._fit(eqn)
            lines += self._equation(eqn)
            if lines:
                made += [*self._comments.of(eqn.span), *lines]
        return made

    def comment(self, eqns: Sequence[Eqn]) -> list[str]:
        """The author's line of the last of these equations, where it is not above already."""
        spans = [eqn.span for eqn in eqns if eqn.span is not None]
        return self._comments.of(spans[-1]) if spans else []

    def _fit(self, eqn: Eqn) -> list[str]:
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

    def _assigned(self, var: Var, value: Expr, eqn: Eqn) -> list[str]:
        """The declaration of a variable."""
        type = declared(value.type)
        if var.kind == "list" and value.type == NONE:
            type = TENSORS
        self._pending.discard(var)
        self.expressions.values[var] = Expr(var.name, type, parts=value.parts if type == TENSORS else ())
        if type == TENSORS and value.parts:
            parts = ", ".join(part.text for part in value.parts)
            self.expressions.values[var] = name(var.name, type)
            return fitted(f"const {type} {var.name}{{{parts}}};")
        text = self.expressions.converted(value, type, eqn) if type != value.type else value.text
        return fitted(f"const {type} {var.name} = {text};")

    def _equation(self, eqn: Eqn) -> list[str]:
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
            case "last_written" | "take_region" | "spread_region" | "clear_region":
                raise self.expressions.refusal(eqn, f"a write by an index ({eqn.op})")
        if len(eqn.outs) > 1:
            return self._several(eqn)
        value = self.expressions.call(eqn)
        for var in eqn.reads():
            self._pending.discard(var)
        return self._value(eqn, value)

    def _value(self, eqn: Eqn, value: Expr) -> list[str]:
        (out,) = eqn.outs
        simple = value.type in (PARTS, SIZES, DOUBLES, NONE) or (
            _WORD.fullmatch(value.text) is not None and value.type != TENSOR
        )
        once = out.temp and self._counts[out] <= 1
        if simple or once:
            self.expressions.values[out] = value
            if once and not simple:
                self._pending.add(out)
            return []
        return self._assigned(out, value, eqn)

    def _several(self, eqn: Eqn) -> list[str]:
        """Functions with several results, and formulas with their hidden outputs."""
        callee = eqn.kwarg("callee")
        operands = [self.of(atom) for atom in eqn.args]
        names = ", ".join(out.name for out in eqn.outs)
        for out in eqn.outs:
            self.expressions.values[out] = name(out.name, TENSOR)
        if isinstance(callee, Literal) and str(callee.value) in SEVERAL:
            function = SEVERAL[str(callee.value)]
            arguments = ", ".join(value.text for value in operands)
            return fitted(f"const auto [{names}] = at::{function}({arguments});")
        outputs = self.expressions.formula_outputs(eqn, operands)
        made = f"{eqn.outs[0].name}_outputs"
        lines = fitted(f"const variable_list {made} = {outputs};")
        for k, out in enumerate(eqn.outs):
            lines.append(f"const {TENSOR} {out.name} = {made}[{k}];")
        return lines

    def _unslice(self, eqn: Eqn) -> list[str]:
        """Zeros of a shape with a tensor added at an index."""
        (out,) = eqn.outs
        operand, shape = self.of(eqn.args[0]), eqn.kwarg("shape")
        index = eqn.kwarg("index")
        assert shape is not None
        assert index is not None
        where = self.of(index)
        self.expressions.values[out] = name(out.name, TENSOR)
        size = self.of(shape).text
        lines = fitted(f"{TENSOR} {out.name} = {operand.within(PRIMARY)}.new_zeros({size});")
        if (array := alone(where)) is not None:
            indices = f"{{{array.text}}}"
            text = f"at::index_put({out.name}, {indices}, {operand.text}, /*accumulate=*/true)"
            return [*lines, *fitted(f"{out.name} = {text};")]
        where, turned = forwards(where)
        lines += fitted(f"{self.expressions.entries(eqn, out.name, where)}.add_({operand.text});")
        if turned:
            lines += fitted(f"{out.name} = at::flip({out.name}, {{{', '.join(map(str, turned))}}});")
        return lines

    def _index_put(self, eqn: Eqn) -> list[str]:
        """A copy of a tensor with a value written to the part at an index."""
        (out,) = eqn.outs
        operand, value = (self.of(atom) for atom in eqn.args)
        index = eqn.kwarg("index")
        assert index is not None
        where, turned = forwards(self.of(index))
        if any(part.type == TENSOR for part in (where, *where.parts)):
            raise self.expressions.refusal(eqn, "a write by an array of indices")
        self.expressions.values[out] = name(out.name, TENSOR)
        lines = fitted(f"{TENSOR} {out.name} = {operand.within(PRIMARY)}.clone();")
        flipped = fitted(f"{out.name} = at::flip({out.name}, {{{', '.join(map(str, turned))}}});")
        write = "copy_" if value.type == TENSOR else "fill_"
        written = fitted(f"{self.expressions.entries(eqn, out.name, where)}.{write}({value.text});")
        return [*lines, *flipped, *written, *flipped] if turned else [*lines, *written]

    # control flow

    def _raise(self, eqn: Eqn) -> list[str]:
        texts = [self.of(atom).text for atom in eqn.args]
        return fitted(f"TORCH_CHECK(false, {', '.join(texts) or chr(34) + chr(34)});")

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
            return Expr("at::Tensor()", TENSOR)
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

    def _branches(self, eqn: Eqn) -> list[str]:
        """``if``: variables declared before it, which both branches assign."""
        test = self.of(eqn.args[0])
        made: list[tuple[list[str], list[Expr]]] = []
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
            lines.append(f"{type} {out.name}{'' if type not in NUMBERS else '{}'};")
            for body, value in zip(bodies, given, strict=True):
                if value.type != NONE:
                    text = self.expressions.converted(value, type, eqn)
                    body += fitted(f"{out.name} = {text};")
        condition = self.expressions.condition(test)
        first, second = bodies
        if not first and second:
            condition, first, second = _opposite(condition), second, []
        lines += fitted(f"if ({condition}) {{")
        lines += indented(first)
        if second:
            lines += ["} else {", *indented(second)]
        return [*lines, "}"]

    def _type_of(self, eqn: Eqn, out: Var, types: Sequence[str]) -> str:
        type = INTS if PARTS in types else joined(list(types))
        if out.kind in ("tensor", "list"):
            return type if type in NUMBERS else TENSOR if out.kind == "tensor" else TENSORS
        if not type:
            raise self.expressions.refusal(eqn, f"`{out.name}`, which is of different types in two branches")
        return type

    def _loop(self, eqn: Eqn) -> list[str]:
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
            text = self.expressions.converted(start, type, eqn)
            lines += fitted(f"{type} {var.name} = {text};")
        for var, value in zip(lists, results[len(carried) :], strict=True):
            element = TENSOR if var.kind == "list" else declared(value.type)
            if element in (PARTS, NONE):
                element = INTS if element == PARTS else TENSOR
            values[var] = name(var.name, f"std::vector<{element}>")
            lines.append(f"std::vector<{element}> {var.name};")
            inside += fitted(f"{var.name}.push_back({self.expressions.converted(value, element, eqn)});")
        inside += self._moves(eqn, carried, types, results)
        if eqn.kwarg("until") is not None:
            inside.append(f"if ({self.expressions.condition(values[carried[0]])}) break;")
        lines += self._head(item, over, backwards, of_list)
        lines += [*indented(inside), "}"]
        if backwards:
            lines += [f"std::reverse({var.name}.begin(), {var.name}.end());" for var in lists]
        for out, var in zip(finals, carried, strict=True):
            values[out] = values[var]
        return lines

    def _head(self, item: Var, over: Expr, backwards: bool, of_list: bool) -> list[str]:
        k = item.name
        if not of_list:
            if over.type != INT:
                over = Expr(f"static_cast<int64_t>({over.text})", INT)
            if backwards:
                return [f"for (int64_t {k} = {over.within(SUM)} - 1; {k} >= 0; --{k}) {{"]
            return [f"for (int64_t {k} = 0; {k} < {over.within(SUM)}; ++{k}) {{"]
        if backwards:
            place = f"{k}_place"
            return [
                f"for (size_t {place} = {over.within(PRIMARY)}.size(); {place}-- > 0;) {{",
                f"    const at::Tensor& {k} = {over.within(PRIMARY)}[{place}];",
            ]
        return [f"for (const at::Tensor& {k} : {over.text}) {{"]

    def _moves(
        self, eqn: Eqn, carried: Sequence[Var], types: Sequence[str], results: Sequence[Expr]
    ) -> list[str]:
        """The next iteration's values: one by one, where no later value reads a changed one."""
        moved = [
            (var.name, self.expressions.converted(value, type, eqn))
            for var, type, value in zip(carried, types, results, strict=False)
            if value.text != var.name
        ]
        lines: list[str] = []
        while moved:
            read = [set(_WORD.findall(text)) for _, text in moved]
            free = [
                k
                for k, (target, _) in enumerate(moved)
                if not any(target in words for j, words in enumerate(read) if j != k)
            ]
            if not free:
                targets = ", ".join(target for target, _ in moved)
                texts = ", ".join(text for _, text in moved)
                lines += fitted(f"std::tie({targets}) = std::make_tuple({texts});")
                return lines
            target, text = moved.pop(free[0])
            lines += fitted(f"{target} = {text};")
        return lines


def _opposite(condition: str) -> str:
    return condition[1:] if re.fullmatch(r"!\w[\w.()]*", condition) else f"!({condition})"


def fitted(line: str, room: int = LINE_WIDTH - 16, indent: int = 4) -> list[str]:
    """A statement on lines of at most so many columns, broken at its outermost commas and operators.

    >>> fitted("const at::Tensor total = first_function(alpha) + second_function(beta);", 52)
    ['const at::Tensor total =', '    first_function(alpha) + second_function(beta);']
    """
    if len(line) <= room:
        return [line]
    places: list[tuple[int, int]] = []
    depth, quoted = 0, False
    for k, letter in enumerate(line):
        quoted ^= letter == '"' and line[k - 1] != "\\"
        if quoted:
            continue
        if letter == " " and 8 < k < room and (line[k - 1] == "," or (line[k - 2] == " " != line[k - 1])):
            places.append((depth, k))
        # What belongs to a template has no space before it.
        bracket = letter in "([{" or (letter == "<" and line[k - 1] != " ")
        closing = letter in ")]}" or (letter == ">" and line[k - 1] not in " -")
        depth += bracket - closing
    assigned = line.find(" = ") + 2
    if 2 <= assigned < room and len(line) - assigned + indent <= room:
        place = assigned
    else:
        wide = [found for found in places if found[1] > room // 3] or places
        if not wide:
            return [line]
        least = min(depth for depth, _ in wide)
        place = max(k for depth, k in wide if depth == least)
    rest = fitted(line[place + 1 :], room - indent, 4 if line[place + 1 :].find("(") >= 0 else 0)
    return [line[:place], *(f"{' ' * indent}{text}" for text in rest)]
