"""The facts as one HTML page: the table, the drawing, and the source with the path that would be lost."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from jinja2 import Environment, StrictUndefined
from pygments.formatters import HtmlFormatter

from pullback.transpile.version import __version__

from ..highlight import highlighted
from .drawing import picture
from .facts import Facts
from .text import lines_of, lost_lines

TEMPLATE = Path(__file__).with_name("page.html.jinja")


@dataclass(frozen=True)
class Line:
    """A line of source."""

    number: int
    html: str
    lost: bool


def as_html(facts: Facts, layout: str = "auto") -> str:
    """The page; it has all it needs in itself. `layout` is for its drawing."""
    formula = facts.formula
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    lost = lost_lines(facts)
    source = highlighted(formula.source.text)
    first = formula.source.first_line
    return environment.from_string(TEMPLATE.read_text(encoding="utf-8")).render(
        formula=formula,
        decisions=facts.decisions,
        drawing=picture(facts, layout),
        any_lost=bool(lost),
        lines=[Line(number, source[number - first], number in lost) for number in lines_of(formula)],
        version=__version__,
        light=HtmlFormatter(style="default").get_style_defs(".source"),
        dark=HtmlFormatter(style="monokai").get_style_defs(".source"),
    )
