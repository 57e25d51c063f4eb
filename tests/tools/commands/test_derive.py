"""``pullback derive``: what it prints is a formula, and right."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import pullback as pb
from pullback.tools.cli import main
from pullback.tools.loading import load_formulas

from .conftest import Write
from .texts import SIMPLE

PLAIN = """import numpy as np


def swish(x, *, beta: float = 1.0):
    s = 1 / (1 + np.exp(-beta * x))
    return x * s


def opaque(x):
    return np.real_if_close(x) * x
"""


@pytest.mark.parametrize(("text", "name", "count"), [(PLAIN, "swish", 1), (SIMPLE, "simple", 2)])
def test_what_is_printed_is_a_right_formula(
    text: str, name: str, count: int, write: Write, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert main(["derive", f"{write(text)}::{name}"]) == 0
    derived = write(capsys.readouterr().out, "derived.py")
    assert main(["lint", derived]) == 0
    ((_, formula),) = load_formulas(derived)
    inputs = [np.linspace(-1.0, 1.0, 4) + i for i in range(count)]
    assert pb.gradcheck(formula, *inputs, order=3)


@pytest.mark.parametrize(
    "call", ["svd(x, full_matrices=False)[1]", "qr(x)[1]", "eigvalsh(x @ x)", "slogdet(x)[1]"]
)
def test_the_formulas_around_decompositions_are_imported(
    call: str, write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(f"import numpy as np\n\n\ndef f(x):\n    return np.linalg.{call}\n")
    assert main(["derive", f"{path}::f"]) == 0
    derived = write(capsys.readouterr().out, "derived.py")
    assert "from pullback.formulas.decompositions import " in Path(derived).read_text(encoding="utf-8")
    assert main(["lint", derived]) == 0
    ((_, formula),) = load_formulas(derived)
    assert pb.gradcheck(
        formula, np.array([[2.0, 0.5], [0.5, 1.0]]) if "eig" not in call else np.diag([1.0, 2.0])
    )


@pytest.mark.parametrize(
    "call",
    [
        *("special.erf(x)", "special.expit(x)", "special.ndtr(x)", "special.k0e(x)", "np.arctan(x)"),
        *("np.hypot(x, 2.0)", "np.cbrt(x)", "np.arcsin(x)", "np.arctanh(x)", "np.arccosh(x + 2)"),
    ],
)
def test_formulas_of_the_library_alone_are_written_out(
    call: str, write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    text = f"import numpy as np\nfrom scipy import special\n\n\ndef f(x):\n    return {call} * x\n"
    assert main(["derive", f"{write(text)}::f"]) == 0
    derived = write(capsys.readouterr().out, "derived.py")
    assert main(["lint", derived]) == 0
    ((_, formula),) = load_formulas(derived)
    assert pb.gradcheck(formula, np.array([0.3, 0.6]), order=2)


def test_an_operator_without_a_derivative_is_a_located_message(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(PLAIN)
    assert main(["derive", f"{path}::opaque"]) == 1
    err = capsys.readouterr().err
    assert err.startswith(f"{path}:10:12: PB")
    assert "np.real_if_close" in err
    assert "operators of the vocabulary" in err


def test_what_the_namespace_has_besides_numpy_is_known(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    text = "import pullback.numpy as np\n\n\ndef shares(x):\n    return np.softmax(x, axis=-1) * np.relu(x)\n"
    assert main(["derive", f"{write(text)}::shares"]) == 0
    out = capsys.readouterr().out
    assert "special.softmax(x, axis=-1)" in out
    assert "pb.relu(x)" in out


def test_all_formulas_of_a_file_are_derived(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    text = """import numpy as np
import pullback as pb

RATE = 0.5


@pb.derive_pullback
def both(x):
    return decayed(x) * warmed(x)


@pb.formula
def decayed(x):
    y = np.exp(-RATE * x)
    return y, lambda grad: -RATE * grad * y


@pb.composite
def warmed(x):
    return np.tanh(x) * RATE
"""
    assert main(["derive", write(text)]) == 0
    derived = write(capsys.readouterr().out, "derived.py")
    assert main(["lint", derived]) == 0
    formulas = load_formulas(derived)
    assert [name for name, _ in formulas] == ["decayed", "warmed", "both"]
    for _, formula in formulas:
        assert pb.gradcheck(formula, np.linspace(-1.0, 1.0, 4), order=3)


def test_a_name_that_is_not_there_is_misuse(write: Write) -> None:
    assert main(["derive", f"{write(PLAIN)}::swsh"]) == 2


def test_a_file_is_written_once(write: Write, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    source, out = write(PLAIN), tmp_path / "out.py"
    assert main(["derive", f"{source}::swish", "-o", str(out)]) == 0
    assert capsys.readouterr().out == ""
    assert out.read_text(encoding="utf-8").startswith("import numpy as np\nimport pullback as pb\n")
    assert main(["derive", f"{source}::swish", "-o", str(out)]) == 2
    assert "--force" in capsys.readouterr().err
    assert main(["derive", f"{source}::swish", "-o", str(out), "--force"]) == 0
    assert main(["derive", f"{source}::swish", "-o", str(out / "below_a_file.py")]) == 1


def test_what_a_formula_uses_of_its_file_comes_along(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    text = """import numpy as np
import pullback as pb


class TooMany(ValueError):
    pass


@pb.formula
def bent(x):
    t = np.tanh(x)
    return t, lambda grad: grad * (1 - t * t)


@pb.derive_pullback
def use(x, *, n: int = 2):
    if n > 3:
        raise TooMany(f"{n}")
    return bent(x) * n
"""
    assert main(["derive", f"{write(text)}::use"]) == 0
    derived = write(capsys.readouterr().out, "derived.py")
    formula = dict(load_formulas(derived))["use"]
    assert pb.gradcheck(formula, np.linspace(-1.0, 1.0, 4), order=3)
    with pytest.raises(ValueError, match="4"):
        formula(np.ones(3), n=4)
