"""Names of values and buffers in CUDA: the author's, unless CUDA or a kernel has them for something else."""

from __future__ import annotations

from ...operators.scalar import CUDA

_KERNEL = "I lane lanes together first mine active group groups length threads entry step map fibre"
_CPP = """
    alignas alignof and asm auto bool break case catch char class const constexpr continue default delete do
    double else enum explicit export extern false float for friend goto if inline int long mutable namespace
    new not operator or private protected public register return short signed sizeof static struct switch
    template this throw true try typedef typename union unsigned using virtual void volatile while xor
    fabs log1p log exp floor fmod copysign threadIdx blockIdx blockDim gridDim warpSize
"""
_FUNCTIONS = {template.partition("(")[0] for template in CUDA.values() if template[0].isalpha()}
RESERVED = frozenset(_KERNEL.split()) | frozenset(_CPP.split()) | _FUNCTIONS


class Names:
    """One kernel's names. A value ends in `_` where its name has another meaning, a buffer in `_data`."""

    def value(self, name: str) -> str:
        """The name of a value.

        >>> Names().value("exp"), Names().value("weight"), Names().value("température")
        ('exp_', 'weight', 'temp_u00e9rature')
        """
        plain = "".join(c if c.isascii() else f"_u{ord(c):04x}" for c in name)
        taken = plain in RESERVED or plain.startswith(("pb_", "map_", "fibre_", "__")) or plain.endswith("_")
        return f"{plain}_" if taken else plain

    def buffer(self, name: str) -> str:
        """The name of a buffer's first entry."""
        return f"{self.value(name)}_data"
