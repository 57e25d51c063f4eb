"""Closures that are right for complex values too.

A closure is the transpose of a derivative: linear in its gradient, without a
conjugate, whether numbers are real or complex. So the closure of a function
with a complex derivative, as `np.exp`, is right for complex values as it
stands, and so is what is derived of such functions. The engine takes conjugates
of what goes in and comes out of it (`Operator`), as the convention of PyTorch
wants. A function without one, as `np.abs`, says what it does with complex
values, or is refused on them.
"""

from __future__ import annotations

from ..derivatives import Derivatives
from ..ir import Formula

# Constant between its jumps, of real values alone.
_CONSTANT_OF_REALS = frozenset({"sign"})
# Of a complex operand their result is real, and so must be what arrives there. The engine sees to it between
# operators, and `passes.differentiate.real_results` inside of a closure that is derived where those of the
# first row stand beside what makes complex values.
REAL_PARTS = frozenset({"abs", "norm", "var", "std", "irfft"})
_TO_REAL = frozenset({"eigh", "eigh_upper", "svd", "slogdet_of_complex"})
MAKES_COMPLEX = frozenset({"fft", "ifft", "rfft", "imaginary", "eig", "eigvals"})


def takes_complex(formula: Formula, library: Derivatives) -> bool:
    """True for a formula whose author says so, and one that is derived of such operators.

    >>> from ..library import formula_in, standard_library
    >>> library = standard_library()
    >>> takes_complex(formula_in('''
    ... def growth(x):
    ...     return np.exp(x) * x
    ... '''), library)
    True
    >>> takes_complex(formula_in('''
    ... def largest(x):
    ...     return np.max(np.exp(x))
    ... '''), library)
    False
    """
    if formula.pullback is not None:
        return formula.options.complex
    called = {eqn.op for eqn in formula.forward.every()}
    if called & (_CONSTANT_OF_REALS | _TO_REAL) or (called & REAL_PARTS and not called & MAKES_COMPLEX):
        return False
    stated = (library.formula(op) for op in sorted(called))
    return all(takes_complex(one, library) for one in stated if one is not None)


def stays_complex(formula: Formula) -> bool:
    """True where a formula of complex values is one after promotion: nothing is swept to a real result."""
    if not formula.options.complex or not formula.hidden:
        return formula.options.complex
    swept = tuple(formula.forward.every())
    parted = {eqn.args[0] for eqn in swept if eqn.op == "real"}
    return not any(
        eqn.op in _TO_REAL or (eqn.op in REAL_PARTS and eqn.outs[0] not in parted) for eqn in swept
    )
