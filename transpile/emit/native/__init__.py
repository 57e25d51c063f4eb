"""C++ from IR: kernels with a plain C interface, in text that a person would sign."""

from .kernel import Input, Kernel
from .operators import PRIMITIVES
from .render import ABI, emit_cpp

__all__ = ["ABI", "PRIMITIVES", "Input", "Kernel", "emit_cpp"]
