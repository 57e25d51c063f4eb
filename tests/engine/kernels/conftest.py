"""What tests of compiled kernels share."""

import shutil

import pytest


@pytest.fixture
def macros(monkeypatch, tmp_path):
    """What of the kernels was compiled, in order, as on one processor: all of a formula together.

    What they share is taken from the usual cache.
    """
    from pullback.engine.kernels import lazy
    from pullback.engine.kernels.compiler import Compiler
    from pullback.transpile.places import cache_folder

    (tmp_path / "kernels").mkdir()
    for shared in (cache_folder() / "kernels").glob("*.runtime"):
        shutil.copy2(shared, tmp_path / "kernels")
    monkeypatch.setenv("PULLBACK_CACHE", str(tmp_path))
    monkeypatch.setattr(lazy, "processors", lambda: 1)
    seen, compiling = [], Compiler.compiling_kernels

    def noting(self, source, target, what, runtime):
        seen.append(what)
        return compiling(self, source, target, what, runtime)

    monkeypatch.setattr(Compiler, "compiling_kernels", noting)
    return seen
