"""A finding shows the path of the value: where it is computed, saved, used, and what is lost."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pullback.tools.cli import main

SCALED = """\
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
        first = grad * b
        second = grad * t
        return first, second + first
"""


@pytest.fixture
def path(tmp_path: Path) -> str:
    file = tmp_path / "scaled.py"
    file.write_text(SCALED)
    return str(file)


def test_the_path_of_a_captured_value(path: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lint", path]) == 1
    head, line, caret, hint, _, last = capsys.readouterr().out.splitlines()
    assert head == (
        f"{path}:8:34: PB101 error: `t` is an intermediate: computed from `a` and `b` (line 7), saved "
        "(line 8), enters the returned gradient (line 15, line 16); when the backward is differentiated, the "
        "term that goes through `t` to `a` and `b` is lost, and second derivatives are silently wrong"
    )
    assert line == "        ctx.save_for_backward(b, t)"
    assert caret.index("^") == line.index("t)")
    assert hint.startswith("  help: recompute it in the backward")
    assert last == "1 error: 1 autograd function in 1 file"


def test_json_names_the_class_and_the_value(path: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lint", "--format", "json", path]) == 1
    (finding,) = json.loads(capsys.readouterr().out)
    shown = {key: finding[key] for key in ("code", "rule", "severity", "name", "value", "line", "column")}
    assert shown == {
        "code": "PB101",
        "rule": "captured-intermediate",
        "severity": "error",
        "name": "Scaled",
        "value": "t",
        "line": 8,
        "column": 34,
    }


def test_advice_shows_when_asked_for(path: str, capsys: pytest.CaptureFixture[str]) -> None:
    main(["lint", "--verbose", path])
    assert "PB903 info: the backward computes 2 gradients" in capsys.readouterr().out


def test_a_helper_of_another_file_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "helpers.py").write_text("def added(a, b):\n    return a + b\n")
    text = SCALED.replace("t = a + b", "t = added(a, b)").replace(
        "import torch\n", "import torch\nfrom helpers import added\n"
    )
    (tmp_path / "scaled.py").write_text(text)
    assert main(["lint", str(tmp_path)]) == 1
    assert "computed from `a` and `b` (helpers.py, line 2), saved (line 9)" in capsys.readouterr().out


def test_nothing_of_the_linted_code_runs(tmp_path: Path) -> None:
    marker = tmp_path / "ran"
    (tmp_path / "scaled.py").write_text(f"open({str(marker)!r}, 'w')\n" + SCALED)
    assert main(["lint", str(tmp_path)]) == 1
    assert not marker.exists()


def test_columns_are_counted_in_characters(path: str, capsys: pytest.CaptureFixture[str]) -> None:
    file = Path(path)
    file.write_text(SCALED.replace("ctx.save_for_backward(b, t)", 'print("é"); ctx.save_for_backward(b, t)'))
    assert main(["lint", "--format", "json", path]) == 1
    (finding,) = json.loads(capsys.readouterr().out)
    line = file.read_text().splitlines()[finding["line"] - 1]
    assert line[finding["column"] - 1 :].startswith("t)")


@pytest.mark.parametrize(
    ("stored", "place"),
    [
        ("ctx.a = a", "as `ctx.a`"),
        ("ctx.kept = a, b", "in `ctx.kept`"),
        ("import functools; ctx.times = functools.partial(torch.mul, a)", "in `ctx.times`"),
    ],
)
def test_an_input_is_where_the_context_has_it(
    stored: str, place: str, path: str, capsys: pytest.CaptureFixture[str]
) -> None:
    text = SCALED.replace("t = a + b", f"t = 1 + b; {stored}").replace("(b, t)", "(b)")
    used = {"ctx.a = a": "ctx.a", "ctx.kept = a, b": "ctx.kept[0]"}.get(stored, "ctx.times(b)")
    Path(path).write_text(text.replace("b, t = ctx", "(b,) = ctx").replace("grad * t", f"grad * {used}"))
    main(["lint", path])
    assert f"PB306 warning: the input `a` is stored {place}: no version" in capsys.readouterr().out


def test_an_item_without_a_name_is_called_as_it_is_written(
    path: str, capsys: pytest.CaptureFixture[str]
) -> None:
    text = SCALED.replace("t = a + b", "kept = [b, torch.exp(a)]")
    Path(path).write_text(text.replace("(b, t)", "(*kept)").replace("t * b", "kept[1] * b"))
    main(["lint", path])
    assert "`torch.exp(a)` is an intermediate: computed from `a` (line 7)" in capsys.readouterr().out
