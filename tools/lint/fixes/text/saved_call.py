"""The hand-over of saved values: ``ctx.save_for_backward(...)``, and how the backward takes them."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ...analyses.context import READS_SAVED
from .place import body_of, unused
from .splices import CannotFix, Text

LONGEST = 88  # longer lines are wrapped as formatters do, with a comma at the end


@dataclass
class Saving:
    """The statement that saves. `names`: its arguments, "" for what is no plain name or is starred.

    `others`: those of other branches, which save as many values.
    """

    statement: ast.Expr
    call: ast.Call
    others: tuple[Saving, ...] = ()

    @property
    def all(self) -> tuple[Saving, ...]:
        """It and the others."""
        return self, *self.others

    @property
    def names(self) -> list[str]:
        """The names of its arguments in order."""
        return [a.id if isinstance(a, ast.Name) else "" for a in self.call.args]

    @property
    def last(self) -> int:
        """The place for one more argument: at the end, or before the first starred one."""
        starred = [i for i, a in enumerate(self.call.args) if isinstance(a, ast.Starred)]
        return starred[0] if starred else len(self.call.args)


def find_saving(function: ast.FunctionDef, context: str, several: bool = False) -> Saving | None:
    """The statement that saves; `CannotFix` where there are several.

    `several`: the last of them, where all of them save as many values.
    """
    found = []
    for node in ast.walk(function):
        match node:
            case ast.Expr(
                value=ast.Call(func=ast.Attribute(value=ast.Name(id=owner), attr="save_for_backward")) as call
            ) if owner == context:
                found.append(Saving(node, call))
    if len(found) < 2:
        return found[0] if found else None
    *others, last = sorted(found, key=lambda saving: saving.statement.lineno)
    alike = len({len(saving.call.args) for saving in found}) == 1
    if not several or not alike or any(saving.last != len(saving.call.args) for saving in found):
        raise CannotFix("the forward saves in several places")
    return Saving(last.statement, last.call, tuple(others))


@dataclass
class Taking:
    """The statements of a backward that take what is saved: by unpacking, or item by item.

    `place`: the statement after which all of them are bound; None where it takes none, or only inside
    expressions, which are `inline`.
    """

    context: str
    function: ast.FunctionDef
    place: ast.stmt | None
    unpacked: ast.Assign | None
    items: dict[int, str]
    inline: dict[int, list[ast.Subscript]]

    def bind(self, index: int, name: str, text: Text) -> list[str]:
        """The lines that bind an item that is taken inside expressions, which then say the name."""
        nodes = self.inline.get(index, [])
        for node in nodes:
            text.replace(node, name)
        return [f"{name} = {text.of(nodes[0])}"] if nodes else []

    def local(self, index: int) -> str | None:
        """The name that the item gets."""
        if self.unpacked is None:
            return self.items.get(index)
        target = self.unpacked.targets[0]
        elements = target.elts if isinstance(target, ast.Tuple | ast.List) else []
        starred = [i for i, e in enumerate(elements) if isinstance(e, ast.Starred)]
        if index >= len(elements) or (starred and index >= starred[0]):
            return None
        element = elements[index]
        return element.id if isinstance(element, ast.Name) else None


def find_taking(function: ast.FunctionDef, inside: bool = False) -> Taking:
    """The way in which a backward takes what is saved; `CannotFix` where it is neither of the two.

    `inside`: it may unpack in a branch.
    """
    arguments = [*function.args.posonlyargs, *function.args.args]
    first = 1 if any(getattr(d, "id", "") == "classmethod" for d in function.decorator_list) else 0
    context = arguments[first].arg
    uses: list[ast.expr] = [
        node
        for node in ast.walk(function)
        if isinstance(node, ast.Attribute) and node.attr in READS_SAVED and _is(node.value, context)
    ]
    if not uses:
        return Taking(context, function, None, None, {}, {})
    items: dict[int, str] = {}
    place = None
    body = body_of(function)
    for statement in _within(body) if inside else body:
        match statement:
            case ast.Assign(targets=[ast.Tuple() | ast.List()], value=value) if (
                value in uses and len(uses) == 1
            ):
                return Taking(context, function, statement, statement, {}, {})
            case ast.Assign(
                targets=[ast.Name(id=name)],
                value=ast.Subscript(value=value, slice=ast.Constant(value=int(index))),
            ) if value in uses and statement in body:
                uses.remove(value)
                items[index] = name
                place = statement
    inline = _inline(function, uses)
    if sum(map(len, inline.values())) != len(uses) or (inline and items):
        raise CannotFix("the backward does not unpack what is saved in one place")
    return Taking(context, function, place, None, items, inline)


def _within(statements: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a block, and those of its branches."""
    for statement in statements:
        yield statement
        if isinstance(statement, ast.If):
            yield from _within([*statement.body, *statement.orelse])


def _inline(function: ast.FunctionDef, uses: list[ast.expr]) -> dict[int, list[ast.Subscript]]:
    found: dict[int, list[ast.Subscript]] = {}
    for node in ast.walk(function):
        match node:
            case ast.Subscript(value=value, slice=ast.Constant(value=int(index))) if value in uses:
                found.setdefault(index, []).append(node)
    return found


def _is(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


@dataclass
class Handover:
    """Both ends, to which `add` adds what is to be saved besides."""

    text: Text
    function: ast.FunctionDef
    context: str
    saving: Saving | None
    taking: Taking
    taken_names: set[str]

    def add(
        self, names: list[str], dropped: str | None = None, called: Mapping[str, str] | None = None
    ) -> tuple[dict[str, str], list[str]]:
        """Save names too; what each is called in the backward, and the lines that bind them there.

        The lines are to stand where `taking.place` is, or first, where it is None. `called`: names that some
        are to get. `dropped`: a name that isn't saved any more.
        """
        if not names and dropped is None:
            return {}, []
        locals_ = {name: (called or {}).get(name) or unused(name, self.taken_names) for name in names}
        if self.saving is None:
            return locals_, self._first(names, locals_)
        if self.taking.unpacked is None and (self.taking.items or self.taking.inline):
            return locals_, self._more_items(names, locals_)
        if self.taking.unpacked is None:
            raise CannotFix("the backward does not take what is saved")
        self._change_both(names, locals_, dropped)
        return locals_, []

    def call(self, saving: Saving, written: Mapping[int, str]) -> None:
        """Save something else at some places."""
        self._set_arguments([written.get(i, old) for i, old in enumerate(self._arguments(saving))], saving)

    def _first(self, names: list[str], locals_: dict[str, str]) -> list[str]:
        """Nothing was saved so far."""
        last = self.function.body[-1]
        if not isinstance(last, ast.Return):
            raise CannotFix("the forward does not end with its only `return`")
        self.text.before(last, [f"{self.context}.save_for_backward({', '.join(names)})"])
        return [f"{_tuple([locals_[n] for n in names])} = {self.taking.context}.saved_tensors"]

    def _more_items(self, names: list[str], locals_: dict[str, str]) -> list[str]:
        assert self.saving is not None
        if self.saving.last != len(self.saving.call.args):
            raise CannotFix("a list of unknown length is saved")
        start = len(self.saving.call.args)
        self._set_arguments([*self._arguments(), *names])
        self._set_others(names)
        context = self.taking.context
        return [f"{locals_[n]} = {context}.saved_tensors[{start + i}]" for i, n in enumerate(names)]

    def _change_both(self, names: list[str], locals_: dict[str, str], dropped: str | None) -> None:
        assert self.saving is not None
        assert self.taking.unpacked is not None
        target = self.taking.unpacked.targets[0]
        assert isinstance(target, ast.Tuple | ast.List)
        saved, taken = self._arguments(), [self.text.of(e) for e in target.elts]
        at = self.saving.last
        if at != len(saved) and not (at < len(taken) and taken[at].startswith("*")):
            raise CannotFix("a list of unknown length is saved")
        if at == len(saved) and len(taken) != at:
            raise CannotFix("the backward unpacks another number of values than are saved")
        new = [locals_[n] for n in names]
        if dropped is not None:
            index = self.saving.names.index(dropped)
            saved[index : index + 1], taken[index : index + 1] = names[:1], new[:1]
            at -= not names
            names, new = names[1:], new[1:]
        saved[at:at], taken[at:at] = names, new
        self._set_arguments(saved)
        self._set_others(names)
        if taken:
            written = self.text.of(target)
            bare = isinstance(target, ast.Tuple) and not written.startswith("(")
            inside = ", ".join(taken) + ("," if len(taken) == 1 else "")
            if self._fits(self.taking.unpacked, self.text.of(target), inside):
                self.text.replace(target, inside if bare else f"({inside})")
            else:
                self.text.replace(target, self._wrapped("(", taken, ")", self.taking.unpacked))

    def _arguments(self, saving: Saving | None = None) -> list[str]:
        saving = saving or self.saving
        assert saving is not None
        return [self.text.of(a) for a in saving.call.args]

    def _set_others(self, names: list[str]) -> None:
        """Other branches save them too."""
        assert self.saving is not None
        for other in self.saving.others:
            self._set_arguments([*self._arguments(other), *names], other)

    def _set_arguments(self, arguments: list[str], saving: Saving | None = None) -> None:
        saving = saving or self.saving
        assert saving is not None
        self.text.indent(saving.statement)
        call, function = saving.call, self.text.of(saving.call.func)
        if self._fits(saving.statement, self.text.of(call), f"{function}({', '.join(arguments)})"):
            self.text.replace(call, f"{function}({', '.join(arguments)})")
        else:
            self.text.replace(call, self._wrapped(f"{function}(", arguments, ")", saving.statement))

    def _fits(self, statement: ast.stmt, old: str, new: str) -> bool:
        """True if the statement stays in one line of the usual length."""
        if "\n" in old:
            return False
        return statement.col_offset + len(self.text.of(statement)) - len(old) + len(new) <= LONGEST

    def _wrapped(self, head: str, parts: list[str], tail: str, statement: ast.stmt) -> str:
        blank = self.text.indent(statement)
        lines = "".join(f"{blank}    {part},\n" for part in parts)
        return f"{head}\n{lines}{blank}{tail}"


def _tuple(names: list[str]) -> str:
    return f"({names[0]},)" if len(names) == 1 else ", ".join(names)
