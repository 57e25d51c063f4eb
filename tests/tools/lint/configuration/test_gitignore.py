"""What git ignores is left out of a walk, as git itself says."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from pullback.tools.cli import main
from pullback.tools.lint.configuration.gitignore import GitIgnore

from ..conftest import CLASS, Lint, configure

FILES = (
    "a.py",
    "made/a.py",
    "made/deep/a.py",
    "src/made/a.py",
    "src/a_pb2.py",
    "src/b.py",
    "src/kept_pb2.py",
    "other/only_here.py",
    "other/sub/only_here.py",
    "only_here.py",
    "excluded.py",
)
IGNORED = {".gitignore": "# made\n/made/\n*_pb2.py\n!kept_pb2.py\n", "other/.gitignore": "only_here.py\n"}


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository of git with files that it ignores and files that it does not."""
    tmp_path = tmp_path / "repository"
    for name in FILES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(CLASS)
    for name, text in IGNORED.items():
        (tmp_path / name).write_text(text)
    subprocess.run(["git", "init", "--quiet", tmp_path], check=True)
    (tmp_path / ".git" / "info" / "exclude").write_text("excluded.py\n")
    return tmp_path


def test_the_same_files_are_ignored_as_by_git(repository: Path) -> None:
    asked = subprocess.run(
        ["git", "check-ignore", *FILES], cwd=repository, capture_output=True, text=True, check=False
    )
    ignored = GitIgnore(repository)

    def leaves_out(name: str) -> bool:
        parts = Path(name).parts
        return any(
            ignored(repository.joinpath(*parts[:depth]), part, depth < len(parts) - 1)
            for depth, part in enumerate(parts)
        )

    assert {name for name in FILES if leaves_out(name)} == set(asked.stdout.split())
    assert len(asked.stdout.split()) == 6


def walked(lint: Lint, *arguments: str) -> set[object]:
    return {finding["path"] for finding in lint(*arguments)}


def test_a_walk_leaves_them_out(repository: Path, lint: Lint, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(repository)
    assert walked(lint, ".") == {"a.py", "src/b.py", "src/made/a.py", "src/kept_pb2.py", "only_here.py"}
    assert walked(lint, "src") == {"src/b.py", "src/made/a.py", "src/kept_pb2.py"}


def test_what_is_named_is_linted(repository: Path, lint: Lint, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(repository)
    assert walked(lint, "src/a_pb2.py") == {"src/a_pb2.py"}
    assert walked(lint, "made") == {"made/a.py", "made/deep/a.py"}


def test_it_can_be_switched_off(repository: Path, lint: Lint, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(repository)
    assert walked(lint, "--no-respect-gitignore", ".") == set(FILES)
    configure(repository, "respect-gitignore = false")
    assert walked(lint, ".") == set(FILES)
    assert "made/a.py" not in walked(lint, "--respect-gitignore", ".")


def test_a_wrong_value_has_its_place(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    configure(repository, "respect-gitignore = 'no'")
    assert main(["lint", str(repository)]) == 2
    assert "respect-gitignore is true or false, not 'no'" in capsys.readouterr().err
