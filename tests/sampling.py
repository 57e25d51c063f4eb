"""Long lists of cases, of which `make test` runs a sample and `make test-all` all."""

from itertools import count

import pytest


def _name(case):
    return getattr(case, "__name__", None) or str(case)


def sampled(cases, one_in, name=_name, is_costly=lambda case: False, spread=False):
    """Parameters of which `make test` has the first of each `one_in` that are not costly, in order.

    Those that are `spread` are tuples of several arguments, which pytest names.
    """
    number = count()
    return [
        pytest.param(
            *(case if spread else (case,)),
            id=None if spread else name(case),
            marks=[pytest.mark.slow] if is_costly(case) or next(number) % one_in else [],
        )
        for case in cases
    ]


def selected(request, argument):
    """The values of an argument in the tests of a fixture's module that run."""
    own = (item for item in request.session.items if getattr(item, "module", None) is request.module)
    calls = (item.callspec.params for item in own if hasattr(item, "callspec"))
    return {call[argument] for call in calls if argument in call}
