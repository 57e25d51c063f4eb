"""Tests of the reference engine itself."""

import pytest


@pytest.fixture(autouse=True)
def reference():
    import pullback as pb

    with pb.use_engine("reference"):
        yield
