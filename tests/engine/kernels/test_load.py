import pytest

from pullback.engine.core.errors import CompilerError
from pullback.engine.kernels import KernelLibrary, compile_text

pytestmark = pytest.mark.compiler


def library(number):
    return compile_text(
        f"#include <pullback/kernel.h>\nPB_EXPORT uint32_t some_abi(void) {{ return {number}; }}\n"
    )


def test_a_library_of_another_abi_is_refused():
    with pytest.raises(CompilerError, match=r"built for kernel ABI 77, this is \d+; transpile"):
        KernelLibrary(library("77"), "some")


def test_a_library_of_another_formula_is_refused():
    with pytest.raises(CompilerError, match="holds no kernels of other"):
        KernelLibrary(library("PB_KERNEL_ABI"), "other")


def test_a_file_that_is_no_library_is_refused(tmp_path):
    path = tmp_path / "text.so"
    path.write_text("text")
    with pytest.raises(CompilerError, match="holds no kernels of some"):
        KernelLibrary(path, "some")


def test_a_kernel_that_is_not_there_is_named():
    with pytest.raises(CompilerError, match="has no kernel some_forward"):
        KernelLibrary(library("PB_KERNEL_ABI"), "some").functions("some_forward")
