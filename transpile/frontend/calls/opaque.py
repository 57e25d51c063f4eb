"""Calls that nothing is known about: they run, and have no derivative."""

from __future__ import annotations

from ...ir import Atom, Kind, Literal, Var
from ...operators import BY_FULL_NAME, CONSTANT, instead_of, suggestions
from ...operators.aten import ATEN, ATEN_VALUES
from ...operators.plain import PLAIN_FUNCTIONS
from ..names.bindings import BUILTINS
from ..state.atoms import atom, keyword_atom, list_atom
from ..state.values import Choice, Frame, Function, Growing, Items, Value, is_value
from ..syntax.fence import refuse
from .arguments import Arguments

# Functions that only forward an array, for a formula's forward runs on arrays.
IDENTITY = frozenset({"numpy.asarray", "numpy.ascontiguousarray", "numpy.asanyarray"})
# What makes a new variable of a value, with no path back to what it was computed from.
PATH_LOSING = frozenset(
    {
        "pullback.tensor", "pullback.from_numpy", "pullback.Tensor", "torch.tensor", "torch.from_numpy",
        "torch.as_tensor", ".detach", ".numpy", ".item", ".tolist", *IDENTITY, "numpy.array",
    }
)  # fmt: skip


def opaque(frame: Frame, text: str, dotted: str, given: Arguments, name: str | None) -> Var:
    """A call that the vocabulary doesn't know: it runs, and has no derivative.

    Of what is constant, no gradient is lost: its operands are taken as constants.
    """
    span, instead = frame.span(given.node), instead_of(dotted)
    hint = f"write {instead}" if instead else ""
    if any(isinstance(value, Function | Choice) for value in given.positional):
        message = f"`{text}` is not in the vocabulary, and is given a function"
        raise refuse("PB402", message, span, value=text, hint=hint or "write a loop that calls the function")
    if dotted in CONSTANT:
        given = _stopped(frame, given)
    operands: list[Atom] = []
    for value in given.positional:
        tensors = isinstance(value, Growing) and not is_value(value)
        operands.append(list_atom(frame, value, given.node) if tensors else atom(frame, value, given.node))
    known = dotted in BY_FULL_NAME or dotted in PLAIN_FUNCTIONS
    kwargs: list[tuple[str, Atom]] = [("callee", Literal(dotted if known else text))]
    kwargs += [
        (key, keyword_atom(frame, key, value, given.node))
        for key, value in given.keywords.items()
        if key != "callee"
    ]
    of_values = all(is_value(item) for item in (*operands, *(item for _, item in kwargs)))
    plain = dotted in ATEN_VALUES or (of_values and (dotted in BUILTINS or dotted in PLAIN_FUNCTIONS))
    kind: Kind = "value" if plain else "tensor"
    var = frame.build.emit("opaque", operands, span, kwargs=kwargs, kind=kind, name=name)
    frame.build.opaque[var] = dotted
    arrays = any(isinstance(item, Var) and item.kind != "value" for item in operands)
    known = dotted in PATH_LOSING or dotted in CONSTANT or dotted.startswith(ATEN)
    if arrays and not known and frame.place is None:
        close = suggestions(dotted)
        guess = (
            f"did you mean {' or '.join(close)}?" if close else "compute it before the formula, or write one"
        )
        frame.build.report(
            refuse(
                "PB403",
                f"`{text}` is not in the vocabulary: it runs, but has no derivative of its own",
                span,
                value=text,
                hint=hint or guess,
            )
        )
    return var


def _stopped(frame: Frame, given: Arguments) -> Arguments:
    """The arguments of a call, tensors among them without their history."""
    span = frame.span(given.node)

    def stop(value: Value) -> Value:
        if isinstance(value, Items):
            return Items(tuple(map(stop, value.items)))
        if isinstance(value, Growing):
            return Growing([stop(item) for item in value.items], value.by_closure, value.depth)
        if isinstance(value, Var) and value.kind == "tensor":
            return frame.build.emit("stop_gradient", (value,), span)
        return value

    keywords = {key: stop(value) for key, value in given.keywords.items()}
    return Arguments(given.node, [stop(value) for value in given.positional], keywords)
