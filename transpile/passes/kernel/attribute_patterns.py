"""For which attributes operators of one array have kernels before anyone calls them.

A kernel is for certain attributes. These are the usual ones: over all axes, the
last, the first or the one before the last, of reductions with the axis kept or
not, and over two axes of some; whatever else is as by default.
"""

from __future__ import annotations

from typing import NamedTuple

from ...ir import Formula

REDUCTIONS = ("sum", "mean", "max", "min", "var", "std", "logsumexp", "softmax", "log_softmax")
# Reductions whose axis is rarely kept, and what goes along an axis.
ALONG = ("prod", "norm", "cumsum", "cumprod", "sort")
# As by default, and without the diagonal.
TRIANGLES = {"tril": -1, "triu": 1}
# Orders of norms of vectors, beside that by default, which is 2.
ORDERS = (1, 3)
_AXES = {"all": None, "last": -1, "first": 0, "middle": -2}
# Reductions over pairs of axes too: the last two, and the first with the last.
PAIRED = ("sum", "mean", "max", "min")
_PAIRS = {"pair": (-2, -1), "ends": (0, -1)}


class AttributePattern(NamedTuple):
    """The values of a formula's attributes, and what its kernels for them are named after."""

    name: str
    attributes: dict[str, object]


def attribute_patterns(formula: Formula) -> list[AttributePattern]:
    """Those of a formula; none of one that is not among these.

    >>> from pullback.transpile.library import standard_library
    >>> for pattern in attribute_patterns(standard_library().promoted("sum"))[:3]:
    ...     print(*pattern)
    sum_all {'axis': None, 'keepdims': False}
    sum_last {'axis': -1, 'keepdims': False}
    sum_last_kept {'axis': -1, 'keepdims': True}
    """
    known = {param.var.name: param.default.value for param in formula.attributes if param.default is not None}
    if len(known) < len(formula.attributes):
        return []
    if formula.name == "trace":
        return [AttributePattern("trace_by_default", known)]
    if formula.name in TRIANGLES:
        strict = known | {"k": TRIANGLES[formula.name]}
        return [
            AttributePattern(f"{formula.name}_by_default", known),
            AttributePattern(f"{formula.name}_strict", strict),
        ]
    if formula.name not in REDUCTIONS + ALONG or "axis" not in known:
        return []
    found = []
    for name, axis in (_AXES | (_PAIRS if formula.name in PAIRED else {})).items():
        if axis is None and formula.name == "sort":
            continue  # of all elements in one line: compiled with its axis alone
        found.append(AttributePattern(f"{formula.name}_{name}", known | {"axis": axis}))
        if axis is not None and "keepdims" in known and formula.name in REDUCTIONS:
            kept = known | {"axis": axis, "keepdims": True}
            found.append(AttributePattern(f"{formula.name}_{name}_kept", kept))
    if formula.name == "norm":
        for order in ORDERS:
            found.append(AttributePattern(f"norm_last_{order}", known | {"axis": -1, "ord": order}))
    return found
