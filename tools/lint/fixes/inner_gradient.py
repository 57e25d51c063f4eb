"""A gradient that the backward computes itself has a history: its leaves are copies of what was saved.

``x.detach().requires_grad_()`` becomes ``x.clone().requires_grad_()``, and ``torch.autograd.grad`` asks for a
graph where one is recorded. A copy is a tensor of its own, as a detached one is: the gradient by it is the
same.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..analyses.context import READS_SAVED
from ..analyses.torch_names import is_in_place
from ..frontend.classes import resolve
from ..frontend.modules import Dotted
from .fix import Fix
from .text.inner_autograd import check_no_backward, reached
from .text.place import Place, body_of, names_in, unused
from .text.reading import bound
from .text.saved_call import LONGEST
from .text.splices import CannotFix, Splice
from .text.statements import is_name

CODES = ("PB102", "PB109")
# What reads or sets how a tensor stands in the graph, or leaves PyTorch.
REFUSED = frozenset(
    {"grad", "is_leaf", "data", "detach_", "retain_grad", "numpy", "tolist", "data_ptr", "storage"}
    | {"no_grad", "inference_mode", "set_grad_enabled", "from_numpy", "untyped_storage", "register_hook"}
)
PLAIN = frozenset(
    {"bool", "dict", "enumerate", "float", "int", "isinstance", "len", "list", "range", "tuple", "zip"}
)
OF_CONTEXT = READS_SAVED | {"needs_input_grad"}


def apply(place: Place) -> None:
    """Keep the history of the leaves, and of the gradients that are taken by them."""
    backward = place.backward
    check_no_backward(place)
    if any("enable_grad" in ast.unparse(decorator) for decorator in backward.decorator_list):
        raise CannotFix("the whole backward is recorded, whether or not its caller asks for a graph")
    inner = [n for n in ast.walk(backward) if isinstance(n, ast.Call) and _takes_gradient(n.func, place)]
    if not inner:
        raise CannotFix("the backward takes no gradient with `torch.autograd.grad`")
    context = _context(backward)
    for function in reached(place):
        _check_function(function, place, context if function is backward else "")
    _keep_leaves(place, backward, context)
    _ask_for_graphs(place, backward, inner)


def _context(backward: ast.FunctionDef) -> str:
    if any(getattr(d, "id", "") == "classmethod" for d in backward.decorator_list):
        raise CannotFix("the backward is a class method")
    context = backward.args.args[0].arg
    inside = {id(n.value) for n in ast.walk(backward) if isinstance(n, ast.Attribute)}
    if any(isinstance(n, ast.Name) and n.id == context and id(n) not in inside for n in ast.walk(backward)):
        raise CannotFix(f"another function may take what is saved from `{context}`")
    return context


def _takes_gradient(function: ast.expr, place: Place) -> bool:
    entity = resolve(function, place.module)
    return isinstance(entity, Dotted) and entity.name == "torch.autograd.grad"


def _check_function(function: ast.FunctionDef, place: Place, context: str) -> None:
    """Raise `CannotFix` for what could tell a copy from a detached tensor, or cannot be seen through."""
    for node in ast.walk(function):
        match node:
            case ast.Call():
                _check_call(node, function, place, context)
            case ast.AugAssign():
                raise CannotFix("a tensor may be changed in place")
            case ast.Attribute(attr="requires_grad", ctx=ast.Load()):
                raise CannotFix("`requires_grad` is read")
            case ast.Subscript(ctx=ast.Store()) | ast.Attribute(ctx=ast.Store()):
                raise CannotFix(f"`{ast.unparse(node)}` is set")
            case ast.Attribute(attr=name) if name in REFUSED and not _takes_gradient(node, place):
                raise CannotFix(f"`{name}` is used")


def _check_call(call: ast.Call, function: ast.FunctionDef, place: Place, context: str) -> None:
    """Raise `CannotFix` for a call of what is neither PyTorch's nor of this file: it may do anything."""
    called, root = ast.unparse(call.func), call.func
    while isinstance(root, ast.Attribute):
        if root.attr != "requires_grad_" and is_in_place(root.attr):
            raise CannotFix(f"`{root.attr}` changes a tensor in place")
        if is_name(root.value, context) and root.attr not in OF_CONTEXT:
            raise CannotFix(f"`{called}` may do anything")
        root = root.value
    if not isinstance(root, ast.Name) or root.id == context:
        return
    entity, held = place.module.names.get(root.id), _held(function, context)
    if isinstance(entity, Dotted) and entity.name.split(".")[0] in ("torch", "math"):
        return
    if entity is None and (
        root.id in PLAIN or (root is not call.func and root.id in _local(function) - held)
    ):
        return
    own = {n.name for n in ast.walk(place.module.tree) if isinstance(n, ast.FunctionDef)}
    given = [*call.args, *(k.value for k in call.keywords)]
    if (
        isinstance(entity, Dotted)
        or called.split(".")[-1] not in own
        or any(_holds(g, context, held) for g in given)
    ):
        raise CannotFix(f"`{called}` may do anything")


def _local(function: ast.FunctionDef) -> set[str]:
    return bound(function) | {n.arg for n in ast.walk(function) if isinstance(n, ast.arg)}


def _held(function: ast.FunctionDef, context: str) -> set[str]:
    """Names for something of the context that is not saved as a tensor."""
    kinds = (ast.Assign, ast.AnnAssign, ast.For, ast.With, ast.NamedExpr, ast.comprehension)
    return {
        name
        for node in ast.walk(function)
        if isinstance(node, kinds) and _holds(node, context, set())
        for name in bound(node)
    }


def _holds(node: ast.AST, context: str, held: set[str]) -> bool:
    return any(
        (isinstance(n, ast.Attribute) and is_name(n.value, context) and n.attr not in OF_CONTEXT)
        or (isinstance(n, ast.Name) and n.id in held)
        for n in ast.walk(node)
    )


def _keep_leaves(place: Place, backward: ast.FunctionDef, context: str) -> None:
    saved = list(_saved(backward, context))
    for node in ast.walk(backward):
        match node:
            case ast.Call(func=ast.Attribute(attr="requires_grad_"), args=args, keywords=keywords):
                said = [*args, *(k.value for k in keywords)]
                if any(not (isinstance(a, ast.Constant) and a.value is True) for a in said):
                    raise CannotFix("`requires_grad_` may be given False")
            case ast.Attribute(attr="detach", value=value):
                if not any(value is one for one in saved):
                    raise CannotFix("what is detached is no saved tensor")
                start, end = place.text.end(value), place.text.end(node)
                found = place.text.text[start:end].replace("detach", "clone")
                place.text.splices.append(Splice(start, end, found))


def _saved(backward: ast.FunctionDef, context: str) -> Iterator[ast.expr]:
    """Expressions of a backward that are a saved tensor, whatever was computed before."""
    body = body_of(backward)
    taken = [s for s in body if isinstance(s, ast.Assign) and _reads_saved(s.value, context)]
    names = {name for s in taken for name in bound(s)}
    for statement in _simple(body):
        for node in ast.walk(statement):
            if isinstance(node, ast.ListComp | ast.GeneratorExp) and len(node.generators) == 1:
                (one,) = node.generators
                once = _is_once(one.iter, body, names, statement, taken)
                if isinstance(one.target, ast.Name) and (_reads_saved(one.iter, context) or once):
                    yield from _loads(node.elt, one.target.id)
            item = isinstance(node, ast.Subscript) and _reads_saved(node.value, context)
            if isinstance(node, ast.expr) and (item or _is_once(node, body, names, statement, taken)):
                yield node


def _loads(node: ast.expr, name: str) -> Iterator[ast.expr]:
    return (n for n in ast.walk(node) if isinstance(n, ast.expr) and is_name(n, name))


def _reads_saved(node: ast.expr, context: str) -> bool:
    return isinstance(node, ast.Attribute) and node.attr in READS_SAVED and is_name(node.value, context)


def _is_once(
    node: ast.expr, body: list[ast.stmt], names: set[str], statement: ast.stmt, taken: list[ast.Assign]
) -> bool:
    """True for a name that only the unpacking binds, and perhaps the statement in which it is read."""
    if not (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in names):
        return False
    binding = [s for s in _simple(body) if node.id in bound(s)]
    others = [s for s in binding if s is not statement]
    return len(others) == 1 and others[0] in taken and others[0].lineno < statement.lineno


def _simple(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The simple statements of a block, in branches and under `with` too; `CannotFix` in a loop."""
    for statement in body:
        match statement:
            case ast.If():
                yield from _simple([*statement.body, *statement.orelse])
            case ast.With():
                yield from _simple(statement.body)
            case ast.Assign() | ast.Return() | ast.Expr() | ast.Assert() | ast.Pass() | ast.Raise():
                yield statement
            case _:
                raise CannotFix("the backward has more than assignments and branches")


def _ask_for_graphs(place: Place, backward: ast.FunctionDef, inner: list[ast.Call]) -> None:
    """``create_graph`` for each gradient: where it is taken under `enable_grad`, as it was before that."""
    torch, text = place.torch(), place.text
    asks = f"{torch}.is_grad_enabled()"
    name = unused("recorded", names_in(backward))
    bound_before: set[int] = set()
    for call in inner:
        if any(k.arg in (None, "create_graph") for k in call.keywords):
            continue
        if any(k.arg == "retain_graph" and ast.unparse(k.value) != "True" for k in call.keywords):
            raise CannotFix("the graph may be freed, with `retain_graph`")
        if len(call.args) > 3 or any(isinstance(a, ast.Starred) for a in call.args):
            raise CannotFix("`create_graph` may be given by its position")
        outer = [
            s for s in body_of(backward) if isinstance(s, ast.With) and any(n is call for n in ast.walk(s))
        ]
        within = next((s for s in ast.walk(backward) if isinstance(s, ast.With) and _under(s, call)), None)
        if within is not None and not outer:
            raise CannotFix("it is taken under `enable_grad` in a branch")
        for statement in outer if within is not None else ():
            if id(statement) not in bound_before:
                text.before(statement, [f"{name} = {asks}"])
                bound_before.add(id(statement))
        _add(place, backward, call, f"create_graph={asks if within is None else name}")


def _add(place: Place, backward: ast.FunctionDef, call: ast.Call, argument: str) -> None:
    """Put an argument at a call's end; in a long line each argument gets its own, as formatters leave it."""
    text = place.text
    given = [text.of(a) for a in call.args] + [f"{k.arg}={text.of(k.value)}" for k in call.keywords]
    line = text.text.split("\n")[call.lineno - 1]
    if call.lineno == call.end_lineno and len(line) + len(argument) + 2 <= LONGEST:
        text.insert(text.end(call) - 1, f", {argument}")
        return
    statement = next((s for s in _simple(body_of(backward)) if any(n is call for n in ast.walk(s))), None)
    if statement is None or statement.lineno != call.lineno or "#" in text.of(call):
        raise CannotFix("the gradient is taken over several lines")
    depth = text.indent(statement)
    step = text.indent(backward.body[0])[len(text.indent(backward)) :]
    lines = "".join(f"{depth}{step}{one},\n" for one in [*given, argument])
    text.replace(call, f"{text.of(call.func)}(\n{lines}{depth})")


def _under(statement: ast.With, call: ast.Call) -> bool:
    return any(n is call for part in statement.body for n in ast.walk(part))


FIX = Fix(apply, True, "its gradient has a history")
