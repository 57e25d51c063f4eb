"""Calls: of vocabulary words, methods, formulas, helpers, and of what nothing is known about."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import partial

from ..ir import Atom, Kind, Literal, Var
from ..vocabulary import VALUE_CALLS, WORDS, by_method, by_python, suggestions
from . import expressions
from .atoms import atom, keyword_atom, list_atom
from .branches import choose
from .fence import Refusal, refuse
from .folding import dotted_name, fold_call
from .frame import Frame, callee_of
from .growing import append, is_list
from .inline import inline
from .iteration import summed
from .kinds import check_number
from .names import BUILTINS
from .raising import formatted
from .sequences import of_known
from .values import Callee, Choice, Dotted, Function, Growing, Items, Value, elements, is_value
from .vector_products import VJP, read_vjp
from .words import bind_word

_DTYPE_CALLS = frozenset({"numpy.float16", "numpy.float32", "numpy.float64", "numpy.int32", "numpy.int64"})
# Functions that only forward an array, for a formula's forward runs on arrays.
_IDENTITY = frozenset({"numpy.asarray", "numpy.ascontiguousarray", "numpy.asanyarray"})
_COPIES = frozenset({"numpy.array", "numpy.copy"})
_FLAT = frozenset({"numpy.ravel"})
_METADATA = {"pullback.like": "like", "numpy.shape": "shape", "numpy.ndim": "ndim", "numpy.size": "size"}
# What makes a new variable of a value, with no path back to what it was computed from.
PATH_LOSING = frozenset(
    {
        "pullback.tensor", "pullback.from_numpy", "pullback.Tensor", "torch.tensor", "torch.from_numpy",
        "torch.as_tensor", ".detach", ".numpy", ".item", ".tolist", *_IDENTITY, "numpy.array",
    }
)  # fmt: skip


@dataclass
class Arguments:
    """The arguments of one call as they are written."""

    node: ast.Call
    positional: list[Value]
    keywords: dict[str, Value]


def read_call(frame: Frame, node: ast.Call, name: str | None, targets: tuple[str, ...] = ()) -> Value:
    """The value of a call. `targets` name the results of a formula that has several."""
    func = node.func
    dotted = dotted_name(func, frame.names) if not _is_local(frame, func) else None
    if dotted in _DTYPE_CALLS:
        return _scalar(frame, dotted, _arguments(frame, node), name)
    callee: Value
    if isinstance(func, ast.Attribute) and dotted is None:
        base = expressions.read(frame, func.value)
        if isinstance(base, Growing) or (isinstance(base, Var) and is_list(frame, base)):
            return _list_method(frame, base, func, _arguments(frame, node))
        if isinstance(base, Var):
            return _method(frame, base, func, _arguments(frame, node), name)
        callee = expressions.read(frame, func)
    else:
        callee = expressions.read(frame, func)
    if isinstance(callee, Function | Choice):
        return _function(frame, callee, _arguments(frame, node), name)
    if isinstance(callee, Callee):
        return _formula(frame, callee, _arguments(frame, node), name, targets)
    if isinstance(callee, Dotted):
        return call_dotted(frame, callee, _arguments(frame, node), name)
    raise refuse(
        "PB402", "this is not a function", frame.span(func), hint="multiply by `*`, take elements by `x[...]`"
    )


def _is_local(frame: Frame, node: ast.expr) -> bool:
    while isinstance(node, ast.Attribute):
        node = node.value
    return not isinstance(node, ast.Name) or frame.holds(node.id)


def _arguments(frame: Frame, node: ast.Call) -> Arguments:
    positional: list[Value] = []
    args = node.args
    reshapes = isinstance(node.func, ast.Attribute) and node.func.attr == "reshape"
    if reshapes and any(isinstance(item, ast.Starred) for item in args):
        # `x.reshape(*x.shape[:-1], 1)`: one tuple, however it is written.
        args = [ast.copy_location(ast.Tuple(args, ast.Load()), node)]
    for item in args:
        if not isinstance(item, ast.Starred):
            positional.append(expressions.read(frame, item))
            continue
        known = elements(expressions.read(frame, item.value))
        if known is None:
            raise refuse("PB404", "`*` needs a tuple that is written out", frame.span(item))
        positional.extend(known)
    keywords: dict[str, Value] = {}
    for keyword in node.keywords:
        if keyword.arg is None:
            raise refuse(
                "PB404", "`**` in a call is outside of the formula language", frame.span(keyword.value)
            )
        keywords[keyword.arg] = expressions.read(frame, keyword.value)
    return Arguments(node, positional, keywords)


def call_dotted(frame: Frame, callee: Dotted, given: Arguments, name: str | None) -> Value:
    """A call of a function by its full name."""
    if callee.name in VJP:
        apply = partial(_applied, frame, given.node)
        return read_vjp(frame, given.node, given.positional, given.keywords, apply)
    if callee.name == "numpy.einsum" and len(given.positional) > 1 and not given.keywords:
        return _einsum(frame, given, name)
    word = by_python(callee.name)
    of_values = callee.name in BUILTINS and all(is_value(value) for value in given.positional)
    if word is not None and not of_values:
        return bind_word(frame, word, callee.name, given.node, given.positional, given.keywords, name)
    first = given.positional[0] if len(given.positional) == 1 and not given.keywords else None
    if callee.name in _METADATA and isinstance(first, Var):
        return frame.build.metadata(_METADATA[callee.name], (first,), frame.span(given.node), name)
    formula = frame.names.formula_of(callee.name)
    if formula is not None:
        return _formula(frame, callee_of(formula), given, name, ())
    if callee.name in _FLAT and isinstance(first, Var):
        return _reshape_flat(frame, first, given, name)
    if not frame.build.in_closure and isinstance(first, Var) and first.kind == "tensor":
        if callee.name in _IDENTITY:
            return first
        if callee.name in _COPIES:
            return frame.build.emit("positive", (first,), frame.span(given.node), name=name)
    if not given.keywords:
        node = given.node
        if callee.name == "sum" and isinstance(first, Var) and first.kind != "tensor":
            return summed(frame, first, node)
        found = of_known(
            frame,
            callee.name,
            given.positional,
            node,
            lambda left, right: expressions.arithmetic(frame, "add", left, right, node),
        )
        if found is not None:
            return found
    if callee.name in ("min", "max") and of_values and len(given.positional) > 1 and not given.keywords:
        return _extreme(frame, callee.name, given, name)
    if callee.name == "str" and of_values and isinstance(first, Var):
        return formatted(frame, "{}", [first], given.node, name)
    if of_values and (folded := _folded_builtin(callee.name, given)) is not None:
        return folded
    builtin = _builtin(frame, callee, given, name)
    if builtin is not None:
        return builtin
    return opaque(frame, callee.text, callee.name, given, name)


def _applied(frame: Frame, node: ast.Call, function: Value, arguments: list[Value]) -> Value:
    """What a function that was given to another one returns for these arguments."""
    given = Arguments(node, arguments, {})
    if isinstance(function, Function | Choice):
        return _function(frame, function, given, None)
    if isinstance(function, Callee):
        return _formula(frame, function, given, None, ())
    assert isinstance(function, Dotted)
    return call_dotted(frame, function, given, None)


def _extreme(frame: Frame, which: str, given: Arguments, name: str | None) -> Value:
    """Python's `min` or `max` of numbers: the first one that no other one beats."""
    best, *others = given.positional
    for number, other in enumerate(others, start=1):
        operands = [atom(frame, value, given.node) for value in (other, best)]
        test = expressions.combine(frame, "less" if which == "min" else "greater", operands, given.node)
        label = name if number == len(others) else None
        best = choose(frame, test, partial(_same, other), partial(_same, best), given.node, label)
    return best


def _same(value: Value) -> Value:
    return value


def _einsum(frame: Frame, given: Arguments, name: str | None) -> Atom:
    """``np.einsum(subscripts, a, b)``: its arrays come one by one, those of the word in a list."""
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
    positional: list[Value] = [Items(tuple(arrays)), subscripts]
    return bind_word(frame, WORDS["contract"], "numpy.einsum", given.node, positional, {}, name)


def _folded_builtin(name: str, given: Arguments) -> Literal | None:
    literals = [value for value in given.positional if isinstance(value, Literal)]
    complete = len(literals) == len(given.positional) and not given.keywords
    return fold_call(name, *literals) if complete else None


def _reshape_flat(frame: Frame, value: Var, given: Arguments, name: str | None) -> Var:
    shape = (("shape", Literal((-1,))),)
    return frame.build.emit("reshape", (value,), frame.span(given.node), kwargs=shape, name=name)


def _builtin(frame: Frame, callee: Dotted, given: Arguments, name: str | None) -> Value | None:
    """`len`, `range`, `float`, `math.sqrt` and the like, of values."""
    span = frame.span(given.node)
    if callee.name not in VALUE_CALLS and callee.name != "slice":
        return None
    if given.keywords or not given.positional:
        raise refuse("PB404", f"`{callee.text}` takes positional arguments here", span)
    known = elements(given.positional[0])
    if callee.name in ("tuple", "len") and known is not None and len(given.positional) == 1:
        return Items(known) if callee.name == "tuple" else Literal(len(known))
    operands = [atom(frame, value, given.node) for value in given.positional]
    _check_values(frame, callee, operands, given)
    literals = [item for item in operands if isinstance(item, Literal)]
    if callee.name == "range" and len(literals) == len(operands):
        return _literal_range(frame, literals, given)
    if len(literals) == len(operands) and (folded := fold_call(callee.name, *literals)) is not None:
        return folded
    if callee.name == "len" and isinstance(operands[0], Var) and operands[0].kind == "tensor":
        shape = frame.build.metadata("shape", (operands[0],), span)
        return frame.build.metadata("item", (shape, Literal(0)), span, name)
    if callee.name == "slice":
        bounds = (
            [Literal(None), *operands, Literal(None)] if len(operands) == 1 else [*operands, Literal(None)]
        )
        return frame.build.emit("slice", bounds[:3], span, kind="value", name=name)
    return frame.build.emit(callee.name, operands, span, kind="value", name=name)


def _check_values(frame: Frame, callee: Dotted, operands: list[Atom], given: Arguments) -> None:
    """Refuse tensors where a number is needed: what is computed of it would have no derivative."""
    if callee.name == "len":
        check_number(frame, operands[0], given.node.args[0], "`len`")
    if callee.name not in ("range", "float") and not callee.name.startswith("math."):
        return
    for operand, node in zip(operands, given.node.args, strict=False):
        if isinstance(operand, Var) and operand.kind != "value":
            instead = callee.name.removeprefix("math.")
            hints = {"range": "loop over `range(len(x))`, or over its rows: `for row in x`"}
            hints["float"] = "leave it out: arithmetic with a tensor keeps its derivative"
            hint = hints.get(callee.name, f"write `np.{instead}(x)`, which has a derivative")
            message = f"`{callee.text}` takes numbers, and this is a tensor"
            raise refuse("PB404", message, frame.span(node), value=callee.text, hint=hint)


def _literal_range(frame: Frame, literals: list[Literal], given: Arguments) -> Items:
    bounds = [item.value for item in literals if isinstance(item.value, int)]
    if len(bounds) != len(literals) or not 1 <= len(bounds) <= 3 or bounds[2:] == [0]:
        hint = "range(stop), range(start, stop), range(start, stop, step); int(n) rounds down"
        raise refuse("PB404", "`range` takes one to three whole numbers", frame.span(given.node), hint=hint)
    numbers = range(*bounds)
    if len(numbers) > 256:
        raise refuse("PB402", "a loop of more than 256 steps is not written out", frame.span(given.node))
    return Items(tuple(Literal(number) for number in numbers))


def _scalar(frame: Frame, dotted: str, given: Arguments, name: str | None) -> Value:
    """``np.float32(x)``."""
    if len(given.positional) != 1 or given.keywords:
        raise refuse("PB404", f"`{dotted}` takes one argument", frame.span(given.node))
    value = atom(frame, given.positional[0], given.node)
    if isinstance(value, Literal) and (folded := fold_call(dotted, value)) is not None:
        return folded
    dtype = (("dtype", Literal(dotted.removeprefix("numpy."))),)
    kind: Kind = "value" if is_value(value) else "tensor"
    return frame.build.emit("astype", (value,), frame.span(given.node), kwargs=dtype, kind=kind, name=name)


def _list_method(frame: Frame, base: Growing | Var, func: ast.Attribute, given: Arguments) -> Value:
    if func.attr != "append" or len(given.positional) != 1 or given.keywords:
        raise refuse(
            "PB402",
            f"`.{func.attr}` of a list is outside of the formula language",
            frame.span(given.node),
            hint="use append",
        )
    return append(frame, func, base, given.positional[0], given.node)


def _method(frame: Frame, base: Var, func: ast.Attribute, given: Arguments, name: str | None) -> Value:
    span = frame.span(given.node)
    word = by_method(func.attr)
    if base.kind == "tensor" and word is not None:
        return bind_word(
            frame, word, word.python, given.node, [base, *given.positional], given.keywords, name, True
        )
    plain = base.kind == "tensor" and not given.positional and not given.keywords
    if plain and func.attr == "copy":
        return frame.build.emit("positive", (base,), span, name=name)
    if plain and func.attr in ("ravel", "flatten"):
        return _reshape_flat(frame, base, given, name)
    if base.kind == "tensor":
        given.positional.insert(0, base)
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
        test = frame.lookup(ast.copy_location(ast.Name(callee.test, ast.Load()), given.node))
        first, second = (
            partial(_function, frame, side, given, None) for side in (callee.first, callee.second)
        )
        return choose(frame, test, first, second, given.node, name)
    nested = callee.frame.parent is not None or bool(callee.frame.declared)
    if nested:
        return inline(frame, callee, given.positional, given.keywords, given.node, name)
    mark, findings = len(frame.build.eqns), len(frame.build.findings)
    try:
        return inline(frame, callee, given.positional, given.keywords, given.node, name)
    except Refusal as refusal:
        code = refusal.finding.code if refusal.finding is not None else ""
        if code in ("PB105", "PB404") or code.startswith("PB3"):
            raise
        del frame.build.eqns[mark:], frame.build.findings[findings:]
        return opaque(frame, callee.name, callee.name, given, name)


def opaque(frame: Frame, text: str, dotted: str, given: Arguments, name: str | None) -> Var:
    """A call that the vocabulary doesn't know: it runs, and has no derivative."""
    span = frame.span(given.node)
    operands: list[Atom] = []
    for value in given.positional:
        tensors = isinstance(value, Growing) and not is_value(value)
        operands.append(list_atom(frame, value, given.node) if tensors else atom(frame, value, given.node))
    kwargs: list[tuple[str, Atom]] = [("callee", Literal(text))]
    kwargs += [
        (key, keyword_atom(frame, key, value, given.node))
        for key, value in given.keywords.items()
        if key != "callee"
    ]
    plain = dotted in BUILTINS and all(is_value(item) for item in operands)
    kind: Kind = "value" if plain else "tensor"
    var = frame.build.emit("opaque", operands, span, kwargs=kwargs, kind=kind, name=name)
    frame.build.opaque[var] = dotted
    arrays = any(isinstance(item, Var) and item.kind != "value" for item in operands)
    if arrays and dotted not in PATH_LOSING:
        close = suggestions(dotted)
        frame.build.report(
            refuse(
                "PB403",
                f"`{text}` is not in the vocabulary: it runs, but has no derivative of its own",
                span,
                value=text,
                hint=f"did you mean {' or '.join(close)}?"
                if close
                else "compute it before the formula, or write one",
            )
        )
    return var
