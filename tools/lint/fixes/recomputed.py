"""A captured intermediate is computed again in the backward, where it then has its history.

A short computation stands in the backward instead of what was saved. A longer one runs only while gradients
are recorded, so that a plain first backward costs what it did.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ...wording import listed
from ..analyses.calls import rounded_to_bytes
from ..analyses.facts import Saved, Use
from ..analyses.facts import Saving as Verdict
from ..analyses.torch_names import is_in_place
from . import named_attributes, named_saved, plain_backward
from .fix import Fix
from .text.aliases import Aliases
from .text.bundle import Bundle, find_bundle
from .text.copied import copied
from .text.inner_autograd import check_no_sweep
from .text.of_torch import check_of_torch
from .text.outputs import follow_smoothly, forward_again, saved_outputs
from .text.own_methods import other_backwards
from .text.parameters import Parameters
from .text.place import Place, body_of, names_in, unused
from .text.reading import bound, changed, root_of, sets_attribute
from .text.recording import check_recorded
from .text.repeatable import check_repeatable
from .text.saved_call import LONGEST, Handover, Saving, find_saving
from .text.shared_saved import shared_saved
from .text.short import is_short
from .text.slicing import Slice, Wanted, slice_of
from .text.splices import CannotFix
from .text.taking import Taking, find_taking
from .text.unchanged import check_unchanged

CODES = ("PB101", "PB107")
WRONG = (Verdict.INTERMEDIATE, Verdict.CONDITIONAL)
KNOWN = (Verdict.INPUT, Verdict.OUTPUT, Verdict.ZERO, Verdict.PLAIN)
FIRST = (named_saved.apply, named_attributes.apply, plain_backward.apply)
WHY = "  # recorded: what is saved has no history"


def apply(place: Place) -> None:
    """Change the text so that all such values of the class are computed again."""
    saved = [s for s in place.facts.saved if s.saving in WRONG and s.use is Use.VALUE and _is_here(s, place)]
    if any(s.marked for s in saved):
        raise CannotFix("an output is marked as not differentiable on purpose")
    if not saved:
        raise CannotFix("it is saved in another file")
    splices = list(place.text.splices)
    try:
        _Recomputed(place, saved, with_outputs=True).change()
    except CannotFix:
        place.text.splices = splices
        _Recomputed(place, saved).change()


def _is_here(saved: Saved, place: Place) -> bool:
    return saved.saved.path == place.module.source.path


def _place(saving: Saving, name: str) -> int:
    return saving.names.index(name) if name in saving.names else -1


@dataclass
class _Target:
    """A saved value: its name where it is saved, and in the backward; the attribute, where it is one.

    `index`: its place among what is saved, where it has one.
    """

    name: str
    local: str
    attribute: str | None
    index: int | None = None


def _calls_in(statements: Iterable[ast.stmt]) -> Iterator[ast.Call]:
    """The calls in statements."""
    for statement in statements:
        yield from (node for node in ast.walk(statement) if isinstance(node, ast.Call))


@dataclass(frozen=True)
class _Call:
    """A call of a function that computes values again, at some depth. `order`: what it is given."""

    function: str
    order: list[str]
    depth: int

    def lines(self, names: list[str], values: dict[str, str]) -> list[str]:
        """The assignment of its results; in a long one each argument has a line, as formatters leave it.

        `values`: how what it is given is called there.
        """
        head, given = f"{', '.join(names)} = {self.function}(", [values[name] for name in self.order]
        if self.depth + len(head) + len(", ".join(given)) + 1 <= LONGEST:
            return [f"{head}{', '.join(given)})"]
        return [head, *(f"    {one}," for one in given), ")"]


class _Recomputed:
    """One change of one class."""

    def __init__(self, place: Place, saved: list[Saved], with_outputs: bool = False) -> None:
        self.place, self.text, self.with_outputs = place, place.text, with_outputs
        self.written = any(one.written for one in saved)
        check_no_sweep(place)
        functions = {id(f): f for f in (place.function_at(s.saved.line) for s in saved)}
        if len(functions) != 1:
            raise CannotFix("values are saved in several functions")
        (self.saver,) = functions.values()
        if place.owner(self.saver) is None and self.saver not in place.module.tree.body:
            raise CannotFix(f"`{self.saver.name}` captures it, which stands in another function")
        self.parameters = Parameters(self.saver, place)
        self.backward = place.backward
        self.beside = other_backwards(place, self.saver, self.backward)
        self.saving = find_saving(self.saver, self.parameters.context, several=True)
        self._count = self.saving.count if self.saving is not None else None
        self.taking: Taking = find_taking(self.backward, inside=True, count=self._count)
        self.taken_names = names_in(self.backward)
        self.bindings: list[str] = []
        self.bundle: Bundle | None = None
        self.places: dict[str, int] = {}
        self.targets: list[_Target] = []
        for target in map(self._target, saved):
            if target.local not in {t.local for t in self.targets}:
                self.targets.append(target)
        body = body_of(self.backward)
        in_branch = any(taking.place not in (None, *body) for taking in self.taking.all)
        if in_branch and any(t.attribute for t in self.targets):
            raise CannotFix("the backward takes what is saved in a branch")
        for taking in self.taking.others:
            self._locals(taking)
        kept: set[str] = set(self.bundle.names) if self.bundle else set()
        if kept and not {t.name for t in self.targets} <= kept:
            raise CannotFix("values are stored in several ways")

    def _target(self, saved: Saved) -> _Target:
        if saved.on_context:
            return self._on_context(saved)
        if self.saving is not None and not self.parameters.given:
            copy = copied(saved.name, self.saver, self.saving, self.taking, self.text)
            if copy is not None:
                if "detach" in saved.name:
                    check_of_torch(self.place)
                return _Target(*copy, None)
        index = self.places.setdefault(saved.name, self._index(saved))
        if index != self._index(saved):
            raise CannotFix(f"`{saved.name}` is saved in several places of a list")
        local = self.taking.local(index)
        if local is None and index in self.taking.inline:
            local = unused(saved.name, self.taken_names)
            self.bindings += self.taking.bind(index, local, self.text, self.taken_names | {local})
        if local is None:
            raise CannotFix(f"the backward does not bind `{saved.name}` to a name")
        return _Target(saved.name, local, None, index)

    def _on_context(self, saved: Saved) -> _Target:
        """An attribute, a value that is stored among others by its name, or all that is stored with it."""
        name, whole, context = saved.name, saved.attribute, self.parameters.context
        if not whole.isidentifier():
            raise CannotFix(f"`{name}` is no plain attribute")
        if name == whole or not name.isidentifier():
            return _Target(whole, whole, whole)
        try:
            found = find_bundle(self.saver, context, self.backward, self.taking.context, name)
        except CannotFix:
            return _Target(whole, whole, whole)
        self.bundle = found
        return _Target(name, found.local(name), None)

    def _locals(self, taking: Taking) -> list[str]:
        """The names that the values have where the backward takes them there."""
        if taking is self.taking:
            return [target.local for target in self.targets]
        found = [taking.local(t.index) for t in self.targets if t.index is not None]
        names = [name for name in found if name is not None]
        if self.bundle is not None or len(names) != len(self.targets):
            raise CannotFix("the backward does not bind all of it where it unpacks again")
        return names

    def _index(self, saved: Saved) -> int:
        """The place of a value among what is saved, where each branch saves it by a name."""
        for saving in self.saving.all if self.saving is not None else ():
            end = saving.statement.end_lineno or saving.statement.lineno
            if saving.statement.lineno <= saved.saved.line <= end and saved.name in saving.names:
                index = saving.names.index(saved.name)
                if self.saving is not None and all(one.names[index] for one in self.saving.all):
                    return index
        raise CannotFix(f"`{saved.name}` is not saved by its name")

    def change(self) -> None:
        """Make the splices."""
        found = self._slice()
        check_recorded([*found.statements, self.backward], self.place.module)
        check_repeatable(found.statements, self.parameters, self.place)
        if any(map(rounded_to_bytes, _calls_in(found.statements))):
            raise CannotFix(
                "what is saved is rounded to bytes, and computed again it has no derivative either"
            )
        check_unchanged(found, self.saver, self.parameters.context, self.place)
        self._check_seen(found)
        short = is_short(found) and all(t.attribute is None for t in self.targets) and len(self.targets) == 1
        short = (
            short
            and self.bundle is None
            and self.taking.unpacked is not None
            and not (self.taking.others or self.beside)
            and self.saving is not None
            and not self.saving.others
            and self.targets[0].name in self.saving.names
            and self.targets[0].name not in found.at_hand
        )
        outputs = self._outputs() if self.with_outputs and not short else []
        again = forward_again(self.place, self.parameters, found.statements) if outputs else None
        if again is not None:
            found.parameters |= {*again[1]}
        elif outputs and not self.parameters.given:
            found = self._slice_with(outputs, found)
        tensors, plain = self.parameters.to_save(found.parameters, set(found.made_tensors))
        handover = Handover(
            self.text,
            self.saver,
            self.parameters.context,
            self.saving,
            self.taking,
            self.taken_names,
            tuple(find_taking(one, inside=True, count=self._count) for one in self.beside),
        )
        written, snapshots = self.parameters.snapshots(tensors, self.saving, found.made_tensors)
        dropped = self.targets[0].name if short else None
        called, binding = handover.add([written[n] for n in tensors], dropped)
        if dropped is not None:
            self._remove_unread(found, dropped)
        values = {name: called[written[name]] for name in tensors}
        values |= {name: f"{self.taking.context}.{attribute}" for name, attribute in plain.items()}
        values |= self._at_hand(found, self.taking)
        self.parameters.keep(plain, snapshots)
        inline = self._inline(found, values)
        call = None if inline is not None else self._helper(found, values)
        for taking in self.taking.others:
            assert taking.place is not None
            assert call is not None
            own = values | self._at_hand(found, taking)
            self.text.after(taking.place, self._where_recorded(call.lines(self._locals(taking), own)))
        lines = inline or []
        if call is not None:
            lines = call.lines(self._locals(self.taking), values)
        if again is not None:
            lines += [f"{t.local} = {again[0]}({', '.join(values[n] for n in again[1])})" for t in outputs]
        lines = lines if short else self._where_recorded(lines)
        copies = [f"{t.local} = {t.local}.clone()" for t in self.targets if self._is_written(t)]
        self._insert([*self.bindings, *binding, *self._attributes(), *lines, *copies])

    def _where_recorded(self, lines: list[str]) -> list[str]:
        """The lines, to run only where gradients are recorded."""
        return [f"if {self.place.torch()}.is_grad_enabled():{WHY}", *(f"    {line}" for line in lines)]

    def _check_seen(self, found: Slice) -> None:
        """Raise `CannotFix` where a call that lint cannot see into computes another saved value with it."""
        opaque = {s.name for s in self.place.facts.saved if s.saving is Verdict.OPAQUE}
        if names := {name for s in found.statements for name in bound(s)} & opaque:
            raise CannotFix(f"it is computed with `{min(names)}`, by a call that lint cannot see into")

    def _remove_unread(self, found: Slice, dropped: str) -> None:
        """Take out the assignments of the forward that served only what is no longer saved."""
        assert self.saving is not None
        uses = Counter(node.id for node in ast.walk(self.saver) if isinstance(node, ast.Name))
        uses[dropped] -= 1
        for statement in found.statements:  # the last one first
            match statement:
                case ast.Assign(targets=[ast.Name(id=name)], value=value) if (
                    statement in self.saver.body and uses[name] == 1
                ):
                    self.text.remove(statement)
                    uses -= Counter(node.id for node in ast.walk(value) if isinstance(node, ast.Name))

    def _outputs(self) -> list[_Target]:
        """The saved outputs that may be computed again, too: one where the forward is called again."""
        found = saved_outputs(self.place, self.saver, self.saving, self.taking) if self.bundle is None else []
        single = not self.parameters.given or len(found) == 1
        return [self._target(saved) for saved in found] if single else []

    def _slice_with(self, outputs: list[_Target], found: Slice) -> Slice:
        """The slice of the outputs, too, where they follow smoothly from what it computes."""
        before = self.targets
        self.targets = [*before, *outputs]
        try:
            more = self._slice()
        except CannotFix:
            more = None
        if more is not None and follow_smoothly(more.statements, found.statements, self.place):
            return more
        self.targets = before
        return found

    def _is_written(self, target: _Target) -> bool:
        """True if the backward changes a value in place: it then changes a copy."""
        own = {target.local, f"{self.taking.context}.{target.attribute}"}
        if target.index is not None:
            own |= {taking.local(target.index) or target.local for taking in self.taking.others}
        shared = shared_saved(self.place)
        memory = Aliases(self.backward, lambda test: None, written=True, shared=shared)
        names = own.union(*(memory.of(name) for name in own))
        if not any(self._writes(node, names) for node in ast.walk(self.backward)):
            return False
        if others := {other for pair in shared if own & {*pair} for other in pair} - own:
            raise CannotFix(
                f"`{min(others)}` shares the memory of `{target.name}`, which is changed in place"
            )
        return True

    def _writes(self, node: ast.AST, names: set[str]) -> bool:
        match node:
            case ast.AugAssign() | ast.Expr():
                return bool(names & changed(node))
            case ast.Assign(targets=targets):
                return any(isinstance(t, ast.Subscript) and root_of(t) in names for t in targets)
            case ast.Call(func=ast.Attribute(value=value, attr=attr)) if is_in_place(attr):
                return root_of(value) in names
            case ast.keyword(arg="out", value=value):
                return root_of(value) in names
        return False

    def _slice(self) -> Slice:
        attributes = {t.attribute: t.local for t in self.targets if t.attribute is not None}
        names = {t.name for t in self.targets if t.attribute is None}
        plain = [s for s in self.place.facts.saved if not s.on_context and not s.marked]
        unknown = {s.name for s in plain if s.saving not in KNOWN}
        known = {s.name for s in plain} - unknown
        if self.bundle is not None:
            self.parameters.check_returns(self.bundle.stored)
            known = {s.name for s in self.place.facts.saved if s.saving in KNOWN and s.on_context}
            known -= {n for n in self.parameters.names if self.parameters.is_tensor(n)}
            wanted = Wanted(
                self.parameters.context,
                self.bundle.stored,
                names,
                {},
                known & set(self.bundle.names),
                self.parameters.given,
                written=self.written,
            )
            return slice_of(self.place, self.saver, wanted, set(self.parameters.names))
        saving = self.saving
        statement = saving.statement if saving is not None else None
        if self.taking.unpacked is None or attributes:  # unpacking fails where nothing was saved
            self.parameters.check_returns(statement)
        given = self.parameters.given
        if saving is None:
            wanted = Wanted(
                self.parameters.context, statement, names, attributes, set(), given, written=self.written
            )
        else:
            bound_there = [i for i in range(len(saving.names)) if all(t.local(i) for t in self.taking.all)]
            at_hand = {saving.names[i] for i in bound_there} & (known - names)
            at_hand = {n for n in at_hand if len({_place(one, n) for one in saving.all}) == 1}
            branches = self._branches(saving) if saving.others else ()
            wanted = Wanted(
                self.parameters.context,
                statement,
                names,
                attributes,
                at_hand,
                given,
                branches,
                self.written,
            )
        return slice_of(self.place, self.saver, wanted, set(self.parameters.names))

    def _branches(self, saving: Saving) -> tuple[tuple[ast.stmt, dict[str, str]], ...]:
        """Each statement that saves, with what it saves for each target."""
        return tuple(
            (one.statement, {t.name: one.names[self.places[t.name]] for t in self.targets if not t.attribute})
            for one in saving.all
        )

    def _at_hand(self, found: Slice, taking: Taking) -> dict[str, str]:
        """The names of what is saved besides, where the backward takes it."""
        if self.bundle is not None:
            return {name: self.bundle.local(name) for name in found.at_hand}
        local = {}
        for name in found.at_hand:
            assert self.saving is not None
            local[name] = taking.local(self.saving.names.index(name)) or name
        return local

    def _inline(self, found: Slice, values: dict[str, str]) -> list[str] | None:
        """The lines themselves, where they are few and no name means something else in the backward."""
        outer = self.saver.args
        first = {a.arg for a in (*outer.posonlyargs, *outer.args)}
        own = first - set(self.parameters.names) - {self.parameters.context}
        same = all(
            name == value or value.startswith(f"{self.taking.context}.") for name, value in values.items()
        )
        kept = {t.local for t in self.targets if t.local == t.name}
        clash = (found.assigned - kept) & self.taken_names
        renamed = any(t.local != t.name for t in self.targets)
        context_differs = found.reads_context and self.taking.context != self.parameters.context
        several = len(found.lines) > 4 or bool(self.taking.others)
        if several or not same or clash or renamed or context_differs or own & found.all_reads:
            return None
        bindings = {n: v for n, v in values.items() if n != v}
        if any(n in self.taken_names | found.assigned for n in bindings):
            return None
        return [*(f"{name} = {value}" for name, value in sorted(bindings.items())), *found.lines]

    def _helper(self, found: Slice, values: dict[str, str]) -> _Call:
        """A method with the lines, and the call of it."""
        owner = self.place.owner(self.saver)
        taken = {n.name for n in ast.walk(owner or self.place.module.tree) if isinstance(n, ast.FunctionDef)}
        name = unused("_recomputed" if owner else f"_recomputed_{self.targets[0].name}", taken)
        order = [p for p in self.parameters.names if p in values] + sorted(
            set(values) - set(self.parameters.names)
        )
        if found.reads_context:
            order = [self.parameters.context, *order]
            values[self.parameters.context] = self.taking.context
        cls = self.parameters.cls
        uses_class = cls is not None and cls in found.all_reads
        header = f"def {name}({', '.join([*([cls] if cls and uses_class else []), *order])}):"
        results = ", ".join(t.name if t.attribute is None else t.local for t in self.targets)
        said, them = listed([t.name for t in self.targets]), "them" if len(self.targets) > 1 else "it"
        self.text.after(
            self.saver,
            [
                "" if owner else "\n",
                *([] if owner is None else ["@classmethod"] if uses_class else ["@staticmethod"]),
                header,
                f'    """{said} as the forward computes {them}, recorded."""',
                *(f"    {line}" if line else "" for line in found.lines),
                f"    return {results}",
            ],
        )
        through = f"{self.place.path_of(owner)}." if owner else ""
        if uses_class:
            back = self.backward
            if not any(getattr(d, "id", "") == "classmethod" for d in back.decorator_list):
                raise CannotFix("the forward is a class method, and the backward is none")
            through = f"{back.args.args[0].arg}."
        return _Call(f"{through}{name}", order, self._depth())

    def _depth(self) -> int:
        """The column at which the values are computed, where gradients are recorded."""
        statement = self._place() or body_of(self.backward)[0]
        return len(self.text.indent(statement)) + len("    ")

    def _attributes(self) -> list[str]:
        """Attributes of the context become local names, which are then computed again."""
        lines = []
        for target in self.targets:
            if target.attribute is None:
                continue
            local, context = target.local, self.taking.context
            bare = f"{context}.{target.attribute}"
            bound_to_itself = False
            for node in ast.walk(self.backward):
                if isinstance(node, ast.Attribute) and ast.unparse(node) == bare:
                    if not isinstance(node.ctx, ast.Load):
                        raise CannotFix(f"the backward sets `{bare}`")
                    self.text.replace(node, local)
            for statement in body_of(self.backward):
                if isinstance(statement, ast.Assign) and self.text.of(statement) == f"{local} = {bare}":
                    bound_to_itself = True
                    self.text.splices = [
                        s
                        for s in self.text.splices
                        if not (s.start >= self.text.start(statement) and s.end <= self.text.end(statement))
                    ]
                    self.text.remove(statement)
            if local in self.taken_names and not bound_to_itself:
                raise CannotFix(f"`{local}` is another value in the backward")
            always = any(
                isinstance(s, ast.Assign) and sets_attribute(s, self.parameters.context, target.attribute)
                for s in self.saver.body
            )
            lines.append(
                f"{local} = {bare}" if always else f'{local} = getattr({context}, "{target.attribute}", None)'
            )
        return lines

    def _place(self) -> ast.stmt | None:
        """The statement after which all is at hand; None where the backward takes nothing."""
        places = [self.taking.place, self.bundle.taken if self.bundle is not None else None]
        return max((p for p in places if p is not None), key=lambda p: p.lineno, default=None)

    def _insert(self, lines: list[str]) -> None:
        place = self._place()
        if place is not None:
            self.text.after(place, lines)
        else:
            self.text.before(body_of(self.backward)[0], lines)


FIX = Fix(apply, True, "computed again in the backward", first=FIRST)
