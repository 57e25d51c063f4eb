"""The kernels of a formula: its forward, and its backwards up to an order.

In: a promoted formula whose attributes are known. Out: a `Kernel` each for

- ``f_forward``: results, hidden outputs, masks that are saved;
- ``f_backward``: gradients when all results have one, the plain first backward.
  It is a formula itself, whose own hidden outputs come last;
- ``f_backward_general``: gradients whatever is defined; `pattern_kernel` makes those of one pattern;
- ``f_backward_backward`` and so on, each the backward of the one before.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from ...analysis.types import known_types, param_types
from ...codes import diagnostic
from ...diagnostics import Diagnostic, FormulaError
from ...ir import Atom, Block, Eqn, Formula, Literal, Node, Param, Var
from ...ir.types import rank_of
from ...library import Library
from ...passes.kernel.arguments import Argument, Arguments, decided, fitted, of_elements, with_plain_elements
from ...passes.kernel.array_attributes import with_array_inputs
from ...passes.kernel.dtype_branches import asks_other_dtypes, with_decided_dtypes
from ...passes.kernel.filled_starts import with_filled_starts
from ...passes.kernel.joins_of_lists import with_joins_of_lists
from ...passes.kernel.known_absence import with_known_absence
from ...passes.kernel.lists_written_out import with_lists_written_out, written_out
from ...passes.kernel.negations import with_negations_of_elements
from ...passes.kernel.shapes_of_carried import with_shapes_of_carried
from ...passes.kernel.slices_of_stacks import with_slices_of_stacks
from ...passes.kernel.sums_in_place import block_with_sums_in_place, with_sums_in_place
from ...passes.kernel.uniform_lists import without_uniform_lists
from ...passes.kernel.uses import is_mask, is_position
from ...passes.promote.promote import promote
from ...passes.promote.save_or_recompute import fused
from ...passes.simplify.simplify import simplify
from ...passes.variants.reverse import reverse
from ...passes.variants.specialize import specialize
from ...rewrite import replace_block
from ..lower.facts import Fact
from ..lower.kernel import Input, Kernel, Role, types_of_inputs
from .backward_inputs import backward_inputs, likes_among, plain_pattern
from .dtypes_of_likes import with_dtypes_of_likes
from .forward_kernel import facts_of, forward_kernel, inlined, labelled, shapes_of
from .guard import located
from .likes_without_axes import with_likes_without_axes
from .packing import Packed, packed_values, reading, with_packed
from .sizes import read_for_dtype, with_own_shapes, with_own_sizes


@dataclass(frozen=True, slots=True)
class Compiled(Node):
    """A formula with its kernels.

    `forward` computes results, hidden and plain arrays. `derivative` is the
    plain first backward, a formula itself, whose forward is ``f_backward``;
    `general` is the kernel for any other pattern of gradients, where that was
    asked for. Beyond the order that was asked for, and where no result has a
    gradient, both are None. `gradients` are the differentiable inputs
    that the derivative's results belong to. `limits` say why an order that was
    asked for is not compiled. `undecided` is the promoted formula for arrays of
    other dtypes than kernels take, where it asks for such.
    """

    formula: Formula
    forward: Kernel
    general: Kernel | None = None
    derivative: Compiled | None = None
    gradients: tuple[int, ...] = ()
    limits: tuple[Diagnostic, ...] = ()
    undecided: Formula | None = None

    def kernels(self) -> list[Kernel]:
        """All kernels, the lower orders first."""
        own = [kernel for kernel in (self.forward, self.general) if kernel is not None]
        return own + (self.derivative.kernels() if self.derivative is not None else [])


def _constant_result(formula: Formula, atom: Literal) -> FormulaError:
    message = f"the result {atom} of {formula.name!r} is a constant, which is not compiled"
    hint = "return an array, as by np.full_like"
    found = diagnostic("PB501", message, formula.span, name=formula.name, hint=hint)
    return FormulaError([found], formula.source)


def _none_as_result(formula: Formula, atom: Atom) -> FormulaError:
    message = f"the result {atom} of {formula.name!r} may be None, which is not compiled"
    found = diagnostic("PB501", message, formula.span, name=formula.name, hint="return an array on every way")
    return FormulaError([found], formula.source)


def _list_of_any_length(formula: Formula, param: Param) -> FormulaError:
    message = f"{param.var} is a list of tensors: C++ is generated for a certain length"
    hint = "pb.compile generates it for the lists that it is called with"
    found = diagnostic("PB501", message, formula.span, name=formula.name, hint=hint)
    return FormulaError([found], formula.source)


def formula_kernels(
    formula: Formula,
    library: Library,
    attributes: Mapping[str, object],
    order: int = 2,
    arguments: Arguments | None = None,
    stem: str = "",
    general: bool = True,
    present: bool = False,
) -> Compiled:
    """The kernels of a formula. Raises FormulaError, located, where its forward is not compiled.

    They are named after `stem`, or after the formula where it is empty. Without `general`,
    there are those of the plain backwards alone, and `pattern_kernel` makes others.

    One that is not promoted yet is, with the save-or-recompute decisions of fused kernels.

    `arguments` says what is known of the arguments, for a version that holds
    for such alone: lists need to know their lengths, and what chooses by numbers
    of axes is decided where they are known. An attribute that holds an array says so (`ArrayOf`), and
    the array is an input. Where all are `present` that are not said to be absent,
    nothing asks for them any more.
    """
    with located(formula.name, formula.span, formula.source):
        return _formula_kernels(formula, library, attributes, order, arguments, stem, general, present)


def _formula_kernels(
    formula: Formula,
    library: Library,
    attributes: Mapping[str, object],
    order: int,
    arguments: Arguments | None,
    stem: str,
    general: bool,
    present: bool,
) -> Compiled:
    formula, attributes, held = with_array_inputs(formula, attributes)
    arguments = {**(arguments or {}), **held}
    unknown = [p for p in formula.params if p.var.kind == "list" and p.var.name not in arguments]
    if unknown:
        raise _list_of_any_length(formula, unknown[0])
    for atom in formula.forward.results[: formula.results]:
        if not isinstance(atom, Var):
            raise _constant_result(formula, atom)
    known = {
        param.var: Literal(attributes[param.var.name])
        for param in formula.attributes
        if param.var.name in attributes and not is_runtime_number(param)
    }
    given = fitted(_with_values(formula, known), arguments, present)
    fixed = with_decided_dtypes(given)
    each = {k: v for name, given in arguments.items() for k, v in of_elements(name, given).items()}
    inputs = tuple(_parameter(param, fixed, each.get(param.var.name, Argument())) for param in fixed.params)
    if known or arguments or present:
        fixed, given = decided(_ranked(fixed, inputs)), decided(_ranked(given, inputs))
    fixed = with_joins_of_lists(with_filled_starts(_ranked(fixed, inputs)))
    fixed = with_negations_of_elements(fixed)
    fixed = _folded(promote(fixed, library, fused))
    undecided = None
    if asks_other_dtypes(given) or asks_other_dtypes(fixed):
        undecided = _folded(promote(_ranked(given, inputs), library))
    compiled = _compile(
        _folded(with_decided_dtypes(fixed)), library, inputs, order, f"{stem or formula.name}_forward"
    )
    compiled = replace(compiled, undecided=undecided)
    block = compiled.forward.block
    for atom in block.results[: formula.results]:
        if _may_be_none(block, atom):
            raise _none_as_result(formula, atom)
    return _with_general(compiled, library) if general else compiled


def _may_be_none(block: Block, atom: Atom) -> bool:
    """True where a side of a condition leaves None."""
    made = next((eqn for eqn in block.eqns if atom in eqn.outs), None)
    if made is None or made.op != "if":
        return atom == Literal(None)
    place = made.outs.index(atom)
    return any(_may_be_none(side, side.results[place]) for side in made.blocks)


def is_runtime_number(param: Param) -> bool:
    """True for an attribute that is a number, which the kernel takes when it is called."""
    return param.attribute and param.annotation == "float"


def _with_values(formula: Formula, known: Mapping[Var, Literal]) -> Formula:
    env: dict[Var, Atom] = dict(known)
    params = tuple(param for param in formula.params if param.var not in known)
    count = len(formula.forward.results) - len(formula.plain)
    saved = zip(formula.plain, formula.forward.results[count:], strict=True)
    left = [(var, atom) for var, atom in saved if var not in known]
    results = (*formula.forward.results[:count], *(atom for _, atom in left))
    forward = replace_block(Block((), formula.forward.eqns, results), env)
    forward = Block(tuple(param.var for param in params), forward.eqns, forward.results)
    pullback = formula.pullback and replace_block(formula.pullback, env)
    plain = tuple(var for var, _ in left)
    return formula.evolve(params=params, forward=forward, pullback=pullback, plain=plain)


def _ranked(formula: Formula, inputs: Sequence[Input]) -> Formula:
    """The formula that knows the numbers of axes of its inputs, as far as they are known."""
    known, more = dict(formula.types), types_of_inputs(inputs)
    known |= {var: found for var, found in more.items() if var not in known or rank_of(known[var]) is None}
    return formula.evolve(types=tuple(known.items()))


def _folded(formula: Formula) -> Formula:
    """The formula where saved values that came out as literals are no longer saved."""
    forward = simplify(formula.forward, param_types(formula), floats=False)
    first = len(forward.results) - len(formula.plain)
    values = zip(formula.plain, forward.results[first:], strict=True)
    known = {var: atom for var, atom in values if isinstance(atom, Literal)}
    return decided(_with_values(formula, known)) if known else formula


def _parameter(param: Param, formula: Formula, given: Argument) -> Input:
    if param.attribute:
        return Input(param.var, "float")
    if param.annotation in ("int", "float", "bool"):
        role: Role = "int" if param.annotation == "int" else "bool" if param.annotation == "bool" else "float"
        return Input(param.var, role)
    dtype = given.dtype
    # A saved value says nothing: the backward reads it as the forward does.
    seen = replace(formula.forward, results=formula.forward.results[: formula.results])
    if dtype == "T" and is_mask(param.var, seen):
        dtype = "bool"
    elif dtype == "T" and is_position(param.var, seen):
        dtype = "int64_t"
    return Input(param.var, "tensor", dtype, rank=given.rank)


def _compile(
    formula: Formula, library: Library, inputs: tuple[Input, ...], order: int, name: str
) -> Compiled:
    if formula.pullback is not None:
        # An array that a branch leaves out is one of zeros in a kernel: what asks for it reads the condition.
        formula = formula.evolve(forward=with_known_absence(formula.forward))
        formula = with_slices_of_stacks(without_uniform_lists(with_shapes_of_carried(formula)))
        formula = with_plain_elements(with_lists_written_out(formula))
        formula = with_dtypes_of_likes(formula)
        formula = with_own_sizes(formula, lambda wanted: shapes_of(formula, library, inputs, wanted))
        formula = with_own_shapes(formula)
    kernel = forward_kernel(formula, library, inputs, name)
    facts = facts_of(kernel, formula.forward)
    if order == 0 or formula.pullback is None:
        return Compiled(formula, kernel)
    merged = _merge_likes(_with_answers_of(facts, with_likes_without_axes(formula, facts)), facts)
    packed = packed_values(merged, facts)
    saving = with_packed(merged, packed)
    if saving.forward != formula.forward:
        kernel = forward_kernel(saving, library, inputs, name)
        facts |= facts_of(kernel, saving.forward)
    try:
        made = _with_backward(merged, packed, kernel, facts, library, order, name.removesuffix("_forward"))
    except FormulaError as error:
        return Compiled(saving, kernel, limits=error.diagnostics)
    return replace(made, formula=saving)


def _with_answers_of(facts: Mapping[Var, Fact], formula: Formula) -> Formula:
    """The formula whose pullback knows the conditions that the facts decide, as ``x.dtype == "float64"``.

    What a side that is never taken would leave is not saved. Whether an input is None stays a question: the
    kernel takes none that is, but the formula runs on those too.
    """
    assert formula.pullback is not None
    known: dict[Var, Atom] = {}
    for var in set(formula.pullback.free()) - _asking_inputs(formula):
        fact = facts.get(var)
        if fact is not None and fact.kind == "number" and isinstance(fact.literal, bool):
            known[var] = Literal(fact.literal)
    if not known:
        return formula
    pullback = simplify(replace_block(formula.pullback, known), known_types(formula))
    read = pullback.free()
    absent = {v for v in formula.plain if v not in read and v in facts and facts[v].kind == "none"}
    plain = tuple(var for var in formula.plain if var not in absent)
    results = tuple(atom for atom in formula.forward.results if atom not in absent)
    return formula.evolve(forward=replace(formula.forward, results=results), pullback=pullback, plain=plain)


def _asking_inputs(formula: Formula) -> set[Var]:
    """Values of the forward that depend on whether an input is None."""
    inputs = set(formula.forward.params)
    found: set[Var] = set()
    for eqn in formula.forward.every():
        read = set(eqn.reads())
        if (eqn.op == "is_none" and read & inputs) or read & found:
            found.update(eqn.outs)
    return found


def _with_backward(
    formula: Formula,
    packed: Mapping[Var, Packed],
    kernel: Kernel,
    facts: Mapping[Var, Fact],
    library: Library,
    order: int,
    stem: str,
) -> Compiled:
    backward = reverse(formula, plain_pattern(formula), [True] * len(formula.inputs))
    if not backward.gradients:
        return Compiled(formula, kernel)
    derivative = backward.formula.evolve(
        name=f"{stem}_backward",
        params=tuple(replace(p, attribute=p.var.kind == "value") for p in backward.formula.params),
        forward=written_out(backward.formula.forward, param_types(backward.formula)),
    )
    likes = likes_among(backward.reads, formula.forward)
    reads, unpacked = reading([var for var in backward.reads if var not in _made(likes)], packed)
    derivative = with_sums_in_place(_with_equations(derivative, [*likes, *unpacked], reads))
    reads, derivative = _read(derivative, reads)
    cotangents = [formula.cotangents[k] for k in backward.cotangents]
    saved = backward_inputs(formula, kernel, reads, cotangents, facts)
    compiled = None
    limits: tuple[Diagnostic, ...] = ()
    if order > 1 and not formula.barrier:
        try:
            promoted = promote(_ranked(derivative, saved), library, fused)
            promoted = _folded(with_decided_dtypes(promoted))
            compiled = _compile(promoted, library, saved, order - 1, f"{stem}_backward")
        except FormulaError as error:
            limits = error.diagnostics
    if compiled is None:
        compiled = _compile(derivative, library, saved, 0, f"{stem}_backward")
    return Compiled(formula, kernel, None, compiled, backward.gradients, (*limits, *compiled.limits))


def _with_general(compiled: Compiled, library: Library) -> Compiled:
    """With the kernel for any pattern of gradients, for each order."""
    if compiled.derivative is None:
        return compiled
    try:
        general = pattern_kernel(compiled, library, None)
    except FormulaError as error:
        return replace(compiled, derivative=None, limits=error.diagnostics)
    return replace(compiled, general=general, derivative=_with_general(compiled.derivative, library))


def _made(eqns: Iterable[Eqn]) -> set[Var]:
    return {out for eqn in eqns for out in eqn.outs}


def _with_equations(derivative: Formula, eqns: Sequence[Eqn], reads: Sequence[Var]) -> Formula:
    """The formula that takes `reads`, and computes some of its parameters itself."""
    made, there = _made(eqns), {param.var for param in derivative.params}
    kept = [param for param in derivative.params if param.var not in made]
    new = [Param(var, differentiable=False) for var in reads if var not in there]
    count = sum(param.var in reads for param in kept)
    params = (*kept[:count], *new, *kept[count:])
    body = derivative.forward
    block = Block(tuple(param.var for param in params), (*eqns, *body.eqns), body.results)
    return derivative.evolve(params=params, forward=block)


def _read(derivative: Formula, reads: Sequence[Var]) -> tuple[list[Var], Formula]:
    """Those of the saved values that the backward reads, and it without parameters for others."""
    body = derivative.forward
    used = set(Block((), body.eqns, body.results).free())
    gone = set(reads) - used
    params = tuple(param for param in derivative.params if param.var not in gone)
    body = Block(tuple(param.var for param in params), body.eqns, body.results)
    return [var for var in reads if var not in gone], derivative.evolve(params=params, forward=body)


def _merge_likes(formula: Formula, facts: Mapping[Var, Fact]) -> Formula:
    """The formula with one saved shape where several are provably equal."""
    assert formula.pullback is not None
    typed = read_for_dtype(formula.pullback)
    first: dict[tuple[object, ...], Var] = {}
    env: dict[Var, Atom] = {}
    for var in formula.plain:
        fact = facts[var]
        same = var if var in typed else first.setdefault((fact.kind, fact.shape, fact.type), var)
        if fact.kind == "like" and same != var:
            env[var] = same
    plain = tuple(var for var in formula.plain if var not in env)
    results = tuple(atom for atom in formula.forward.results if atom not in env)
    forward = Block(formula.forward.params, formula.forward.eqns, results)
    return formula.evolve(plain=plain, forward=forward, pullback=replace_block(formula.pullback, env))


def pattern_kernel(compiled: Compiled, library: Library, defined: Sequence[bool] | None) -> Kernel | None:
    """The gradients for one pattern of defined cotangents, or where that is None, for whatever is defined.

    None where an undefined one must come as zeros. Raises FormulaError where it is not compiled.
    """
    formula = compiled.formula
    with located(formula.name, formula.span, formula.source):
        return _pattern_kernel(compiled, library, defined)


def _pattern_kernel(compiled: Compiled, library: Library, defined: Sequence[bool] | None) -> Kernel | None:
    formula, kernel = compiled.formula, compiled.forward
    facts = facts_of(kernel, formula.forward)
    any_ = defined is None
    which = "general" if defined is None else "".join("1" if here else "0" for here in defined)
    name = f"{kernel.name.removesuffix('_forward')}_backward_{which}"
    pattern = [True] * len(formula.cotangents) if defined is None else defined
    variant = specialize(formula, pattern, [True] * len(formula.inputs))
    if variant.materialize:
        return None
    cotangents = variant.block.params
    free = set(variant.block.free())
    likes = likes_among(free, formula.forward)
    free -= _made(likes)
    order = [*(param.var for param in formula.params), *formula.forward.results]
    read = tuple(dict.fromkeys(var for var in order if isinstance(var, Var) and var in free))
    inputs = tuple(
        replace(entry, optional=any_ and entry.var in cotangents)
        for entry in backward_inputs(formula, kernel, read, cotangents, facts)
    )
    eqns = (*likes, *variant.block.eqns)
    block = Block(tuple(entry.var for entry in inputs), eqns, variant.block.results)
    if not any_:
        block = block_with_sums_in_place(block, known_types(formula))
    which = "whichever of its outputs have one" if any_ else f"of {', '.join(map(str, cotangents))}"
    title = f"The gradients of {formula.name}, {which}."
    block = labelled(inlined(block, library, inputs))
    made = Kernel(name, block, inputs, formula.span, title, undefined=any_)
    facts_of(made, made.block)
    return made
