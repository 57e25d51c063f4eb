"""Types of iterations that are written out: their cost grows with the text."""

import pullback as pb
from pullback.transpile.analysis.types import infer
from pullback.transpile.ir.dtypes import dtype_text
from pullback.transpile.ir.types import TensorType


def test_a_dtype_is_not_made_of_those_of_all_iterations_before(tmp_path):
    lines = ["import numpy as np", "", "", "def iterated(a, v):"]
    lines += ["    w = a @ v", "    v = w / np.linalg.norm(w)"] * 40
    path = tmp_path / "iterated_many_times.py"
    path.write_text("\n".join([*lines, "    return v @ a @ v", ""]))
    namespace: dict[str, object] = {}
    exec(compile(path.read_text(), path, "exec"), namespace)
    types = infer(pb.derive_pullback(namespace["iterated"]).ir).forward.values()
    longest = max(len(dtype_text(found.dtype)) for found in types if isinstance(found, TensorType))
    assert longest < 500
