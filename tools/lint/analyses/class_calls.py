"""Calls of autograd functions themselves: ``Other.apply(...)``, ``super().forward(...)``."""

from __future__ import annotations

from ..frontend.classes import FunctionClass, Method
from ..frontend.modules import Function
from .followed_calls import FollowedCalls
from .state import State
from .torch_calls import Arguments
from .values import (
    Facts,
    Form,
    Kind,
    Thing,
    Value,
    any_form,
    combine,
    facts_of,
    lose,
    plain,
    unrecorded,
)


class ClassCalls(FollowedCalls):
    """Follows methods of the class that is read, and knows what PyTorch makes of others."""

    owner: FunctionClass

    def call_on_class(
        self, entity: FunctionClass, thing: Thing, name: str, arguments: Arguments, state: State
    ) -> Value:
        if name == "apply":
            facts = [facts_of(value) for value in arguments.values]
            form = any_form([fact.form for fact in facts])
            if entity.always_raises:
                return self.fresh(Facts(Kind.DIFFERENTIABLE, Form.UNKNOWN), arguments.node)
            return self.fresh(self._of_nested(entity, facts, form, arguments), arguments.node)
        method = entity.method(name)
        if method is None:
            return self.opaque((thing,), arguments, name, state)
        return self._inline_method(method, thing, arguments, state)

    def _of_nested(
        self, entity: FunctionClass, facts: list[Facts], form: Form, arguments: Arguments
    ) -> Facts:
        """The facts of what another class's ``apply`` gives, cut off from what it gives no gradient."""
        span = self.span(arguments.node)
        none = entity.without_gradient if not any(item.starred for item in arguments.items) else frozenset()
        stopped = [fact for place, fact in enumerate(facts) if place in none and fact.kind is not Kind.NONE]
        if not stopped:
            return combine(facts, form, span)
        cut = combine(stopped, form, span)
        how = f"`{entity.name}.apply`, whose backward gives it no gradient"
        cut = lose(cut, span, how) if self.cuts else unrecorded(cut)
        rest = [fact for place, fact in enumerate(facts) if place not in none]
        return combine([cut, *rest], form, span)

    def call_super(self, name: str, arguments: Arguments, state: State) -> Value:
        current = next(
            (
                c
                for c in self.owner.order
                for m in c.methods.values()
                if self.running and m is self.running[-1]
            ),
            None,
        )
        method = self.owner.method(name, after=current) if current else None
        if method is None:
            return plain()
        return self._inline_method(method, Thing(entity=self.owner), arguments, state)

    def _inline_method(self, method: Method, owner: Thing, arguments: Arguments, state: State) -> Value:
        scope: dict[str, Value] = {}
        node = method.node
        if "classmethod" in method.decorators:
            first = (*node.args.posonlyargs, *node.args.args)[:1]
            scope = {argument.arg: (owner,) for argument in first}
        return self.inline(Function(node, method.owner.module), scope, arguments, state)
