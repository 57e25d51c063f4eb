"""Names for values by what computes them: ``exp_x``, ``difference``, ``total``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .ir import Atom, Eqn, Var
from .operators import OPERATORS

_NOUNS = {
    "add": "total", "subtract": "difference", "multiply": "product", "divide": "ratio", "matmul": "product",
    "power": "power", "negative": "negated", "positive": "copy", "sqrt": "root", "square": "squared",
    "reciprocal": "inverse", "sum": "total", "prod": "product", "mean": "mean", "max": "largest",
    "min": "smallest", "abs": "magnitude", "contract": "product", "getitem": "part", "item": "part",
    "where": "chosen", "if": "chosen", "reshape": "reshaped", "transpose": "transposed",
    "swapaxes": "transposed", "expand_dims": "expanded", "squeeze": "squeezed", "broadcast_to": "wide",
    "concatenate": "joined", "stack": "stacked", "stacked": "stacked", "collect": "stacked",
    "collect_flat": "joined",
    "index_put": "written",
    "broadcast_like": "wide", "sum_to": "summed", "accumulate": "total", "zeros_like": "zeros",
    "ones_like": "ones", "not_": "negated", "range": "iterations", "len": "count", "mod": "rest",
    "remainder": "rest",
    "equal": "same", "not_equal": "differs", "less": "below", "less_equal": "below", "greater": "above",
    "greater_equal": "above", "is_none": "absent", "opaque": "found",
}  # fmt: skip
BUILTINS = frozenset(
    {"round", "abs", "pow", "tuple", "list", "slice", "all", "any", "float", "int", "format"}
)


def noun(eqn: Eqn, of: Mapping[Var, str]) -> str:
    """A name for what an equation computes.

    of  for a temporary, the one name that it is computed from

    >>> noun(Eqn((Var("_1", temp=True),), "exp", (Var("x"),)), {})
    'exp_x'
    """
    op = eqn.op.rpartition(".")[2]
    if op == "item" and eqn.outs[0].kind == "value":
        return "size"
    if op in _NOUNS:
        return _NOUNS[op]
    one = subject(eqn.args, of)
    return f"{op}_{one}" if one else f"{op}_value" if op in BUILTINS or op not in OPERATORS else op


def subject(args: Sequence[Atom], of: Mapping[Var, str]) -> str:
    """The one name that operands are computed from; empty where there are several."""
    found = {of.get(atom, "") if atom.temp else atom.name for atom in args if isinstance(atom, Var)}
    return found.pop() if len(found) == 1 else ""
