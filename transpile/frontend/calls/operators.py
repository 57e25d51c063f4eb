"""Binding of a call's arguments to the operands and attributes of a vocabulary operator."""

from __future__ import annotations

import ast

from ...ir import Atom, Kind, Literal, Var
from ...operators import OperatorInfo
from ..expressions.subscripts import indexed
from ..state.atoms import atom, keyword_atom, list_atom
from ..state.kinds import check_attribute, check_list, check_operand, is_tuple
from ..state.values import Frame, Items, Value, is_value
from ..syntax.fence import Refusal, refuse
from ..syntax.folding import fold_call

# NumPy's other names for a parameter.
_KEYWORDS: dict[str, dict[str, str]] = {
    "clip": {"a": "x", "min": "a_min", "max": "a_max"},
    "reshape": {"newshape": "shape"},
    "round": {"a": "x"},
    "astype": {"a": "x"},
    "sum": {"x": "a"},
    "concatenate": {"seq": "arrays"},
    "pinv": {"rtol": "rcond"},
}
# NumPy's positional parameters, where it has others between or after the operator's own.
_REDUCED = ("a", "axis", "dtype", "out", "keepdims")
_SPREAD = ("a", "axis", "dtype", "out", "ddof", "keepdims")
_CHOSEN = ("a", "axis", "out", "keepdims")
POSITIONAL: dict[str, tuple[str, ...]] = {
    "sum": _REDUCED,
    "mean": _REDUCED,
    "prod": _REDUCED,
    "max": _CHOSEN,
    "min": _CHOSEN,
    "all": _CHOSEN,
    "any": _CHOSEN,
    "argmax": ("a", "axis", "out"),
    "argmin": ("a", "axis", "out"),
    "var": _SPREAD,
    "std": _SPREAD,
    "logsumexp": ("a", "axis", "b", "keepdims"),
}
_OPTIONAL = frozenset({("clip", "a_min"), ("clip", "a_max")})
LISTS_OF_ARRAYS = frozenset({"arrays", "tup", "values"})
_LISTS = frozenset({"split_like", "unstack_like"})
# Attributes that may be tensors: positions, and what only its shape and dtype are used of.
_TENSORS = frozenset({"index", "like", "likes", "indices"})
_SHAPES = frozenset({"shape", "axes"})


def bind_operator(
    frame: Frame,
    info: OperatorInfo,
    dotted: str,
    node: ast.Call,
    positional: list[Value],
    keywords: dict[str, Value],
    name: str | None,
    method: bool = False,
) -> Atom:
    """The equation for a call of an operator, arguments in their places."""
    if method and info.attrs and info.attrs[0] in _SHAPES and len(positional) > 2:
        positional = [positional[0], Items(tuple(positional[1:]))]
    given = _given(frame, info, dotted, node, positional, keywords)
    operands = [_operand(frame, info, slot, given, node) for slot in info.operands]
    if info.name == "astype" and "dtype" not in given:
        raise _lacking(frame, info, "dtype", node)
    what = f"`{_spelled(info.python)}`"
    attrs = [(slot, _attribute(frame, slot, given[slot], node, what)) for slot in info.attrs if slot in given]
    literals = [item for item in operands if isinstance(item, Literal)]
    if not attrs and len(literals) == len(operands) and (folded := fold_call(dotted, *literals)) is not None:
        return folded
    if info.name == "prod" and not attrs and is_tuple(frame, operands[0]):
        size = frame.build.emit("math.prod", operands, frame.span(node), kind="value")
        return _of_numpy(frame, size, node)
    values = (bool(operands) and info.derivative == "formula" and not info.view) or info.pointwise
    kind: Kind = "value" if values and all(is_value(item) for item in operands) else "tensor"
    if kind == "value" and info.infix and dotted.startswith("numpy.") and info.dtype != "bool":
        operands[0] = _of_numpy(frame, operands[0], node)
    of_lists = any(isinstance(item, Var) and item.kind == "list" for item in operands)
    if info.name in _LISTS or info.gives_list or (info.name == "accumulate" and of_lists):
        kind = "list"
    return frame.build.emit(info.name, operands, frame.span(node), kwargs=attrs, kind=kind, name=name)


def _of_numpy(frame: Frame, number: Atom, node: ast.Call) -> Atom:
    """A number as NumPy's own, of which a symbol gives what the function does: it widens what it meets."""
    if isinstance(number, Literal) and isinstance(number.value, float):
        return Literal(number.value, strong=True)
    span = frame.span(node)
    one = frame.build.emit("astype", (Literal(1),), span, kwargs=(("dtype", Literal("int64")),), kind="value")
    return frame.build.emit("multiply", (one, number), span, kind="value")


def _given(
    frame: Frame,
    info: OperatorInfo,
    dotted: str,
    node: ast.Call,
    positional: list[Value],
    keywords: dict[str, Value],
) -> dict[str, Value]:
    """The arguments of a call by the operator's own names for them."""
    slots = (*info.operands, *info.attrs)
    places = POSITIONAL.get(info.name, slots)
    if len(positional) > len(places):
        raise refuse(
            "PB404",
            f"`{dotted}` takes at most {len(places)} argument{'s' * (len(places) != 1)}: {', '.join(places)}",
            frame.span(node),
            value=dotted,
            hint="leave the others out; several values are a list or a tuple",
        )
    if info.name == "arange" and len(positional) == 1 and not keywords:
        positional = [Literal(0), *positional]
    given: dict[str, Value] = dict(zip(places, positional, strict=False))
    for place in [place for place in given if place not in slots]:
        if given.pop(place) != Literal(None):
            raise refuse(
                "PB404",
                f"the argument of `{dotted}` in this place is `{place}`, which a formula does not have",
                frame.span(node),
                value=place,
                hint=f"it takes {', '.join(slots)}, by name where NumPy has others between",
            )
    for key, value in keywords.items():
        slot = _KEYWORDS.get(info.name, {}).get(key, key)
        if slot not in slots and slot in places and value == Literal(None):
            continue
        if slot not in slots:
            raise refuse(
                "PB404",
                f"`{dotted}` has no argument `{key}` here",
                frame.span(_keyword_node(node, key)),
                value=key,
                hint=_without_out(node) if key == "out" else f"it takes {', '.join(slots)}",
            )
        if slot in given:
            raise refuse("PB404", f"`{dotted}` is given `{slot}` twice", frame.span(node), value=slot)
        given[slot] = value
    return given


def _without_out(node: ast.Call) -> str:
    """The hint for ``f(x, out=a)``: ``a = f(x)``."""
    out = next(item.value for item in node.keywords if item.arg == "out")
    plain = ast.Call(node.func, node.args, [item for item in node.keywords if item.arg != "out"])
    return f"assign the result: `{ast.unparse(out)} = {ast.unparse(plain)}`"


def _keyword_node(node: ast.Call, key: str) -> ast.AST:
    return next((item for item in node.keywords if item.arg == key), node)


def _lacking(frame: Frame, info: OperatorInfo, slot: str, node: ast.Call) -> Refusal:
    return refuse(
        "PB404",
        f"`{info.python}` lacks its argument `{slot}`",
        frame.span(node),
        value=slot,
        hint=f"it takes {', '.join((*info.operands, *info.attrs))}",
    )


def _operand(frame: Frame, info: OperatorInfo, slot: str, given: dict[str, Value], node: ast.Call) -> Atom:
    if slot not in given:
        if (info.name, slot) in _OPTIONAL:
            return Literal(None)
        raise _lacking(frame, info, slot, node)
    what = f"`{_spelled(info.python)}`"
    if info.variadic and slot == info.operands[0]:
        listed = list_atom(frame, given[slot], node)
        check_list(frame, listed, _place(info, slot, node), what)
        return listed
    operand = atom(frame, given[slot], node)
    if slot in LISTS_OF_ARRAYS or info.name == "accumulate" or (info.name, slot) in _OPTIONAL:
        return operand
    if info.kind not in ("reduction", "scan") or not is_tuple(frame, operand):  # `np.prod(x.shape)`
        check_operand(frame, operand, _place(info, slot, node), what)
    return operand


def _spelled(python: str) -> str:
    """A function as authors write it."""
    for module, alias in (
        ("numpy.", "np."),
        ("scipy.special.", "special."),
        ("pullback.primitives.", "primitives."),
        ("pullback.", "pb."),
    ):
        if python.startswith(module):
            return alias + python.removeprefix(module)
    return python


def _place(info: OperatorInfo, slot: str, node: ast.Call) -> ast.AST:
    """The place of an operand, if it stands where the operator has it."""
    place = info.operands.index(slot)
    method = isinstance(node.func, ast.Attribute) and node.func.attr in info.methods
    positional = [node.func, *node.args] if method and len(node.args) < len(info.operands) else node.args
    return positional[place] if place < len(positional) else node


def _attribute(frame: Frame, slot: str, value: Value, node: ast.Call, what: str) -> Atom:
    if slot == "index" and isinstance(value, Items):
        return indexed(frame, value.items, node)
    found = keyword_atom(frame, slot, value, node)
    if isinstance(found, Var) and found.kind == "tensor" and slot not in _TENSORS:
        annotate = f"annotate the parameter, behind the tensors: `{found.name}: int`"
        raise refuse(
            "PB404",
            f"`{slot}` is a tensor here, and no gradient would flow through it",
            frame.span(node),
            value=slot,
            hint=annotate
            if found in frame.build.inputs
            else "pass a number, or use arithmetic: `np.ones_like(x) * t`",
        )
    check_attribute(frame, slot, found, _keyword_node(node, slot), what)
    if slot == "shape" and isinstance(found, Literal) and isinstance(found.value, int):
        return Literal((found.value,))
    return found
