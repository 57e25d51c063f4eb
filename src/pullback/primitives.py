"""The operators that derived and emitted closures call beside NumPy's.

The transformation writes them: `sum_to` undoes broadcasting, `accumulate` adds gradients that meet, `unslice`
is the adjoint of indexing, and so on. A closure that is written by hand may call them too::

    from pullback import primitives

    return primitives.sum_to(grad * b, primitives.like(a))

Each works on arrays and on tensors, where it is recorded, and has a formula of its own in
`pullback.formulas`.

>>> import numpy as np
>>> sum_to(np.ones((2, 3)), like(np.zeros(3)))
array([2., 2., 2.])
"""

from __future__ import annotations

from .engine.primitives.adjoints import order_of_norm, put_along, sum_repeats, sum_tiles, undiagonal
from .engine.primitives.complex_parts import imaginary
from .engine.primitives.contraction import contract, contract_gradients, matmul_gradients
from .engine.primitives.families import (
    airy_function,
    bessel_i,
    bessel_j,
    beta_density,
    elliptic_integral,
    gamma_density,
    hurwitz_zeta,
    integral,
    jacobi_elliptic,
    polygamma,
    sinc_derivative,
    spherical_bessel,
)
from .engine.primitives.plumbing import (
    Like,
    accumulate,
    broadcast_like,
    expect_like,
    gradient_like,
    in_place,
    index_put,
    last_written,
    like,
    refuse_gradient,
    sum_to,
    unslice,
)
from .engine.primitives.regions import (
    Region,
    clear_region,
    listed_region,
    put_region,
    region_at,
    region_of,
    spread_region,
    take_region,
)
from .engine.primitives.running import argcummax, argcummin, cummax, cummin
from .engine.primitives.saved_rows import packed, unpacked
from .engine.primitives.sequences import (
    appended,
    collect,
    collect_flat,
    flatten_axes,
    join_like,
    linear_recurrence,
    split_like,
    stacked,
    unflatten_axes,
    unitem,
    unstack_like,
    without_last,
    zeros_list,
)
from .transpile.attributes import dot_subscripts, tensordot_subscripts

__all__ = [
    "Like",
    "Region",
    "accumulate",
    "airy_function",
    "appended",
    "argcummax",
    "argcummin",
    "bessel_i",
    "bessel_j",
    "beta_density",
    "broadcast_like",
    "clear_region",
    "collect",
    "collect_flat",
    "contract",
    "contract_gradients",
    "cummax",
    "cummin",
    "dot_subscripts",
    "elliptic_integral",
    "expect_like",
    "flatten_axes",
    "gamma_density",
    "gradient_like",
    "hurwitz_zeta",
    "imaginary",
    "in_place",
    "index_put",
    "integral",
    "jacobi_elliptic",
    "join_like",
    "last_written",
    "like",
    "linear_recurrence",
    "listed_region",
    "matmul_gradients",
    "order_of_norm",
    "packed",
    "polygamma",
    "put_along",
    "put_region",
    "refuse_gradient",
    "region_at",
    "region_of",
    "sinc_derivative",
    "spherical_bessel",
    "split_like",
    "spread_region",
    "stacked",
    "sum_repeats",
    "sum_tiles",
    "sum_to",
    "take_region",
    "tensordot_subscripts",
    "undiagonal",
    "unflatten_axes",
    "unitem",
    "unpacked",
    "unslice",
    "unstack_like",
    "without_last",
    "zeros_list",
]
