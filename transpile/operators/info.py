"""An entry of the table of operators: all that the compiler knows of one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal as OneOf

from .call import Rule

Dtype = OneOf["same", "float", "bool", "int", "attr"]
Kind = OneOf["pointwise", "view", "reduction", "scan", "product", "other"]
Entries = OneOf["any", "numbers", "floats", "bools", "powers"]
Double = OneOf["", "numbers", "degree", "always"]


@dataclass(frozen=True, slots=True)
class Scalar:
    """An operator of one entry as an expression of C++ and of CUDA C++.

    cpp      a symbol (``+``), a function of `namespace pb` in the kernels' headers, or a template of
             the operands in braces, which lowering refines
    cuda     of a function, the one of CUDA's own that computes it, or ``pb::name`` where `emit.cuda.runtime`
             has one; None where CUDA has none
    takes    what the operands are converted to: the result's type, a "float" of it, what they
             "promote" to, or a "truth"
    of       the entries that it is for, whatever NumPy takes
    special  SciPy computes it: `kernel/math/special.h`
    double   SciPy computes float32 in float64 beside Python's "numbers", for a whole "degree", or "always",
             where it takes whole degrees only
    kinds    of an operator with a `kind`, the function of each
    """

    cpp: str
    cuda: str | None = None
    takes: OneOf["result", "float", "promote", "truth"] = "result"
    of: Entries = "any"
    special: bool = False
    double: Double = ""
    kinds: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class OperatorInfo:
    """One operator. Its derivative is not here: it is a formula in `formulas/`.

    name        the operator in the IR
    python      the canonical function ("numpy.exp"); `spelling` lists others that mean the same, and
                `methods` a tensor's
    operands    the tensor parameters in order; `attrs` the attributes in NumPy's positional order
    kind        "pointwise": the result's shape is the broadcast of the operands' shapes; "view": the
                result may share memory with the first operand; "reduction" over axes; "scan" along one
    derivative  "formula": has one in formulas/; "zero": known to be zero, or the result is not
                differentiable
    dtype       of the result: "same" as NumPy promotes the operands, "float" the same but integers
                become float64, "bool", "int", or "attr"
    linear      operands in which the operator is linear when the others are held fixed: a zero there
                gives a zero. `jointly` linear operators (add, concatenate) are zero only when all are.
    infix       Python's operator, where it has one
    variadic    the first operand is a list of tensors
    gives_list  the result is one
    type        the rule of the result's type; where there is none, nothing is known of it
    cost        of computing an entry again, in the bytes that a core moves in that time
    scalar      its expression in C++ and CUDA C++, where it works entry by entry
    torch       PyTorch's function of the same operands and values
    """

    name: str
    python: str
    operands: tuple[str, ...]
    attrs: tuple[str, ...] = ()
    kind: Kind = "other"
    derivative: OneOf["formula", "zero"] = "formula"
    dtype: Dtype = "same"
    linear: tuple[int, ...] = ()
    jointly: bool = False
    infix: str = ""
    variadic: bool = False
    gives_list: bool = False
    spelling: tuple[str, ...] = ()
    methods: tuple[str, ...] = ()
    type: Rule | None = None
    cost: float | None = None
    scalar: Scalar | None = None
    torch: str = ""

    @property
    def pointwise(self) -> bool:
        """Works entry by entry, with broadcasting."""
        return self.kind == "pointwise"

    @property
    def view(self) -> bool:
        """The result may share memory with the first operand."""
        return self.kind == "view"

    @property
    def aten(self) -> str:
        """The operator of ATen that `torch` calls, without its namespace.

        >>> OperatorInfo("inv", "numpy.linalg.inv", ("a",), torch="torch.linalg.inv").aten
        'linalg_inv'
        """
        return self.torch.removeprefix("torch.").replace("nn.functional.", "").replace(".", "_")
