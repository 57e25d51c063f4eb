"""What a release is made of: the changes, the workflows, and the version in its one place."""

import importlib.util
import re
import subprocess
import sys

import pytest

import pullback as pb

from .conftest import ROOT

FRAGMENTS = sorted(path for path in (ROOT / "changelog.d").glob("*.md") if path.name != "README.md")
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def workflow(path):
    yaml = pytest.importorskip("yaml")
    return yaml.load(path.read_text(), yaml.BaseLoader)


@pytest.mark.parametrize("path", FRAGMENTS, ids=lambda path: path.name)
def test_a_change_is_text_for_one_entry_of_a_list(path):
    assert re.fullmatch(r"[a-z0-9-]+\.(added|changed|fixed|removed)\.md", path.name)
    text = path.read_text()
    assert text.strip()
    assert not re.match(r"\s*([-*#]|\d+\.) ", text)


@pytest.mark.skipif(importlib.util.find_spec("towncrier") is None, reason="needs towncrier")
def test_towncrier_gathers_all_changes():
    draft = subprocess.run(
        [sys.executable, "-m", "towncrier", "build", "--draft", "--version", "9.9", "--date", "2030-01-02"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert draft.returncode == 0, draft.stderr
    assert "## 9.9 (2030-01-02)\n\n### Added\n\n- " in draft.stdout
    assert draft.stdout.count("\n- ") == len(FRAGMENTS)


def test_the_citation_has_the_version():
    assert f"\nversion: {pb.__version__}\n" in (ROOT / "CITATION.cff").read_text()


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_pins_what_it_uses_and_asks_for_few_permissions(path):
    steps = re.findall(r"uses: (.*)", path.read_text())
    assert steps
    assert [use for use in steps if not re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40}  # v[\d.]+", use)] == []
    found = workflow(path)
    assert found["permissions"] == {}
    granted = {name: job["permissions"] for name, job in found["jobs"].items()}
    assert {name for name, given in granted.items() if "write" in given.values()} <= {"publish"}
    assert all("timeout-minutes" in job for job in found["jobs"].values())


def test_the_suite_runs_on_every_python_that_the_package_is_for():
    (path,) = (path for path in WORKFLOWS if path.name == "tests.yml")
    matrix = workflow(path)["jobs"]["suite"]["strategy"]["matrix"]
    project = (ROOT / "pyproject.toml").read_text()
    stated = re.findall(r'"Programming Language :: Python :: (3\.\d+)"', project)
    assert set(stated) <= set(matrix["python"])
    assert {f"cp{python.replace('.', '')}-*" for python in matrix["python"]} == set(
        re.findall(r'"(cp\d+-\*)"', project)
    )
