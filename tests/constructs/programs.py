"""Random programs inside the fence: loops, branches, writes, lists, helpers, early returns, nested at random.

`programs()` draws the text of ``program(x, y, rows, *, n: int, kind: str)``, a function of two
(3, 3) arrays and an array of positions. To add a way of running them (a leg), draw a
program in a test, make a file of it with `loaded`, which needs one as formulas do, and compare what your
way computes with ``loaded(...)(*INPUTS, n=..., kind=...)``; see `test_programs.py`.
"""

import importlib.util
import textwrap

import numpy as np
from hypothesis import strategies as st

HEAD = """\
import numpy as np
import pullback as pb


def halved(a, b=0.5):
    c = np.tanh(a)
    return c * b


def two(a):
    return np.sin(a), np.cos(a) * a


def early(a, n):
    if n > 1:
        return np.sin(a)
    b = a * a
    return np.tanh(b)


def until(a, b, n):
    for k in range(n):
        a = np.sin(a) * b
        if k == 1:
            return a * 0.5
    return a


def checked(a, n):
    if n > 7:
        raise ValueError(f"{n} of {a.shape}")
    return np.tanh(a) * a
"""
RNG = np.random.default_rng(11)
INPUTS = (RNG.uniform(0.5, 1.5, (3, 3)), RNG.uniform(0.5, 1.5, (3, 3)), np.array([2, 0, 2]))

# Each makes a new `v` of the one before. @ is a number of its own, for names.
BLOCKS = [
    "v = np.sin(v) * x",
    "t@ = v * y\nv = np.tanh(t@ + v)",
    "u@ = v * 1.0\nu@ += x\nu@ *= 0.5\nv = u@",
    "a@, b@ = two(v)\na@, b@ = b@, a@\nv = a@ * b@ + x",
    "v = halved(v) + halved(x, b=v)",
    "v = early(v, n)",
    "v = until(v, x, n)",
    "v = checked(v, n)",
    "h@ = lambda a: np.sin(a) * y\nv = h@(v) + h@(x)",
    "v = np.sin(v) if n > 1 else v * x",
    "w@ = np.zeros_like(v)\nw@[0] = v[0] * x[1]\nw@[1:] += np.sin(v[1:])\nv = w@",
    "w@ = np.empty_like(v)\nfor k@ in range(v.shape[0]):\n    w@[k@] = np.sin(v[k@]) * x[0]\nv = w@",
    "w@ = np.sin(v)\nw@[rows, rows] = 0.5\nw@[:, 1] *= x[:, 1]\nv = w@ * y",
    "v = v + np.sin(v)[rows, rows] * np.sum(x) * 0.1",
    "v = np.einsum('ij,jk->ik', v, x) * 0.3",
    "l@ = []\nr@ = v\nfor k@ in range(n):\n    r@ = np.sin(r@)\n    l@.append(r@ * x)\n"
    "for q@ in l@:\n    v = v * 0.5 + q@",
    "for k@, q@ in enumerate([v, x]):\n    v = np.tanh(v + q@ * k@)",
    "v = sum([np.sin(v) * k@ for k@ in (1, 2)]) * 0.4",
    "for k@ in range(n):\n    if k@ % 2:\n        u@ = np.exp(-v * v)\n        v = u@ * x\n"
    "    else:\n        v = np.sin(v)",
    "p@ = None\nif n > 1:\n    p@ = np.exp(-v * v)\nv = v * 0.5 if p@ is None else p@ * x",
    "if kind == 'z':\n    raise ValueError(f'no {kind}')\nv = v * min(n, 2) * 0.5 + x",
    "v = np.where(v > 0.7, np.sin(v), v * x)",
    "for k@ in range(3):\n    if k@ == n:\n        break\n    v = np.sin(v) * x",
    "for k@ in range(n):\n    v = np.sin(v) + x\n    if k@ == 1:\n        continue\n    v = v * 0.5",
    "l@, c@ = [], []\nfor k@ in reversed(range(n)):\n    v = np.tanh(v) * x\n    l@.append(v)\n"
    "    c@.append(k@)\nl@.reverse()\nfor q@ in l@:\n    v = v * 0.5 + q@",
    "for a@, b@ in zip([v, x], [x, y]):\n    v = v * 0.5 + np.sin(a@ * b@)",
    "for q@ in reversed([v, x]):\n    v = np.sin(v) * 0.5 + q@",
    "i@ = rows, rows\nv = v + np.sin(v)[i@] * 0.3",
    "l@ = [np.sin(v), x]\nl@[0] = l@[0] * y\nv = np.stack(l@)[0] * l@[1]",
    "v = np.stack([np.sin(v) * q@ for q@ in [x, y]])[1] * v",
    "w@ = v * 1.0\nfor k@ in range(1, v.shape[0]):\n    w@[k@] += np.sin(w@[k@ - 1]) * x[k@]\nv = w@",
    "for i@ in range(n):\n    for j@ in range(2):\n        v = np.sin(v) + v[i@ % 3, j@] * x * 0.1",
    "for i@ in range(2):\n    r@ = v[i@]\n    for j@ in range(n):\n"
    "        r@ = np.tanh(np.matmul(r@, x)) + y[j@]\n    v = v * 0.5 + r@",
    "w@ = np.sin(v)\nw@[v > 0.8] = v[v > 0.8] * 0.5\nv = w@ * x",
    "v = v + np.sum(np.sin(v)[x > 1]) * y * 0.1",
    "v = v[:, rows] * 0.5 + v[rows[:, None], rows] * y[1, rows]",
    "s@ = np.stack([np.sin(q@) * v for q@ in (x, y)])\nv = np.sum(s@, axis=0) * 0.5",
    "l@ = []\nfor i@ in range(n):\n    r@ = v\n    for j@ in range(2):\n        r@ = np.sin(r@) * (i@ + j@)\n"
    "    l@.append(r@)\nfor q@ in reversed(l@):\n    v = v * 0.5 + q@",
    "t@ = 0.0\nfor row@ in v:\n    t@ = np.tanh(row@ * t@ + row@)\nv = v * t@",
    "for i@ in range(n):\n    for j@ in range(i@):\n"
    "        t@ = np.sin(v) * x[j@]\n        v = t@ * np.exp(-t@)",
    "w@ = v * 1.0\nfor i@ in range(3):\n    for j@ in range(i@, 3):\n"
    "        w@[i@, j@] = np.sin(w@[j@, i@]) * x[j@, i@]\nv = w@",
    "t@ = 0.0\nfor i@ in range(n):\n    q@ = np.exp(-v[:i@])\n"
    "    t@ = t@ + np.sum(q@ * np.sin(q@))\nv = v * np.tanh(t@) + x",
    "l@ = [x]\nfor i@ in range(n):\n    if i@ % 2 == 0:\n        l@.append(np.sin(v) * i@)\n"
    "for q@ in l@:\n    v = v * 0.5 + q@",
    "l@ = []\nfor i@ in range(3):\n    for j@ in range(i@):\n        l@.append(v[i@] * x[j@])\n"
    "v = v + np.sum(np.stack(l@), axis=0) * 0.1",
    "q@ = y[0]\nfor k@ in range(n):\n    v = v * 0.5 + np.sum(np.sin(q@) * q@) * 0.1\n    q@ = q@ * x",
]
TESTS = ["n > 1", "kind == 'a'", "n == 0 or kind == 'b'", "v.shape[0] > n"]


@st.composite
def blocks(draw, depth=1):
    """Lines that make a new `v`."""
    number = draw(st.integers(0, 10**6))
    form = draw(st.sampled_from(["leaf", "leaf", "if", "for", "def"])) if depth else "leaf"
    if form == "leaf":
        return draw(st.sampled_from(BLOCKS)).replace("@", str(number))
    inner = textwrap.indent(draw(blocks(depth - 1)), "    ")
    if form == "if":
        other = textwrap.indent(draw(blocks(depth - 1)), "    ")
        return f"if {draw(st.sampled_from(TESTS))}:\n{inner}\nelse:\n{other}"
    if form == "for":
        count = draw(st.sampled_from(["2", "n", "min(n, 2)"]))
        return f"for turn{number} in range({count}):\n{inner}\n    v = v * 0.7"
    return f"def h{number}(v):\n{inner}\n    return v\nv = h{number}(v)"


@st.composite
def programs(draw):
    """The text of a program, without the module's head."""
    lines = ["v = x * y", draw(blocks())]
    if draw(st.booleans()):
        lines += ["if n == 2:", "    return v * x", draw(blocks())]
    lines += [draw(blocks(0)), "return v * y"]
    body = textwrap.indent("\n".join(lines), "    ")
    return f"def program(x, y, rows, *, n: int, kind: str = 'a'):\n{body}\n"


def loaded(folder, program, name="plain"):
    """The program as a function of a file in this folder."""
    path = folder / f"{name}.py"
    path.write_text(program if "import numpy" in program else f"{HEAD}\n\n{program}", encoding="utf-8")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.program
