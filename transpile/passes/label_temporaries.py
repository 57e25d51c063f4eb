"""Names for the temporaries of a forward, for a reader: ``exp_x``, ``difference``, ``total``.

In: a formula as it was read. Out: the same formula, where each temporary is
named after what it is. It stays one: where only one expression reads it, it is
written inside of that.

>>> from ..library import formula_in
>>> from ..printer import formula_text
>>> print(formula_text(label_temporaries(formula_in('''
... def share(x, y):
...     return np.exp(x - np.max(x)) / np.sum(x * y)
... '''))))
formula share(x: Tensor, y: Tensor)
  forward:
    largest = max(x)
    difference = subtract(x, largest)
    exp_x = exp(difference)
    product = multiply(x, y)
    total = sum(product)
    ratio = divide(exp_x, total)
    return result ratio
  pullback: to be derived
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ..ir import Atom, Block, Eqn, Formula, Var
from ..operators import OPERATORS
from ..rewrite import Namer, all_names, label, replace_atom, replace_block, replace_eqn, without_blocks

_NOUNS = {
    "add": "total", "subtract": "difference", "multiply": "product", "divide": "ratio", "matmul": "product",
    "power": "power", "negative": "negated", "positive": "copy", "sqrt": "root", "square": "squared",
    "reciprocal": "inverse", "sum": "total", "prod": "product", "mean": "mean", "max": "largest",
    "min": "smallest", "abs": "magnitude", "contract": "product", "getitem": "part", "item": "part",
    "where": "chosen", "if": "chosen", "reshape": "reshaped", "transpose": "transposed",
    "swapaxes": "transposed", "expand_dims": "expanded", "squeeze": "squeezed", "broadcast_to": "wide",
    "concatenate": "joined", "stack": "stacked", "stacked": "stacked", "collect": "stacked",
    "collect_flat": "joined", "array": "array",
    "index_put": "written",
    "broadcast_like": "wide", "sum_to": "summed", "accumulate": "total", "zeros_like": "zeros",
    "ones_like": "ones", "not_": "negated", "range": "iterations", "len": "count", "mod": "rest",
    "remainder": "rest",
    "equal": "same", "not_equal": "differs", "less": "below", "less_equal": "below", "greater": "above",
    "greater_equal": "above", "is_none": "absent", "opaque": "found",
}  # fmt: skip
_BUILTINS = frozenset(
    {"round", "abs", "pow", "tuple", "list", "slice", "all", "any", "float", "int", "format"}
)


def label_temporaries(formula: Formula) -> Formula:
    """The formula with names for the temporaries of its forward, which a pullback may read."""
    env: dict[Var, Atom] = {}
    taken = {formula.name, *all_names(formula.forward)}
    if formula.pullback is not None:
        taken |= all_names(formula.pullback)
    forward = _labelled(formula.forward, env, {}, Namer([*taken, *_BUILTINS]))
    if formula.pullback is None:
        return formula.evolve(forward=forward)
    read = formula.pullback.free()
    pullback = replace_block(formula.pullback, {var: atom for var, atom in env.items() if var in read})
    return formula.evolve(forward=forward, pullback=pullback)


def label_block(block: Block, used: Iterable[str]) -> Block:
    """The block with names for its temporaries, none of those that are `used`."""
    return _labelled(block, {}, {}, Namer([*used, *_BUILTINS]))


def _labelled(block: Block, env: dict[Var, Atom], of: dict[Var, str], namer: Namer) -> Block:
    """A block whose temporaries have names; `of` is what each computes with, where that is one thing."""
    eqns = []
    for eqn in block.eqns:
        inner = tuple(_labelled(nested, env, of, namer) for nested in eqn.blocks)
        bare = replace_eqn(without_blocks(eqn), env)
        for out in eqn.outs:
            if out.temp and label(out) != out.name:
                named = namer.fresh(noun(bare, of), out.kind, True)
                env[out] = named
                of.update(dict.fromkeys((out, named), _subject(bare.args, of)))
        outs = tuple(new for out in eqn.outs if isinstance(new := env.get(out, out), Var))
        eqns.append(Eqn(outs, bare.op, bare.args, bare.kwargs, inner, eqn.span))
    return Block(block.params, tuple(eqns), tuple(replace_atom(atom, env) for atom in block.results))


def noun(eqn: Eqn, of: Mapping[Var, str]) -> str:
    """A name for what an equation computes.

    of  for a temporary, the one name that it is computed from

    >>> noun(Eqn((Var("_1", temp=True),), "exp", (Var("x"),)), {})
    'exp_x'
    >>> noun(Eqn((Var("_2", temp=True),), "isinf", (Var("ctx.scale"),)), {})
    'isinf_scale'
    """
    op = eqn.op.rpartition(".")[2]
    if op == "item" and eqn.outs[0].kind == "value":
        return "size"
    if op in _NOUNS:
        return _NOUNS[op]
    one = _subject(eqn.args, of)
    return f"{op}_{one}" if one else f"{op}_value" if op in _BUILTINS or op not in OPERATORS else op


def _subject(args: Sequence[Atom], of: Mapping[Var, str]) -> str:
    """The one name that operands are computed from; empty where there are several."""
    found = {of.get(atom, "") if atom.temp else atom.name for atom in args if isinstance(atom, Var)}
    return found.pop().rpartition(".")[2] if len(found) == 1 else ""  # of ``ctx.x`` it is x
