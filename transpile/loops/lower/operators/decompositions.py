"""Decompositions of matrices, calls of NumPy's functions that have several results."""

from __future__ import annotations

from typing import NamedTuple

from ....ir import Eqn, Literal, Var
from ....passes.kernel.types import FLOATS
from ...expressions import Text, run, shape
from ..facts import Fact
from ..names import derived
from ..plan import Plan, literal_of


class Parts(NamedTuple):
    """A function of the runtime, and the shapes of its results as `part_shape` reads them."""

    function: str
    shapes: tuple[str, ...]


_PARTS = {
    "numpy.linalg.slogdet": Parts("slogdet", ("", "")),
    "numpy.linalg.eigh": Parts("eigh", ("n", "nn")),
    "numpy.linalg.eigh of the upper triangle": Parts("eigh_upper", ("n", "nn")),
    "numpy.linalg.qr": Parts("qr", ("mk", "kn")),
    "numpy.linalg.svd": Parts("svd", ("mk", "k", "kn")),
}


def decomposes(eqn: Eqn) -> bool:
    """True for an equation that is such a call, with the keywords that are compiled."""
    return eqn.op == "opaque" and _parts(eqn) is not None


def _parts(eqn: Eqn) -> Parts | None:
    """The runtime's function for the call, or None where its keywords are not compiled."""
    callee = str(literal_of(eqn, "callee"))
    keywords = {name: atom for name, atom in eqn.kwargs if name != "callee"}
    if callee == "numpy.linalg.eigh" and keywords.pop("UPLO", Literal("L")) == Literal("U"):
        callee += " of the upper triangle"
    wanted = {"full_matrices": Literal(False)} if callee == "numpy.linalg.svd" else {}
    return _PARTS.get(callee) if keywords == wanted else None


def add_decomposition(plan: Plan, eqn: Eqn, out: Var) -> None:
    """The call, whose results are those that items of it are named after."""
    fact = plan.array(eqn.args[0])
    if fact.type not in FLOATS:
        raise plan.refuse("decompositions are compiled for floats only")
    parts = _parts(eqn)
    assert parts is not None
    names = [_named(plan, out, k) for k in range(len(parts.shapes))]
    shapes = [run("part_shape", shape(fact.node), Text(letters)) for letters in parts.shapes]
    views = [
        plan.target(name, fact.type, whole, fact.level) for name, whole in zip(names, shapes, strict=True)
    ]
    plan.call(fact.level, run(parts.function, fact.node, *views))
    for name, view in zip(names, views, strict=True):
        plan.array_fact(name, view, fact.type, plan.own_shape(parts.function, name.name), fact.level + 1)
    plan.define(out, Fact("list", items=tuple(names)))


def _named(plan: Plan, out: Var, position: int) -> Var:
    """The variable that an element is assigned to, or one of its own."""
    for eqn in plan.kernel.block.eqns:
        if eqn.op == "item" and eqn.args == (out, Literal(position)):
            return eqn.outs[0]
    return derived(f"{out.name}_{position}")
