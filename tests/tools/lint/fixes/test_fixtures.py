"""Every fixture after its fixes: less is found, nothing new, and what is not ours to change is as it was."""

from __future__ import annotations

import ast
import io
import shutil
import subprocess
import sys
import tokenize
from collections import Counter
from functools import cache
from pathlib import Path

import libcst
import pytest
from libcst import matchers

from pullback.tools.lint.fixes.fixing import Fixed, fix_source
from pullback.tools.modules import find_module
from pullback.transpile.ir import Source
from tests.sampling import sampled

from .fixed import shown

FOLDER = Path(__file__).resolve().parents[3] / "fixtures" / "lint_torch"
FILES = sorted(path for path in FOLDER.glob("*.py"))
HALF = pytest.mark.parametrize("path", sampled(FILES, 2, lambda path: path.stem))
UNSAFE = pytest.mark.parametrize("unsafe", [False, pytest.param(True, marks=pytest.mark.slow)])


def comments(text: str) -> Counter[str]:
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return Counter(token.string for token in tokens if token.type == tokenize.COMMENT)


@cache
def made_of(path: Path, unsafe: bool = False) -> Fixed:
    return fix_source(Source(str(path), path.read_text()), find_module, shown, unsafe)


@UNSAFE
@HALF
def test_a_fixed_file_can_be_fixed_no_further(path: Path, unsafe: bool) -> None:
    made = made_of(path, unsafe)
    ast.parse(made.text)
    again = fix_source(Source(str(path), made.text), find_module, shown, unsafe)
    assert again.text == made.text
    assert again.done == []


@pytest.mark.slow
def test_most_captured_intermediates_are_fixed() -> None:
    done, left = Counter[str](), Counter[str]()
    for path in FILES:
        done.update(finding.code for finding, _ in made_of(path).done)
        left.update(finding.code for finding, _ in made_of(path).left)
    assert done["PB101"] >= 36
    assert left["PB101"] <= 25


@pytest.mark.parametrize("path", sampled(FILES, 2, lambda path: path.stem))
def test_comments_survive_where_their_statement_does(path: Path) -> None:
    text = path.read_text()
    lost = comments(text) - comments(made_of(path).text)
    assert sum(lost.values()) <= text.count("PB306") + text.count("PB307"), lost


def statements(text: str) -> dict[str, Counter[str]]:
    """How each simple statement of a file is written, by what it means; of comments there is another test."""
    module = libcst.parse_module(text)
    found: dict[str, Counter[str]] = {}
    for node in matchers.findall(module, matchers.SimpleStatementLine()):
        assert isinstance(node, libcst.SimpleStatementLine)
        written = module.code_for_node(_bare(node)).strip()
        found.setdefault(ast.dump(ast.parse(written)), Counter())[written] += 1
    return found


def _bare(node: libcst.SimpleStatementLine) -> libcst.SimpleStatementLine:
    return node.with_changes(leading_lines=(), trailing_whitespace=libcst.TrailingWhitespace())


@UNSAFE
@HALF
def test_statements_that_stay_are_written_as_they_were(path: Path, unsafe: bool) -> None:
    before, after = statements(path.read_text()), statements(made_of(path, unsafe).text)
    for meaning, written in before.items():
        if meaning in after and sum(after[meaning].values()) >= sum(written.values()):
            assert not written - after[meaning]


def formatted(text: str, width: int) -> str:
    command = [sys.executable, "-m", "ruff", "format", "--isolated", "--line-length", str(width), "-"]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout


@UNSAFE
@pytest.mark.parametrize("width", [pytest.param(88, marks=pytest.mark.slow), 110])
def test_a_formatted_file_stays_formatted(unsafe: bool, width: int) -> None:
    changed = set()
    for path in FILES:
        text = formatted(path.read_text(), width)
        as_it_is = text == path.read_text()
        made = (
            made_of(path, unsafe)
            if as_it_is
            else fix_source(Source(str(path), text), find_module, shown, unsafe)
        ).text
        if made != text:
            changed.add(path.stem)
            assert formatted(made, width) == made, path
    assert len(changed) >= 6


@pytest.mark.slow
@pytest.mark.torch
def test_no_fix_makes_a_class_worse(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch")
    # pytest gives this name to a folder of tests that ran before.
    monkeypatch.delitem(sys.modules, "kernels", raising=False)
    from pullback.tools.torch_classes.target import load_targets
    from pullback.tools.torch_classes.verdicts import Verdict, check_class

    became = Counter[tuple[Verdict, Verdict]]()
    for name in ("captured_intermediate", "mutation"):
        text = (FOLDER / f"{name}.py").read_text()
        made = fix_source(Source(f"{name}.py", text), find_module, shown)
        before, after = tmp_path / f"{name}_before.py", tmp_path / f"{name}_after.py"
        before.write_text(text)
        after.write_text(made.text)
        fixed = {finding.name for finding, _ in made.done}
        was, is_now = (
            {t.name: t for t in load_targets(Source(str(path), path.read_text()), None)[0]}
            for path in (before, after)
        )
        for known in sorted(fixed & set(was)):
            became[check_class(was[known]).verdict, check_class(is_now[known]).verdict] += 1
    assert became[Verdict.SILENTLY_WRONG, Verdict.RIGHT] >= 8
    worse = {pair for pair in became if pair[0].passes and not pair[1].passes}
    assert worse == set()
    assert not any(pair[1] is Verdict.SILENTLY_WRONG for pair in became)


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_a_file_is_written_as_it_was(newline: str, tmp_path: Path) -> None:
    from pullback.tools.lint.fixes.file import fix_file

    source = FOLDER / "mutation.py"
    text = "# -*- coding: latin-1 -*-\n# \u00e9\n" + source.read_text()
    path = tmp_path / "f.py"
    path.write_bytes(text.replace("\n", newline).encode("latin-1"))
    path.chmod(0o755)
    link = tmp_path / "link.py"
    link.symlink_to(path)
    made = fix_file(link, shown, False)
    assert made is not None
    assert made.changed
    made.write()
    data = path.read_bytes()
    assert data.startswith(b"# -*- coding: latin-1 -*-" + newline.encode() + b"# \xe9")
    assert data.count(b"\n") == data.count(newline.encode())
    assert path.stat().st_mode & 0o777 == 0o755
    assert link.is_symlink()


def test_mixed_line_ends_are_left_alone(tmp_path: Path) -> None:
    from pullback.tools.lint.fixes.file import fix_file

    path = tmp_path / "f.py"
    path.write_bytes(b"import torch\r\n" + (FOLDER / "mutation.py").read_bytes())
    assert fix_file(path, shown, False) is None
    shutil.rmtree(tmp_path)
