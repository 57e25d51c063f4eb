"""Every formula of a file, from its text alone."""

from __future__ import annotations

from ..ir import Formula, Source
from .function import Reading, read_node
from .names.bindings import Names
from .names.factory import names_inside
from .names.folder import formula_around
from .names.outline import Module, Outline, Unreadable
from .names.signature import cycles
from .syntax.fence import Refusal, refuse
from .syntax.leaving import last_return


def read_module(source: Source) -> Module:
    """Read all formulas of a file. Never raises for any text.

    >>> text = "import pullback as pb\\n@pb.formula\\ndef f(x):\\n    return x * 2, lambda grad: grad * 2\\n"
    >>> list(read_module(Source("f.py", text)).formulas)
    ['f']
    >>> read_module(Source("f.py", "def f(:")).diagnostics[0].code
    'PB400'
    """
    try:
        outline = Outline(source, around=formula_around)
    except Refusal as refusal:
        return Module(source, Names.of({}), diagnostics=[refusal.finding] if refusal.finding else [])
    module = outline.module
    for operator in outline.operators:
        read_operator(outline, operator)
    for operator, why in cycles(module.operators).items():
        module.diagnostics += [why.finding] if why.finding else []
        formula = module.operators.pop(operator)
        name = next(name for name, other in module.formulas.items() if other is formula)
        module.unreadable.append(Unreadable(name, module.formulas.pop(name).span, operator))
    return module


def read_operator(outline: Outline, operator: str) -> Formula | None:
    """The formula of this operator, now also in the outline's module; None where it cannot be read.

    Of two formulas with one name, the second is known by the functions around it and its line.
    """
    module, text = outline.module, outline.text
    node, decorated = outline.found[operator]
    around = outline.around[node]
    names = names_inside(text, module.names, around)
    reading = read_node(text, names, node, decorated.options, decorated.target)
    if decorated.role == "formula" and reading.formula is not None and reading.formula.pullback is None:
        missing = refuse(
            "PB405",
            f"`{node.name}` returns no closure",
            text.span(last_return(node) or node),
            value=node.name,
            hint="return result, pullback; or let `pb.derive_pullback` or `@pb.composite` derive it",
        )
        reading = Reading(None, (*reading.diagnostics, *([missing.finding] if missing.finding else [])))
    module.diagnostics += reading.diagnostics
    if reading.formula is None:
        module.unreadable.append(Unreadable(node.name, text.span(node), operator))
    else:
        key = node.name
        if key in module.formulas:
            key = ".".join([*(function.name for function in around), f"{node.name}:{text.span(node).line}"])
        module.formulas[key] = reading.formula
        module.operators[operator] = reading.formula
    return reading.formula
