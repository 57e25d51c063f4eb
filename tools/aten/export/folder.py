"""A folder of formulas as the text of a table of derivatives."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pullback.transpile.codes import diagnostic
from pullback.transpile.diagnostics import Diagnostic
from pullback.transpile.emit.aten.table import quoted
from pullback.transpile.ir import Source, Span

from ...files import decode, python_files, read_bytes
from ..writer import USED
from .entry import Exported, exported
from .errors import NotExported
from .operators import Operator, operators


@dataclass
class Written:
    """The table of a folder.

    entries   the parts of each entry by their dispatch keys, by schemas
    findings  what an entry cannot say
    sources   the texts of the files, by their paths
    """

    entries: dict[str, dict[str, Exported]] = field(default_factory=dict)
    findings: list[Diagnostic] = field(default_factory=list)
    sources: dict[str, Source] = field(default_factory=dict)

    def text(self) -> str:
        """The entries as YAML."""
        return "\n".join(_entry(schema, variants) for schema, variants in self.entries.items())


def write_folder(folder: Path, functions: Mapping[str, Sequence[Any]]) -> Written:
    """The table of the formulas in the files of a folder, with the functions that ATen has."""
    made = Written()
    schemas = {str(each.func): each for overloads in functions.values() for each in overloads}
    for path, _ in python_files([str(folder)]):
        source = decode(path, read_bytes(path))
        if isinstance(source, Diagnostic):
            made.findings.append(source)
            continue
        made.sources[str(path)] = source
        try:
            module = ast.parse(source.text)
        except SyntaxError as error:
            line, column = error.lineno or 1, error.offset or 1
            span = Span(str(path), line, column, line, column + 1)
            made.findings.append(diagnostic("PB400", f"this is no Python: {error.msg}", span))
            continue
        for found in operators(module):
            try:
                if isinstance(found, NotExported):
                    raise found
                _add(made, found, schemas, functions)
            except NotExported as error:
                name = found.function.name if isinstance(found, Operator) else ""
                made.findings.append(_finding(error, source, name))
    return made


def _add(
    made: Written, found: Operator, schemas: Mapping[str, Any], functions: Mapping[str, Sequence[Any]]
) -> None:
    function = schemas.get(_plain(found))
    if function is None:
        raise NotExported(
            f"ATen has no function `{found.schema}`",
            found.function,
            "write the schema as native_functions.yaml has it, or give --native-functions FILE",
        )
    base = str(function.func.name).replace(".", "_")
    base = f"{base}_" if base in USED else base
    key = found.function.name.removeprefix(base).removeprefix("_") or "Default"
    variants = made.entries.setdefault(found.schema, {})
    if key in variants or not found.function.name.startswith(base):
        raise NotExported(
            f"`{found.function.name}` names no other dispatch key of this operator",
            found.function,
            f"call it {base}, or {base}_KEY with the dispatch key of other tensors",
        )
    variants[key] = exported(found, function, functions)


def _plain(found: Operator) -> str:
    from torchgen.model import FunctionSchema

    try:
        return str(FunctionSchema.parse(found.schema))
    except (AssertionError, RuntimeError, ValueError) as error:
        raise NotExported(
            f"`{found.schema}` is no schema of ATen: {error}",
            found.function,
            'write it as native_functions.yaml has it: """sin(Tensor self) -> Tensor"""',
        ) from error


def _finding(error: NotExported, source: Source, name: str) -> Diagnostic:
    node = error.node
    line, column = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
    last, end = getattr(node, "end_lineno", None) or line, getattr(node, "end_col_offset", None) or column + 1
    if isinstance(node, ast.FunctionDef):
        last, end = line, column + len(source.line(line).strip())
    first_text, last_text = source.line(line).encode(), source.line(last).encode()
    span = Span(
        source.path,
        line,
        len(first_text[:column].decode(errors="replace")) + 1,
        last,
        len(last_text[:end].decode(errors="replace")) + 1,
    )
    return diagnostic("PB502", str(error), span, name=name, hint=error.hint)


def _entry(schema: str, variants: Mapping[str, Exported]) -> str:
    lines = [f"- name: {schema}"]
    outputs = next((each.outputs for each in variants.values() if each.outputs), ())
    if outputs:
        lines.append(f"  output_differentiability: [{', '.join(_condition(known) for known in outputs)}]")
    if list(variants) == ["Default"]:
        lines += _formulas(variants["Default"], "  ")
    else:
        lines.append("  dispatch:")
        for key, each in variants.items():
            lines += [f"    {key}:", *_formulas(each, "      ")]
    return "\n".join(lines) + "\n"


def _formulas(given: Exported, indent: str) -> Iterator[str]:
    for keys, text in given.lines.items():
        yield f"{indent}{', '.join(keys)}: {quoted(text)}"


def _condition(known: bool | str) -> str:
    return str(known) if isinstance(known, bool) else quoted(known)
