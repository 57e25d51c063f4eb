"""The wheels hold the folders under one import name, each module in one of them, and work where installed."""

import platform
import re
import sys
import tarfile
import zipfile
from pathlib import PurePosixPath

import pytest

from .conftest import ROOT, install, run_installed, tracked_files

FOLDERS = ("formulas", "transpile", "engine", "tools")

GRADIENT = """
import numpy as np
import pullback as pb
with pb.use_engine({engine!r}):
    values = np.array([1.0, 2.0])
    x = pb.tensor(values, requires_grad=True)
    (gradient,) = pb.grad((np.exp(x) * x).sum(), [x], create_graph=True)
    (second,) = pb.grad(gradient.sum(), [x])
print(pb.__file__)
np.testing.assert_allclose(second.numpy(), (2 + values) * np.exp(values))
"""

CUBE = """
import pullback as pb

@pb.formula
def cube(x):
    def cube_pullback(grad):
        return 3 * x * x * grad
    return x * x * x, cube_pullback
"""

LINT = """
from pullback.tools.cli import main
sys.argv = ["pullback", "lint", {path!r}]
try:
    status = main()
except SystemExit as stop:
    status = stop.code
assert not status, status
"""


def names(wheel):
    with zipfile.ZipFile(wheel) as archive:
        return archive.namelist()


def expected_modules():
    """Python files of the tree, as the wheel names them."""
    inside = [path for path in tracked_files() if path.suffix == ".py"]
    ours = [PurePosixPath("pullback", *path.parts) for path in inside if path.parts[0] in FOLDERS]
    ours += [PurePosixPath("pullback", *path.parts[1:]) for path in inside if path.parts[0] == "frameworks"]
    top = [PurePosixPath(*path.parts[1:]) for path in inside if path.parts[:2] == ("src", "pullback")]
    return {str(path) for path in (*ours, *top) if (ROOT / "src" / path).exists()}


@pytest.mark.compiler
@pytest.mark.slow
def test_everything_is_under_one_import_name(wheel):
    top = {name.split("/")[0] for name in names(wheel)}
    assert {name for name in top if not name.endswith(".dist-info")} == {"pullback"}


@pytest.mark.compiler
@pytest.mark.slow
def test_every_module_is_in_one_of_the_wheels(wheel, lint_wheel):
    python = [name for name in (*names(wheel), *names(lint_wheel)) if name.endswith(".py")]
    assert set(python) == expected_modules()
    assert len(python) == len(set(python))


@pytest.mark.compiler
@pytest.mark.slow
def test_headers_types_and_the_native_module_are_there(wheel):
    inside = names(wheel)
    assert "pullback/engine/native/include/pullback/kernel_abi.h" in inside
    assert "pullback/engine/native/include/pullback/operators.h" in inside  # which the build writes
    assert any(name.startswith("pullback/engine/native/_native.") and name.endswith(".so") for name in inside)
    if platform.machine() == "x86_64" and sys.platform == "linux":
        levels = {
            "pullback/engine/native/kernels-x86-64-v3.so",
            "pullback/engine/native/kernels-x86-64-v4.so",
        }
        assert levels <= set(inside)
    # What kernels share, compiled with the first of them, and what JAX and PyTorch call them through.
    sources = {name.removeprefix("pullback/") for name in inside if name.endswith(".cpp")}
    assert sources == {
        "engine/native/kernel_runtime.cpp",
        "jax/ffi/bridge.cpp",
        "torch/bridge/bridge.cpp",
    }
    headers = [path.name for path in (ROOT / "frameworks/torch/bridge").glob("*.h")]
    assert headers
    assert {f"pullback/torch/bridge/{name}" for name in headers} <= set(inside)


@pytest.mark.compiler
@pytest.mark.slow
@pytest.mark.parametrize("engine", ["reference", "native"])
def test_second_derivatives_where_it_is_installed(wheel, lint_wheel, tmp_path, engine):
    folder = install(tmp_path / "site", wheel, lint_wheel)
    assert str(folder) in run_installed(folder, GRADIENT.format(engine=engine))


def test_without_a_compiler_the_package_installs(wheel_without_compiler, lint_wheel, no_compiler, tmp_path):
    assert not any(name.endswith(".so") for name in names(wheel_without_compiler))
    folder = install(tmp_path / "site", wheel_without_compiler, lint_wheel)
    assert str(folder) in run_installed(folder, GRADIENT.format(engine="reference"), **no_compiler)


def test_without_a_compiler_lint_works(wheel_without_compiler, lint_wheel, no_compiler, tmp_path):
    folder = install(tmp_path / "site", wheel_without_compiler, lint_wheel)
    formula = tmp_path / "cube.py"
    formula.write_text(CUBE)
    run_installed(folder, LINT.format(path=str(formula)), **no_compiler)


def test_without_a_compiler_the_native_engine_says_so(
    wheel_without_compiler, lint_wheel, no_compiler, tmp_path
):
    folder = install(tmp_path / "site", wheel_without_compiler, lint_wheel)
    code = """
import pullback as pb
try:
    pb.use_engine("native")
except ImportError as error:
    print(error)
"""
    assert "native engine is not built" in run_installed(folder, code, **no_compiler)


@pytest.mark.parametrize("which", ["wheel of a checkout", "sdist", "wheel of an sdist", "editable"])
def test_the_package_requires_the_linter_that_belongs_to_it(which, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "cmake")
    import lint_distribution

    provider = lint_distribution.Provider()
    provider.build_state(which if which in ("editable", "sdist") else "wheel")
    if which == "wheel of an sdist":
        (tmp_path / "PKG-INFO").touch()
        monkeypatch.setattr(lint_distribution, "ROOT", tmp_path)
    made = provider.dynamic_metadata({}, {"version": "1.2"})
    if which == "editable":  # which has the linter's files itself
        assert made["scripts"] == {"pullback": "pullback.tools.cli:main"}
        assert any(name.startswith("rich") for name in made["dependencies"])
        return
    where = "==1.2" if "sdist" in which else f" @ {(ROOT / 'lint').as_uri()}"
    assert made == {"dependencies": [f"pullback-lint{where}"], "scripts": {}, "entry-points": {}}


@pytest.mark.parametrize("home", ["", "https://example.org/pullback/"])
def test_the_long_description_leads_to_the_home_page(home, monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "cmake")
    import home_page

    monkeypatch.setenv(home_page.VARIABLE, home)
    made = home_page.Provider().dynamic_metadata({}, {"version": "1.2"})
    text = made["readme"]["text"]
    if not home:
        assert made["urls"] == {}
        assert text == (ROOT / "README.md").read_text()
        return
    assert made["urls"]["Homepage"] == "https://example.org/pullback"
    assert "](https://example.org/pullback/raw/v1.2/docs/simple.svg)" in text
    links = re.findall(r"\]\(([^)]*)\)", text)
    assert links
    assert all(link.startswith("https://") for link in links)


def test_a_wheel_of_an_sdist_has_its_home_page(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "cmake")
    import home_page

    monkeypatch.delenv(home_page.VARIABLE, raising=False)
    monkeypatch.setattr(home_page, "ROOT", tmp_path)
    (tmp_path / "README.md").write_text("[a](b.md)")
    (tmp_path / "PKG-INFO").write_text("Name: pullback\nProject-URL: Homepage, https://example.org/p\n\ntext")
    made = home_page.Provider().dynamic_metadata({}, {"version": "1.2"})
    assert made["readme"]["text"] == "[a](https://example.org/p/blob/v1.2/b.md)"


def test_the_sdist_and_the_small_wheel_hold_no_leftovers(sdist, wheel_without_compiler, lint_wheel):
    with tarfile.open(sdist) as archive:
        packed = {PurePosixPath(*PurePosixPath(name).parts[1:]) for name in archive.getnames()}
    tracked = {PurePosixPath(path) for path in tracked_files()}
    folders = {parent for path in tracked for parent in path.parents}
    assert packed - tracked - folders == {PurePosixPath("PKG-INFO")}
    for wheel in (wheel_without_compiler, lint_wheel):
        assert leftovers(wheel) == []


@pytest.mark.compiler
@pytest.mark.slow
def test_the_wheel_holds_no_tests_and_no_leftovers(wheel):
    assert leftovers(wheel) == []
    assert {name for name in names(wheel) if name.endswith(".so")} <= {
        "pullback/engine/native/kernels-x86-64-v3.so",
        "pullback/engine/native/kernels-x86-64-v4.so",
        *(name for name in names(wheel) if "/_native." in name),
    }


def leftovers(wheel):
    """What has no place in a wheel: tests, objects, static libraries, caches, files of builds."""
    allowed = {".py", ".pyi", ".typed", ".so", ".h", ".cmake", ".html", ".css", ".jinja", ".json"}
    allowed |= {".md", ".txt", ".svg", ".js", ".j2", ".cpp"}
    return [
        name
        for name in names(wheel)
        if ".dist-info/" not in name
        and (
            PurePosixPath(name).suffix not in allowed
            or {"tests", "build", "__pycache__", "src"} & set(PurePosixPath(name).parts)
        )
    ]


def test_the_backend_builds_the_linter_for_a_hook(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "cmake")
    import backend

    monkeypatch.chdir(ROOT)
    assert "numpy>=2.0" in backend.get_requires_for_build_wheel()
    monkeypatch.setenv("VIRTUAL_ENV", str(ROOT / "py_env-python3"))
    assert backend.get_requires_for_build_wheel() == []
    built = backend.build_wheel(str(tmp_path))
    assert built.startswith("pullback_lint-")
