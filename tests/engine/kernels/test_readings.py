import importlib.util
import os

import pytest

from pullback.engine.formula import formula as formulas
from pullback.engine.kernels import cache
from pullback.engine.kernels.readings import read

TEXT = """
import numpy as np
import pullback as pb

SCALE = 2.0


def plain(x):
    return x * x


def scaled(x):
    def scaled_pullback(grad):
        return SCALE * grad
    return SCALE * x, scaled_pullback


def with_helper(x):
    def pullback(grad):
        return grad
    return plain(x) - plain(x) + x, pullback


def failing(x):
    def pullback(grad):
        return missing * grad
    return x, pullback
"""


@pytest.fixture
def readings(tmp_path, monkeypatch):
    """How often some text was read."""
    monkeypatch.setenv("PULLBACK_CACHE", str(tmp_path / "cache"))
    counted, read_live = [], formulas.read_live

    def counting(function, options):
        counted.append(function.__name__)
        return read_live(function, options)

    monkeypatch.setattr(formulas, "read_live", counting)
    return counted


def formula_in(path, name="scaled", text=TEXT, **variables):
    """A new formula object, as another process would have."""
    if not path.exists() or path.read_text() != text:
        path.write_text(text)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    vars(module).update(variables)
    return formulas.Formula(getattr(module, name), formulas.Options())


def ir_of(*args, **kwargs):
    made = formula_in(*args, **kwargs)
    read(made)
    return made.ir


def test_a_text_is_read_once(tmp_path, readings):
    first = ir_of(tmp_path / "mine.py")
    assert ir_of(tmp_path / "mine.py") == first
    assert readings == ["scaled"]


def test_a_damaged_entry_is_read_and_kept_again(tmp_path, readings):
    first = ir_of(tmp_path / "mine.py")
    (entry,) = cache.folder().glob("*.kernels")
    entry.write_bytes(entry.read_bytes()[:-1])
    assert ir_of(tmp_path / "mine.py") == first
    assert cache.found(entry.stem, entry.suffix) is not None
    assert readings == ["scaled", "scaled"]


@pytest.mark.parametrize("value", [3.0, 2, True])
def test_another_value_of_a_name_is_another_reading(tmp_path, readings, value):
    first = ir_of(tmp_path / "mine.py")
    assert repr(ir_of(tmp_path / "mine.py", SCALE=value)) != repr(first)
    assert ir_of(tmp_path / "mine.py") == first
    assert readings == ["scaled", "scaled"]


def test_another_text_of_the_same_length_is_another_reading(tmp_path, readings):
    first = ir_of(tmp_path / "mine.py")
    changed = ir_of(tmp_path / "mine.py", text=TEXT.replace("SCALE * x", "SCALE + x"))
    assert changed.forward != first.forward
    assert len(readings) == 2


def test_what_the_decorator_was_given_counts(tmp_path, readings):
    ir_of(tmp_path / "mine.py")
    other = formula_in(tmp_path / "mine.py")
    marked = formulas.Formula(other.__wrapped__, formulas.Options(first_order_only=True))
    read(marked)
    assert marked.ir.options.first_order_only


def test_a_formula_that_calls_a_plain_function_is_read_each_time(tmp_path, readings):
    for _ in range(2):
        ir_of(tmp_path / "mine.py", "with_helper")
    assert len(readings) == 2
    assert not cache.folder().exists()


def test_a_text_without_a_file_is_read_each_time(tmp_path, readings):
    made = formula_in(tmp_path / "mine.py")
    os.unlink(tmp_path / "mine.py")
    read(made)
    assert "ir" not in vars(made)


def test_what_cannot_be_read_is_not_kept(tmp_path, readings):
    for _ in range(2):
        with pytest.raises(formulas.FormulaError, match="PB4"):
            ir_of(tmp_path / "mine.py", "failing")
    assert not cache.folder().exists()
