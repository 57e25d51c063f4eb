"""Printed CUDA: what is lowered compiles for two architectures."""

import pytest

from pullback.transpile.emit.cuda import cuda_text

from . import nvrtc
from .gpu_check import formulas, staged

QUICK = ("exp", "multiply", "sum", "softmax", "simple", "gelu_tanh", "layer_norm")

KERNELS = {
    (formula.name, dtype): stages
    for formula, library in formulas()
    if formula.name in QUICK
    for dtype in ("float32", "float64")
    if (stages := staged(formula, library, dtype))
}
needs_nvrtc = pytest.mark.skipif(nvrtc.library_path() is None, reason="nvidia-cuda-nvrtc is for Linux")


def test_pointwise_work_reductions_and_the_examples_are_lowered():
    assert {name for name, _ in KERNELS} == set(QUICK)


@needs_nvrtc
@pytest.mark.parametrize("architecture", ["sm_80", "sm_90"])
@pytest.mark.parametrize("name", QUICK)
def test_kernels_compile(name, architecture):
    for dtype in ("float32", "float64"):
        text = cuda_text([stage.program for stage in KERNELS[name, dtype]])
        assert nvrtc.compile_cuda(text, architecture)


@needs_nvrtc
@pytest.mark.slow
@pytest.mark.parametrize("architecture", ["sm_80", "sm_90"])
def test_kernels_of_every_formula_compile(architecture):
    compiled = 0
    for formula, library in formulas():
        if stages := staged(formula, library, "float32"):
            assert nvrtc.compile_cuda(cuda_text([stage.program for stage in stages]), architecture)
            compiled += 1
    assert compiled >= 60


@needs_nvrtc
def test_what_does_not_compile_says_why():
    with pytest.raises(nvrtc.CompileError, match="undefined_name"):
        nvrtc.compile_cuda("__global__ void f() { undefined_name(); }", "sm_80")
