"""Generated C++ compiled by the machine's compiler, cached, loaded, and called on arrays."""

from .compile import compile_text
from .compiled import CompiledFormula, compile
from .compiler import Compiler, find_compiler
from .launch import CompiledKernel
from .load import KernelLibrary
from .tensors import NotTaken

__all__ = [
    "CompiledFormula",
    "CompiledKernel",
    "Compiler",
    "KernelLibrary",
    "NotTaken",
    "compile",
    "compile_text",
    "find_compiler",
]
