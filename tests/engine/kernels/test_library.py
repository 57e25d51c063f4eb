import sys

import pytest

from pullback.engine.core.registry import FORMULAS
from pullback.engine.formula.formula import LIBRARY_OF_PROCESS
from pullback.engine.kernels import cache
from pullback.engine.kernels.disk_cache import key_of_package
from pullback.engine.kernels.library import LIBRARY


@pytest.fixture(autouse=True)
def only_the_package(tmp_path, monkeypatch):
    """A cache folder of its own, and no formula of another test in the place of one of the package."""
    monkeypatch.setenv("PULLBACK_CACHE", str(tmp_path))
    monkeypatch.setattr(FORMULAS, "overridden", set())


def new_library():
    """One that remembers nothing, as in another process."""
    return type(LIBRARY)()


def test_an_operator_of_the_package_is_promoted_once_for_all_processes(monkeypatch):
    first = new_library().promoted("tanh")
    assert first == LIBRARY_OF_PROCESS.promoted("tanh")
    monkeypatch.setattr(sys.modules["pullback.transpile.library"], "promote", None)
    assert new_library().promoted("tanh") == first


def test_what_a_formula_of_a_user_may_be_part_of_is_promoted_in_each_process(monkeypatch):
    monkeypatch.setattr(FORMULAS, "overridden", {"multiply"})
    assert new_library().promoted("tanh").promoted
    assert cache.found(key_of_package("promoted", "tanh"), ".formula") is None
