"""A formula as others see it, from its `def` alone: operator, parameters, number of results."""

from __future__ import annotations

import ast
from collections.abc import Container
from dataclasses import replace

from ...ir import STRUCTURAL, Formula
from ...operators import AROUND_DECOMPOSITIONS, OPERATORS, by_python
from ..syntax.fence import Refusal, refuse
from ..syntax.leaving import last_return
from .bindings import Binding, Names


def signature(node: ast.FunctionDef, target: str | None, has_closure: bool) -> Binding:
    """The binding of the formula's name in another formula, and in its own closure."""
    info = by_python(target) if target else None
    args = node.args
    inputs = tuple(arg.arg for arg in (*args.posonlyargs, *args.args))
    returned = last_return(node)
    value = returned
    if has_closure and isinstance(returned, ast.Tuple) and returned.elts:
        value = returned.elts[0]
    count = len(value.elts) if isinstance(value, ast.Tuple) else 1
    attrs = tuple(arg.arg for arg in args.kwonlyargs)
    return Binding.formula(
        info.name if info else node.name, inputs, attrs, count, isinstance(value, ast.Tuple)
    )


def operator_name(binding: Binding, taken: Container[str]) -> str:
    """The operator of a formula's calls: its name, numbered where another one or an operator has it.

    >>> operator_name(Binding.formula("inner"), {"inner"})
    'inner_2'
    """
    name, number = binding.name, 2
    while name in taken:
        name = f"{binding.name}_{number}"
        number += 1
    return name


def with_itself(names: Names, node: ast.FunctionDef, target: str | None) -> Names:
    """Names in which the formula's own name is known, so that a closure may call the operator."""

    def find(name: str) -> Binding | None:
        known = names.find(name)
        if name != node.name or (known is not None and known.kind == "formula"):
            return known
        binding = signature(node, target, has_closure=True)
        return replace(binding, name=operator_name(binding, AROUND_DECOMPOSITIONS))

    return Names(find, names.formulas)


def own_call(formula: Formula, names: Names) -> Refusal | None:
    """The refusal (PB105) of a forward that calls the operator that it defines.

    The names are those that the formula has for itself; its operator may have a number behind its name.
    """
    called = {eqn.op for eqn in formula.forward.every() if eqn.op.startswith(formula.name)}
    own = names.lookup(formula.name) if called else None
    operator = own.name if own is not None and own.kind == "formula" else formula.name
    if operator in OPERATORS or operator in STRUCTURAL:
        return None
    return recursion([formula.name, formula.name], formula, operator) if operator in called else None


def recursion(cycle: list[str], formula: Formula, callee: str) -> Refusal:
    """The refusal of a forward that comes back to itself."""
    span = next((eqn.span for eqn in formula.forward.every() if eqn.op == callee), None)
    return refuse(
        "PB105",
        f"`{formula.name}` calls itself: {' -> '.join(cycle)}",
        span or formula.span,
        value=formula.name,
        hint="a forward may call other formulas only; closures may call their own operator",
    )


def cycles(formulas: dict[str, Formula]) -> dict[str, Refusal]:
    """For each formula whose forward comes back to itself through others, the refusal."""
    calls = {
        name: [eqn.op for eqn in formula.forward.every() if eqn.op in formulas and eqn.op not in OPERATORS]
        for name, formula in formulas.items()
    }
    found: dict[str, Refusal] = {}
    for name in formulas:
        paths = [[name, callee] for callee in calls[name]]
        seen: set[str] = set()
        while paths and name not in found:
            path = paths.pop(0)
            if path[-1] == name:
                found[name] = recursion(path, formulas[name], path[1])
            elif path[-1] not in seen:
                seen.add(path[-1])
                paths += [[*path, callee] for callee in calls[path[-1]]]
    return found
