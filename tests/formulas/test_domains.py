"""Functions that are written with others have SciPy's values, at the ends of their domains and outside."""

import itertools

import numpy as np
import pytest
import scipy.special

import pullback as pb

EVERYWHERE = (-2.5, -1.0, 0.0, 0.5, 1.0, 2.0, 1e3, np.inf, -np.inf, np.nan)
UNIT = (-0.5, 0.0, 1e-9, 0.3, 1.0, 1.5, np.nan)
COUNTS = (-1.0, -0.5, 0.0, 1.0, 2.7)
SHAPES = (-1.0, 0.5, 2.0)
DOMAINS = {
    "chdtr": (SHAPES, EVERYWHERE),
    "chdtrc": (SHAPES, EVERYWHERE),
    "chdtri": (SHAPES, UNIT),
    "pdtr": (COUNTS, EVERYWHERE),
    "pdtrc": (COUNTS, EVERYWHERE),
    "pdtri": (COUNTS, UNIT),
    "gdtr": (SHAPES, SHAPES, EVERYWHERE),
    "gdtrc": (SHAPES, SHAPES, EVERYWHERE),
    "gdtrix": (SHAPES, SHAPES, UNIT),
    "bdtr": (COUNTS, (0, 1, 2, 5), UNIT),
    "bdtrc": (COUNTS, (0, 1, 2, 5), UNIT),
    "bdtri": (COUNTS, (0, 1, 2, 5), UNIT),
    "nbdtr": ((-1, 0, 2), (0, 1, 2), UNIT),
    "nbdtrc": ((-1, 0, 2), (0, 1, 2), UNIT),
    "nbdtri": ((-1, 0, 2), (1, 2), UNIT),
    "fdtr": (SHAPES, SHAPES, EVERYWHERE),
    "fdtrc": (SHAPES, SHAPES, EVERYWHERE),
    "fdtri": (SHAPES, SHAPES, UNIT),
    "huber": (SHAPES, EVERYWHERE),
    "pseudo_huber": (SHAPES, (-1e200, -2.0, 0.0, 1e-9, 1e8, np.nan)),
    "agm": ((-1.0, 0.5, 1e200), (-2.0, 0.3, 3e200, np.nan)),
}


@pytest.mark.parametrize("name", DOMAINS)
@pytest.mark.filterwarnings("ignore::RuntimeWarning", "ignore::DeprecationWarning")
def test_values_are_those_of_scipy(engine, name):
    rows = np.array(list(itertools.product(*DOMAINS[name]))).T
    whole = name in ("bdtr", "bdtrc", "bdtri", "nbdtr", "nbdtrc", "nbdtri")
    orders = [row.astype(int) if whole and (row % 1 == 0).all() else row for row in rows[:-1]]
    expected = getattr(scipy.special, name)(*orders, rows[-1])
    found = getattr(pb.special, name)(*orders, pb.tensor(rows[-1])).numpy()
    if name == "pseudo_huber":  # SciPy's overflows
        expected = np.where(np.isinf(expected) & (orders[0] > 0), orders[0] * np.abs(rows[-1]), expected)
    np.testing.assert_allclose(found, expected, rtol=1e-9)
