"""Samples with derivatives by their distribution's parameters, from a generator that is passed.

A sample is a function of the parameters and of noise that does not depend on them, which is drawn from a
`numpy.random.Generator`; so the gradient of a mean over samples is the mean of gradients. Gamma samples and
what is made of them have implicit derivatives.

>>> import numpy as np
>>> import pullback as pb
>>> loc = pb.tensor(1.0, requires_grad=True)
>>> x = pb.random.normal(np.random.default_rng(0), loc, 2.0, size=4)
>>> pb.grad((x * x).mean(), loc)[0].item() == 2 * x.mean().item()
True
"""

from .closed import (
    cauchy,
    exponential,
    gumbel,
    gumbel_softmax,
    laplace,
    logistic,
    lognormal,
    multivariate_normal,
    normal,
    pareto,
    power,
    rayleigh,
    uniform,
    weibull,
)
from .implicit import beta, chisquare, dirichlet, f, gamma, standard_t

__all__ = [
    "beta",
    "cauchy",
    "chisquare",
    "dirichlet",
    "exponential",
    "f",
    "gamma",
    "gumbel",
    "gumbel_softmax",
    "laplace",
    "logistic",
    "lognormal",
    "multivariate_normal",
    "normal",
    "pareto",
    "power",
    "rayleigh",
    "standard_t",
    "uniform",
    "weibull",
]
