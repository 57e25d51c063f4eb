"""A kernel before it is lowered: a block, and what each of its parameters is in C++."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal as OneOf

from ...analysis.types import Types
from ...ir import Atom, Block, Node, Span, Var
from ...ir.types import LikeType, ScalarKind, ScalarType, ShapeType, TensorType, Type, ranked
from ...passes.kernel.types import Dtype
from ...records import record

# A tensor; the shape and dtype of one; a shape; a number.
Role = OneOf["tensor", "like", "shape", "int", "float", "strong", "bool"]

ShapeSet = frozenset[object]


@record(frozen=True, slots=True)
class Input(Node):
    """A parameter of a kernel.

    `shape` names the arrays whose shapes broadcast to this one's: two inputs
    with equal sets have equal shapes. "strong" is a float64 scalar of NumPy's,
    which widens float32; "float" is a Python number, which does not. An
    `optional` tensor is a gradient that may be undefined, another value one
    that a branch may leave out. `rank` is its number
    of axes, where the kernel holds for that one alone.
    """

    var: Var
    role: Role = "tensor"
    dtype: Dtype = "T"
    shape: ShapeSet | None = None
    optional: bool = False
    rank: int | None = None

    @property
    def is_number(self) -> bool:
        """True where it is passed as an attribute and not as a tensor."""
        return self.role in ("int", "float", "strong", "bool")

    @property
    def code(self) -> str:
        """The code of a tensor input in the kernel's signature."""
        if self.role == "shape":
            return "s"
        return {"T": "T", "float": "f", "double": "d", "int64_t": "i", "bool": "b"}[self.dtype]


@record(frozen=True, slots=True)
class Likely(Node):
    """An input that broadcasts to another one's shape, or that has no axes where `whole` is None.

    One that is `alike` has the very shape.
    """

    var: Var
    whole: Var | None
    alike: bool = False


@record(frozen=True, slots=True)
class Guess(Node):
    """A condition that a kernel checks when it runs, and its inputs where that holds."""

    likely: tuple[Likely, ...]
    inputs: tuple[Input, ...]


@record(frozen=True, slots=True)
class PlainResult(Node):
    """A result that is no array, which the kernel says with the shapes of its outputs.

    `position` is its place among the block's results; `kind` one of "like", "shape", "int", "bool", "float".
    """

    position: int
    var: Var
    kind: str


@record(frozen=True, slots=True)
class Kernel(Node):
    """A function of C++ to be: `block.params` are the variables of `inputs`, in order.

    `span` is where its formula stands, `title` its comment. `undefined` says
    whether cotangents may be absent. `guess` is what its inputs mostly are, for which it has a way of its
    own. Its plain results are outputs behind those that are arrays.
    """

    name: str
    block: Block
    inputs: tuple[Input, ...]
    span: Span
    title: str = ""
    undefined: bool = False
    guess: Guess | None = None
    plain_results: tuple[PlainResult, ...] = ()

    @property
    def outputs(self) -> tuple[tuple[int, Atom], ...]:
        """Results that are arrays, with their position among the block's results."""
        return tuple(
            (i, a) for i, a in enumerate(self.block.results) if isinstance(a, Var) and a.kind == "tensor"
        )


_KINDS: dict[Role, ScalarKind] = {"int": "int", "float": "float", "bool": "bool"}


def types_of_inputs(inputs: Sequence[Input]) -> Types:
    """The types of inputs, of tensors where their numbers of axes are known; nothing where none are."""
    known: Types = {}
    if all(entry.rank is None for entry in inputs):
        return known
    for entry in inputs:
        name = entry.var.name
        if entry.role in _KINDS and not entry.optional:
            known[entry.var] = ScalarType(_KINDS[entry.role])
        elif entry.rank is not None and not entry.is_number and not entry.optional:
            tensor = TensorType(ranked(name, entry.rank), f"{name}.dtype")
            kinds: dict[Role, Type] = {"like": LikeType(tensor), "shape": ShapeType(tensor.shape)}
            known[entry.var] = kinds.get(entry.role, tensor)
    return known
