"""What tests of compiled kernels share."""

import pytest


@pytest.fixture
def macros(monkeypatch, tmp_path):
    """What of the kernels was compiled, in order."""
    from pullback.engine.kernels.compiler import Compiler

    monkeypatch.setenv("PULLBACK_CACHE", str(tmp_path))
    seen, compile_kernels = [], Compiler.compile_kernels

    def noting(self, source, target, what, runtime):
        seen.append(what)
        compile_kernels(self, source, target, what, runtime)

    monkeypatch.setattr(Compiler, "compile_kernels", noting)
    return seen
