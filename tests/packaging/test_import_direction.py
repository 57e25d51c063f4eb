"""Which folder may import which: the layers of the project."""

import ast
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

# What the modules of a folder may import, besides the standard library and the folder itself.
ALLOWED = {
    "transpile": set(),
    "engine": {"pullback.transpile", "numpy", "scipy"},
    "formulas": {"pullback", "numpy", "scipy"},
    "tools": {
        "pullback",
        "pullback.transpile",
        "pullback.engine",
        "pullback.formulas",
        "numpy",
        "scipy",
        "rich",
        "torch",
    },
}
# The Python emitter prints with astor; emitted text says `pb`, so what runs it hands it the package.
EXCEPTIONS = {
    "transpile/emit/python_text.py": {"astor"},
    "transpile/loops/device/interpreter.py": {"numpy"},
    "transpile/loops/interpreter/functions.py": {"numpy"},
    "transpile/loops/interpreter/run.py": {"numpy"},
    "engine/formula/reading.py": {"pullback"},
    "engine/debugging/picture.py": {"grandalf"},
    "tools/explain/page.py": {"jinja2", "pygments"},
    "tools/highlight.py": {"pygments"},
    "tools/lint/output/page.py": {"jinja2", "markupsafe", "pygments"},
}


def modules():
    return [path for folder in ALLOWED for path in sorted((ROOT / folder).rglob("*.py"))]


def imported(relative, text):
    """Full names of the modules that a file of the repository imports, relative ones resolved."""
    package = ("pullback", *relative.parent.parts)
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield str(node.module)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1]
            if node.module is None:
                yield from (".".join((*base, alias.name)) for alias in node.names)
            else:
                yield ".".join((*base, node.module))


def layer(name):
    """The part of a full module name that the rules speak of: a folder of ours, or a package."""
    parts = name.split(".")
    return ".".join(parts[:2]) if parts[0] == "pullback" and parts[1:2] and parts[1] in ALLOWED else parts[0]


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_go_one_way(path):
    relative = path.relative_to(ROOT)
    allowed = (
        ALLOWED[relative.parts[0]] | {f"pullback.{relative.parts[0]}"} | EXCEPTIONS.get(str(relative), set())
    )
    names = imported(relative, path.read_text(encoding="utf-8"))
    assert {layer(name) for name in names} - set(sys.stdlib_module_names) <= allowed


def test_the_rule_sees_what_it_forbids():
    text = "from ..tools import cli\nfrom ..transpile.ir import Var\nfrom . import call\nimport torch\n"
    found = {layer(name) for name in imported(Path("engine/example.py"), text)}
    assert found == {"pullback.tools", "pullback.transpile", "pullback.engine", "torch"}
