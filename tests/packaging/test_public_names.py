"""The public names: few, documented with an example that runs, and none lost without saying where it went."""

import doctest
import inspect
import subprocess
import sys
import warnings

import numpy as np
import pytest

import pullback as pb
from pullback import primitives

MODULES = (pb, pb.errors, pb.memory, primitives)
NAMES = [(module, name) for module in MODULES for name in module.__all__]


def test_what_emitted_code_calls_is_no_name_for_users():
    assert len(pb.__all__) <= 60
    assert not set(pb.__all__) & set(primitives.__all__)
    assert len(pb.__all__) == len(set(pb.__all__))


@pytest.mark.parametrize("name", primitives.__all__)
def test_an_old_name_says_where_it_went(name):
    with pytest.raises(AttributeError, match=rf"pb\.{name} is pullback\.primitives\.{name}"):
        getattr(pb, name)


@pytest.mark.parametrize("name", sorted({*pb.errors.__all__} - {*pb.__all__}))
def test_an_error_says_where_it_is(name):
    with pytest.raises(AttributeError, match=rf"pb\.{name} is pb\.errors\.{name}"):
        getattr(pb, name)


def test_a_formula_that_calls_an_old_name_is_shown_the_new_one(tmp_path):
    from pullback.transpile.frontend import read_module
    from pullback.transpile.ir import Source

    text = (
        "import pullback as pb\n\n\n@pb.formula\ndef f(x):\n"
        "    return 2 * x, lambda grad: pb.sum_to(2 * grad, pb.like(x))\n"
    )
    found = [finding.hint for finding in read_module(Source("f.py", text)).diagnostics]
    assert "did you mean pullback.primitives.sum_to?" in found
    assert "did you mean pullback.primitives.like?" in found


@pytest.mark.parametrize(("module", "name"), NAMES, ids=[f"{m.__name__}.{n}" for m, n in NAMES])
def test_a_public_name_has_an_example_that_runs(module, name):
    found = getattr(module, name)
    if isinstance(found, str):  # the version
        return
    text = inspect.getdoc(found)
    assert text is not None
    # A name of an annotation or another helper of its module may be in the example, as in its docstring.
    home = inspect.getmodule(found) or module
    names = {"pb": pb, "np": np, name: found, **{k: v for k, v in vars(home).items() if k.isidentifier()}}
    test = doctest.DocTestParser().get_doctest(text, names, name, None, 0)
    assert test.examples, f"{name} has no example"
    said: list[str] = []
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    with np.printoptions(precision=8), warnings.catch_warnings():
        result = doctest.DocTestRunner(optionflags=flags).run(test, out=said.append)
    assert result.failed == 0, "".join(said)


def test_who_asks_every_module_for_a_name_may_ask_aten_before_it_has_an_implementation():
    program = (
        "from pullback import aten; print(hasattr(aten, 'exp'))"  # as pickle does, and torch.compile by it
    )
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert found.stdout == "False\n", found.stderr
