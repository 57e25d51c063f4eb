"""The texts of pages that are made when the site is built, by their path under docs/."""

from __future__ import annotations

import ast
import inspect
import json
from pathlib import Path
from typing import Any

import pullback as pb
from pullback.tools.explain.drawing import picture
from pullback.tools.explain.facts import facts_of
from pullback.tools.formulas import read_formula

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ("simple", "softplus", "gelu_tanh", "cross_entropy", "layer_norm", "lstm_cell", "gp_covariance")
LANGUAGES = {".py": "python", ".cpp": "cpp", ".h": "cpp", ".txt": "cmake", ".toml": "toml", ".md": "markdown"}
# The public names, by page; a test checks that none is left out.
REFERENCE = {
    "gradients": (
        "Gradients",
        "Gradients of what was recorded, and derivatives of functions.",
        "backward grad value_and_grad jacobian hessian vjp jvp hvp vhp gradcheck checkpoint stop_gradient",
    ),
    "tensors": (
        "Tensors",
        "Arrays that may have a gradient, and the functions that make them.",
        "Tensor tensor from_numpy from_dlpack relu gelu sigmoid softplus",
    ),
    "formulas": (
        "Formulas",
        "Operators with their derivatives: written, derived, compiled, loaded.",
        "formula Formula derive_pullback composite Composite compile CompiledFormula formulas load_operator",
    ),
    "modes": (
        "Modes",
        "What is recorded, what is saved, and by how many threads work is done.",
        "no_grad enable_grad set_grad_enabled is_grad_enabled inference_mode is_inference_mode_enabled "
        "saved_tensors_hooks register_multi_grad_hook use_engine get_num_threads set_num_threads",
    ),
    "debugging": (
        "Debugging",
        "What was recorded, and what went wrong.",
        "graph Graph tape detect_anomaly set_detect_anomaly is_anomaly_enabled is_anomaly_check_nan_enabled "
        "Diagnostic FormulaError PullbackError",
    ),
}
MODULES = (
    "errors",
    "forward_ad",
    "func",
    "implicit",
    "memory",
    "nn",
    "primitives",
    "random",
    "special",
    "__version__",
)


def pages() -> dict[str, str]:
    """Every page that is made, but for those of sources."""
    made = {"overview.md": (ROOT / "README.md").read_text(encoding="utf-8"), "tutorial.md": tutorial()}
    made["gallery.md"] = gallery()
    made |= {f"gallery/{name}.svg": drawing(name) for name in EXAMPLES}
    made["reference/index.md"] = reference_index()
    made |= {f"reference/{name}.md": reference(name) for name in REFERENCE}
    made["reference/library.md"] = library()
    return made


def origin(page: str) -> str:
    """The path in the repository of the text that a page shows, from which its links start."""
    if page == "overview.md":
        return "README.md"
    return f"docs/{page}"


def source_page(path: str) -> str:
    """The page that shows a source file."""
    return f"source/{path}.md"


def source(path: str) -> str:
    """A source file as a page."""
    text = (ROOT / path).read_text(encoding="utf-8")
    return f"# {path}\n\n{fenced(text, LANGUAGES.get(Path(path).suffix, 'text'))}"


def fenced(text: str, language: str = "text") -> str:
    """A block of code, which may have fences in it."""
    return f"````{language}\n{text.rstrip()}\n````\n"


def tutorial() -> str:
    """The notebook's cells, with what they print."""
    cells = json.loads((ROOT / "docs" / "tutorial.ipynb").read_text(encoding="utf-8"))["cells"]
    parts = []
    for cell in cells:
        text = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(text + "\n")
            continue
        parts.append(fenced(text, "python"))
        parts += [shown(output) for output in cell["outputs"]]
    return "\n".join(parts)


def shown(output: dict[str, Any]) -> str:
    """What a cell printed or gave."""
    data = output.get("data", {})
    return fenced("".join(output.get("text", data.get("text/plain", ""))))


def drawing(name: str) -> str:
    """The picture of an example, as `pullback explain` draws it."""
    formula, file = read_formula(str(ROOT / "examples" / f"{name}.py"))
    return picture(facts_of(formula, file.library))


def gallery() -> str:
    """The examples: what each is, its picture and its text."""
    parts = [
        "# Gallery",
        "Operators as they are written, with the picture that `pullback explain FILE --format svg` draws: "
        "forward above, backward below, and between them what the closure captures. Red is the path on which "
        "the gradient of a captured intermediate flows back: what is lost where it is only saved.",
    ]
    for name in EXAMPLES:
        text = (ROOT / "examples" / f"{name}.py").read_text(encoding="utf-8")
        title = (ast.get_docstring(ast.parse(text)) or name).splitlines()[0].rstrip(".")
        parts += [f"## {name}", f"{title}.", f"![Forward and backward of {name}](gallery/{name}.svg)"]
        parts.append(fenced(text, "python"))
    return "\n\n".join(parts) + "\n"


def reference(name: str) -> str:
    """The public names of one page, from their docstrings."""
    title, about, names = REFERENCE[name]
    parts = [f"# {title}", about]
    for public in names.split():
        where, what = place(public)
        parts.append(
            f'::: {where}.{what}\n    options:\n      heading: "pb.{public}"\n      toc_label: {public}'
        )
    return "\n\n".join(parts) + "\n"


def place(public: str) -> tuple[str, str]:
    """The module where a public name is defined, and its name there."""
    value = getattr(pb, public)
    if inspect.isfunction(value) or inspect.isclass(value):
        return value.__module__, value.__qualname__
    return "pullback.numpy", public


def reference_index() -> str:
    """The public names and modules, a line each."""
    parts = ["# Reference", "`import pullback as pb`; the names below are `pb.name`."]
    for page, (title, about, names) in REFERENCE.items():
        parts.append(f"## [{title}]({page}.md)\n\n{about}")
        rows = [f"| [`{name}`]({page}.md) | {summary(getattr(pb, name))} |" for name in names.split()]
        parts.append("\n".join(["| name | |", "| --- | --- |", *rows]))
    rows = [f"| `pullback.{name}` | {summary(getattr(pb, name))} |" for name in MODULES if name[0] != "_"]
    rows.insert(0, "| `pullback.numpy` | [NumPy's functions on tensors](../array-api.md) |")
    parts.append("\n".join(["## Modules", "", "| module | |", "| --- | --- |", *rows]))
    return "\n\n".join(parts) + "\n"


def summary(value: object) -> str:
    """The first line of a docstring, fit for a cell of a table."""
    return (inspect.getdoc(value) or "").partition("\n")[0].replace("|", "\\|")


def library() -> str:
    """A table of the formulas that the library has, by the file that they stand in."""
    rows: dict[str, list[str]] = {}
    for formula in pb.formulas():
        function = inspect.unwrap(formula)
        file = Path(inspect.getsourcefile(function) or "").name
        rows.setdefault(file, []).append(f"`{formula.__name__}`")
    table = [
        f"| [`{file}`](../../formulas/{file}) | {' '.join(sorted(set(names)))} |"
        for file, names in sorted(rows.items())
    ]
    head = "Every formula that `pb.formulas()` lists. Its file has the mathematics, and names the source."
    parts = ["# The library's formulas", "", head, "", "| file | formulas |", "| --- | --- |", *table]
    return "\n".join(parts) + "\n"
