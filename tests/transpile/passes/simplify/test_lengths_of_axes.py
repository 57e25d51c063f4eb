"""How many terms a mean has is told by the lengths of its axes, where these are known."""

import numpy as np
import pytest

import pullback as pb
from pullback.tools.derived_file import derived_file
from pullback.tools.formulas import read_formulas
from pullback.tools.loading import load_formulas

HEAD = "import numpy as np\n\nimport pullback as pb\n\n\n"
COUNTED = {
    "np.mean(x * x, axis=-1)": "np.shape(product)[-1]",
    "np.mean(x * x, axis=(0, 2))": "shape_product[0] * shape_product[2]",
    "np.var(x * x, axis=1, ddof=1)": "np.shape(product)[1] - 1",
    "np.mean(x * x)": "np.size(product)",
    "np.mean(x * x, axis=axis)": "np.size(product) // np.size(mean) if np.size(mean) else 1",
}


@pytest.mark.parametrize("forward", COUNTED)
def test_terms(forward, tmp_path):
    path = tmp_path / "reduced.py"
    path.write_text(f"{HEAD}def reduced(x, *, axis: int = 1):\n    return {forward}\n", encoding="utf-8")
    text = derived_file(*read_formulas(f"{path}::reduced"))
    assert COUNTED[forward] in text
    path.write_text(text, encoding="utf-8")
    derived = dict(load_formulas(str(path)))["reduced"]
    x = np.random.default_rng(0).standard_normal((2, 3, 4))
    assert pb.gradcheck(derived, x)
