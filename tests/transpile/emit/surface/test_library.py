"""Which operators the engine without Python has, and what is registered of them."""

from __future__ import annotations

from pullback.transpile.emit.native.formula_kernels import formula_kernels
from pullback.transpile.emit.surface.kernels import KernelCalls, kernel_calls
from pullback.transpile.emit.surface.library import sources, surface_library
from pullback.transpile.library import standard_library


def test_an_operator_needs_all_that_its_derivative_calls():
    everything = surface_library(standard_library(), {"cos": KernelCalls("T")})
    assert everything.missing["cos"] == "a call of multiply, negative, sin"
    assert everything.missing["sin"] == "a call of numpy.sin"
    assert "reshape" in {entry.formula.name for entry in everything.entries}


def test_a_registration():
    calls = {"multiply": "TT", "subtract": "TT", "negative": "T"}
    kernels = {name: KernelCalls(inputs) for name, inputs in calls.items()}
    kernels["tanh"] = KernelCalls("T", "o0g0", "0")
    some = surface_library(standard_library(), kernels)
    text = sources(some)["exponential.cpp"]
    assert (
        """    library.add({.name = "tanh",
                 .inputs = 1,
                 .makes_floats = true,
                 .kernel = "T",
                 .backward = tanh_backward,
                 .backward_kernel = "o0g0",
                 .gradients = "0",
                 .reads_outputs = 1});"""
        in text
    )
    assert 'library.add_missing("erf", "a call of scipy.special.erf");' in sources(some)["library.cpp"]


def test_what_kernels_are_called_with():
    library = standard_library()

    def calls(name: str) -> KernelCalls:
        formula = library.promoted(name)
        return kernel_calls(formula, formula_kernels(formula, library, {}, 1))

    assert calls("tanh") == KernelCalls("T", "o0g0", "0")
    assert calls("multiply") == KernelCalls("TT", "i0i1g0", "01")
    assert calls("where") == KernelCalls("bTT", "i0l1l2g0", "12")
    assert calls("matmul") == KernelCalls("TT")
