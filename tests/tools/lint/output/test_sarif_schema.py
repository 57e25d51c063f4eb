"""SARIF against the official JSON schema, which the package of the standard's reference tool brings."""

from __future__ import annotations

import json
import shutil
import subprocess
import tarfile
from pathlib import Path
from typing import Any

import pytest

from pullback.tools.cli import main
from pullback.tools.lint.output.sarif import as_sarif
from pullback.tools.lint.running.runner import Report
from pullback.transpile.codes import CODES, diagnostic
from pullback.transpile.ir import Span

from ..conftest import CLASS

jsonschema = pytest.importorskip("jsonschema")
pytestmark = pytest.mark.slow
PACKAGE = "@microsoft/sarif-multitool-linux@5.7.0"


@pytest.fixture(scope="module")
def schema(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The schema of SARIF 2.1.0."""
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("npm is not installed")
    folder = tmp_path_factory.mktemp("sarif")
    done = subprocess.run(
        [npm, "pack", PACKAGE, "--silent"], cwd=folder, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        pytest.skip(f"the package cannot be fetched: {done.stderr.strip()[-200:]}")
    (archive,) = folder.glob("*.tgz")
    with tarfile.open(archive) as packed:
        stream = packed.extractfile("package/sarif-2.1.0.json")
        assert stream is not None
        found: dict[str, Any] = json.load(stream)
    jsonschema.validators.validator_for(found).check_schema(found)
    return found


def check(log: dict[str, Any], schema: dict[str, Any]) -> None:
    validator = jsonschema.validators.validator_for(schema)(schema)
    errors = [error.message for error in validator.iter_errors(log)]
    assert errors == []


def test_the_schema_refuses_what_is_wrong(schema: dict[str, Any]) -> None:
    log = json.loads(as_sarif([], Report()))
    del log["runs"][0]["tool"]
    with pytest.raises(AssertionError, match="'tool' is a required property"):
        check(log, schema)


def test_a_log_of_every_rule(schema: dict[str, Any]) -> None:
    findings = [diagnostic(code, "no", Span("f.py", 1, 1, 1, 2), name="f", hint="yes") for code in CODES]
    check(json.loads(as_sarif(findings, Report(texts={"f.py": b"x\n"}))), schema)


def test_an_empty_log(schema: dict[str, Any]) -> None:
    check(json.loads(as_sarif([], Report())), schema)


def test_what_the_command_writes(folder: Path, schema: dict[str, Any]) -> None:
    (folder / "a b").mkdir()
    (folder / "a b" / "g\u00e9.py").write_text(CLASS)
    main(["lint", "--format", "sarif", "-o", "out.sarif", "a b", "f.py"])
    log = json.loads((folder / "out.sarif").read_text())
    check(log, schema)
    assert len(log["runs"][0]["results"]) == 2
