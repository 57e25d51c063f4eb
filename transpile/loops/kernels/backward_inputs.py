"""The parameters of a backward's kernel: what it reads of the forward, then its gradients."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from ...analysis.types import known_types
from ...ir import Block, Eqn, Formula, Var
from ...ir.types import ScalarType, rank_of
from ...passes.kernel.types import stored
from ..lower.facts import Fact
from ..lower.kernel import Input, Kernel, Role


def plain_pattern(formula: Formula) -> list[bool]:
    """All results have a gradient, no hidden output has."""
    count = range(len(formula.cotangents))
    return [k < formula.results and k not in formula.options.nondifferentiable for k in count]


def backward_inputs(
    formula: Formula,
    kernel: Kernel,
    reads: Sequence[Var],
    cotangents: Sequence[Var],
    facts: Mapping[Var, Fact],
) -> tuple[Input, ...]:
    """The parameters of a backward: what it reads of the forward, then cotangents."""
    outputs = dict(zip(formula.cotangents, formula.forward.results, strict=False))
    ranks = _saved_ranks(formula, kernel)
    inputs = [replace(_saved_input(var, facts[var]), rank=ranks.get(var)) for var in reads]
    for var in cotangents:
        output = outputs[var]
        like_output = facts[output] if isinstance(output, Var) else _NUMBER
        inputs.append(replace(_saved_input(var, replace(like_output, kind="array")), rank=ranks.get(var)))
    return tuple(inputs)


# Of a number in the text that is a result, which no gradient passes.
_NUMBER = Fact("array", "weak float")


def _saved_ranks(formula: Formula, kernel: Kernel) -> dict[Var, int | None]:
    """Numbers of axes of what a backward takes, in a version for those of the forward's inputs.

    A value of which nothing is known may be a shape: its number of axes is not known either.
    """
    if all(entry.rank is None for entry in kernel.inputs):
        return {}
    found = known_types(formula).items()
    return {var: rank_of(of) for var, of in found if not (isinstance(of, ScalarType) and of.kind == "value")}


def _saved_input(var: Var, fact: Fact) -> Input:
    roles: dict[str, Role] = {
        "weak int": "int",
        "int64_t": "int",
        "weak float": "float",
        "weak bool": "bool",
        "bool": "bool",
    }
    maybe = fact.element == "maybe"
    if fact.kind == "number":
        return Input(var, roles.get(fact.type, "strong"), optional=maybe)
    role: Role = "like" if fact.kind == "like" else "shape" if fact.kind == "shape" else "tensor"
    # An array that a branch leaves out comes as one that nobody reads.
    none = fact.type == "none"  # in this kernel always
    kind = "T" if none else stored(fact.type)
    return Input(var, role, kind, fact.shape, optional=none or (maybe and role != "tensor"))


def likes_among(read: Collection[Var], forward: Block) -> list[Eqn]:
    """The equations of those shapes, among what a backward reads, whose tensors it reads too."""
    return [eqn for eqn in forward.eqns if eqn.op == "like" and {*eqn.outs, *eqn.reads()}.issubset(read)]
