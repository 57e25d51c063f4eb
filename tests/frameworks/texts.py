"""Formulas as `pullback transpile` gives them to the emitters of texts for frameworks."""

from pullback.engine.formula.formula import LIBRARY_OF_PROCESS
from pullback.tools.commands.transpile import jax_helpers
from pullback.transpile.emit.jax import module_text
from pullback.transpile.passes.promote.for_frameworks import for_frameworks


def promoted(formula):
    """The promoted formula."""
    return for_frameworks(formula.ir, LIBRARY_OF_PROCESS)


def jax_text(*formulas):
    """The module that needs only JAX."""
    return module_text(list(map(promoted, formulas)), LIBRARY_OF_PROCESS, jax_helpers())
