"""Emitted Python under JAX's names: ``np.exp`` is ``jnp.exp``, and helpers stand beside it."""

from __future__ import annotations

import ast
import re
from collections.abc import Container

from ...codes import diagnostic
from ...diagnostics import Diagnostic
from ...ir import STRUCTURAL, Eqn, Formula, Literal, Span
from ...operators import BY_FULL_NAME, DTYPES, OPERATORS, SCIPY_ONLY, VALUE_CALLS, instead_of
from ...operators.plain import PLAIN_FUNCTIONS
from ..array_library.helpers import Helpers, private
from ..array_library.vocabulary import is_complex

# Functions of SciPy without kernels that JAX has.
_OF_JAX = frozenset(
    (
        *("betainc", "boxcox", "boxcox1p", "expn", "gammainc", "gammaincc"),
        *("hyp1f1", "hyp2f1", "owens_t", "poch", "spence"),
    )
)
# Functions of the vocabulary that neither JAX nor a helper has.
LACKING = frozenset(
    {"special." + name for name in ("erfi", "rgamma", "j0", "j1", "y0", "y1", "k0", "k0e", "k1", "k1e")}
    | {"primitives." + name for name in ("bessel_i", "bessel_j", "refuse_gradient")}
    | {
        OPERATORS[name].python.removeprefix("scipy.").removeprefix("pullback.")
        for name in SCIPY_ONLY - _OF_JAX
    }
)
_OWN = {
    "pb.stop_gradient": "jax.lax.stop_gradient",
    "pb.sigmoid": "jax.nn.sigmoid",
    "pb.softplus": "jax.nn.softplus",
    "pb.relu": "jax.nn.relu",
}
# A formula that is called for its hidden outputs too, in emitted Python.
_WITH_HIDDEN = re.compile(r"pb\.formulas\(\)\.operator\('(\w+)'\)\.promoted")
MODULES = {"np": "numpy", "special": "scipy.special", "primitives": "pullback.primitives", "pb": "pullback"}


class Named(ast.NodeTransformer):
    """Names of modules in functions of a formula as JAX's; `findings` says what it has none for.

    Calls of formulas that are the package's `own` get the names that these have in a module.
    """

    def __init__(self, formula: Formula, helpers: Helpers, own: Container[str]) -> None:
        self._own = own
        self.findings: list[Diagnostic] = list(unknown_calls(formula))
        self._formula = formula
        self._helpers = helpers

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """A call, of a formula too; an order of any kind leaves equal entries in their order, as JAX does."""
        if ast.unparse(node.func) == "np.argsort":
            node.keywords = [keyword for keyword in node.keywords if keyword.arg != "kind"]
        if isinstance(node.func, ast.Name) and node.func.id in self._own:
            node.func.id = private(node.func.id)
        self.generic_visit(node)
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        """A dotted name, or an attribute of a value."""
        text = ast.unparse(node)
        if (called := _WITH_HIDDEN.fullmatch(text)) is not None:
            op = called[1]
            return ast.Name(f"{private(op) if op in self._own else op}_outputs", ast.Load())
        first, _, rest = text.partition(".")
        if first not in MODULES or "(" in text:
            self.generic_visit(node)
            return node
        if text in LACKING or (first == "pb" and text not in _OWN):
            self.findings.append(missing(self._formula, text, node.lineno))
        elif text in _OWN:
            return ast.parse(_OWN[text], mode="eval").body
        elif rest in self._helpers and (rest != "sign" or is_complex(self._formula)):
            return ast.Name(private(rest), ast.Load())
        elif first == "np" and f"numpy.{rest}" not in DTYPES:
            return ast.parse(f"jnp.{rest}", mode="eval").body
        return node


def missing(formula: Formula, dotted: str, line: int) -> Diagnostic:
    """The finding that JAX has no counterpart of a function, at its call."""
    first, _, rest = dotted.partition(".")
    name = f"{MODULES.get(first, first)}.{rest}"
    known = [eqn for eqn in formula.every() if eqn.span is not None]
    calls = [eqn for eqn in known if eqn.op in OPERATORS and OPERATORS[eqn.op].python == name]
    near = [eqn for eqn in known if eqn.span is not None and eqn.span.line == line]
    span: Span = next((eqn.span for eqn in (*calls, *near) if eqn.span is not None), formula.span)
    message = f"JAX has no counterpart of `{dotted}`, which {formula.name!r} needs"
    hint = "write it with functions that jax.numpy and jax.scipy.special have"
    return diagnostic("PB502", message, span, name=formula.name, hint=hint)


def unknown_calls(formula: Formula) -> list[Diagnostic]:
    """Findings for calls of functions that the vocabulary does not know: they run on NumPy."""
    findings = []
    for eqn in formula.every():
        callee = eqn.kwarg("callee")
        if eqn.op != "opaque" or not isinstance(callee, Literal) or _is_plain(eqn, callee):
            continue
        if callee.value not in BY_FULL_NAME:
            message = f"`{callee.value}` is not known to have a counterpart in JAX"
            instead = instead_of(str(callee.value)) or "it with functions of the vocabulary"
            hint = f"write {instead}, or make it a formula"
            span = eqn.span or formula.span
            findings.append(diagnostic("PB502", message, span, name=formula.name, hint=hint))
    return list(dict.fromkeys(findings))


def _is_plain(eqn: Eqn, callee: Literal) -> bool:
    """True for a function of Python's own values."""
    return callee.value in PLAIN_FUNCTIONS and eqn.outs[0].kind == "value"


def calls_of_formulas(formula: Formula) -> list[Eqn]:
    """The calls of other formulas, which a module has to hold too."""
    return [
        eqn
        for eqn in formula.every()
        if eqn.op not in OPERATORS and eqn.kwarg("callee") is None and _is_call(eqn.op)
    ]


def called_formulas(formula: Formula) -> list[Diagnostic]:
    """Findings for calls of operators of several results."""
    several = (eqn for eqn in formula.every() if eqn.op in OPERATORS and len(eqn.outs) > 1)
    return [called_formula(formula, eqn) for eqn in several]


def called_formula(formula: Formula, eqn: Eqn) -> Diagnostic:
    """The finding for a call of what a module can't hold."""
    message = f"{formula.name!r} calls the formula `{eqn.op}`, which a module of its own does not hold"
    hint = "write what it computes, or use pullback.jax.function, which takes both"
    return diagnostic("PB502", message, eqn.span or formula.span, name=formula.name, hint=hint)


def _is_call(op: str) -> bool:
    return op not in STRUCTURAL and op not in VALUE_CALLS and op not in BY_FULL_NAME
