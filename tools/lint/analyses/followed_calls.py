"""Calls of functions of the linted text, which are run, and of those that analysis can't see into."""

from __future__ import annotations

import ast
import re
from dataclasses import replace

from ..frontend.classes import last_name
from ..frontend.modules import Dotted, Function, is_compiled
from . import containers, torch_names
from .builtin_calls import BuiltinCalls
from .context import Context
from .state import State, join_heaps
from .statements import Frame
from .torch_calls import Arguments
from .values import (
    MISSING,
    Bound,
    Facts,
    Form,
    Given,
    Item,
    Kind,
    Store,
    Thing,
    Value,
    combine,
    constant,
    facts_of,
    leaves,
    lose,
    plain,
    union,
    unrecorded,
)

DEEPEST = 8
OF_DERIVATIVE = re.compile(r"(?:^|_)(?:bwd|backward|backprop|vjp)(?:_|$)", re.IGNORECASE)
BY_NAME = "which is not at hand, and by its name is a derivative"
LOADERS = ("load(", "load_inline(", "load_extension(", "import_ext(")


class FollowedCalls(BuiltinCalls):
    """Runs what it can see into; of another call, what it gives may depend on all that it is given."""

    def __init__(self) -> None:
        super().__init__()
        self.running: list[ast.AST] = []

    def opaque(self, callee: Value, arguments: Arguments, name: str, state: State) -> Value:
        """A call that analysis can't see into: what it gives may depend on all that it is given."""
        span = self.span(arguments.node)
        for value in arguments.values:
            self.tested(tuple(thing for thing in value if thing.token is not None))  # it may test for None
        facts = [*(facts_of(value) for value in arguments.values), facts_of(callee)]
        facts += self._callbacks(arguments, facts, state)
        made = combine(facts, Form.UNKNOWN, span)
        if made.kind is not Kind.NONE:
            made = replace(made, kind=Kind.OPAQUE)
        if self.cuts and _is_kernel(name):
            made = lose(made, span, f"the kernel `{name.partition('[')[0]}`")
        elif self.cuts and self._fills(callee, arguments, name):
            shown = name or ast.unparse(arguments.node.func)
            made = lose(made, span, f"`{shown}`, which fills a buffer and is not at hand")
        elif self.cuts and _is_derivative(callee, name) and _of_gradient(made):
            made = lose(made, span, f"`{name}`, {BY_NAME}")
        if self.cuts and not self.grad_mode:
            made = lose(made, span, "`torch.no_grad()`")
        for value in arguments.values:
            for thing in leaves(value):
                thing.keys = None  # it may put more into a dictionary
                if thing.store.empty and made.kind is not Kind.NONE:
                    self.write(thing, replace(made, form=Form.UNKNOWN), arguments.node, False)
        self._tell(callee, arguments, made)
        if arguments.node is self.unused and _is_kernel(name) and not name.endswith("]"):
            self.launched(name, arguments)
        if _of_gradient(made):
            given = Given(span, ast.unparse(arguments.node.func).partition("[")[0])
            for thing in (thing for value in arguments.values for thing in leaves(value)):
                thing.store.given = thing.store.given or given
        if takes_context(arguments):
            return (Thing(Facts(Kind.OPAQUE, Form.UNKNOWN), Store(), span),)
        part = name and len(callee) == 1 and made.kind is Kind.NONE and is_object(callee[0])
        store = callee[0].store if part else Store()  # what an object gives may be a part of it
        return (Thing(made if self.grad_mode else unrecorded(made), store, span),)

    def _fills(self, callee: Value, arguments: Arguments, name: str) -> bool:
        """True if a function of a module that is not at hand gives nothing, and gets a buffer to fill.

        So does what an unknown call gave, or a method of it, where it gets a gradient too.
        """
        if arguments.node is not self.unused:
            return False
        if not any(thing.store.empty for value in arguments.values for thing in leaves(value)):
            return False
        if all(isinstance(thing.entity, Dotted) for thing in callee):
            return True
        given = any(_of_gradient(facts_of(value)) for value in arguments.values)
        unknown = all((t.used_as_object or t.number) and not _of_gradient(t.facts) for t in callee)
        known = name and not OF_DERIVATIVE.search(name)
        return given and unknown and (not known or all(t.facts.flows or is_object(t) for t in callee))

    def _tell(self, callee: Value, arguments: Arguments, made: Facts) -> None:
        """A call whose value nothing takes changes the objects that it is about, by what it is given."""
        if arguments.node is not self.unused or made.kind is Kind.NONE or _is_log(callee):
            return
        others = (thing for value in arguments.values for thing in leaves(value) if thing.used_as_object)
        told = [thing for thing in (*callee, *others) if is_object(thing)]
        if not self.cuts:
            told += [thing for thing in callee if thing.own.kind is Kind.OPAQUE]
        for thing in dict.fromkeys(told):
            self.write(thing, replace(made, form=Form.UNKNOWN), arguments.node, False)

    def launched(self, name: str, arguments: Arguments) -> None:
        """A kernel launch gives nothing: with no buffer to fill, it writes what belongs to others."""
        given = [thing for value in arguments.values for thing in leaves(value) if not thing.number]
        tensors = [thing for thing in given if thing.entity is None and thing.constant is MISSING]
        if not self.cuts or any(thing.store.empty or thing.store.written for thing in tensors):
            return
        span = self.span(arguments.node)
        for thing in tensors:
            if _of_gradient(thing.facts):
                made = combine([thing.facts], Form.UNKNOWN, span)
                how = f"the kernel `{name}`, which fills no other buffer"
                self.write(thing, lose(made, span, how), arguments.node, False)

    def _callbacks(self, arguments: Arguments, facts: list[Facts], state: State) -> list[Facts]:
        """Results of local functions that an unknown call is given, applied to anything that it is given."""
        made: list[Facts] = []
        for thing in (thing for value in arguments.values for thing in leaves(value)):
            if isinstance(thing.entity, Function) and thing.scope is not None and self.depth < DEEPEST:
                given = Thing(combine(facts, Form.UNKNOWN, None))
                anything = Arguments([Item((given,), starred=True)], {}, arguments.node)
                made.append(facts_of(self.inline(thing.entity, thing.scope, anything, state)))
        return made

    def inline(
        self, function: Function, scope: dict[str, Value] | object, arguments: Arguments, state: State
    ) -> Value:
        """Run a function of the linted text on the arguments of a call."""
        node = function.node
        names = {last_name(decorator) for decorator in getattr(node, "decorator_list", ())}
        if node in self.running:  # what a recursive call gives is what the others give
            return plain()
        deep = self.depth >= DEEPEST or self.steps <= 0
        if "/torch/_" in function.module.source.path and takes_context(arguments):
            return self.opaque(plain(), arguments, "", state)  # PyTorch's own ways to save are its own
        if deep or names & {"jit_kernel", "custom_op", "contextmanager", "singledispatch"}:
            return self.opaque(plain(), arguments, "", state)
        inner = State(dict(scope) if isinstance(scope, dict) else {}, state.heap)
        before = (self.module, self.frame, self.grad_mode)
        self.module, self.frame = function.module, Frame()
        self.depth += 1
        self.running.append(node)
        self._bind(node, arguments, inner)
        if names & torch_names.MODES_OFF:
            self.grad_mode = False
        if isinstance(node, ast.Lambda):
            result = self.evaluate(node.body, inner)
        else:
            end = self.run(node.body, inner)
            frame = self.frame
            values = [returned.value for returned in frame.returns]
            heaps = [returned.heap for returned in frame.returns]
            if end is not None:
                values.append(constant(None))
                heaps.append(end.heap)
            result = union(*values) if values else plain()
            if heaps:
                state.heap = join_heaps(heaps)
        self.running.pop()
        self.depth -= 1
        self.module, self.frame, self.grad_mode = before
        return result

    def _bind(
        self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda, given: Arguments, state: State
    ) -> None:
        signature = node.args
        positional = [*signature.posonlyargs, *signature.args]
        positional = [
            argument for argument in positional if argument.arg not in state.names or argument.arg != "cls"
        ]
        items = list(given.items)
        for index, argument in enumerate(positional):
            if items and items[0].starred:
                state.names[argument.arg] = given.named.get(argument.arg, items[0].value)
            elif items:
                state.names[argument.arg] = items.pop(0).value
            else:
                default = index - len(positional) + len(signature.defaults)
                missing = self.evaluate(signature.defaults[default], State()) if default >= 0 else plain()
                if "**" in given.named:
                    missing = union(missing, containers.element_of(given.named["**"]))
                state.names[argument.arg] = given.named.get(argument.arg, missing)
        if signature.vararg is not None:
            state.names[signature.vararg.arg] = containers.make(items)
        for keyword, fallback in zip(signature.kwonlyargs, signature.kw_defaults, strict=True):
            value = given.named.get(keyword.arg)
            state.names[keyword.arg] = value if value is not None else self.evaluate(fallback, State())
        if signature.kwarg is not None:
            known = {argument.arg for argument in (*positional, *signature.kwonlyargs)}
            rest = {name: value for name, value in given.named.items() if name not in known}
            made = containers.dictionary([*rest], [*rest.values()], self.frame.loops)
            if "**" in rest:
                made = containers.make([Item(value, name == "**") for name, value in rest.items()])
            state.names[signature.kwarg.arg] = made


def _is_kernel(name: str) -> bool:
    """True if a callee is compiled code, by its name: a part like ``my_cuda``, an operator, a launch.

    >>> _is_kernel(".my_cuda.forward"), _is_kernel("torch.ops.mine.forward"), _is_kernel("helpers.forward")
    (True, True, False)
    """
    operator = name.startswith("torch.ops.") and not name.startswith("torch.ops.aten.")
    return is_compiled(name) or operator or name.endswith("]") or any(loader in name for loader in LOADERS)


def _is_derivative(callee: Value, name: str) -> bool:
    """True for ``other.op_bwd``: a function of a module that is not at hand, whose name is a derivative's.

    Not for plain ``other.backward``, which says nothing of how it computes.
    """
    *_, last = name.split(".")
    outside = all(isinstance(thing.entity, Dotted) for thing in callee)
    known = name.startswith(("torch.", "builtins.")) or last == "backward"
    return outside and not known and OF_DERIVATIVE.search(last) is not None


def _of_gradient(facts: Facts) -> bool:
    return any(token.sort == "gradient" for token in facts.flows)


def _is_log(callee: Value) -> bool:
    """True for what only tells: ``logging.info``, ``warnings.warn``, ``print``."""
    names = (thing.entity.name for thing in callee if isinstance(thing.entity, Dotted))
    return any(name.partition(".")[0] in ("logging", "warnings", "print") for name in names)


def is_object(thing: Thing) -> bool:
    """True for what an unknown call gave that was given nothing of the inputs: a solver, a graph."""
    known = thing.number or thing.constant is not MISSING or thing.parts is not None
    made = thing.own.kind is Kind.NONE and thing.own.form is Form.UNKNOWN
    return made and not known and (thing.entity is None or isinstance(thing.entity, Bound))


def takes_context(arguments: Arguments) -> bool:
    """True if a call is given the context of the class."""
    return any(isinstance(thing.constant, Context) for value in arguments.values for thing in value)
