"""The names that an array library has for the operators of the IR.

A function of the same operands and values needs no line here: it is called by its name in the table of
operators, with attributes under the library's names. Where the library's function takes other arguments,
a template says how it is called; where its values differ, a helper of the operator's name is called in
its place.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ...ir import Formula
from ...operators import OperatorInfo
from .helpers import Helpers


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """An array library's names.

    library     what messages call it: "PyTorch"
    module      the module of dtypes and constants: "torch", "jnp"
    helpers     functions that the library has no equal of
    function    its function of an operator's operands and values, "" where there is none
    attributes  its names of attributes: ``{"axis": "dim"}``
    templates   expressions by operator, in the names of its operands and attributes; an argument by
                keyword whose attribute is not given is left out. `device` is where arrays made of
                numbers are put
    constant    the same, for calls whose axes are given as numbers; those in `one_axis` take one
    calls       functions by the full name of one that is no operator: "numpy.linalg.qr"
    formulas    operators that are called as formulas, because the library does not differentiate its own
    dtypes      the names of dtypes that are other ones than NumPy's: ``{"bool_": "bool"}``
    """

    library: str
    module: str
    helpers: Helpers
    function: Callable[[OperatorInfo], str]
    attributes: Mapping[str, str]
    templates: Mapping[str, str]
    constant: Mapping[str, str]
    one_axis: frozenset[str]
    calls: Mapping[str, str]
    formulas: frozenset[str]
    dtypes: Mapping[str, str]


def is_complex(formula: Formula) -> bool:
    """True for a formula that makes complex values of real ones."""
    return any(eqn.op in ("fft", "ifft", "rfft", "imaginary") for eqn in formula.every())
