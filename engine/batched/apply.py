"""Calls of operators and functions on batched values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ...transpile.operators import OPERATORS
from ..calls import call as calls
from ..core import dispatch
from ..core.errors import BatchedValueError
from ..core.registry import FORMULAS
from .pointwise import is_pointwise
from .rules import RULES, Rule, pointwise
from .tensor import Batched, Level, innermost


def apply(operator: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """Call an operator with a batched value among its arguments; see `dispatch.Engine.apply`."""
    inputs, attributes = operator.bind(args, kwargs)
    level = innermost((*inputs, *attributes.values()))
    assert level is not None, "dispatch asks only for batched arguments"

    def run(inputs: Sequence[Any], attributes: Mapping[str, Any]) -> Any:
        return dispatch.apply(operator, inputs, attributes)

    return _batched(_rule(operator), run, level, inputs, attributes)


def unrecorded(function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """Call a function that has no derivative with a batched value among its arguments."""
    level = innermost((*args, *kwargs.values()))
    assert level is not None, "dispatch asks only for batched arguments"
    info = FORMULAS.info_of(function)
    if info is not None and not info.variadic and len(args) >= len(info.operands):
        name, count = info.name, len(info.operands)
        attributes = dict(zip(info.attrs, args[count:], strict=False)) | dict(kwargs)
        rule = pointwise if info.kind == "pointwise" else RULES.get(info.name)

        def run(inputs: Sequence[Any], attributes: Mapping[str, Any]) -> Any:
            return calls.call(name, *inputs, **attributes)

        return _batched(rule, run, level, args[:count], attributes)

    def positional(inputs: Sequence[Any], attributes: Mapping[str, Any]) -> Any:
        engine = dispatch.engine_of(*inputs, *attributes.values())
        if engine is None:
            return function(*inputs, **attributes)
        return calls.unrecorded(engine, function, inputs, attributes)

    return _batched(None, positional, level, args, kwargs)


def composed(function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """Call a function that is written with operators; for each example where it reads values itself."""
    try:
        return function(*args, **kwargs)
    except BatchedValueError:
        level = innermost((*args, *kwargs.values()))
        if level is None:
            raise
        return per_example(lambda given, options: function(*given, **options), level, args, kwargs)


def _rule(operator: Any) -> Rule | None:
    """The batching rule of an operator, or None."""
    entry = FORMULAS.of_operator(operator.name)
    of_library = FORMULAS.of_library(entry) and id(getattr(entry, "operator", None)) == id(operator)
    if of_library:
        return pointwise if OPERATORS[operator.name].kind == "pointwise" else RULES.get(operator.name)
    return pointwise if is_pointwise(operator) else None


def _batched(
    rule: Rule | None,
    run: Callable[[Sequence[Any], Mapping[str, Any]], Any],
    level: Level,
    inputs: Sequence[Any],
    attributes: Mapping[str, Any],
) -> Any:
    if rule is not None and innermost(attributes.values()) is None:
        result = rule(run, level, inputs, attributes)
        if result is not None:
            return _wrapped(result, level)
    return per_example(run, level, inputs, attributes)


def _wrapped(result: Any, level: Level) -> Any:
    if isinstance(result, tuple):
        return tuple(Batched(part, level) for part in result)
    return Batched(result, level)


def per_example(
    run: Callable[[Sequence[Any], Mapping[str, Any]], Any],
    level: Level,
    inputs: Sequence[Any],
    attributes: Mapping[str, Any],
) -> Any:
    """One call for each example, with its parts of the arguments; the results stacked."""
    if not level.size:
        raise BatchedValueError("vmap over an axis of length 0 needs an operator that has a batching rule")
    names = list(attributes)
    columns = [_parts(value, level) for value in (*inputs, *attributes.values())]
    results = []
    for row in zip(*columns, strict=True):
        given = dict(zip(names, row[len(inputs) :], strict=True))
        results.append(run(row[: len(inputs)], given))
    if isinstance(results[0], tuple):
        return tuple(_stacked(part, level) for part in zip(*results, strict=True))
    return _stacked(results, level)


def _parts(value: Any, level: Level) -> list[Any]:
    """The value of each example."""
    if type(value) is Batched and value.level is level:
        return [value.value[i] for i in range(level.size)]
    if type(value) in (list, tuple) and innermost(value) is not None:
        columns = [_parts(item, level) for item in value]
        return [type(value)(row) for row in zip(*columns, strict=True)]
    return [value] * level.size


def _stacked(results: Sequence[Any], level: Level) -> Batched:
    shapes = {tuple(result.shape) for result in results}
    if len(shapes) > 1:
        raise BatchedValueError(
            f"inside of vmap every example gives a result of one shape, and these are of {len(shapes)}: "
            f"{', '.join(map(str, sorted(shapes)))}"
        )
    return Batched(calls.call("stack", list(results), axis=0), level)
