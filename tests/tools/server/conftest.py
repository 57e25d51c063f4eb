"""A client that speaks with the server over its standard input and output."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from lsprotocol import types
from pytest_lsp import LanguageClient, make_test_lsp_client

CLASS = """import torch


class Scaled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        t = a + b
        ctx.save_for_backward(b, t)
        return t * b

    @staticmethod
    def backward(ctx, grad):
        b, t = ctx.saved_tensors
        return grad * b, grad * t + grad * b
"""

PATIENCE = 60


class Editor:
    """What an editor does, over a client that checks what the server says."""

    def __init__(self, client: LanguageClient, folder: Path) -> None:
        self.client, self.folder = client, folder
        self.texts: dict[str, str] = {}
        self.versions: dict[str, int] = {}

    def uri(self, name: str) -> str:
        """The address of a file of the folder."""
        return (self.folder / name).as_uri()

    async def open(self, name: str, text: str) -> list[types.Diagnostic]:
        """Open a text; what is found in it."""
        self.texts[name], self.versions[name] = text, 0
        item = types.TextDocumentItem(self.uri(name), "python", 0, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        return await self.found(name)

    async def write(self, name: str, text: str) -> list[types.Diagnostic]:
        """Change the whole text; what is found in it."""
        self.change(name, [types.TextDocumentContentChangeWholeDocument(text)])
        self.texts[name] = text
        return await self.found(name)

    def change(self, name: str, changes: list[types.TextDocumentContentChangeEvent]) -> None:
        """Send changes."""
        self.versions[name] += 1
        identifier = types.VersionedTextDocumentIdentifier(self.versions[name], self.uri(name))
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(identifier, changes))

    async def found(self, name: str) -> list[types.Diagnostic]:
        """What the server finds in the version that was sent last."""
        async with asyncio.timeout(PATIENCE):
            while self.client.said.get(self.uri(name), (-1, []))[0] != self.versions[name]:
                self.client.heard.clear()
                await self.client.heard.wait()
        found: list[types.Diagnostic] = self.client.said[self.uri(name)][1]
        return found

    async def hover(self, name: str, line: int, column: int) -> str:
        """The text under the cursor."""
        where = types.HoverParams(types.TextDocumentIdentifier(self.uri(name)), types.Position(line, column))
        got = await self.client.text_document_hover_async(where)
        if got is None:
            return ""
        assert isinstance(got.contents, types.MarkupContent)
        return got.contents.value

    async def actions(self, name: str, line: int, only: list[str] | None = None) -> list[types.CodeAction]:
        """The actions at a line."""
        where = types.Range(types.Position(line, 0), types.Position(line, 0))
        context = types.CodeActionContext([], only)  # type: ignore[arg-type]
        identifier = types.TextDocumentIdentifier(self.uri(name))
        got = await self.client.text_document_code_action_async(
            types.CodeActionParams(identifier, where, context)
        )
        return [action for action in got or () if isinstance(action, types.CodeAction)]

    async def made(self, name: str, action: types.CodeAction) -> str:
        """The text after an action, which is resolved first where its edits are left out."""
        if action.edit is None:
            action = await self.client.code_action_resolve_async(action)
        assert action.edit is not None
        (change,) = action.edit.document_changes or ()
        assert isinstance(change, types.TextDocumentEdit)
        assert change.text_document.version == self.versions[name]
        text = self.texts[name]
        for edit in sorted(change.edits, key=lambda edit: edit.range.start, reverse=True):
            assert isinstance(edit, types.TextEdit)
            start, end = (_offset(text, place) for place in (edit.range.start, edit.range.end))
            text = text[:start] + edit.new_text + text[end:]
        return text


def _offset(text: str, place: types.Position) -> int:
    lines = text.splitlines(keepends=True)
    before = sum(len(line) for line in lines[: place.line])
    line = lines[place.line] if place.line < len(lines) else ""
    return before + len(line.encode("utf-16-le")[: 2 * place.character].decode("utf-16-le"))


@asynccontextmanager
async def _editor(folder: Path) -> AsyncIterator[Editor]:
    client = make_test_lsp_client()
    client.said, client.heard = {}, asyncio.Event()
    del client.protocol.fm.features[types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS]  # which forgets the version

    @client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
    def _hear(params: types.PublishDiagnosticsParams) -> None:
        client.said[params.uri] = (params.version, list(params.diagnostics))
        client.heard.set()

    await client.start_io(sys.executable, "-m", "pullback", "server")
    folders = [types.WorkspaceFolder(folder.as_uri(), folder.name)]
    asked = types.InitializeParams(types.ClientCapabilities(), workspace_folders=folders)
    await client.initialize_session(asked)
    try:
        yield Editor(client, folder)
    finally:
        await client.shutdown_session()
        await client.stop()


@pytest.fixture
def edit(tmp_path: Path) -> Callable[[Callable[[Editor], Awaitable[None]]], None]:
    """Runs a session of an editor with the server."""

    def run(session: Callable[[Editor], Awaitable[None]]) -> None:
        async def whole() -> None:
            async with _editor(tmp_path) as editor:
                await session(editor)

        asyncio.run(whole())

    return run
