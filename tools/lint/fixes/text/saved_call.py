"""The hand-over of saved values: ``ctx.save_for_backward(...)``, and what the backward is to take besides."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass

from .place import unused
from .splices import CannotFix, Text
from .taking import Taking

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
    def count(self) -> int | None:
        """The number of its arguments; None where one is starred."""
        return len(self.call.args) if self.last == len(self.call.args) else None

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
class Handover:
    """Both ends, to which `add` adds what is to be saved besides.

    `beside`: how other backwards take what is saved; they leave out what is saved besides.
    """

    text: Text
    function: ast.FunctionDef
    context: str
    saving: Saving | None
    taking: Taking
    taken_names: set[str]
    beside: tuple[Taking, ...] = ()

    def add(
        self, names: list[str], dropped: str | None = None, called: Mapping[str, str] | None = None
    ) -> tuple[dict[str, str], list[str]]:
        """Save names too; what each is called in the backward, and the lines that bind them there.

        The lines are to stand where `taking.place` is, or first, where it is None. `called`: names that some
        are to get. `dropped`: a name that isn't saved any more.
        """
        if not names and dropped is None:
            return {}, []
        for taking in self.beside:
            self._leave_out(taking, len(names))
        locals_ = {name: (called or {}).get(name) or unused(name, self.taken_names) for name in names}
        if self.saving is None:
            return locals_, self._first(names, locals_)
        if self.taking.unpacked is None and (
            self.taking.items or self.taking.inline or not self.taking.reader
        ):
            return locals_, self._more_items(names, locals_)
        if self.taking.unpacked is None:
            raise CannotFix("the backward does not take what is saved")
        self._change_both(names, locals_, dropped)
        return locals_, []

    def append(self, names: list[str]) -> None:
        """Save more behind all else; the backward is told to leave them out."""
        assert self.saving is not None
        if self.saving.last != len(self.saving.call.args):
            raise CannotFix("a list of unknown length is saved")
        self._set_arguments([*self._arguments(), *names])

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
        saved = self.saving.names
        known = [
            n for n in names if n in saved and all(_same_place(n, one, saved) for one in self.saving.all)
        ]
        new = [name for name in names if name not in known]
        if new:
            self._set_arguments([*self._arguments(), *new])
            self._set_others(new)
        more = [(saved.index(name), locals_[name]) for name in known]
        more += [(len(saved) + i, locals_[name]) for i, name in enumerate(new)]
        return self.taking.more(more, self.text, self.taken_names | {*locals_.values()})

    def _change_both(self, names: list[str], locals_: dict[str, str], dropped: str | None) -> None:
        assert self.saving is not None
        saved = self._arguments()
        new = [locals_[n] for n in names]
        index = self.saving.names.index(dropped) if dropped is not None else None
        for taking in self.taking.all:
            self._take_more(taking, new, index)
        at = self.saving.last
        if index is not None:
            saved[index : index + 1] = names[:1]
            at -= not names
            names = names[1:]
        saved[at:at] = names
        self._set_arguments(saved)
        self._set_others(names)

    def _leave_out(self, taking: Taking, count: int) -> None:
        """Let another backward take what it took."""
        if self.saving is None:
            return
        taking.count_from_start(self.text)
        for one in taking.all if taking.unpacked is not None else ():
            if any(isinstance(n, ast.Name) and n.id == "_" for n in ast.walk(one.function)):
                raise CannotFix(f"`{one.function.name}` uses the name `_`")
            self._take_more(one, ["*_"] if self.saving.count is not None else ["_"] * count, None)

    def _take_more(self, taking: Taking, new: list[str], dropped: int | None) -> None:
        """Unpack more values, and leave out the one at the place of what is `dropped`."""
        assert self.saving is not None
        assert taking.unpacked is not None
        target = taking.unpacked.targets[0]
        assert isinstance(target, ast.Tuple | ast.List)
        taken = [self.text.of(e) for e in target.elts]
        at, count = self.saving.last, len(self.saving.call.args)
        if at != count and not (at < len(taken) and taken[at].startswith("*")):
            raise CannotFix("a list of unknown length is saved")
        if at == count and len(taken) != at:
            raise CannotFix("the backward unpacks another number of values than are saved")
        if dropped is not None:
            taken[dropped : dropped + 1] = new[:1]
            at -= not new
            new = new[1:]
        taken[at:at] = new
        if taken:
            written = self.text.of(target)
            bare = isinstance(target, ast.Tuple) and not written.startswith("(")
            inside = ", ".join(taken) + ("," if len(taken) == 1 else "")
            if self._fits(taking.unpacked, written, inside):
                self.text.replace(target, inside if bare else f"({inside})")
            else:
                self.text.replace(target, self._wrapped("(", taken, ")", taking.unpacked))

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


def _same_place(name: str, saving: Saving, names: list[str]) -> bool:
    return saving.names[names.index(name)] == name


def _tuple(names: list[str]) -> str:
    return f"({names[0]},)" if len(names) == 1 else ", ".join(names)
