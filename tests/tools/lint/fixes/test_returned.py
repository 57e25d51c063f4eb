"""A captured intermediate becomes an output: the text, lint of it, and the derivatives of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.sampling import sampled

from .fixed import body, class_of, fixed, left, verdict

CALLS = "\n\ndef twice(*inputs):\n    return 2 * _Scaled.apply(*inputs)\n"

# Each: forward, backward, parameters, inputs.
WRONG = {
    "a product of matrices": (
        "t = a.mm(b)\nctx.save_for_backward(a, b, t)\nreturn t * t",
        "a, b, t = ctx.saved_tensors\ng = 2 * grad * t\nreturn g @ b.mT, a.mT @ g",
        "a, b",
        "torch.rand(3, 2), torch.rand(2, 3)",
    ),
    "a sum of exponentials": (
        "e = x.exp()\nz = e.sum(-1)\nt = z.log()\nctx.save_for_backward(x, t)\nreturn t * t",
        "x, t = ctx.saved_tensors\nreturn (2 * grad * t).unsqueeze(-1) * (x - t.unsqueeze(-1)).exp()",
        "x",
        "torch.rand(2, 3)",
    ),
    "an inverse": (
        "t = torch.inverse(a)\nctx.save_for_backward(t, a)\nreturn (t * t).sum()",
        "t, a = ctx.saved_tensors\nreturn -t.mT @ (2 * grad * t) @ t.mT",
        "a",
        "torch.rand(3, 3) + 3 * torch.eye(3)",
    ),
    "two values": (
        "m = x.mean(-1, keepdim=True)\nc = x - m\nv = (c * c).mean(-1, keepdim=True)\n"
        "r = 1 / torch.sqrt(v + 1e-5)\nctx.save_for_backward(c, r)\nreturn c * r",
        "c, r = ctx.saved_tensors\ng = grad * r\nn = c * r\n"
        "return g - g.mean(-1, keepdim=True) - n * (g * n).mean(-1, keepdim=True)",
        "x",
        "torch.rand(2, 4)",
    ),
    "a number": (
        "t = x.exp()\nu = (t ** n).sum(0)\nctx.save_for_backward(t, u)\nctx.n = n\nreturn t * u",
        "t, u = ctx.saved_tensors\nn = ctx.n\nreturn grad * u * t + (grad * t).sum(0) * n * t ** n, None",
        "x, n: float",
        "torch.rand(2, 4), 2.5",
    ),
    "operands that broadcast": (
        "t = (a + b).sin()\nu = t.sum(-1)\nctx.save_for_backward(t, u, b)\nreturn t * u.unsqueeze(-1)",
        "t, u, b = ctx.saved_tensors\n"
        "g = (grad * u.unsqueeze(-1) + (grad * t).sum(-1, keepdim=True)) * torch.sqrt(1 - t * t)\n"
        "return g.sum_to_size(4, 1), g.sum_to_size(b.shape)",
        "a, b",
        "0.3 * torch.rand(4, 1), 0.3 * torch.rand(3)",
    ),
    "a mask": (
        "mask = x > 0.3\nt = torch.where(mask, x.exp(), x)\nz = t.sum(-1, keepdim=True)\n"
        "ctx.save_for_backward(mask, t, z)\nreturn t * z",
        "mask, t, z = ctx.saved_tensors\ng = grad * z + (grad * t).sum(-1, keepdim=True)\n"
        "return torch.where(mask, g * t, g)",
        "x",
        "torch.rand(3, 4)",
    ),
    "a name that is bound again": (
        "t = x.exp()\nt.mul_(2)\nt = t.sum(0, True)\nctx.save_for_backward(t, x)\nreturn t * t",
        "t, x = ctx.saved_tensors\nreturn 4 * grad * t * x.exp()",
        "x",
        "torch.rand(3)",
    ),
    "names that the backward would take": (
        "saved = x.sigmoid()\nadded = saved.sum(0)\nctx.save_for_backward(x, added)\nreturn added * added",
        "x, added = ctx.saved_tensors\ns = x.sigmoid()\nreturn 2 * found * added * s * (1 - s)",
        "x",
        "torch.rand(3)",
    ),
}


def private(forward: str, backward: str, parameters: str, calls: str = CALLS) -> str:
    """A class that only its file can call, and a call of it."""
    gradients = "found" if "found" in backward else "grad"
    return class_of(forward, backward, parameters, gradients).replace("Scaled", "_Scaled") + calls


@pytest.mark.torch
@pytest.mark.parametrize("name", sampled(WRONG, 2))
def test_the_fixed_class_is_clean_and_right(name: str, tmp_path: Path) -> None:
    forward, backward, parameters, inputs = WRONG[name]
    text = private(forward, backward, parameters)
    made = fixed(text)
    assert {how for _, how in made.done} == {"returned as an output, with the term for its gradient"}
    assert left(made.text) == []
    assert fixed(made.text).text == made.text
    assert verdict(text, inputs, tmp_path, "_Scaled") == "silently wrong"
    assert verdict(made.text, inputs, tmp_path, "_Scaled") == "right"


def test_the_text_of_it() -> None:
    forward, backward, parameters, _ = WRONG["a product of matrices"]
    made = fixed(private(forward, backward, parameters)).text.replace("_Scaled", "Scaled")
    assert body(made, "forward") == (
        "t = a.mm(b)\nctx.save_for_backward(a, b, t)\nctx.set_materialize_grads(False)\nreturn t * t, t\n"
    )
    assert body(made, "_gradients") == ("a, b, t = saved\ng = 2 * grad * t\nreturn g @ b.mT, a.mT @ g\n")
    assert body(made, "_gradients_of_t") == (
        '"""What the gradient of `t` adds to those of the inputs."""\n'
        "grad_a = grad_t @ b.mT\n"
        "grad_b = a.mT @ grad_t\n"
        "grad_a_1 = grad_a.sum_to_size(a.shape)\n"
        "grad_b_2 = grad_b.sum_to_size(b.shape)\n"
        "return (grad_a_1, grad_b_2)\n"
    )
    assert body(made, "backward") == (
        "saved = ctx.saved_tensors\n"
        "found = (None, None) if grad is None else Scaled._gradients(ctx, saved, grad)\n"
        "found = found if isinstance(found, tuple) else (found,)\n"
        "if grad_t is None:  # as in a plain first backward\n"
        "    return found\n"
        "added = Scaled._gradients_of_t(saved[0], saved[1], grad_t)\n"
        "pairs = zip(found, added)\n"
        "return tuple(b if a is None else a if b is None else a + b for a, b in pairs)\n"
    )
    assert made.endswith("def twice(*inputs):\n    return 2 * Scaled.apply(*inputs)[0]\n")


def test_saved_tensors_are_unpacked_once_however_the_backward_calls_its_parts() -> None:
    torch = pytest.importorskip("torch")
    text = fixed(private(*WRONG["a sum of exponentials"][:3])).text
    names: dict[str, Any] = {}
    exec(text, names)
    unpacked: list[object] = []
    x = torch.rand(2, 3, dtype=torch.float64, requires_grad=True)

    def unpack(tensor: object) -> object:
        unpacked.append(tensor)
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(lambda tensor: tensor, unpack):
        y, t = names["_Scaled"].apply(x)
    unpacked.clear()
    torch.autograd.grad(y.sum() + t.sum(), x)
    assert len(unpacked) == text.split("ctx.save_for_backward(")[1].split(")")[0].count(",") + 1


def test_a_name_for_apply_becomes_a_function() -> None:
    text = private(*WRONG["a product of matrices"][:3], calls="\n\nscaled = _Scaled.apply  # the operator\n")
    assert fixed(text).text.endswith(
        "\n\ndef scaled(*inputs):\n    return _Scaled.apply(*inputs)[0]  # the operator\n"
    )


def test_a_class_in_a_function_is_private() -> None:
    lines = class_of(*WRONG["an inverse"][:3]).split("\n")[2:]
    text = "import torch\n\n\ndef make():\n" + "\n".join(f"    {line}" if line else "" for line in lines)
    made = fixed(f"{text}\n    return Scaled.apply\n")
    assert {how for _, how in made.done} == {"computed again in the backward"}
    made = fixed(f"{text}\n    inverse = Scaled.apply\n    return inverse\n")
    assert "        return Scaled.apply(*inputs)[0]\n    return inverse\n" in made.text


@pytest.mark.parametrize(
    ("case", "change"),
    [
        ("others may call it", lambda text: text.replace("_Scaled", "Scaled")),
        ("a class inherits from it", lambda text: text + "\n\nclass Other(_Scaled):\n    pass\n"),
        ("it is handed on", lambda text: text + "\n\nOPERATORS = [_Scaled]\n"),
        ("its name is a text", lambda text: text + '\n\n__all__ = ["_Scaled"]\n'),
        (
            "it is cheap to compute",
            lambda text: text.replace("a.mm(b)", "a + b").replace("g @ b.mT, a.mT @ g", "g, g"),
        ),
        ("it may be a vector", lambda text: text.replace("a.mm(b)", "a @ b").replace(".mT", "")),
        ("its derivative is not known", lambda text: text.replace("a.mm(b)", "torch.kron(a, b)")),
        ("numbers may be complex", lambda text: text.replace("b.mT", "b.mT.conj()")),
        ("it is a view", lambda text: text.replace("a.mm(b)", "a.mm(b).sin()\n        t = t.view(-1)")),
        (
            "undefined gradients are asked for",
            lambda text: text.replace("t = a", "ctx.set_materialize_grads(True)\n        t = a"),
        ),
    ],
)
def test_where_it_is_not_safe_the_value_is_computed_again(case: str, change) -> None:
    text = change(private(*WRONG["a product of matrices"][:3]))
    made = fixed(text)
    assert {how for _, how in made.done} == {"computed again in the backward"}, case
    assert "grad_t" not in made.text


@pytest.mark.torch
def test_a_plain_first_backward_computes_no_more_than_before(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    text = private(*WRONG["a product of matrices"][:3])
    counts = []
    for one in (text, fixed(text).text):
        namespace: dict[str, object] = {}
        exec(compile(one, "made.py", "exec"), namespace)
        a, b = (torch.rand(3, 3, requires_grad=True) for _ in range(2))
        out = namespace["twice"](a, b)
        with torch.profiler.profile() as profile:
            out.sum().backward()
        counts.append(sum(event.count for event in profile.key_averages() if "aten::mm" in event.key))
    assert counts == [2, 2]


@pytest.mark.slow
@pytest.mark.torch
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # in PyTorch
def test_it_can_be_compiled(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    namespace: dict[str, object] = {}
    path = tmp_path / "made.py"
    path.write_text(fixed(private(*WRONG["a product of matrices"][:3])).text)
    exec(compile(path.read_text(), str(path), "exec"), namespace)
    twice = namespace["twice"]
    a, b = (torch.rand(3, 3, dtype=torch.float64, requires_grad=True) for _ in range(2))
    plain = torch.autograd.grad(twice(a, b).sum(), (a, b))
    compiled = torch.compile(twice, backend="aot_eager", fullgraph=True)
    for one, other in zip(torch.autograd.grad(compiled(a, b).sum(), (a, b)), plain, strict=True):
        torch.testing.assert_close(one, other)
