"""A formula as a module that needs only JAX: the function, in `jax.custom_jvp` or `jax.custom_vjp`.

In: a promoted formula. Out: text. The rule for tangents is the closure transposed, which is linear in
them, so that JAX transposes it again for reverse mode. Where the closure has no transpose, the rule is the
closure. Hidden outputs are outputs of the function that has the rule, which the rule calls for them: so
every level of differentiation meets the formula.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from ...analysis.absence import may_be_absent
from ...codes import diagnostic
from ...derivatives import Derivatives
from ...diagnostics import Diagnostic, FormulaError
from ...ir import Atom, Block, Formula, Literal, Param, Var
from ...passes.label_temporaries import label_block, noun
from ...passes.simplify.simplify import remove_dead, simplify
from ...passes.variants.transpose import transpose
from ...rewrite import Namer, all_names, rename
from ..array_library.helpers import Helpers, names_in
from ..python import forward_function, general_variant
from ..python_text import function_text
from .names import Named, called_formulas

_NONE = Literal(None)
_WIDTH = 110
_IMPORTS = {
    "partial": "from functools import partial",
    "jax": "import jax",
    "jnp": "import jax.numpy as jnp",
    "np": "import numpy as np",
    "special": "from jax.scipy import special",
}


def module_text(formula: Formula, library: Derivatives, helpers: Helpers) -> str:
    """The module of a promoted formula. Raises FormulaError (PB502) for what JAX has no counterpart of."""
    findings = [*called_formulas(formula), *_not_in_a_module(formula)]
    if findings:
        raise FormulaError(list(dict.fromkeys(findings)), formula.source)
    exposed = formula.evolve(results=formula.results + len(formula.hidden), hidden=(), result_is_tuple=True)
    try:
        functions, head = _with_tangents(exposed, library), "custom_jvp"
    except FormulaError:  # the closure has no transpose
        functions, head = _with_cotangents(exposed), "custom_vjp"
    named = Named(formula, helpers)
    made = [ast.fix_missing_locations(named.visit(function)) for function in functions]
    texts = [function_text(function, formula.source, _WIDTH) for function in made]
    if named.findings:
        raise FormulaError(list(dict.fromkeys(named.findings)), formula.source)
    inner = f"{formula.name}_outputs"
    static = _attributes(formula)
    places = tuple(range(len(formula.params) - len(static), len(formula.params)))
    decorator = f"@partial(jax.{head}, nondiff_argnums={places})" if places else f"@jax.{head}"
    texts[0] = f"{decorator}\n{texts[0]}"
    if head == "custom_jvp":
        texts[1] = f"@{inner}.defjvp\n{texts[1]}"
    else:
        texts.append(f"{inner}.defvjp({formula.name}_forward, {formula.name}_backward)\n")
    texts.append(_public(formula, inner))
    used = names_in(ast.parse("\n".join(texts)))
    needed = helpers.needed(used)
    parts = [helpers.text(needed, _WIDTH) + "\n", *texts] if needed else texts
    title = f'"""{formula.name} and its derivatives to every order, for JAX.\n\nFrom {_file(formula)}.\n"""'
    start = [title, "from __future__ import annotations", _imports(helpers, needed, used)]
    return "\n\n".join(start) + "\n\n\n" + "\n\n".join(parts)


def _imports(helpers: Helpers, needed: Sequence[str], used: set[str]) -> str:
    """The imports of a module: the standard library's, then others'."""
    own = [line for name, line in _IMPORTS.items() if name in used]
    lines = {*own, *(line for line in helpers.imports(needed, used) if " pullback" not in line)}
    standard = [line for line in lines if not {"jax", "numpy"} & set(re.split(r"\W+", line))]
    others = list(lines - set(standard))
    return "\n\n".join("\n".join(sorted(group, key=_order)) for group in (standard, others) if group)


def _order(line: str) -> tuple[bool, str]:
    return line.startswith("from"), line


def _with_tangents(exposed: Formula, library: Derivatives) -> list[ast.FunctionDef]:
    """The function of all outputs, and the rule for its tangents."""
    made = transpose(exposed, [True] * len(exposed.inputs), library)
    count = len(exposed.params)
    rule = _readable(made.formula, _names_of_outputs(exposed, made.given, count))
    given = rule.forward.params[count : count + len(made.given)]
    moved = dict(zip(made.tangents, rule.forward.params[count + len(made.given) :], strict=True))
    names = _free_names(exposed, all_names(rule.forward))
    for place, var in zip(made.given, given, strict=True):
        names[place] = var.name
    results = rule.forward.results
    missing = {k for k, atom in enumerate(results) if atom == _NONE}
    missing |= set(exposed.options.nondifferentiable)
    rule = rule.evolve(forward=_with_named_results(rule.forward, names))
    function = forward_function(rule, f"{exposed.name}_tangents")
    inputs, static = _inputs(exposed), _attributes(exposed)
    places = {param.var: k for k, param in enumerate(exposed.inputs)}
    tangents = [moved[places[p.var]].name if places.get(p.var) in moved else "_" for p in inputs]
    call = f"{exposed.name}_outputs({', '.join(p.var.name for p in (*inputs, *static))})"
    start = [
        _unpacked([p.var.name for p in inputs], "primals"),
        _unpacked(tangents, "tangents"),
        f"{', '.join(names)}, = {call}" if len(names) == 1 else f"{', '.join(names)} = {call}",
    ]
    last = function.body[-1]
    assert isinstance(last, ast.Return)
    assert isinstance(last.value, ast.Tuple)
    for k in missing:
        zero = f"jax.custom_derivatives.zero_from_primal({names[k]})"
        last.value.elts[k] = ast.parse(zero, mode="eval").body
    outputs = ast.Tuple([ast.Name(name, ast.Load()) for name in names], ast.Load())
    last.value = ast.Tuple([outputs, last.value], ast.Load())
    function.body[:0] = [_placed(line, function) for line in start]
    function.args = _arguments([*(p.var.name for p in static), "primals", "tangents"])
    return [_outputs(exposed), function]


def _with_cotangents(exposed: Formula) -> list[ast.FunctionDef]:
    """The function of all outputs, the one that saves what the closure reads, and the closure."""
    variant = general_variant(exposed)
    inputs, static = _inputs(exposed), _attributes(exposed)
    outputs = [atom for atom in exposed.forward.results[: exposed.results] if isinstance(atom, Var)]
    own = {var for eqn in exposed.forward.eqns for var in eqn.outs}
    saved = [var for var in outputs if var in own]
    forward = [eqn for eqn in exposed.forward.eqns if not set(eqn.outs) <= set(saved)]
    eqns = remove_dead([*forward, *variant.block.eqns], variant.block.results)
    free = Block((), tuple(eqns), variant.block.results).free()
    params = tuple(p.var for p in exposed.params)
    kept = [var for var in saved if var in free]
    cotangents = exposed.cotangents
    rule = exposed.evolve(
        forward=Block((*params, *kept, *cotangents), tuple(eqns), variant.block.results),
        params=(*exposed.params, *(Param(var) for var in (*kept, *cotangents))),
    )
    rule = _readable(rule, {})
    kept = list(rule.forward.params[len(params) : len(params) + len(kept)])
    function = forward_function(rule, f"{exposed.name}_backward")
    names = [p.var.name for p in inputs]
    function.body[:0] = [
        _placed(_unpacked([*names, *(var.name for var in kept)], "saved"), function),
        _placed(_unpacked([var.name for var in cotangents], "cotangents"), function),
    ]
    last = function.body[-1]
    assert isinstance(last, ast.Return)
    assert isinstance(last.value, ast.Tuple)
    gradients = dict(zip((p.var for p in exposed.inputs), last.value.elts, strict=True))
    last.value = ast.Tuple([gradients.get(p.var, ast.Constant(None)) for p in inputs], ast.Load())
    function.args = _arguments([*(p.var.name for p in static), "saved", "cotangents"])
    places = [k for k, atom in enumerate(exposed.forward.results[: exposed.results]) if atom in set(saved)]
    read = ", ".join(f"outputs[{k}]" for k in places if exposed.forward.results[k] in set(free))
    arguments = ", ".join([*names, *(p.var.name for p in static)])
    keep = ", ".join([*names, *([read] if read else [])])
    text = (
        f"def {exposed.name}_forward({arguments}):\n"
        f"    outputs = {exposed.name}_outputs({arguments})\n"
        f"    return outputs, ({keep},)\n"
    )
    saving = ast.parse(text).body[0]
    assert isinstance(saving, ast.FunctionDef)
    for node in ast.walk(saving):
        if hasattr(node, "lineno"):
            node.lineno = function.lineno
    return [_outputs(exposed), saving, function]


def _outputs(exposed: Formula) -> ast.FunctionDef:
    """Results and hidden outputs, of inputs and then attributes; a number where a branch leaves one out.

    The tangent of None would have to be None.
    """
    results = exposed.forward.results[: exposed.results]
    eqns = tuple(remove_dead(list(exposed.forward.eqns), results))
    part = exposed.evolve(forward=Block(exposed.forward.params, eqns, results))
    function = forward_function(part, f"{exposed.name}_outputs")
    function.args = _arguments([p.var.name for p in (*_inputs(exposed), *_attributes(exposed))])
    last = function.body[-1]
    assert isinstance(last, ast.Return)
    assert isinstance(last.value, ast.Tuple)
    for k, atom in enumerate(results):
        if isinstance(atom, Var) and may_be_absent(part.forward, atom):
            missing = ast.Compare(last.value.elts[k], [ast.Is()], [ast.Constant(None)])
            last.value.elts[k] = ast.IfExp(missing, ast.Constant(0.0), last.value.elts[k])
    return function


def _names_of_outputs(exposed: Formula, given: Sequence[int], start: int) -> dict[int, str]:
    """For parameters that are outputs, by place: what the function calls them."""
    results = [exposed.forward.results[place] for place in given]
    names = {start + k: atom.name for k, atom in enumerate(results) if isinstance(atom, Var)}
    return {place: name for place, name in names.items() if not name.startswith("_")}


def _free_names(exposed: Formula, used: set[str]) -> list[str]:
    """The names of the function's outputs; numbered where a rule has another use for a name."""
    results = exposed.forward.results[: exposed.results]
    own = [atom.name if isinstance(atom, Var) else "_" for atom in results]
    return [
        f"output_{k}" if name.startswith("_") or name in used or name in own[:k] else name
        for k, name in enumerate(own)
    ]


def _with_named_results(block: Block, names: Sequence[str]) -> Block:
    """The rule's block, in which the tangent of an output is called after it."""
    used = all_names(block)
    bound = {var for eqn in block.eqns for var in eqn.outs}
    env: dict[Var, Atom] = {}
    for atom, name in zip(block.results, names, strict=True):
        if isinstance(atom, Var) and atom in bound and atom not in env and f"tangent_{name}" not in used:
            env[atom] = Var(f"tangent_{name}", atom.kind)
    return rename(block, env)


def _readable(formula: Formula, wanted: Mapping[int, str]) -> Formula:
    """The same with names for what has none, and those that are wanted for parameters."""
    env: dict[Var, Atom] = {}
    used = all_names(formula.forward)
    for place, var in enumerate(formula.forward.params):
        if wanted.get(place, var.name) not in used:
            used.add(wanted[place])
            env[var] = Var(wanted[place], var.kind)
        elif var.name.startswith("_"):
            name = next(n for n in ("result", *(f"result_{k}" for k in range(99))) if n not in used)
            used.add(name)
            env[var] = Var(name, var.kind)
    namer = Namer(used)
    for eqn in formula.forward.every():  # what is computed with tangents has names of gradients
        gradients = [out for out in eqn.outs if out.name.startswith("grad_")]
        env.update((out, namer.fresh(noun(eqn, {}), out.kind)) for out in gradients)
    block = rename(formula.forward, env)
    params = tuple(Param(var) for var in block.params)
    block = label_block(simplify(block), used)
    return formula.evolve(forward=block, params=params)


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
