"""Files whose imports are missing: what needs them is refused, the rest is judged."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

pytest.importorskip("torch")

from pullback.tools.cli import main
from pullback.tools.errors import CommandError
from pullback.tools.torch_classes.absent import NotInstalledError, without_absent
from pullback.tools.torch_classes.target import load_targets
from pullback.transpile.ir import Source

pytestmark = pytest.mark.torch

TEXT = """
import not_here_at_all.images as images
import torch
from not_here_at_all import compiled, Base

try:
    import not_here_either
except ImportError:
    not_here_either = None


class Reader(Base):
    kind: images.Kind | None = None


@compiled(fast=True)
def tripled(x):
    return 3 * x


class Squared(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        assert not_here_either is None
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return 2 * x * grad


class Tripled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return tripled(x)

    @staticmethod
    def backward(ctx, grad):
        return 3 * grad
"""


def test_classes_that_need_none_of_it_are_judged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "judged_without.py"
    path.write_text(TEXT)
    assert main(["check", f"{path}::Squared"]) == 0
    assert f"{path}: missing here, and left out: not_here_at_all" in capsys.readouterr().out
    assert main(["check", f"{path}::Tripled"]) == 1
    out = capsys.readouterr().out
    assert "Tripled: not_here_at_all.compiled is missing here" in out
    assert "could not run" in out
    assert "not_here_at_all" not in sys.modules


def test_a_package_that_fails_is_entered_without_running_it(tmp_path: Path) -> None:
    package = tmp_path / "fails_to_import"
    package.mkdir()
    (package / "__init__.py").write_text("raise RuntimeError('no device')\n")
    (package / "helpers.py").write_text("def twice(x):\n    return 2 * x\n")
    text = TEXT.replace("return x * x", "return twice(x) * x / 2") + "\n\nfrom .helpers import twice\n"
    (package / "judged.py").write_text(text)
    with pytest.raises(CommandError, match="no device"):
        load_targets(Source(str(package / "__init__.py"), TEXT), None)
    path = str(package / "judged.py")
    targets, left = load_targets(Source(path, text), "Squared")
    assert [t.name for t in targets] == ["Squared"]
    assert left == []


def test_other_failures_are_raised() -> None:
    def fails() -> None:
        raise ImportError("cannot import name")

    with pytest.raises(ImportError, match="cannot import name"):
        without_absent(fails)


def test_what_is_left_out_raises_where_it_is_used() -> None:
    def load() -> object:
        import not_here_at_all

        return not_here_at_all.flag

    flag, missing = without_absent(load)
    assert missing == ["not_here_at_all"]
    with pytest.raises(NotInstalledError, match=r"not_here_at_all\.flag is missing here"):
        bool(flag)


def test_a_name_that_a_module_does_not_have_is_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "names_what_is_gone.py"
    path.write_text(
        TEXT.replace("import torch\n", "import torch\nfrom torch import gone_from_torch\n").replace(
            "return 3 * grad", "return gone_from_torch(3 * grad)"
        )
    )
    assert main(["check", f"{path}::Squared"]) == 0
    assert "missing here, and left out: not_here_at_all, torch.gone_from_torch" in capsys.readouterr().out
    assert not hasattr(sys.modules["torch"], "gone_from_torch")


def test_what_was_left_out_is_named_where_importing_fails_all_the_same(tmp_path: Path) -> None:
    path = tmp_path / "asks_for_a_version.py"
    path.write_text("import not_here_at_all\nNEW = not_here_at_all.part.__version__ > '2'\n" + TEXT)
    with pytest.raises(CommandError, match=r"part\.__version__.*\n  help: missing here: not_here_at_all"):
        load_targets(Source(str(path), path.read_text()), None)
