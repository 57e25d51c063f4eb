"""The backward of a `torch.autograd.Function`, statement by statement."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from ...analysis.types import infer, type_of
from ...ir import Atom, Block, Literal, Param, Var
from ...ir.dtypes import CONCRETE
from ...ir.types import TensorType
from ...passes.label_temporaries import label_block
from ...rewrite import all_names, rename
from ..array_library.blocks import nested_results, split_by_result
from ..array_library.expressions import helper
from ..array_library.vocabulary import is_complex
from .frame import Frame, method, plain
from .parts import Part


def backward(frame: Frame) -> ast.FunctionDef:
    """``def backward(ctx, *cotangents)``, which returns a gradient for each argument of the forward."""
    return _Backward(frame).method()


class _Backward:
    def __init__(self, frame: Frame) -> None:
        self.frame = frame
        formula = frame.formula
        self.inputs = [
            param
            for param, atom in zip(formula.inputs, _results(frame), strict=True)
            if any(isinstance(found, Var) for found in atom)
        ]
        self.cotangents = [var.name for var in formula.cotangents]
        self.gradients = {param: self._gradient(param) for param in self.inputs}
        self.values = {var: Var(f"ctx.{var.name}", "value") for var in frame.values}

    def _gradient(self, param: Param) -> Var:
        """The variable of an input's gradient."""
        name = f"grad_{param.var.name}"
        if name in self.cotangents or name in {var.name for var in self.frame.reads}:
            return self.frame.namer.fresh(name, param.var.kind)
        return Var(name, param.var.kind)

    def method(self) -> ast.FunctionDef:
        frame = self.frame
        arguments = ["ctx", *self.cotangents]
        arguments += ["_" * (k + 1) for k in range(len(frame.masks) + len(frame.extra))]
        read = {var for part in frame.parts.all() for var in part.block.free()}
        if frame.formula.barrier:
            read |= set(frame.saved)
        body = plain(*frame.unpack_saved(read))
        body += self._conjugates()
        body += self._everything()
        body += self._return()
        return method("backward", arguments, body, frame.formula.span.line)

    def _conjugates(self) -> list[ast.stmt]:
        """The cotangents that may be complex as a closure takes them: PyTorch's are the conjugates."""
        formula = self.frame.formula
        if not is_complex(formula):
            return []
        types = infer(formula).forward
        return plain(
            *(
                f"{name} = _conjugated({name})"
                for name, atom in zip(self.cotangents, formula.forward.results, strict=False)
                if not _is_real(type_of(atom, types))
            )
        )

    def _everything(self) -> list[ast.stmt]:
        parts = self.frame.parts
        if not self.inputs:
            return []
        if parts.whole:
            return self._whole(parts.whole)
        guarded = len(parts.every) > 1 or len(self.inputs) > 1 or parts.joint is not None
        body = plain(" = ".join([*(var.name for var in self.gradients.values()), "None"])) if guarded else []
        if len(parts.every) == 1 and parts.joint is None:
            return [*body, *self._guarded(parts.every[0], first=True)]
        count = self.frame.formula.results
        results = [part for part in parts.every if max(part.cotangents) < count]
        hidden = [part for part in parts.every if max(part.cotangents) >= count]
        if parts.joint is not None:
            names = [self.cotangents[k] for k in parts.joint.cotangents]
            test = plain(f"if {' and '.join(f'{name} is not None' for name in names)}: pass")[0]
            assert isinstance(test, ast.If)
            test.body = self._block(parts.joint, added=False) or plain("pass")
            test.orelse = [one for k, part in enumerate(results) for one in self._guarded(part, first=k == 0)]
            body.append(test)
        else:
            body += [one for k, part in enumerate(results) for one in self._guarded(part, first=k == 0)]
        return body + [one for part in hidden for one in self._guarded(part, first=not results)]

    def _guarded(self, part: Part, first: bool) -> list[ast.stmt]:
        """A part, if one of its cotangents is defined."""
        names = [self.cotangents[k] for k in part.cotangents]
        if len(self.frame.parts.every) == 1 and self.frame.parts.joint is None:
            return [
                *plain(f"if {names[0]} is None:", f"    return {self._nothing()}"),
                *self._block(part, added=False),
            ]
        test = plain(f"if {' or '.join(f'{name} is not None' for name in names)}: pass")[0]
        assert isinstance(test, ast.If)
        test.body = self._block(part, added=not first)
        return [test]

    def _nothing(self) -> str:
        counts = [f"*[None] * {self.frame.count(param)}" for param in self.frame.lists]
        single = ["None"] * (len(self.frame.single) + len(self.frame.lists[:-1]))
        return _tuple([*single, *counts])

    def _whole(self, parts: Sequence[Part]) -> list[ast.stmt]:
        names = [var.name for var in self.gradients.values()]
        start = plain(" = ".join([*names, "None"])) if len(names) > 1 else []
        first = parts[0]
        if len(parts) == 1:
            return [*start, *self._block(first, added=False)]
        hidden = self.cotangents[self.frame.formula.results :]
        test = plain(f"if {' and '.join(f'{name} is None' for name in hidden)}: pass")[0]
        assert isinstance(test, ast.If)
        test.body = self._block(first, added=False)
        test.orelse = self._block(parts[1], added=False)
        return [*start, test]

    def _block(self, part: Part, added: bool) -> list[ast.stmt]:
        """The statements of a part; its contributions are `added` to what is there, or are all."""
        frame = self.frame
        before: list[str] = []
        for k in part.zeros:
            name = self.cotangents[k]
            before += [f"if {name} is None:", f"    {name} = _zeros(ctx.likes[{k}])"]
        names: dict[Var, Var] = dict(self.values)
        for k in part.absent:
            var = frame.formula.cotangents[k]
            names[var] = frame.namer.fresh(f"no_{var.name}")
            before.append(f"{names[var].name} = _zeros(ctx.likes[{k}])")
        block = rename(part.block, names)
        results = [
            atom
            for param, atom in zip(frame.formula.inputs, block.results, strict=True)
            if param in self.inputs
        ]
        block = self._without_own_names(Block((), block.eqns, tuple(results)))
        taken = {*all_names(block), *(var.name for var in block.free()), *self.cotangents}
        taken |= {var.name for var in (*self.gradients.values(), *frame.formula.forward.bound())}
        block = label_block(block, taken | frame.reserved)
        read = [*block.results]
        expressions = frame.printer.expressions(block, self._device(part))
        shared, own = split_by_result(block, block.results)
        body = plain(*before)
        body += frame.printer.statements(shared, expressions)
        for param, eqns, atom in zip(self.inputs, own, read, strict=True):
            if isinstance(atom, Literal) and atom.value is None:
                continue
            statements = frame.printer.statements(eqns, expressions)
            value = expressions.of(atom)
            var = self.gradients[param]
            if added:
                value = ast.Call(helper("added"), [ast.Name(var.name, ast.Load()), value], [])
            place = ast.Assign([ast.Name(var.name, ast.Store())], value)
            _place_like(place, eqns)
            statements.append(place)
            if len(self.inputs) > 1:
                test = plain(f"if {frame.needed(param)}: pass")[0]
                assert isinstance(test, ast.If)
                test.body = statements
                statements = [test]
            body += statements
        return body

    def _without_own_names(self, block: Block) -> Block:
        """The block whose variables have no names of gradients that come in or are returned; results nest."""
        taken = {*self.cotangents, *(var.name for var in self.gradients.values())}
        fresh = self.frame.namer.fresh
        names = {var: fresh(var.name, var.kind) for var in block.bound() if var.name in taken}
        block = rename(block, names)
        return rename(block, nested_results(block))

    def _device(self, part: Part) -> str:
        return f"{self.cotangents[part.cotangents[0]]}.device" if part.cotangents else "None"

    def _return(self) -> list[ast.stmt]:
        frame = self.frame
        lines = []
        if frame.formula.barrier and self.inputs:
            names = ", ".join(var.name for var in self.gradients.values())
            anchors = [f"*{var.name}" if var.kind == "list" else var.name for var in frame.saved]
            anchors += [*self.cotangents]
            comma = "," if len(self.gradients) == 1 else ""
            message = _barrier_message(frame)
            left = f"({names},)" if comma else names
            lines.append(f"{left} = _barrier(ctx, {message!r}, ({names}{comma}), ({', '.join(anchors)},))")
        single = [self._returned(param) for param in frame.single]
        single += ["None"] * len(frame.lists[:-1])
        for param in frame.lists:
            name = self._returned(param)
            none = f"[None] * {frame.count(param)}"
            single.append(f"*{none}" if name == "None" else f"*({none} if {name} is None else {name})")
        return plain(*lines, f"return {_tuple(single)}")

    def _returned(self, param: Param) -> str:
        return self.gradients[param].name if param in self.gradients else "None"


def _is_real(of: object) -> bool:
    """True for a tensor that is known not to be complex."""
    return isinstance(of, TensorType) and of.dtype in CONCRETE and not str(of.dtype).startswith("complex")


def _tuple(items: Sequence[str]) -> str:
    """Values to return, one of which may be a list's elements."""
    return f"({items[0]},)" if len(items) == 1 and items[0].startswith("*") else ", ".join(items)


def _results(frame: Frame) -> list[list[Atom]]:
    """For each input, its gradient in each part."""
    parts = list(frame.parts.all())
    return [[part.block.results[k] for part in parts] for k in range(len(frame.formula.inputs))]


def _place_like(statement: ast.stmt, eqns: Sequence[object]) -> None:
    """Give the statement the author's line of the last equation."""
    spans = [eqn.span for eqn in eqns if getattr(eqn, "span", None) is not None]  # type: ignore[attr-defined]
    if spans:
        statement.lineno = spans[-1].line


def _barrier_message(frame: Frame) -> str:
    formula = frame.formula
    return f"{formula.span}: {formula.name} has no second derivative: {formula.barrier}"
