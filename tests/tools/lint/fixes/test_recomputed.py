"""A captured intermediate is computed again: the text, lint of it, and the derivatives of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from pullback.tools.lint.fixes.fixing import fix_source
from pullback.tools.modules import find_module
from pullback.transpile.ir import Source
from tests.sampling import sampled

from .fixed import HEAD, body, class_of, fixed, left, shown, verdict

# Each: forward, backward, parameters, inputs.
WRONG = {
    "a sum": (
        "t = a + b\nctx.save_for_backward(b, t)\nreturn t * b",
        "b, t = ctx.saved_tensors\nreturn grad * b, grad * t + grad * b",
        "a, b",
        "torch.rand(3), torch.rand(3)",
    ),
    "a product of matrices": (
        "t = a @ b\nctx.save_for_backward(a, b, t)\nreturn t * t",
        "a, b, t = ctx.saved_tensors\ng = 2 * grad * t\nreturn g @ b.mT, a.mT @ g",
        "a, b",
        "torch.rand(3, 2), torch.rand(2, 3)",
    ),
    "an attribute": (
        "t = x.exp()\nctx.t = t\nreturn t * t",
        "return 2 * grad * ctx.t * ctx.t",
        "x",
        "torch.rand(3)",
    ),
    "an attribute with a name in the backward": (
        "ctx.t = x.exp()\nreturn ctx.t * ctx.t",
        "t = ctx.t\nreturn 2 * grad * t * t",
        "x",
        "torch.rand(3)",
    ),
    "an item": (
        "t = x.exp()\nctx.save_for_backward(t)\nreturn t * t",
        "return 2 * grad * ctx.saved_tensors[0] ** 2",
        "x",
        "torch.rand(3)",
    ),
    "a bound item": (
        "t = x.exp()\nctx.save_for_backward(x, t)\nreturn t * t",
        "t = ctx.saved_tensors[1]\nreturn 2 * grad * t ** 2",
        "x",
        "torch.rand(3)",
    ),
    "another name in the backward": (
        "t = x.exp()\nctx.save_for_backward(t)\nreturn t * t",
        "(e,) = ctx.saved_tensors\nreturn 2 * grad * e * e",
        "x",
        "torch.rand(3)",
    ),
    "changes in place": (
        "t = x.exp().mul_(2)\nt.add_(1)\nt += 1\nctx.save_for_backward(t)\nreturn t * t",
        "(t,) = ctx.saved_tensors\nreturn 2 * grad * t * (t - 2)",
        "x",
        "torch.rand(3)",
    ),
    "a branch and a loop": (
        """
        t = x
        if n > 1:
            for _ in range(n):
                t = t.sin()
        else:
            t = t * n
        ctx.save_for_backward(t)
        ctx.n = n
        return t ** 3
        """,
        """
        (t,) = ctx.saved_tensors
        inner = 1
        return (3 * grad * t ** 2) * inner, None
        """,
        "x, n",
        "torch.rand(3), 1",
    ),
    "a parameter that is bound again": (
        "x = x * 2\nt = x.exp()\nctx.save_for_backward(x, t)\nreturn t * t",
        "x, t = ctx.saved_tensors\nreturn 4 * grad * t * t",
        "x",
        "torch.rand(3)",
    ),
    "a keyword that only comes from the context": (
        "t = x ** n\nctx.save_for_backward(t)\nctx.n = n\nreturn t * t",
        "(t,) = ctx.saved_tensors\nreturn 2 * grad * t ** (2 - 1 / ctx.n) * ctx.n, None",
        "x, n",
        "torch.rand(3) + 0.5, 3",
    ),
    "saved only when needed": (
        """
        needed = any(ctx.needs_input_grad)
        t = x.exp()
        if needed:
            ctx.save_for_backward(t)
        return t * t
        """,
        "(t,) = ctx.saved_tensors\nreturn 2 * grad * t * t",
        "x",
        "torch.rand(3)",
    ),
    "returned before it is saved": (
        """
        ctx.n = n
        if n > 9:
            return x * n
        t = x.exp() + n
        ctx.save_for_backward(x, t)
        return t * t
        """,
        """
        if ctx.n > 9:
            return grad * ctx.n, None
        x, t = ctx.saved_tensors
        return 2 * grad * t * x.exp(), None
        """,
        "x, n",
        "torch.rand(3), 1",
    ),
    "saved where nothing is recorded": (
        "with torch.no_grad():\n    t = x.exp()\n    ctx.save_for_backward(t)\nreturn t * t",
        "(t,) = ctx.saved_tensors\nreturn 2 * grad * t * t",
        "x",
        "torch.rand(3)",
    ),
    "kept together on the context": (
        "e = x.exp()\nt = e * x\nctx.variables = e, x, n, t\nreturn t * e",
        "e, x, n, t = ctx.variables\nreturn grad * (e * e + 2 * t * e), None",
        "x, n",
        "torch.rand(3), 1",
    ),
    "entries that are computed from others": (
        "y = torch.empty_like(x)\ny[0] = x[0].exp()\ny[1] = y[0] * x[1].exp()\ny[2] = y[1] * y[0]\n"
        "y[0] *= y[1] + 1\nctx.save_for_backward(x, y)\nreturn y[2] * 1",
        "x, y = ctx.saved_tensors\nfound = y[2] * grad\n"
        "return torch.stack([2 * found, found, torch.zeros_like(found)])",
        "x",
        "torch.rand(3)",
    ),
    "entries that are filled in a loop": (
        """
        t = torch.zeros(3, *x.shape, dtype=x.dtype)
        t[0] = x.exp()
        for i in range(1, 3):
            t[i] = t[i - 1] * x.exp()
        ctx.save_for_backward(t)
        return t[2] * 1
        """,
        "(t,) = ctx.saved_tensors\nreturn 3 * grad * t[2]",
        "x",
        "torch.rand(3)",
    ),
    "changes in place of what the backward computes": (
        "t = x.sin()\nu = t.exp()\nctx.kept = t, u\nctx.save_for_backward(x)\nreturn u * 1",
        "(x,) = ctx.saved_tensors\nt, u = ctx.kept\ng = u * 1\nh = g.clone()\n"
        "g.mul_(x.cos()).mul_(2)\ng -= h.mul_(x.cos())\nr = g.mul_(grad)\nreturn r.add_(0)",
        "x",
        "torch.rand(3)",
    ),
    "changes of what the backward just computed": (
        "t = x.sin()\nctx.save_for_backward(t, x)\nreturn t.exp()",
        "t, x = ctx.saved_tensors\nreturn t.exp().mul_(grad).mul_(x.cos())",
        "x",
        "torch.rand(3)",
    ),
    "a number that becomes a tensor": (
        "w = torch.tensor(weights, dtype=x.dtype)\nt = x.exp() * w\nctx.save_for_backward(t)\nreturn t * t",
        "(t,) = ctx.saved_tensors\nreturn 2 * grad * t * t, None",
        "x, weights",
        "torch.rand(2), [1.0, 2.0]",
    ),
    "unpacked in a branch": (
        "t = x.exp()\nctx.save_for_backward(t)\nreturn t * t",
        """
        g = None
        if ctx.needs_input_grad[0]:
            (t,) = ctx.saved_tensors
            g = 2 * grad * t * t
        return g
        """,
        "x",
        "torch.rand(3)",
    ),
    "saved in branches, by other names": (
        """
        ctx.n = n
        if n > 1:
            s = x.sin()
            t = s.exp()
            ctx.save_for_backward(s, t, x)
        else:
            z = x * 1
            one = torch.ones_like(x)
            ctx.save_for_backward(z, one, x)
            t = z * 3
        return t * t
        """,
        """
        s, t, x = ctx.saved_tensors
        if ctx.n > 1:
            return 2 * grad * t * t * x.cos(), None
        return 18 * grad * s * t, None
        """,
        "x, n",
        "torch.rand(3), 1",
    ),
    "saved before each return": (
        """
        ctx.n = n
        if n > 1:
            t = x.sin()
            ctx.save_for_backward(t, x)
            return t * n
        u = x.exp()
        t = u + n
        ctx.save_for_backward(t, x)
        return t * u
        """,
        """
        t, x = ctx.saved_tensors
        if ctx.n > 1:
            return grad * x.cos() * ctx.n, None
        return grad * (t * x.exp() + (t - ctx.n) * x.exp()), None
        """,
        "x, n",
        "torch.rand(3), 1",
    ),
    "in a dictionary on the context": (
        'e = x.exp()\nt = e * x\nctx.kept = {"e": e, "t": t}\nctx.save_for_backward(x)\nreturn t * e',
        'e = ctx.kept["e"]\nreturn grad * (e * e + 2 * ctx.kept["t"] * e)',
        "x",
        "torch.rand(3)",
    ),
    "in a dictionary that is filled": (
        'ctx.kept = {}\ne = x.exp()\nctx.kept["e"] = e\nreturn e * e',
        'kept = ctx.kept\nreturn 2 * grad * kept["e"] * kept.get("e")',
        "x",
        "torch.rand(3)",
    ),
    "as a call returns them": (
        "ctx.kept = torch.sort(x.exp())\nreturn ctx.kept[0] * ctx.kept[0]",
        "s, order = ctx.kept\nreturn torch.zeros_like(s).scatter(0, order, 2 * grad * s * s)",
        "x",
        "torch.rand(3)",
    ),
    "expressions, together on the context": (
        "ctx.kept = x.cos(), x.exp()\nreturn x.sin() + x.exp()",
        "return grad * (ctx.kept[0] + ctx.kept[1])",
        "x",
        "torch.rand(3)",
    ),
    "unpacked in several branches": (
        "t = (x * w).tanh()\nctx.save_for_backward(x, w, t)\nreturn t * 1",
        """
        if ctx.needs_input_grad[1]:
            x, w, t = ctx.saved_tensors
            d = grad * (1 - t * t)
            return d * w, d * x
        x, w, u = ctx.saved_tensors
        return grad * (1 - u * u) * w, None
        """,
        "x, w",
        "torch.rand(3), torch.rand(3)",
    ),
    "unpacked twice": (
        "t = (x * w).tanh()\nctx.save_for_backward(x, w, t)\nreturn t * 1",
        """
        g = h = None
        if ctx.needs_input_grad[0]:
            _, w, t = ctx.saved_tensors
            g = grad * (1 - t * t) * w
        if ctx.needs_input_grad[1]:
            x, _, t = ctx.saved_tensors
            h = grad * (1 - t * t) * x
        return g, h
        """,
        "x, w",
        "torch.rand(3), torch.rand(3)",
    ),
    "saved in branches, and unpacked in branches": (
        """
        if isinstance(parts, torch.Tensor):
            ctx.whole = True
            t = (x * parts).exp()
            ctx.save_for_backward(x, t)
            return t * 1
        ctx.whole = False
        ctx.parts = parts
        total = torch.zeros_like(x)
        for part in parts:
            total = total + (x * part).exp()
        ctx.save_for_backward(x, total)
        return total.log()
        """,
        """
        if ctx.whole:
            x, t = ctx.saved_tensors
            return grad * t, None
        x, total = ctx.saved_tensors
        g = torch.zeros_like(x)
        for part in ctx.parts:
            g = g + (x * part).exp() * part
        return grad * g / total, None
        """,
        "x, parts",
        "torch.rand(3), [0.5, 2.0]",
    ),
    "under a name for all that is saved": (
        "t = (x * w).tanh()\nctx.save_for_backward(x, w, t)\nreturn t * 1",
        "saved = ctx.saved_tensors\nx, w = saved[:2]\nt = saved[-1]\nd = grad * (1 - t * t)\n"
        "return d * w, d * x",
        "x, w",
        "torch.rand(3), torch.rand(3)",
    ),
    "counted from the end": (
        "t = x.exp() * w\ns = t.exp()\nctx.save_for_backward(t, s)\nreturn s * 1",
        "t, s = ctx.saved_tensors[-2:]\nreturn grad * s * t, None",
        "x, w",
        "torch.rand(3), torch.tensor(1.0)",
    ),
    "side by side": (
        "t = (x * w).tanh()\nctx.save_for_backward(x, w, t)\nreturn t * 1",
        "(x, w), t = ctx.saved_tensors[:2], ctx.saved_tensors[2]\nd = grad * (1 - t * t)\n"
        "return d * w, d * x",
        "x, w",
        "torch.rand(3), torch.rand(3)",
    ),
    "detached in the forward": (
        "t = x.detach().exp()\nu = (t * x.detach()).clone()\nctx.save_for_backward(t, u)\nreturn u * 1",
        "t, u = ctx.saved_tensors\nreturn grad * (u + t)",
        "x",
        "torch.rand(3)",
    ),
    "an output without its history": (
        "y = torch.softmax(x, -1)\nctx.y = y.detach().clone()\nreturn y",
        "y = ctx.y\nreturn y * (grad - (grad * y).sum(-1, keepdim=True))",
        "x",
        "torch.rand(3)",
    ),
    "changed in the backward": (
        "t = x.exp()\nctx.save_for_backward(t)\nreturn t * t",
        "(t,) = ctx.saved_tensors\nt *= 2\nreturn grad * t * t / 2",
        "x",
        "torch.rand(3)",
    ),
}


@pytest.mark.parametrize("name", sampled(WRONG, 3))
def test_the_fixed_class_is_clean_and_right(name: str, tmp_path: Path) -> None:
    forward, backward, parameters, inputs = WRONG[name]
    text = class_of(forward, backward, parameters)
    assert left(text)
    made = fixed(text)
    assert left(made.text) == []
    assert made.left == []
    if name != "a branch and a loop":
        assert verdict(text, inputs, tmp_path) == "silently wrong"
        assert verdict(made.text, inputs, tmp_path) == "right"


@pytest.mark.parametrize("name", WRONG)
def test_a_fixed_class_is_not_fixed_again(name: str) -> None:
    once = fixed(class_of(*WRONG[name][:3])).text
    assert fixed(once).text == once


def test_a_short_computation_stands_in_the_backward() -> None:
    forward, backward, parameters, _ = WRONG["a sum"]
    made = fixed(class_of(forward, backward, parameters)).text
    assert body(made, "forward") == "t = a + b\nctx.save_for_backward(b, a)\nreturn t * b\n"
    assert body(made, "backward") == (
        "b, a = ctx.saved_tensors\nt = a + b\nreturn grad * b, grad * t + grad * b\n"
    )


def test_a_longer_one_runs_only_where_gradients_are_recorded() -> None:
    forward, backward, parameters, _ = WRONG["a product of matrices"]
    made = fixed(class_of(forward, backward, parameters)).text
    assert body(made, "backward").startswith(
        "a, b, t = ctx.saved_tensors\n"
        "if torch.is_grad_enabled():  # recorded: what is saved has no history\n    t = a @ b\n"
    )


def test_names_that_mean_something_else_in_the_backward_go_into_a_method() -> None:
    text = class_of(
        "u = x.exp()\nt = u.sum()\nctx.save_for_backward(t)\nreturn t * t",
        "(t,) = ctx.saved_tensors\nu = 2 * grad * t\nreturn u",
    )
    made = fixed(text).text
    assert body(made, "_recomputed") == (
        '"""`t` as the forward computes it, recorded."""\nu = x.exp()\nt = u.sum()\nreturn t\n'
    )
    assert "t = Scaled._recomputed(x)" in made


def test_comments_and_formatting_survive() -> None:
    text = class_of(
        "t = a+b   # the sum\nctx.save_for_backward( b , t )  # both\nreturn t * b",
        "# take them\n(b, t) = ctx.saved_tensors  # here\n\nreturn grad*b, grad*t + grad*b",
        "a, b",
    )
    made = fixed(text).text
    for comment in ("# the sum", "# both", "# take them", "# here"):
        assert comment in made
    assert "return grad*b, grad*t + grad*b" in made


def test_what_is_random_is_not_computed_again() -> None:
    text = class_of(
        "t = x * torch.rand_like(x)\nctx.save_for_backward(t)\nreturn t * t",
        "(t,) = ctx.saved_tensors\nreturn 2 * grad * t",
    )
    made = fixed(text)
    assert made.text == text
    assert [reason for _, reason in made.left] == ["it depends on random numbers"]


@pytest.mark.parametrize(
    ("forward", "reason"),
    [
        (
            "t = x.exp()\nu = t.view(-1)\nt.mul_(2)\nt = t + u.sum()",
            "another name may share the memory of `t`",
        ),
        ("t = x.exp()\ntorch.mul(t, 2, out=t)", "what `mul` does is not known"),
        ("t = x.exp()\nt.zero_()\nt = t + x", "`zero_` has no form that makes a new tensor"),
        ("try:\n    t = x.exp()\nexcept ValueError:\n    t = x.sin()", "`t` is computed inside a `try`"),
    ],
)
def test_what_cannot_be_split_attributes_is_left_alone(forward: str, reason: str) -> None:
    text = class_of(
        f"{forward}\nctx.save_for_backward(t)\nreturn t * t", "(t,) = ctx.saved_tensors\nreturn grad * t"
    )
    made = fixed(text)
    assert made.text == text
    assert [why.startswith(reason) for _, why in made.left] == [True], made.left


def test_an_attribute_that_may_not_be_set_is_left_alone() -> None:
    text = class_of(
        "if x.sum() > 0:\n    return x * 1\nt = x.exp()\nctx.t = t\nreturn t * t", "return grad * ctx.t"
    )
    made = fixed(text)
    assert made.text == text
    assert [why for _, why in made.left] == ["the forward may return before it saves"]


@pytest.mark.parametrize("head", ["with torch.enable_grad():", "try:", "for _ in range(1):"])
def test_what_is_saved_inside_of_another_statement_is_left_alone(head: str) -> None:
    tail = "finally:\n    pass\n" if head == "try:" else ""
    text = class_of(
        f"t = x.cos()\n{head}\n    t = x.detach().exp()\n    ctx.save_for_backward(t)\n{tail}return t * t",
        "(t,) = ctx.saved_tensors\nreturn 2 * grad * t * t",
    )
    made = fixed(text)
    assert made.text == text
    assert [why for _, why in made.left] == ["it is saved inside of a statement that may not run, or records"]


def test_several_values_are_computed_together() -> None:
    text = class_of(
        "s = x.sin().sum()\nt = s.exp()\nctx.save_for_backward(s, t)\nreturn s * t",
        "s, t = ctx.saved_tensors\nreturn grad * s * t",
    )
    made = fixed(text)
    assert [f.value for f, _ in made.done] == ["s", "t"]
    assert "s = x.sin().sum()\n            t = s.exp()" in made.text


def test_each_branch_computes_what_it_saves() -> None:
    forward, backward, parameters, _ = WRONG["saved in branches, by other names"]
    made = fixed(class_of(forward, backward, parameters)).text
    assert "ctx.save_for_backward(s, t, x, x)" not in made
    assert body(made, "_recomputed") == (
        '"""`s` and `t` as the forward computes them, recorded."""\n'
        "if n > 1:\n    s = x.sin()\n    t = s.exp()\nelse:\n    z = x * 1\n    one = torch.ones_like(x)\n"
        "    s, t = z, one\nreturn s, t\n"
    )


@pytest.mark.parametrize(
    ("one", "other"),
    [("t, x", "x"), ("t, x", "x, t"), ("t, *rest", "x, *rest"), ("t, x", "x.exp(), x")],
)
def test_branches_that_save_other_lists_are_left_alone(one: str, other: str) -> None:
    text = class_of(
        f"""
        rest = (x,)
        t = x.exp()
        if x.dim() > 1:
            ctx.save_for_backward({one})
        else:
            ctx.save_for_backward({other})
        return t * t
        """,
        "t, x = ctx.saved_tensors\nreturn 2 * grad * t * t",
    )
    made = fixed(text).text
    assert left(made) or "_recomputed" in made or made == text


def test_long_lists_are_wrapped() -> None:
    names = [f"a_rather_long_name_{k}" for k in range(4)]
    listed = ", ".join(names)
    text = class_of(
        f"t = ({' + '.join(names)}) @ x\nctx.save_for_backward({listed}, t)\nreturn t * t",
        f"{listed}, t = ctx.saved_tensors\nreturn {', '.join(['grad * t'] * 5)}",
        f"{listed}, x",
    )
    made = fixed(text).text
    assert "ctx.save_for_backward(\n            a_rather_long_name_0,\n" in made
    assert "        (\n            a_rather_long_name_0,\n" in made
    assert "            t,\n            x,\n        ) = ctx.saved_tensors\n" in made
    assert left(made) == []


def test_a_setup_context_takes_what_it_needs_from_its_inputs(tmp_path: Path) -> None:
    text = (
        f"{HEAD}class Scaled(torch.autograd.Function):\n    @staticmethod\n    def forward(a, b):\n"
        "        return (a + b) * b\n\n    @staticmethod\n    def setup_context(ctx, inputs, output):\n"
        "        a, b = inputs\n        t = a + b\n        ctx.save_for_backward(b, t)\n\n    @staticmethod\n"
        "    def backward(ctx, grad):\n        b, t = ctx.saved_tensors\n"
        "        return grad * b, grad * t + grad * b\n"
    )
    made = fixed(text).text
    assert left(made) == []
    assert verdict(made, "torch.rand(3), torch.rand(3)", tmp_path) == "right"


def test_a_registered_operator_too() -> None:
    text = (
        "import torch\n\n\n@torch.library.custom_op('mine::scaled', mutates_args=())\n"
        "def scaled(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:\n    return (a + b) * b\n\n\n"
        "def setup(ctx, inputs, output):\n    a, b = inputs\n    t = a @ b\n"
        "    ctx.save_for_backward(b, t)\n\n\n"
        "def backward(ctx, grad):\n    b, t = ctx.saved_tensors\n"
        "    return grad * b, grad * t + grad * b\n\n\n"
        "torch.library.register_autograd('mine::scaled', backward, setup_context=setup)\n"
    )
    made = fixed(text).text
    assert left(made) == []
    assert (
        "    if torch.is_grad_enabled():  # recorded: what is saved has no history\n        t = a @ b\n"
        in made
    )


def test_the_import_of_torch_is_added_where_it_is_missing() -> None:
    text = class_of(
        "t = a @ b\nctx.save_for_backward(b, t)\nreturn t * b",
        "b, t = ctx.saved_tensors\nreturn grad * b, grad * t",
        "a, b",
    ).replace("import torch\n", "from torch.autograd import Function\n", 1)
    text = text.replace("torch.autograd.Function", "Function")
    assert fixed(text).text.startswith("import torch\nfrom torch.autograd import Function\n")


def test_a_value_of_another_file_is_left_alone(tmp_path: Path) -> None:
    base = class_of(
        "t = x.exp()\nctx.save_for_backward(t)\nreturn t * t", "(t,) = ctx.saved_tensors\nreturn grad * t"
    )
    (tmp_path / "base.py").write_text(base)
    text = "from base import Scaled\n\n\nclass Derived(Scaled):\n    pass\n"
    path = tmp_path / "derived.py"
    path.write_text(text)
    assert fix_source(Source(str(path), text), find_module, shown).text == text


@pytest.mark.parametrize(
    ("forward", "reason"),
    [
        ("t = x.exp()\nfor part in parts:\n    t = t + part", "`parts` may be an iterator"),
        ("t = x.exp()\nfor part in zip(parts, x):\n    t = t + part[0]", "`parts` may be an iterator"),
        ("rows = iter(parts)\nt = x.exp() + sum(r for r in rows)", "`parts` may be an iterator"),
        ("t = x.exp() * parts.pop()", "`pop` takes something away"),
        ("t = x.exp() * next(parts)", "`next` takes something away"),
    ],
)
def test_what_may_be_used_up_is_not_computed_again(forward: str, reason: str) -> None:
    text = class_of(
        f"{forward}\nctx.save_for_backward(t)\nreturn t * 1",
        "(t,) = ctx.saved_tensors\nreturn grad * t, None",
        "x, parts",
    )
    made = fixed(text)
    assert made.text == text
    assert [why.startswith(reason) for _, why in made.left] == [True]


@pytest.mark.parametrize(
    ("forward", "backward", "parameters"),
    [
        ("", "for part in ctx.parts:\n    grad = grad + part", "x, parts"),
        ("", "grad = grad / len(ctx.parts)", "x, parts"),
        ("t = t + parts[0]", "", "x, parts"),
        ("", "", "x, parts: list[float]"),
    ],
)
def test_what_comes_again_is_gone_through_again(forward: str, backward: str, parameters: str) -> None:
    text = class_of(
        f"ctx.parts = parts\nt = x.exp()\n{forward}\nfor part in parts:\n    t = t + part * x\n"
        "ctx.save_for_backward(t)\nreturn t * 1",
        f"(t,) = ctx.saved_tensors\n{backward}\nreturn grad * t, None",
        parameters,
    )
    assert fixed(text).text.count("for part in parts:") == 2


@pytest.mark.torch
@pytest.mark.parametrize(
    "taken", ["t = ctx.saved_tensors[0]\nreturn grad * t", "return grad * ctx.saved_tensors[0]"]
)
def test_what_was_taken_once_is_taken_once(taken: str) -> None:
    """A checkpoint hands what is saved out once."""
    torch = pytest.importorskip("torch")
    from torch.utils.checkpoint import checkpoint

    made = fixed(class_of("t = x.exp()\nctx.save_for_backward(t)\nreturn t * 1", taken)).text
    names: dict[str, object] = {}
    exec(compile(made, "<text>", "exec"), names)
    x = torch.rand(3, requires_grad=True)
    checkpoint(names["Scaled"].apply, x, use_reentrant=False).sum().backward()  # type: ignore[attr-defined]
    torch.testing.assert_close(x.grad, x.detach().exp())


@pytest.mark.parametrize(
    "backward",
    [
        "t = ctx.saved_tensors[1]\nt = t * 2\nx = ctx.saved_tensors[0]\nreturn grad * t * x",
        "saved = ctx.saved_tensors\nt = saved[1]\nsaved = t * 2\nreturn grad * saved",
        "if grad.dim():\n    x, t = ctx.saved_tensors\nelse:\n    x, t, u = ctx.saved_tensors\nreturn t",
        "x, t = ctx.saved_tensors\nreturn grad * t * len(ctx.saved_tensors)",
    ],
)
def test_what_is_taken_in_other_ways_is_left_alone(backward: str) -> None:
    text = class_of("t = x.exp()\nctx.save_for_backward(x, t)\nreturn t * 1", backward)
    assert fixed(text).text == text


def test_what_is_detached_where_the_forward_records_stays_so() -> None:
    text = class_of(
        "with torch.enable_grad():\n    t = (x / x.std().detach()).exp()\nctx.t = t.detach()\n"
        "return t.detach()",
        "return grad * ctx.t",
    )
    assert "x.std()" not in fixed(text).text.replace("x.std().detach()", "")


@pytest.mark.parametrize(
    ("helper", "reason"),
    [
        ("return x.exp() + rng.uniform()", "it depends on random numbers"),
        ("return x.exp() + np.random.rand()", "it depends on random numbers"),
        ("return inner(x)", "it depends on random numbers"),
        ("rng.count = 1\n    return x.exp()", "`helper` sets `rng.count`"),
        ("global calls\n    calls = 1\n    return x.exp()", "`helper` sets `calls`"),
        ("return torch.as_tensor(np.exp(x.cpu().numpy())) * x", "it passes through NumPy"),
        ("return x.exp() + rng.pop()", "`pop` takes something away"),
        ("all_gather_into_tensor(rng, x)\n    return x.exp()", "`all_gather_into_tensor` communicates"),
        ("dist.broadcast(x, 0)\n    return x.exp()", "`broadcast` communicates"),
    ],
)
def test_calls_that_give_something_else_each_time_are_left_alone(helper: str, reason: str) -> None:
    text = class_of(
        "t = helper(x, rng)\nctx.save_for_backward(t)\nreturn t * 1",
        "(t,) = ctx.saved_tensors\nreturn grad * t, None",
        "x, rng",
    )
    text = f"import numpy as np\n{text}\n\ndef helper(x, rng):\n    {helper}\n"
    text += "\n\ndef inner(x):\n    return x.exp() * torch.rand_like(x)\n"
    made = fixed(text)
    assert made.text == text
    assert [why.startswith(reason) for _, why in made.left] == [True], made.left


@pytest.mark.parametrize(
    ("forward", "backward"),
    [
        ("t = helper(x.detach())", ""),
        ("t = x.detach().exp()\nt = solver.solve(t)", ""),
        ("t = x.detach().exp()", "grad = grad * solve(t)\n"),
        ("t = x.exp()\nt.requires_grad = True", ""),
    ],
)
def test_what_may_refuse_a_history_gets_none(forward: str, backward: str) -> None:
    text = class_of(
        f"{forward}\nt = t * 2\nctx.save_for_backward(t)\nreturn t * 1",
        f"(t,) = ctx.saved_tensors\n{backward}return grad * t, None",
        "x, solver",
    )
    text += "\n\ndef helper(x):\n    return torch.as_tensor(x.tolist()) * x\n"
    assert fixed(text).text == text


@pytest.mark.parametrize("forward", ["args = args[:-1]\nt = x", "t = x"])
def test_any_number_of_inputs_is_left_alone(forward: str) -> None:
    text = class_of(
        f"{forward}\nfor arg in args:\n    t = t * arg.exp()\nctx.t = t\nreturn t * 1",
        "return (grad * ctx.t, None, None)",
        "x, *args",
    )
    made = fixed(text)
    assert made.text == text
    assert {why for _, why in made.left} == {"`args` takes any number of inputs"}
