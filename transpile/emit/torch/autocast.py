"""The rule of a formula for its operands under `torch.autocast`.

In: a formula. Out: "lowered" where it computes products of matrices, which PyTorch computes in autocast's
dtype; "raised" where it decomposes matrices, which PyTorch does in float32 at least; else "".
"""

from __future__ import annotations

from ...ir import Formula

_PRODUCTS = {"matmul", "contract", "convolve", "einsum", "tensordot", "dot", "vdot", "inner", "kron"}
_PRODUCTS |= {"matvec", "vecmat", "vecdot", "multi_dot"}
_DECOMPOSING = {"solve", "inv", "cholesky", "det", "slogdet", "eigh", "eigvalsh", "qr", "svd", "svdvals"}
_DECOMPOSING |= {"lstsq", "pinv", "solve_triangular"}


def autocast_rule(formula: Formula) -> str:
    """The name of what autocast does with the operands.

    >>> from ...library import formula_in
    >>> autocast_rule(formula_in('''
    ... def energy(x, w):
    ...     return (x @ w).sum()
    ... '''))
    'lowered'
    """
    used = {eqn.op for eqn in formula.forward.every()}
    used |= {name.removeprefix("linalg.").removeprefix("linalg_") for name in used}
    if used & _DECOMPOSING:
        return "raised"
    return "lowered" if used & _PRODUCTS else ""
