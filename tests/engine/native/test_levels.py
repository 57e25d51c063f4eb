"""Kernels for several levels of processors: the best is chosen, each can be named, and results agree."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from pullback.engine.core.dispatch import available

if "native" not in available():
    pytest.skip("the native engine is not built here", allow_module_level=True)

from pullback.engine.native import _native, levels

BUILT = [level for level in levels.LEVELS if (Path(_native.__file__).parent / f"kernels-{level}.so").exists()]
HERE = levels.LEVELS[: levels.LEVELS.index(_native.processor_level() or levels.LEVELS[0]) + 1]

# All pointwise operators of one operand, a product, a broadcast and a sum, with their gradients.
PROGRAM = """
import json, sys
import numpy as np
import pullback as pb
from pullback.engine.native import levels

pb.use_engine("native")
found = {}
for dtype in ("float32", "float64"):
    x = pb.tensor(np.linspace(0.05, 0.95, 1003).astype(dtype), requires_grad=True)
    for name in "exp log tanh sin cos arctan expm1 log1p sqrt cbrt sigmoid gelu".split():
        y = pb.formulas()[name](x)
        (grad,) = pb.grad(y.sum(), x)
        found[f"{name} {dtype}"] = [y.detach().numpy().tolist(), grad.numpy().tolist()]
    y = pb.formulas()["power"](x, x) * pb.formulas()["arctan2"](x, x[:1])
    found[f"power {dtype}"] = [y.detach().numpy().tolist(), pb.grad(y.sum(), x)[0].numpy().tolist()]
print(json.dumps([levels.chosen(), found]))
"""


def run(level):
    environment = {**os.environ, "PULLBACK_LEVEL": level}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", PROGRAM],
        capture_output=True,
        text=True,
        check=True,
        env=environment,
    )
    return json.loads(done.stdout)


@pytest.mark.skipif(not BUILT, reason="no kernels for other levels beside the module")
def test_each_level_runs_and_results_agree_to_rounding():
    usable = [level for level in HERE if level == levels.LEVELS[0] or level in BUILT]
    runs = {level: run(level) for level in usable}
    assert [chosen for chosen, _ in runs.values()] == usable
    assert run("")[0] == usable[-1]
    _, base = runs.pop(levels.LEVELS[0])
    for level, (_, found) in runs.items():
        for name, arrays in found.items():
            eps = np.finfo(name.split()[-1]).eps
            for mine, theirs in zip(arrays, base[name], strict=True):
                np.testing.assert_allclose(
                    mine, theirs, rtol=16 * eps, atol=16 * eps, err_msg=f"{level} {name}"
                )


def test_a_level_that_the_processor_lacks_is_not_run(monkeypatch):
    monkeypatch.setenv("PULLBACK_LEVEL", "x86-64-v9")
    with pytest.warns(RuntimeWarning, match="PULLBACK_LEVEL=x86-64-v9: this processor has x86-64"):
        assert levels._most("x86-64-v3") == "x86-64-v3"
    monkeypatch.setenv("PULLBACK_LEVEL", "x86-64-v4")
    with pytest.warns(RuntimeWarning, match="this processor has x86-64, x86-64-v3"):
        assert levels._most("x86-64-v3") == "x86-64-v3"
    monkeypatch.setenv("PULLBACK_LEVEL", "x86-64")
    assert levels._most("x86-64-v3") == "x86-64"


def test_what_is_no_library_of_ours_has_no_kernels(tmp_path):
    (tmp_path / "kernels.so").write_bytes(b"no library")
    assert _native.builtin_kernels(str(tmp_path / "kernels.so")) == {}
    assert _native.builtin_kernels(_native.__file__) == {}


@pytest.mark.skipif(not BUILT, reason="no kernels for other levels beside the module")
def test_a_level_has_the_kernels_that_the_module_has():
    kernels = _native.builtin_kernels(str(Path(_native.__file__).parent / f"kernels-{BUILT[0]}.so"))
    module = _native.builtin_kernels()
    assert {name: digest for name, (digest, _) in kernels.items()} == {
        name: digest for name, (digest, _) in module.items()
    }
    assert kernels["exp"][1]["exp_forward"] != module["exp"][1]["exp_forward"]
