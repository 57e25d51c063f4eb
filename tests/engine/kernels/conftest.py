"""What tests of compiled kernels share."""

import pytest


@pytest.fixture(scope="module", autouse=True)
def compiler(optimizing_compiler):
    """What the optimizer makes of kernels is tested here."""


@pytest.fixture
def macros(monkeypatch, own_cache):
    """What of the kernels was compiled, in order, as on one processor: all of a formula together."""
    from pullback.engine.kernels import lazy
    from pullback.engine.kernels.compiler import Compiler

    monkeypatch.setattr(lazy, "processors", lambda: 1)
    seen, compiling = [], Compiler.compiling_kernels

    def noting(self, source, target, what, runtime):
        seen.append(what)
        return compiling(self, source, target, what, runtime)

    monkeypatch.setattr(Compiler, "compiling_kernels", noting)
    return seen
