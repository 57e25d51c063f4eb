"""The verdict about a class, for each kind of fault and for each way to give inputs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pullback.tools.cli import main

pytest.importorskip("torch")

HEAD = "import torch\nfrom torch.autograd.function import once_differentiable\n\n\n"
CLASS = """class Scaled(torch.autograd.Function):{comment}
    @staticmethod
    def forward(ctx, {parameters}):
{forward}

    @staticmethod{decorator}
    def backward(ctx, grad):
{backward}
"""


def text_of(
    forward: str, backward: str, parameters: str = "x", comment: str = "", decorator: str = ""
) -> str:
    indented = ("\n".join(f"        {line}" for line in body.split("\n")) for body in (forward, backward))
    first, second = indented
    return HEAD + CLASS.format(
        forward=first,
        backward=second,
        parameters=parameters,
        comment=comment and f"\n    {comment}",
        decorator=decorator and f"\n    {decorator}",
    )


SAVE = "ctx.save_for_backward(x)\nreturn x * x * x"
TAKE = "(x,) = ctx.saved_tensors\n"
CASES = {
    "right": (text_of(SAVE, TAKE + "return 3 * grad * x * x"), "right", 0),
    "a captured intermediate": (
        text_of(
            "t = x * x\nctx.save_for_backward(t)\nreturn t * x", "return 3 * grad * ctx.saved_tensors[0]"
        ),
        "silently wrong",
        1,
    ),
    "a wrong factor": (text_of(SAVE, TAKE + "return 2 * grad * x * x"), "first order wrong", 1),
    "once differentiable": (
        text_of(SAVE, TAKE + "return 3 * grad * x * x", decorator="@once_differentiable"),
        "silently wrong",
        1,
    ),
    "a refusal": (
        text_of(
            SAVE, TAKE + "if torch.is_grad_enabled():\n    raise RuntimeError('no')\nreturn 3 * grad * x * x"
        ),
        "raises",
        0,
    ),
    "a cast that float64 does not see": (
        text_of(
            "y = x.float() if x.dtype == torch.float64 else x.bfloat16()\n"
            "ctx.save_for_backward(x)\nreturn x * x * x",
            TAKE + "if torch.is_grad_enabled() and x.dtype == torch.float32:\n    x = x.detach()\n"
            "return 3 * grad * x * x",
        ),
        "silently wrong",
        1,
    ),
    "a wrong gradient of tiny results": (
        text_of("ctx.save_for_backward(x)\nreturn 1e-9 * x**3", TAKE + "return 3.03e-9 * grad * x * x"),
        "first order wrong",
        1,
    ),
    "rounding alone": (text_of("return (x + 1) - 1 - x", "return 0 * grad"), "right", 0),
    "a complex result": (
        text_of(
            "ctx.save_for_backward(x)\nreturn torch.complex(x, x * x)",
            TAKE + "return grad.real + 2 * x * grad.imag",
        ),
        "right",
        0,
    ),
    "the incoming gradient changed": (
        text_of(SAVE, TAKE + "grad *= 3\nreturn grad * x * x"),
        "first order wrong",
        1,
    ),
    "another result the second time": (
        text_of(
            "ctx.times = 3.0\n" + SAVE,
            TAKE + "times, ctx.times = ctx.times, ctx.times + 1\nreturn times * grad * x * x",
        ),
        "silently wrong",
        1,
    ),
    "a surrogate that says so": (
        text_of(
            "ctx.save_for_backward(x)\nreturn x.round()",
            TAKE + "return grad * x.cos()",
            comment="# pullback: surrogate",
        ),
        "right",
        0,
    ),
    "a derivative stored as integers": (
        text_of(
            "levels = (3 * x * x * 4096 + torch.rand_like(x)).to(torch.int16)\n"
            "ctx.save_for_backward(levels)\nreturn x * x * x",
            "return grad * ctx.saved_tensors[0] / 4096",
        ),
        "silently wrong",
        1,
    ),
    "a derivative stored in half precision": (
        text_of(
            "ctx.save_for_backward((3 * x * x).half())\nreturn x * x * x",
            "return grad * ctx.saved_tensors[0].to(grad.dtype)",
        ),
        "silently wrong",
        1,
    ),
    "a gradient that is a staircase, as its forward's": (
        text_of("ctx.save_for_backward(x)\nreturn (x - 1).abs()", TAKE + "return grad * (x - 1).sign()"),
        "right",
        0,
    ),
    "a backward that raises": (text_of(SAVE, TAKE + "return grad * undefined"), "could not run", 1),
}


@pytest.mark.parametrize("name", CASES)
def test_the_verdict(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text, expected, status = CASES[name]
    path = tmp_path / f"f_{abs(hash(name))}.py"
    path.write_text(text)
    assert main(["check", f"{path}::Scaled", "--inputs", "torch.rand(3) + 0.5"]) == status
    row = next(line for line in capsys.readouterr().out.splitlines() if "│ Scaled" in line)
    assert row.split("│")[2].strip() == expected


@pytest.mark.parametrize(
    ("backward", "said"),
    [
        (
            "off = torch.ones(2, 3).double()\noff[1, 2] = 1.05\nreturn grad * y * y * off, 2 * grad * t",
            "its grad",
        ),
        ("return grad * y * y, 2 * grad * t", "the derivative of its gradient along a direction"),
    ],
)
def test_where_it_is_wrong_is_said(
    backward: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / f"f_place_{len(backward)}.py"
    forward = "t = x * y\nctx.save_for_backward(x, y, t)\nreturn t * y"
    path.write_text(text_of(forward, "x, y, t = ctx.saved_tensors\n" + backward, "x, y"))
    assert main(["check", f"{path}::Scaled", "--inputs", "torch.rand(2, 3) + 1, torch.rand(2, 3) + 1"]) == 1
    place = r"by `x` at \[1, 2\]" if "off" in backward else r"by `y` at \[\d, \d\]"
    assert re.search(f"Scaled: {said}.* {place} is .*, and differences give", capsys.readouterr().out)


def test_inputs_of_a_comment(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = text_of(
        "ctx.n = n\nctx.save_for_backward(x)\nreturn x ** n['power']",
        TAKE + "return ctx.n['power'] * grad * x ** (ctx.n['power'] - 1), None",
        "x, n",
        comment="# pullback: inputs torch.rand(2, 2), {'power': 3}",
    )
    path = tmp_path / "f_comment.py"
    path.write_text(text)
    assert main(["check", str(path)]) == 0
    out = capsys.readouterr().out
    assert "right" in out
    assert "guessed" not in out


def test_guessed_inputs_are_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = text_of(
        "ctx.save_for_backward(a, b)\nreturn a @ b",
        "a, b = ctx.saved_tensors\nreturn grad @ b.mT, a.mT @ grad",
        "a, b",
    )
    path = tmp_path / "f_guessed.py"
    path.write_text(text)
    assert main(["check", str(path)]) == 0
    assert "Scaled: no inputs given, guessed a: float64 (3, 3), b: float64 (3, 3)" in capsys.readouterr().out


def test_where_no_guess_runs_the_help_says_what_to_do(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "f_none.py"
    path.write_text(text_of("return x.no_such_method()", "return grad"))
    assert main(["check", str(path)]) == 1
    out = capsys.readouterr().out
    assert "could not run" in out
    assert "# pullback: inputs torch.rand(3, 4), 2" in out


def test_inputs_that_cannot_be_evaluated(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "f_bad.py"
    path.write_text(CASES["right"][0])
    assert main(["check", f"{path}::Scaled", "--inputs", "torch.nothing(3)"]) == 2
    assert "--inputs: torch.nothing(3): AttributeError" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("target", "classes", "status"),
    [("{path}", 1, 0), ("{path}", 2, 2), ("{path}::Other", 1, 2), ("{path}::Scaled", 2, 0)],
)
def test_inputs_are_for_one_class(target: str, classes: int, status: int, tmp_path: Path) -> None:
    path = tmp_path / f"f_one_{classes}_{len(target)}.py"
    text = CASES["right"][0]
    path.write_text(text if classes == 1 else text + text.removeprefix(HEAD).replace("Scaled", "Another"))
    assert main(["check", target.format(path=path), "--inputs", "torch.rand(3)"]) == status


def test_an_approximate_forward_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "f_series.py"
    path.write_text(
        text_of(SAVE.replace("x * x * x", "x * x * x + 1e-4 * x.sin()"), TAKE + "return 3 * grad * x * x")
    )
    assert main(["check", str(path), "--inputs", "torch.rand(3)"]) == 0
    assert "its gradient is that of its forward to 8e-05 only: an approximation?" in capsys.readouterr().out


@pytest.mark.parametrize("size", [1e-5, 1e-2])
def test_a_small_term_that_is_lost_is_seen(size: float, tmp_path: Path) -> None:
    path = tmp_path / f"f_small_{size}.py"
    path.write_text(
        text_of(
            "ctx.save_for_backward(x, x.sin())\nreturn x * x * x / 3",
            f"x, s = ctx.saved_tensors\nreturn grad * (x * x + {size} * (s - x.sin()))",
        )
    )
    assert main(["check", f"{path}::Scaled", "--inputs", "torch.rand(3)"]) == 1


def test_a_class_that_computes_in_float32_is_held_to_what_its_differences_are_worth(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = text_of(
        "ctx.save_for_backward(x)\nreturn x.float().sin()",
        TAKE + "return grad * x.float().cos()",
    )
    path = tmp_path / "f_float.py"
    path.write_text(text)
    assert main(["check", f"{path}::Scaled", "--inputs", "torch.rand(3)"]) == 0
    path.write_text(text.replace("save_for_backward(x)", "save_for_backward(x.detach())"))
    assert main(["check", f"{path}::Scaled", "--inputs", "torch.rand(3)"]) == 1


def test_a_class_inside_a_function_cannot_be_reached(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = CASES["right"][0].replace("class ", "def f():\n  class ").replace("\n    ", "\n      ")
    path = tmp_path / "f_inside.py"
    path.write_text(text)
    assert main(["check", str(path)]) == 1
    assert "it is not defined at the top level" in capsys.readouterr().out


def test_a_file_in_a_package_is_imported_as_its_module(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    package = tmp_path / "checked_package"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "helpers.py").write_text("def cube(x):\n    return x * x * x\n")
    text = CASES["right"][0].replace("import torch\n", "import torch\nfrom .helpers import cube\n", 1)
    (package / "f.py").write_text(text.replace("return x * x * x", "return cube(x)"))
    assert main(["check", f"{package / 'f.py'}::Scaled"]) == 0


def test_an_operator_with_a_registered_derivative(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "f_operator.py"
    path.write_text(
        "import torch\n\n\n@torch.library.custom_op('pullback_tests::cube', mutates_args=())\n"
        "def cube(x: torch.Tensor) -> torch.Tensor:\n    return x * x * x\n\n\n"
        "def setup(ctx, inputs, output):\n    (x,) = inputs\n    ctx.save_for_backward(x)\n\n\n"
        "def backward(ctx, grad):\n    (x,) = ctx.saved_tensors\n    return 3 * grad * x * x\n\n\n"
        "torch.library.register_autograd('pullback_tests::cube', backward, setup_context=setup)\n"
    )
    assert main(["check", f"{path}::cube"]) == 0
    assert "right" in capsys.readouterr().out


def test_formulas_and_classes_of_one_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "f_both.py"
    path.write_text(
        CASES["right"][0]
        + "\nimport pullback as pb\n\n\n@pb.formula\n"
        + "def square(x):\n    return x * x, lambda grad: 2 * grad * x\n"
    )
    assert main(["check", str(path), "--on", "reference"]) == 0
    out = capsys.readouterr().out
    assert "1 formula to order 2" in out
    assert "1 autograd function" in out
