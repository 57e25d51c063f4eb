"""``vjp`` becomes the function's own equations and their reverse sweep.

In: a formula as it was read. Out: the same formula without ``vjp``. What nobody
reads of it, the function's outputs or some of the gradients, later passes drop;
so what a gradient inside a function does not need is never computed.

>>> from ...library import formula_in, standard_library
>>> from ...printer import formula_text
>>> slope = formula_in('''
... def slope(x, v):
...     return pb.vjp(np.sin, x, v, create_graph=True)[1]
... ''')
>>> print(formula_text(without_vector_products(slope, standard_library())))
formula slope(x: Tensor, v: Tensor)
  forward:
    _2 = sin(x)
    like_v1 = like(_2)
    grad_v1 = expect_like(v, like=like_v1)
    _1_1 = cos(x)
    grad_x = multiply(grad_v1, _1_1)
    return result grad_x
  pullback: to be derived
"""

from __future__ import annotations

from collections.abc import Sequence

from ...analysis.types import add_types, param_types, type_of
from ...codes import diagnostic
from ...derivatives import Derivatives, NoDerivative
from ...diagnostics import FormulaError
from ...ir import Atom, Block, Eqn, Formula, Literal, Span, Var
from ...ir.types import LikeType, TensorType
from ...rewrite import Namer, expand, label, own_results, rename, replace_block
from ..simplify.simplify import remove_dead
from .barriers import barrier_of
from .block import differentiate
from .missing_derivative import no_derivative


def without_vector_products(formula: Formula, library: Derivatives) -> Formula:
    """The formula with reverse sweeps written out.

    Raises FormulaError where one meets an operator without a derivative, or a second derivative that is
    refused.
    """
    if all(eqn.op != "vjp" for eqn in formula.forward.every()):
        return formula
    namer = Namer.of(formula)

    def written(eqn: Eqn) -> Sequence[Eqn]:
        if eqn.op != "vjp":
            return (eqn,)
        try:
            eqns, why = _written_out(eqn, library, namer)
        except NoDerivative as missing:
            raise no_derivative(formula, missing) from None
        if why and not _is_constant(eqn):
            raise _refused(formula, eqn, why)
        return eqns

    forward = expand(formula.forward, written)
    eqns = tuple(remove_dead(list(forward.eqns), forward.results))
    return _with_matched_types(formula.evolve(forward=Block(forward.params, eqns, forward.results)))


def _refused(formula: Formula, eqn: Eqn, why: str) -> FormulaError:
    message = f"`create_graph=True` asks for second derivatives, which are refused: {why}"
    hint = "leave create_graph out where nobody differentiates the gradients"
    span = eqn.span or formula.span
    return FormulaError([diagnostic("PB404", message, span, name=formula.name, hint=hint)], formula.source)


def _with_matched_types(formula: Formula) -> Formula:
    """The formula that knows the shape of those of its parameters that are checked to have another's."""
    params = set(formula.forward.params)
    known = param_types(formula)
    matched = dict(formula.types)
    for eqn in formula.forward.eqns:
        add_types(eqn, known)
        like = eqn.kwarg("like")
        found = type_of(like, known) if like is not None else None
        if eqn.op == "expect_like" and eqn.args[0] in params and isinstance(found, LikeType):
            var = eqn.args[0]
            assert isinstance(var, Var)
            assert isinstance(found.of, TensorType)
            known[var] = matched[var] = TensorType(found.of.shape, f"{var.name}.dtype")
    return formula.evolve(types=tuple(matched.items()))


def _is_constant(eqn: Eqn) -> bool:
    return eqn.kwarg("create_graph") == Literal(False)


def _written_out(eqn: Eqn, library: Derivatives, namer: Namer) -> tuple[tuple[Eqn, ...], str]:
    """The equations, and why what they compute must not be differentiated, or an empty string."""
    (block,) = eqn.blocks
    count = len(block.params)
    inputs, vectors = eqn.args[:count], eqn.args[count:]
    body, results = own_results(block, namer, eqn.span)
    checks: list[Eqn] = []
    cotangents: dict[Var, Var] = {}
    for result, vector in zip(results, vectors, strict=True):
        assert isinstance(result, Var)
        cotangents[result] = namer.fresh(f"grad_{label(result)}")
        seed = _checked if isinstance(vector, Var) else _one
        checks += seed(result, vector, cotangents[result], namer, eqn.span)
    sweep = differentiate(body, cotangents, block.params, frozenset(), library, namer, {})
    eqns = [*sweep.forward, *checks, *sweep.backward]
    gradients: list[Var] = []
    for param in block.params:
        gradient = sweep.cotangents.get(param)
        if gradient is None:
            gradient = namer.fresh(f"grad_{label(param)}")
            eqns.append(Eqn((gradient,), "zeros_like", (param,), span=eqn.span))
        gradients.append(gradient)
    given = Block((), tuple(eqns), (*results, *gradients))
    whole = replace_block(given, dict(zip(block.params, inputs, strict=True)))
    return _named(whole, eqn), barrier_of(body, sweep.cotangents, library)


def _checked(result: Var, vector: Atom, cotangent: Var, namer: Namer, span: Span | None) -> list[Eqn]:
    """The cotangent of a result, which must have its shape."""
    like = namer.fresh(f"like_{label(result)}", "value")
    kwargs = (("like", like),)
    return [
        Eqn((like,), "like", (result,), span=span),
        Eqn((cotangent,), "expect_like", (vector,), kwargs, span=span),
    ]


def _one(result: Var, _: Atom, cotangent: Var, namer: Namer, span: Span | None) -> list[Eqn]:
    """One, for a result that must be a single value."""
    size, several = namer.fresh(f"{label(result)}_size", "value"), namer.temp("value")
    why = Literal("v can be left out for a single value only: pass one per output")
    stop = Eqn((), "raise", (why,), (("exception", Literal("ValueError")),), span=span)
    nothing = Block((), (), ())
    return [
        Eqn((size,), "size", (result,), span=span),
        Eqn((several,), "not_equal", (size, Literal(1)), span=span),
        Eqn((), "if", (several,), (), (Block((), (stop,), ()), nothing), span),
        Eqn((cotangent,), "ones_like", (result,), span=span),
    ]


def _named(block: Block, eqn: Eqn) -> tuple[Eqn, ...]:
    """The block's equations, with its results under the names of the equation's outputs."""
    made = {var for inner in block.eqns for var in inner.outs}
    constant = _is_constant(eqn)
    names: dict[Var, Var] = {}
    copies: list[Eqn] = []
    for out, result in zip(eqn.outs, block.results, strict=True):
        if isinstance(result, Var) and result in made and result not in names and not constant:
            names[result] = out
            continue
        copied = names.get(result, result) if isinstance(result, Var) else result
        copies.append(Eqn((out,), "stop_gradient" if constant else "positive", (copied,), span=eqn.span))
    return (*rename(block, names).eqns, *copies)
