"""Pictures of boxes and arrows, as SVG."""

from .boxes import Arrow, Box
from .drawing import svg

__all__ = ["Arrow", "Box", "svg"]
