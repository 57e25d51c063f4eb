"""Dictionaries that are written out: entries by key, writes, loops over them, choices by a text."""

import numpy as np
import pytest

import pullback as pb

X, Y = np.linspace(0.2, 0.9, 4), np.linspace(-1.0, 0.5, 4)


def unpacked(x, y):
    params = {"w": x, **{"b": y}}
    return params["w"] * np.sin(params["b"])


def written(x, y):
    cache = {}
    cache["h"] = np.tanh(x)
    cache["z"] = cache["h"] * y
    cache["z"] += 1.0
    return cache["z"] * cache["h"]


def written_in_branches(x, y):
    p = {"w": x, "b": y}
    if x.sum() > 0:
        p["w"] = x * y
    else:
        p["b"] = y * 3
    return p["w"] * p["b"]


def gone_over(x, y):
    p = dict(w=x, b=y)  # noqa: C408 - the call that is tested
    total = 0.0
    for k, v in p.items():
        total = total + np.sum(v**2) * (2.0 if k == "w" else 1.0)
    for k in p:
        total = total + p[k][0]
    if "w" in p and "c" not in p:
        total = total * len(p)
    return total + sum(np.sum(v) for v in p.values()) + p.get("c", 2.0) * p.get("w")[1]


def comprehended(x, y):
    squares = {name: v**2 for name, v in {"w": x, (0, 1): y}.items()}
    return squares["w"] - squares[0, 1]


def nested(x, y):
    layers = {"first": {"w": x}, "second": {"w": y}}
    return layers["first"]["w"] * layers["second"]["w"]


def net(params, x):
    return np.sum(np.tanh(params["w"] * x) * params["b"])


def handed_to_a_helper(x, y):
    return net({"w": x, "b": y}, np.array([1.0, -0.5, 2.0, 0.3]))


@pytest.mark.parametrize(
    "function",
    [unpacked, written, written_in_branches, gone_over, comprehended, nested, handed_to_a_helper],
)
def test_entries_are_the_values_that_were_put_there(engine, function):
    derived = pb.derive_pullback(function)
    np.testing.assert_allclose(derived(X, Y), function(X, Y), rtol=1e-14)
    assert pb.gradcheck(derived, X, Y)


def of_keywords(x):
    def scaled(v, *, by=1.0, plus=0.0):
        return v * by + plus

    options = {"by": x[0]}
    options.update(plus=options["by"] * 2, by=3.0)
    others = dict(options, by=5.0)
    return scaled(x, **options) * scaled(x, **others) + np.sum(x, **{"axis": 0})


def test_dictionaries_are_copied_and_give_keywords():
    derived = pb.derive_pullback(of_keywords)
    np.testing.assert_allclose(derived(X), of_keywords(X), rtol=1e-14)
    assert pb.gradcheck(derived, X)


def by_text(x, kind: str = "sin"):
    functions = {"sin": np.sin, "cube": lambda v: v**3, "half": lambda v: v * scale["half"]}
    scale = {"half": 0.5}
    chosen = functions[kind]
    return chosen(x) * functions[kind](x[0])


@pytest.mark.compiler
@pytest.mark.parametrize("kind", ["sin", "cube", "half"])
def test_a_text_of_the_run_chooses_an_entry(kind):
    for made in (pb.derive_pullback(by_text), pb.compile(by_text)):
        np.testing.assert_allclose(made(X, kind), by_text(X, kind), rtol=1e-14)
        assert pb.gradcheck(lambda x, f=made: f(x, kind), X)
        with pytest.raises(KeyError, match="tan"):
            made(X, "tan")


def test_a_write_in_a_loop_is_refused():
    @pb.derive_pullback
    def repeated(x, n: int):
        p = {"w": x}
        for _ in range(n):
            p["w"] = p["w"] * 0.5
        return p["w"]

    with pytest.raises(pb.FormulaError, match="a dictionary cannot be used as a value"):
        repeated(X, 3)
