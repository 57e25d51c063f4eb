"""The verdict of each capture, with line and column, as ``pullback lint --verbose`` prints it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pullback.tools.cli import main

from .conftest import Write

SEVEN_WAYS = Path(__file__).resolve().parents[2] / "cases" / "seven_ways.py"

KINDS = """import numpy as np
import pullback as pb


@pb.formula
def kinds(x, y):
    mask = x > 0
    size = x.shape[0]
    flat = np.reshape(y, (-1,))
    r = np.exp(x)

    def kinds_pullback(grad):
        return np.where(mask, grad * r, 0.0) / size, np.reshape(flat, y.shape) * grad

    return r, kinds_pullback
"""


def findings(path: str, capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    main(["lint", "--verbose", "--format", "json", path])
    found: list[dict[str, Any]] = json.loads(capsys.readouterr().out)
    return found


def test_every_capture_of_the_seven_ways_has_its_verdict_at_its_place(
    capsys: pytest.CaptureFixture[str],
) -> None:
    lines = SEVEN_WAYS.read_text().splitlines()
    found = findings(str(SEVEN_WAYS), capsys)
    for finding in found:
        if finding["code"] in ("PB100", "PB101"):
            assert lines[finding["line"] - 1][finding["column"] - 1 :].startswith(finding["value"])
    verdicts = {(f["name"], f["value"]): f["message"] for f in found if f["code"] in ("PB100", "PB101")}
    assert verdicts["simple_captured", "b"].startswith("`b` is an input: saved")
    assert verdicts["simple_captured", "t"].startswith("`t` is an intermediate (line 9): promoted")
    assert verdicts["simple_almost", "t"] == "`t` is an intermediate: its gradient has a hand-written rule"
    assert verdicts["simple_by_hand", "t"] == "`t` is an intermediate: its gradient has a hand-written rule"


def test_only_the_lost_path_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    errors = [f for f in findings(str(SEVEN_WAYS), capsys) if f["severity"] == "error"]
    lines = SEVEN_WAYS.read_text().splitlines()
    assert {f["name"] for f in errors} == {"simple_lost_path"}
    assert any("pb.tensor(t)" in lines[f["line"] - 1] for f in errors)


def test_recomputing_is_advice(capsys: pytest.CaptureFixture[str]) -> None:
    (advice,) = (f for f in findings(str(SEVEN_WAYS), capsys) if f["code"] == "PB901")
    assert (advice["name"], advice["severity"]) == ("simple_recomputed", "info")


def test_a_mask_a_size_a_view_and_a_result_are_no_findings(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(KINDS)
    assert main(["lint", path]) == 0
    capsys.readouterr()
    said = {f["value"]: f["message"] for f in findings(path, capsys) if f["code"] == "PB100"}
    assert said["mask"].startswith("`mask` is not differentiable: ")
    assert said["size"].startswith("`size` is a size: ")
    assert said["flat"].startswith("`flat` is a view: ")
    assert said["r"].startswith("`r` is a result: ")
