"""Lists of known length written out, so that each element is a value of its own.

In: a block, and types of its parameters. Out: the block where the
parts that an array is split into are pieces of it, the gradients of a sum of
products are sums of products, and what joins arrays of several ranks joins such
of one. What these need, and what differentiates them, the emitter has.

>>> from ...ir import Block
>>> from ...printer import block_text
>>> a, b, x, r = Var("a", "value"), Var("b", "value"), Var("x"), Var("r")
>>> likes, parts = Var("likes", "value"), Var("parts", "list")
>>> block = Block((x, a, b), (
...     Eqn((likes,), "list", (a, b)),
...     Eqn((parts,), "unstack_like", (x,), (("likes", likes), ("axis", Literal(0)))),
...     Eqn((r,), "item", (parts, Literal(1))),
... ), (r,))
>>> print(block_text(written_out(block, {})))
likes = list(a, b)
parts_0 = getitem(x, index=(0,))
parts_1 = sum_to(parts_0, like=a)
parts_2 = getitem(x, index=(1,))
r = sum_to(parts_2, like=b)
parts = list(parts_1, r)
return r
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ...analysis.types import Types, known_types, type_of, types_of
from ...attributes import spelled_out
from ...ir import Atom, Block, Eqn, Formula, Kind, Literal, Var
from ...ir.types import Type, rank_of
from ...rewrite import Namer, all_names, rename, replace_eqn


def with_lists_written_out(formula: Formula) -> Formula:
    """The formula with both its blocks written out."""
    namer, types = Namer.of(formula), known_types(formula)
    forward = _written(formula.forward, types, namer, {})
    pullback = formula.pullback
    if pullback is not None:
        pullback = _written(pullback, types_of(pullback.eqns, types), namer, {})
    return formula.evolve(forward=forward, pullback=pullback)


def written_out(block: Block, known: Mapping[Var, Type]) -> Block:
    """The block with its lists written out; `known` are types of its parameters."""
    return _written(block, types_of(block.eqns, known), Namer(all_names(block)), {})


def _written(block: Block, types: Types, namer: Namer, outer: Mapping[Var, Sequence[Atom]]) -> Block:
    made = _Writer(types, namer, dict(outer), frozenset(block.results))
    for original in block.eqns:
        eqn = replace_eqn(original, made.env)
        if eqn.blocks:
            inner = tuple(_written(each, types, namer, made.lists) for each in eqn.blocks)
            made.eqns.append(replace(eqn, blocks=inner))
        else:
            made.write(eqn)
    return rename(Block(block.params, tuple(made.eqns), block.results), made.named)


class _Writer:
    """Equations so far, and the elements of lists that are known.

    Of the variables that are `made` here, those that are results are `named` so.
    """

    def __init__(
        self,
        types: Types,
        namer: Namer,
        lists: dict[Var, Sequence[Atom]],
        results: frozenset[Atom],
    ) -> None:
        self.types, self.namer, self.lists, self.results = types, namer, lists, results
        self.eqns: list[Eqn] = []
        self.env: dict[Var, Atom] = {}
        self.made: set[Var] = set()
        self.named: dict[Var, Atom] = {}

    def write(self, eqn: Eqn) -> None:
        """Append an equation, or what it is written out as."""
        first = eqn.args[0] if eqn.args else None
        items = self.lists.get(first) if isinstance(first, Var) else None
        if eqn.op == "item" and items is not None and isinstance(eqn.args[1], Literal):
            self._element(eqn, items, eqn.args[1].value)
            return
        if eqn.op in ("list", "tuple"):
            self.lists[eqn.outs[0]] = eqn.args
        elif eqn.op == "like" and items is not None:
            self._list(eqn, [self._new(eqn, "like", (item,), kind="value") for item in items])
            return
        writer = {
            "split_like": self._split,
            "unstack_like": self._unstack,
            "contract_gradients": self._gradients,
            "unitem": self._single,
            "zeros_list": self._zeros,
            "vstack": self._joined,
            "hstack": self._joined,
        }.get(eqn.op)
        if writer is None or not writer(eqn):
            self.eqns.append(eqn)

    def _element(self, eqn: Eqn, items: Sequence[Atom], index: object) -> None:
        inside = isinstance(index, int) and -len(items) <= index < len(items)
        if not inside or not isinstance(items[index], Var):  # type: ignore[call-overload]
            self.eqns.append(eqn)
            return
        item = items[index]  # type: ignore[call-overload]
        out = eqn.outs[0]
        if out not in self.results:
            self.env[out] = item
        elif item in self.made and item not in self.named:
            self.named[item] = out
        else:
            self.eqns.append(Eqn(eqn.outs, "positive", (item,), (), (), eqn.span))

    def _new(self, eqn: Eqn, op: str, args: Sequence[Atom], kind: Kind = "tensor", **kwargs: Atom) -> Var:
        stem = f"{eqn.outs[0].name}_{len(self.eqns)}" if eqn.outs[0].temp else f"{eqn.outs[0].name}_0"
        out = self.namer.fresh(stem, kind, temp=eqn.outs[0].temp)
        self.eqns.append(Eqn((out,), op, tuple(args), tuple(kwargs.items()), (), eqn.span))
        self.made.add(out)
        return out

    def _list(self, eqn: Eqn, items: Sequence[Atom]) -> bool:
        self.lists[eqn.outs[0]] = tuple(items)
        self.eqns.append(Eqn(eqn.outs, "list", tuple(items), (), (), eqn.span))
        return True

    def _likes(self, eqn: Eqn) -> tuple[Sequence[Atom] | None, int | None]:
        likes, axis = eqn.kwarg("likes"), eqn.kwarg("axis") or Literal(0)
        items = self.lists.get(likes) if isinstance(likes, Var) else None
        number = axis.value if isinstance(axis, Literal) and isinstance(axis.value, int) else None
        return items, number

    def _unstack(self, eqn: Eqn) -> bool:
        items, axis = self._likes(eqn)
        if items is None or axis is None:
            return False
        parts = []
        for k, item in enumerate(items):
            part = self._new(eqn, "getitem", eqn.args, index=Literal(_along(axis, k)))
            parts.append(self._new(eqn, "sum_to", (part,), like=item))
        return self._list(eqn, parts)

    def _rank(self, atom: Atom) -> int | None:
        """The number of axes of an array, or of one that is described."""
        return rank_of(type_of(atom, self.types))

    def _split(self, eqn: Eqn) -> bool:
        items, axis = self._likes(eqn)
        if items is not None and eqn.kwarg("axis") == Literal(None):
            return self._list(eqn, self._of_one_line(eqn, items))
        whole = self._rank(eqn.args[0])
        ranks = [self._rank(item) for item in items or ()]
        smaller = whole is not None and any(rank is not None and rank < whole for rank in ranks)
        unclear = whole is None and len(set(ranks)) > 1
        if items is None or axis is None or unclear or (smaller and axis < 0):
            return False
        parts: list[Atom] = []
        start: Atom = Literal(0)
        for item, rank in zip(items, ranks, strict=True):
            missing = whole - rank if whole is not None and rank is not None else 0
            shape = self._new(eqn, "shape", (item,), "value")
            length: Atom = Literal(1)
            if axis < 0 or axis >= missing:
                length = self._new(
                    eqn, "item", (shape, Literal(axis - missing if axis >= 0 else axis)), "value"
                )
            stop = length if start == Literal(0) else self._new(eqn, "add", (start, length), "value")
            stretch = self._new(eqn, "slice", (start, stop, Literal(None)), "value")
            index = self._new(eqn, "tuple", _around(axis, stretch), "value")
            part = self._new(eqn, "getitem", eqn.args, index=index)
            parts.append(part if not missing else self._new(eqn, "reshape", (part,), shape=shape))
            start = stop
        return self._list(eqn, parts)

    def _of_one_line(self, eqn: Eqn, likes: Sequence[Atom]) -> list[Atom]:
        """Arrays whose entries stand one after the other."""
        parts: list[Atom] = []
        start: Atom = Literal(0)
        for item in likes:
            shape = self._new(eqn, "shape", (item,), "value")
            size = self._new(eqn, "size", (item,), "value")
            stop = size if start == Literal(0) else self._new(eqn, "add", (start, size), "value")
            stretch = self._new(eqn, "slice", (start, stop, Literal(None)), "value")
            part = self._new(eqn, "getitem", eqn.args, index=stretch)
            parts.append(self._new(eqn, "reshape", (part,), shape=shape))
            start = stop
        return parts

    def _zeros(self, eqn: Eqn) -> bool:
        items, _ = self._likes(eqn)
        if items is None:
            return False
        return self._list(
            eqn, [self._new(eqn, "broadcast_like", (Literal(0.0),), like=item) for item in items]
        )

    def _single(self, eqn: Eqn) -> bool:
        """A list of zeros but for one place."""
        items, _ = self._likes(eqn)
        given = eqn.kwarg("index") or (eqn.args[1] if eqn.args[1:] else None)
        index = given.value if isinstance(given, Literal) else None
        if items is None or not isinstance(index, int):
            return False
        parts = []
        for k, item in enumerate(items):
            value = eqn.args[0] if k == index % len(items) else Literal(0.0)
            op = "sum_to" if k == index % len(items) else "broadcast_like"
            parts.append(self._new(eqn, op, (value,), like=item))
        return self._list(eqn, parts)

    def _joined(self, eqn: Eqn) -> bool:
        owner = eqn.args[0]
        items = self.lists.get(owner) if isinstance(owner, Var) else None
        ranks = [self._rank(item) for item in items or ()]
        if items is None or any(rank is None for rank in ranks):
            return False
        rows = eqn.op == "vstack"
        parts = [
            self._new(eqn, "reshape", (item,), shape=Literal((1, -1) if rows else (-1,)))
            if rank is not None and rank < (2 if rows else 1)
            else item
            for item, rank in zip(items, ranks, strict=True)
        ]
        joined = self.namer.fresh(f"{eqn.outs[0].name}_parts", "list")
        self.eqns.append(Eqn((joined,), "list", tuple(parts), (), (), eqn.span))
        axis = 0 if rows or (ranks[0] or 0) <= 1 else 1
        self.eqns.append(Eqn(eqn.outs, "concatenate", (joined,), (("axis", Literal(axis)),), (), eqn.span))
        return True

    def _gradients(self, eqn: Eqn) -> bool:
        grad, owner = eqn.args
        items = self.lists.get(owner) if isinstance(owner, Var) else None
        subscripts = eqn.kwarg("subscripts")
        text = subscripts.value if isinstance(subscripts, Literal) else None
        if items is None or not isinstance(text, str):
            return False
        ranks = [self._rank(item) for item in items]
        if "..." not in text:
            ranks = [len(group) for group in text.replace(" ", "").partition("->")[0].split(",")]
        if any(rank is None for rank in ranks) or len(ranks) != len(items):
            return False
        groups, output = spelled_out(text, [rank or 0 for rank in ranks])
        if any(len(group) > len(set(group)) + 1 for group in groups):
            return False
        gradients = []
        for k, (item, group) in enumerate(zip(items, groups, strict=True)):
            others = [
                (atom, name) for j, (atom, name) in enumerate(zip(items, groups, strict=True)) if j != k
            ]
            gradients.append(self._gradient(eqn, item, group, [(grad, output), *others]))
        return self._list(eqn, gradients)

    def _gradient(self, eqn: Eqn, item: Atom, group: str, factors: Sequence[tuple[Atom, str]]) -> Var:
        """The gradient by a factor. A label that stands twice is a diagonal."""
        there = {label for _, name in factors for label in name}
        twice = next((label for label in group if group.count(label) > 1), "")
        kept = [label for label in group if label in there and label != twice]
        kept += [twice] if twice and twice in there else []
        arrays = self.namer.fresh("factors", "list")
        self.eqns.append(Eqn((arrays,), "list", tuple(atom for atom, _ in factors), (), (), eqn.span))
        text = f"{','.join(name for _, name in factors)}->{''.join(kept)}"
        found = self._new(eqn, "contract", (arrays,), subscripts=Literal(text))
        wanted = [label for label in group if label != twice] + ([twice] if twice else [])
        missing = tuple(k for k, label in enumerate(wanted) if label not in there)
        if missing:
            found = self._new(eqn, "expand_dims", (found,), axis=Literal(missing))
        like = self._new(eqn, "like", (item,), "value")
        if twice:
            first, second = (k for k, label in enumerate(group) if label == twice)
            axis1, axis2, offset = Literal(first), Literal(second), Literal(0)
            line = self._new(eqn, "diagonal", (item,), offset=offset, axis1=axis1, axis2=axis2)
            found = self._new(eqn, "multiply", (found, self._new(eqn, "ones_like", (line,))))
            shape = self._new(eqn, "shape", (item,), "value")
            found = self._new(
                eqn, "undiagonal", (found,), offset=offset, axis1=axis1, axis2=axis2, shape=shape
            )
        else:
            # An axis of length one repeats along its label, here and in the factors.
            found = self._new(eqn, "multiply", (found, self._new(eqn, "ones_like", (item,))))
        return self._new(eqn, "sum_to", (found,), like=like)


def _along(axis: int, position: int) -> tuple[object, ...]:
    """The index of a position along an axis."""
    every = (slice(None),) * (axis if axis >= 0 else -axis - 1)
    return (*every, position) if axis >= 0 else (Ellipsis, position, *every)


def _around(axis: int, stretch: Atom) -> tuple[Atom, ...]:
    """The items of an index by a slice along an axis."""
    every = (Literal(slice(None)),) * (axis if axis >= 0 else -axis - 1)
    return (*every, stretch) if axis >= 0 else (Literal(Ellipsis), stretch, *every)
