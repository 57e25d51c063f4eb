"""The forms of a formula that a case is checked in."""

import pytest


@pytest.fixture
def variant():
    """What the test does to a formula before it calls it: nothing."""
    return lambda formula: formula
