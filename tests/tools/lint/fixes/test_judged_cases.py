"""Judged classes of published packages whose second derivative is right after `--fix` alone.

Nothing of them is in this repository: the test fetches them. Surrogates are among them, whose first
derivative is not the forward's on purpose; their second one is compared with differences of the gradient that
they give.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from ...packages import fetched

pytestmark = [pytest.mark.slow, pytest.mark.torch]
pytest.importorskip("torch")

# Relative errors of second derivatives: of classes as published, and of fixed ones that compute in float32.
WRONG, RIGHT = 1e-2, 1e-4


class Case(NamedTuple):
    """A class and inputs for it."""

    name: str
    inputs: str


SURROGATE = "lambda v, threshold: torch.exp(-((v - threshold) ** 2))"
SPLINE = (
    "torch.rand(1, 2, 1, 1, 3) * 2 - 1, torch.rand(10), torch.tensor(-1.0), torch.tensor(1.0), 5, "
    "torch.tensor([0, 5])"
)
QUATERNION = "torch.rand(2, 8), torch.rand(2, 3), torch.rand(2, 3), torch.rand(2, 3), torch.rand(2, 3)"
# What a package imports, where its class calls it.
BESIDE = {"deepinv": {"tqdm": "4.67.1"}}
MEANS = "torch.rand(2, 4), torch.rand(2, 1) + 0.5"
PLAIN = "torch.device('cpu'), torch.float64, False"
FILES = {
    ("pytorch_wavelets", "1.3.0", "pytorch_wavelets/scatternet/lowlevel.py"): (
        Case("SmoothMagFn", "torch.rand(3), torch.rand(3), 0.1"),
    ),
    ("sinabs", "3.1.3", "sinabs/activation/spike_generation.py"): (
        Case("MultiSpike", f"torch.rand(4) * 3, 1.0, {SURROGATE}"),
        Case("MaxSpikeInner", f"torch.rand(4) * 3, 2, 1.0, {SURROGATE}"),
        Case("SingleSpike", f"torch.rand(4) * 3, 1.0, {SURROGATE}"),
    ),
    ("speechbrain", "1.1.2", "speechbrain/nnet/quaternion_networks/q_ops.py"): (
        Case("QuaternionLinearCustomBackward", f"{QUATERNION}, torch.rand(12)"),
    ),
    ("torch_struct", "0.5", "torch_struct/semirings/sparse_max.py"): (
        Case("_SimplexProject", "torch.rand(2, 5), 1"),
    ),
    ("deepinv", "0.5.0", "deepinv/models/deal.py"): (
        Case("LinearSplineFunc", SPLINE),
        Case("QuadraticSplineFunc", SPLINE),
    ),
    ("deepinv", "0.5.0", "deepinv/models/mmse.py"): (
        Case("MMSEFunction", f"{MEANS}, torch.rand(5, 4), {PLAIN}"),
        Case("MMSEFunction", f"{MEANS}, [{{'x': torch.rand(3, 4)}}, {{'x': torch.rand(2, 4)}}], {PLAIN}"),
    ),
    ("lxt", "0.6.1", "lxt/functional.py"): (Case("softmax_fn", "torch.rand(2, 3), -1, None, 1.5"),),
    ("revlib", "1.7.2", "revlib/core.py"): (
        Case("_ReplaceGrad", "torch.rand(3), torch.rand(3), torch.rand(3), torch.rand(3)"),
    ),
    ("torchao", "0.18.0", "torchao/prototype/paretoq/models/utils_quant.py"): (
        Case("LsqBinaryTernaryExtension", "torch.rand(4) * 2 - 1, torch.rand(1) + 0.5, 4, True"),
        Case("StretchedElasticQuant", "torch.rand(4) * 2 - 1, torch.rand(1) + 0.5, 2, True"),
    ),
}
# Their forwards write into what a function gave them, which may be a view of an input as far as lint sees.
LEFT = (
    ("pypose", "0.9.5", "pypose/lietensor/operation.py", "SO3_AdjXa"),
    ("nncf", "3.4.0", "nncf/torch/quantization/quantize_functions.py", "QuantizeSymmetric"),
)


def _errors(folder: Path, path: str, case: Case, beside: list[Path]) -> tuple[str, float]:
    """The errors of first and second order that `check` prints, from a process of its own."""
    places = os.pathsep.join(map(str, [folder, *beside]))
    check = [sys.executable, "-W", "ignore", "-m", "pullback", "check"]
    done = subprocess.run(
        [*check, f"{folder / path}::{case.name}", "--inputs", case.inputs],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": places, "COLUMNS": "200"},
        check=False,
    )
    rows = [line.split("│") for line in done.stdout.splitlines() if f"│ {case.name}" in line]
    assert rows, done.stdout + done.stderr
    return rows[0][3].strip(), float(rows[0][4])


@pytest.mark.parametrize("file", FILES, ids=lambda file: Path(file[2]).stem)
def test_its_classes_are_repaired(file: tuple[str, str, str], tmp_path: Path) -> None:
    package, version, path = file
    wheels = fetched({package: version, **BESIDE.get(package, {})}, tmp_path / "wheels")
    published = wheels.pop(package)
    beside = [*wheels.values()]
    shutil.copytree(published, tmp_path / "fixed")
    fix = [sys.executable, "-m", "pullback", "lint", "--fix", "--no-cache", str(tmp_path / "fixed" / path)]
    # As a program: typeguard makes it slow here.
    done = subprocess.run(fix, capture_output=True, text=True, check=False)
    for case in FILES[file]:
        first, second = _errors(published, path, case, beside)
        first_after, second_after = _errors(tmp_path / "fixed", path, case, beside)
        assert first_after == first, done.stdout + done.stderr
        assert second_after < RIGHT < WRONG < second, case.name + done.stdout + done.stderr


@pytest.mark.parametrize("left", LEFT, ids=lambda left: left[3])
def test_a_class_whose_forward_may_change_its_input_is_left(
    left: tuple[str, str, str, str], tmp_path: Path
) -> None:
    package, version, path, name = left
    published = fetched({package: version}, tmp_path / "wheels").pop(package)
    fix = [sys.executable, "-m", "pullback", "lint", "--diff", "--no-cache", str(published / path)]
    done = subprocess.run(fix, capture_output=True, text=True, check=False)
    assert f"in {name} not fixed: the forward may change" in " ".join(done.stderr.split())
