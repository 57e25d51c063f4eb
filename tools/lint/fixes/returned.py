"""A captured intermediate becomes an output of its own, whose gradient the backward passes on.

The forward returns it besides, and callers take the first output. The backward gets its gradient, which is
`None` in a plain first backward, and adds what follows from it: the reverse sweep of the statements that
compute the intermediate, which `differentiate` derives. Nothing of the intermediate is computed again.

Callers see one more output. So all of them must stand in the file: the class is private, or local.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass

from ...wording import listed
from ..analyses.facts import Saved, Use
from ..analyses.facts import Saving as Verdict
from . import named_saved, plain_backward
from .derivative.derived_gradient import derived_gradient
from .derivative.formula_to_torch import torch_lines
from .derivative.torch_to_formula import COMPLEX, formula_of, matrices_in
from .fix import Fix
from .refused import take_from
from .text.aliases import Aliases
from .text.callers import is_private, take_first_output
from .text.inner_autograd import check_no_sweep
from .text.own_methods import check_own
from .text.parameters import Parameters
from .text.place import Place, names_in, unused
from .text.reading import changed, root_of
from .text.saved_call import Handover, find_saving
from .text.short import is_short
from .text.slicing import Slice, Slicer, Wanted
from .text.splices import CannotFix, Splice
from .text.taking import find_taking
from .text.unchanged import check_unchanged

CODES = ("PB101",)
OWN = "_gradients"
TAKEN = ("jvp", "vmap", "setup_context", "apply")


def apply(place: Place) -> None:
    """Return the intermediates of a class as outputs, and pass their gradients on."""
    _Returned(place).change()


@dataclass(frozen=True)
class _Gradient:
    """A derived gradient: its lines, its values by input, and where each name that they say comes from."""

    lines: list[str]
    values: dict[str, str]
    given: dict[str, str]

    def reads(self, name: str) -> bool:
        """True if a name is said in it."""
        trees = map(ast.parse, [*self.lines, *self.values.values()])
        return any(isinstance(n, ast.Name) and n.id == name for tree in trees for n in ast.walk(tree))


class _Returned:
    """One change of one class."""

    def __init__(self, place: Place) -> None:
        self.place, self.text = place, place.text
        check_no_sweep(place)
        wrong = [s for s in place.facts.saved if s.saving is Verdict.INTERMEDIATE and s.use is Use.VALUE]
        if not wrong or any(
            s.marked or s.on_context or s.saved.path != place.module.source.path for s in wrong
        ):
            raise CannotFix("it is not saved with `save_for_backward` in this file")
        self.saver, self.backward = place.function_at(wrong[0].saved.line), place.backward
        owner = place.owner(self.saver)
        if owner is None or owner is not place.owner(self.backward):
            raise CannotFix("the forward and the backward do not stand in one class")
        self.owner = owner
        if not is_private(place, owner):
            raise CannotFix("callers in other files would get one more output")
        check_own(place, self.saver, self.backward)
        self.parameters = Parameters(self.saver, place)
        saving = find_saving(self.saver, self.parameters.context)
        if saving is None or "" in saving.names:
            raise CannotFix("not all that is saved has a name")
        self.saving = saving
        self.returned = self._only_return()
        self._check_form()
        self.names = [self._checked(s) for s in wrong]
        taken = names_in(self.backward)
        self.gradients = [unused(f"grad_{name}", taken) for name in self.names]

    def _only_return(self) -> ast.expr:
        last = self.saver.body[-1]
        returns = [n for n in ast.walk(self.saver) if isinstance(n, ast.Return)]
        if not isinstance(last, ast.Return) or len(returns) != 1 or last.value is None:
            raise CannotFix("the forward does not end with its only `return`")
        if isinstance(last.value, ast.Tuple | ast.List):
            raise CannotFix("the forward has several outputs")
        return last.value

    def _check_form(self) -> None:
        names = {n.name for n in self.owner.body if isinstance(n, ast.FunctionDef)}
        if own := sorted(name for name in names if name in TAKEN or name.startswith(OWN)):
            raise CannotFix(f"the class has a `{own[0]}`")
        if len(self.backward.args.args) != 2 or self.backward.args.vararg:
            raise CannotFix("the backward has not exactly one incoming gradient")
        decorators = {ast.unparse(d) for f in (self.saver, self.backward) for d in f.decorator_list}
        if decorators != {"staticmethod"}:
            raise CannotFix("the methods carry decorators")
        if self.saver.args.vararg or self.saver.args.kwonlyargs:
            raise CannotFix("the forward takes any number of inputs")
        written = self.text.of(self.owner)
        if "set_materialize_grads" in written:
            raise CannotFix("the class handles undefined gradients itself")
        if COMPLEX.search(written):
            raise CannotFix("complex numbers are not differentiated")

    def _checked(self, saved: Saved) -> str:
        """The name of a value that can be an output as it is saved."""
        name = saved.name
        if name not in self.saving.names or name in self.parameters.names:
            raise CannotFix(f"`{name}` is not saved by a name of its own")
        made = [s for s in self.saver.body if name in changed(s)]
        last = made[-1] if made else None
        if not (isinstance(last, ast.Assign) and isinstance(last.targets[0], ast.Name)):
            raise CannotFix(f"`{name}` is not computed by a plain assignment")
        if last.lineno > self.saving.statement.lineno:
            raise CannotFix(f"`{name}` changes after it is saved")
        shared = Aliases(self.saver, lambda test: None).of(name)
        if shared or root_of(last.value, written=False) or root_of(self.returned) == name:
            raise CannotFix(f"`{name}` may share memory with another name")
        return name

    def change(self) -> None:
        """Make the splices."""
        found = self._slice()
        if is_short(found) and len(self.names) == 1:
            raise CannotFix("it is computed again at little cost")
        check_unchanged(found, self.saver, self.parameters.context, self.place)
        torch = self.place.torch()
        tensors, plain = self.parameters.to_save(found.parameters, set())
        if any(self.parameters.is_tensor(name) for name in plain):
            raise CannotFix("a tensor is stored on the context")
        written, snapshots = self.parameters.snapshots(tensors, self.saving, {})
        saved = self.saving.names
        missing = [written[name] for name in tensors if written[name] not in saved]
        taking = find_taking(self.backward)
        Handover(
            self.text, self.saver, self.parameters.context, self.saving, taking, names_in(self.backward)
        ).add(missing)
        self.parameters.keep(plain, snapshots)
        places = [*saved, *missing]
        context = taking.context
        take_from(self.place, self.backward, context, unused("saved", names_in(self.backward)))
        held = self._free("saved")
        given = {name: f"{held}[{places.index(written[name])}]" for name in tensors}
        given |= {name: f"{held}[{saved.index(name)}]" for name in (*sorted(found.at_hand), *self.names)}
        given |= {name: f"{context}.{attribute}" for name, attribute in plain.items()}
        self._return_them()
        self._rename()
        gradient = self._derived(found, torch, tensors, list(plain), given)
        self._write_backward(torch, context, gradient)
        take_first_output(self.place, self.owner)

    def _slice(self) -> Slice:
        self.parameters.check_returns(self.saving.statement)
        known = {s.name for s in self.place.facts.saved if s.saving is Verdict.ZERO and not s.on_context}
        known &= set(self.saving.names)
        wanted = Wanted(self.parameters.context, self.saving.statement, set(self.names), {}, known)
        found = Slicer(self.text, self.saver, wanted, set(self.parameters.names)).slice()
        if any(statement not in self.saver.body for statement in found.statements):
            raise CannotFix("it is computed in a branch or loop")
        if found.reads_context:
            raise CannotFix("it is computed with attributes of the context")
        return found

    def _derived(
        self, found: Slice, torch: str, tensors: list[str], numbers: list[str], given: dict[str, str]
    ) -> _Gradient:
        constants = sorted(found.at_hand)
        operands = [*tensors, *constants]
        read = formula_of(found.lines, torch, operands, numbers, self.names)
        wanted = set(tensors) & self.place.facts.differentiable
        matrices = matrices_in(self.owner) & set(operands)
        block = derived_gradient(read, self.names, self.gradients, wanted, matrices)
        lines, results = torch_lines(block, torch, {*given, *self.gradients, torch})
        return _Gradient(lines, dict(zip(operands, results, strict=True)), given)

    def _free(self, name: str) -> str:
        """The name, or one like it that is no parameter of the new backward."""
        return unused(name, {*(a.arg for a in self.backward.args.args), *self.gradients})

    def _return_them(self) -> None:
        self.text.before(self.saver.body[-1], [f"{self.parameters.context}.set_materialize_grads(False)"])
        self.text.insert(self.text.end(self.returned), f", {', '.join(self.names)}")

    def _rename(self) -> None:
        start = self.text.text.index("backward", self.text.start(self.backward))
        self.text.splices.append(Splice(start, start + len("backward"), OWN))

    def _write_backward(self, torch: str, context: str, gradient: _Gradient) -> None:
        """The new backward, and the derived gradient, after the author's backward."""
        text, cls = self.text, self.owner.name
        grad = self.backward.args.args[1].arg
        step = text.indent(self.owner.body[-1])[len(text.indent(self.owner)) :]
        of = f"{OWN}_of_{'_'.join(self.names)}"
        used = [name for name in gradient.given if gradient.reads(name)]
        call = ", ".join([*(gradient.given[name] for name in used), *self.gradients])
        nothing = _tuple(["None"] * len(self.parameters.names))
        zeros = [
            f"{g} = {torch}.zeros_like({gradient.given[name]}) if {g} is None else {g}"
            for g, name in zip(self.gradients, self.names, strict=True)
            if len(self.names) > 1
        ]
        results = [gradient.values.get(name, "None") for name in self.parameters.names]
        found, saved, added, pairs = map(self._free, ("found", "saved", "added", "pairs"))
        undefined = " and ".join(f"{g} is None" for g in self.gradients)
        them = listed(self.names)
        of_them = f"the gradients of {them} add" if len(self.names) > 1 else f"the gradient of {them} adds"
        text.after(
            self.backward,
            [
                "",
                "@staticmethod",
                f"def {of}({', '.join([*used, *self.gradients])}):",
                f'{step}"""What {of_them} to those of the inputs."""',
                *(f"{step}{line}" for line in gradient.lines),
                f"{step}return {_tuple(results)}",
                "",
                "@staticmethod",
                f"def backward({', '.join([context, grad, *self.gradients])}):",
                f"{step}{saved} = {context}.saved_tensors",
                f"{step}{found} = {nothing} if {grad} is None else {cls}.{OWN}({context}, {saved}, {grad})",
                f"{step}{found} = {found} if isinstance({found}, tuple) else ({found},)",
                f"{step}if {undefined}:  # as in a plain first backward",
                f"{step * 2}return {found}",
                *(f"{step}{line}" for line in zeros),
                f"{step}{added} = {cls}.{of}({call})",
                f"{step}{pairs} = zip({found}, {added})",
                f"{step}return tuple(b if a is None else a if b is None else a + b for a, b in {pairs})",
            ],
        )


def _tuple(values: list[str]) -> str:
    return f"({values[0]},)" if len(values) == 1 else f"({', '.join(values)})"


FIX = Fix(
    apply,
    True,
    "returned as an output, with the term for its gradient",
    silent=True,
    first=(named_saved.apply, plain_backward.apply),
)
