"""Findings as SARIF 2.1.0, which code scanning services read.

The document is small and fixed, so it is written here; the libraries for it bring a validation framework
into every start of the command.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from pullback.transpile.diagnostics import Diagnostic, Severity
from pullback.transpile.version import __version__

from ...notebooks import file_of, is_cell
from ..fixes.edits import Edit
from ..rules import RULES
from ..rules.pages import ADDRESS, page_of
from ..running.runner import Report

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
LEVELS: dict[Severity, str] = {"error": "error", "warning": "warning", "info": "note"}
ROOT = "SRCROOT"


def as_sarif(findings: Sequence[Diagnostic], report: Report) -> str:
    """A SARIF log with one run. Paths in the current folder are relative to it."""
    codes = sorted({finding.code for finding in findings})
    torch = {code: all(report.is_torch(f) for f in findings if f.code == code) for code in codes}
    run = {
        "tool": {
            "driver": {
                "name": "pullback",
                "version": __version__,
                "semanticVersion": __version__,
                "rules": [_rule(code, torch[code]) for code in codes],
            }
        },
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {ROOT: {"uri": Path.cwd().as_uri() + "/"}},
        "results": [_result(finding, codes.index(finding.code), report) for finding in findings],
    }
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2)


def _rule(code: str, torch: bool) -> dict[str, Any]:
    rule = RULES[code]
    text = " ".join(rule.section("What it does").split())
    return {
        "id": code,
        "name": rule.name,
        "shortDescription": {"text": rule.name},
        "fullDescription": {"text": text},
        "helpUri": ADDRESS.format(code=code),
        "help": {
            "text": " ".join(rule.section("Why is this bad?").split()),
            "markdown": page_of(code, torch),
        },
        "defaultConfiguration": {"level": LEVELS[rule.severity]},
    }


def _result(finding: Diagnostic, index: int, report: Report) -> dict[str, Any]:
    span = finding.span
    help_ = f"\n{finding.hint[:1].upper()}{finding.hint[1:]}." if finding.hint else ""
    where = f"{span}: " if is_cell(span.path) else ""
    result: dict[str, Any] = {
        "ruleId": finding.code,
        "ruleIndex": index,
        "level": LEVELS[finding.severity],
        "message": {"text": where + finding.message + help_},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": _artifact(span.path),
                    "region": {
                        "startLine": span.line,
                        "startColumn": span.column,
                        "endLine": span.end_line,
                        "endColumn": span.end_column,
                    },
                },
            }
        ],
        "partialFingerprints": {"findingLine/v1": _fingerprint(finding, report)},
    }
    if where:  # the lines are those of a cell, not of the notebook's file
        del result["locations"][0]["physicalLocation"]["region"]
    if finding.name:
        result["locations"][0]["logicalLocations"] = [{"name": finding.name}]
    if finding in report.repairs:
        repair = report.repairs[finding]
        change = {
            "artifactLocation": _artifact(span.path),
            "replacements": [_replacement(edit) for edit in repair.edits],
        }
        result["fixes"] = [{"description": {"text": repair.what}, "artifactChanges": [change]}]
    return result


def _replacement(edit: Edit) -> dict[str, Any]:
    """Whole lines: from the start of the first to the start of the one after the last."""
    region = {"startLine": edit.first + 1, "startColumn": 1, "endLine": edit.end + 1, "endColumn": 1}
    return {"deletedRegion": region, "insertedContent": {"text": edit.text}}


def _artifact(path: str) -> dict[str, str]:
    whole = Path.cwd() / file_of(path)
    if whole.is_relative_to(Path.cwd()):
        return {"uri": quote(whole.relative_to(Path.cwd()).as_posix()), "uriBaseId": ROOT}
    return {"uri": whole.as_uri()}


def _fingerprint(finding: Diagnostic, report: Report) -> str:
    """The same for the same finding when lines before it come and go."""
    source = report.sources.get(finding.span.path)
    line = source.line(finding.span.line).strip() if source else ""
    text = "\0".join([finding.code, finding.span.path, finding.name, finding.value, line])
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:32]
