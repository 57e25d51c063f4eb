"""Forward mode of a `torch.autograd.Function`: the pullback transposed, as `jvp`."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from ...diagnostics import FormulaError
from ...ir import Block, Formula, Literal, Param, Var
from ...passes.variants.transpose import Transposed, transpose
from ...rewrite import rename, uses
from ..array_library.blocks import Printer
from ..array_library.expressions import helper
from .frame import Frame, method, plain, target


def forward_mode(frame: Frame, class_name: str) -> list[ast.FunctionDef]:
    """``setup_context`` and ``jvp``."""
    try:
        return _ForwardMode(frame, class_name).methods()
    except FormulaError as refused:
        first = refused.diagnostics[0]
        message = f"{first.span}: {first.message}"
        return [method("jvp", ["ctx", "*tangents"], plain(f"raise NotImplementedError({message!r})"), 0)]


class _ForwardMode:
    def __init__(self, frame: Frame, class_name: str) -> None:
        self.frame = frame
        self.class_name = class_name
        formula = frame.formula
        every = [True] * len(formula.inputs)
        whole = transpose(formula, every, frame.library)
        self.inputs = [formula.inputs[k] for k in whole.tangents]
        self.whole = self._named(whole)
        self.single = []
        # A loop is written out once, with zeros for tangents that are not there.
        loops = any(eqn.op == "for" for eqn in formula.every())
        if len(self.inputs) > 1 and not loops:
            for k in whole.tangents:
                present = [k == other for other in range(len(every))]
                self.single.append(self._named(transpose(formula, present, frame.library)))

    def _named(self, made: Transposed) -> tuple[Formula, Block]:
        """The rule's formula, and its block in the names of the method."""
        formula = self.frame.formula
        params = [param.var for param in made.formula.params[len(formula.params) :]]
        given, tangents = params[: len(made.given)], params[len(made.given) :]
        names: dict[Var, Var] = {}
        for k, var in zip(made.given, given, strict=True):
            result = formula.forward.results[k]
            assert isinstance(result, Var)
            names[var] = result
        for k, var in zip(made.tangents, tangents, strict=True):
            names[var] = self.tangent(formula.inputs[k])
        bound = set(made.formula.forward.bound()) - set(made.formula.forward.params)
        taken = {var.name for var in names.values()}
        for var in bound:
            if var.name in taken:
                names[var] = self.frame.namer.fresh(var.name, var.kind, var.temp)
        return made.formula, rename(made.formula.forward, names)

    def tangent(self, param: Param) -> Var:
        """The method's argument for the tangent of an input."""
        return Var(f"tangent_{param.var.name}", param.var.kind)

    def methods(self) -> list[ast.FunctionDef]:
        """Both methods."""
        frame = self.frame
        blocks = [self.whole[1], *(block for _, block in self.single)]
        read = {var for block in blocks for var in Block((), block.eqns, block.results).free()}
        together = not self.single and len(self.inputs) > 1
        read |= {param.var for param in self.inputs if together or param.var.kind == "list"}
        known = [*(param.var for param in frame.formula.params), *frame.results]
        found = [var for var in dict.fromkeys(known) if isinstance(var, Var) and var in read]
        tensors = [var for var in found if var.kind == "tensor"]
        lists = [var for var in found if var.kind == "list"]
        values = [var for var in found if var.kind not in ("tensor", "list")]
        setup = [f"{self.class_name}.setup_context(ctx, inputs, output)"]
        names = [param.var.name if param.var in read else "_" for param in frame.single]
        names += [f"{param.var.name}_count" for param in frame.lists[:-1]]
        stars = ["*tensors"] if len(frame.lists) > 1 else [f"*{param.var.name}" for param in frame.lists]
        setup.append(f"{target([*names, *stars])} = inputs")
        if len(frame.lists) > 1:
            setup += frame.unpack_lists()
        read |= set(frame.saved)
        names = [param.var.name if param.var in read else "_" for param in frame.single]
        names += [f"{param.var.name}_count" for param in frame.lists[:-1]]
        setup[1] = f"{target([*names, *stars])} = inputs"
        outs = frame.output_names(read)
        if self._may_be_zero():
            outs[: len(frame.results)] = self._result_names()
        if set(outs) - {"_"}:
            setup.append(f"{target(outs)} = output" if len(outs) > 1 else f"{outs[0]} = output")
        saved = [*(var.name for var in tensors), *(f"*{var.name}" for var in lists)]
        if saved:
            # The same for both: batching keeps one note of which of them are batched.
            every = ", ".join([*self._saved_backward(), *saved])
            setup += [f"saved = ({every},)", "ctx.save_for_backward(*saved)", "ctx.save_for_forward(*saved)"]
        setup += [f"ctx.{var.name} = {var.name}" for var in values]
        if self._may_be_zero():
            likes = ", ".join(f"_like({name})" for name in self._result_names())
            setup.append(f"ctx.output_likes = [{likes}]")
        line = frame.formula.span.line
        return [
            method("setup_context", ["ctx", "inputs", "output"], plain(*setup), line),
            method("jvp", self._arguments(), self._body(tensors, lists, values), line),
        ]

    def _saved_backward(self) -> list[str]:
        return [f"*{var.name}" if var.kind == "list" else var.name for var in self.frame.saved]

    def _may_be_zero(self) -> bool:
        """True where an output may have no tangent though an input has one."""
        return bool(self.single) or any(isinstance(atom, Literal) for atom in self.whole[1].results)

    def _result_names(self) -> list[str]:
        """Names for all results and hidden outputs."""
        known = self.frame.output_names(self.frame.results)
        return [
            name if name != "_" else f"output_{k}" for k, name in enumerate(known[: len(self.frame.results)])
        ]

    def _arguments(self) -> list[str]:
        frame = self.frame
        inputs = {param.var for param in self.inputs}
        names, unread = ["ctx"], 0
        for param in frame.single:
            if param.var in inputs:
                names.append(self.tangent(param).name)
            else:
                unread += 1
                names.append("_" * unread)
        for _ in frame.lists[:-1]:
            unread += 1
            names.append("_" * unread)
        if frame.lists:
            names.append("*tangents")
        return names

    def _body(self, tensors: Sequence[Var], lists: Sequence[Var], values: Sequence[Var]) -> list[ast.stmt]:
        frame = self.frame
        lines = [f'_one_forward_level("{frame.name}")']
        if len(lists) > 1:
            lines.append(f"tensors = ctx.saved_tensors[{frame.saved_count()} :]")
            if tensors:
                lines.append(f"{target([var.name for var in tensors])} = tensors[:{len(tensors)}]")
            start = str(len(tensors))
            for var in lists:
                stop = f"{start} + ctx.{var.name}_count"
                lines.append(f"{var.name} = list(tensors[{start}:{stop}])")
                start = stop
        elif tensors or lists:
            names = [*(var.name for var in tensors), *(f"*{var.name}" for var in lists)]
            lines.append(f"{target(names)} = ctx.saved_tensors[{frame.saved_count()} :]")
        lines += [f"{var.name} = ctx.{var.name}" for var in values]
        start = "0"
        for param in frame.lists:
            stop = f"{start} + {frame.count(param)}"
            if param in self.inputs:
                name = self.tangent(param).name
                lines.append(f"{name} = _tangents_of(tangents[{start}:{stop}], {param.var.name})")
            start = stop
        if not self.single and len(self.inputs) > 1:
            lines += [line for param in self.inputs for line in self._zeros(param)]
        body = plain(*lines)
        if not self.inputs:
            return [*body, *plain(f"return {self._all(['None'] * len(frame.results))}")]
        if not self.single:
            return [*body, *self._statements(self.whole, self.inputs[0], returned=True)]
        names = [self.tangent(param).name for param in self.inputs]
        test = plain(f"if {' and '.join(f'{name} is not None' for name in names)}: pass")[0]
        assert isinstance(test, ast.If)
        test.body = self._statements(self.whole, self.inputs[0], returned=True)
        outs = self._outs()
        body += [test, *plain(" = ".join([*outs, "None"]))]
        for param, name, one in zip(self.inputs, names, self.single, strict=True):
            test = plain(f"if {name} is not None: pass")[0]
            assert isinstance(test, ast.If)
            test.body = self._statements(one, param, returned=False) or plain("pass")
            body.append(test)
        constant = self.frame.formula.options.nondifferentiable
        for k, name in enumerate(outs):
            if k not in constant:
                body += plain(f"if {name} is None:", f"    {name} = _zero_tangent(ctx.output_likes[{k}])")
        return [*body, *plain(f"return {self._all(outs)}")]

    def _zeros(self, param: Param) -> list[str]:
        """Statements that give an input without a tangent zeros for one."""
        name, given = self.tangent(param).name, param.var.name
        made = f"torch.zeros_like({given})"
        if param.var.kind == "list":
            made = f"[torch.zeros_like(each) for each in {given}]"
        return [f"if {name} is None:", f"    {name} = {made}"]

    def _outs(self) -> list[str]:
        return [f"tangent_of_{k}" for k in range(len(self.frame.results))]

    def _all(self, tangents: Sequence[str]) -> str:
        rest = ["None"] * (len(self.frame.outputs) - len(self.frame.results))
        return ", ".join([*tangents, *rest])

    def _statements(self, one: tuple[Formula, Block], of: Param, returned: bool) -> list[ast.stmt]:
        formula, block = one
        counts = uses(block)
        nested = {
            eqn.outs[0]: Var(eqn.outs[0].name, eqn.outs[0].kind, True)
            for eqn in block.eqns
            if len(eqn.outs) == 1
            and counts[eqn.outs[0]] == 1
            and eqn.outs[0] in block.results
            and not eqn.blocks
        }
        block = rename(block, nested)
        printer = Printer(formula, self.frame.vocabulary, self.frame.called)
        expressions = printer.expressions(block, self._device(of))
        body = printer.statements(block.eqns, expressions)
        values = [expressions.of(atom) for atom in block.results]
        if returned:
            constant = self.frame.formula.options.nondifferentiable
            for k, atom in enumerate(block.results):
                if isinstance(atom, Literal) and k not in constant:
                    values[k] = ast.parse(f"_zero_tangent(ctx.output_likes[{k}])", mode="eval").body
            values += [ast.Constant(None)] * (len(self.frame.outputs) - len(values))
            result = values[0] if len(values) == 1 else ast.Tuple(values, ast.Load())
            return [*body, ast.Return(result)]
        for name, value in zip(self._outs(), values, strict=True):
            if isinstance(value, ast.Constant) and value.value is None:
                continue
            added = ast.Call(helper("added"), [ast.Name(name, ast.Load()), value], [])
            body.append(ast.Assign([ast.Name(name, ast.Store())], added))
        return body

    def _device(self, param: Param) -> str:
        """The device of arrays made of numbers: that of the tangent of this input."""
        name = self.tangent(param).name
        return f"{name}.device" if param.var.kind == "tensor" else f"{name}[0].device"
