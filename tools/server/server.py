"""The server: the protocol's requests, answered from the open documents."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path

from pullback.transpile.diagnostics import Diagnostic
from pullback.transpile.ir import Span
from pullback.transpile.version import __version__

from ..lint.fixes.edits import Edit
from ..lint.rules.pages import page_of
from .derived import derived_closure, formula_at
from .documents import Document, Documents
from .verdicts import verdict_of, word_at

NAME = "pullback"
FIX_ALL = f"{types.CodeActionKind.SourceFixAll.value}.{NAME}"
SEVERITIES = {"error": types.DiagnosticSeverity.Error, "warning": types.DiagnosticSeverity.Warning}
# Changes that come within this time are linted together.
TOGETHER = 0.01


class Server(LanguageServer):
    """The language server, and the documents that its client has open."""

    def __init__(self) -> None:
        super().__init__(NAME, __version__)
        self.documents = Documents()

    def text_of(self, uri: str) -> str:
        """The text that the client has now."""
        return self.workspace.get_text_document(uri).source

    def publish(self, uri: str) -> None:
        """Lint the text of a document, and send what is found."""
        path = path_of(uri)
        document = self.documents.update(path, self.text_of(uri))
        found = [self.shown(document, finding) for finding in self.documents.shown(path)]
        version = self.workspace.get_text_document(uri).version
        self.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(uri=uri, diagnostics=found, version=version)
        )

    def shown(self, document: Document, finding: Diagnostic) -> types.Diagnostic:
        """A finding as the protocol says it."""
        hint = f"\nhelp: {finding.hint}" if finding.hint else ""
        return types.Diagnostic(
            range=self.range_of(document, finding.span),
            message=finding.message + hint,
            severity=SEVERITIES[finding.severity],
            code=finding.code,
            source=NAME,
            data={"name": finding.name, "value": finding.value},
        )

    def range_of(self, document: Document, span: Span) -> types.Range:
        """A place in the text, in the units of the client."""
        return types.Range(
            self.position(document, span.line - 1, span.column - 1),
            self.position(document, span.end_line - 1, span.end_column - 1),
        )

    def position(self, document: Document, line: int, column: int) -> types.Position:
        """A line and a column of characters, from 0, in the units of the client; within the text."""
        lines = document.lines
        if line >= len(lines):
            line, column = len(lines) - 1, len(lines[-1])
        units = self.workspace.position_codec.client_num_units(lines[line][:column])
        return types.Position(line, units)

    def column(self, document: Document, position: types.Position) -> int:
        """The column of characters of a position of the client."""
        line = document.lines[position.line] if position.line < len(document.lines) else ""
        codec, units = self.workspace.position_codec, 0
        for column, character in enumerate(line):
            if units >= position.character:
                return column
            units += codec.client_num_units(character)
        return len(line)

    def changed(self, uri: str, edits: Sequence[Edit]) -> types.WorkspaceEdit:
        """Edits of a document of the version that the client has now."""
        document = self.documents[path_of(uri)]
        text_edits = [
            types.TextEdit(
                types.Range(self.position(document, edit.first, 0), self.position(document, edit.end, 0)),
                edit.text.replace("\n", document.newline),
            )
            for edit in edits
        ]
        version = self.workspace.get_text_document(uri).version
        identifier = types.OptionalVersionedTextDocumentIdentifier(uri=uri, version=version)
        return types.WorkspaceEdit(document_changes=[types.TextDocumentEdit(identifier, list(text_edits))])


def path_of(uri: str) -> str:
    """The path of a document; one that is in no file has the name of its address."""
    return to_fs_path(uri) or uri


def make_server() -> Server:
    """The server with what it answers to."""
    server = Server()
    server.feature(types.TEXT_DOCUMENT_DID_OPEN)(_opened)
    server.feature(types.TEXT_DOCUMENT_DID_CHANGE)(_changed)
    server.feature(types.TEXT_DOCUMENT_DID_SAVE)(_saved)
    server.feature(types.TEXT_DOCUMENT_DID_CLOSE)(_closed)
    server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)(_files_changed)
    server.feature(types.TEXT_DOCUMENT_HOVER)(_hover)
    kinds = [types.CodeActionKind.QuickFix, types.CodeActionKind.RefactorRewrite, FIX_ALL]
    options = types.CodeActionOptions(code_action_kinds=kinds, resolve_provider=True)
    server.feature(types.TEXT_DOCUMENT_CODE_ACTION, options)(_actions)
    server.feature(types.CODE_ACTION_RESOLVE)(_resolved)
    return server


def _opened(server: Server, params: types.DidOpenTextDocumentParams) -> None:
    server.publish(params.text_document.uri)


async def _changed(server: Server, params: types.DidChangeTextDocumentParams) -> None:
    """Lint the text that is there once no other change follows at once."""
    uri = params.text_document.uri
    version = params.text_document.version
    await asyncio.sleep(TOGETHER)
    documents = server.workspace.text_documents
    if uri in documents and documents[uri].version == version:
        server.publish(uri)


def _saved(server: Server, params: types.DidSaveTextDocumentParams) -> None:
    _again(server)


def _files_changed(server: Server, params: types.DidChangeWatchedFilesParams) -> None:
    _again(server)


def _again(server: Server) -> None:
    """Files were written, which open documents may import."""
    server.documents.files_changed()
    for uri in list(server.workspace.text_documents):
        server.publish(uri)


def _closed(server: Server, params: types.DidCloseTextDocumentParams) -> None:
    uri = params.text_document.uri
    server.documents.close(path_of(uri))
    server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri=uri, diagnostics=[]))


def _current(server: Server, uri: str) -> Document | None:
    """The document as the client has it now: a request may come before a change was linted."""
    if uri not in server.workspace.text_documents:
        return None
    path = path_of(uri)
    if path not in server.documents or server.documents[path].source.text != server.text_of(uri):
        server.documents.update(path, server.text_of(uri))
    return server.documents[path]


def _hover(server: Server, params: types.HoverParams) -> types.Hover | None:
    """The verdict of the name under the cursor, and the page of a finding there."""
    document = _current(server, params.text_document.uri)
    if document is None:
        return None
    line, column = params.position.line, server.column(document, params.position)
    word = word_at(document.lines[line], column) if line < len(document.lines) else ""
    parts = []
    verdict = verdict_of(document.source, server.documents.program, line + 1, word) if word else None
    if verdict is not None:
        parts.append(verdict)
    for finding in server.documents.shown(document.source.path):
        if _holds(finding.span, line + 1, column + 1):
            parts.append(page_of(finding.code, finding.name in document.classes))
    if not parts:
        return None
    return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, "\n\n---\n\n".join(parts)))


def _holds(span: Span, line: int, column: int) -> bool:
    return (span.line, span.column) <= (line, column) <= (span.end_line, span.end_column)


def _actions(server: Server, params: types.CodeActionParams) -> list[types.CodeAction]:
    """Fixes of the findings in the range, all safe fixes, and the derived closure of the formula there."""
    uri = params.text_document.uri
    document = _current(server, uri)
    if document is None:
        return []
    only = params.context.only
    made: list[types.CodeAction] = []
    if _asked(types.CodeActionKind.QuickFix, only):
        made += _fixes(server, uri, document, params.range)
    if _asked(FIX_ALL, only) and document.findings:
        edits = server.documents.all_fixed(document.source.path)
        if edits:
            made.append(
                types.CodeAction(
                    "Fix all derivatives that are lost", FIX_ALL, edit=server.changed(uri, edits)
                )
            )
    if _asked(types.CodeActionKind.RefactorRewrite, only):
        name = formula_at(document.source, params.range.start.line + 1)
        if name is not None:
            title = f"Write the closure of `{name}` that follows from its forward"
            data = {"uri": uri, "formula": name}
            made.append(types.CodeAction(title, types.CodeActionKind.RefactorRewrite, data=data))
    return made


def _asked(kind: str, only: Sequence[str] | None) -> bool:
    """True if a client that wants only some kinds wants this one."""
    kind = getattr(kind, "value", kind)
    wanted = [getattr(one, "value", one) for one in only or ()]
    return only is None or any(kind == one or kind.startswith(f"{one}.") or one == "" for one in wanted)


def _fixes(server: Server, uri: str, document: Document, where: types.Range) -> list[types.CodeAction]:
    """The fixes of the findings that a range touches: safe ones first, then barriers."""
    path = document.source.path
    found = [
        finding
        for finding in server.documents.shown(path)
        if finding.span.line - 1 <= where.end.line and where.start.line <= finding.span.end_line - 1
    ]
    made, fixed = [], set()
    for unsafe in (False, True):
        left = [finding for finding in found if finding not in fixed]
        for repair in server.documents.repairs(path, left, unsafe) if left else ():
            finding = document.findings[repair.number]
            fixed.add(finding)
            made.append(
                types.CodeAction(
                    f"`{finding.value}`: {repair.what} ({finding.code})",
                    types.CodeActionKind.QuickFix,
                    diagnostics=[server.shown(document, finding)],
                    is_preferred=not unsafe,
                    edit=server.changed(uri, repair.edits),
                )
            )
    return made


def _resolved(server: Server, action: types.CodeAction) -> types.CodeAction:
    """The action with the edits that were left to compute."""
    data: Any = action.data
    document = _current(server, data["uri"]) if isinstance(data, dict) and "uri" in data else None
    if document is not None:
        action.edit = server.changed(data["uri"], derived_closure(document.source, data["formula"]))
    return action
