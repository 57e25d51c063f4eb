"""Classes that are autograd functions, and the methods that each of them runs.

In: a module. Out: its `FunctionClass` values. A class counts where one of its
bases is ``torch.autograd.Function`` under any name, directly or through classes
of the linted tree.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from .modules import Class, Dotted, Entity, Expression, TorchModule

FUNCTIONS = frozenset(
    {
        "torch.autograd.Function",
        "torch.autograd.function.Function",
        "torch.autograd.function.InplaceFunction",
        "torch.autograd.function.NestedIOFunction",
        "torch.autograd.function.FunctionMeta",
    }
)


@dataclass(frozen=True, eq=False)
class Method:
    """A method as a class runs it: found in `owner`, one of the classes that it inherits from."""

    node: ast.FunctionDef
    owner: Class

    @cached_property
    def decorators(self) -> tuple[str, ...]:
        """The last names of its decorators: ``staticmethod``, ``once_differentiable``."""
        return tuple(last_name(decorator) for decorator in self.node.decorator_list)

    @property
    def parameters(self) -> list[ast.arg]:
        """Positional parameters, the context included, the class of a class method left out."""
        arguments = self.node.args
        found = [*arguments.posonlyargs, *arguments.args]
        return found[1:] if "classmethod" in self.decorators else found


@dataclass(frozen=True, eq=False)
class FunctionClass:
    """A ``torch.autograd.Function`` with the methods that it runs."""

    own: Class
    order: tuple[Class, ...]

    @property
    def name(self) -> str:
        """The class's name."""
        return self.own.node.name

    def method(self, name: str, after: Class | None = None) -> Method | None:
        """The method of this name, or the next one after a class (for ``super()``)."""
        order = self.order if after is None else self.order[self.order.index(after) + 1 :]
        for owner in order:
            if name in owner.methods:
                return Method(owner.methods[name], owner)
        return None

    def value(self, name: str) -> Expression | None:
        """The class attribute of this name."""
        for owner in self.order:
            if name in owner.values:
                return Expression(owner.values[name], owner.module)
        return None

    @cached_property
    def always_raises(self) -> bool:
        """True if its backward only raises: a barrier that refuses second derivatives."""
        backward = self.method("backward")
        if backward is None:
            return False
        nodes = list(ast.walk(backward.node))
        ends = isinstance(backward.node.body[-1], ast.Raise)
        return ends and not any(isinstance(node, ast.Return) for node in nodes)

    @cached_property
    def without_gradient(self) -> frozenset[int]:
        """The places of parameters whose gradient is written as None, or as zeros, at every return."""
        backward = self.method("backward")
        if backward is None:
            return frozenset()
        found = [node.value for node in ast.walk(backward.node) if isinstance(node, ast.Return)]
        places: set[int] | None = None
        for value in found:
            items = value.elts if isinstance(value, ast.Tuple) else [value or ast.Constant(None)]
            if any(isinstance(item, ast.Starred) for item in items):
                return frozenset()
            here = {place for place, item in enumerate(items) if _is_nothing(item)}
            places = here if places is None else places & here
        return frozenset(places or ())


def _is_nothing(node: ast.expr) -> bool:
    """True for ``None``, ``torch.zeros_like(grad)``, ``grad.new_zeros(n)``."""
    if isinstance(node, ast.Call):
        return last_name(node) in ("zeros", "zeros_like", "new_zeros")
    return isinstance(node, ast.Constant) and node.value is None


def function_classes(module: TorchModule) -> Iterator[FunctionClass]:
    """The autograd functions that a module defines."""
    for item in module.classes():
        found = as_function(item)
        if found is not None:
            yield found


def as_function(item: Class) -> FunctionClass | None:
    """The class as an autograd function, or None where it isn't one."""
    order: list[Class] = []
    return FunctionClass(item, tuple(order)) if _collect(item, order) else None


def _collect(item: Class, order: list[Class]) -> bool:
    """True if a class leads to ``Function``; its bases of the linted tree are added, nearest first."""
    if any(known.node is item.node for known in order) or len(order) > 20:
        return False
    order.append(item)
    found = False
    for base in item.node.bases:
        entity = resolve(base, item.module)
        if isinstance(entity, Dotted):
            found |= entity.name in FUNCTIONS or (_is_named_function(base) and _has_context(item))
        elif entity is None and item.module.stars:
            found |= _is_named_function(base) and _has_context(item)
        elif isinstance(entity, Class):
            found |= _collect(entity, order)
    return found


def _is_named_function(base: ast.expr) -> bool:
    """True for a base of unknown origin that is called as PyTorch's."""
    return last_name(base) == "Function"


def _has_context(item: Class) -> bool:
    """True if a class has a forward and a backward that take a context."""
    methods = [item.methods.get("forward"), item.methods.get("backward")]
    return all(method is not None and "ctx" in {a.arg for a in method.args.args[:2]} for method in methods)


def unread(module: TorchModule, read: set[ast.ClassDef]) -> Iterator[tuple[str, ast.AST]]:
    """The classes that look like autograd functions, and are not among those that were read: name and place.

    Their base is not at hand, their forward or backward is no function of the text, or ``type(...)`` makes
    them.
    """
    if "torch" not in module.source.text:
        return
    given = set(_set_from_outside(module))
    for item in module.classes():
        if item.node in read:
            continue
        made = {"forward", "backward"} & {*item.values} - {*item.methods}
        made_or_given = made or item.node.name in given
        if _has_context(item) or _saves(item) or (made_or_given and as_function(item) is not None):
            yield item.node.name, item.node
    for node in ast.walk(module.tree) if "type(" in module.source.text else ():
        match node:
            case ast.Call(
                func=ast.Name(id="type"), args=[ast.Constant(value=str(name)), ast.Tuple(elts=bases), _]
            ):
                found = (resolve(base, module) for base in bases)
                if any(isinstance(base, Dotted) and base.name in FUNCTIONS for base in found):
                    yield name, node


def _set_from_outside(module: TorchModule) -> Iterator[str]:
    """``Scaled`` of ``Scaled.forward = staticmethod(scale)``."""
    for statement in module.tree.body:
        for target in statement.targets if isinstance(statement, ast.Assign) else ():
            match target:
                case ast.Attribute(value=ast.Name(id=name), attr="forward" | "backward"):
                    yield name


def _saves(item: Class) -> bool:
    """True if a class whose base is not at hand has a static forward or backward that uses a context."""
    if as_function(item) is not None:
        return False
    found = (item.methods.get(name) for name in ("forward", "backward", "setup_context"))
    return any(
        isinstance(node, ast.Attribute)
        and node.attr in ("save_for_backward", "saved_tensors")
        and isinstance(node.value, ast.Name)
        and node.value.id in {argument.arg for argument in method.args.args[:2]}
        for method in found
        if method is not None and any(last_name(one) == "staticmethod" for one in method.decorator_list)
        for node in ast.walk(method)
    )


def method_of(item: Class, name: str, depth: int = 0) -> Method | None:
    """The method that an object of a class of the linted text runs; None where it isn't at hand."""
    if name in item.methods:
        return Method(item.methods[name], item)
    for base in item.node.bases if depth < 8 else ():
        entity = resolve(base, item.module)
        found = method_of(entity, name, depth + 1) if isinstance(entity, Class) else None
        if found is not None:
            return found
    return None


def _alias(entity: Entity | None, depth: int) -> Entity | None:
    """The entity that ``Function = torch.autograd.Function`` stands for."""
    if isinstance(entity, Expression) and depth < 8:
        branches = (
            (entity.node.body, entity.node.orelse) if isinstance(entity.node, ast.IfExp) else (entity.node,)
        )
        for node in branches:
            if isinstance(node, ast.Name | ast.Attribute):
                found = resolve(node, entity.module, depth + 1)
                if isinstance(found, Class) or (isinstance(found, Dotted) and found.name in FUNCTIONS):
                    return found
    return entity


def resolve(node: ast.expr, module: TorchModule, depth: int = 0) -> Entity | None:
    """The entity that a name or a dotted name at the top level of a module stands for."""
    if isinstance(node, ast.Name):
        return _alias(module.entity(node.id), depth)
    if isinstance(node, ast.Attribute):
        base = resolve(node.value, module, depth)
        if isinstance(base, Expression) and depth < 8:  # autograd = torch.autograd
            base = resolve(base.node, base.module, depth + 1)
        if isinstance(base, Dotted):
            return module.program.follow(Dotted(f"{base.name}.{node.attr}"), module)
    if isinstance(node, ast.Subscript):
        return resolve(node.value, module)
    return None


def last_name(node: ast.expr) -> str:
    """``once_differentiable`` of ``@torch.autograd.function.once_differentiable(...)``."""
    if isinstance(node, ast.Call):
        node = node.func
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
