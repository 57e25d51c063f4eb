"""What type checkers say of a user's program: errors where they are expected, and nowhere else."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CACHE = ROOT / "build" / "mypy_of_a_user"
PROGRAM = Path(__file__).with_name("user_program.py")
LINES = PROGRAM.read_text().splitlines()[4:]  # without the docstring, which explains the comments
EXPECTED = {
    (4 + n, kind, text)
    for n, line in enumerate(LINES, 1)
    for kind, text in re.findall(r"# ([ET]): (.*)", line)
}


def run(*command, cwd):
    return subprocess.run(list(map(str, command)), cwd=cwd, capture_output=True, text=True).stdout


@pytest.fixture
def settings(tmp_path):
    """An empty folder with the settings that a user's project has, and where it finds this package.

    The program uses no PyTorch and no JAX, which are most of what mypy would read.
    """
    unread = "[mypy-torch.*,jax.*,IPython.*]\nfollow_imports = skip\n"
    (tmp_path / "mypy.ini").write_text(f"[mypy]\nstrict = True\nmypy_path = {ROOT / 'src'}\n{unread}")
    (tmp_path / "pyrightconfig.json").write_text(json.dumps({"extraPaths": [str(ROOT / "src")]}))
    shutil.copy(PROGRAM, tmp_path)
    return tmp_path


def test_mypy_finds_the_errors_and_types(settings):
    said = run(
        sys.executable, "-m", "mypy", "--no-error-summary", f"--cache-dir={CACHE}", PROGRAM.name, cwd=settings
    )
    found = set()
    for line in said.splitlines():
        where, _, what = line.partition(": ")
        number = int(where.rpartition(":")[2])
        if revealed := re.search(r'Revealed type is "(.*)"', what):
            found.add((number, "T", re.sub(r"\b(\w+\.)+(?=\w)", "", revealed[1])))
        elif what.startswith("error"):
            found.add((number, "E", re.search(r"\[([a-z-]+)\]$", what)[1]))
    errors = {number for number, kind, _ in EXPECTED if kind == "E"}
    # A call may be wrong in more than one way.
    assert {one for one in found if one[0] not in errors} | (found & EXPECTED) == EXPECTED, said


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("pyright") is None and shutil.which("node") is None, reason="needs node")
def test_pyright_finds_the_errors(settings):
    pyright = shutil.which("pyright", path=str(Path(sys.executable).parent)) or shutil.which("pyright")
    if pyright is None:
        pytest.skip("pyright is not installed")
    said = json.loads(
        run(pyright, "--outputjson", "--pythonpath", sys.executable, PROGRAM.name, cwd=settings)
    )
    found = {
        one["range"]["start"]["line"] + 1 for one in said["generalDiagnostics"] if one["severity"] == "error"
    }
    assert found == {number for number, kind, _ in EXPECTED if kind == "E"}, said
