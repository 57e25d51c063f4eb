"""Reproducible inputs for the programs."""

import numpy as np


def positive(*shape: int, seed: int = 0) -> np.ndarray:
    """Numbers between a half and two."""
    return np.random.default_rng([seed, *shape]).uniform(0.5, 2.0, shape)


def normal(*shape: int, seed: int = 0) -> np.ndarray:
    """Normally distributed numbers."""
    return np.random.default_rng([seed, *shape]).normal(size=shape)


def integers(high: int, *shape: int, seed: int = 0) -> np.ndarray:
    """Whole numbers from zero up to, and without, `high`."""
    return np.random.default_rng([seed, *shape]).integers(0, high, shape)
