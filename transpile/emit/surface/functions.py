"""A formula's derivative as a C++ function over the operators of `pullback.h`, and its forward as one.

    Tensors multiply_backward(const Saved& saved) {
        const Tensor x = saved.input(0);
        ...
        Tensors gradients(2);
        if (saved.needs(0)) gradients[0] = sum_to(grad * y, like_x);

The operators in a derivative are recorded where it is to be differentiated, so
one text serves every order. Plain values of the forward (shapes, counts) are
computed again, from shapes that a call keeps of all its inputs and outputs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from ...ir import Atom, Block, Eqn, Formula, Literal, Var
from ...rewrite import Namer, copy_eqns, replace_block
from ..native.names import Names
from ..native.stages import assignment
from .expressions import Expressions, Unwritten

_ABOUT_SIZES = frozenset({"like", "shape", "ndim", "size"})
_TAB = "    "


@dataclass(frozen=True, slots=True)
class Function:
    """The text of a function, what it calls, and which inputs and outputs it reads the values of."""

    text: str
    calls: frozenset[str]
    inputs: tuple[int, ...] = ()
    outputs: tuple[int, ...] = ()


def backward_function(formula: Formula) -> Function:
    """``NAME_backward``. Raises Unwritten for what has no such form."""
    if formula.hidden:
        raise Unwritten("an intermediate that it keeps")
    if formula.pullback is None or formula.barrier:
        raise Unwritten("no derivative")
    return _Writer(formula).backward()


def forward_function(formula: Formula) -> Function:
    """``NAME_forward``, of the formula's results alone. Raises Unwritten likewise."""
    return _Writer(formula).forward()


def calls_of(block: Block) -> frozenset[str]:
    """The operators on tensors in a block, nested blocks included."""
    called = (eqn.op for eqn in block.every() if any(out.kind in ("tensor", "list") for out in eqn.outs))
    return frozenset(called) - {"if", "list", "item"}


class _Writer:
    def __init__(self, formula: Formula) -> None:
        self.formula = formula
        self.names = Names()
        for taken in ("saved", "gradients", "Tensor", "Tensors", "Slice", "Index", "like", "none"):
            self.names.fresh(taken)
        self.inputs = [param for param in formula.params if not param.attribute]
        self.attributes = [param.var for param in formula.attributes]
        self.outputs = [atom for atom in formula.forward.results[: formula.results] if isinstance(atom, Var)]
        self.last_line = 0

    def backward(self) -> Function:
        formula = self.formula
        assert formula.pullback is not None
        block = self._with_plain_values(formula.pullback)
        read = _read_by_value(block)
        expressions = self._expressions(block)
        lines = self._bind(read, block)
        for i, grad in enumerate(formula.pullback.params):
            if grad in read:
                lines.append(f"const Tensor {self.names.of(grad)} = saved.gradient({i});")
        lines += self._gradients(block, expressions)
        return Function(
            _function(f"{formula.name}_backward", lines),
            calls_of(block),
            tuple(i for i, param in enumerate(self.inputs) if param.var in read),
            tuple(i for i, var in enumerate(self.outputs) if var in read),
        )

    def forward(self) -> Function:
        formula = self.formula
        block = _needed(Block((), formula.forward.eqns, formula.forward.results[: formula.results]))
        expressions = Expressions(self.names, block, self.attributes, {})
        lines = self._bind(_read_by_value(block), block)
        lines += self._statements(block.eqns, expressions)
        results = ", ".join(expressions.of(atom) for atom in block.results)
        lines += [
            *self._comment(_origin(block, block.results[0])),
            *assignment("return ", f"{{{results}}}", 1),
        ]
        return Function(_function(f"{formula.name}_forward", lines), calls_of(block))

    def _expressions(self, block: Block) -> Expressions:
        sources = {param.var: f"saved.like({i})" for i, param in enumerate(self.inputs)}
        sources.update({var: f"saved.like_of_output({i})" for i, var in enumerate(self.outputs)})
        return Expressions(self.names, block, self.attributes, sources)

    def _with_plain_values(self, pullback: Block) -> Block:
        """The pullback after the equations of the forward behind the plain values that it reads."""
        wanted = Block((), self.formula.forward.eqns, tuple(pullback.free()))
        plain = _needed(wanted, stop=self.outputs).eqns
        bound = set(pullback.bound())
        kept = {var: var.name for eqn in plain for var in eqn.outs if var not in bound}
        env: dict[Var, Atom] = {}
        own = copy_eqns(plain, env, Namer(var.name for var in bound), kept)
        after = replace_block(pullback, {var: new for var, new in env.items() if var not in bound})
        return Block(pullback.params, (*own, *after.eqns), after.results)

    def _bind(self, read: set[Var], block: Block) -> list[str]:
        lines = []
        for i, param in enumerate(self.inputs):
            if param.var not in read:
                continue
            if param.var.kind == "list":
                lines.append(f"const Tensors {self.names.of(param.var)} = saved.inputs();")
            else:
                lines.append(f"const Tensor {self.names.of(param.var)} = saved.input({i});")
        for i, var in enumerate(self.outputs):
            if var in read and var not in {out for eqn in block.eqns for out in eqn.outs}:
                lines.append(f"const Tensor {self.names.of(var)} = saved.output({i});")
        read_by_name = set(block.free())
        for var in self.attributes:
            if var in read_by_name:
                lines.append(f'const Attribute& {self.names.of(var)} = saved.attribute("{var.name}");')
        return lines

    def _gradients(self, block: Block, expressions: Expressions) -> list[str]:
        """Statements, then a gradient per input; what only one of them needs stands under its condition."""
        if len(self.inputs) == 1:
            lines = self._statements(block.eqns, expressions)
            atom = block.results[0]
            text = expressions.of(atom)
            whole = text if self.inputs[0].var.kind == "list" else f"{{{text}}}"
            return [*lines, *self._comment(_origin(block, atom)), *assignment("return ", whole, 1)]
        wanted = [i for i, param in enumerate(self.inputs) if param.differentiable]
        present = [(i, atom) for i, atom in zip(wanted, block.results, strict=True) if isinstance(atom, Var)]
        own = {i: set(map(id, _needed(Block((), block.eqns, (atom,))).eqns)) for i, atom in present}
        shared = [eqn for eqn in block.eqns if sum(id(eqn) in needed for needed in own.values()) != 1]
        lines = self._statements(shared, expressions)
        lines.append(f"Tensors gradients({len(self.inputs)});")
        for i, atom in present:
            mine = [eqn for eqn in block.eqns if id(eqn) in own[i] and eqn not in shared]
            inner = self._statements(mine, expressions, 2)
            inner += self._comment(_origin(block, atom))
            inner += assignment(f"gradients[{i}] = ", expressions.of(atom), 2)
            lines += [f"if (saved.needs({i})) {{", *(_TAB + line for line in inner), "}"]
        return [*lines, "return gradients;"]

    def _statements(self, eqns: Sequence[Eqn], expressions: Expressions, depth: int = 1) -> list[str]:
        lines: list[str] = []
        for eqn in eqns:
            if eqn.op in ("for", "raise"):
                raise Unwritten(f"a {eqn.op}")
            if eqn.op == "if" and not expressions.conditional(eqn):
                lines += [*self._comment(eqn), *self._branches(eqn, expressions, depth)]
                continue
            text = expressions.equation(eqn)
            if text is None:
                continue
            lines += self._comment(eqn)
            if eqn.outs[1:]:
                raise Unwritten(f"several results of {eqn.op}")
            out = eqn.outs[0]
            kind = {"tensor": "Tensor", "list": "Tensors"}.get(out.kind, "auto")
            lines += assignment(f"const {kind} {self.names.of(out)} = ", text, depth)
        return lines

    def _branches(self, eqn: Eqn, expressions: Expressions, depth: int) -> list[str]:
        if any(out.kind != "tensor" for out in eqn.outs):
            raise Unwritten("a branch that gives a value")
        lines = [f"Tensor {self.names.of(out)};" for out in eqn.outs]
        lines.append(f"if ({expressions.truth(eqn.args[0])}) {{")
        for i, block in enumerate(eqn.blocks):
            inner = self._statements(block.eqns, expressions, depth + 1)
            for out, atom in zip(eqn.outs, block.results, strict=True):
                if not (isinstance(atom, Literal) and atom.value is None):
                    inner += assignment(f"{self.names.of(out)} = ", expressions.of(atom), depth + 1)
            lines += [_TAB + line for line in inner]
            lines.append("} else {" if i == 0 else "}")
        return lines

    def _comment(self, eqn: Eqn | None) -> list[str]:
        """The author's line, where it is not the one of the statement before."""
        if eqn is None or eqn.span is None or eqn.span.line == self.last_line:
            return []
        self.last_line = eqn.span.line
        source = self.formula.source
        return [f"// {PurePath(source.path).name}:{eqn.span.line}  {source.line(eqn.span.line).strip()}"]


def _origin(block: Block, atom: Atom) -> Eqn | None:
    """The equation of the author's that computes a result, below what the transformation added."""
    eqn = next((eqn for eqn in block.eqns if atom in eqn.outs), None)
    return _origin(block, eqn.args[0]) if eqn is not None and eqn.span is None else eqn


def _needed(block: Block, stop: Iterable[Var] = ()) -> Block:
    """The block with only the equations that its results need; `stop` are given and not computed."""
    wanted = {atom for atom in block.results if isinstance(atom, Var)}
    given = set(stop)
    kept = []
    for eqn in reversed(block.eqns):
        if wanted & set(eqn.outs) - given:
            kept.append(eqn)
            if eqn.op not in _ABOUT_SIZES or not set(eqn.args) & given:
                wanted |= set(eqn.reads())
                wanted |= {var for inner in eqn.blocks for var in inner.free()}
    return Block(block.params, tuple(reversed(kept)), block.results)


def _read_by_value(block: Block) -> set[Var]:
    """Variables of the block that are read for more than their sizes."""
    found = {atom for atom in block.results if isinstance(atom, Var)}
    for eqn in block.eqns:
        if eqn.op not in _ABOUT_SIZES:
            found |= set(eqn.reads())
        for inner in eqn.blocks:
            found |= _read_by_value(inner)
    return found


def _function(name: str, lines: Sequence[str]) -> str:
    return "\n".join([f"Tensors {name}(const Saved& saved) {{", *(_TAB + line for line in lines), "}"])
