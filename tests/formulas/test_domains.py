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
    "fdtr": ((*SHAPES, 1e-8, 1e8), (*SHAPES, 1e-8, 1e8), (*EVERYWHERE, 1e-8, 1e8)),
    "fdtrc": ((*SHAPES, 1e-8, 1e8), (*SHAPES, 1e-8, 1e8), (*EVERYWHERE, 1e-8, 1e8)),
    "fdtri": (SHAPES, SHAPES, UNIT),
    "huber": ((*SHAPES, 0.0, np.inf), EVERYWHERE),
    "pseudo_huber": ((*SHAPES, 0.0), (-1e200, -2.0, 0.0, 1e-9, 1e8, np.nan)),
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


AT_THE_ENDS = {
    "boxcox(0, 2)": ("boxcox", (0.0, 2.0), 1, 0.25),
    "boxcox1p(-1, 2)": ("boxcox1p", (-1.0, 2.0), 1, 0.25),
    "binom(1, 3)": ("binom", (1.0, 3.0), 0, -1 / 6),
    "binom(1, 3) by k": ("binom", (1.0, 3.0), 1, 1 / 6),
    "binom(1, -1) by k": ("binom", (1.0, -1.0), 1, 1 / 2),
    "poch(0, 3)": ("poch", (0.0, 3.0), 0, 2.0),
    "poch(-1, 3)": ("poch", (-1.0, 3.0), 0, -1.0),
    "poch(-2, 2)": ("poch", (-2.0, 2.0), 0, -3.0),
    "poch(-1, -2)": ("poch", (-1.0, -2.0), 0, 5 / 36),
    "expn(0.5, 1)": ("expn", (0.5, 1.0), 1, -2 / np.e),
    "huber(inf, 3)": ("huber", (np.inf, 3.0), 1, 3.0),
    "pseudo_huber(0, 3)": ("pseudo_huber", (0.0, 3.0), 0, 3.0),
    "stdtr(1e20, 1)": ("stdtr", (1e20, 1.0), 1, np.exp(-0.5) / np.sqrt(2 * np.pi)),
    "stdtr(inf, 1)": ("stdtr", (np.inf, 1.0), 1, np.exp(-0.5) / np.sqrt(2 * np.pi)),
}


@pytest.mark.parametrize("case", AT_THE_ENDS)
@pytest.mark.filterwarnings("ignore::RuntimeWarning", "ignore::DeprecationWarning")
def test_derivatives_at_the_ends_are_limits(engine, case):
    name, point, k, expected = AT_THE_ENDS[case]
    leaves = [pb.tensor(value, requires_grad=i == k) for i, value in enumerate(point)]
    (slope,) = pb.grad(getattr(pb.special, name)(*leaves), leaves[k])
    assert slope.item() == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize(
    ("name", "point", "k", "expected"),
    [
        ("poch", (-1.0, 3.0), 0, 0.0),  # of (z + 1) z (z + 2)
        ("poch", (-2.0, 2.0), 0, 2.0),  # of z (z + 1)
        ("binom", (1.0, 3.0), 0, 0.0),  # of n (n - 1) (n - 2) / 6
        ("boxcox", (0.0, 2.0), 1, -0.25),  # of -1 / lambda
        ("huber", (np.inf, 0.0), 1, 1.0),
    ],
)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_second_derivatives_at_the_ends_are_limits(engine, name, point, k, expected):
    leaves = [pb.tensor(value, requires_grad=i == k) for i, value in enumerate(point)]
    (slope,) = pb.grad(getattr(pb.special, name)(*leaves), leaves[k], create_graph=True)
    assert pb.grad(slope, leaves[k])[0].item() == pytest.approx(expected, abs=1e-10)
