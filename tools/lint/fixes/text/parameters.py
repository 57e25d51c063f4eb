"""The parameters of a function that saves: which are tensors, which come through to the backward."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from functools import cached_property

from ...analyses.forward import is_class
from ...analyses.torch_names import TENSOR_EVIDENCE
from .place import Place, body_of, names_in, unused
from .reading import changed
from .saved_call import Saving
from .splices import CannotFix


class Parameters:
    """Parameters of a forward, or what a ``setup_context`` unpacks from its inputs."""

    def __init__(self, function: ast.FunctionDef, place: Place) -> None:
        self.function, self.place = function, place
        arguments = [*function.args.posonlyargs, *function.args.args]
        is_class_method = any(getattr(d, "id", "") == "classmethod" for d in function.decorator_list)
        self.cls = arguments.pop(0).arg if is_class_method else None
        if not arguments:
            raise CannotFix(f"`{function.name}` has no context")
        self.context = arguments.pop(0).arg
        self.given: tuple[str, ...] = ()
        forward = place.facts.forward
        if forward.saver is not forward.method and forward.saver.node.lineno == function.lineno:
            self.given = tuple(a.arg for a in arguments)
            self.names = [n for s in function.body for n in self._unpacked(s)]
            self.arguments: list[ast.arg] = []
        else:
            self.arguments = [*arguments, *function.args.kwonlyargs]
            self.names = [a.arg for a in self.arguments]

    def _unpacked(self, statement: ast.stmt) -> list[str]:
        if not isinstance(statement, ast.Assign):
            return []
        value = statement.value.value if isinstance(statement.value, ast.Subscript) else statement.value
        if not (isinstance(value, ast.Name) and value.id in self.given):
            return []
        return [n.id for t in statement.targets for n in ast.walk(t) if isinstance(n, ast.Name)]

    @property
    def inputs(self) -> list[str]:
        """The names that a ``setup_context`` unpacks all inputs to, in order; none where it does not."""
        for statement in self.function.body:
            match statement:
                case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Name(id=value)) if self.given[
                    :1
                ] == (value,):
                    return [name.id for name in names if isinstance(name, ast.Name)]
        return []

    def check_returns(self, save: ast.stmt | None) -> None:
        """`CannotFix` where the function may return before it saves."""
        line = save.lineno if save is not None else self.function.body[-1].lineno
        if any(isinstance(n, ast.Return) and n.lineno < line for n in ast.walk(self.function)):
            raise CannotFix("the forward may return before it saves")

    def is_tensor(self, name: str) -> bool:
        """True if something says that it is a tensor, and nothing that it may be something else."""
        if self.given:
            return True
        (argument,) = (a for a in self.arguments if a.arg == name)
        if self._may_be_a_number(argument) or is_class(argument.annotation):
            return False
        annotation = ast.unparse(argument.annotation) if argument.annotation is not None else ""
        known = {p.name for p in self.place.facts.forward.parameters if p.tensor}
        return "Tensor" in annotation or name in known | self._used_as_tensors or self._has_gradient(name)

    def _has_gradient(self, name: str) -> bool:
        method = self.place.facts.forward.method.node
        return method.lineno == self.function.lineno and name in self.place.facts.differentiable

    def _may_be_a_number(self, argument: ast.arg) -> bool:
        for node in ast.walk(self.function):
            match node:
                case ast.Call(func=ast.Name(id="isinstance"), args=[ast.Name(id=name), *_]) if (
                    name == argument.arg
                ):
                    return True
        positional = [*self.function.args.posonlyargs, *self.function.args.args]
        defaults = self.function.args.defaults
        with_default = positional[len(positional) - len(defaults) :] if defaults else []
        values = dict(zip((a.arg for a in with_default), defaults, strict=True))
        values |= {
            a.arg: d
            for a, d in zip(self.function.args.kwonlyargs, self.function.args.kw_defaults, strict=True)
            if d
        }
        value = values.get(argument.arg)
        return isinstance(value, ast.Constant) and value.value is not None

    @cached_property
    def _used_as_tensors(self) -> set[str]:
        found = set()
        for node in ast.walk(self.function):
            match node:
                case ast.Attribute(value=ast.Name(id=name), attr=attribute) if attribute in TENSOR_EVIDENCE:
                    found.add(name)
                case ast.Call(func=ast.Attribute(attr="save_for_backward"), args=args):
                    found |= {a.id for a in args if isinstance(a, ast.Name)}
        return found

    def stored_attributes(self) -> dict[str, str]:
        """Parameters that the context keeps as they came in, with the attribute's name."""
        found: dict[str, str] = {}
        before: set[str] = set()
        for statement in self.function.body:
            match statement:
                case ast.Assign(
                    targets=[ast.Attribute(value=ast.Name(id=owner), attr=attribute)], value=ast.Name(id=name)
                ) if owner == self.context and name in self.names and name not in before:
                    found.setdefault(name, attribute)
            before |= changed(statement) - {self.context}
        return found

    def to_save(self, needed: set[str], made: set[str]) -> tuple[list[str], dict[str, str]]:
        """The parameters to save as tensors, and the others with their attributes.

        `made`: those that are tensors for certain once they are made so.
        """
        tensors, plain, stored = [], {}, self.stored_attributes()
        attributes = {
            n.attr
            for n in ast.walk(self.place.owner(self.function) or self.place.module.tree)
            if isinstance(n, ast.Attribute)
        }
        for name in self.names:
            if name not in needed:
                continue
            if name in stored and name not in made:
                plain[name] = stored[name]
            elif name in made or self.is_tensor(name):
                tensors.append(name)
            else:
                plain[name] = unused(name, attributes)
        return tensors, plain

    def snapshots(
        self, tensors: list[str], saving: Saving | None, made: Mapping[str, ast.stmt]
    ) -> tuple[dict[str, str], list[str]]:
        """Under which name each is saved: its own, or one that holds it as it came in."""
        line = saving.statement.lineno if saving is not None else self.function.body[-1].lineno
        before = {n for s in self.function.body if s.lineno <= line for n in self._rebound(s, line)}
        taken = names_in(self.function)
        written, lines = {}, []
        for name in tensors:
            written[name] = name
            if name in before:
                written[name] = unused(f"given_{name}", taken)
                line_of = f"{written[name]} = {name}"
                if name in made:
                    self.place.text.after(made[name], [line_of])
                else:
                    lines.append(line_of)
        return written, lines

    def _rebound(self, statement: ast.stmt, line: int) -> set[str]:
        if self._unpacked(statement):
            return set()
        return {
            n
            for inner in ast.walk(statement)
            if isinstance(inner, ast.stmt) and inner.lineno <= line
            for n in (changed(inner) if not hasattr(inner, "body") else set())
        }

    def keep(self, plain: dict[str, str], snapshots: list[str]) -> None:
        """Write the lines that keep parameters on the context, and those that hold them as they came in."""
        stored = self.stored_attributes()
        lines = [
            f"{self.context}.{attribute} = {name}" for name, attribute in plain.items() if name not in stored
        ]
        if lines and self.given:
            raise CannotFix("what `setup_context` is given is stored in several ways")
        if lines or snapshots:
            self.place.text.before(body_of(self.function)[0], [*snapshots, *lines])
