"""Fixtures for the whole suite: run a test on each engine, or on each form of a formula."""

import pytest

import pullback as pb
from pullback.engine.dispatch import available


@pytest.fixture(params=["reference", pytest.param("native", marks=pytest.mark.native)])
def engine(request):
    """The name of the engine that the test runs on; one that is not built is skipped."""
    if request.param not in available():
        pytest.skip(f"the {request.param} engine is not built here")
    with pb.use_engine(request.param):
        yield request.param
