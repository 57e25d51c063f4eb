"""Statements written as the simpler ones that they stand for, before a formula is read.

>>> tree = ast.parse('''
... for x in xs:
...     if (y := f(x)) > 0:
...         break
... else:
...     assert xs, 'empty'
... ''')
>>> desugar(tree)
>>> print(ast.unparse(tree))
<left 2 0> = False
for x in xs:
    y = f(x)
    if y > 0:
        <left 2 0> = True
        break
if not <left 2 0>:
    if not xs:
        raise AssertionError('empty')

Names in angle brackets are some that no author can write.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from .nodes import located, name_of, node_of

# Expressions that compute their parts later, or as often as they like.
_LATER = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.NamedExpr)
_BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")


def desugar(tree: ast.Module) -> None:
    """Write the statements of a tree that stand for others as those, in place. Does not recurse."""
    level: list[ast.AST] = [tree]
    while level:
        inner: list[ast.AST] = []
        for node in level:
            for name in _BLOCKS:
                block = getattr(node, name, ())
                if isinstance(block, list):
                    block[:] = [made for each in block for made in _simpler(each)]
                    inner += block
        level = inner


def _simpler(node: ast.AST) -> Sequence[ast.AST]:
    match node:
        case ast.Assert():
            made: list[ast.stmt] = [*_named_first(_branch(node))]
        case ast.With() if all(map(_is_quiet, node.items)):
            body = [made for each in node.body for made in _simpler(each)]
            return [*(node_of(Quiet, node, item.context_expr) for item in node.items), *body]
        case ast.Try(body, [], [], final) if _runs_through(body, final):
            return [made for each in (*body, *final) for made in _simpler(each)]
        case ast.Match() if (branches := _branches(node)) is not None:
            made = [each for part in branches for each in _named_first(part)]
        case ast.For(orelse=[_, *_]) | ast.While(orelse=[_, *_]):
            made = [each for part in _without_else(node) for each in _named_first(part)]
        case ast.Expr(ast.Call(ast.Attribute(ast.Name() as grown, "extend"), [more], [])):
            made = [each for part in _extended(node, grown.id, more) for each in _named_first(part)]
        case ast.Expr(ast.Call(ast.Attribute(ast.Name() as held, "update"), [], named)) if _by_name(named):
            made = [each for part in _updated(held.id, named) for each in _named_first(part)]
        case ast.Assign(targets=[ast.Tuple(elts=parts) | ast.List(elts=parts)]) if _starred(parts):
            made = [each for part in _unpacked(node, parts) for each in _named_first(part)]
        case ast.Assign(targets=[ast.Tuple(elts=parts)], value=ast.Tuple(elts=values)) if _apart(
            parts, values
        ):
            made = [ast.Assign([part], value) for part, value in zip(parts, values, strict=True)]
        case ast.stmt():
            made = [*_named_first(node)]
        case _:
            return [node]
    return [located(each, node) for each in made]


def _branch(node: ast.Assert) -> ast.If:
    """An assertion as a condition that raises."""
    error: ast.expr = name_of("AssertionError")
    if node.msg is not None:
        error = ast.Call(error, [node.msg], [])
    test = ast.copy_location(ast.UnaryOp(ast.Not(), node.test), node.test)
    return ast.If(test, [ast.Raise(error, None)], [])


def _branches(node: ast.Match) -> list[ast.stmt] | None:
    """A `match` of constants as conditions one after the other; None where a pattern takes a value apart."""
    whole = node.subject.id if isinstance(node.subject, ast.Name) else f"<matched {node.lineno}>"
    rest: list[ast.stmt] = []
    for case in reversed(node.cases):
        test = _test_of(case.pattern, whole)
        names = [part.name for part in ast.walk(case.pattern) if isinstance(part, ast.MatchAs) and part.name]
        if test is None or (names and case.guard is not None):
            return None
        body = [*(_assign(name, name_of(whole)) for name in names), *case.body]
        if case.guard is not None:
            test = ast.BoolOp(ast.And(), [test, case.guard])
        always = isinstance(test, ast.Constant)
        rest = body if always else [ast.copy_location(ast.If(test, body, rest), case.pattern)]
    first = [] if isinstance(node.subject, ast.Name) else [_assign(whole, node.subject)]
    return [*first, *rest]


def _test_of(pattern: ast.pattern, whole: str) -> ast.expr | None:
    """The condition under which a value matches constants, True for every value; None for other patterns."""
    match pattern:
        case ast.MatchValue():
            return ast.Compare(name_of(whole), [ast.Eq()], [pattern.value])
        case ast.MatchSingleton():
            return ast.Compare(name_of(whole), [ast.Is()], [ast.Constant(pattern.value)])
        case ast.MatchOr():
            tests = [_test_of(each, whole) for each in pattern.patterns]
            known = [test for test in tests if test is not None]
            return ast.BoolOp(ast.Or(), known) if len(known) == len(tests) else None
        case ast.MatchAs(pattern=None):
            return ast.Constant(True)
        case ast.MatchAs(pattern=ast.pattern() as inner):
            return _test_of(inner, whole)
    return None


class Quiet(ast.stmt):
    """The start of the body of ``with np.errstate(...)``, whose reader checks the call."""

    _fields = ("call",)
    call: ast.expr


def _is_quiet(item: ast.withitem) -> bool:
    """True of a context that only silences warnings, by its name."""
    call = item.context_expr
    named = call.func if isinstance(call, ast.Call) and item.optional_vars is None else None
    return "errstate" in (getattr(named, "attr", ""), getattr(named, "id", ""))


def _without_else(node: ast.For | ast.While) -> list[ast.stmt]:
    """A loop with an ``else`` as one that says whether a ``break`` ended it, and a condition after it."""
    flag = f"<left {node.lineno} {node.col_offset}>"
    after, node.orelse = node.orelse, []
    node.body = [each for part in node.body for each in _saying(part, flag)]
    test = ast.UnaryOp(ast.Not(), name_of(flag))
    return [_assign(flag, ast.Constant(False)), node, ast.If(test, after, [])]


def _saying(node: ast.stmt, flag: str) -> list[ast.stmt]:
    """A statement whose ways out of the loop around it set a flag before."""
    if isinstance(node, ast.Match):
        simpler = [part for part in _simpler(node) if isinstance(part, ast.stmt)]
        return [each for part in simpler for each in (_saying(part, flag) if part is not node else [part])]
    if isinstance(node, ast.Break):
        return [located(_assign(flag, ast.Constant(True)), node), node]
    if not isinstance(node, ast.FunctionDef | ast.For | ast.While):
        for name in ("body", "orelse"):
            block = getattr(node, name, None)
            if isinstance(block, list):
                block[:] = [each for part in block for each in _saying(part, flag)]
    elif isinstance(node, ast.For | ast.While):
        node.orelse = [each for part in node.orelse for each in _saying(part, flag)]
    return [node]


def _extended(node: ast.Expr, name: str, more: ast.expr) -> list[ast.stmt]:
    """``name.extend(more)``: an `append` of each element; those that are written out are computed before."""
    each = f"<item {node.lineno} {node.col_offset}>"
    append = ast.Attribute(name_of(name), "append", ast.Load())
    if not isinstance(more, ast.List | ast.Tuple) or any(isinstance(part, ast.Starred) for part in more.elts):
        body: list[ast.stmt] = [ast.Expr(ast.Call(append, [name_of(each)], []))]
        return [ast.For(ast.Name(each, ast.Store()), more, body, [])]
    items = [f"{each[:-1]} {k}>" for k in range(len(more.elts))]
    appends = [ast.Expr(ast.Call(append, [name_of(item)], [])) for item in items]
    return [*(_assign(item, part) for item, part in zip(items, more.elts, strict=True)), *appends]


def _by_name(keywords: Sequence[ast.keyword]) -> bool:
    return bool(keywords) and all(each.arg is not None for each in keywords)


def _updated(name: str, keywords: Sequence[ast.keyword]) -> list[ast.stmt]:
    """``name.update(key=value)``: a write to each entry, behind all values."""
    values = [f"<entry {k} of {name}>" for k in range(len(keywords))]
    entries = [
        ast.Assign([ast.Subscript(name_of(name), ast.Constant(each.arg), ast.Store())], name_of(value))
        for each, value in zip(keywords, values, strict=True)
    ]
    return [*(_assign(value, each.value) for value, each in zip(values, keywords, strict=True)), *entries]


def _runs_through(body: Sequence[ast.stmt], final: Sequence[ast.stmt]) -> bool:
    """True of ``try: ... finally: ...`` that is one after the other unless something raises."""
    leaves = (ast.Return, ast.Break, ast.Continue)
    ends = [node for part in final for node in ast.walk(part) if isinstance(node, (*leaves, ast.Raise))]
    inside = [node for part in body for node in ast.walk(part) if isinstance(node, leaves)]
    return not ends and (not inside or all(isinstance(part, ast.Pass) for part in final))


def _apart(parts: Sequence[ast.expr], values: Sequence[ast.expr]) -> bool:
    """True of ``a, b = [0.0] * n, []``: a list is made for a name, and no value depends on another name."""
    names = {part.id for part in parts if isinstance(part, ast.Name)}
    inside = [node for value in values for node in ast.walk(value)]
    reads = {node.id for node in inside if isinstance(node, ast.Name)}
    called = {
        node.func.id for node in inside if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    return (
        len(names) == len(parts) == len(values)
        and any(isinstance(node, ast.List | ast.ListComp) for node in inside)
        and names.isdisjoint(reads)
        and called <= _PLAIN
        and not any(isinstance(node, ast.NamedExpr | ast.Starred) for node in inside)
    )


# Functions that read no name of the function around.
_PLAIN = frozenset({"len", "range", "float", "int", "min", "max", "abs", "list"})


def _starred(parts: Sequence[ast.expr]) -> bool:
    return sum(isinstance(part, ast.Starred) for part in parts) == 1


def _unpacked(node: ast.Assign, parts: Sequence[ast.expr]) -> list[ast.stmt]:
    """``first, *rest = value``: an element for each name, and a list of those between for the starred one."""
    whole = f"<parts {node.lineno} {node.col_offset}>"
    (place,) = (k for k, part in enumerate(parts) if isinstance(part, ast.Starred))
    behind = len(parts) - 1 - place
    too_few = ast.Compare(_call("len", name_of(whole)), [ast.Lt()], [ast.Constant(len(parts) - 1)])
    made: list[ast.stmt] = [_assign(whole, node.value)]
    if len(parts) > 1:
        got = ast.FormattedValue(_call("len", name_of(whole)), -1)
        expected = f"not enough values to unpack (expected at least {len(parts) - 1}, got "
        text = ast.JoinedStr([ast.Constant(expected), got, ast.Constant(")")])
        made.append(ast.If(too_few, [ast.Raise(_call("ValueError", text), None)], []))
    for k, part in enumerate(parts):
        if isinstance(part, ast.Starred):
            end = ast.UnaryOp(ast.USub(), ast.Constant(behind)) if behind else None
            between = ast.Slice(ast.Constant(place), end)
            taken: ast.expr = _call("list", ast.Subscript(name_of(whole), between, ast.Load()))
            made.append(ast.Assign([part.value], taken))
        else:
            at = ast.Constant(k) if k < place else ast.UnaryOp(ast.USub(), ast.Constant(len(parts) - k))
            made.append(ast.Assign([part], ast.Subscript(name_of(whole), at, ast.Load())))
    return made


def _named_first(node: ast.stmt) -> Iterator[ast.stmt]:
    """Assignments of what a statement names on its way (``:=``), and the statement, which reads the names.

    Only where the value is computed whatever the statement does, and nothing reads the name before.
    """
    match node:
        case ast.If() | ast.While():
            attribute = "test"
        case ast.Assign() | ast.AugAssign() | ast.AnnAssign() | ast.Return() | ast.Expr():
            attribute = "value"
        case _:
            yield node
            return
    target = node.target if isinstance(node, ast.AugAssign) else None
    whole = getattr(node, attribute)
    if whole is None or isinstance(target, ast.Attribute | ast.Subscript):
        yield node
        return
    hoisted: list[ast.stmt] = []
    setattr(node, attribute, _hoist(whole, hoisted, {target.id} if target else set()))
    if isinstance(node, ast.While) and hoisted:
        goes_on = located(ast.If(ast.UnaryOp(ast.Not(), node.test), [ast.Break()], []), node)
        node.test = ast.copy_location(ast.Constant(True), node.test)
        node.body = [*hoisted, goes_on, *node.body]
        hoisted = []
    yield from hoisted
    yield node


def _hoist(node: ast.expr, hoisted: list[ast.stmt], read: set[str]) -> ast.expr:
    """An expression without the assignments in it, which are added to `hoisted`; `read` gains what it reads.

    In Python's order of evaluation; one that may not be reached, or whose name was read before, stays.
    """
    if isinstance(node, ast.NamedExpr):
        node.value = _hoist(node.value, hoisted, read)
        if node.target.id in read:
            return node
        hoisted.append(_assign(node.target.id, node.value))
        return ast.copy_location(name_of(node.target.id), node)
    if isinstance(node, ast.Name):
        read.add(node.id)
    for holder, field, place in _always_computed(node):
        held = getattr(holder, field)
        if place is None:
            setattr(holder, field, _hoist(held, hoisted, read))
        else:
            held[place] = _hoist(held[place], hoisted, read)
    return node


def _always_computed(node: ast.expr) -> Iterator[tuple[ast.AST, str, int | None]]:
    """The parts of an expression that Python computes whenever it computes the expression, in its order."""
    firsts = {ast.BoolOp: ("values",), ast.Compare: ("left", "comparators"), ast.IfExp: ("test",)}
    if isinstance(node, _LATER):
        return
    for field in firsts.get(type(node), node._fields):
        held = getattr(node, field)
        if isinstance(held, list):
            for place, part in enumerate(held[:1] if type(node) in firsts else held):
                if isinstance(part, ast.keyword):
                    yield part, "value", None
                elif isinstance(part, ast.expr):
                    yield node, field, place
        elif isinstance(held, ast.expr):
            yield node, field, None


def _assign(name: str, value: ast.expr) -> ast.Assign:
    return ast.Assign([ast.Name(name, ast.Store())], value)


def _call(function: str, argument: ast.expr) -> ast.Call:
    return ast.Call(name_of(function), [argument], [])
