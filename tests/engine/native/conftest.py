"""Tests of the native engine itself; skipped where it is not built."""

import pytest


@pytest.fixture(autouse=True)
def native():
    import pullback as pb
    from pullback.engine.dispatch import available

    if "native" not in available():
        pytest.skip("the native engine is not built here")
    with pb.use_engine("native"):
        yield
