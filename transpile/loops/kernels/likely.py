"""The usual shapes of a kernel's inputs, where it cannot know them: a guess that it checks.

In: a kernel. Out: a `Likely` for each input that something is broadcast with. A weight broadcasts to the
array that it weighs, what is summed itself has the shape of what it is multiplied with, and what multiplies
something made anew (distances, a sum) is a number. Knowing that, a loop over rows needs no sums over axes
that an operand might have had.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from ...analysis.types import Types, add_types, type_of
from ...ir import Var
from ...ir.types import Shape, TensorType, Unranked, held_shape, shape_of, unknown_tensor
from ...operators import OPERATORS
from ..lower import shape_sets
from ..lower.kernel import Guess, Input, Kernel, Likely, ShapeSet
from ..lower.operators.reductions import REDUCTIONS


def likely(kernel: Kernel) -> tuple[Likely, ...]:
    """The guess; empty where there is nothing to guess."""
    expected = {eqn.args[0] for eqn in kernel.block.eqns if eqn.op == "expect_like"}
    free = [e.var for e in kernel.inputs if e.role == "tensor" and e.shape is None and e.var not in expected]
    known: Types = {var: unknown_tensor(var.name) for var in kernel.block.params if var.kind == "tensor"}
    reduced = {eqn.args[0] for eqn in kernel.block.eqns if eqn.op in REDUCTIONS}
    guesses: dict[Var, Likely] = {}
    for eqn in kernel.block.eqns:
        operator = OPERATORS.get(eqn.op)
        if operator is not None and operator.pointwise:
            shapes = {atom: shape_of(type_of(atom, known)) for atom in eqn.args if isinstance(atom, Var)}
            for var in (var for var in shapes if var in free[1:] and var not in guesses):
                others = [shape for other, shape in shapes.items() if other != var and shape != ()]
                if not others:
                    continue
                parts = {part for shape in others if isinstance(shape, Unranked) for part in shape.parts}
                among = any(other.name in parts for other in free)
                alike = among and var in reduced
                guesses[var] = Likely(var, free[0] if among else None, alike)
                whole = unknown_tensor(free[0].name).shape
                shape: Shape = whole if alike else held_shape(var.name, whole) if among else ()
                known[var] = TensorType(shape, f"{var.name}.dtype")
        add_types(eqn, known)
    return tuple(guesses.values())


def assumed(inputs: Sequence[Input], guesses: Sequence[Likely]) -> tuple[Input, ...]:
    """The inputs where the guesses hold."""
    shapes = {guess.var: _shape(guess) for guess in guesses}
    return tuple(replace(e, shape=shapes[e.var]) if e.var in shapes else e for e in inputs)


def _shape(guess: Likely) -> ShapeSet:
    if guess.whole is None:
        return shape_sets.SCALAR
    whole: ShapeSet = frozenset({guess.whole.name})
    return whole if guess.alike else shape_sets.part(whole, guess.var.name)


def guessed(kernel: Kernel) -> Guess | None:
    """The guess of a kernel, or one that it might make; None where there is nothing to guess."""
    if kernel.guess is not None:
        return kernel.guess
    guesses = likely(kernel)
    return Guess(guesses, assumed(kernel.inputs, guesses)) if guesses else parts_of_one(kernel)


def parts_of_one(kernel: Kernel) -> Guess | None:
    """The guess that what inputs are broadcasts of is all a part of the first; None where none is one.

    The gradient of what a weight and an array were broadcast to has the array's shape.
    """
    shapes = [entry.shape for entry in kernel.inputs if entry.shape is not None]
    joint = {name for shape in shapes for names in _broadcasts(shape) for name in names}
    own = {name: e.var for e in kernel.inputs for name in joint if e.shape == frozenset({name})}
    if not joint or joint != own.keys():
        return None
    whole = next(iter(name for entry in kernel.inputs for name in joint if entry.shape == frozenset({name})))
    others = [name for name in own if name != whole]
    guesses = tuple(Likely(own[name], own[whole]) for name in others)
    known = {name: shape_sets.part(frozenset({whole}), name) for name in others}
    inputs = tuple(
        e if e.shape is None else replace(e, shape=_where_known(e.shape, known)) for e in kernel.inputs
    )
    return Guess(guesses, inputs)


def _broadcasts(shape: ShapeSet) -> Iterator[list[str]]:
    """The names that shapes are broadcasts of, where they are several."""
    names = [token for token in shape if isinstance(token, str)]
    if len(names) > 1:
        yield names
    for token in shape:
        if isinstance(token, tuple):
            for part in _shapes_in(token):
                yield from _broadcasts(part)


def _shapes_in(token: tuple[object, ...]) -> Iterator[ShapeSet]:
    """The shapes that another one is made of: that of a view's operand, and those of what is joined."""
    for part in token:
        if isinstance(part, frozenset):
            yield part
        elif isinstance(part, tuple):
            yield from _shapes_in(part)


def _where_known(shape: ShapeSet, known: Mapping[str, ShapeSet]) -> ShapeSet:
    """A shape where these names are the shapes of something else."""

    def of(token: object) -> ShapeSet:
        if isinstance(token, tuple):
            return frozenset({tuple(_within(part, known) for part in token)})
        return known.get(token, frozenset({token})) if isinstance(token, str) else frozenset({token})

    return shape_sets.join(map(of, shape))


def _within(part: object, known: Mapping[str, ShapeSet]) -> object:
    """A part of what a shape is made of, with what is known of the shapes in it."""
    if isinstance(part, frozenset):
        return _where_known(part, known)
    return tuple(_within(each, known) for each in part) if isinstance(part, tuple) else part
