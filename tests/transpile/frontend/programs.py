"""Random programs inside the fence, for tests of what the frontend makes of them."""

from hypothesis import strategies as st

ATOMS = ["x", "x", "y", "t", "u", "n", "n", "(2)", "0.5", "x.shape[0]", "k", "np.pi", "(-1)", "single"]
FORMS = """
({0} + {1})
({0} * {1})
({0} - {1})
({0} / {1})
({0} // {1})
({0} % {1})
({0} ** 2)
-{0}
abs({0})
({0} > {1})
({0} if {2} else {1})
({0} if n > 1 and flag else {1})
({0} if 0 < n <= 2 or not flag else {1})
(flag and {0})
np.exp({0})
np.tanh({0})
np.sqrt(np.abs({0}))
np.where({0} > {1}, {1}, {2})
np.maximum({0}, {1})
np.clip({0}, 0, 1)
np.sum({0})
np.sum({0}, axis=-1, keepdims=True)
np.mean({0}, 0)
np.reshape({0}, (-1,))
np.ravel({0})
np.stack([{0}, {0}])
np.zeros_like({0}) + {1}
({0}).T
({0})[0]
({0})[..., None]
({0})[::-1]
({0}).astype(np.float32)
({0}).size * {1}
len(x) * {0}
max(n, 3) * {0}
float(n) * {0}
math.sqrt(2) * {0}
np.sqrt(2.0) * {0}
np.square(3) * {0}
np.float32(2) * {0}
({0}, {1})[n - 1]
({0}, {1})[0]
[a * {0} for a in ({1}, {2})][1]
sum([{0}, {1}])
h({0})
h({0}, {1})
affine({0}, b={1})
(lambda a, b={0}: a + b)({1})
int({0} is None) * {1}
(n in (1, 2)) * {0}
""".strip().splitlines()
TESTS = ["flag", "n > 1", "not flag", "n == 2 and flag", "x.ndim == 2", "n in (1, 3)", "k is None", "n"]

HEAD = """\
def affine(a, b=2.0):
    if a is None:
        return b
    c = a * b
    return c + 1
def f(x, y, single, *, n=1, flag=False):
    t, u, k, v = x * 2, y, None, 1.0
    def h(a, b=t):
        return a - b * u
"""


@st.composite
def expressions(draw, more=(), depth=2):
    if depth == 0 or draw(st.integers(0, 3)) == 0:
        return draw(st.sampled_from([*ATOMS, *more]))
    parts = [draw(expressions(more, depth=depth - 1)) for _ in range(3)]
    return draw(st.sampled_from(FORMS)).format(*parts)


@st.composite
def statements(draw, more=(), depth=2):
    name = draw(st.sampled_from(["t", "u", "k", "v"]))
    value = draw(expressions(more))
    kind = draw(st.integers(0, 10)) if depth else 0
    if kind < 5:
        return [f"{name} = {value}"]
    if kind == 5:
        return [f"{name} = {value}", f"{name} = {name} * 2"]
    if kind == 6:
        return [f"t, u = {value}, t"]
    bodies = [
        ["    " + line for _ in range(draw(st.integers(1, 2))) for line in draw(statements(more, depth - 1))]
        for _ in range(2)
    ]
    test = draw(st.sampled_from(TESTS))
    if kind == 7:
        return [f"if {test}:", *bodies[0], "else:", *bodies[1]]
    if kind == 8:
        return [f"if {test}:", *bodies[0]]
    if kind == 9:
        return [f"for i in range({draw(st.integers(0, 3))}):", *bodies[0], "    t = t + i"]
    return [f"if {test}:", *bodies[0], f"    return {value}"]


def indented(lines, by=4):
    return [" " * by + line for line in lines]


@st.composite
def forwards(draw):
    """A function that returns a result only."""
    body = [line for _ in range(draw(st.integers(1, 6))) for line in draw(statements())]
    return HEAD + "\n".join(indented([*body, f"return {draw(expressions())}"])) + "\n"


@st.composite
def closures(draw):
    """A function that returns a result and a closure, whose gradients are anything at all."""
    body = [line for _ in range(draw(st.integers(1, 3))) for line in draw(statements())]
    body = [line for line in body if "return" not in line]
    inner = [line for _ in range(draw(st.integers(1, 3))) for line in draw(statements(("g", "g", "g")))]
    inner = [line.replace("return", "return g, None, ") for line in inner]
    shadow = "t, u, k, v = t, u, k, v" if draw(st.booleans()) else "t, u, k, v = g, x.shape[-1], None, t0"
    last = f"return g, {draw(expressions(('g',)))}, {draw(expressions(('g', 't0')))}"
    head = ["t0, u0 = t * 1, u", "def back(g, t=t, u=u, k=k, v=v):"]
    closure = [*head, *indented([shadow, *inner, last])]
    return HEAD + "\n".join(indented([*body, *closure, "return x * 2, back"])) + "\n"
