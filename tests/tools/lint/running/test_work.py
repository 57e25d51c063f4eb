"""Processes: whatever their number, and the order of the files, the findings are the same."""

from __future__ import annotations

from multiprocessing import active_children
from pathlib import Path
from signal import SIGTERM

import pytest

from pullback.tools.cli import main
from pullback.tools.lint.running import work
from pullback.tools.lint.running.work import Crash, Task, lint_all, processes_for

from ..conftest import CLASS, Lint


def test_findings_do_not_depend_on_the_number_of_processes(folder: Path, lint: Lint) -> None:
    for number in range(20):
        (folder / f"g{number}.py").write_text("\n" * number + CLASS)
    alone = lint(".", "--no-cache", "-j", "1")
    assert len(alone) == 21
    assert lint(".", "--no-cache", "-j", "2") == alone


def test_nor_on_the_order_of_the_files(folder: Path) -> None:
    tasks = [Task(number, f"g{number}.py", ("\n" * number + CLASS).encode()) for number in range(5)]
    assert dict(lint_all(tasks, 1)) == dict(lint_all(tasks[::-1], 1))


def test_processes_are_ended_where_the_caller_stops() -> None:
    others = set(active_children())
    outcomes = lint_all([Task(number, f"g{number}.py", CLASS.encode()) for number in range(400)], 2)
    next(outcomes)
    processes = set(active_children()) - others
    outcomes.close()
    assert {process.exitcode for process in processes} == {-SIGTERM}


def test_a_file_that_is_named_twice_is_linted_once(folder: Path, lint: Lint) -> None:
    assert len(lint("f.py", ".", str(folder / "f.py"))) == 1


def test_few_files_are_linted_in_this_process() -> None:
    assert processes_for(3, None) == 1
    assert processes_for(0, 4) == 1
    assert processes_for(3, 8) == 3


def test_a_bug_of_ours_costs_one_file(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    real = work.lint_source

    def fail(source, program):
        if source.path == "g.py":
            raise IndexError("oops")
        return real(source, program)

    monkeypatch.setattr(work, "lint_source", fail)
    (folder / "g.py").write_text(CLASS)
    assert main(["lint", "g.py", "f.py", "--no-cache"]) == 3
    printed = capsys.readouterr()
    assert "f.py:8:34: PB101" in printed.out
    assert printed.err == "pullback: g.py: this is a bug in pullback: IndexError: oops\n"
    assert dict(lint_all([Task(0, "g.py", b"x = 1")], 1)) == {0: Crash("g.py", "IndexError: oops")}
