"""The statements of a forward that a saved value comes from, as text that autograd can record.

In: a function, and the values that it saves. Out: a `Slice`: the lines that compute them again from
parameters and from what is at hand in the backward. Changes in place become assignments, for autograd
would refuse some of them; what cannot be told apart is a `CannotFix`.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field

from .aliases import Aliases
from .in_place import Method, functional
from .of_torch import check_of_torch, is_of_torch
from .place import Place, unused
from .reading import bound, changed, exposed, is_random, reads, sets_attribute, written
from .saved_call import LONGEST
from .splices import CannotFix, Text
from .statements import (
    always_true,
    asks_for_any,
    attributes_in_tuple,
    keyword,
    leaves_of,
    made_tensor,
    rebound,
    records,
    records_all,
    records_nothing,
    sets_requires_grad,
    simple_in,
    split,
    stored_name,
)

_LEAF = re.compile(r"(\w+)(?:\.(?:detach|clone)\(\))+\.requires_grad_\((?:True)?\)")


@dataclass
class Wanted:
    """The target of a slice.

    `names`: local names that come from the statement `save`. `attributes`: those of the context, each with
    the local name that it gets. `at_hand`: names that `save` saves too, with their history. `given`: the
    parameter of ``setup_context`` that holds the inputs, and the one that holds the outputs. `branches`:
    where several statements save, each of them with the names that it saves for `names`. `written`: one of
    the values may be changed in place.
    """

    context: str
    save: ast.stmt | None
    names: set[str]
    attributes: dict[str, str]
    at_hand: set[str]
    given: tuple[str, ...] = ()
    branches: tuple[tuple[ast.stmt, dict[str, str]], ...] = ()
    written: bool = True

    def saved_at(self, statement: ast.stmt) -> dict[str, str] | None:
        """For each of `names` the name that a statement saves for it; None where it does not save."""
        found = next((names for branch, names in self.branches if branch is statement), None)
        return {name: name for name in self.names} if found is None and statement is self.save else found


@dataclass
class Slice:
    """Lines, and what they read: parameters as they came in, saved names, the context.

    `made_tensors`: parameters that come from after a statement that makes a tensor of a number. `undetached`:
    something that the function detaches is not detached there.
    """

    lines: list[str] = field(default_factory=list)
    parameters: set[str] = field(default_factory=set)
    at_hand: set[str] = field(default_factory=set)
    reads_context: bool = False
    assigned: set[str] = field(default_factory=set)
    statements: list[ast.stmt] = field(default_factory=list)
    all_reads: set[str] = field(default_factory=set)
    made_tensors: dict[str, ast.If] = field(default_factory=dict)
    undetached: bool = False


def slice_of(place: Place, function: ast.FunctionDef, wanted: Wanted, parameters: set[str]) -> Slice:
    """The slice of a function. What it detaches keeps its history where only PyTorch computes with it.

    Anything else may call what a tensor with a history refuses.
    """
    found = Slicer(place.text, function, wanted, parameters, drops=True).slice()
    tensors = {p.name for p in place.facts.forward.parameters if p.tensor} | place.facts.differentiable
    objects = {wanted.context, *(parameters - tensors)}
    if found.undetached and not all(is_of_torch(s, place.module, objects) for s in found.statements):
        return Slicer(place.text, function, wanted, parameters).slice()
    if found.undetached:
        check_of_torch(place)
    return found


class Slicer:
    """Walks a function from its end to its beginning. `drops`: leave out what detaches there."""

    def __init__(
        self,
        text: Text,
        function: ast.FunctionDef,
        wanted: Wanted,
        parameters: set[str],
        drops: bool = False,
    ) -> None:
        self.text, self.function, self.wanted, self.parameters = text, function, wanted, parameters
        self.needed = {f"{wanted.context}.{name}" for name in wanted.attributes}
        self.found = Slice()
        self.changed: set[str] = set()
        self.own: set[str] = set()  # names that later lines bind
        self.leaves: set[str] = set()  # names by which later lines differentiate
        self.after_save = wanted.save is None
        self.always = always_true(function, wanted.context)
        self.method = Method(text, function, parameters, self._truth)
        self.method.unrecorded = drops and not any(records_all(d) for d in function.decorator_list)
        self.locals = {name for statement in function.body for name in bound(statement)}

    def slice(self) -> Slice:
        """The slice of the whole function."""
        held = self._held()
        lines = self._block(self.function.body)
        if held:
            lines.append(f"{', '.join(held)} = {', '.join(held.values())}")
            self.found.assigned |= {*held}
        if not self.after_save:
            raise CannotFix("it is saved inside of a statement that may not run, or records")
        if self.leaves:
            raise CannotFix(f"the forward differentiates by `{min(self.leaves)}`, which is no detached copy")
        unbound = []
        arguments = self.function.args
        several = {a.arg for a in (arguments.vararg, arguments.kwarg) if a is not None}
        if several & self.needed:
            raise CannotFix(f"`{min(several & self.needed)}` takes any number of inputs")
        for name in sorted(self.needed):
            if name in self.parameters:
                self.found.parameters.add(name)
            elif "." in name:
                attribute = name.partition(".")[2]
                if not sets_attribute(self.function, self.wanted.context, attribute):
                    raise CannotFix(f"`{name}` is set elsewhere")
                unbound.append(self.wanted.attributes[attribute])
            elif name in self.locals:
                unbound.append(name)
        unbound = sorted(set(unbound))
        if unbound:  # a branch that isn't taken leaves it out
            lines.insert(0, f"{' = '.join(unbound)} = None")
        self.found.undetached = self.method.undetached
        self.found.lines = lines
        self.found.assigned |= set(unbound)
        return self.found

    def _held(self) -> dict[str, str]:
        """The local names of attributes that hold what has a name, and those names, where they differ.

        What changes the value in place later on changes what the attribute holds. So the value is that at the
        function's end, where the name has it until then.
        """
        if isinstance(self.wanted.save, ast.Assign):
            self._check_kept([self.wanted.save])
        found: dict[str, str] = {}
        context = self.wanted.context
        for attribute, local in self.wanted.attributes.items():
            stores = [s for s in simple_in(self.function.body) if sets_attribute(s, context, attribute)]
            name = stored_name(stores[0], context, attribute) if len(stores) == 1 else ""
            later = self._later(stores)
            rebinds = any(name in rebound(s) for s in later)
            if name and stores[0] in self.function.body and not rebinds and name not in self.parameters:
                self.needed.discard(f"{context}.{attribute}")
                self.needed.add(name)
                found |= {} if name == local else {local: name}
            else:
                self._check_kept(stores)
        return found

    def _later(self, stores: list[ast.stmt]) -> list[ast.stmt]:
        """The statements that may run after one that stores, those of a loop around it among them."""
        first = min((s.end_lineno or s.lineno for s in stores), default=0)
        for loop in ast.walk(self.function):
            inside = isinstance(loop, ast.For | ast.While) and any(s in ast.walk(loop) for s in stores)
            first = min(first, loop.lineno) if inside and isinstance(loop, ast.stmt) else first
        return [s for s in ast.walk(self.function) if isinstance(s, ast.stmt) and s.lineno > first]

    def _check_kept(self, stores: list[ast.stmt]) -> None:
        """Raise `CannotFix` where a value that is stored may be changed in place later on."""
        memory = Aliases(self.function, self._truth, written=True, calls=self.wanted.written)
        values = [s.value for s in stores if isinstance(s, ast.Assign)]
        names = {name for value in values for name in memory.sharing(value)}
        if kept := sorted(names & {name for s in self._later(stores) for name in written(s)}):
            raise CannotFix(f"`{kept[0]}` changes after it is stored")

    def _check_attributes(self, statement: ast.stmt) -> None:
        """An attribute that is computed again must not be read as it was saved."""
        if any(_is_one(node, self.wanted) for node in ast.walk(statement)):
            raise CannotFix("the forward changes or reads the attribute where it computes it")

    def _sets_one(self, statement: ast.stmt) -> bool:
        """True for ``ctx.name = value``."""
        match statement:
            case ast.Assign(targets=[ast.Attribute(value=ast.Name(id=owner))]):
                return owner == self.wanted.context
        return False

    def _check_form(self, statement: ast.stmt) -> None:
        """An attribute that is computed again must be set by a statement of its own, maybe in a branch."""
        plain = isinstance(statement, ast.Assign) and len(statement.targets) == 1
        if isinstance(statement, ast.If) or (plain and self._sets_one(statement)):
            return
        if attributes_in_tuple(statement, self.wanted.context):
            return
        if isinstance(statement, ast.With) and all(map(records_nothing, statement.items)):
            return
        for name in self.wanted.attributes:
            if sets_attribute(statement, self.wanted.context, name):
                raise CannotFix(f"`{self.wanted.context}.{name}` is not set by a plain assignment")

    def _block(self, statements: list[ast.stmt]) -> list[str]:
        statements = [one for statement in statements for one in split(statement)]
        for place, statement in enumerate(statements):
            if isinstance(statement, ast.If) and not statement.orelse and self._saves_and_returns(statement):
                rest = ast.If(statement.test, statement.body, statements[place + 1 :])
                statements = [*statements[:place], ast.copy_location(rest, statement)]
                break
        lines: list[str] = []
        for statement in reversed(statements):
            lines[:0] = self._statement(statement)
        return lines

    def _saves_and_returns(self, statement: ast.If) -> bool:
        """True for a branch that saves, after which nothing else of the function runs."""
        inside = {id(node) for node in ast.walk(statement)}
        saves = any(id(branch) in inside for branch, _ in self.wanted.branches)
        return saves and isinstance(statement.body[-1], ast.Return)

    def _statement(self, statement: ast.stmt) -> list[str]:
        names = self.wanted.saved_at(statement)
        if names is not None:
            self.after_save = True
            self.changed.clear()
            self._need(set(names.values()))
            other = {name: saved for name, saved in names.items() if name != saved}
            self.found.assigned |= set(other)
            return [f"{', '.join(other)} = {', '.join(other.values())}"] if other else []
        lines = self._kept(statement)
        if not isinstance(statement, ast.If | ast.With):
            self.changed |= changed(statement)
        return lines

    def _kept(self, statement: ast.stmt) -> list[str]:
        touched = changed(statement) & self.needed
        self._check_form(statement)
        if not isinstance(statement, ast.If | ast.Return) and not self._sets_one(statement):
            self._check_attributes(statement)  # it may be changed there
        match statement:
            case ast.Assign(targets=[ast.Attribute(value=ast.Name(id=owner), attr=name)]) if (
                owner == self.wanted.context
            ):
                return self._attribute(name, statement.value)
            case ast.Assign() if names := attributes_in_tuple(statement, self.wanted.context):
                return self._tuple(statement, names)
            case ast.Assign(value=value) if touched and self._is_given(value):
                self.found.parameters |= touched
                self.needed -= touched
                return []
            case ast.Assign() | ast.AnnAssign() | ast.AugAssign() | ast.Expr() if touched:
                return self._simple(statement)
            case ast.If() if (name := made_tensor(statement)) in self.parameters and name in self.needed:
                self.found.parameters.add(name)
                self.found.made_tensors[name] = statement
                self.needed.discard(name)
                return []
            case ast.If():
                return self._branches(statement)
            case ast.For() | ast.While() if touched:
                return self._loop(statement)
            case ast.With(items=items, body=body) if all(map(records_nothing, items)):
                return self._block(body)  # nothing is recorded in a forward anyway
            case ast.With(items=items, body=body) if all(map(records, items)) and not self._saves(statement):
                return self._recorded(body)
            case ast.FunctionDef() | ast.Import() | ast.ImportFrom() if touched:
                return self._whole(statement, touched, reads(statement) - bound(statement))
            case ast.Expr(value=ast.Call(args=args)) if self._may_write(args) and not touched:
                raise CannotFix("a call whose result is not used may change what is saved")
        if touched:
            raise CannotFix(f"`{sorted(touched)[0]}` is computed inside a `{keyword(statement)}`")
        return []

    def _recorded(self, body: list[ast.stmt]) -> list[str]:
        """The lines of a block that records: what it detaches is detached on purpose."""
        before, self.method.unrecorded = self.method.unrecorded, False
        lines = self._block(body)
        self.method.unrecorded = before
        return lines

    def _saves(self, statement: ast.stmt) -> bool:
        """True if what is wanted is saved inside of a statement."""
        return any(
            isinstance(n, ast.stmt) and self.wanted.saved_at(n) is not None for n in ast.walk(statement)
        )

    def _differentiated(self, statement: ast.stmt) -> list[str] | None:
        """The lines of a gradient that the forward takes itself, and of the copy that it is taken by."""
        if not isinstance(statement, ast.Assign) or "\n" in self.text.of(statement):
            return None
        leaves = leaves_of(statement)
        if leaves:
            self.needed -= bound(statement)
            self._note(statement, bound(statement), self._reads(statement))
            self.leaves |= leaves
            return self._with_graph(statement)
        if not (taken := bound(statement) & self.leaves):
            return None
        copied = _LEAF.fullmatch(self.text.of(statement.value))
        if copied is None:
            return None
        self.leaves -= taken
        self.needed -= taken
        self._note(statement, taken, {copied[1]})
        return [f"{min(taken)} = {copied[1]}.clone().requires_grad_()"]

    def _with_graph(self, statement: ast.Assign) -> list[str]:
        """A gradient with a graph; in a long line each argument gets its own, as formatters leave it."""
        call = statement.value
        assert isinstance(call, ast.Call)
        given = [self.text.of(a) for a in call.args] + [
            f"{k.arg}={self.text.of(k.value)}"
            for k in call.keywords
            if k.arg not in ("create_graph", "retain_graph")
        ]
        given.append("create_graph=True")
        written = self.text.of(statement)
        head = written[: len(written) - len(self.text.of(call))] + self.text.of(call.func)
        if len(head) + len(", ".join(given)) + 2 <= LONGEST - 12:
            return [f"{head}({', '.join(given)})"]
        return [f"{head}(", *(f"    {one}," for one in given), ")"]

    def _simple(self, statement: ast.Assign | ast.AnnAssign | ast.AugAssign | ast.Expr) -> list[str]:
        if is_random(statement):
            raise CannotFix("it depends on random numbers")
        if any(sets_requires_grad(node) for node in ast.walk(statement)):
            raise CannotFix("the forward sets `requires_grad`")
        if isinstance(statement, ast.Assign):
            self.needed -= (
                bound(statement) if leaves_of(statement) or bound(statement) & self.leaves else set()
            )
        if (lines := self._differentiated(statement)) is not None:
            return lines
        live = set(self.needed)
        names = bound(statement)
        whole = isinstance(statement, ast.Assign | ast.AnnAssign)
        if whole:
            self.needed -= names
        lines = functional(statement, self.method, live - names if whole else live)
        read = self._reads(statement) | (names if isinstance(statement, ast.AugAssign) else set())
        if isinstance(statement, ast.Expr):
            read |= changed(statement)
        self._note(statement, names | changed(statement), read)
        return lines

    def _attribute(self, name: str, value: ast.expr) -> list[str]:
        pseudo = f"{self.wanted.context}.{name}"
        if pseudo not in self.needed:
            return []
        self.needed.discard(pseudo)
        local = self.wanted.attributes[name]
        other = local in self.needed and not (isinstance(value, ast.Name) and value.id == local)
        if other or local in self.own:
            raise CannotFix(f"`{local}` is another value than `{pseudo}`")
        if isinstance(value, ast.Name) and value.id == local:
            self._need({local})
            return []
        made = ast.copy_location(
            ast.Assign([ast.copy_location(ast.Name(local, ast.Store()), value)], value), value
        )
        made = ast.fix_missing_locations(made)
        if is_random(value):
            raise CannotFix("it depends on random numbers")
        lines = functional(made, self.method, set(self.needed))
        self._note(made, {local}, self._reads(value))
        self.own.discard(local)
        return [f"{local} = {lines[0]}", *lines[1:]]

    def _tuple(self, statement: ast.Assign, attributes: list[str]) -> list[str]:
        """``ctx.a, b = value`` as ``a, b = value``."""
        wanted = {name: f"{self.wanted.context}.{name}" for name in attributes}
        plain = bound(statement)
        if not self.needed & {*wanted.values(), *plain}:
            return []
        others = plain | self.locals | {*self.wanted.attributes.values()}
        renamed: dict[str, str] = {}
        for name, pseudo in wanted.items():
            local = self.wanted.attributes.get(name) or unused(name, others)
            if local in plain | self.needed | self.own | {*renamed.values()}:
                raise CannotFix(f"`{local}` is another value than `{pseudo}`")
            renamed[pseudo] = local
        if is_random(statement):
            raise CannotFix("it depends on random numbers")
        self.needed -= plain | {*renamed}
        lines = functional(statement, self.method, set(self.needed), renamed)
        self._note(statement, plain | {*renamed.values()}, self._reads(statement) - {self.wanted.context})
        self.own -= {*renamed.values()}
        return lines

    def _branches(self, statement: ast.If) -> list[str]:
        known = self._truth(statement.test)
        if known is not None:
            lines = self._block(statement.body if known else statement.orelse)
            return lines
        needed, before, saved = set(self.needed), set(self.changed), self.after_save
        body = self._block(statement.body)
        after_body, self.needed = self.needed, needed
        changed_in_body, self.changed = self.changed, before
        saved_in_body, self.after_save = self.after_save, saved
        orelse = self._block(statement.orelse)
        self.changed |= changed_in_body
        self.after_save |= saved_in_body
        if not body and not orelse:
            self.needed |= after_body
            return []
        self.needed |= after_body
        self._note(statement, set(), reads(statement.test))
        lines = [f"if {self.text.of(statement.test)}:", *_deeper(body or ["pass"])]
        one_more = len(statement.orelse) == 1 and isinstance(statement.orelse[0], ast.If)
        if one_more and orelse and orelse[0].startswith("if "):
            return [*lines, f"el{orelse[0]}", *orelse[1:]]
        return [*lines, "else:", *_deeper(orelse)] if orelse else lines

    def _loop(self, statement: ast.For | ast.While) -> list[str]:
        if any(isinstance(node, ast.Return | ast.Yield) for node in ast.walk(statement)):
            raise CannotFix("a loop returns")
        if is_random(statement):
            raise CannotFix("it depends on random numbers")
        live = self.needed | reads(statement)
        lines = [self.head(statement)]
        for inner in statement.body:
            lines += _deeper(self._inside(inner, live))
        if statement.orelse:
            raise CannotFix("a loop has an `else`")
        read = exposed([statement]) if isinstance(statement, ast.For) else reads(statement)
        self._note(statement, bound(statement), read)
        return lines

    def _inside(self, statement: ast.stmt, live: set[str]) -> list[str]:
        """A statement in a loop: everything may be read again in the next iteration."""
        match statement:
            case ast.Assign() | ast.AugAssign() | ast.Expr():
                return functional(statement, self.method, live)
            case ast.If():
                body = [line for s in statement.body for line in self._inside(s, live)]
                orelse = [line for s in statement.orelse for line in self._inside(s, live)]
                tail = ["else:", *_deeper(orelse)] if orelse else []
                return [f"if {self.text.of(statement.test)}:", *_deeper(body), *tail]
            case ast.For() | ast.While() if not statement.orelse:
                return [
                    self.head(statement),
                    *(line for s in statement.body for line in _deeper(self._inside(s, live))),
                ]
            case ast.Break() | ast.Continue() | ast.Pass():
                return [self.text.of(statement)]
        raise CannotFix(f"a loop has a `{keyword(statement)}`")

    def head(self, statement: ast.For | ast.While) -> str:
        """The first line of a loop."""
        if isinstance(statement, ast.While):
            return f"while {self.text.of(statement.test)}:"
        return f"for {self.text.of(statement.target)} in {self.text.of(statement.iter)}:"

    def _whole(self, statement: ast.stmt, names: set[str], read: set[str]) -> list[str]:
        self.needed -= names
        self._note(statement, names, read)
        return self.text.lines_of(statement)

    def _note(self, statement: ast.stmt, assigned: set[str], read: set[str]) -> None:
        self._check_attributes(statement)
        self.found.statements.append(statement)
        self.found.assigned |= assigned
        self.own |= assigned
        self.found.all_reads |= read
        self._need(read)

    def _need(self, names: set[str]) -> None:
        for name in names:
            if name == self.wanted.context:
                self.found.reads_context = True
            elif self.after_save and name in self.wanted.at_hand and name not in self.changed:
                self.found.at_hand.add(name)
            else:
                self.needed.add(name)

    def _reads(self, node: ast.AST) -> set[str]:
        """The names that it reads, but for branches that are never taken and what decides that."""
        dropped: set[str] = set()
        kept: set[str] = set()
        for part in ast.walk(node):
            if isinstance(part, ast.IfExp) and (known := self._truth(part.test)) is not None:
                dropped |= reads(part)
                kept |= reads(part.body if known else part.orelse)
        return (reads(node) - dropped) | kept if dropped else reads(node)

    def _may_write(self, arguments: list[ast.expr]) -> bool:
        return any(isinstance(a, ast.Name) and a.id in self.needed for a in arguments)

    def _is_given(self, value: ast.expr) -> bool:
        if isinstance(value, ast.Subscript):
            value = value.value
        return isinstance(value, ast.Name) and value.id in self.wanted.given

    def _truth(self, test: ast.expr) -> bool | None:
        """``any(ctx.needs_input_grad)`` is true where a backward runs."""
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            inner = self._truth(test.operand)
            return None if inner is None else not inner
        known = isinstance(test, ast.Name) and test.id in self.always
        return True if known or asks_for_any(test, self.wanted.context) else None


def _is_one(node: ast.AST, wanted: Wanted) -> bool:
    """True if it is one of the attributes that are wanted, read."""
    match node:
        case ast.Attribute(value=ast.Name(id=owner), attr=name, ctx=ast.Load()):
            return owner == wanted.context and name in wanted.attributes
        case ast.AugAssign(target=ast.Attribute(value=ast.Name(id=owner), attr=name)):
            return owner == wanted.context and name in wanted.attributes
    return False


def _deeper(lines: list[str]) -> list[str]:
    return [f"    {line}" if line else line for line in lines]
