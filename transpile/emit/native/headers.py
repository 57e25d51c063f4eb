"""Which headers a kernel needs besides kernel.h, so that it compiles no more than it calls."""

from __future__ import annotations

import re

_FUNCTIONS = {
    "kernel/indexing/index.h": """
        Index kNone take at slice ellipsis new_axis at_if_any copy fill completed joined joined_part reshape
    """,
    "kernel/matrices/matmul.h": "matmul matmul_shape",
    "kernel/math/elementary.h": """
        abs ceil floor round sqrt trunc copysign square where maximum minimum fmax fmin sign isnan isfinite
        isinf signbit remainder floor_divide
    """,
    "kernel/math/functions.h": """
        arccos arccosh arcsin arcsinh arctan arctanh cbrt cos cosh erf erfc exp exp2 expm1 log log10 log1p
        log2 sin sinh tan tanh arctan2 fmod hypot power logaddexp logaddexp2 sigmoid softplus sinc
        sinc_derivative
    """,
    "kernel/math/special.h": "require_special",
    "kernel/matrices/decompose.h": "eigh qr svd pinv",
    "kernel/matrices/solve.h": "solve solved_shape inv slogdet det cholesky",
    "kernel/matrices/convolve.h": "convolve convolve_shape",
    "kernel/matrices/contract.h": "contract contract_shape contract_gradient",
    "kernel/values/branches.h": "nothing constant absent holds raise",
    "kernel/values/joined.h": """
        stacked stack concatenated concatenate join_like flatten unflatten unstack split
    """,
    "kernel/values/lists.h": """
        List shapes_of broadcast_of appended without_last entries summed_to zeros_of single add_lists
    """,
    "kernel/values/packed.h": "pack unpack packed_size",
    "kernel/indexing/places.h": """
        repeat repeated sum_repeats tile tiled sum_tiles roll triangle eye tri diagonal arange arange_shape
        flatten_axes unflatten_axes
    """,
    "kernel/indexing/pick.h": """
        Picked picked_at pick unpick put last_written along_shape take_along_axis put_along
    """,
    "kernel/indexing/region.h": "take_region spread_region clear_region",
    "kernel/indexing/sort.h": "argsort",
    "kernel/indexing/scan.h": "cumsum cumprod linear_recurrence position_of_extreme truth_of",
}
# Those of them that touch no data.
DESCRIBING = frozenset(["contract_shape", "convolve_shape", "repeated", "tiled", "diagonal", "arange_shape"])
_HEADER_OF = {name: header for header, names in _FUNCTIONS.items() for name in names.split()}


def headers_of(text: str) -> list[str]:
    """The headers that declare what the text calls.

    >>> headers_of("pb::cumsum(context, x_view, 0, r_view);")
    ['kernel/indexing/scan.h']
    """
    called = set(re.findall(r"pb::(\w+)", text))
    return sorted({_HEADER_OF[name] for name in called if name in _HEADER_OF})
