"""The programs of a formula: its forward, and its backwards up to an order.

In: a formula whose attributes have defaults, or are floats, and the dtypes of its inputs.
Out: a `Stage` each, with the program and the types of what it is given.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from ...analysis.types import param_type, type_of
from ...codes import diagnostic
from ...diagnostics import FormulaError
from ...ir import Atom, Block, Formula, Literal, Param, Var
from ...ir.types import TensorType, Type, names_of
from ...library import Library
from ...passes.inline import inline
from ...passes.promote.promote import promote
from ...passes.simplify.simplify import simplify
from ...passes.variants.reverse import reverse
from ...rewrite import replace_block
from .ir import Program
from .lower import FLOATS, PRIMITIVES, lower
from .passes import optimized


@dataclass(frozen=True, slots=True)
class Stage:
    """The program of one order: `params` are the variables that it is given, `results` those that it gives.

    `gradients` are the differentiable inputs that a backward's first results belong to. Of the promoted
    `formula`, `limits` say why a further order has no program.
    """

    program: Program
    formula: Formula
    params: tuple[Var, ...]
    results: tuple[Atom, ...]
    gradients: tuple[int, ...] = ()


def stages(
    formula: Formula, library: Library, dtype: str = "float64", order: int = 1, last: str = "schedule"
) -> list[Stage]:
    """The programs of a formula, for inputs of this dtype, after all passes up to the `last`.

    Masks and positions are known by their use.

    Raises FormulaError, located, where one of these orders is not lowered.
    """
    fixed = promote(with_attributes(formula), library)
    given: dict[Var, Type] = {}
    for param in fixed.params:
        found = param_type(param)
        given[param.var] = TensorType(found.shape, dtype) if isinstance(found, TensorType) else found
    inputs = frozenset(
        name for found in given.values() if isinstance(found, TensorType) for name in names_of(found.shape)
    )
    name, gradients = f"{formula.name}_forward", tuple[int, ...]()
    found_stages: list[Stage] = []
    current: Formula = fixed
    for step in range(order + 1):
        block = inline(simplify(current.forward), library, PRIMITIVES)
        program, types = lower(current, block, given, inputs, name)
        found_stages.append(
            Stage(optimized(program, last), current, block.params, current.forward.results, gradients)
        )
        if step == order or current.pullback is None or current.barrier:
            break
        outputs = dict(given)
        for before, after in zip(current.forward.results, block.results, strict=True):
            if isinstance(before, Var):
                outputs[before] = type_of(after, types)
        for cotangent, output in zip(current.cotangents, current.forward.results, strict=False):
            if isinstance(output, Var):
                outputs[cotangent] = outputs[output]
        back = reverse(current, plain_pattern(current), [True] * len(current.inputs))
        gradients = back.gradients
        given = {p.var: outputs.get(p.var, param_type(p)) for p in back.formula.params}
        current = promote(back.formula, library) if step + 1 < order else back.formula
        name = name.removesuffix("_forward") + "_backward"
    return found_stages


def every_program(formula: Formula, library: Library, order: int = 2) -> list[Program]:
    """The programs of a formula in float32 and in float64, whose names end in the dtype."""
    programs = []
    for dtype in FLOATS:
        for stage in stages(formula, library, dtype, order):
            kernels = tuple(replace(k, name=f"{k.name}_{dtype}") for k in stage.program.kernels)
            programs.append(replace(stage.program, name=f"{stage.program.name}_{dtype}", kernels=kernels))
    return programs


def plain_pattern(formula: Formula) -> list[bool]:
    """All results have a gradient, no hidden output has."""
    count = range(len(formula.cotangents))
    return [k < formula.results and k not in formula.options.nondifferentiable for k in count]


def with_attributes(formula: Formula) -> Formula:
    """The formula with the defaults of its attributes put in, except for floats."""
    known: dict[Var, Atom] = {}
    for param in formula.attributes:
        if param.annotation == "float":
            continue
        if param.default is None:
            raise _no_default(formula, param)
        known[param.var] = Literal(param.default.value)
    if not known:
        return formula
    params = tuple(param for param in formula.params if param.var not in known)
    plain = tuple(var for var in formula.plain if var not in known)
    count = len(formula.forward.results) - len(formula.plain)
    forward = replace_block(
        Block((), formula.forward.eqns, (*formula.forward.results[:count], *plain)), known
    )
    forward = Block(tuple(param.var for param in params), forward.eqns, forward.results)
    pullback = formula.pullback and replace_block(formula.pullback, known)
    return formula.evolve(params=params, forward=forward, pullback=pullback, plain=plain)


def _no_default(formula: Formula, param: Param) -> FormulaError:
    name = param.var.name
    message = f"`{name}` is fixed when loops are made, and has no default"
    hint = f"give `{name}` a default"
    found = diagnostic("PB501", message, formula.span, name=formula.name, value=name, hint=hint)
    return FormulaError([found], formula.source)
