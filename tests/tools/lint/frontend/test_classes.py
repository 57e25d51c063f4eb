"""Which classes are autograd functions, and which methods they run."""

from __future__ import annotations

import pytest

from pullback.tools.lint.frontend.classes import FunctionClass, function_classes
from pullback.tools.lint.frontend.modules import Program, TorchModule
from pullback.transpile.ir import Source

BODY = """\
(%s):
    @staticmethod
    def forward(ctx, x): return x
    @staticmethod
    def backward(ctx, g): return g
"""


def module(text: str, files: dict[str, str] | None = None) -> TorchModule:
    """A module of a package that has `files` beside it."""

    def finder(name: str, asker: str) -> Source | None:
        text = (files or {}).get(name.lstrip("."))
        return None if text is None else Source(f"{name.lstrip('.')}.py", text)

    found = Program(finder).module(Source("main.py", text))
    assert found is not None
    return found


def classes(text: str, files: dict[str, str] | None = None) -> dict[str, FunctionClass]:
    return {found.name: found for found in function_classes(module(text, files))}


@pytest.mark.parametrize(
    ("head", "base"),
    [
        ("import torch", "torch.autograd.Function"),
        ("import torch", "torch.autograd.function.Function"),
        ("import torch as th", "th.autograd.Function"),
        ("from torch import autograd", "autograd.Function"),
        ("import torch.autograd as ag", "ag.Function"),
        ("from torch.autograd import Function", "Function"),
        ("from torch.autograd import Function as F", "F"),
        ("from torch.autograd.function import InplaceFunction", "InplaceFunction"),
        ("import torch as th\nag = th.autograd", "ag.Function"),
        ("try:\n    from torch.autograd import Function\nexcept ImportError:\n    pass", "Function"),
    ],
)
def test_every_spelling_of_the_base(head: str, base: str) -> None:
    assert list(classes(f"{head}\nclass A" + BODY % base)) == ["A"]


@pytest.mark.parametrize("base", ["", "object", "Function", "nn.Module", "torch.nn.Module", "Base"])
def test_other_classes_are_none(base: str) -> None:
    assert classes("import torch\nfrom torch import nn\nclass A" + BODY % base) == {}


def test_a_nested_class_is_found() -> None:
    text = "from torch.autograd import Function\ndef make():\n    class A(Function):\n        pass\n"
    assert list(classes(text)) == ["A"]


def test_a_class_in_a_case_is_found() -> None:
    text = "from torch.autograd import Function\nmatch 1:\n    case 1:\n"
    text += "        class A(Function):\n            pass\n"
    assert list(classes(text)) == ["A"]


def test_methods_are_inherited() -> None:
    text = "from torch.autograd import Function\nclass A" + BODY % "Function"
    text += "class B(A):\n    @staticmethod\n    def forward(ctx, x): return -x\n"
    own = classes(text)["B"]
    forward, backward = own.method("forward"), own.method("backward")
    assert forward is not None
    assert backward is not None
    assert [forward.owner.node.name, backward.owner.node.name] == ["B", "A"]
    above = own.method("forward", after=own.own)
    assert above is not None
    assert above.owner.node.name == "A"


def test_a_base_of_another_module_is_followed() -> None:
    base = "from torch.autograd import Function\nclass Base" + BODY % "Function"
    found = classes("from .base import Base as B\nclass A(B):\n    pass\n", {"base": base})
    backward = found["A"].method("backward")
    assert backward is not None
    assert backward.owner.module.source.path == "base.py"


def test_a_name_that_is_imported_again_is_followed() -> None:
    files = {
        "front": "from .back import Base\n",
        "back": "import torch\nclass Base(torch.autograd.Function): pass\n",
    }
    assert list(classes("from front import Base\nclass A(Base): pass\n", files)) == ["A"]


def test_imports_in_a_circle_end() -> None:
    files = {"one": "from two import Base\n", "two": "from one import Base\n"}
    assert classes("from one import Base\nclass A(Base): pass\n", files) == {}


def test_a_backward_that_only_raises_is_a_barrier() -> None:
    text = "from torch.autograd import Function\nclass A(Function):\n    @staticmethod\n"
    text += "    def backward(ctx, g):\n        raise RuntimeError('no')\n"
    assert classes(text)["A"].always_raises


def test_what_cannot_be_parsed_is_no_module() -> None:
    assert Program().module(Source("bad.py", "class A(:\n")) is None
