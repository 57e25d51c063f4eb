"""Formulas as a module that needs only JAX: each function in `jax.custom_jvp` or `jax.custom_vjp`.

In: a promoted formula. Out: text. The rule for tangents is the closure, which JAX transposes: it is linear in
the cotangents, and its transpose in the tangents, so that JAX transposes that again for reverse mode. Where
the closure has no transpose, the rule is the closure. Hidden outputs are outputs of the function that has the
rule, which the rule calls for them: so every level of differentiation meets the formula.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from ...analysis.absence import may_be_absent
from ...analysis.types import infer, type_of
from ...codes import diagnostic
from ...derivatives import Derivatives, NoDerivative
from ...diagnostics import Diagnostic, FormulaError
from ...frontend.names.outline import formula_folder
from ...ir import Block, Eqn, Formula, Param, Var
from ...ir.dtypes import CONCRETE
from ...ir.types import TensorType, Type
from ...passes.label_temporaries import label_block, label_temporaries
from ...passes.simplify.simplify import remove_dead, simplify
from ...passes.variants.specialize import specialize
from ...passes.variants.transpose import check_transpose
from ...rewrite import Namer, all_names, rename, slice_of
from ..array_library.blocks import with_free_names
from ..array_library.helpers import Helpers, names_in, private
from ..array_library.imports import import_block
from ..python import forward_function
from ..python_text import function_text
from .expressions import JaxPrinter
from .names import called_formula, called_formulas, calls_of_formulas

_WIDTH = 110
# Names that the functions of a module have for themselves; they call builtins, and so do helpers.
_OWN_NAMES = frozenset({"outputs", "primals", "tangents", "saved", "cotangents", "moved", "jax", "jnp", "np"})
_OWN_NAMES |= frozenset({"special", "math", "partial", *dir(builtins)})
_IMPORTS = {
    "partial": "from functools import partial",
    "math": "import math",
    "jax": "import jax",
    "jnp": "import jax.numpy as jnp",
    "np": "import numpy as np",
    "special": "from jax.scipy import special",
}


def module_text(formulas: Sequence[Formula], library: Derivatives, helpers: Helpers) -> str:
    """The module of promoted formulas. Raises FormulaError (PB502) for what JAX has no counterpart of."""
    every = _with_called(formulas, library)
    shown = {op: formula.name for op, formula in every.items()}
    texts = [text for formula in every.values() for text in _functions(formula, library, helpers, shown)]
    used = names_in(ast.parse("\n".join(texts)))
    needed = helpers.needed(used)
    parts = [helpers.text(needed, _WIDTH) + "\n", *texts] if needed else texts
    names = ", ".join(formula.name for formula in formulas)
    whose = "its" if len(formulas) == 1 else "their"
    of = f"{names} and {whose} derivatives to every order, for JAX."
    title = f'"""{of}\n\nFrom {_file(formulas[0])}.\n"""'
    imports = [line for name, line in _IMPORTS.items() if name in used]
    block = import_block(["from __future__ import annotations", *imports, *helpers.imports(needed, used)])
    return f"{title}\n\n{block}\n\n\n" + "\n\n".join(parts)


def _with_called(formulas: Sequence[Formula], library: Derivatives) -> dict[str, Formula]:
    """The formulas by their operators, each behind those that it calls, with names of their own in a module.

    The package's have names with an underscore.
    """
    asked = {formula.name: formula for formula in formulas}
    found: dict[str, Formula] = {}
    under_way: set[str] = set()

    def add(op: str, formula: Formula) -> None:
        under_way.add(op)
        for eqn in calls_of_formulas(formula):
            if eqn.op not in under_way:
                add(eqn.op, asked[eqn.op] if eqn.op in asked else _called(eqn, formula, library))
        name = private(formula.name) if _is_ours(formula) else formula.name
        taken = [*(other.name for other in found.values()), *(asked.keys() - {op})]
        found[op] = formula.evolve(name=op if name in taken else name)

    for name, formula in asked.items():
        if name not in under_way:
            add(name, formula)
    return found


def _called(eqn: Eqn, formula: Formula, library: Derivatives) -> Formula:
    try:
        return library.promoted(eqn.op)
    except NoDerivative:
        raise FormulaError([called_formula(formula, eqn)], formula.source) from None


def _is_ours(formula: Formula) -> bool:
    """True for a formula that comes with the package."""
    return Path(formula.source.path).resolve().parent == formula_folder()


def _functions(
    formula: Formula, library: Derivatives, helpers: Helpers, names: Mapping[str, str]
) -> list[str]:
    """The texts of a formula's functions: all outputs, the rule, and what is called."""
    findings = [*called_formulas(formula), *_not_in_a_module(formula)]
    if findings:
        raise FormulaError(list(dict.fromkeys(findings)), formula.source)
    written, formula = formula, with_free_names(formula, _OWN_NAMES | helpers.names)
    exposed = formula.evolve(results=formula.results + len(formula.hidden), hidden=(), result_is_tuple=True)
    printer = JaxPrinter(formula, helpers, names)
    try:
        check_transpose(exposed, library)
        functions, head = _with_tangents(exposed, printer), "custom_jvp"
    except FormulaError:  # the closure has no transpose
        functions, head = _with_cotangents(exposed, printer), "custom_vjp"
    texts = [function_text(ast.fix_missing_locations(f), formula.source, _WIDTH) for f in functions]
    if printer.findings:
        first: dict[str, Diagnostic] = {}
        for found in sorted(printer.findings, key=lambda one: (one.span.line, one.span.column)):
            first.setdefault(found.message, found)
        raise FormulaError(list(first.values()), formula.source)
    inner = f"{formula.name}_outputs"
    static = _attributes(formula)
    places = tuple(range(len(formula.params) - len(static), len(formula.params)))
    decorator = f"@partial(jax.{head}, nondiff_argnums={places})" if places else f"@jax.{head}"
    texts[0] = f"{decorator}\n{texts[0]}"
    if head == "custom_jvp":
        texts[1] = f"@{inner}.defjvp\n{texts[1]}"
    else:
        texts.append(f"{inner}.defvjp({formula.name}_forward, {formula.name}_backward)\n")
    return [*texts, _public(written, inner)]


def _with_tangents(exposed: Formula, printer: JaxPrinter) -> list[ast.FunctionDef]:
    """The function of all outputs, and the rule for its tangents: the closure transposed."""
    known = infer(exposed).forward
    constant = {
        k
        for k, atom in enumerate(exposed.forward.results[: exposed.results])
        if _is_discrete(type_of(atom, known))
    }
    constant.update(exposed.options.nondifferentiable)
    differentiable = [k not in constant for k in range(exposed.results)]
    closure = _Closure(exposed, differentiable, printer)
    inputs, static = [p.var.name for p in _inputs(exposed)], [p.var.name for p in _attributes(exposed)]
    moving = [name for name in inputs if name in closure.gradients]
    places = [k for k, one in enumerate(differentiable) if one and moving]
    pullback = closure.function(f"{exposed.name}_pullback", moving)
    pullback.args = _arguments([closure.cotangents[k] for k in places])
    before = [_unpacked(inputs, "primals"), f"outputs = {_call(exposed)}"]
    if set(names := closure.output_names()) - {"_"}:
        before.append(_unpacked(names, "outputs"))
    for k in closure.variant.materialize:
        before.append(f"{closure.cotangents[k]} = jnp.zeros_like(outputs[{k}])")
    tangents = "tangents"
    if moving != inputs:
        before.append(_unpacked([f"tangent_{n}" if n in moving else "_" for n in inputs], "tangents"))
        tangents = f"({', '.join(f'tangent_{name}' for name in moving)},)"
    if len(moving) > 1:
        of = "outputs" if all(differentiable) else f"({', '.join(f'outputs[{k}]' for k in places)},)"
        moved = f"{private('transposed')}({pullback.name}, {of}, {tangents})"
    else:
        of = "*outputs" if all(differentiable) else ", ".join(f"outputs[{k}]" for k in places)
        moved = f"jax.linear_transpose({pullback.name}, {of})({tangents})"
    after = [f"return outputs, {moved}"]
    if len(places) < len(differentiable):
        zero = "jax.custom_derivatives.zero_from_primal(outputs[{}])"
        each = [
            f"moved[{places.index(k)}]" if k in places else zero.format(k) for k in range(exposed.results)
        ]
        after = [f"moved = {moved}"] if places else []
        after.append(f"return outputs, ({', '.join(each)},)")
    rule = ast.FunctionDef(f"{exposed.name}_tangents", _arguments([*static, "primals", "tangents"]), [], [])
    rule.lineno = exposed.span.line
    rule.body = [
        *(_placed(line, rule) for line in before),
        *([pullback] if places else []),
        *(_placed(line, rule) for line in after),
    ]
    return [_outputs(exposed, printer), rule]


def _is_discrete(of: Type) -> bool:
    """True for a tensor of booleans or integers."""
    return isinstance(of, TensorType) and of.dtype in CONCRETE and str(of.dtype)[0] in "biu"


class _Closure:
    """A formula's closure as a function; what it reads of the forward, and its gradients, have names."""

    def __init__(self, exposed: Formula, defined: Sequence[bool], printer: JaxPrinter) -> None:
        self.exposed = exposed
        self._printer = printer
        self.variant = specialize(exposed, defined, [True] * len(exposed.inputs))
        # The forward and the closure are two scopes, whose own variables may have the same names.
        taken, namer = set(exposed.forward.bound()), Namer.of(exposed)
        block = self.variant.block
        block = rename(block, {var: namer.like(var) for var in block.bound() if var in taken})
        outputs = [atom for atom in exposed.forward.results[: exposed.results] if isinstance(atom, Var)]
        own = {var for eqn in exposed.forward.eqns for var in eqn.outs}
        saved = {var for var in outputs if var in own}
        eqns = [*slice_of(exposed.forward.eqns, block.free(), saved), *block.eqns]
        free = Block((), tuple(eqns), block.results).free()
        params = tuple(p.var for p in exposed.params)
        kept = [var for var in dict.fromkeys(outputs) if var in saved and var in free]
        cotangents = exposed.cotangents
        rule = exposed.evolve(
            forward=Block((*params, *kept, *cotangents), tuple(eqns), block.results),
            params=(*exposed.params, *(Param(var) for var in (*kept, *cotangents))),
        )
        self._rule = _readable(rule)
        renamed = self._rule.forward.params[len(params) :]
        self._names = dict(zip(kept, (var.name for var in renamed), strict=False))
        self.cotangents = [var.name for var in renamed[len(kept) :]]
        self.gradients = {
            p.var.name: k
            for k, (p, atom) in enumerate(zip(exposed.inputs, block.results, strict=True))
            if isinstance(atom, Var)
        }

    def output_names(self) -> list[str]:
        """The names of the function's outputs that the closure reads, `_` for others."""
        outputs = self.exposed.forward.results[: self.exposed.results]
        names = [self._names.get(atom, "_") if isinstance(atom, Var) else "_" for atom in outputs]
        return [name if name not in names[:k] else "_" for k, name in enumerate(names)]

    def function(self, name: str, inputs: Iterable[str]) -> ast.FunctionDef:
        """The closure, with a gradient for each of these inputs: None where there is none."""
        made = forward_function(self._rule, name, self._printer)
        last = made.body[-1]
        assert isinstance(last, ast.Return)
        assert isinstance(last.value, ast.Tuple)
        found = [
            last.value.elts[self.gradients[n]] if n in self.gradients else ast.Constant(None) for n in inputs
        ]
        last.value = ast.Tuple(found, ast.Load())
        return made


def _with_cotangents(exposed: Formula, printer: JaxPrinter) -> list[ast.FunctionDef]:
    """The function of all outputs, the one that saves what the closure reads, and the closure."""
    closure = _Closure(exposed, [True] * exposed.results, printer)
    names = closure.output_names()
    inputs, static = [p.var.name for p in _inputs(exposed)], [p.var.name for p in _attributes(exposed)]
    function = closure.function(f"{exposed.name}_backward", inputs)
    read = [k for k, name in enumerate(names) if name != "_"]
    function.body[:0] = [
        _placed(_unpacked([*inputs, *(names[k] for k in read)], "saved"), function),
        _placed(_unpacked(closure.cotangents, "cotangents"), function),
    ]
    function.args = _arguments([*static, "saved", "cotangents"])
    keep = ", ".join([*inputs, *(f"outputs[{k}]" for k in read)])
    text = (
        f"def {exposed.name}_forward({', '.join([*inputs, *static])}):\n"
        f"    outputs = {_call(exposed)}\n"
        f"    return outputs, ({keep},)\n"
    )
    saving = _placed(text, function)
    assert isinstance(saving, ast.FunctionDef)
    return [_outputs(exposed, printer), saving, function]


def _call(exposed: Formula) -> str:
    """The call that gives all outputs, in the names of the parameters."""
    names = (p.var.name for p in (*_inputs(exposed), *_attributes(exposed)))
    return f"{exposed.name}_outputs({', '.join(names)})"


def _outputs(exposed: Formula, printer: JaxPrinter) -> ast.FunctionDef:
    """Results and hidden outputs, of inputs and then attributes; a number where a branch leaves one out.

    The tangent of None would have to be None.
    """
    results = exposed.forward.results[: exposed.results]
    eqns = tuple(remove_dead(list(exposed.forward.eqns), results))
    part = exposed.evolve(forward=Block(exposed.forward.params, eqns, results), pullback=None)
    part = label_temporaries(part)
    function = forward_function(part, f"{exposed.name}_outputs", printer)
    function.args = _arguments([p.var.name for p in (*_inputs(exposed), *_attributes(exposed))])
    last = function.body[-1]
    assert isinstance(last, ast.Return)
    assert isinstance(last.value, ast.Tuple)
    for k, atom in enumerate(results):
        if isinstance(atom, Var) and may_be_absent(part.forward, atom):
            missing = ast.Compare(last.value.elts[k], [ast.Is()], [ast.Constant(None)])
            last.value.elts[k] = ast.IfExp(missing, ast.Constant(0.0), last.value.elts[k])
    return function


def _readable(formula: Formula) -> Formula:
    """The same with names for what has none."""
    used = all_names(formula.forward)
    namer = Namer(used)
    env = {var: namer.fresh("result", var.kind) for var in formula.forward.params if var.name.startswith("_")}
    block = rename(formula.forward, env)
    used.update(var.name for var in block.params)
    block = label_block(simplify(block), used)
    return formula.evolve(forward=block, params=tuple(Param(var) for var in block.params))


def _public(formula: Formula, inner: str) -> str:
    """The function that is called: attributes by name, results only."""
    positional = [_default(p) for p in _inputs(formula)]
    attributes = [_default(p) for p in _attributes(formula)]
    signature = ", ".join([*positional, *(["*"] if attributes else []), *attributes])
    arguments = ", ".join(p.var.name for p in (*_inputs(formula), *_attributes(formula)))
    count = formula.results
    part = "[0]" if not formula.result_is_tuple else f"[:{count}]" if formula.hidden else ""
    return f"def {formula.name}({signature}):\n    return {inner}({arguments}){part}\n"


def _default(param: Param) -> str:
    if param.default is not None:
        return f"{param.var.name}={param.default.value!r}"
    return f"{param.var.name}=None" if param.optional else param.var.name


def _inputs(formula: Formula) -> list[Param]:
    return [param for param in formula.params if not param.attribute]


def _attributes(formula: Formula) -> list[Param]:
    return [param for param in formula.params if param.attribute]


def _arguments(names: Sequence[str]) -> ast.arguments:
    return ast.arguments(
        posonlyargs=[], args=[ast.arg(name) for name in names], kwonlyargs=[], kw_defaults=[], defaults=[]
    )


def _unpacked(names: Sequence[str], value: str) -> str:
    return f"({names[0]},) = {value}" if len(names) == 1 else f"{', '.join(names)} = {value}"


def _placed(text: str, function: ast.FunctionDef) -> ast.stmt:
    """A statement that stands on the function's own line."""
    statement = ast.parse(text).body[0]
    for node in ast.walk(statement):
        if hasattr(node, "lineno"):
            node.lineno = function.lineno
    return statement


def _file(formula: Formula) -> str:
    return Path(formula.source.path).name


def _not_in_a_module(formula: Formula) -> list[Diagnostic]:
    """Findings for what `pullback.jax.function` decides call by call, and a text does not."""
    messages = [formula.barrier] if formula.barrier else []
    messages += [
        f"whether `{param.var.name}` is absent decides which gradients there are"
        for param in formula.params
        if param.optional and not param.attribute
    ]
    hint = "use pullback.jax.function, which decides it at each call"
    return [diagnostic("PB502", message, formula.span, name=formula.name, hint=hint) for message in messages]
