"""The language server as an editor meets it: over standard input and output."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Awaitable, Callable

import pytest
from lsprotocol import types

from .conftest import CLASS, Editor

Edit = Callable[[Callable[[Editor], Awaitable[None]]], None]

FORMULA = """import numpy as np
import pullback as pb


@pb.formula
def squashed(a):
    t = np.exp(a)

    def squashed_pullback(grad):
        return grad * t

    return t * t, squashed_pullback
"""


def test_findings_come_while_one_types(edit: Edit) -> None:
    async def session(editor: Editor) -> None:
        (found,) = await editor.open("ops.py", CLASS)
        assert (found.code, found.source) == ("PB101", "pullback")
        assert found.severity == types.DiagnosticSeverity.Error
        assert found.range == types.Range(types.Position(7, 33), types.Position(7, 34))
        assert "help: recompute it" in found.message
        assert await editor.write("ops.py", CLASS.replace("save_for_backward(b, t)", "save_for")) != [found]
        assert await editor.write("ops.py", "import torch\n") == []
        assert [one.code for one in await editor.write("ops.py", CLASS)] == ["PB101"]

    edit(session)


def test_columns_are_in_the_units_of_the_client(edit: Edit) -> None:
    async def session(editor: Editor) -> None:
        text = CLASS.replace("ctx.save_for_backward(b, t)", 's = "\U0001d11e"; ctx.save_for_backward(b, t)')
        (found,) = await editor.open("ops.py", text)
        line = text.splitlines()[7]
        units = len(line[: line.index("t)")].encode("utf-16-le")) // 2
        assert found.range.start == types.Position(7, units)

    edit(session)


def test_settings_and_comments_count(edit: Edit) -> None:
    async def session(editor: Editor) -> None:
        silenced = CLASS.replace("(b, t)\n", "(b, t)  # noqa: PB101\n")
        assert await editor.open("ops.py", silenced) == []
        (editor.folder / "pyproject.toml").write_text('[tool.pullback.lint]\nignore = ["PB1"]\n')
        assert await editor.write("ops.py", CLASS) == []
        (editor.folder / "pyproject.toml").write_text("[tool.pullback.lint]\nign")  # while it is written
        assert len(await editor.write("ops.py", CLASS + "\n")) == 1

    edit(session)


def test_an_import_leads_to_the_text_that_is_open(edit: Edit) -> None:
    helper = "def total(a, b):\n    return a + b\n"
    text = CLASS.replace("import torch\n", "import torch\nfrom helper import total\n", 1)
    text = text.replace("t = a + b", "t = total(a, b)")

    async def session(editor: Editor) -> None:
        (editor.folder / "helper.py").write_text("def total(a, b):\n    return 3\n")
        assert await editor.open("ops.py", text) == []
        await editor.open("helper.py", helper)
        assert [one.code for one in await editor.write("ops.py", text + "\n")] == ["PB101"]

    edit(session)


def test_a_quick_fix_makes_what_lint_makes(edit: Edit) -> None:
    async def session(editor: Editor) -> None:
        await editor.open("ops.py", CLASS)
        fix, *others = await editor.actions("ops.py", 7, ["quickfix"])
        assert others == []
        assert fix.title == "`t`: computed again in the backward (PB101)"
        assert fix.is_preferred
        assert [one.code for one in fix.diagnostics or ()] == ["PB101"]
        assert "        t = a + b\n        return grad * b" in await editor.made("ops.py", fix)
        assert await editor.actions("ops.py", 0, ["quickfix"]) == []

    edit(session)


def test_all_fixes_are_one_action(edit: Edit) -> None:
    text = CLASS + CLASS.replace("Scaled", "Again").replace("import torch\n", "")

    async def session(editor: Editor) -> None:
        assert len(await editor.open("ops.py", text)) == 2
        (fix,) = await editor.actions("ops.py", 0, ["source.fixAll"])
        made = await editor.made("ops.py", fix)
        assert await editor.write("ops.py", made) == []

    edit(session)


@pytest.mark.parametrize("ends", ["\r\n", "\n"])
def test_the_ends_of_lines_stay_as_they_are(ends: str, edit: Edit) -> None:
    async def session(editor: Editor) -> None:
        await editor.open("ops.py", CLASS.replace("\n", ends))
        (fix,) = await editor.actions("ops.py", 7, ["quickfix"])
        made = await editor.made("ops.py", fix)
        assert made.count("\n") == made.count(ends)

    edit(session)


def test_a_barrier_is_offered_where_nothing_safer_is(edit: Edit) -> None:
    text = CLASS.replace("t = a + b", "t = kernels.add(a, b)").replace(
        "import torch\n", "import kernels\nimport torch\n", 1
    )

    async def session(editor: Editor) -> None:
        await editor.open("ops.py", text)
        (fix,) = await editor.actions("ops.py", 8, ["quickfix"])
        assert not fix.is_preferred
        assert "class _Refused" in await editor.made("ops.py", fix) or "raise" in await editor.made(
            "ops.py", fix
        )

    edit(session)


def test_the_verdict_of_a_saved_value_stands_under_the_cursor(edit: Edit) -> None:
    async def session(editor: Editor) -> None:
        await editor.open("ops.py", CLASS)
        said = await editor.hover("ops.py", 13, 32)
        assert said.startswith("`t`: an intermediate; flows into a returned gradient")
        assert "4 bytes per element" in said
        assert "shared with the caller" in await editor.hover("ops.py", 12, 8)
        page = await editor.hover("ops.py", 7, 33)
        assert page.index("In a `torch.autograd.Function`") < page.index("In a formula")
        assert await editor.hover("ops.py", 0, 0) == ""
        assert await editor.hover("ops.py", 999, 5) == ""

    edit(session)


def test_the_verdict_of_a_captured_value_of_a_formula(edit: Edit) -> None:
    async def session(editor: Editor) -> None:
        await editor.open("ops.py", FORMULA)
        said = await editor.hover("ops.py", 9, 22)
        assert said.startswith("`t`: intermediate, promoted")
        assert "Keeps 4 bytes per element" in said

    edit(session)


def test_the_derived_closure_is_an_action(edit: Edit) -> None:
    async def session(editor: Editor) -> None:
        found = await editor.open("ops.py", FORMULA)
        assert found == []
        (action,) = await editor.actions("ops.py", 6, ["refactor"])
        assert action.title == "Write the closure of `squashed` that follows from its forward"
        made = await editor.made("ops.py", action)
        assert "def squashed_pullback(grad):" in made
        assert "return grad * t\n" not in made, "the written closure was wrong"
        assert await editor.write("ops.py", made) == []
        assert await editor.actions("ops.py", 0, ["refactor"]) == []

    edit(session)


def test_what_is_closed_has_no_findings(edit: Edit) -> None:
    async def session(editor: Editor) -> None:
        await editor.open("ops.py", CLASS)
        identifier = types.TextDocumentIdentifier(editor.uri("ops.py"))
        editor.client.text_document_did_close(types.DidCloseTextDocumentParams(identifier))
        editor.client.heard.clear()
        await editor.client.heard.wait()
        assert editor.client.said[editor.uri("ops.py")][1] == []

    edit(session)


def test_it_ends_in_silence_where_the_editor_ends_it() -> None:
    messages = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"capabilities": {}}},
        {"jsonrpc": "2.0", "id": 2, "method": "shutdown"},
        {"jsonrpc": "2.0", "method": "exit"},
    ]
    texts = [json.dumps(message) for message in messages]
    sent = "".join(f"Content-Length: {len(text)}\r\n\r\n{text}" for text in texts)
    command = [sys.executable, "-m", "pullback", "server"]
    ended = subprocess.run(command, input=sent.encode(), capture_output=True, timeout=60, check=False)
    assert (ended.returncode, ended.stderr) == (0, b"")
