"""The linter installed alone: without NumPy and without the engines it lints, fixes and explains."""

import zipfile

import pytest

from .conftest import install, run_installed

CLASS = """
import torch


class Scaled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        t = a + b
        ctx.save_for_backward(b, t)
        return t * b

    @staticmethod
    def backward(ctx, grad):
        b, t = ctx.saved_tensors
        return grad * b, grad * t + grad * b
"""

# NumPy and the others are there for the tests: an import of one of them fails.
ALONE = """
import sys
for name in ("numpy", "scipy", "astor", "torch"):
    sys.modules[name] = None
from pullback.tools.cli import main
status = main({argv!r})
assert status == {status}, status
"""


@pytest.fixture(scope="module")
def alone(lint_wheel, tmp_path_factory):
    """A folder with the linter and nothing of the engines."""
    return install(tmp_path_factory.mktemp("alone") / "site", lint_wheel)


def test_it_requires_no_arrays(lint_wheel):
    with zipfile.ZipFile(lint_wheel) as archive:
        (metadata,) = (name for name in archive.namelist() if name.endswith("METADATA"))
        lines = archive.read(metadata).decode().splitlines()
    needed = {line.split()[1].split(">")[0] for line in lines if line.startswith("Requires-Dist")}
    assert needed >= {"rich", "pathspec", "shtab"}
    assert not needed & {"numpy", "scipy", "scipy-openblas64", "astor"}


@pytest.mark.parametrize(
    ("arguments", "status", "shown"),
    [
        (["lint", "--no-cache", "{file}"], 1, "PB101 error"),
        (["lint", "--no-cache", "--diff", "{file}"], 1, "+        t = a + b"),
        (["rule", "PB101"], 0, "captured-intermediate"),
        (["completion", "bash"], 0, "complete "),
        (["cache"], 0, "linted file"),
        (["--help"], 0, "lint"),
    ],
)
def test_commands_that_read_work(arguments, status, shown, alone, tmp_path):
    file = tmp_path / "scaled.py"
    file.write_text(CLASS)
    argv = [argument.format(file=file) for argument in arguments]
    printed = run_installed(alone, ALONE.format(argv=argv, status=status))
    assert shown in printed


def test_commands_that_run_programs_are_not_offered(alone):
    assert "check" not in run_installed(alone, ALONE.format(argv=["--help"], status=0))


def test_a_command_that_runs_programs_says_what_to_install(alone):
    code = """
import contextlib, io
from pullback.tools.cli import main
with contextlib.redirect_stderr(io.StringIO()) as said:
    assert main(["check", "x.py"]) == 2
print(said.getvalue())
"""
    assert "pip install pullback" in run_installed(alone, code)


def test_its_help_imports_neither_rules_nor_colours(alone):
    code = """
import sys
from pullback.tools.cli import main
main(["lint", "--help"])
print(sorted(name for name in sys.modules if name.startswith(("rich", "pullback.tools.lint", "pygls"))))
"""
    assert run_installed(alone, code).splitlines()[-1] == "[]"
