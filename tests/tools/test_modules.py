"""Where the modules that a linted file imports stand."""

from __future__ import annotations

from pathlib import Path

import pytest

from pullback.tools.modules import find_module


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """``package/sub/asker.py`` and what it can import."""
    for folder in ("package", "package/sub"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "__init__.py").write_text(f"# {folder}\n")
    for file in ("package/helpers.py", "package/sub/asker.py", "package/sub/near.py", "beside.py"):
        (tmp_path / file).write_text(f"# {file}\n")
    return tmp_path


@pytest.mark.parametrize(
    ("name", "found"),
    [
        (".near", "package/sub/near.py"),
        ("..helpers", "package/helpers.py"),
        ("..", "package"),
        (".", "package/sub"),
        ("package.helpers", "package/helpers.py"),
        ("package.sub", "package/sub"),
        ("beside", "beside.py"),
    ],
)
def test_a_module_is_found(tree: Path, name: str, found: str) -> None:
    source = find_module(name, str(tree / "package/sub/asker.py"))
    assert source is not None
    assert source.text == f"# {found}\n"


@pytest.mark.parametrize("name", ["elsewhere", "package.gone", ".gone", "....too.far"])
def test_what_is_not_at_hand_is_none(tree: Path, name: str) -> None:
    assert find_module(name, str(tree / "package/sub/asker.py")) is None


def test_what_is_no_text_is_none(tree: Path) -> None:
    (tree / "package/sub/bytes.py").write_bytes(b"\xff\xfe")
    assert find_module(".bytes", str(tree / "package/sub/asker.py")) is None


def test_an_installed_package_is_found_after_the_files_own(
    tree: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed = tmp_path_factory.mktemp("environment") / "site-packages"
    installed.mkdir()
    for name in ("beside", "elsewhere"):
        (installed / f"{name}.py").write_text(f"# installed {name}\n")
    monkeypatch.syspath_prepend(str(installed))
    found = [find_module(name, str(tree / "package/sub/asker.py")) for name in ("beside", "elsewhere")]
    assert [source.text for source in found if source] == ["# beside.py\n", "# installed elsewhere\n"]
