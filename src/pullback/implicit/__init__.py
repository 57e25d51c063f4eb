"""Functions that SciPy's solvers define: roots, fixed points, minimizers, differential equations.

The solver runs on arrays and is not recorded. Derivatives are those of the function that it solves, by the
implicit function theorem or the adjoint equation: of any order, and without the solver's steps in memory.

>>> import numpy as np
>>> import pullback as pb
>>> a = pb.tensor(2.0, requires_grad=True)
>>> x = pb.implicit.root(lambda x, a: x * x - a, 1.0, (a,))
>>> round(x.item(), 4), round(pb.grad(x, a)[0].item(), 4)  # the square root and 1 / (2 x)
(1.4142, 0.3536)
"""

from .differential import odeint
from .equations import fixed_point, minimize, root

__all__ = ["fixed_point", "minimize", "odeint", "root"]
