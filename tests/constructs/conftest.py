"""Kernels are compiled quickly: these tests compare what they compute."""

import pytest


@pytest.fixture(scope="module", autouse=True)
def quick_kernels(quick_compiler):
    pass
