"""``[tool.pullback.lint]``: what it does, and what is wrong with it, with the place."""

from __future__ import annotations

from pathlib import Path

import pytest

from pullback.tools.cli import main

from ..conftest import CLASS, Lint, configure


def codes(found: list[dict[str, object]]) -> list[object]:
    return [finding["code"] for finding in found]


@pytest.mark.parametrize(
    ("table", "left"),
    [
        ("", ["PB101"]),
        ("select = ['PB1']", ["PB101"]),
        ("select = ['PB2']", []),
        ("select = []", []),
        ("ignore = ['PB101']", []),
        ("select = ['PB101']\nignore = ['PB1']", ["PB101"]),
        ("select = ['PB1']\nignore = ['PB101']", []),
        ("exclude = ['f.py']", []),
        ("exclude = ['g*.py']", ["PB101"]),
        ("per-file-ignores = {'f.py' = ['PB1']}", []),
        ("[tool.pullback.lint.per-file-ignores]\n'tests/**' = ['ALL']", ["PB101"]),
        ("[tool.pullback.lint.per-file-ignores]\n'!tests/**' = ['ALL']", []),
    ],
)
def test_a_table(table: str, left: list[str], folder: Path, lint: Lint) -> None:
    configure(folder, table)
    assert codes(lint(".")) == left


def test_a_named_file_is_linted_though_excluded(folder: Path, lint: Lint) -> None:
    configure(folder, "exclude = ['f.py']")
    assert codes(lint("f.py")) == ["PB101"]
    assert codes(lint("f.py", "--force-exclude")) == []


def test_a_folder_is_excluded(folder: Path, lint: Lint) -> None:
    (folder / "made" / "deep").mkdir(parents=True)
    (folder / "made" / "deep" / "g.py").write_text(CLASS)
    assert len(lint(".")) == 2
    for pattern in ("made", "made/", "made/deep", "made/*"):
        configure(folder, f"exclude = ['{pattern}']")
        assert len(lint(".")) == 1, pattern


def test_each_file_has_the_nearest_configuration_with_the_table(folder: Path, lint: Lint) -> None:
    configure(folder, "ignore = ['PB1']")
    for name, text in (("a", "[tool.pullback.lint]\n"), ("b", "[tool.other]\n")):
        (folder / name).mkdir()
        (folder / name / "pyproject.toml").write_text(text)
        (folder / name / "f.py").write_text(CLASS)
    assert [finding["path"] for finding in lint(".")] == ["a/f.py"]


def test_the_command_line_comes_first(folder: Path, lint: Lint) -> None:
    configure(folder, "select = ['PB2']\nexclude = ['f.py']")
    assert codes(lint(".", "--select", "PB1", "--exclude", "other")) == ["PB101"]
    assert codes(lint(".", "--select", "PB1,PB2", "--ignore", "PB101", "--exclude", "other")) == []


def test_another_configuration_can_be_named(folder: Path, lint: Lint) -> None:
    (folder / "mine.toml").write_text("[tool.pullback.lint]\nignore = ['PB101']\n")
    assert codes(lint("f.py", "--config", "mine.toml")) == []


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (
            "ignores = []",
            "pyproject.toml:5:1: unknown key 'ignores' in [tool.pullback.lint]; did you mean ignore?",
        ),
        ("size = 3", "pyproject.toml:5:1: unknown key 'size' in [tool.pullback.lint]; there are select, "),
        ("ignore = 'PB101'", "pyproject.toml:5:1: ignore is a list of strings, not 'PB101'"),
        ("exclude = [1]", "pyproject.toml:5:1: exclude is a list of strings, not [1]"),
        ("select = [\n  'PB1',\n  'PB777',\n]", "pyproject.toml:7:3: no rule has the code or prefix 'PB777'"),
        (
            "select = ['pb101']",
            "pyproject.toml:5:11: no rule has the code or prefix 'pb101'; did you mean PB101?",
        ),
        ("per-file-ignores = ['f.py']", "pyproject.toml:5:1: per-file-ignores is a table"),
        (
            "[tool.pullback.lint.per-file-ignores]\n'f.py' = ['X1']",
            "pyproject.toml:6:11: no rule has the code",
        ),
        ("select = [", "pyproject.toml"),
    ],
)
def test_what_is_wrong_is_located_and_misuse(
    table: str, message: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    configure(folder, table + "\n")
    assert main(["lint", "."]) == 2
    assert capsys.readouterr().err.startswith(f"pullback: {folder}/{message}")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--select", ""], "--select names no code"),
        (["--select", "E501"], "no rule has the code or prefix 'E501'"),
        (["--config", "gone.toml"], "gone.toml: cannot be read: No such file or directory"),
    ],
)
def test_wrong_options_are_misuse(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["lint", "f.py", *arguments]) == 2
    assert capsys.readouterr().err.startswith(f"pullback: {message}")
