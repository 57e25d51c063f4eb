"""Edits of every kind: the server keeps up with the text, and never fails."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable

from lsprotocol import types

from pullback.tools.server.documents import Documents
from pullback.tools.server.server import path_of

from .conftest import CLASS, Editor

Edit = Callable[[Callable[[Editor], Awaitable[None]]], None]

PIECES = (
    "", "\n", "\r\n", "(", ")", "    ", ":", "\t", "\f", "t", "ctx.", '"""', "'", "#", "\\", "@", "\0", "=",
    "\U0001d11e", "e\u0301", "\u2028", "class ", "def ", "return grad * t\n", "import torch\n", "lambda x: ",
    "torch.autograd.Function", "ctx.save_for_backward(a, b, t)", "for k in range(3):\n", "with torch:",
    "import pullback as pb\n@pb.formula\ndef f(x):\n    return x, lambda g: g * x\n",
)  # fmt: skip
EDITS = 150


def test_after_any_edits_it_finds_what_it_finds_in_the_whole_text(edit: Edit) -> None:
    chance = random.Random(0)

    async def session(editor: Editor) -> None:
        await editor.open("ops.py", CLASS)
        text = CLASS
        for number in range(EDITS):
            lines = text.splitlines(keepends=True) or [""]
            line = chance.randrange(len(lines))
            plain = lines[line].rstrip("\r\n")
            first, last = sorted(chance.randrange(len(plain) + 1) for _ in range(2))
            last = min(last, first + 12)
            piece = chance.choice(PIECES)
            changed = plain[:first] + piece + plain[last:]
            units = [len(plain[:place].encode("utf-16-le")) // 2 for place in (first, last)]
            where = types.Range(types.Position(line, units[0]), types.Position(line, units[1]))
            editor.change("ops.py", [types.TextDocumentContentChangePartial(where, piece)])
            lines[line] = changed + lines[line][len(plain) :]
            text = "".join(lines)
            if number % 10 == 9:
                await _agree(editor, text)
                text = chance.choice([text, CLASS, text + CLASS])
                editor.change("ops.py", [types.TextDocumentContentChangeWholeDocument(text)])

    edit(session)


async def _agree(editor: Editor, text: str) -> None:
    """The findings are those of the text, and hovers and actions answer at any place."""
    found = await editor.found("ops.py")
    documents = Documents()
    path = path_of(editor.uri("ops.py"))
    documents.update(path, text)
    assert [one.code for one in found] == [one.code for one in documents.shown(path)]
    for line in range(0, text.count("\n") + 2, 5):
        await editor.hover("ops.py", line, 7)
        await editor.actions("ops.py", line)
