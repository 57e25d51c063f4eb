"""Silently wrong classes of published packages are right after `--fix` alone; verdicts about others.

Nothing of them is in this repository: the test fetches them.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from pullback.tools.cli import main
from pullback.tools.lint.frontend.modules import Program
from pullback.tools.lint.linter import lint_source
from pullback.tools.modules import find_module
from pullback.transpile.ir import Source

from ...packages import fetched
from ..rules.torch.known_cases import PACKAGES

pytestmark = pytest.mark.slow
Verdict = pytest.importorskip("pullback.tools.torch_classes.verdicts").Verdict  # it imports PyTorch

NEEDED = {"entmax": PACKAGES["entmax"], "gpytorch": PACKAGES["gpytorch"]}
# What those two import.
HELPERS = {"linear_operator": PACKAGES["linear_operator"], "jaxtyping": "0.3.11", "mpmath": "1.4.1"}

POINTS = "torch.rand(3, 2), torch.rand(4, 2) + 1, torch.rand(1, 1) + 0.5"
SYMMETRIC = "(lambda m: m + m.mT)(torch.rand(3, 3))"


class Case(NamedTuple):
    """A class and inputs for it."""

    path: str
    name: str
    inputs: str
    after: Any = Verdict.RIGHT


# Their derivatives hold along symmetric matrices alone, and `check` takes every direction.
OF_SYMMETRIC = Verdict.SILENTLY_WRONG
CASES = (
    Case(
        "gpytorch/functions/_log_normal_cdf.py",
        "LogNormalCDF",
        "torch.tensor([-3.0, -1.5, -0.5, 0.1, 1.0, 2.0])",
    ),
    Case(
        "gpytorch/functions/matern_covariance.py",
        "MaternCovariance",
        f"{POINTS}, 2.5, lambda a, b: torch.cdist(a, b)",
    ),
    Case(
        "gpytorch/functions/rbf_covariance.py",
        "RBFCovariance",
        f"{POINTS}, lambda a, b: torch.cdist(a, b) ** 2",
    ),
    Case(
        "gpytorch/variational/large_batch_variational_strategy.py",
        "QuadFormDiagonal",
        f"{SYMMETRIC}, torch.rand(3, 4)",
        OF_SYMMETRIC,
    ),
    Case(
        "gpytorch/variational/variational_strategy.py",
        "ComputePredictiveUpdates",
        f"torch.rand(3, 3).tril() + torch.eye(3), torch.rand(3, 4), {SYMMETRIC}, torch.rand(3)",
        OF_SYMMETRIC,
    ),
    Case("entmax/root_finding.py", "EntmaxBisectFunction", "torch.rand(3, 4), torch.tensor(1.5)"),
)
# Their forwards write into what a function gave them, which may be a view of an input as far as lint sees.
LEFT = (
    ("entmax/losses.py", "SparsemaxLossFunction"),
    ("entmax/losses.py", "Entmax15LossFunction"),
)

OTHERS = (
    (Case("entmax/activations.py", "SparsemaxFunction", "torch.rand(3, 4) * 2, -1, None"), Verdict.RIGHT),
    (Case("entmax/activations.py", "Entmax15Function", "torch.rand(3, 4) * 2, -1, None"), Verdict.RIGHT),
    (Case("entmax/root_finding.py", "SparsemaxBisectFunction", "torch.rand(3, 4) * 2"), Verdict.RIGHT),
    (Case("entmax/root_finding.py", "NormmaxBisectFunction", "torch.rand(3, 4) * 2, 2"), Verdict.RIGHT),
    (Case("entmax/root_finding.py", "BudgetBisectFunction", "torch.rand(3, 4) * 2, 2"), Verdict.RIGHT),
    (
        Case(
            "gpytorch/variational/natural_variational_distribution.py",
            "_NaturalToMuVarSqrt",
            "torch.rand(3), -(torch.eye(3) + 0.1 * torch.ones(3, 3))",
        ),
        Verdict.FIRST_WRONG,
    ),
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with all packages side by side, as they were published."""
    folder = tmp_path_factory.mktemp("site")
    for package in fetched({**NEEDED, **HELPERS}, tmp_path_factory.mktemp("wheels")).values():
        shutil.copytree(package, folder, dirs_exist_ok=True)
    return folder


def verdict(folder: Path, case: Case) -> str:
    """What `check` says, in a process of its own: the packages are imported."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([*filter(None, sys.path), str(folder)])}
    command = [sys.executable, "-W", "ignore", "-m", "pullback.tools.cli", "check"]
    target = f"{folder / case.path}::{case.name}"
    done = subprocess.run(
        [*command, target, "--inputs", case.inputs],
        capture_output=True,
        text=True,
        env={**environment, "COLUMNS": "200"},
        check=False,
    )
    rows = [line for line in done.stdout.splitlines() if case.name in line and "│" in line]
    return rows[0].split("│")[2].strip() if rows else done.stdout + done.stderr


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_silently_wrong_class_is_repaired(case: Case, folder: Path, tmp_path: Path) -> None:
    assert verdict(folder, case) == Verdict.SILENTLY_WRONG.value
    shutil.copytree(folder, tmp_path / "site")
    path = tmp_path / "site" / case.path
    main(["lint", "--fix", "--no-cache", str(path)])
    source = Source(str(path), path.read_text())
    found = lint_source(source, Program(find_module)).findings
    assert [f for f in found if f.name == case.name and f.severity != "info"] == []
    assert verdict(tmp_path / "site", case) == case.after.value


@pytest.mark.parametrize(("path", "name"), LEFT)
def test_a_class_whose_forward_may_change_its_input_is_left(
    path: str, name: str, folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(folder, tmp_path / "site")
    changed = tmp_path / "site" / path
    main(["lint", "--fix", "--no-cache", str(changed)])
    said = " ".join(capsys.readouterr().err.split())
    assert f"in {name} not fixed: the forward may change" in said
    assert changed.read_text() == (folder / path).read_text()


@pytest.mark.parametrize(("case", "expected"), OTHERS, ids=lambda value: getattr(value, "name", None))
def test_other_classes_have_the_verdict_that_was_measured(
    case: Case, expected: Verdict, folder: Path
) -> None:
    assert verdict(folder, case) == expected.value
