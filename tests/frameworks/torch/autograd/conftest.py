"""The formulas of PyTorch's table, imported once."""

import pytest


@pytest.fixture(scope="session")
def formulas(imported_table):
    from pullback.torch.autograd import Formulas

    return Formulas(imported_table)
