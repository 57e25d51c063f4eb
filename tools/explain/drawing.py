"""The picture: forward and backward as boxes of source lines, and the captures between them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from pullback.engine.debugging.picture import Arrow, Box, svg
from pullback.transpile.analysis.written import written
from pullback.transpile.ir import Block, Eqn, Source, Var, Verdict

from .facts import Facts

FLOW = Arrow(0, 0)
LOSS = Arrow(0, 0, stroke="silver", dash="2 3")
CAPTURE = Arrow(0, 0, stroke="steelblue", dash="6 3")
PROMOTED = Arrow(0, 0, stroke="crimson", dash="6 3")
LOST = Arrow(0, 0, stroke="crimson", width=2)
LEGEND = [
    (FLOW, "reads"),
    (CAPTURE, "captured: an input, a result, a size"),
    (PROMOTED, "captured: an intermediate, whose gradient flows back"),
    (LOST, "along this path, which is lost where the intermediate is only saved"),
]
WIDEST = 64


def picture(facts: Facts, layout: str = "auto") -> str:
    """The drawing as SVG, placed by `layout`: see `picture.svg`, also for what it raises."""
    drawing = _Drawing(facts)
    used = {arrow.stroke + arrow.dash for arrow in drawing.arrows}
    legend = [(arrow, text) for arrow, text in LEGEND if arrow.stroke + arrow.dash in used]
    return svg(drawing.boxes, drawing.arrows, legend, layout)


class _Drawing:
    """Boxes for inputs, lines of the forward, cotangents, lines of the closure, and gradients."""

    def __init__(self, facts: Facts) -> None:
        formula = facts.formula
        assert formula.pullback is not None
        self.formula, self.lost = formula, facts.lost
        self.hidden = {d.name for d in facts.decisions if d.verdict == Verdict.INTERMEDIATE.value}
        self.boxes: list[Box] = []
        self.arrows: list[Arrow] = []
        self._makers: dict[Var, int] = {}
        forward = {
            param.var: self._box(param.var.name, "gainsboro") for param in formula.params if _shown(param.var)
        }
        self._makers |= forward
        self._lines(formula.forward, "white", "")
        before = dict(self._makers)
        results = formula.forward.results[: formula.results]
        for number, (result, cotangent) in enumerate(zip(results, formula.pullback.params, strict=False), 1):
            of = f"gradient of result {number}" if len(results) > 1 else "gradient of the result"
            name = written(cotangent.name, (), formula.source, of)
            self._makers[cotangent] = self._box(name, "lavender")
            if isinstance(result, Var) and result in before:
                self._join(before[result], self._makers[cotangent], LOSS)
        for _, rule in formula.rules:
            self._makers.setdefault(rule, self._box(rule.name, "lavender"))
        self._lines(formula.pullback, "aliceblue", "" if formula.captures else "gradient of: ", before)
        for param, gradient in zip(formula.inputs, formula.pullback.results, strict=True):
            if isinstance(gradient, Var) and gradient in self._makers:
                box = self._box(f"gradient of {param.var}", "lavender")
                self._read(gradient, box, before)

    def _box(self, text: str, fill: str, title: str = "") -> int:
        self.boxes.append(Box([text], fill, title=title))
        return len(self.boxes) - 1

    def _join(self, start: int, end: int, arrow: Arrow) -> None:
        made = replace(arrow, start=start, end=end)
        if start != end and not any((old.start, old.end) == (start, end) for old in self.arrows):
            self.arrows.append(made)

    def _lines(self, block: Block, fill: str, prefix: str, before: Mapping[Var, int] | None = None) -> None:
        """A box for each source line of a block, with arrows from what it reads."""
        boxes: dict[int, int] = {}
        for eqn in block.eqns:
            if not any(_shown(out) for out in eqn.outs):
                continue
            line = eqn.span.line if eqn.span is not None else self.formula.span.line
            if line not in boxes:
                promoted = before is None and any(out.name in self.hidden for out in eqn.outs)
                text = prefix + _text(self.formula.source, line)
                boxes[line] = self._box(text, "mistyrose" if promoted else fill, f"line {line}")
            elif before is None and any(out.name in self.hidden for out in eqn.outs):
                self.boxes[boxes[line]].fill = "mistyrose"
            for var in eqn.every_read():
                self._read(var, boxes[line], before, eqn)
            self._makers.update((out, boxes[line]) for out in eqn.outs)

    def _read(self, var: Var, end: int, before: Mapping[Var, int] | None, eqn: Eqn | None = None) -> None:
        start = self._makers.get(var)
        if start is None or not _shown(var):
            return
        if before is not None and var in before:
            self._join(start, end, PROMOTED if var.name in self.hidden else CAPTURE)
        elif before is None and eqn is not None and var in self.lost and self.lost.intersection(eqn.outs):
            self._join(start, end, LOST)
        else:
            self._join(start, end, FLOW)


def _shown(var: Var) -> bool:
    return var.kind in ("tensor", "list")


def _text(source: Source, line: int) -> str:
    text = source.line(line).strip()
    return text if len(text) <= WIDEST else text[: WIDEST - 1] + "…"
