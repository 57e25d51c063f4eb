"""The page on the engine says what happens: its examples run on both engines, and its tables are complete."""

import re
from pathlib import Path

import numpy as np

import pullback as pb
from pullback.engine.core import reentrant

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "engine.md").read_text(encoding="utf-8")


def test_the_examples_run(engine):
    names = {}
    for code in re.findall(r"```python\n(.*?)```", PAGE, re.S):
        exec(code, names)
    a = names["a"].detach().numpy()
    np.testing.assert_allclose(names["tangent"].detach().numpy(), (np.exp(a) * (1 + a) * [1.0, 0.0]))
    np.testing.assert_allclose(names["curvature"].numpy(), np.exp(a) * (2 + a) * [1.0, 0.0])
    (gradient,) = pb.grad(names["z"].sum(), names["a"])
    np.testing.assert_allclose(gradient.numpy(), 2 * a * (1 - np.tanh(a * a) ** 2))
    names["folder"].cleanup()


def test_the_numbers_are_those_of_the_source():
    assert f"after {reentrant.MOST_NESTED} of them" in PAGE


def test_every_file_that_it_names_is_there():
    root = Path(pb.__file__).parent / "engine"
    for name in re.findall(r"`(\w+\.py)`", PAGE):
        assert (root / "reference" / name).exists()
    for name in re.findall(r"`(\w+\.cpp)`", PAGE):
        assert list((root / "native" / "src").rglob(name))
