"""What a user gets: an sdist of the tree, and wheels built from that sdist, with and without a compiler."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

# An editable install of this tree would answer `import pullback` before the folder that is tested.
PRELUDE = """
import sys
sys.meta_path = [finder for finder in sys.meta_path if "ScikitBuild" not in type(finder).__name__]
sys.path = [{folder!r}] + [path for path in sys.path if path != {sources!r}]
"""


def run(*command, cwd, **environment):
    """Run a command to its end; its output is the assertion's text if it fails."""
    # A user has not asked for the native engine to be required, as continuous integration does.
    own = {name: value for name, value in os.environ.items() if name != "PULLBACK_REQUIRE_NATIVE"}
    variables = {**own, **environment}
    done = subprocess.run(list(map(str, command)), cwd=cwd, env=variables, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def run_installed(folder, code, **environment):
    """Run Python code in which `pullback` is what was installed into this folder, far from the sources."""
    prelude = PRELUDE.format(folder=str(folder), sources=str(ROOT / "src"))
    return run(sys.executable, "-c", prelude + code, cwd=folder, **environment)


def tracked_files():
    """Paths that belong to the repository, relative to its root."""
    listed = run("git", "ls-files", "--cached", "--others", "--exclude-standard", cwd=ROOT)
    return [Path(line) for line in listed.splitlines()]


@pytest.fixture(scope="session")
def sdist(tmp_path_factory):
    """A source distribution made from the files that belong to the tree."""
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        pytest.skip("not a git checkout, so what belongs to the tree is unknown")
    tree = tmp_path_factory.mktemp("tree")
    for path in tracked_files():
        source = ROOT / path
        if source.is_symlink() or source.exists():
            target = tree / path
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target, follow_symlinks=False)
    build = "import sys; from scikit_build_core.build import build_sdist; build_sdist(sys.argv[1])"
    run(sys.executable, "-c", build, tree / "dist", cwd=tree)
    (made,) = (tree / "dist").glob("*.tar.gz")
    return made


PIP = (sys.executable, "-m", "pip")


def build_wheel(sdist, folder, **environment):
    """The wheel that pip builds from the sdist."""
    options = ("--no-build-isolation", "--no-deps", "--no-index", "--no-cache-dir", "--wheel-dir", folder)
    run(*PIP, "wheel", *options, sdist, cwd=folder, **environment)
    (made,) = folder.glob("*.whl")
    return made


def install(folder, *wheels):
    """Install wheels, and nothing else, into a folder."""
    run(*PIP, "install", "--no-deps", "--no-index", "--target", folder, *wheels, cwd=folder.parent)
    return folder


@pytest.fixture(scope="session")
def lint_wheel(tmp_path_factory):
    """The wheel of pullback-lint, built from the sdist that is built in its folder."""
    folder = tmp_path_factory.mktemp("lint")
    build = "import sys; from scikit_build_core.build import build_sdist; build_sdist(sys.argv[1])"
    run(sys.executable, "-c", build, folder, cwd=ROOT / "lint")
    (sdist,) = folder.glob("*.tar.gz")
    return build_wheel(sdist, folder)


@pytest.fixture(scope="session")
def wheel(sdist, tmp_path_factory):
    """A wheel with the native engine; skipped where there is no compiler."""
    if not any(map(shutil.which, ("c++", "g++", "clang++"))):
        pytest.skip("no C++ compiler")
    return build_wheel(sdist, tmp_path_factory.mktemp("wheel"), PULLBACK_REQUIRE_NATIVE="1")


@pytest.fixture(scope="session")
def no_compiler(tmp_path_factory):
    """Environment variables of a machine without a C++ compiler."""
    return {
        "PATH": str(tmp_path_factory.mktemp("empty_path")),
        "CC": "/nonexistent/cc",
        "CXX": "/nonexistent/c++",
    }


@pytest.fixture(scope="session")
def wheel_without_compiler(sdist, no_compiler, tmp_path_factory):
    """The wheel that a machine without a compiler gets."""
    return build_wheel(sdist, tmp_path_factory.mktemp("wheel_without"), **no_compiler)
