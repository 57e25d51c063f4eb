"""Functions of the runtime that kernels call: the header that declares each, and which only describe.

What describes works out numbers, shapes and views, and touches no data: it holds before passes have run.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..operators import OPERATORS
from .expressions import Ask, Call, Constant, DataType, Expression, ListOf, New, every
from .statements import (
    KernelProgram,
    Launch,
    Let,
    NewList,
    Require,
    Statement,
    Variable,
    every_expression,
    without_elements,
)
from .statements import every as every_statement

_HEADERS = {
    "kernel.h": """
        axis_set all_axes unit_axes reduced broadcast join shape_of expand_dims squeeze transpose swapaxes
        moveaxis flip broadcast_to part length_of_range extent in_c_order
        part_shape within alike
    """,
    "kernel/indexing/index.h": """
        Index kNone take at slice ellipsis new_axis at_if_any copy fill completed joined joined_part reshape
        part_of after_each_other
    """,
    "kernel/matrices/matmul.h": "matmul matmul_shape",
    "kernel/math/elementary.h": """
        abs ceil floor round sqrt trunc copysign square where where_stored maximum minimum fmax fmin sign
        isnan isfinite isinf signbit
    """,
    "kernel/math/rests.h": "remainder floor_divide fmod",
    "kernel/math/functions.h": """
        arccos arccosh arcsin arcsinh arctan arctanh cbrt cos cosh erf erfc exp exp2 expm1 log log10 log1p
        log2 sin sinh tan tanh arctan2 hypot power sigmoid softplus sinc
        sinc_derivative
    """,
    "kernel/math/logaddexp.h": "logaddexp logaddexp2",
    "kernel/math/series.h": "sinc_slope",
    "kernel/math/special.h": "require_special trigamma bessel_i2",
    "kernel/math/families.h": """
        gamma_density beta_density elliptic_b elliptic_d sine_integral cosine_integral sinh_integral
        cosh_integral fresnel_s fresnel_c airy_ai airy_ai_slope airy_bi airy_bi_slope
        jacobi_sn jacobi_cn jacobi_dn jacobi_ph
    """,
    "kernel/matrices/decompose.h": "eigh eigh_upper qr svd pinv",
    "kernel/matrices/solve.h": "solve solved_shape inv slogdet det cholesky",
    "kernel/matrices/convolve.h": "convolve convolve_shape",
    "kernel/matrices/contract.h": "contract contract_shape contract_gradient",
    "kernel/values/branches.h": "nothing constant absent entry set_entry holds raise may_end_early",
    "kernel/values/joined.h": """
        stacked stack concatenated concatenate join_like flatten unflatten unstack split
    """,
    "kernel/values/lists.h": """
        List shapes_of broadcast_of appended without_last entries summed_to zeros_of single add_lists
        views_of in_a_row
    """,
    "kernel/values/numbers.h": """
        quotient whole_quotient whole_remainder integer_sum integer_difference integer_product integer_power
        integer_of float_power
        math_sqrt math_exp math_log math_sin math_cos math_tan math_asin math_acos
        math_atan math_sinh math_cosh math_tanh math_log1p math_expm1 math_log2 math_log10
        math_asinh math_acosh math_atanh math_cbrt math_exp2 math_atan2 math_hypot
    """,
    "kernel/values/counting.h": """
        math_gamma math_lgamma math_factorial math_comb math_perm math_gcd math_lcm math_isqrt
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
    "kernel/indexing/search.h": "searchsorted",
    "kernel/indexing/scan.h": """
        cumsum cumprod argcummax argcummin linear_recurrence position_of_extreme truth_of
    """,
}
_LAUNCHES = "kernel/launch.h"
_HEADER_OF = {name: header for header, names in _HEADERS.items() for name in names.split()}
# Saved values and zeros are there from the start: nothing of the kernel computes what they are made of.
_DESCRIBING = """
    axis_set all_axes unit_axes reduced broadcast join completed shape_of expand_dims squeeze transpose
    swapaxes moveaxis flip broadcast_to part take at slice ellipsis new_axis joined joined_part matmul_shape
    floor_divide remainder abs maximum minimum length_of_range extent part_of after_each_other
    contract_shape convolve_shape repeated tiled diagonal arange_shape unpack zeros_of nothing constant
    may_end_early
"""
_OF_NUMBERS = f"{_HEADERS['kernel/values/numbers.h']} {_HEADERS['kernel/values/counting.h']}"
_DESCRIBES = frozenset(f"{_DESCRIBING} {_OF_NUMBERS}".split())
_OF_SCIPY = frozenset(
    operator.scalar.cpp for operator in OPERATORS.values() if operator.scalar and operator.scalar.special
)
_OUTPUTS = frozenset({"output", "readable_output"})


def is_function(name: str) -> bool:
    """True where the runtime has a function of this name.

    >>> is_function("broadcast"), is_function("gamma"), is_function("broadcasts")
    (True, True, False)
    """
    return name in _HEADER_OF or name in _OF_SCIPY


def describes(expression: Expression) -> bool:
    """True where an expression touches no data.

    >>> from .expressions import run
    >>> describes(run("broadcast", "x", "y")), describes(run("holds", "x_view"))
    (True, False)
    """
    return all(not isinstance(part, Call) or part.function in _DESCRIBES for part in every(expression))


def only_describes(statement: Statement) -> bool:
    """True where a statement only works out numbers, shapes and views."""
    return isinstance(statement, NewList) or (isinstance(statement, Let) and describes(statement.value))


def may_come_before(statement: Statement) -> bool:
    """True where a statement holds before the passes of lower levels have run: also what asks for a shape."""
    return only_describes(statement) or isinstance(statement, Require)


def is_output(expression: Expression) -> bool:
    """True where it claims an output, which a kernel must do even where it does not name it again."""
    return isinstance(expression, Ask) and expression.method in _OUTPUTS


def is_special(kernel: KernelProgram) -> bool:
    """True where the kernel needs functions of SciPy's."""
    parts = every_expression((*kernel.body, *(kernel.likely or ())))
    return any(isinstance(part, Call) and part.function == "require_special" for part in parts)


def headers_of(kernels: Sequence[KernelProgram]) -> list[str]:
    """The headers that kernels need besides kernel.h, so that they compile no more than they call."""
    found = {_HEADER_OF[name] for kernel in kernels for name in _names(kernel) if name in _HEADER_OF}
    launches = any(isinstance(each, Launch) for kernel in kernels for each in every_statement(kernel.body))
    return sorted((found | ({_LAUNCHES} if launches else set())) - {"kernel.h"})


def _names(kernel: KernelProgram) -> Iterator[str]:
    """The runtime's functions, types and constants that a kernel names, on the host."""
    flat = () if kernel.flat is None else kernel.flat.body
    statements = (*without_elements(kernel.body), *(kernel.likely or ()), *flat)
    for statement in every_statement(statements):
        if isinstance(statement, Let | Variable | NewList):
            yield from _types(statement.type)
    for part in every_expression(statements):
        if isinstance(part, Call):
            yield part.function
        if isinstance(part, Call | Ask):
            yield from _types(part.of)
        if isinstance(part, New):
            yield from _types(part.type)
        if isinstance(part, Constant):
            yield from part.name.split("::")


def _types(kind: DataType | None) -> Iterator[str]:
    """The runtime's types in a type."""
    if isinstance(kind, ListOf):
        yield "List"
        yield from _types(kind.element)
    elif isinstance(kind, str):
        yield kind
