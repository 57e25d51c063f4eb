"""The arguments, outputs and saved values of a formula's `torch.autograd.Function`."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Sequence
from functools import cached_property

from ...derivatives import Derivatives
from ...ir import Atom, Block, Eqn, Formula, Literal, Param, Var
from ...passes.label_temporaries import label_temporaries
from ...rewrite import Namer, slice_of
from ..array_library.blocks import Called, Printer, with_free_names
from ..array_library.vocabulary import Vocabulary
from ..python import saved_variables
from .parts import Parts, parts_of
from .vocabulary import TUPLES

# Names that the text of a function uses besides those of the formula, helpers and Python's own.
_OWN_NAMES = frozenset(
    {"torch", "math", "ctx", "inputs", "output", "tensors", "function", "saved", "_", "__"}
)
# Attributes of the context, on which values are kept under their names.
_OWN_NAMES |= {
    "likes",
    "output_likes",
    "saved_tensors",
    "needs_input_grad",
    "save_for_backward",
    "save_for_forward",
}
_OWN_NAMES |= {"mark_non_differentiable", "set_materialize_grads", *dir(builtins)}


class Frame:
    """Arguments in the order of `apply`: lists last, element by element; outputs; what is saved."""

    def __init__(
        self,
        formula: Formula,
        name: str,
        vocabulary: Vocabulary,
        library: Derivatives,
        called: Called,
    ) -> None:
        self.name = name
        self.vocabulary = vocabulary
        self.library = library
        self.called = called
        self.written = formula
        self.reserved = _OWN_NAMES | vocabulary.helpers.names | {name}
        self.formula = with_free_names(label_temporaries(formula), self.reserved)
        self.printer = Printer(self.formula, vocabulary, called)
        self.namer = Namer.of(self.formula)
        self.single = [param for param in self.formula.params if param.var.kind != "list"]
        self.lists = [param for param in self.formula.params if param.var.kind == "list"]

    @cached_property
    def parts(self) -> Parts:
        """The pullback by cotangents."""
        return parts_of(self.formula)

    @cached_property
    def results(self) -> tuple[Atom, ...]:
        """Results and hidden outputs."""
        return self.formula.forward.results[: self.formula.results + len(self.formula.hidden)]

    @cached_property
    def indices(self) -> frozenset[Var]:
        """Tuples of tensors that only say places: what `np.nonzero` gives."""
        made = (eqn for eqn in self.formula.forward.eqns if len(eqn.outs) == 1 and eqn.op == "opaque")
        return frozenset(eqn.outs[0] for eqn in made if str(_callee(eqn)).split(".")[-1] in TUPLES)

    @cached_property
    def masks(self) -> tuple[Var, ...]:
        """Tensors that are saved and have no gradient."""
        given = {*self.results, *(param.var for param in self.formula.params)}
        return tuple(var for var in self.reads if self._is_tensor(var) and var not in given)

    @cached_property
    def extra(self) -> tuple[Var, ...]:
        """Values that the forward returns, because they cannot be told from inputs and outputs."""
        found = []
        for var in self.values:
            eqns = slice_of(self.formula.forward.eqns, [var], self.known)
            free = Block((), tuple(eqns), (var,)).free()
            made = [out for eqn in eqns for out in eqn.outs]
            plain = all(out.kind == "value" for out in made) and not any(eqn.op == "opaque" for eqn in eqns)
            if not (plain and self.known.issuperset(free)):
                found.append(var)
        return tuple(found)

    @cached_property
    def outputs(self) -> tuple[Atom, ...]:
        """The values that the forward returns."""
        return (*self.results, *self.masks, *self.extra)

    @cached_property
    def known(self) -> frozenset[Var]:
        """Variables that `setup_context` is given: parameters, and tensors among the outputs."""
        tensors = [var for var in (*self.results, *self.masks) if isinstance(var, Var)]
        return frozenset([*(param.var for param in self.formula.params), *tensors])

    @cached_property
    def reads(self) -> tuple[Var, ...]:
        """The values of the forward that the backward reads, in the order of the forward."""
        read = {var for block in self.parts.blocks() for var in block.free()}
        return tuple(var for var in saved_variables(self.formula) if var in read)

    @cached_property
    def values(self) -> tuple[Var, ...]:
        """Of that, what is no tensor."""
        return tuple(var for var in self.reads if var.kind != "list" and not self._is_tensor(var))

    @cached_property
    def saved(self) -> tuple[Var, ...]:
        """Of that, tensors, then lists; with a barrier, all that the gradients depend on."""
        saved = [var for var in self.reads if var.kind == "list" or self._is_tensor(var)]
        if self.formula.barrier:
            saved += [param.var for param in self.formula.inputs if param.var not in saved]
        return tuple(sorted(saved, key=lambda var: var.kind == "list"))

    def _is_tensor(self, var: Var) -> bool:
        return var.kind == "tensor" and var not in self.indices

    @property
    def device(self) -> str:
        """An expression for the device, of the first tensor among the inputs."""
        for param in self.formula.params:
            if not param.attribute and not param.optional:
                name = param.var.name
                return f"{name}.device" if param.var.kind == "tensor" else f"{name}[0].device"
        return "None"

    def needed(self, param: Param) -> str:
        """The condition under which the gradient of a parameter is asked for."""
        if param in self.single:
            return f"ctx.needs_input_grad[{self._place(param)}]"
        start = self._start(param)
        stop = f"{start} + {self.count(param)}" if self.lists[-1] != param else ""
        return f"any(ctx.needs_input_grad[{start}:{stop}])"

    def count(self, param: Param) -> str:
        """The number of elements of a list, as an attribute of the context."""
        return f"ctx.{param.var.name}_count"

    def _place(self, param: Param) -> int:
        return self.single.index(param)

    def _start(self, param: Param) -> str:
        before = [self.count(other) for other in self.lists[: self.lists.index(param)]]
        return " + ".join([str(len(self.single) + len(self.lists[:-1])), *before])

    # texts of what all methods begin with

    def apply_names(self) -> list[str]:
        """Parameters of the forward: how many elements lists but the last have, then all elements."""
        names = [param.var.name for param in self.single]
        if len(self.lists) > 1:
            return [*names, *(f"{param.var.name}_count" for param in self.lists[:-1]), "*tensors"]
        return [*names, *(f"*{param.var.name}" for param in self.lists)]

    def unpack_lists(self) -> list[str]:
        """Statements that make lists of all their elements."""
        if len(self.lists) < 2:
            return [f"{param.var.name} = list({param.var.name})" for param in self.lists]
        made, start = [], "0"
        for param in self.lists[:-1]:
            name = param.var.name
            stop = f"{name}_count" if start == "0" else f"{start} + {name}_count"
            made.append(f"{name} = list(tensors[{'' if start == '0' else start}:{stop}])")
            start = stop
        made.append(f"{self.lists[-1].var.name} = list(tensors[{start}:])")
        return made

    def unpack_saved(self, read: Iterable[Var]) -> list[str]:
        """Statements that bring back what was saved, those of `read` under their names."""
        read = set(read)
        lists = [var for var in self.saved if var.kind == "list"]
        names = [var.name if var in read else "_" for var in self.saved if var.kind == "tensor"]
        if not self.saved or not read.intersection(self.saved):
            return []
        if not lists:
            return [f"{target(names)} = ctx.saved_tensors"]
        if len(lists) == 1:
            (var,) = lists
            return [f"{target([*names, f'*{var.name}'])} = ctx.saved_tensors"]
        made, start = ["tensors = ctx.saved_tensors"], str(len(names))
        if names:
            made.append(f"{target(names)} = tensors[:{len(names)}]")
        for var in lists:
            stop = f"{start} + ctx.{var.name}_count"
            made.append(f"{var.name} = list(tensors[{start}:{stop}])")
            start = stop
        return made

    def output_names(self, read: Iterable[Atom]) -> list[str]:
        """Targets for the outputs, `_` for those that are not read, for inputs and for what came before."""
        read = set(read)
        taken = {param.var for param in self.formula.params}
        return [
            atom.name
            if isinstance(atom, Var) and atom in read - taken and atom not in self.outputs[:k]
            else "_"
            for k, atom in enumerate(self.outputs)
        ]


def _callee(eqn: Eqn) -> object:
    callee = eqn.kwarg("callee")
    return callee.value if isinstance(callee, Literal) else None


def target(names: Sequence[str]) -> str:
    """The text left of ``=`` that unpacks so many values.

    >>> target(["a"]), target(["a", "b"])
    ('(a,)', 'a, b')
    """
    return f"({names[0]},)" if len(names) == 1 else ", ".join(names)


def plain(*lines: str) -> list[ast.stmt]:
    """Statements of the text's own, which come from no line of the author's."""
    made = ast.parse("\n".join(lines)).body
    for statement in made:
        for node in ast.walk(statement):
            for attribute in ("lineno", "end_lineno", "col_offset", "end_col_offset"):
                if hasattr(node, attribute):
                    delattr(node, attribute)
    return made


def method(
    name: str, arguments: Sequence[str], body: Sequence[ast.stmt], line: int, static: bool = True
) -> ast.FunctionDef:
    """A function of these statements."""
    head = ast.parse(f"def {name}({', '.join(arguments)}): pass").body[0]
    assert isinstance(head, ast.FunctionDef)
    head.body = list(body)
    head.decorator_list = [ast.Name("staticmethod", ast.Load())] if static else []
    head.lineno = line
    return head
