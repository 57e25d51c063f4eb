"""A formula for certain arguments: absent ones, lists of a known length, integers.

In: a promoted formula, and what is known of its arguments. Out: the formula
whose parameters are tensors that are there, one for each element of a list.
A gradient is returned for those that have a float type.

>>> from ...library import formula_in, standard_library
>>> from ..promote.promote import promote
>>> from ...printer import formula_text
>>> total = promote(formula_in('''
... def total(xs: list[pb.Tensor], b: pb.Tensor | None = None):
...     r = xs[0] * xs[1]
...     return (r if b is None else r + b), lambda grad: ([grad * xs[1], grad * xs[0]], grad)
... '''), standard_library())
>>> print(formula_text(fitted(total, {"xs": Argument(items=(Argument(),) * 2), "b": Argument(absent=True)})))
formula total(xs_0: Tensor, xs_1: Tensor)
  forward:
    xs = list(xs_0, xs_1)
    like_b = like(None)
    _1 = item(xs, 0)
    _2 = item(xs, 1)
    r = multiply(_1, _2)
    _3 = is_none(None)
    _5 = if(_3)
      then:
        return r
      else:
        _4 = add(r, None)
        return _4
    return result _5, plain like_b
  pullback(grad):
    xs = list(xs_0, xs_1)
    _1 = item(xs, 1)
    _2 = multiply(grad, _1)
    _3 = item(xs, 0)
    _4 = multiply(grad, _3)
    _6 = list(_2, _4)
    grad_b = sum_to(grad, like=like_b)
    grad_xs_0 = item(_6, 0)
    grad_xs_1 = item(_6, 1)
    return grad_xs_0, grad_xs_1
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from ...analysis.types import known_types, param_types
from ...ir import Atom, Block, Eqn, Formula, Literal, Param, Var
from ...rewrite import MADE_OF, Namer, rename, replace_block, without_names_of
from ..simplify.simplify import simplify
from .types import Dtype


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument as it is known when its kernels are made.

    `dtype` "T" is the common float type of all that have it; `rank` the number
    of axes, None for any; `items` the elements of a list.
    """

    dtype: Dtype = "T"
    rank: int | None = None
    items: tuple[Argument, ...] | None = None
    absent: bool = False

    @property
    def is_float(self) -> bool:
        """True where a gradient can flow into it."""
        return self.dtype in ("T", "float", "double")


Arguments = Mapping[str, Argument]


def of_elements(name: str, argument: Argument) -> dict[str, Argument]:
    """The arguments under the names that `fitted` gives their parameters."""
    if argument.items is None:
        return {} if argument.absent else {name: argument}
    return {f"{name}_{k}": item for k, item in enumerate(argument.items)}


def fitted(formula: Formula, arguments: Arguments, present: bool = False) -> Formula:
    """The formula for these arguments; those that are not named are tensors of the common type.

    Where these are known to be `present`, nothing asks whether they are.
    """
    params: list[Param] = []
    first: list[Eqn] = []
    env: dict[Var, Atom] = {}
    gradients: list[Atom] = []
    last: list[Eqn] = []
    namer = Namer.of(formula)
    results = iter(formula.pullback.results if formula.pullback is not None else ())
    for param in formula.params:
        given = arguments.get(param.var.name, Argument())
        gradient = next(results, None) if param.differentiable else None
        if given.absent:
            env[param.var] = Literal(None)
        elif given.items is None:
            flows = param.differentiable and given.is_float
            params.append(replace(param, differentiable=flows, optional=False))
            gradients += [gradient] if gradient is not None and flows else []
        else:
            items = [namer.fresh(f"{param.var.name}_{k}") for k in range(len(given.items))]
            first.append(Eqn((param.var,), "list", tuple(items), span=formula.span))
            for k, (item, each) in enumerate(zip(items, given.items, strict=True)):
                flows = param.differentiable and each.is_float
                params.append(Param(item, differentiable=flows))
                if gradient is None or not flows:
                    continue
                if isinstance(gradient, Literal):
                    gradients.append(gradient)
                    continue
                part = namer.fresh(f"grad_{item.name}")
                last.append(Eqn((part,), "item", (gradient, Literal(k)), span=formula.span))
                gradients.append(part)
    if present:
        env.update(_presence(formula, {param.var for param in formula.params} - set(env)))
    variables = tuple(param.var for param in params)
    forward = replace_block(Block((), (*first, *formula.forward.eqns), formula.forward.results), env)
    forward = Block(variables, forward.eqns, forward.results)
    pullback = formula.pullback
    if pullback is not None:
        body = (*first, *pullback.eqns, *last)
        pullback = replace_block(Block(pullback.params, body, tuple(gradients)), env)
    return formula.evolve(params=tuple(params), forward=forward, pullback=pullback)


def _presence(formula: Formula, there: Collection[Var]) -> dict[Var, Atom]:
    """The questions whether one of these is None, with the answer."""
    asked = (eqn for eqn in formula.every() if eqn.op == "is_none" and eqn.args[0] in there)
    return {eqn.outs[0]: Literal(False) for eqn in asked}


# Operators whose derivative asks for the number of axes, and loops, in which what has none is a variable.
_ASKING = frozenset(
    {"ndim", "matmul", "transpose", "moveaxis", "dot", "inner", "tensordot", "norm", "solve"}
    | {"vstack", "hstack", "for"}
)


def asks_ranks(formula: Formula, elements: bool = True) -> bool:
    """True where the formula, or the derivative of something in it, chooses by numbers of axes.

    So it is with `elements` of arrays where they are variables, which they are in C++ and not in CUDA.
    """
    return any(eqn.op in _ASKING or (elements and picks(eqn)) for eqn in formula.every())


def picks(eqn: Eqn) -> bool:
    """True of an index with a number in it: what it leaves of an array of few axes has none."""
    index = eqn.kwarg("index") if eqn.op == "getitem" else None
    if isinstance(index, Var):
        return index.kind == "value"
    items = index.value if isinstance(index, Literal) else None
    return any(type(item) is int for item in (items if isinstance(items, tuple) else [items]))


def decided(formula: Formula) -> Formula:
    """The formula without the branches that its arguments rule out."""
    if formula.promoted:
        forward = simplify(formula.forward, param_types(formula), floats=False)
        pullback = formula.pullback
        if pullback is not None:
            forward, read = _with_names_of(formula, forward)
            pullback = simplify(replace_block(pullback, read), known_types(formula))
        return formula.evolve(forward=forward, pullback=pullback)
    count = len(formula.forward.results)
    captured = formula.pullback.free() if formula.pullback is not None else ()
    kept = [
        *(var for var in captured if var not in formula.forward.params),
        *(var for var, _ in formula.rules),
    ]
    forward = formula.forward
    known = known_types(formula)
    whole = Block(forward.params, forward.eqns, (*forward.results, *kept))
    block = simplify(whole, param_types(formula), floats=False)
    now: dict[Var, Atom] = dict(zip(kept, block.results[count:], strict=True))
    formula = formula.evolve(
        forward=Block(block.params, block.eqns, block.results[:count]),
        rules=tuple((atom, rule) for var, rule in formula.rules if isinstance(atom := now[var], Var)),
    )
    if formula.pullback is None:
        return formula
    return formula.evolve(pullback=simplify(replace_block(formula.pullback, now), known))


def _with_names_of(formula: Formula, forward: Block) -> tuple[Block, dict[Var, Atom]]:
    """A simpler forward whose outputs have the names that the closure knows, and what it reads else."""
    count = len(forward.results) - len(formula.plain)
    names: dict[Var, Var] = {}
    read: dict[Var, Atom] = {}
    known = {*formula.forward.params, *formula.forward.results}
    for old, new in zip(formula.forward.results[:count], forward.results[:count], strict=True):
        if not isinstance(old, Var) or old == new:
            continue
        if isinstance(new, Var) and new not in known and new not in names:
            names[new] = old
        else:
            read[old] = names.get(new, new) if isinstance(new, Var) else new
    return rename(forward, names), read


def with_plain_elements(formula: Formula) -> Formula:
    """The formula whose saved lists, tuples and slices are saved element by element."""
    assert formula.pullback is not None
    count = len(formula.forward.results) - len(formula.plain)
    spread = _Spread(formula)
    for var, atom in zip(formula.plain, formula.forward.results[count:], strict=True):
        spread.save(var, atom)
    if not spread.again:
        return formula
    eqns = (*formula.forward.eqns, *spread.more)
    results = (*formula.forward.results[:count], *spread.plain.values())
    before = set(formula.plain)
    new = [*(var for var in spread.plain if var not in before), *(eqn.outs[0] for eqn in spread.again)]
    pullback = without_names_of(new, formula.pullback, spread.namer)
    again = (*spread.again, *pullback.eqns)
    return formula.evolve(
        forward=Block(formula.forward.params, eqns, results),
        plain=tuple(spread.plain),
        pullback=Block(pullback.params, again, pullback.results),
    )


class _Spread:
    """The `plain` values that are saved instead, and the equations that put them together again."""

    def __init__(self, formula: Formula) -> None:
        self._built = {eqn.outs[0]: eqn for eqn in formula.forward.eqns if len(eqn.outs) == 1}
        self.namer = Namer.of(formula)
        self._inputs = {param.var for param in formula.params if not param.attribute}
        self.plain: dict[Var, Atom] = {}
        self.more: list[Eqn] = []
        self.again: list[Eqn] = []

    def save(self, var: Var, atom: Atom) -> None:
        """Have `var` in the pullback, which is `atom` of the forward."""
        eqn = self._built.get(atom) if isinstance(atom, Var) else None
        owner = self._built.get(eqn.args[0]) if eqn is not None and eqn.op == "like" else None  # type: ignore[arg-type]
        if eqn is not None and owner is not None and owner.op == "list":
            items = [self.namer.fresh(f"{var.name}_{k}", "value") for k in range(len(owner.args))]
            for element, item in zip(items, owner.args, strict=True):
                self.more.append(Eqn((element,), "like", (item,), span=eqn.span))
                self.plain[element] = element
            self.again.append(Eqn((var,), "list", tuple(items), span=eqn.span))
        elif eqn is not None and eqn.op in MADE_OF:
            elements = tuple(self._element(item) for item in eqn.args)
            self.again.append(Eqn((var,), eqn.op, elements, span=eqn.span))
        else:
            self.plain[var] = atom

    def _element(self, item: Atom) -> Atom:
        if isinstance(item, Literal) or item in self._inputs or item in self.plain:
            return item
        if item in self._built and self._built[item].op in MADE_OF:
            whole = self.namer.like(item)
            self.save(whole, item)
            return whole
        self.plain[item] = item
        return item
