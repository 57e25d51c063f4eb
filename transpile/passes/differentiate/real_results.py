"""Real results among complex values, as such: their cotangents are real too.

In: a formula without a closure. Out: where it has operators that make complex values, the same formula in
which the real result of an operator of complex values is its own real part. So its closure takes the real
part of what arrives there, which other operators of complex values may send: of ``fft(abs(z))`` each entry.

>>> from ...library import formula_in
>>> from ...printer import formula_text
>>> print(formula_text(with_real_results(formula_in('''
... def power(x):
...     return np.abs(np.fft.rfft(x))
... '''))))
formula power(x: Tensor)
  forward:
    _1 = rfft(x)
    _3 = abs(_1)
    _2 = real(_3)
    return result _2
  pullback: to be derived
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ...analysis.complex_values import MAKES_COMPLEX, REAL_PARTS
from ...ir import Eqn, Formula
from ...rewrite import Namer, expand


def with_real_results(formula: Formula) -> Formula:
    """The formula whose real results of complex values are real parts."""
    if not any(eqn.op in MAKES_COMPLEX for eqn in formula.forward.every()):
        return formula
    namer = Namer.of(formula)

    def real(eqn: Eqn) -> Sequence[Eqn]:
        if eqn.op not in REAL_PARTS:
            return (eqn,)
        (out,) = eqn.outs
        made = namer.temp()
        return replace(eqn, outs=(made,)), Eqn((out,), "real", (made,), span=eqn.span)

    return formula.evolve(forward=expand(formula.forward, real))
