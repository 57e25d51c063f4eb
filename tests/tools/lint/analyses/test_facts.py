"""What a saved value is, how the backward uses it, and where."""

from __future__ import annotations

import textwrap

import pytest

from pullback.tools.lint.analyses.facts import ClassFacts, Program, Saving, Use, read_classes
from pullback.transpile.ir import Source


def facts(forward: str, backward: str, parameters: str = "x", gradients: str = "g") -> ClassFacts:
    """The facts of a class with these bodies."""
    text = "import torch\nfrom torch.autograd import Function, Variable\nclass A(Function):\n"
    for name, arguments, body in (("forward", parameters, forward), ("backward", gradients, backward)):
        text += f"    @staticmethod\n    def {name}(ctx, {arguments}):\n"
        text += textwrap.indent(textwrap.dedent(body).strip(), " " * 8) + "\n"
    (found,) = read_classes(Source("a.py", text), Program())
    return found


INTERMEDIATE = [
    "t = x.exp()",
    "t = x.view(-1)",
    "t = x.reshape(-1)",
    "t = x.detach()",
    "t = x.data",
    "t = x.clone()",
    "t = Variable(x)",
    "t = x[0]",
    "t = torch.zeros_like(x); t[0] = x[0]",
    "t = torch.empty_like(x); torch.exp(x, out=t)",
    "t = torch.zeros_like(x); t.copy_(x)",
    "t = [x.exp(), x][0]",
    "t = (lambda v: v * 2)(x)",
    "t, _ = x.max(dim=0)",
    "t = torch.stack([row.exp() for row in x])",
]
ZERO = [
    "t = x > 0",
    "t = (x > 0).float()",
    "t = x.argmax(0)",
    "t = x.sign()",
    "t = torch.rand_like(x)",
    "t = torch.tensor(2.0)",
    "_, t = x.max(dim=0)",
    "t = x.topk(2)[1]",
    "t = x.long()",
    "t = x.to(torch.int32)",
    "t = ~(x > 0) & (x < 1)",
    "t = torch.zeros_like(x).masked_fill_(x > 0, 1)",
]


@pytest.mark.parametrize("computed", INTERMEDIATE)
def test_intermediates(computed: str) -> None:
    (saved,) = facts(
        f"{computed}\nctx.save_for_backward(t)\nreturn x * 2", "return g * ctx.saved_tensors[0]"
    ).saved
    assert (saved.name, saved.saving, saved.use, saved.inputs) == (
        "t",
        Saving.INTERMEDIATE,
        Use.VALUE,
        ("x",),
    )


@pytest.mark.parametrize("computed", ZERO)
def test_what_carries_no_gradient(computed: str) -> None:
    (saved,) = facts(
        f"{computed}\nctx.save_for_backward(t)\nreturn x * 2", "return g * ctx.saved_tensors[0]"
    ).saved
    assert saved.saving in (Saving.ZERO, Saving.PLAIN)


@pytest.mark.parametrize("computed", ["t = x", "y = x; t = y", "(t,) = (x,)", "t = x if True else x.exp()"])
def test_inputs(computed: str) -> None:
    (saved,) = facts(
        f"{computed}\nctx.save_for_backward(t)\nreturn x * 2", "return g * ctx.saved_tensors[0]"
    ).saved
    assert saved.saving is Saving.INPUT


@pytest.mark.parametrize("returned", ["t", "(t, x * 2)", "[t][0]", "t if True else x"])
def test_outputs(returned: str) -> None:
    gradients = "g, h" if "x * 2" in returned else "g"
    found = facts(
        f"t = x.exp()\nctx.save_for_backward(t)\nreturn {returned}",
        "return g * ctx.saved_tensors[0]",
        gradients=gradients,
    )
    assert found.saved[0].saving is Saving.OUTPUT


@pytest.mark.parametrize("computed", ["x.contiguous()", "x.float()", "x.to(y)", "x if y else x.exp()"])
def test_conditional_values(computed: str) -> None:
    found = facts(
        f"t = {computed}\nctx.save_for_backward(t)\nreturn x * 2",
        "return g * ctx.saved_tensors[0], None",
        parameters="x, y",
    )
    assert found.saved[0].saving is Saving.CONDITIONAL


USES = {
    "return g * t": Use.VALUE,
    "return g * t.exp().sum()": Use.VALUE,
    "u = torch.zeros_like(g)\nu.add_(t)\nreturn g * u": Use.VALUE,
    "return g * (t > 0)": Use.DEAD,
    "return g.expand(t.shape)": Use.DEAD,
    "return g * torch.ones_like(t)": Use.DEAD,
    "return g.to(t.dtype).reshape(t.size())": Use.DEAD,
    "return g if torch.is_grad_enabled() else g * t": Use.DEAD,
    "if not torch.is_grad_enabled():\n    return g * t\nreturn g": Use.DEAD,
    "if g.numel():\n    return g\nreturn g * t": Use.VALUE,
}


@pytest.mark.parametrize("body", USES)
def test_uses(body: str) -> None:
    found = facts("t = x.exp()\nctx.save_for_backward(t)\nreturn x * 2", f"(t,) = ctx.saved_tensors\n{body}")
    assert found.saved[0].use is USES[body]


def test_places() -> None:
    (saved,) = facts(
        "t = x.exp()\n\nctx.save_for_backward(t)\nreturn x * 2",
        "t = ctx.saved_tensors[0]\nu = 2 * t\nreturn g * u",
    ).saved
    places = (saved.computed, saved.saved, saved.used, saved.returned)
    assert [place.line for place in places if place is not None] == [6, 8, 13, 14]


def test_a_parameter_without_a_gradient_is_not_differentiable() -> None:
    found = facts("t = y.exp()\nctx.t = t\nreturn x * t", "return g * ctx.t, None", parameters="x, y")
    assert found.differentiable == {"x"}
    assert found.saved[0].saving is Saving.ZERO


def test_what_a_starred_list_saves_is_unpacked_again() -> None:
    found = facts(
        "t = x.exp()\nkept = list(rest)\nctx.save_for_backward(*kept, t)\nreturn x * 2",
        "*rest, t = ctx.saved_tensors\nreturn (g * t, *rest)",
        parameters="x, *rest",
    )
    table = {saved.name: (saved.saving, saved.use) for saved in found.saved}
    assert table == {"rest": (Saving.INPUT, Use.VALUE), "t": (Saving.INTERMEDIATE, Use.VALUE)}


@pytest.mark.parametrize("key", ['"kind"', "x.dim()"])
def test_what_a_dictionary_does_not_hold_is_what_is_asked_for_instead(key: str) -> None:
    found = facts(
        f"""
        def kept(x, **options):
            other = options.get({key}, x.exp())
            return other if options.get("kind", "sym") == "sym" else x

        ctx.save_for_backward(kept(x))
        return x * 2
        """,
        "(t,) = ctx.saved_tensors\nreturn g * t",
    )
    assert [saved.saving for saved in found.saved] == [Saving.INTERMEDIATE]


def test_an_item_of_an_empty_list_is_nothing() -> None:
    found = facts("ctx.save_for_backward(x)\nreturn x", "items = []\nreturn g if items[0] == 1 else g * 2")
    assert [saved.name for saved in found.saved] == ["x"]
