"""Calls of Python's functions of sequences as the loops that they are: ``max(xs)``, ``reduce(f, xs)``.

The sequences are those whose elements only the run knows, and functions are called for each element.
"""

from __future__ import annotations

from ...ir import Literal, Var
from ..expressions.templates import read_template
from ..state.growing import is_list
from ..state.values import Callee, Choice, Dotted, Frame, Function, Growing, Items, Value, elements, is_value
from .arguments import Arguments

# Statements that compute `found`, by the function and the number of its arguments, which have these names.
_LOOPS = {
    ("sum", 1): (("xs",), "found = 0\nfor item in xs:\n    found = found + item"),
    ("any", 1): (("xs",), "found = False\nfor item in xs:\n    if item:\n        found = True"),
    ("all", 1): (("xs",), "found = True\nfor item in xs:\n    if not item:\n        found = False"),
    ("max", 1): (
        ("xs",),
        "found = xs[0]\nfor k in range(1, len(xs)):\n    if xs[k] > found:\n        found = xs[k]",
    ),
    ("min", 1): (
        ("xs",),
        "found = xs[0]\nfor k in range(1, len(xs)):\n    if xs[k] < found:\n        found = xs[k]",
    ),
    ("sum", 2): (("xs", "start"), "found = start\nfor item in xs:\n    found = found + item"),
    ("sorted", 1): (("xs",), "found = list(sort(array(xs)))"),
    ("itertools.accumulate", 1): (
        ("xs",),
        "found = [xs[0]]\nfor k in range(1, len(xs)):\n    found.append(found[-1] + xs[k])",
    ),
    ("functools.reduce", 2): (
        ("f", "xs"),
        "found = xs[0]\nfor k in range(1, len(xs)):\n    found = f(found, xs[k])",
    ),
    ("functools.reduce", 3): (
        ("f", "xs", "start"),
        "found = start\nfor item in xs:\n    found = f(found, item)",
    ),
    ("filter", 2): (("f", "xs"), "found = [item for item in xs if f(item)]"),
}
# With ``key=f``: what `f` gives is compared.
_BY_KEY = {
    "max": "found = xs[0]\nfor k in range(1, len(xs)):\n    if f(xs[k]) > f(found):\n        found = xs[k]",
    "min": "found = xs[0]\nfor k in range(1, len(xs)):\n    if f(xs[k]) < f(found):\n        found = xs[k]",
    "sorted": "found = list(array(xs)[argsort(array([f(item) for item in xs]), kind='stable')])",
}
# With ``default=value``, of an empty sequence.
_OR_DEFAULT = "found = default\nif len(xs) > 0:\n    found = {which}(xs)"
# An array's rows at once.
_SUM_OF_ROWS = "found = add_up(xs, axis=0)"
_BACKWARDS = "found = list(xs)[::-1] if reverse else xs"
# What is written out for elements that are known.
_OF_KNOWN = frozenset({"sum", "max", "min"})


def as_loop(frame: Frame, name: str, given: Arguments) -> Value | None:
    """The value of such a call; None for another function, and for arguments that are no sequences."""
    parameters, text = _LOOPS.get((name, len(given.positional)), ((), ""))
    keywords = dict(given.keywords)
    reverse = keywords.pop("reverse", None) if name == "sorted" else None
    held = dict(zip(parameters, given.positional, strict=False))
    if "key" in keywords and name in _BY_KEY:
        text, held["f"] = _BY_KEY[name], keywords.pop("key")
        if reverse not in (None, Literal(False)):  # which keeps the order of equal elements
            return None
    if name in ("max", "min") and keywords.keys() == {"default"} and "f" not in held and held:
        held["default"] = keywords.pop("default")
        return read_template(frame, _OR_DEFAULT.format(which=name), held, given.node)
    if not held or keywords or not _is_function(held.get("f")) or not _is_sequence(frame, held["xs"]):
        return None
    if name in _OF_KNOWN and parameters == ("xs",) and "f" not in held and elements(held["xs"]) is not None:
        return None
    if name == "sum" and "start" not in held and isinstance(held["xs"], Var) and held["xs"].kind == "tensor":
        text = _SUM_OF_ROWS
    found = read_template(frame, text, held, given.node)
    if reverse is not None:
        found = read_template(frame, _BACKWARDS, {"xs": found, "reverse": reverse}, given.node)
    return found


def _is_sequence(frame: Frame, value: Value) -> bool:
    """True of a tensor, and of a list or tuple with tensors in it or of a length that is not known."""
    if isinstance(value, Var):
        return value.kind in ("tensor", "list") or is_list(frame, value)
    return isinstance(value, Items | Growing) and not is_value(value)


def _is_function(value: Value | None) -> bool:
    return value is None or isinstance(value, Function | Choice | Callee | Dotted)
