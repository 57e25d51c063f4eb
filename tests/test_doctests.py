"""Every example in a docstring runs, and prints what it says."""

import doctest
import importlib
import pkgutil
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

import pullback
from pullback.engine.core.dispatch import available


def _modules():
    """What has examples in its text, and the modules whose docstrings are made when they are imported."""
    yield from ("pullback", "pullback.numpy", "pullback.primitives", "pullback.special")
    of_torch = ("torch",) if find_spec("torch") is not None else ()
    for name in ("transpile", "engine", "tools", "nn", "implicit", "random", *of_torch):
        package = importlib.import_module(f"pullback.{name}")
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            loaded = module.name.replace(".", "_").isidentifier()  # not a library of kernels beside _native
            if loaded and not module.name.endswith(("_native", "__main__")) and _has_examples(module):
                yield module.name


def _has_examples(module):
    path = Path(module.module_finder.path, module.name.rpartition(".")[2])
    path = path / "__init__.py" if module.ispkg else path.with_suffix(".py")
    return ">>>" in path.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", sorted(_modules()))
def test_examples_of_a_module(name, monkeypatch):
    # Before each docstring, doctest asks of every file that a traceback has shown whether it has changed.
    monkeypatch.setattr("linecache.checkcache", lambda filename=None: None)
    if ".engine.native" in name and "native" not in available():
        pytest.skip("the native engine is not built here")
    module = importlib.import_module(name)
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    with np.printoptions(precision=8):
        failed, _ = doctest.testmod(module, optionflags=flags, extraglobs={"np": np, "pb": pullback})
    assert failed == 0
