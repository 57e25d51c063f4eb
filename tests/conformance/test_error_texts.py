"""Both engines say the same about the same mistake: each error, its text and its notes.

A text may name lines of `mistakes`, which are the same for both.
"""

import re
from importlib import import_module

import pytest
import typeguard

import pullback as pb
from pullback.engine.core import errors
from tests.conformance.mistakes import MISTAKES

pytestmark = pytest.mark.native

for subject in ("tensors", "gradients", "writes", "hooks", "transforms"):
    import_module(f"tests.conformance.mistakes.{subject}")

# Errors before any engine runs: of what is installed here, of formulas as they are read, of other processes.
OF_NO_ENGINE = {
    pb.PullbackError,
    pb.errors.EngineUnavailableError,
    errors.StaleModuleError,
    pb.errors.OperatorLibraryError,
    pb.errors.CompilerError,
    pb.errors.SourceUnavailableError,
    pb.errors.DistributedError,
}


def said(function, engine):
    """The error of a mistake on an engine: its type, its text, and its notes."""
    # A mistake of types is to reach the engine, also where annotations are checked at run time.
    with pb.use_engine(engine), typeguard.suppress_type_checks():
        try:
            function()
        except Exception as error:  # whatever a person would see
            notes = getattr(error, "__notes__", [])
            return type(error), *[re.sub("native|reference", "...", text) for text in (str(error), *notes)]
    return None


@pytest.mark.parametrize("function", MISTAKES, ids=lambda function: function.__name__)
def test_both_engines_say_the_same(function):
    native, reference = (said(function, engine) for engine in ("native", "reference"))
    assert native == reference is not None
    assert reference[0] not in (AttributeError, NameError), "the mistake is not the one that is meant"


def test_every_error_of_an_engine_is_among_them():
    classes = {
        kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, Exception)
    }
    documented = {kind for kind in classes if issubclass(kind, pb.PullbackError)}
    met = {error[0] for error in (said(function, "reference") for function in MISTAKES) if error is not None}
    assert documented - met == OF_NO_ENGINE
