"""Forward mode of a `torch.autograd.Function`: its backward, which is linear, transposed when it is run."""

from __future__ import annotations

import ast

from ...analysis.absence import may_be_absent
from ...diagnostics import FormulaError
from ...ir import Var
from ...passes.variants.transpose import check_transpose
from .frame import Frame, method, plain


def forward_mode(frame: Frame, class_name: str) -> list[ast.FunctionDef]:
    """``setup_context`` and ``jvp``; a ``jvp`` that raises, where the backward has no transpose."""
    line = frame.formula.span.line
    try:
        check_transpose(frame.formula, frame.library)
    except FormulaError as refused:
        first = refused.diagnostics[0]
        message = f"{first.span}: {first.message}"
        return [method("jvp", ["ctx", "*tangents"], plain(f"raise NotImplementedError({message!r})"), line)]
    setup = [
        f"{class_name}.setup_context(ctx, inputs, output)",
        f"ctx.output_likes = {_likes(frame)}",
    ]
    call = f'return _transposed("{frame.name}", {class_name}.backward, ctx, tangents)'
    return [
        method("setup_context", ["ctx", "inputs", "output"], plain(*setup), line),
        method("jvp", ["ctx", "*tangents"], plain(call), line),
    ]


def _likes(frame: Frame) -> str:
    """A list with shape, dtype and device of each output; None for one that has no derivative."""
    if len(frame.outputs) == 1:
        return "[_like(output)]"
    likes = []
    for k, atom in enumerate(frame.outputs):
        like = f"_like(output[{k}])"
        if k >= len(frame.results) or k in frame.formula.options.nondifferentiable:
            like = "None"
        elif isinstance(atom, Var) and may_be_absent(frame.formula.forward, atom):
            like = f"None if output[{k}] is None else {like}"
        likes.append(like)
    return f"[{', '.join(likes)}]"
