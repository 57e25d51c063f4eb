"""Tests of the native engine itself; skipped where it is not built."""

import pytest


@pytest.fixture(autouse=True)
def native():
    import pullback as pb
    from pullback.engine.core.dispatch import available

    if "native" not in available():
        pytest.skip("the native engine is not built here")
    with pb.use_engine("native"):
        yield


@pytest.fixture
def python_forwards(monkeypatch):
    """Names of the operators whose forward ran in Python, in order."""
    from pullback.engine.core.operator import Operator

    seen = []
    forward = Operator._forward.func

    def watched(self):
        function = forward(self)

        def call(*args):
            seen.append(self.name)
            return function(*args)

        return call

    monkeypatch.setattr(Operator, "_forward", property(watched))
    return seen
