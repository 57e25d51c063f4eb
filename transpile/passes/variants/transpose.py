"""The rule for forward mode: tangents of a formula's outputs from tangents of its inputs.

In: a promoted formula, and which of its inputs have a tangent. Out: a formula
without a closure that computes them, made by differentiating the *pullback* by
its cotangents. A pullback is linear in these: it maps u to J^T u, so its own
derivative, from the tangents v, is J v, whatever u. What comes must therefore
read no cotangent, and the pullback must have no additive constant; where that
fails the author's closure is no derivative, and the error says where.

>>> from ...library import formula_in, standard_library
>>> from ...printer import formula_text
>>> from ..promote.promote import promote
>>> simple = promote(formula_in('''
... def simple(a, b):
...     t = a + b
...     def simple_pullback(grad):
...         return grad * b, grad * t + grad * b
...     return t * b, simple_pullback
... '''), standard_library())
>>> print(formula_text(transpose(simple, (True, True), standard_library()).formula))
formula simple_jvp(a: Tensor, b: Tensor, tangent_a: Tensor, tangent_b: Tensor)
  forward:
    t = add(a, b)
    like_grad_t_1 = like(t)
    _1_1 = broadcast_like(tangent_b, like=like_grad_t_1)
    _1_2 = broadcast_like(tangent_a, like=like_grad_t_1)
    grad_v2_1 = accumulate(_1_2, _1_1)
    _1_3 = multiply(_1_1, t)
    _1_4 = multiply(grad_v2_1, b)
    grad_grad_2 = accumulate(_1_3, _1_4)
    grad_grad_t_2 = accumulate(_1_1, _1_2)
    return result grad_grad_2, result grad_grad_t_2
  pullback: to be derived
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...analysis.linearity import Form, forms
from ...analysis.types import known_types, type_of
from ...codes import diagnostic
from ...derivatives import Derivatives, NoDerivative
from ...diagnostics import FormulaError
from ...ir import Atom, Block, Eqn, Formula, Literal, Options, Param, Span, Var
from ...operators.constant import CONSTANT
from ...rewrite import METADATA, Namer, copy_eqns, replace_atom, replace_block, replace_eqn, uses
from ..differentiate.block import differentiate
from ..differentiate.missing_derivative import no_derivative
from ..simplify.simplify import simplify
from .specialize import specialize
from .zeros import NONE

_FREE = (Form.CONSTANT, Form.ZERO)


@dataclass(frozen=True, slots=True)
class Transposed:
    """Tangents of outputs as a formula.

    formula  its parameters are the original's, then results (`given`), then tangents
             (`tangents`); its results are the tangents of results and hidden outputs,
             None where that is zero
    given    which results it reads, by index
    tangents which differentiable inputs have a tangent, by index
    """

    formula: Formula
    given: tuple[int, ...]
    tangents: tuple[int, ...]


def transpose(formula: Formula, present: Sequence[bool], library: Derivatives) -> Transposed:
    """The forward-mode rule of a promoted formula; `present` has an entry per differentiable input.

    Raises FormulaError where the closure is not linear in its cotangents, where an
    operator in it has no derivative, and where the rule would compute an opaque call again.
    """
    assert formula.promoted
    assert formula.pullback is not None
    _check_linear(formula, present)
    outputs = formula.results + len(formula.hidden)
    defined = [index not in formula.options.nondifferentiable for index in range(outputs)]
    variant = specialize(formula, defined, present)
    namer = Namer.of(formula)
    env: dict[Var, Atom] = {}
    body = [_through(eqn) for eqn in copy_eqns(variant.block.eqns, env, namer)]
    gradients = [replace_atom(atom, env) for atom in variant.block.results]

    tangents, seeds = _tangents(formula, body, gradients, namer)
    try:
        sweep = differentiate(body, seeds, variant.block.params, frozenset(), library, namer, {})
    except NoDerivative as missing:
        raise no_derivative(formula, missing) from None

    found = tuple(sweep.cotangents.get(cotangent, NONE) for cotangent in formula.cotangents)
    swept = Block((), (*sweep.forward, *sweep.backward), found)
    _check_values(formula, swept)

    given, block = _with_results(formula, swept, tangents, namer)
    _check_opaque(formula, block)
    read = uses(block)
    kept = {index: var for index, var in given.items() if var in read}
    params = (*formula.forward.params, *kept.values(), *tangents.values())
    made = Formula(
        name=f"{formula.name}_jvp",
        params=(*formula.params, *(Param(var) for var in (*kept.values(), *tangents.values()))),
        forward=Block(params, block.eqns, block.results),
        pullback=None,
        source=formula.source,
        span=formula.span,
        results=outputs,
        options=Options(),
        result_is_tuple=True,
    )
    return Transposed(made, tuple(kept), tuple(tangents))


def check_transpose(formula: Formula, library: Derivatives) -> None:
    """Raise FormulaError where the closure of a promoted formula is not seen to be linear.

    For those who transpose it when it is run: what stops the gradient of a cotangent is refused too.
    """
    assert formula.pullback is not None
    found = forms(formula)
    for eqn in formula.pullback.every():
        if eqn.op == "stop_gradient" and any(found.get(var, _FREE[0]) not in _FREE for var in eqn.reads()):
            raise _not_linear(formula, "it stops the gradient of a cotangent", eqn.span or formula.span)
    atoms = [atom for atom in formula.pullback.results if isinstance(atom, Var)]
    if not all(found.get(atom) in (Form.LINEAR, Form.ZERO) for atom in atoms):
        transpose(formula, [True] * len(formula.inputs), library)


def _tangents(
    formula: Formula, body: list[Eqn], gradients: Sequence[Atom], namer: Namer
) -> tuple[dict[int, Var], dict[Var, Var]]:
    """A tangent per gradient, by its index and by its variable; `body` gains copies of what is no output."""
    own = {var for eqn in body for var in eqn.outs}
    tangents: dict[int, Var] = {}
    seeds: dict[Var, Var] = {}
    for index, (param, atom) in enumerate(zip(formula.inputs, gradients, strict=True)):
        if not isinstance(atom, Var):
            continue
        if atom not in own or atom in seeds:
            copy = namer.fresh(atom.name, atom.kind)
            body.append(Eqn((copy,), "positive", (atom,), span=formula.span))
            atom = copy
        seeds[atom] = tangents[index] = namer.fresh(f"tangent_{param.var.name}", param.var.kind)
    return tangents, seeds


def _with_results(
    formula: Formula, swept: Block, tangents: Mapping[int, Var], namer: Namer
) -> tuple[dict[int, Var], Block]:
    """The forward and the transposed closure as one block that takes results and tangents.

    Returns the parameters for results, by index, and the block.
    """
    results = formula.forward.results[: len(formula.cotangents)]
    given = {
        index: namer.fresh(result.name)
        for index, result in enumerate(results[: formula.results])
        if isinstance(result, Var) and result not in formula.forward.params and result.kind == "tensor"
    }
    # What is left of the cotangents are questions about their shapes, which their outputs answer.
    swept = replace_block(swept, dict(zip(formula.cotangents, results, strict=True)))
    known_results: dict[Var, Atom] = {}
    known = known_types(formula)
    for index, var in given.items():
        result = results[index]
        assert isinstance(result, Var)
        known_results[result] = var
        known[var] = type_of(result, known)
    for index, var in tangents.items():
        known[var] = type_of(formula.inputs[index].var, known)
    forward = [replace_eqn(eqn, known_results) for eqn in formula.forward.eqns]
    swept = replace_block(swept, known_results)
    params = (*formula.forward.params, *given.values(), *tangents.values())
    return given, simplify(Block(params, (*forward, *swept.eqns), swept.results), known)


def _through(eqn: Eqn) -> Eqn:
    """A constant of intention is none to the transpose: the closure is linear in the cotangent behind it."""
    blocks = tuple(Block(b.params, tuple(map(_through, b.eqns)), b.results) for b in eqn.blocks)
    op = "positive" if eqn.op == "stop_gradient" else eqn.op
    return Eqn(eqn.outs, op, eqn.args, eqn.kwargs, blocks, eqn.span)


def _check_linear(formula: Formula, present: Sequence[bool]) -> None:
    """Raise FormulaError for a gradient that is seen not to be linear in the cotangents."""
    assert formula.pullback is not None
    found = forms(formula)
    for param, atom, here in zip(formula.inputs, formula.pullback.results, present, strict=True):
        form = found.get(atom) if isinstance(atom, Var) else None
        if here and form in (Form.CONSTANT, Form.AFFINE, Form.NONLINEAR):
            assert form is not None
            message = f"the gradient of {param.var.name!r} is {form.value} in the incoming one"
            raise _not_linear(formula, message, formula.span)


def _check_values(formula: Formula, block: Block) -> None:
    """Raise FormulaError where a tangent depends on the values of a cotangent, not only on its shape."""
    reached: Reached = dict.fromkeys(formula.cotangents)
    _follow(block.eqns, reached, {})
    for atom in block.results:
        if isinstance(atom, Var) and atom in reached:
            eqn = reached[atom]
            span = formula.span if eqn is None or eqn.span is None else eqn.span
            raise _not_linear(formula, "its closure is not linear in the incoming gradient", span)


Reached = dict[Var, Eqn | None]


def _follow(eqns: Sequence[Eqn], reached: Reached, lists: dict[Var, tuple[Atom, ...]]) -> None:
    """Add to `reached` what depends on the values in it, and the equation where that began."""
    for eqn in eqns:
        if eqn.op in METADATA:
            continue
        if eqn.op == "list":
            lists[eqn.outs[0]] = eqn.args
        if eqn.op == "item" and _is_other(eqn, reached, lists):
            continue
        if eqn.blocks:
            _follow_blocks(eqn, reached, lists)
            continue
        source = next((var for var in eqn.reads() if var in reached), None)
        if source is not None:
            reached.update(dict.fromkeys(eqn.outs, reached[source] or eqn))
        if eqn.op == "contract_gradients" and eqn.args[0] not in reached:
            factors = eqn.args[1]
            lists[eqn.outs[0]] = lists.get(factors, ()) if isinstance(factors, Var) else ()


def _follow_blocks(eqn: Eqn, reached: Reached, lists: dict[Var, tuple[Atom, ...]]) -> None:
    """A branch or a loop: each output comes from its own results, and all from what decides."""
    decides = next((var for var in eqn.reads() if var in reached), None) if eqn.op == "if" else None
    for block in eqn.blocks:
        for param, atom in zip(block.params, eqn.args, strict=False):
            if isinstance(atom, Var) and atom in reached:
                reached[param] = reached[atom] or eqn
        for _ in range(len(block.params) + 1):  # what is carried around a loop has come everywhere then
            _follow(block.eqns, reached, lists)
            for param, atom in zip(block.params[1:], block.results, strict=False):
                if isinstance(atom, Var) and atom in reached:
                    reached[param] = reached[atom]
        for out, atom in zip(eqn.outs, block.results, strict=True):
            source = atom if isinstance(atom, Var) and atom in reached else decides
            if source is not None:
                reached[out] = reached[source] or eqn


def _is_other(eqn: Eqn, reached: Reached, lists: dict[Var, tuple[Atom, ...]]) -> bool:
    """True for the gradient of a factor of `contract` that alone is reached: it reads the others."""
    whole, index = eqn.args
    factors = lists.get(whole) if isinstance(whole, Var) else None
    if not factors or not isinstance(index, Literal) or not isinstance(index.value, int):
        return False
    return all(i == index.value or atom not in reached for i, atom in enumerate(factors))


def _check_opaque(formula: Formula, block: Block) -> None:
    """Raise FormulaError where the rule would run something again that may not give the same."""
    for eqn in block.every():
        if eqn.op == "opaque":
            callee = eqn.kwarg("callee")
            name = callee.value if isinstance(callee, Literal) else "it"
            if name in CONSTANT:  # the same of the same values
                continue
            raise _not_linear(formula, f"{name!r} would have to run again", eqn.span or formula.span)


def _not_linear(formula: Formula, message: str, span: Span) -> FormulaError:
    return FormulaError(
        [
            diagnostic(
                "PB203",
                f"{formula.name!r} has no forward-mode rule: {message}",
                span,
                name=formula.name,
                hint="give the rule by hand: @pb.formula(..., jvp=rule)",
            )
        ],
        formula.source,
    )
