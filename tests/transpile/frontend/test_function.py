"""One function, as a live formula gives it: text from anywhere, names by lookup."""

import pytest

from pullback.transpile.diagnostics import FormulaError
from pullback.transpile.frontend import Binding, Names, read_function, read_one
from pullback.transpile.ir import Literal, Options, Source

from .reading import equations

NAMES = Names.of(
    {"np": Binding.dotted("numpy"), "pb": Binding.dotted("pullback"), "alpha": Binding.constant(0.5, True)}
)


def read(text, names=NAMES, first_line=1, **options):
    return read_function(Source("f.py", text, first_line), names, "f", **options)


def test_a_function_without_a_closure():
    found = read("def f(x, y):\n    return np.exp(x) * y\n")
    assert found.pullback is None
    assert equations(found) == ["_1 = exp(x)", "_2 = multiply(_1, y)"]


def test_a_method_keeps_its_place_in_the_file():
    found = read(
        "    @pb.formula\n    def f(x):\n        t = np.exp(x)\n        return t, lambda g: g * t\n",
        first_line=20,
    )
    assert str(found.forward.eqns[0].span) == "f.py:22:13"
    assert str(found.captures[0].span) == "f.py:23:33"
    assert found.source.line(22) == "        t = np.exp(x)"


def test_names_are_looked_up_when_they_are_met():
    asked = []

    def find(name):
        asked.append(name)
        return NAMES.find(name)

    found = read("def f(x):\n    return x * alpha, lambda g: g * alpha\n", Names.of(find))
    assert found.forward.eqns[0].args[1] == Literal(0.5, True)
    assert set(asked) == {"alpha"}


def test_a_helper_brings_its_own_text_and_names():
    source = Source("other.py", "    def h(v):\n        return n.exp(v) * beta\n", 7)
    inner = Names.of({"n": Binding.dotted("numpy"), "beta": Binding.constant(3)})
    names = Names.of({"helper": Binding.helper("h", source, inner)})
    found = read("def f(x):\n    return helper(x)\n", names)
    assert equations(found) == ["_1 = exp(x)", "_2 = multiply(_1, 3)"]
    assert str(found.forward.eqns[0].span) == "other.py:8:16"


def test_options_are_read_from_the_decorator_or_given():
    text = "@pb.formula(surrogate=True)\ndef f(x):\n    return x, lambda g: x\n"
    assert read(text).options.surrogate
    with pytest.raises(FormulaError, match="PB202"):
        read(text, options=Options())


def test_an_error_names_every_mistake_with_its_line():
    with pytest.raises(FormulaError) as caught:
        read("def f(x):\n    a = q + 1\n    while True: pass\n    return x\n")
    assert [item.code for item in caught.value.diagnostics] == ["PB407", "PB401"]
    assert "f.py:2:9: PB407 error" in str(caught.value)
    assert "    a = q + 1\n        ^" in str(caught.value)


def test_a_function_that_is_not_there():
    with pytest.raises(FormulaError, match="no function `f`"):
        read("def g(x):\n    return x\n")


def test_an_opaque_capture_can_be_used_and_is_reported():
    reading = read_one(
        Source(
            "f.py", "def f(x):\n    t = np.real_if_close(x)\n    return t * x, lambda g, t=t * 1: g * t\n"
        ),
        NAMES,
        "f",
    )
    assert reading.formula is not None
    assert [item.code for item in reading.diagnostics] == ["PB403", "PB103"]
