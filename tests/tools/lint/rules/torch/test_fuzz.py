"""Broken and odd text: never an exception, whatever is cut out of real classes."""

from __future__ import annotations

import ast
import importlib.util
import random
import time
from pathlib import Path

import pytest

from pullback.tools.lint.fixes.fixing import fix_source
from pullback.tools.lint.frontend.modules import Program
from pullback.tools.lint.linter import lint_source, may_have_classes
from pullback.tools.modules import find_module
from pullback.transpile.ir import Source

FOLDER = Path(__file__).resolve().parents[4] / "fixtures" / "lint_torch"
TEXTS = [path.read_text() for path in sorted(FOLDER.glob("*.py"))]
TOKENS = ("ctx", "grad", "x", "None", "self", "()", "[0]", "*", "return", "if True:\n", "lambda: 0", ".apply")


def mutated(text: str, generator: random.Random) -> str:
    """The text with lines dropped, repeated, swapped, and names replaced."""
    lines = text.splitlines(keepends=True)
    for _ in range(generator.randrange(1, 12)):
        index, other = generator.randrange(len(lines)), generator.randrange(len(lines))
        match generator.randrange(4):
            case 0:
                lines[index] = ""
            case 1:
                lines[index], lines[other] = lines[other], lines[index]
            case 2:
                lines.insert(index, lines[other])
            case 3:
                words = lines[index].split(" ")
                words[generator.randrange(len(words))] = generator.choice(TOKENS)
                lines[index] = " ".join(words)
    return "".join(lines)


@pytest.mark.parametrize("seed", range(40))
def test_mutated_classes_never_raise(seed: int) -> None:
    generator = random.Random(seed)
    text = mutated(generator.choice(TEXTS), generator)
    for finding in lint_source(Source("mutated.py", text)).findings:
        assert finding.span.path == "mutated.py"
        assert 1 <= finding.span.line <= len(text.splitlines()) + 1


HEAD = "from torch.autograd import Function\n"
ODD = {
    "no methods": "class A(Function):\n    pass\n",
    "its own base": "class A(A, Function):\n    pass\n",
    "bases in a circle": "class A(B, Function): pass\nclass B(A, Function): pass\n",
    "no parameters": "class A(Function):\n    def forward(): pass\n    def backward(): pass\n",
    "no context": "class A(Function):\n    def forward(x): return x\n    def backward(*a): return a\n",
    "recursion": "class A(Function):\n    def forward(ctx, x): return A.forward(ctx, x)\n"
    "    def backward(ctx, g): return A.backward(ctx, g)\n",
    "a loop that never ends": "class A(Function):\n    def forward(ctx, x):\n        while True:\n"
    "            x = f(x)\n    def backward(ctx, g): return g\n",
    "deep nesting": "class A(Function):\n    def forward(ctx, x):\n        return "
    + "-" * 80
    + "x\n    def backward(ctx, g):\n        return g + "
    + "(" * 60
    + "g"
    + ")" * 60
    + "\n",
    "a long sum": "class A(Function):\n    def forward(ctx, x):\n        return x"
    + " + x" * 3000
    + "\n    def backward(ctx, g):\n        return g\n",
    "unpacking of anything": "class A(Function):\n    def forward(ctx, *x, **k):\n        (a, *b), [c] = x\n"
    "        ctx.a, ctx.b[0] = b, k\n        return [*b, *x][1:]\n    def backward(ctx, *g):\n"
    "        a, *b = ctx.saved_tensors, *ctx.a\n        return *g, *b[::2]\n",
    "lists that double": "class A(Function):\n    def forward(ctx, x):\n        l = [x]\n"
    "        for _ in (1, 2, 3, 4, 5, 6, 7, 8):\n            for _ in (1, 2, 3, 4, 5, 6, 7, 8):\n"
    "                l = l + l\n                l.extend(l)\n                l = [*l, l]\n"
    "        ctx.l = l\n        return x\n    def backward(ctx, g): return g * ctx.l[0]\n",
    "lists in lists": "class A(Function):\n    def forward(ctx, x):\n        l = [x]\n"
    "        for _ in range(9):\n            l = [l] * 60\n            l.append(l)\n        ctx.l = l\n"
    "        return x + sum(l)\n    def backward(ctx, g): return g * ctx.l[0][0][0]\n",
    "calls of calls": "def f(a): return f(a) + g(a) + h(a)\ndef g(a): return h(f(a)) + f(h(a))\n"
    "def h(a): return g(f(a)) + f(g(g(h(a))))\nclass A(Function):\n    def forward(ctx, x):\n"
    "        ctx.y = f(g(h(x)))\n        return x\n    def backward(ctx, g): return g * f(ctx.y)\n",
    "a match": "class A(Function):\n    def forward(ctx, x):\n        match x:\n"
    "            case 1: return x\n            case _: ctx.y = x + 1\n        return x\n"
    "    def backward(ctx, g): return g * ctx.y\n",
}


@pytest.mark.parametrize("name", ODD)
def test_odd_classes_never_raise(name: str) -> None:
    lint_source(Source("odd.py", HEAD + ODD[name]))


@pytest.mark.parametrize(
    "text",
    [
        HEAD + "class A(Function):\n    def forward(ctx x): pass\n",
        "    import torch\n" + HEAD + "class A(Function):\n    def forward(ctx, x): pass\n",
        HEAD + "class A(Function):\n    def forward(ctx, x): pass\n\0",
    ],
    ids=["a comma is missing", "the first line is indented", "a zero byte"],
)
def test_what_cannot_be_parsed_is_one_finding(text: str) -> None:
    assert [finding.code for finding in lint_source(Source("bad.py", text)).findings] == ["PB400"]


@pytest.mark.parametrize("seed", range(3))
def test_fixes_of_mutated_classes_never_raise(seed: int) -> None:
    generator = random.Random(1000 + seed)
    for _ in range(3):
        text = mutated(generator.choice(TEXTS), generator)
        try:
            ast.parse(text)
        except SyntaxError:
            continue
        ast.parse(fix_source(Source("mutated.py", text), find_module, lambda _, found: found, True).text)


@pytest.mark.parametrize("name", ODD)
def test_fixes_of_odd_classes_never_raise(name: str) -> None:
    fix_source(Source("odd.py", HEAD + ODD[name]), find_module, lambda _, found: found, True)


@pytest.mark.slow
@pytest.mark.torch
@pytest.mark.parametrize("seed", range(4))
def test_mutated_files_of_torch_never_raise_and_never_hang(seed: int) -> None:
    spec = importlib.util.find_spec("torch")
    if spec is None or spec.origin is None:
        pytest.skip("torch is not installed")
    files = sorted(Path(spec.origin).parent.rglob("*.py"))
    texts = [(path, path.read_text("utf-8", "replace")) for path in files]
    real = [(path, text) for path, text in texts if may_have_classes(text.encode("utf-8", "replace"))]
    generator = random.Random(seed)
    for path, text in generator.sample(real, 25):
        broken = mutated(text, generator)
        began = time.process_time()
        found = lint_source(Source(str(path), broken), Program(find_module)).findings
        assert time.process_time() - began < 20
        assert sum(finding.code == "PB400" for finding in found) <= 1
