"""Operators that are a call of a function of the runtime, between loops.

Each takes arrays and gives one: running sums, repeated and moved entries,
positions of extremes, sums of products.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ....ir import Atom, Eqn, Literal, Var
from ....passes.kernel.types import FLOATS, join, stored
from ...expressions import (
    Braces,
    Call,
    Constant,
    DataType,
    Expression,
    Member,
    Method,
    Name,
    Operand,
    Text,
    braces,
    call,
    node,
    rank,
    read_only,
    run,
    shape,
)
from ..facts import Fact
from ..names import derived
from ..plan import Plan, literal_of
from .pointwise import cast_type


def _integers(plan: Plan, eqn: Eqn, name: str) -> list[Expression]:
    """An attribute that is an integer or a tuple of them."""
    atom = eqn.kwarg(name)
    found = plan.values.numbers(plan.values.elements(atom)) if atom is not None else None
    if not found:
        raise plan.refuse(f"{eqn.op} with such a {name} is not compiled")
    return found


def _integer(plan: Plan, eqn: Eqn, name: str, default: int) -> Expression:
    if eqn.kwarg(name) is None:
        return node(default)
    found = _integers(plan, eqn, name)
    if len(found) != 1:
        raise plan.refuse(f"{eqn.op} with such a {name} is not compiled")
    return found[0]


def _truth(plan: Plan, eqn: Eqn, name: str) -> bool:
    value = literal_of(eqn, name, False)
    if not isinstance(value, bool):
        raise plan.refuse(f"{eqn.op} needs to know {name} when it is compiled")
    return value


def _flat(plan: Plan, eqn: Eqn, fact: Fact) -> tuple[Expression, Expression]:
    """The operand's view and its axis; read as one line where there is no axis."""
    if literal_of(eqn, "axis") is None:
        view = plan.names.fresh("line_view")
        plan.let(fact.level, view, run("reshape", fact.node, call("shape_of", -1)))
        return Name(view), node(0)
    return fact.node, _integer(plan, eqn, "axis", 0)


def give(
    plan: Plan,
    eqn: Eqn,
    out: Var,
    kind: str,
    whole: Expression,
    level: int,
    name: str,
    *args: Operand,
    of: DataType | None = None,
) -> None:
    """The result of a function of the runtime, whose view is the function's last argument."""
    level = max(level, _attributes_level(plan, eqn))
    view = plan.target(out, kind, whole, level)
    plan.call(level, run(name, *args, view, of=of))
    plan.array_fact(out, view, kind, plan.own_shape(eqn.op, out.name), level + 1)


def _attributes_level(plan: Plan, eqn: Eqn) -> int:
    """The level of numbers among the attributes, which a branch may have chosen."""
    level, left = 0, [atom for _, atom in eqn.kwargs]
    while left:
        atom = left.pop()
        if isinstance(atom, Var):
            fact = plan.of(atom)
            level = max(level, fact.level)
            left += fact.items
    return level


def _view(plan: Plan, eqn: Eqn, out: Var, kind: str, level: int, made: Call) -> None:
    """A view that a function of the runtime gives."""
    level = max(level, _attributes_level(plan, eqn))
    view = plan.names.fresh(f"{plan.names.of(out)}_view")
    plan.let(level, view, made, computes=True)
    plan.array_fact(out, Name(view), kind, plan.own_shape(eqn.op, out.name), level)


def add_scan(plan: Plan, eqn: Eqn, out: Var) -> None:
    """Running sums and products."""
    fact = plan.array(eqn.args[0])
    kind = "int64_t" if fact.type == "bool" else fact.type
    view, axis = _flat(plan, eqn, fact)
    give(plan, eqn, out, kind, shape(view), fact.level, eqn.op, view, axis)


def add_recurrence(plan: Plan, eqn: Eqn, out: Var) -> None:
    """A linear recurrence along the last axis."""
    kind = join([plan.of(atom).type for atom in eqn.args])
    a, b = (plan.array_of(atom, kind) for atom in eqn.args)
    reverse = _truth(plan, eqn, "reverse")
    whole = run("broadcast", shape(a.node), shape(b.node))
    give(plan, eqn, out, kind, whole, max(a.level, b.level), eqn.op, a.node, b.node, reverse)


def add_merged_axes(plan: Plan, eqn: Eqn, out: Var) -> None:
    """flatten_axes and unflatten_axes: views, copied where memory is not in that order."""
    fact = plan.array(eqn.args[0])
    given = eqn.kwarg("shape")
    whole = _shape(plan, eqn) if given is not None else call("shape_of", -1)
    level = max(fact.level, plan.of(given).level if given is not None else 0)
    if literal_of(eqn, "axis") is None:
        _view(plan, eqn, out, fact.type, level, run("reshape", fact.node, whole))
        return
    axes = plan.values.axes(eqn.kwarg("axis"))
    if axes is None:
        raise plan.refuse(f"{eqn.op} over axes that are not known when it is compiled")
    more = [whole] if given is not None else []
    _view(plan, eqn, out, fact.type, level, run(eqn.op, fact.node, axes, *more))


def add_repeat(plan: Plan, eqn: Eqn, out: Var) -> None:
    """Entries so many times in a row."""
    fact = plan.array(eqn.args[0])
    view, axis = _flat(plan, eqn, fact)
    repeats = braces(*_integers(plan, eqn, "repeats"))
    whole = run("repeated", shape(view), repeats, axis)
    give(plan, eqn, out, fact.type, whole, fact.level, eqn.op, view, repeats, axis)


def add_sum_repeats(plan: Plan, eqn: Eqn, out: Var) -> None:
    """The sum over the copies that `repeat` made."""
    fact = plan.array(eqn.args[0])
    repeats = braces(*_integers(plan, eqn, "repeats"))
    whole = _shape(plan, eqn)
    if literal_of(eqn, "axis") is not None:
        axis = _integer(plan, eqn, "axis", 0)
        give(plan, eqn, out, fact.type, whole, fact.level, eqn.op, fact.node, repeats, axis)
        return
    line = derived(f"{out.name}_line")
    size = call("shape_of", Method(whole, "size"))
    give(plan, eqn, line, fact.type, size, fact.level, eqn.op, fact.node, repeats, 0)
    _reshaped(plan, eqn, out, line, whole)


def _reshaped(plan: Plan, eqn: Eqn, out: Var, line: Var, whole: Expression) -> None:
    fact = plan.of(line)
    _view(plan, eqn, out, fact.type, fact.level, run("reshape", fact.node, whole))


def _shape(plan: Plan, eqn: Eqn) -> Expression:
    whole = plan.values.shape(eqn.kwarg("shape"))
    if whole is None:
        raise plan.refuse(f"{eqn.op} to such a shape is not compiled")
    return whole


def add_tile(plan: Plan, eqn: Eqn, out: Var) -> None:
    """An array side by side with itself, and the sum over the copies."""
    fact = plan.array(eqn.args[0])
    reps = braces(*_integers(plan, eqn, "reps"))
    if eqn.op == "tile":
        whole = run("tiled", shape(fact.node), reps)
        give(plan, eqn, out, fact.type, whole, fact.level, eqn.op, fact.node)
    else:
        give(plan, eqn, out, fact.type, _shape(plan, eqn), fact.level, eqn.op, fact.node, reps)


def add_roll(plan: Plan, eqn: Eqn, out: Var) -> None:
    """Entries moved round the end of axes."""
    fact = plan.array(eqn.args[0])
    shifts = _integers(plan, eqn, "shift")
    whole = literal_of(eqn, "axis") is None
    axes = [node(0)] if whole else _integers(plan, eqn, "axis")
    count = max(len(shifts), len(axes))
    shifts, axes = (every * count if len(every) == 1 else every for every in (shifts, axes))
    line = _flat(plan, eqn, fact)[0] if whole else fact.node
    moved = derived(f"{out.name}_line") if whole else out
    arguments = line, braces(*shifts), braces(*axes)
    give(plan, eqn, moved, fact.type, shape(line), fact.level, eqn.op, *arguments)
    if whole:
        _reshaped(plan, eqn, out, moved, shape(fact.node))


def add_triangle(plan: Plan, eqn: Eqn, out: Var) -> None:
    """tril and triu."""
    fact = plan.array(eqn.args[0])
    k, upper = _integer(plan, eqn, "k", 0), eqn.op == "triu"
    give(plan, eqn, out, fact.type, shape(fact.node), fact.level, "triangle", fact.node, k, upper)


def add_undiagonal(plan: Plan, eqn: Eqn, out: Var) -> None:
    """Zeros with an array put on a diagonal."""
    fact = plan.of(eqn.args[0])
    if fact.kind not in ("lane", "array"):
        raise plan.refuse("undiagonal of such an operand is not compiled")
    fact = replace(fact, level=max(fact.level, _attributes_level(plan, eqn)))
    view = plan.target(out, fact.type, _shape(plan, eqn), fact.level, retained=True)
    plan.fill(fact.level, view, stored(fact.type))
    part = plan.names.fresh(f"{plan.names.of(out)}_part")
    plan.let(fact.level, part, _diagonal(plan, eqn, view))
    plan.store(eqn.args[0], fact, Name(part))
    plan.array_fact(out, view, fact.type, plan.own_shape(eqn.op, out.name), fact.level + 1)


def _diagonal(plan: Plan, eqn: Eqn, operand: Expression) -> Call:
    """The view of a diagonal."""
    numbers = (("offset", 0), ("axis1", 0), ("axis2", 1))
    return run("diagonal", operand, *(_integer(plan, eqn, name, usual) for name, usual in numbers))


def add_diagonal(plan: Plan, eqn: Eqn, out: Var) -> None:
    """A diagonal, which is a view."""
    fact = plan.array(eqn.args[0])
    _view(plan, eqn, out, fact.type, fact.level, _diagonal(plan, eqn, fact.node))


def add_position(plan: Plan, eqn: Eqn, out: Var) -> None:
    """argmax and argmin."""
    fact = plan.array(eqn.args[0])
    view, axis = _flat(plan, eqn, fact)
    whole = literal_of(eqn, "axis") is None
    keepdims = _truth(plan, eqn, "keepdims")
    axes = plan.names.fresh(f"{plan.names.of(out)}_axes")
    source = shape(fact.node if whole else view)
    chosen = call("all_axes", rank(source)) if whole else run("axis_set", braces(axis), rank(source))
    plan.let(fact.level, axes, chosen, "unsigned")
    target = plan.target(out, "int64_t", call("reduced", source, axes, keepdims), fact.level)
    place: Expression = target if keepdims else call("expand_dims", target, axes)
    if whole:
        place = call("in_c_order", Member(target, "data"), call("shape_of", 1))
    plan.call(fact.level, run("position_of_extreme", view, axis, eqn.op == "argmax", place))
    plan.array_fact(out, target, "int64_t", plan.own_shape(eqn.op, out.name), fact.level + 1)


def add_truth(plan: Plan, eqn: Eqn, out: Var) -> None:
    """All and any."""
    fact = plan.array(eqn.args[0])
    keepdims = _truth(plan, eqn, "keepdims")
    axes = plan.names.fresh(f"{plan.names.of(out)}_axes")
    if literal_of(eqn, "axis") is None:
        chosen = call("all_axes", rank(shape(fact.node)))
    else:
        named = plan.values.axes(eqn.kwarg("axis"))
        if named is None:
            raise plan.refuse(f"{eqn.op} over axes that are not known when it is compiled")
        chosen = run("axis_set", named, rank(shape(fact.node)))
    plan.let(fact.level, axes, chosen, "unsigned")
    target = plan.target(out, "bool", call("reduced", shape(fact.node), axes, keepdims), fact.level)
    place: Expression = target if keepdims else call("expand_dims", target, axes)
    plan.call(fact.level, run("truth_of", fact.node, eqn.op == "all", place))
    plan.array_fact(out, target, "bool", plan.own_shape(eqn.op, out.name), fact.level + 1)


def add_arange(plan: Plan, eqn: Eqn, out: Var) -> None:
    """`arange` of integers."""
    given = [eqn.kwarg(name) for name in ("start", "stop", "step")]
    start, stop, step = (None if atom is None or atom == Literal(None) else atom for atom in given)
    if stop is None:
        start, stop = None, start
    bounds = plan.values.numbers([start or Literal(0), stop or Literal(0), step or Literal(1)])
    if bounds is None:
        raise plan.refuse("arange of such numbers is not compiled")
    level = max(plan.of(atom).level for atom in (start, stop, step) if atom is not None)
    whole = run("arange_shape", *bounds)
    give(plan, eqn, out, "int64_t", whole, level, eqn.op, bounds[0], bounds[2])


def add_eye(plan: Plan, eqn: Eqn, out: Var) -> None:
    """`eye` and `tri`: ones on a diagonal, or up to it."""
    rows = eqn.kwarg("N")
    columns = eqn.kwarg("M")
    columns = rows if columns is None or columns == Literal(None) else columns
    k = eqn.kwarg("k") or Literal(0)
    given = [atom for atom in (rows, columns, k) if atom is not None]
    numbers = plan.values.numbers(given)
    if numbers is None or len(numbers) != 3:
        raise plan.refuse(f"{eqn.op} of such numbers is not compiled")
    kind = "double" if literal_of(eqn, "dtype") is None else cast_type(plan, eqn)
    level = max(plan.of(atom).level for atom in given)
    give(plan, eqn, out, kind, call("shape_of", *numbers[:2]), level, eqn.op, numbers[2])


def add_convolve(plan: Plan, eqn: Eqn, out: Var) -> None:
    """A convolution of vectors."""
    mode = literal_of(eqn, "mode", "full")
    if mode not in ("full", "same", "valid"):
        raise plan.refuse("convolve needs to know mode when it is compiled")
    kind = join([plan.of(atom).type for atom in eqn.args])
    if kind not in FLOATS:
        raise plan.refuse("convolve is compiled for floats only")
    a, v = (plan.array_of(atom, kind) for atom in eqn.args)
    overlap = Constant(f"Overlap::k{mode.capitalize()}")
    whole = run("convolve_shape", shape(a.node), shape(v.node), overlap)
    give(plan, eqn, out, kind, whole, max(a.level, v.level), eqn.op, a.node, v.node, overlap)


def add_contract(plan: Plan, eqn: Eqn, out: Var) -> None:
    """A sum of products."""
    parts, subscripts, kind = _factors(plan, eqn, eqn.args[0])
    level = max(part.level for part in parts)
    whole = run("contract_shape", subscripts, braces(*(shape(part.node) for part in parts)))
    give(plan, eqn, out, kind, whole, level, "contract", subscripts, _read(parts), of=stored(kind))


def add_contract_gradients(plan: Plan, eqn: Eqn, out: Var) -> None:
    """The gradients of a sum of products, as a list."""
    parts, subscripts, kind = _factors(plan, eqn, eqn.args[1])
    grad = plan.array_of(eqn.args[0], kind)
    level = max(part.level for part in (grad, *parts))
    items = []
    for which, part in enumerate(parts):
        gradient = derived(f"{out.name}_{which}")
        args = subscripts, which, read_only(grad.node), _read(parts)
        whole = shape(part.node)
        give(plan, eqn, gradient, kind, whole, level, "contract_gradient", *args, of=stored(kind))
        items.append(gradient)
    plan.define(out, Fact("list", items=tuple(items)))


def _read(parts: Sequence[Fact]) -> Braces:
    return braces(*(read_only(part.node) for part in parts))


def _factors(plan: Plan, eqn: Eqn, owner: Atom) -> tuple[list[Fact], Text, str]:
    """The arrays, in one type; their subscripts with those of the result; and the type."""
    items = plan.of(owner).items
    given = literal_of(eqn, "subscripts")
    if not items or not isinstance(given, str):
        raise plan.refuse(f"{eqn.op} of arrays or subscripts that are not known is not compiled")
    kind = join(plan.of(atom).type for atom in items)
    if kind not in FLOATS:
        raise plan.refuse(f"{eqn.op} is compiled for floats only")
    return [plan.array_of(atom, kind) for atom in items], Text(_with_result(given)), kind


def _with_result(subscripts: str) -> str:
    """Subscripts with their result, which has the letters that stand once where none is given.

    >>> _with_result("...ij,jk")
    '...ij,jk->...ik'
    """
    inputs, arrow, output = subscripts.replace(" ", "").partition("->")
    if not arrow:
        letters = inputs.replace(",", "").replace(".", "")
        once = sorted(letter for letter in set(letters) if letters.count(letter) == 1)
        output = ("..." if "..." in inputs else "") + "".join(once)
    return f"{inputs}->{output}"


CALLS = {
    "cumsum": add_scan,
    "cumprod": add_scan,
    "linear_recurrence": add_recurrence,
    "flatten_axes": add_merged_axes,
    "unflatten_axes": add_merged_axes,
    "repeat": add_repeat,
    "sum_repeats": add_sum_repeats,
    "tile": add_tile,
    "sum_tiles": add_tile,
    "roll": add_roll,
    "tril": add_triangle,
    "triu": add_triangle,
    "diagonal": add_diagonal,
    "undiagonal": add_undiagonal,
    "argmax": add_position,
    "argmin": add_position,
    "all": add_truth,
    "any": add_truth,
    "arange": add_arange,
    "eye": add_eye,
    "tri": add_eye,
    "convolve": add_convolve,
    "contract": add_contract,
    "contract_gradients": add_contract_gradients,
}
