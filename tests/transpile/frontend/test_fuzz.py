"""No text crashes the frontend: each gives formulas or located findings."""

import keyword
from functools import cache
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import pullback
from pullback.transpile.frontend import read_module
from pullback.transpile.ir import Source
from pullback.transpile.verify import verify

from .reading import HEAD

SETTINGS = settings(
    max_examples=80, deadline=None, suppress_health_check=list(HealthCheck), phases=[Phase.generate]
)
TOKENS = [
    *keyword.kwlist,
    *[
        "a",
        "b",
        "x",
        "y",
        "t",
        "grad",
        "g",
        "np",
        "pb",
        "np.exp",
        "pb.formula",
        "1",
        "2.5",
        "1j",
        "'text'",
        "b''",
        "...",
        "_",
        "f(",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        ",",
        ":",
        ";",
        "=",
        "==",
        "+=",
        "+",
        "-",
        "*",
        "/",
        "//",
        "**",
        "%",
        "@",
        "&",
        "|",
        "^",
        "~",
        "<",
        ">",
        "->",
        ":=",
        ".",
        "#",
        "type",
        "def\\",
        "f(x):",
        "return",
    ],
    *["\n", "\n", "\n    ", "\n@pb.formula\n", "\t", "\\", '"""'],
]
ATOMS = [
    *["x"] * 8,
    *["y", "t", "t", "u", "g", "n", "(0)", "(1)", "2.5", "None", "x.shape", "True", "np.pi", "q"],
]
FORMS = """
({0} + {1})
({0} * {1})
({0} * {1})
np.exp({0})
np.tanh({0})
({0} - {1})
np.sin({0})
({0} ** {1})
({0} @ {1})
-{0}
not {0}
({0} if {1} else {2})
({0} and {1})
({0} or {1})
({0} < {1} <= {2})
({0} is None)
({0} is not {1})
({0} in ({1}, {2}))
np.sum({0}, axis={1})
np.where({0}, {1}, {2})
np.reshape({0}, {1})
{0}.sum({1})
{0}.T
{0}.shape
{0}[{1}]
{0}[{1}:{2}]
({0}, {1})
[{0}, {1}]
({0},)[0]
h({0})
h({0}, {1})
len({0})
float({0})
np.foo({0}, k={1})
np.concatenate([{0}, {1}])
pb.tensor({0})
two({0})
(lambda a: a + {0})({1})
[a * {0} for a in ({1}, {2})]
np.clip({0}, {1}, {2})
{0}.astype({1})
range({0})
tuple({0})
(*{0}, {1})
{0}.append({1})
np.float32({0})
math.sqrt({0})
back({0})
reversed({0})
zip({0}, {1})
enumerate({0})
{0}[{1}, {2}]
np.einsum({0}, {1}, {2})
np.sum({0}, axis={1}, keepdims={2})
primitives.accumulate({0}, {1})
f'{{{0}}} of {{{1}}}'
""".strip().splitlines()
USUAL = FORMS[:7]


def assert_read(text):
    module = read_module(Source("f.py", text))
    lines = text.count("\n") + text.count("\r") + 2
    for finding in module.diagnostics:
        assert finding.code.startswith("PB")
        assert 1 <= finding.span.line <= lines, finding
        assert finding.span.column >= 1
        assert finding.message
        assert finding.code != "PB400" or len(module.diagnostics) == 1
    for formula in module.formulas.values():
        verify(formula)
    return module


@cache
def corpus():
    package = Path(pullback.__file__).resolve().parent
    root = package if (package / "formulas").exists() else package.parent.parent
    texts = [path.read_text(encoding="utf-8") for path in sorted((root / "formulas").glob("*.py"))]
    return [text for text in texts if "@pb.formula" in text]


@st.composite
def mutated(draw):
    """A formula file with a few characters, lines or tokens changed."""
    text = draw(st.sampled_from(corpus()))
    start = draw(st.integers(0, len(text) - 1))
    text = HEAD + text[text.rfind("\n@pb.formula", 0, start) + 1 :][:1500]
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(text)))
        length = draw(st.sampled_from([0, 1, 1, 3, 12]))
        piece = draw(st.one_of(st.sampled_from(TOKENS), st.text(max_size=3)))
        text = text[:at] + piece + text[at + length :]
    return text


@st.composite
def expressions(draw, depth=2):
    if depth == 0 or draw(st.integers(0, 2)) == 0:
        return draw(st.sampled_from(ATOMS))
    parts = [draw(expressions(depth=depth - 1)) for _ in range(3)]
    return draw(st.one_of(st.sampled_from(USUAL), st.sampled_from(FORMS))).format(*parts)


@st.composite
def statements(draw, depth=2):
    kind = draw(st.integers(0, 9))
    value = draw(expressions())
    name = draw(st.sampled_from(["t", "u", "n", "x", "g"]))
    inner = (
        [line for _ in range(2) for line in draw(statements(depth=depth - 1))] if depth and kind >= 6 else []
    )
    body = ["    " + line for line in inner]
    if not inner or kind < 6:
        simple = [
            f"{name} = {value}",
            f"{name} += {value}",
            f"t, u = {value}",
            f"{name}[0] = {value}",
            f"{value}",
        ]
        leaving = [
            "break",
            "continue",
            f"raise ValueError({value})",
            f"{name}.append({value})",
            f"{name}.reverse()",
        ]
        if draw(st.integers(0, 4)) == 0:
            return [draw(st.sampled_from(leaving))]
        return [[*simple, f"return {value}"][kind % 6]]
    heads = [f"if {value}:", f"for {name} in {value}:", f"def h({name}, k=t):", f"while {value}:"]
    return [heads[kind - 6], *body, *(["else:", *body] if kind == 6 else [])]


@st.composite
def formulas(draw):
    forward = [line for _ in range(draw(st.integers(0, 4))) for line in draw(statements())]
    closure = [line for _ in range(draw(st.integers(0, 3))) for line in draw(statements())]
    returned, gradient = (
        draw(expressions()),
        draw(st.sampled_from(["None", "g * t", "g", draw(expressions())])),
    )
    text = ["@pb.formula", "def two(x):", "    return (x, x * 2), lambda g, h: g + 2 * h", "", "@pb.formula"]
    text += [
        "def f(x, y: pb.Tensor | None = None, *, n=1):",
        "    t, u, g = x * 2, y, x",
        *("    " + line for line in forward),
        "    def back(g):",
    ]
    text += [
        *("        " + line for line in closure),
        f"        return g * u, {gradient}",
        f"    return {returned}, back",
    ]
    return HEAD + "\n".join(text) + "\n"


@SETTINGS
@given(mutated())
def test_mutated_formulas(text):
    assert_read(text)


@SETTINGS
@given(st.lists(st.sampled_from(TOKENS), max_size=40).map(" ".join))
def test_token_soup(text):
    assert_read(text)
    assert_read(HEAD + "@pb.formula\ndef f(x):\n    " + text)


@SETTINGS
@given(st.text(max_size=60))
def test_any_text(text):
    assert_read(text)


@settings(SETTINGS, max_examples=150)
@given(formulas())
def test_formulas_of_a_small_grammar(text):
    assert_read(text)
