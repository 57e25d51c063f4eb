"""Calls of vocabulary operators, methods, formulas and helpers."""

from __future__ import annotations

import ast
from functools import partial

from ...analysis.numbers import gives_number
from ...ir import Atom, Kind, Literal, Var
from ...operators import OPERATORS, by_method, by_python
from ..expressions.arithmetic import arithmetic, copied
from ..expressions.branches import choose
from ..expressions.dictionaries import method_of
from ..names.bindings import BUILTINS
from ..names.constants import dotted_name
from ..state.aliases import is_number
from ..state.atoms import atom, keyword_atom
from ..state.attempt import Attempt
from ..state.growing import is_list
from ..state.lookup import callee_of, lookup
from ..state.readers import read
from ..state.values import (
    Callee,
    Choice,
    Dotted,
    Frame,
    Function,
    Growing,
    Items,
    Keyed,
    Value,
    elements,
    is_value,
)
from ..syntax.fence import Refusal, refuse
from ..syntax.nodes import located
from .arguments import Arguments, read_arguments
from .composites import composite_of, read_composite
from .entries import read_of_entries
from .inline import inline
from .list_methods import as_list, read_list_method
from .opaque import IDENTITY, opaque
from .operators import bind_operator
from .ordered import ORDERED, read_ordered
from .partial import read_partial
from .python_calls import DTYPE_CALLS, call_dtype, call_python
from .type_tests import read_type_test
from .ufunc_methods import as_reduction, outer_of, read_outer
from .vector_products import VJP, read_vjp
from .wider import read_wider
from .written_arrays import (
    ARRAY_OF,
    array_of,
    array_of_table,
    list_of_arrays,
    with_arrays,
    with_arrays_inside,
)

# Arguments of what makes an array that say where it lies in memory, or ask for what a copy is anyway.
_LAYOUTS = {
    "copy": (Literal(True),),
    "order": tuple(map(Literal, ("C", "F", "A", "K", None))),
    "subok": (Literal(False),),
    "dtype": (Literal(None),),
}
_COPIES = frozenset({"numpy.array", "numpy.copy", "pullback.aten.clone"})
# Methods that are functions of NumPy's by another name, or no operators.
_METHODS = {
    **{name: f"numpy.{name}" for name in ("ravel", "take", "choose", "conj", "nonzero")},
    "flatten": "numpy.ravel",
    "conjugate": "numpy.conj",
}
_ARITHMETIC = {
    "operator.add": "add",
    "operator.sub": "subtract",
    "operator.mul": "multiply",
    "operator.truediv": "divide",
    "operator.matmul": "matmul",
}
_METADATA = {
    "pullback.primitives.like": "like",
    "numpy.shape": "shape",
    "numpy.ndim": "ndim",
    "numpy.size": "size",
}


def read_call(frame: Frame, node: ast.Call, name: str | None, targets: tuple[str, ...] = ()) -> Value:
    """The value of a call. `targets` name the results of a formula that has several."""
    func = node.func
    dotted = dotted_name(func, frame.names) if not _is_local(frame, func) else None
    if dotted in DTYPE_CALLS:
        return call_dtype(frame, dotted, read_arguments(frame, node), name)
    if dotted == "isinstance":
        return read_type_test(frame, node, name)
    callee: Value
    if isinstance(func, ast.Attribute) and dotted is None:
        base = read(frame, func.value)
        if isinstance(base, Growing) or (
            isinstance(base, Var) and (is_list(frame, base) or base in frame.build.tuples)
        ):
            return read_list_method(frame, base, func, read_arguments(frame, node))
        if isinstance(base, Keyed):
            return method_of(frame, base, func, read_arguments(frame, node).positional, node)
        if isinstance(base, Var):
            return _method(frame, base, func, read_arguments(frame, node), name)
        callee = read(frame, func)
    else:
        callee = read(frame, func)
    if isinstance(callee, Function | Choice):
        return _function(frame, callee, read_arguments(frame, node), name)
    if isinstance(callee, Callee):
        return _formula(frame, callee, read_arguments(frame, node), name, targets)
    if isinstance(callee, Dotted):
        if callee.name == "map":
            return read(frame, _mapped(frame, node), name)
        if callee.name == "functools.partial":
            return read_partial(frame, read_arguments(frame, node))
        if callee.name in ARRAY_OF:
            node = with_arrays_inside(node)
        return call_dotted(frame, callee, read_arguments(frame, node), name)
    raise refuse(
        "PB402", "this is not a function", frame.span(func), hint="multiply by `*`, take elements by `x[...]`"
    )


def _mapped(frame: Frame, node: ast.Call) -> ast.expr:
    """``map(f, xs, ys)`` as ``[f(x, y) for x, y in zip(xs, ys)]``."""
    function, *over = node.args or [node.func]
    if not over or node.keywords or any(isinstance(part, ast.Starred) for part in node.args):
        message, hint = "`map` takes a function and sequences here", "write [f(a, b) for a, b in zip(x, y)]"
        raise refuse("PB402", message, frame.span(node), value="map", hint=hint)
    items = [f"<item {k}>" for k in range(len(over))]  # names that no author can write
    call = ast.Call(function, [ast.Name(item, ast.Load()) for item in items], [])
    targets: list[ast.expr] = [ast.Name(item, ast.Store()) for item in items]
    zipped = ast.Call(ast.Name("zip", ast.Load()), over, [])
    single = len(over) == 1
    pairs = ast.comprehension(
        targets[0] if single else ast.Tuple(targets, ast.Store()), over[0] if single else zipped, [], 0
    )
    return located(ast.ListComp(call, [pairs]), node)


def _is_local(frame: Frame, node: ast.expr) -> bool:
    while isinstance(node, ast.Attribute):
        node = node.value
    return not isinstance(node, ast.Name) or frame.holds(node.id)


def call_dotted(frame: Frame, callee: Dotted, given: Arguments, name: str | None) -> Value:
    """A call of a function by its full name."""
    if callee.name in VJP:
        apply = partial(_applied, frame, given.node)
        return read_vjp(frame, given.node, given.positional, given.keywords, apply)
    call = partial(call_dotted, frame, name=name)
    if (of_entries := read_of_entries(frame, callee, given, call)) is not None:
        return of_entries
    if callee.name == "divmod" and not all(map(is_value, given.positional)):
        callee = Dotted("numpy.divmod", callee.text)
    if callee.name in _ARITHMETIC and len(given.positional) == 2 and not given.keywords:
        left, right = given.positional
        return arithmetic(frame, _ARITHMETIC[callee.name], left, right, given.node, name)
    if (reduction := as_reduction(frame, callee, given)) is not None:
        callee, given = reduction
    if (outer := outer_of(callee.name)) is not None:
        return read_outer(frame, outer, callee, given, name)
    ordered = read_ordered(frame, callee.name, given, name) if callee.name in ORDERED else None
    if ordered is not None:
        return ordered
    if callee.name == "numpy.where" and len(given.positional) == 1 and not given.keywords:
        return opaque(frame, callee.text, "numpy.nonzero", given, name)
    if callee.name == "numpy.einsum" and len(given.positional) > 1 and given.keywords.keys() <= {"optimize"}:
        return _einsum(frame, given, name)
    info = by_python(callee.name) if callee.name not in ARRAY_OF else None
    of_values = callee.name in BUILTINS and all(is_value(value) for value in given.positional)
    if info is not None and not of_values:
        given = with_arrays(frame, info, given)
        if (wider := read_wider(frame, callee, given, name)) is not None:
            return wider
        return bind_operator(frame, info, callee.name, given.node, given.positional, given.keywords, name)
    if callee.name in IDENTITY | _COPIES:
        kept = {key: value for key, value in given.keywords.items() if value not in _LAYOUTS.get(key, ())}
        given = Arguments(given.node, given.positional, kept)
    first = given.positional[0] if len(given.positional) == 1 and not given.keywords else None
    arrays = elements(first) if callee.name == "pullback.primitives.like" and first is not None else None
    if arrays is not None and all(isinstance(array, Var) for array in arrays):
        span = frame.span(given.node)
        likes = [frame.build.metadata("like", (array,), span) for array in arrays if isinstance(array, Var)]
        return Items(tuple(likes))
    if callee.name in _METADATA and isinstance(first, Var):
        held = atom(frame, array_of_table(frame, first, given.node), given.node)
        return frame.build.metadata(_METADATA[callee.name], (held,), frame.span(given.node), name)
    if callee.name == "numpy.ndim" and first is not None:
        return Literal(_depth(first))
    formula = frame.names.formula_of(callee.name)
    if formula is not None:
        return _formula(frame, callee_of(formula), given, name, ())
    composite = composite_of(frame, callee.name, given.node)
    if composite is not None:
        return read_composite(frame, composite, given, name, callee)
    if callee.name in ARRAY_OF and given.positional and given.keywords.keys() <= {"dtype"}:
        value, *dtype = (*given.positional, *given.keywords.values())
        array = array_of(frame, value, given.node, name, *dtype) if len(dtype) < 2 else None
        if array is not None:
            return array
    if callee.name in IDENTITY | _COPIES and (cast := _in_dtype(frame, callee, given, name)) is not None:
        return cast
    if not frame.build.in_closure and isinstance(first, Var) and first.kind == "tensor":
        if callee.name in IDENTITY:
            return _as_array(frame, first, given.node, name)
        if callee.name in _COPIES:
            return frame.build.emit("positive", (first,), frame.span(given.node), name=name)
    found = call_python(frame, callee, given, name, of_values)
    return opaque(frame, callee.text, callee.name, given, name) if found is None else found


def _in_dtype(frame: Frame, callee: Dotted, given: Arguments, name: str | None) -> Var | None:
    """``np.asarray(x, dtype)`` and ``np.array(x, dtype)`` of a tensor; None for any other call."""
    dtype = given.keywords.get("dtype")
    first = given.positional[0] if given.positional else None
    if len(given.positional) == 2 and not given.keywords:
        dtype = given.positional[1]
    elif len(given.positional) != 1 or given.keywords.keys() != {"dtype"}:
        return None
    if (
        frame.build.in_closure
        or dtype in (None, Literal(None))
        or not isinstance(first, Var)
        or first.kind != "tensor"
    ):
        return None
    array = _with_shape(frame, first, given.node, None) if first in frame.build.inputs else first
    kwargs = (("dtype", keyword_atom(frame, "dtype", dtype, given.node)),)
    cast = frame.build.emit("astype", (array,), frame.span(given.node), kwargs=kwargs, name=name)
    if callee.name in IDENTITY:  # it is the operand, where that has the dtype already
        frame.build.sources[cast] = {first}
    return cast


def _as_array(frame: Frame, value: Var, node: ast.Call, name: str | None) -> Var:
    """The array that ``np.asarray`` makes of a number; anything else as it is."""
    build, span = frame.build, frame.span(node)
    made = build.made.get(value)
    if not is_number(build, value) and (made is None or not gives_number(made.op)):
        return value
    if is_number(build, value) or value.temp:
        return build.emit("positive", (value,), span, name=name)
    return _with_shape(frame, value, node, name)


def _with_shape(frame: Frame, value: Var, node: ast.Call, name: str | None) -> Var:
    """A view of all of an array, or the array of a number."""
    span = frame.span(node)
    shape = frame.build.metadata("shape", (value,), span)
    return frame.build.emit("broadcast_to", (value,), span, kwargs=(("shape", shape),), name=name)


def _depth(value: Value) -> int:
    """The number of axes of an array that is written out."""
    known = elements(value)
    return 0 if known is None else 1 + (_depth(known[0]) if known else 0)


def _applied(frame: Frame, node: ast.Call, function: Value, arguments: list[Value]) -> Value:
    """The result of a function that was given to another one, for these arguments."""
    given = Arguments(node, arguments, {})
    if isinstance(function, Function | Choice):
        return _function(frame, function, given, None)
    if isinstance(function, Callee):
        return _formula(frame, function, given, None, ())
    assert isinstance(function, Dotted)
    return call_dotted(frame, function, given, None)


def _einsum(frame: Frame, given: Arguments, name: str | None) -> Atom:
    """``np.einsum(subscripts, a, b)``: its arrays come one by one, those of the operator in a list."""
    subscripts, *arrays = given.positional
    written = subscripts.value if isinstance(subscripts, Literal) else None
    if isinstance(written, str):
        terms, _, result = written.replace(" ", "").partition("->")
        wanted = terms.count(",") + 1
        unknown = sorted(set(result) - set(terms))
        if wanted != len(arrays) or unknown:
            missing = f"the result's `{unknown[0]}` is in none of the arrays" if unknown else ""
            message = missing or f"`{written}` is for {wanted} arrays, and there are {len(arrays)}"
            place = frame.span(given.node.args[0])
            raise refuse("PB404", message, place, value=written, hint="a term per array: `'ij,jk->ik', a, b`")
    positional: list[Value] = [list_of_arrays(frame, Items(tuple(arrays)), given.node), subscripts]
    return bind_operator(frame, OPERATORS["contract"], "numpy.einsum", given.node, positional, {}, name)


def _method(frame: Frame, base: Var, func: ast.Attribute, given: Arguments, name: str | None) -> Value:
    info = by_method(func.attr)
    if base.kind == "tensor" and func.attr == "reshape" and "order" in given.keywords:
        several = len(given.positional) > 1
        given.positional = [base, Items(tuple(given.positional)) if several else given.positional[0]]
        return call_dotted(frame, Dotted(info.python if info else "", ".reshape"), given, name)
    if base.kind == "tensor" and info is not None:
        given.positional.insert(0, base)
        wider = read_wider(frame, Dotted(info.python, f".{func.attr}"), given, name)
        return (
            wider
            if wider is not None
            else bind_operator(
                frame, info, info.python, given.node, given.positional, given.keywords, name, True
            )
        )
    plain = base.kind == "tensor" and not given.positional and not given.keywords
    if plain and func.attr == "copy":
        return copied(frame, base, given.node, name)
    if plain and func.attr == "tolist":
        return as_list(frame, base, given.node)
    if base.kind == "tensor":
        given.positional.insert(0, base)
        if func.attr in _METHODS:
            return call_dotted(frame, Dotted(_METHODS[func.attr], f".{func.attr}"), given, name)
        return opaque(frame, f".{func.attr}", f".{func.attr}", given, name)
    raise refuse(
        "PB402", f"`.{func.attr}` of this value is outside of the formula language", frame.span(func)
    )


def _formula(
    frame: Frame, callee: Callee, given: Arguments, name: str | None, targets: tuple[str, ...]
) -> Value:
    operands, kwargs = _bind_formula(frame, callee, given)
    names: tuple[str | None, ...] = (
        targets
        if len(targets) == callee.results
        else (name,)
        if callee.results == 1
        else (None,) * callee.results
    )
    kinds: tuple[Kind, ...] = tuple("tensor" for _ in range(callee.results))
    outs = frame.build.emit_many(
        callee.name,
        operands,
        frame.span(given.node),
        kwargs=kwargs,
        kinds=kinds,
        names=names,
    )
    return Items(outs) if callee.result_is_tuple else outs[0]


def _bind_formula(
    frame: Frame, callee: Callee, given: Arguments
) -> tuple[list[Atom], list[tuple[str, Atom]]]:
    node = given.node
    operands = [atom(frame, value, node) for value in given.positional]
    keywords = {key: atom(frame, value, node) for key, value in given.keywords.items()}
    if not callee.operands and not callee.attrs:
        return operands, list(keywords.items())
    span = frame.span(node)
    most = len(callee.operands) + len(callee.attrs)
    if len(operands) > most:
        raise refuse("PB404", f"`{callee.name}` takes {most} arguments", span, value=callee.name)
    for key, value in zip((*callee.operands, *callee.attrs), operands, strict=False):
        if key in keywords:
            raise refuse("PB404", f"`{callee.name}` is given `{key}` twice", span, value=key)
        if key in callee.attrs:
            keywords[key] = value
    del operands[len(callee.operands) :]
    for missing in callee.operands[len(operands) :]:
        if missing not in keywords:
            break
        operands.append(keywords.pop(missing))
    for key in keywords:
        if key not in callee.attrs and key not in callee.operands:
            raise refuse("PB404", f"`{callee.name}` has no parameter `{key}`", span, value=key)
    return operands, list(keywords.items())


def _function(frame: Frame, callee: Function | Choice, given: Arguments, name: str | None) -> Value:
    if isinstance(callee, Choice):
        test = lookup(frame, ast.copy_location(ast.Name(callee.test, ast.Load()), given.node))
        first, second = (
            partial(_function, frame, side, given, None) for side in (callee.first, callee.second)
        )
        return choose(frame, test, first, second, given.node, name)
    nested = callee.frame.parent is not None or bool(callee.frame.declared)
    if nested or frame.place is not None:
        return inline(frame, callee, given.positional, given.keywords, given.node, name)
    attempt = Attempt(frame)
    try:
        return inline(frame, callee, given.positional, given.keywords, given.node, name)
    except Refusal as refusal:
        code = refusal.finding.code if refusal.finding is not None else ""
        if code in ("PB105", "PB404") or code.startswith("PB3"):
            raise
        attempt.undo()
        return opaque(frame, callee.name, callee.name, given, name)
