"""The examples in docstrings run, and print what they say."""

import doctest
import importlib
import pkgutil

import pytest

import pullback.engine

MODULES = [f"pullback.engine.{module.name}" for module in pkgutil.iter_modules(pullback.engine.__path__)]


@pytest.mark.parametrize("name", ["pullback", "pullback.numpy", *MODULES])
def test_examples(name):
    if name == "pullback.engine.native":
        pytest.importorskip(name)
    assert doctest.testmod(importlib.import_module(name)).failed == 0
