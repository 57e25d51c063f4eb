"""Every formula of the library becomes a function of PyTorch, or is refused at its line."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import pullback as pb  # noqa: E402 - where torch is
import pullback.torch  # noqa: E402 - where torch is
from pullback.tools.cli import main  # noqa: E402 - where torch is
from pullback.transpile.diagnostics import FormulaError  # noqa: E402 - where torch is
from pullback.transpile.library import standard_library  # noqa: E402 - where torch is
from pullback.transpile.operators import SCIPY_ONLY  # noqa: E402 - where torch is

pytestmark = pytest.mark.torch

# SciPy's functions that PyTorch has not and formulas that call them, one of complex values, and parts of
# arrays that only writes in place name.
REFUSED = {
    *SCIPY_ONLY,
    *("bessel_i", "bessel_j", "dawsn", "erfi", "exp1", "expi", "i1", "i1e", "j0", "j1"),
    *("gamma_distribution", "gamma_distribution_tail"),
    *("clear_region", "spread_region", "take_region", "eig", "refuse_gradient"),
}


@pytest.mark.slow
def test_every_formula_is_a_function_or_a_located_refusal() -> None:
    refused: dict[str, str] = {}
    names = standard_library().names()
    for name in names:
        try:
            pullback.torch.function(pb.formulas().operator(name))
        except FormulaError as error:
            refused[name] = str(error)
    assert refused.keys() == REFUSED
    assert len(names) - len(refused) >= 140
    for text in refused.values():
        assert re.search(r"\.py:\d+:\d+: PB\d+ error: ", text)


SAMPLED = ("var", "solve", "moveaxis", "cumprod", "logaddexp", "tile", "diagonal", "take_along_axis", "inv")
SAMPLED += ("cholesky", "qr")


def results(made: Any) -> tuple[Any, ...]:
    return made if isinstance(made, tuple) else (made,)


@pytest.mark.parametrize("name", SAMPLED)
def test_functions_of_the_library_are_right_to_second_order(name: str) -> None:
    formula = pb.formulas().operator(name)
    operator = pullback.torch.function(formula)
    for args, kwargs in formula.samples():
        if any(np.iscomplexobj(x) for x in args):
            continue
        given = tuple(torch.tensor(np.asarray(x), requires_grad=True) for x in args)
        named = {k: torch.tensor(v) if isinstance(v, np.ndarray) else v for k, v in kwargs.items()}

        def call(*operands: Any, named: dict[str, Any] = named) -> Any:
            return operator(*operands, **named)

        for found, expected in zip(results(call(*given)), results(formula(*args, **kwargs)), strict=True):
            np.testing.assert_allclose(found.detach(), expected, rtol=1e-10)
        assert torch.autograd.gradcheck(call, given)
        assert torch.autograd.gradgradcheck(call, given)


def test_the_command_writes_a_module_that_needs_only_torch(tmp_path: Any) -> None:
    (tmp_path / "mine.py").write_text(
        "import numpy as np\nimport pullback as pb\n\n\n"
        "@pb.formula\ndef cube(x, *, scale: float = 2.0):\n    s = x * x\n\n"
        "    def cube_pullback(grad):\n        return 3 * scale * grad * s\n\n"
        "    return scale * s * x, cube_pullback\n"
    )
    made = tmp_path / "made"
    assert main(["transpile", str(tmp_path / "mine.py"), "-o", str(made), "--target", "torch-python"]) == 0
    text = (made / "cube.py").read_text()
    assert "pullback" not in text.split('"""', 1)[1]
    assert "numpy" not in text.lower().split("class _cube", 1)[1].replace("np.", "")
    names: dict[str, Any] = {"__name__": "cube"}
    exec(compile(text, "cube.py", "exec"), names)
    x = torch.tensor(3.0, dtype=torch.float64, requires_grad=True)
    (first,) = torch.autograd.grad(names["cube"](x), x, create_graph=True)
    (second,) = torch.autograd.grad(first, x)
    assert (first.item(), second.item()) == (54, 36)
    graphs: list[Any] = []
    backend = lambda graph, _: graphs.append(graph) or graph  # noqa: E731 - it is handed over
    torch.compile(lambda x: names["cube"](x), backend=backend, fullgraph=True)(x)
    assert [node.name for node in graphs[0].graph.nodes] == ["l_x_", "cube", "output"]
