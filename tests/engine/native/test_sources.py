"""A native module of other sources is refused, and the reference engine runs."""

import os
import subprocess
import sys

import pytest

from pullback.engine.core.dispatch import available
from pullback.engine.core.errors import StaleModuleError
from pullback.engine.native import sources

pytestmark = pytest.mark.skipif("native" not in available(), reason="the native engine is not built here")


def test_the_module_here_was_built_from_the_sources_here():
    from pullback.engine.native import _native

    assert sources.digest() in (None, _native.built_from)


def test_other_sources_are_refused(monkeypatch):
    monkeypatch.setattr(sources, "digest", lambda: "0123456789abcdef")
    with pytest.raises(
        StaleModuleError, match=r"_native.so was built from other C\+\+ sources.*build it again"
    ):
        sources.check("_native.so", "fedcba9876543210")
    with pytest.raises(StaleModuleError):
        sources.check("_native.so", None)
    monkeypatch.setattr(sources, "digest", lambda: None)
    sources.check("_native.so", None)


@pytest.mark.skipif(sources.digest() is None, reason="an installed module lies beside no sources")
def test_a_program_goes_on_with_the_reference_engine_and_says_so():
    program = """
import sys, types
old = types.ModuleType("_native")  # which did not know its sources
old.__file__ = "_native.so"
sys.modules["pullback.engine.native._native"] = old
import pullback as pb
x = pb.tensor([3.0], requires_grad=True)
(x * x).sum().backward()
print(x.grad, type(x).__module__)
try:
    pb.use_engine("native")
except pb.errors.EngineUnavailableError as error:
    print(error)
"""
    unasked = {name: value for name, value in os.environ.items() if name != "PULLBACK_ENGINE"}
    done = subprocess.run(
        [sys.executable, "-c", program], env=unasked, capture_output=True, text=True, check=True
    )
    assert "6." in done.stdout
    assert "reference" in done.stdout
    assert "was built from other C++ sources" in done.stdout
    assert "RuntimeWarning" in done.stderr
    assert "the reference engine runs meanwhile" in done.stderr
