"""Operators that are a call of a function of the kernel's headers, between loops.

Each takes arrays and gives one: running sums, repeated and moved entries,
positions of extremes, sums of products.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...ir import Atom, Eqn, Literal, Var
from .facts import Fact
from .names import derived
from .plan import Plan, literal_of
from .pointwise import cast_type
from .types import FLOATS, join, stored


def _integers(plan: Plan, eqn: Eqn, name: str) -> list[str]:
    """An attribute that is an integer or a tuple of them, in C++."""
    atom = eqn.kwarg(name)
    texts = [plan.values.number(item) for item in plan.values.elements(atom)] if atom is not None else []
    if not texts or any(text is None for text in texts):
        raise plan.refuse(f"{eqn.op} with such a {name} is not compiled")
    return [text for text in texts if text is not None]


def _integer(plan: Plan, eqn: Eqn, name: str, default: int) -> str:
    if eqn.kwarg(name) is None:
        return str(default)
    texts = _integers(plan, eqn, name)
    if len(texts) != 1:
        raise plan.refuse(f"{eqn.op} with such a {name} is not compiled")
    return texts[0]


def _truth(plan: Plan, eqn: Eqn, name: str) -> bool:
    value = literal_of(eqn, name, False)
    if not isinstance(value, bool):
        raise plan.refuse(f"{eqn.op} needs to know {name} when it is compiled")
    return value


def _braced(texts: Sequence[str]) -> str:
    return "{" + ", ".join(texts) + "}"


def _flat(plan: Plan, eqn: Eqn, fact: Fact) -> tuple[str, str]:
    """The operand's view and its axis; read as one line where there is no axis."""
    if literal_of(eqn, "axis") is None:
        view = plan.names.fresh("line_view")
        plan.declare(fact.level, f"const auto {view} = pb::reshape(context, {fact.text}, pb::shape_of(-1));")
        return view, "0"
    return fact.text, _integer(plan, eqn, "axis", 0)


def _give(
    plan: Plan, eqn: Eqn, out: Var, kind: str, shape: str, level: int, name: str, *arguments: str
) -> None:
    """The result of a function of the headers, whose view is the function's last argument."""
    view = plan.target(out, kind, shape, level)
    plan.call(level, f"pb::{name}({', '.join(['context', *arguments, view])});")
    plan.array_fact(out, view, kind, plan.own_shape(eqn.op, out.name), level + 1)


def _view(plan: Plan, eqn: Eqn, out: Var, kind: str, level: int, text: str) -> None:
    """A view that a function of the headers gives."""
    view = plan.names.fresh(f"{plan.names.of(out)}_view")
    plan.declare(level, f"const auto {view} = {text};", computes=True)
    plan.array_fact(out, view, kind, plan.own_shape(eqn.op, out.name), level)


def add_scan(plan: Plan, eqn: Eqn, out: Var) -> None:
    """Running sums and products."""
    fact = plan.array(eqn.args[0])
    kind = "int64_t" if fact.type == "bool" else fact.type
    view, axis = _flat(plan, eqn, fact)
    _give(plan, eqn, out, kind, f"{view}.shape", fact.level, eqn.op, view, axis)


def add_recurrence(plan: Plan, eqn: Eqn, out: Var) -> None:
    """A linear recurrence along the last axis."""
    kind = join([plan.of(atom).type for atom in eqn.args])
    a, b = (plan.array_of(atom, kind) for atom in eqn.args)
    reverse = str(_truth(plan, eqn, "reverse")).lower()
    shape = f"pb::broadcast(context, {a.text}.shape, {b.text}.shape)"
    _give(plan, eqn, out, kind, shape, max(a.level, b.level), eqn.op, a.text, b.text, reverse)


def add_merged_axes(plan: Plan, eqn: Eqn, out: Var) -> None:
    """flatten_axes and unflatten_axes: views, copied where memory is not in that order."""
    fact = plan.array(eqn.args[0])
    given = eqn.kwarg("shape")
    shape = _shape(plan, eqn) if given is not None else "pb::shape_of(-1)"
    level = max(fact.level, plan.of(given).level if given is not None else 0)
    if literal_of(eqn, "axis") is None:
        _view(plan, eqn, out, fact.type, level, f"pb::reshape(context, {fact.text}, {shape})")
        return
    axes = plan.values.axes(eqn.kwarg("axis"))
    if axes is None:
        raise plan.refuse(f"{eqn.op} over axes that are not known when it is compiled")
    more = f", {shape}" if given is not None else ""
    _view(plan, eqn, out, fact.type, level, f"pb::{eqn.op}(context, {fact.text}, {axes}{more})")


def add_repeat(plan: Plan, eqn: Eqn, out: Var) -> None:
    """Entries so many times in a row."""
    fact = plan.array(eqn.args[0])
    view, axis = _flat(plan, eqn, fact)
    repeats = _braced(_integers(plan, eqn, "repeats"))
    shape = f"pb::repeated(context, {view}.shape, {repeats}, {axis})"
    _give(plan, eqn, out, fact.type, shape, fact.level, eqn.op, view, repeats, axis)


def add_sum_repeats(plan: Plan, eqn: Eqn, out: Var) -> None:
    """The sum over the copies that `repeat` made."""
    fact = plan.array(eqn.args[0])
    repeats = _braced(_integers(plan, eqn, "repeats"))
    shape = _shape(plan, eqn)
    if literal_of(eqn, "axis") is not None:
        axis = _integer(plan, eqn, "axis", 0)
        _give(plan, eqn, out, fact.type, shape, fact.level, eqn.op, fact.text, repeats, axis)
        return
    line = derived(f"{out.name}_line")
    size = f"pb::shape_of({shape}.size())"
    _give(plan, eqn, line, fact.type, size, fact.level, eqn.op, fact.text, repeats, "0")
    _reshaped(plan, eqn, out, line, shape)


def _reshaped(plan: Plan, eqn: Eqn, out: Var, line: Var, shape: str) -> None:
    whole = plan.of(line)
    _view(plan, eqn, out, whole.type, whole.level, f"pb::reshape(context, {whole.text}, {shape})")


def _shape(plan: Plan, eqn: Eqn) -> str:
    atom = eqn.kwarg("shape")
    text = plan.values.shape(atom) if atom is not None else None
    if text is None:
        raise plan.refuse(f"{eqn.op} to such a shape is not compiled")
    return text


def add_tile(plan: Plan, eqn: Eqn, out: Var) -> None:
    """An array side by side with itself, and the sum over the copies."""
    fact = plan.array(eqn.args[0])
    reps = _braced(_integers(plan, eqn, "reps"))
    if eqn.op == "tile":
        shape = f"pb::tiled(context, {fact.text}.shape, {reps})"
        _give(plan, eqn, out, fact.type, shape, fact.level, eqn.op, fact.text)
    else:
        _give(plan, eqn, out, fact.type, _shape(plan, eqn), fact.level, eqn.op, fact.text, reps)


def add_roll(plan: Plan, eqn: Eqn, out: Var) -> None:
    """Entries moved round the end of axes."""
    fact = plan.array(eqn.args[0])
    shifts = _integers(plan, eqn, "shift")
    whole = literal_of(eqn, "axis") is None
    axes = ["0"] if whole else _integers(plan, eqn, "axis")
    count = max(len(shifts), len(axes))
    shifts, axes = (every * count if len(every) == 1 else every for every in (shifts, axes))
    line = _flat(plan, eqn, fact)[0] if whole else fact.text
    moved = derived(f"{out.name}_line") if whole else out
    arguments = line, _braced(shifts), _braced(axes)
    _give(plan, eqn, moved, fact.type, f"{line}.shape", fact.level, eqn.op, *arguments)
    if whole:
        _reshaped(plan, eqn, out, moved, f"{fact.text}.shape")


def add_triangle(plan: Plan, eqn: Eqn, out: Var) -> None:
    """tril and triu."""
    fact = plan.array(eqn.args[0])
    upper = str(eqn.op == "triu").lower()
    k = _integer(plan, eqn, "k", 0)
    _give(plan, eqn, out, fact.type, f"{fact.text}.shape", fact.level, "triangle", fact.text, k, upper)


def add_undiagonal(plan: Plan, eqn: Eqn, out: Var) -> None:
    """Zeros with an array put on a diagonal."""
    fact = plan.of(eqn.args[0])
    if fact.kind not in ("lane", "array"):
        raise plan.refuse("undiagonal of such an operand is not compiled")
    view = plan.target(out, fact.type, _shape(plan, eqn), fact.level, kept=True)
    plan.declare(fact.level, f"pb::fill(context, {view}, {stored(fact.type)}(0));", computes=True)
    part = plan.names.fresh(f"{plan.names.of(out)}_part")
    plan.declare(fact.level, f"const auto {part} = {_diagonal(plan, eqn, view)};")
    plan.store(eqn.args[0], fact, part)
    plan.array_fact(out, view, fact.type, plan.own_shape(eqn.op, out.name), fact.level + 1)


def _diagonal(plan: Plan, eqn: Eqn, operand: str) -> str:
    """The view of a diagonal."""
    offset, axis1 = _integer(plan, eqn, "offset", 0), _integer(plan, eqn, "axis1", 0)
    return f"pb::diagonal(context, {operand}, {offset}, {axis1}, {_integer(plan, eqn, 'axis2', 1)})"


def add_diagonal(plan: Plan, eqn: Eqn, out: Var) -> None:
    """A diagonal, which is a view."""
    fact = plan.array(eqn.args[0])
    _view(plan, eqn, out, fact.type, fact.level, _diagonal(plan, eqn, fact.text))


def add_position(plan: Plan, eqn: Eqn, out: Var) -> None:
    """argmax and argmin."""
    fact = plan.array(eqn.args[0])
    view, axis = _flat(plan, eqn, fact)
    whole = literal_of(eqn, "axis") is None
    keepdims = _truth(plan, eqn, "keepdims")
    axes = plan.names.fresh(f"{plan.names.of(out)}_axes")
    source = fact.text if whole else view
    chosen = (
        f"pb::all_axes({source}.shape.ndim)"
        if whole
        else f"pb::axis_set(context, {{{axis}}}, {source}.shape.ndim)"
    )
    plan.declare(fact.level, f"const unsigned {axes} = {chosen};")
    shape = f"pb::reduced({source}.shape, {axes}, {str(keepdims).lower()})"
    largest = str(eqn.op == "argmax").lower()
    target = plan.target(out, "int64_t", shape, fact.level)
    place = target if keepdims else f"pb::expand_dims({target}, {axes})"
    if whole:
        place = f"pb::in_c_order({target}.data, pb::shape_of(1))"
    plan.call(fact.level, f"pb::position_of_extreme(context, {view}, {axis}, {largest}, {place});")
    plan.array_fact(out, target, "int64_t", plan.own_shape(eqn.op, out.name), fact.level + 1)


def add_truth(plan: Plan, eqn: Eqn, out: Var) -> None:
    """All and any."""
    fact = plan.array(eqn.args[0])
    keepdims = _truth(plan, eqn, "keepdims")
    axes = plan.names.fresh(f"{plan.names.of(out)}_axes")
    if literal_of(eqn, "axis") is None:
        chosen = f"pb::all_axes({fact.text}.shape.ndim)"
    else:
        named = plan.values.axes(eqn.kwarg("axis"))
        if named is None:
            raise plan.refuse(f"{eqn.op} over axes that are not known when it is compiled")
        chosen = f"pb::axis_set(context, {named}, {fact.text}.shape.ndim)"
    plan.declare(fact.level, f"const unsigned {axes} = {chosen};")
    target = plan.target(
        out, "bool", f"pb::reduced({fact.text}.shape, {axes}, {str(keepdims).lower()})", fact.level
    )
    place = target if keepdims else f"pb::expand_dims({target}, {axes})"
    plan.call(fact.level, f"pb::truth_of(context, {fact.text}, {str(eqn.op == 'all').lower()}, {place});")
    plan.array_fact(out, target, "bool", plan.own_shape(eqn.op, out.name), fact.level + 1)


def add_arange(plan: Plan, eqn: Eqn, out: Var) -> None:
    """`arange` of integers."""
    given = [eqn.kwarg(name) for name in ("start", "stop", "step")]
    start, stop, step = (None if atom is None or atom == Literal(None) else atom for atom in given)
    if stop is None:
        start, stop = None, start
    texts = [
        plan.values.number(atom if atom is not None else Literal(default))
        for atom, default in ((start, 0), (stop, 0), (step, 1))
    ]
    if any(text is None for text in texts):
        raise plan.refuse("arange of such numbers is not compiled")
    level = max(plan.of(atom).level for atom in (start, stop, step) if atom is not None)
    first, _, every = map(str, texts)
    shape = f"pb::arange_shape(context, {', '.join(map(str, texts))})"
    _give(plan, eqn, out, "int64_t", shape, level, eqn.op, first, every)


def add_eye(plan: Plan, eqn: Eqn, out: Var) -> None:
    """`eye` and `tri`: ones on a diagonal, or up to it."""
    rows = eqn.kwarg("N")
    columns = eqn.kwarg("M")
    columns = rows if columns is None or columns == Literal(None) else columns
    k = eqn.kwarg("k") or Literal(0)
    given = [atom for atom in (rows, columns, k) if atom is not None]
    texts = [text for atom in given if (text := plan.values.number(atom)) is not None]
    if len(texts) != 3:
        raise plan.refuse(f"{eqn.op} of such numbers is not compiled")
    kind = "double" if literal_of(eqn, "dtype") is None else cast_type(plan, eqn)
    level = max(plan.of(atom).level for atom in given)
    shape = f"pb::shape_of({texts[0]}, {texts[1]})"
    _give(plan, eqn, out, kind, shape, level, eqn.op, texts[2])


def add_convolve(plan: Plan, eqn: Eqn, out: Var) -> None:
    """A convolution of vectors."""
    mode = literal_of(eqn, "mode", "full")
    if mode not in ("full", "same", "valid"):
        raise plan.refuse("convolve needs to know mode when it is compiled")
    kind = join([plan.of(atom).type for atom in eqn.args])
    if kind not in FLOATS:
        raise plan.refuse("convolve is compiled for floats only")
    a, v = (plan.array_of(atom, kind) for atom in eqn.args)
    overlap = f"pb::Overlap::k{mode.capitalize()}"
    shape = f"pb::convolve_shape(context, {a.text}.shape, {v.text}.shape, {overlap})"
    _give(plan, eqn, out, kind, shape, max(a.level, v.level), eqn.op, a.text, v.text, overlap)


def add_contract(plan: Plan, eqn: Eqn, out: Var) -> None:
    """A sum of products."""
    parts, subscripts, kind = _factors(plan, eqn, eqn.args[0])
    level = max(part.level for part in parts)
    shape = f"pb::contract_shape(context, {subscripts}, {_braced([f'{part.text}.shape' for part in parts])})"
    _give(plan, eqn, out, kind, shape, level, f"contract<{stored(kind)}>", subscripts, _read(parts))


def add_contract_gradients(plan: Plan, eqn: Eqn, out: Var) -> None:
    """The gradients of a sum of products, as a list."""
    parts, subscripts, kind = _factors(plan, eqn, eqn.args[1])
    grad = plan.array_of(eqn.args[0], kind)
    level = max(part.level for part in (grad, *parts))
    items = []
    for which, part in enumerate(parts):
        gradient = derived(f"{out.name}_{which}")
        name = f"contract_gradient<{stored(kind)}>"
        arguments = subscripts, str(which), f"{grad.text}.read_only()", _read(parts)
        _give(plan, eqn, gradient, kind, f"{part.text}.shape", level, name, *arguments)
        items.append(gradient)
    plan.define(out, Fact("list", items=tuple(items)))


def _read(parts: Sequence[Fact]) -> str:
    return _braced([f"{part.text}.read_only()" for part in parts])


def _factors(plan: Plan, eqn: Eqn, owner: Atom) -> tuple[list[Fact], str, str]:
    """The arrays, in one type; their subscripts with those of the result; and the type."""
    items = plan.of(owner).items
    given = literal_of(eqn, "subscripts")
    if not items or not isinstance(given, str):
        raise plan.refuse(f"{eqn.op} of arrays or subscripts that are not known is not compiled")
    kind = join(plan.of(atom).type for atom in items)
    if kind not in FLOATS:
        raise plan.refuse(f"{eqn.op} is compiled for floats only")
    return [plan.array_of(atom, kind) for atom in items], f'"{_with_result(given)}"', kind


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
