"""Functions whose results are constant between jumps, or have no gradients, and why: one table.

Tensors that require grad run them, and their results don't; in a formula they are called as they are, and
what they are computed from gets no gradient.
"""

from __future__ import annotations

# The reason of what is asked about arrays, which is answered for tensors as for arrays.
QUESTION = "answers a question about shapes, dtypes or values"


def because(reason: str, names: str, module: str = "numpy") -> dict[str, str]:
    """A reason for each of the names, which stand one after the other."""
    return {f"{module}.{name}": reason for name in names.split()}


CONSTANT: dict[str, str] = {
    **because(
        "of kernels: sizes and numbers that a forward saves, as a row",
        "packed unpacked",
        "pullback.primitives",
    ),
    **because(
        "constant between its jumps",
        "floor ceil trunc fix round around sign floor_divide spacing",
    ),
    **because("constant between its jumps", "round gammasgn", "scipy.special"),
    **because(
        "the result is bool",
        """less less_equal greater greater_equal equal not_equal logical_and logical_or logical_not
        logical_xor all any isnan isinf isfinite signbit
        isneginf isposinf isclose isreal iscomplex isin isnat""",
    ),
    **because(
        "of whole numbers and bools only",
        """bitwise_and bitwise_or bitwise_xor invert left_shift right_shift bitwise_count gcd lcm packbits
        unpackbits""",
    ),
    **because(
        "the result is made of indexes or counts",
        """argmax argmin argsort argpartition argwhere nanargmax nanargmin nonzero flatnonzero count_nonzero
        searchsorted digitize lexsort ravel_multi_index
        unravel_index ix_ tril_indices_from triu_indices_from diag_indices_from linalg.matrix_rank""",
    ),
    **because("takes shape and dtype of its operand only", "zeros_like ones_like full_like empty_like"),
    **because(
        "made of numbers, without an operand that a gradient could reach",
        "zeros ones full arange eye tri indices diag_indices tril_indices triu_indices",
    ),
    **because(
        QUESTION,
        """shape ndim size result_type can_cast iscomplexobj isrealobj common_type min_scalar_type array_equal
        array_equiv allclose may_share_memory shares_memory array_repr array_str array2string einsum_path""",
    ),
    "pullback.stop_gradient": "it is what it is for",
    "pullback.primitives.last_written": "the result is bool",
    "pullback.primitives.argcummax": "the result is made of indexes or counts",
    "pullback.primitives.argcummin": "the result is made of indexes or counts",
}
