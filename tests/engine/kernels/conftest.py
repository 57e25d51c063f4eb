"""What tests of compiled kernels share."""

import shutil

import pytest


@pytest.fixture
def macros(monkeypatch, tmp_path):
    """What of the kernels was compiled, in order; what they share is taken from the usual cache."""
    from pullback.engine.kernels.compiler import Compiler
    from pullback.transpile.places import cache_folder

    (tmp_path / "kernels").mkdir()
    for shared in (cache_folder() / "kernels").glob("*.runtime"):
        shutil.copy2(shared, tmp_path / "kernels")
    monkeypatch.setenv("PULLBACK_CACHE", str(tmp_path))
    seen, compile_kernels = [], Compiler.compile_kernels

    def noting(self, source, target, what, runtime):
        seen.append(what)
        compile_kernels(self, source, target, what, runtime)

    monkeypatch.setattr(Compiler, "compile_kernels", noting)
    return seen
