"""Python is printed alike where `ast` has lost the names that astor knows."""

import ast
import subprocess
import sys

import pytest

from pullback.transpile.emit.python_text import function_text

# Python 3.14 has none of these, and Python 3.12 gives them through a function of the module. What the
# module itself asks for stays.
LATER = """
import ast, sys, types
gone = {"Str", "Num", "Bytes", "NameConstant", "Ellipsis", "__getattr__"}
later = types.ModuleType("ast")
vars(later).update({name: value for name, value in vars(ast).items() if name not in gone})
sys.modules["ast"] = later
"""
PROGRAM = '''
def program(x, *, n: int = 2, kind: str = "sum", scale: float = -0.5):
    """A title."""
    if n < 0:
        raise ValueError(f"{n!r:>5} is below {{zero}} for {x.shape}, it's \\"{kind}\\"")
    y = x[..., 0] * scale if kind == "sum" else np.where(x > 1e-3, x, None or 1.0)
    for k in range(n):
        y = y * k
    return y
'''


def run(code, *arguments):
    """What a new process prints."""
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("command", [["derive"], ["transpile", "-o", "-", "--target", "python"]])
def test_text_is_the_same_without_the_names_that_python_3_14_lacks(tmp_path, command):
    path = tmp_path / "formula.py"
    path.write_text(f"import numpy as np\nimport pullback as pb\n\n{PROGRAM}")
    call = "import sys; from pullback.tools.cli import main; sys.exit(main(sys.argv[1:]))"
    text = run(call, *command, f"{path}::program")
    assert "raise ValueError(f" in text
    assert run(LATER + call, *command, f"{path}::program") == text


def test_a_signature_has_what_was_written():
    signature = "def f(x, a=(), b: tuple[int, ...] = (1,), *others, c: float = -1.0, d='s', **rest):"
    text = f"{signature}\n    return (x,)\n"
    assert function_text(ast.parse(text).body[0], None) == text
