"""Fixtures for the whole suite: run a test on each engine, or on each form of a formula."""

from types import ModuleType

import pytest
from typeguard import TypeCheckError, checker_lookup_functions


def module_protocol(origin_type, args, extras):
    """Typeguard's check of a protocol, for values that are modules: it looks members up on the value's type."""
    if not getattr(origin_type, "_is_protocol", False) or origin_type.__module__ != "pullback.engine.dispatch":
        return None

    def check(value, origin, args, memo):
        missing = [name for name in origin.__annotations__ if not hasattr(value, name)]
        if not isinstance(value, ModuleType) or missing:
            raise TypeCheckError(f"is no engine: it lacks {missing}")

    return check


checker_lookup_functions.insert(0, module_protocol)


@pytest.fixture(params=["reference", pytest.param("native", marks=pytest.mark.native)])
def engine(request):
    """The name of the engine that the test runs on; one that is not built is skipped."""
    # Imported here: what a conftest imports at its top comes before typeguard's instrumentation.
    import pullback as pb
    from pullback.engine.dispatch import available

    if request.param not in available():
        pytest.skip(f"the {request.param} engine is not built here")
    with pb.use_engine(request.param):
        yield request.param
