"""Emitted Python run on arrays, with every variable compared with the type that is claimed of it."""

import sys

import numpy as np

from pullback.transpile.analysis.types import infer
from pullback.transpile.derivatives import Variant
from pullback.transpile.emit.python import (
    backward_function,
    forward_function,
    saved_variables,
)
from pullback.transpile.emit.python_text import function_text
from pullback.transpile.ir import Block, Var
from pullback.transpile.ir.types import (
    ListType,
    ScalarType,
    ShapeType,
    TensorType,
)
from pullback.transpile.passes.variants.specialize import specialize
from tests.transpile.analysis.evaluating import evaluate, evaluate_dtype


def named(block):
    """The block with a statement of its own for every equation: no variable is made up any more."""

    def own(atom):
        return Var(atom.name, atom.kind) if isinstance(atom, Var) else atom

    eqns = []
    for eqn in block.eqns:
        changes = {
            "outs": tuple(map(own, eqn.outs)),
            "args": tuple(map(own, eqn.args)),
            "kwargs": tuple((key, own(value)) for key, value in eqn.kwargs),
            "blocks": tuple(map(named, eqn.blocks)),
        }
        eqns.append(type(eqn)(changes["outs"], eqn.op, *list(changes.values())[1:], eqn.span))
    return Block(tuple(map(own, block.params)), tuple(eqns), tuple(map(own, block.results)))


class Claims:
    """Types claimed of variables, and what actual values have to say to them."""

    def __init__(self):
        self.shapes, self.dtypes, self.checked, self.wrong = {}, {}, 0, []
        self.prefix, self.bound = "", set()

    def check(self, types, var, value):
        found = types.get(var)
        if found is None or (value is None and getattr(found, "optional", True)):
            return
        if isinstance(found, TensorType):
            array = np.asarray(value)
            if var not in self.bound:
                name = self.prefix + var.name
                self.shapes[name], self.dtypes[f"{name}.dtype"] = array.shape, array.dtype.name
            self._tensor(found, var, array, weak=isinstance(value, (int, float)))
        elif isinstance(found, ListType) and found.element is not None:
            for item in value:
                self._tensor(found.element, var, np.asarray(item), weak=True)
        elif isinstance(found, ShapeType):
            shape = evaluate(found.shape, self.shapes)
            self._note(shape is None or shape == tuple(value), found, var, value)
        elif isinstance(found, ScalarType):
            self._scalar(found, var, value)

    def _scalar(self, found, var, value):
        kinds = {"int": (int, np.integer), "bool": (bool, np.bool_), "str": str, "slice": slice}
        if found.kind in kinds:
            self._note(isinstance(value, kinds[found.kind]), found, var, value)
        if found.dim is not None:
            dim = evaluate((found.dim,), self.shapes)
            self._note(dim is None or dim == (value,), found, var, value)

    def _tensor(self, found, var, array, weak):
        shape = evaluate(found.shape, self.shapes)
        rank = len(found.shape) if isinstance(found.shape, tuple) else array.ndim
        dtype = evaluate_dtype(found.dtype, self.dtypes)
        same = rank == array.ndim and shape in (None, array.shape)
        self._note(same, found, var, array.shape)
        self._note(weak or dtype in (None, array.dtype.name), found, var, array.dtype)

    def _note(self, right, found, var, value):
        self.checked += 1
        if not right:
            self.wrong.append(f"{var.name}: {found} claimed, {value} found")


def traced(function, arguments, types, claims):
    """Call the function, and compare its local variables whenever one has a new value."""
    last = {}

    def look(frame, event, _):
        if frame.f_code is not function.__code__:
            return None
        for name, value in list(frame.f_locals.items()):
            if name in types and (name not in last or last[name] is not value):
                last[name] = value
                var, found = types[name]
                claims.check({var: found}, var, value)
        return look

    sys.settrace(look)
    try:
        return function(*arguments)
    finally:
        sys.settrace(None)


def _defined(tree, formula, namespace):
    space = dict(namespace)
    exec(function_text(tree, formula.source), space)
    return space[tree.name]


def by_name(types):
    return {var.name: (var, found) for var, found in types.items()}


def taken(formula):
    """An entry per differentiable parameter: False where it refuses a gradient, which can't be computed."""
    refused = set()
    for eqn in formula.pullback.eqns:
        if eqn.op == "refuse_gradient" or refused & set(eqn.args):
            refused |= set(eqn.outs)
    return [gradient not in refused for gradient in formula.pullback.results]


def check_claims(operator, inputs, attributes, backward=True):
    """What is claimed and wrong of the variables of a forward and its backward."""
    formula = operator.formula
    values = dict(zip((p.var.name for p in formula.params if not p.attribute), inputs, strict=False))
    defaults = {p.var.name: p.default.value for p in formula.attributes if p.default is not None}
    values = {**defaults, **values, **attributes}
    arguments = [values.get(p.var.name) for p in formula.params]
    for place, param in enumerate(formula.params):
        if param.var.kind == "tensor" and isinstance(arguments[place], (int, float)):
            arguments[place] = values[param.var.name] = np.asarray(arguments[place])
    formula = formula.evolve(forward=named(formula.forward))
    types, claims = infer(formula), Claims()
    forward = _defined(forward_function(formula), formula, operator.namespace)
    outputs = traced(forward, arguments, by_name(types.forward), claims)
    if not backward or formula.pullback is None:
        return claims
    saved = dict(zip(formula.forward.results, outputs, strict=True))
    saved |= {p.var: values.get(p.var.name) for p in formula.params}
    variant = specialize(formula, [True] * len(formula.cotangents), taken(formula))
    made = formula.evolve(pullback=named(variant.block))
    if len(made.pullback.params) != len(formula.pullback.params):
        return claims
    reads = saved_variables(made)
    function = _defined(
        backward_function(made, Variant(made.pullback, ()), reads, "back"),
        formula,
        operator.namespace,
    )
    named_saved = {var.name: value for var, value in saved.items() if isinstance(var, Var)}
    count = formula.results + len(formula.hidden)
    cotangents = [np.ones_like(np.asarray(out)) if out is not None else None for out in outputs[:count]]
    everything = [*(named_saved[var.name] for var in reads), *cotangents]
    claims.prefix, claims.bound = "'", set(reads)
    traced(function, everything, by_name(infer(made).pullback), claims)
    return claims
