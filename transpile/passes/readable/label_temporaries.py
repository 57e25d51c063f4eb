"""Names for the temporaries of a forward, for a reader: ``exp_x``, ``difference``, ``total``.

In: a formula as it was read. Out: the same formula, where each temporary is
named after what it is. It stays one: where only one expression reads it, it is
written inside of that.

>>> from ...library import formula_in
>>> from ...printer import formula_text
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

from collections.abc import Iterable

from ...ir import Atom, Block, Eqn, Formula, Var
from ...nouns import BUILTINS, noun, subject
from ...rewrite import Namer, all_names, label, replace_atom, replace_eqn, without_blocks


def label_temporaries(formula: Formula) -> Formula:
    """The formula with names for the temporaries of its forward."""
    forward = label_block(formula.forward, {*all_names(formula.forward), formula.name})
    return formula.evolve(forward=forward)


def label_block(block: Block, used: Iterable[str]) -> Block:
    """The block with names for its temporaries, none of those that are `used`."""
    return _labelled(block, {}, {}, Namer([*used, *BUILTINS]))


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
                of.update(dict.fromkeys((out, named), subject(bare.args, of)))
        outs = tuple(new for out in eqn.outs if isinstance(new := env.get(out, out), Var))
        eqns.append(Eqn(outs, bare.op, bare.args, bare.kwargs, inner, eqn.span))
    return Block(block.params, tuple(eqns), tuple(replace_atom(atom, env) for atom in block.results))
