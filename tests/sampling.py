"""Long lists of cases, of which `make test` runs a sample and `make test-all` all."""

import pytest


def sampled(cases, one_in, name=str):
    """Parameters of which the first of each `one_in` stands in `make test`; the others are slow tests."""
    return [
        pytest.param(case, id=name(case), marks=[pytest.mark.slow] if number % one_in else [])
        for number, case in enumerate(cases)
    ]


def selected(request, argument):
    """The values of an argument in the tests of a fixture's module that run."""
    own = (item for item in request.session.items if getattr(item, "module", None) is request.module)
    calls = (item.callspec.params for item in own if hasattr(item, "callspec"))
    return {call[argument] for call in calls if argument in call}
