"""Second derivatives that would be silently wrong are refused, by a node that raises where one is asked for.

The backward goes on as a method that records nothing. A new backward hands its gradients through the barrier,
which takes the incoming gradients and the saved inputs: whoever differentiates by any of them meets it. What
is saved is unpacked once, before the gradients are computed: they may overwrite it, and a checkpoint refuses
to unpack it twice.
"""

from __future__ import annotations

import ast

from ..analyses.context import READS_SAVED
from ..analyses.facts import Saving as Verdict
from .fix import Fix
from .text.own_methods import check_own
from .text.parameters import Parameters
from .text.place import Place, names_in, unused
from .text.saved_call import Handover, find_saving
from .text.splices import CannotFix, Splice
from .text.taking import Taking, find_taking

CODES = ("PB101", "PB102", "PB103", "PB107", "PB108", "PB109")
BARRIER = "_NoSecondDerivative"


ATTRIBUTES = ("vars", "getattr", "setattr", "hasattr", "delattr")


def apply(place: Place) -> None:
    """Put the barrier between the backward and its gradients."""
    backward, text = place.backward, place.text
    owner = place.owner(backward)
    if owner is None:
        raise CannotFix("the backward is no method")
    torch = place.torch()
    added = _save_inputs(place)
    _rename(place, backward, torch)
    arguments = [*backward.args.posonlyargs, *backward.args.args]
    is_class_method = any(getattr(d, "id", "") == "classmethod" for d in backward.decorator_list)
    cls = arguments.pop(0).arg if is_class_method else None
    context, *gradients = [a.arg for a in arguments]
    variadic = backward.args.vararg
    passed = [*gradients, *([f"*{variadic.arg}"] if variadic else [])]
    taken = names_in(backward)
    found, one, saved = unused("found", taken), unused("g", taken), unused("saved", taken)
    take_from(place, backward, context, saved)
    depth = text.indent(owner.body[-1])
    step = depth[len(text.indent(owner)) :]
    through = cls or place.path_of(owner)
    own = f"{saved}[:-{added}]" if added else saved
    body = [
        f"{saved} = {context}.saved_tensors",
        f"inputs = ({', '.join([*passed, f'*{saved}'])})",
        f"{found} = {through}._gradients({', '.join([context, own, *passed])})",
        f"{found} = {found} if isinstance({found}, tuple) else ({found},)",
        f"refuse = {BARRIER}.apply",
        f"return tuple(None if {one} is None else refuse({one}, *inputs) for {one} in {found})",
    ]
    text.after(
        backward,
        [
            "",
            "@classmethod" if cls else "@staticmethod",
            f"def backward({', '.join([*([cls] if cls else []), context, *passed])}):",
            *(f"{step}{line}" for line in body),
        ],
    )
    if not any(isinstance(n, ast.ClassDef) and n.name == BARRIER for n in place.module.tree.body):
        top = next(
            s for s in place.module.tree.body if s.lineno <= owner.lineno <= (s.end_lineno or s.lineno)
        )
        text.before(top, [line.replace("    ", step) for line in _barrier(torch)])


def _barrier(torch: str) -> list[str]:
    return [
        f"class {BARRIER}({torch}.autograd.Function):",
        '    """Hands a gradient on, and raises where it is differentiated by any of `inputs`."""',
        "",
        "    @staticmethod",
        "    def forward(ctx, gradient, *inputs):",
        "        return gradient.clone()",
        "",
        "    @staticmethod",
        "    def backward(ctx, *gradients):",
        '        raise RuntimeError("this operator has no second derivative")',
        "",
        "",
    ]


def _rename(place: Place, backward: ast.FunctionDef, torch: str) -> None:
    """The backward becomes ``_gradients``, with nothing recorded in it."""
    text = place.text
    start = text.text.index("backward", text.start(backward))
    text.splices.append(Splice(start, start + len("backward"), "_gradients"))
    blank = text.indent(backward)
    kept = [d for d in backward.decorator_list if "once_differentiable" not in ast.unparse(d)]
    dropped = [d for d in backward.decorator_list if d not in kept]
    for decorator in dropped:
        line = text.offset(decorator.lineno, 0)
        end = text.offset((decorator.end_lineno or decorator.lineno) + 1, 0)
        text.splices.append(Splice(line, end, f"{blank}@{torch}.no_grad()\n"))
    if not dropped:
        text.insert(text.offset(backward.lineno, 0), f"{blank}@{torch}.no_grad()\n")


def take_from(place: Place, backward: ast.FunctionDef, context: str, saved: str) -> None:
    """The gradients take what is saved from a parameter."""
    text = place.text
    inside = {}
    harmless: set[int] = set()
    for node in ast.walk(backward):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == context:
            inside[id(node.value)] = node
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ATTRIBUTES:
            harmless.update(id(argument) for argument in node.args[:1])
        if isinstance(node, ast.Constant) and node.value in READS_SAVED:
            raise CannotFix(f"the backward takes what is saved by `{node.value!r}`")
    for node in ast.walk(backward):
        if isinstance(node, ast.Name) and node.id == context and id(node) not in harmless:
            attribute = inside.get(id(node))
            if attribute is None:
                raise CannotFix(f"another function may take what is saved from `{context}`")
            if attribute.attr in READS_SAVED:
                text.replace(attribute, saved)
    arguments = [*backward.args.posonlyargs, *backward.args.args]
    owner = next(a for a in arguments if a.arg == context)
    text.insert(text.offset(owner.end_lineno or owner.lineno, owner.end_col_offset or 0), f", {saved}")


def _save_inputs(place: Place) -> int:
    """Differentiable inputs that are not saved are saved too: the barrier must see them.

    How many of the last saved ones the gradients do not take.
    """
    facts = place.facts
    decorators = [d for d in facts.forward.method.node.decorator_list if isinstance(d, ast.Call)]
    if any(keyword.arg == "cast_inputs" for decorator in decorators for keyword in decorator.keywords):
        raise CannotFix("the forward gets copies of its inputs by `cast_inputs`")
    known = {s.inputs[0] for s in facts.saved if s.saving is Verdict.INPUT and not s.on_context and s.inputs}
    missing = sorted(facts.differentiable - known)
    if not missing:
        return 0
    saver = place.function_at(facts.forward.saver.node.lineno)
    if saver.lineno != facts.forward.saver.node.lineno:
        raise CannotFix("the forward stands in another file")
    parameters = Parameters(saver, place)
    if any(name not in parameters.names or not parameters.is_tensor(name) for name in missing):
        raise CannotFix("an input that is differentiated cannot be saved")
    check_own(place, saver, place.backward)
    saving = find_saving(saver, parameters.context)
    written, snapshots = parameters.snapshots(missing, saving, {})
    added = 0
    if saving is None:
        last = saver.body[-1]
        if not isinstance(last, ast.Return):
            raise CannotFix("the forward does not end with its only `return`")
        place.text.before(last, [f"{parameters.context}.save_for_backward({', '.join(written.values())})"])
    else:
        names = [written[n] for n in missing]
        try:
            taking = find_taking(place.backward)
        except CannotFix:  # it takes them somewhere inside
            taking, added = Taking(parameters.context, place.backward, ""), len(names)
        handover = Handover(place.text, saver, parameters.context, saving, taking, names_in(place.backward))
        if added:
            handover.append(names)
        else:
            handover.add(names)  # the backward may leave them be
    parameters.keep({}, snapshots)
    return added


FIX = Fix(apply, False, "second derivatives are refused")
