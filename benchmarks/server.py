"""``python benchmarks/server.py [FILE]``: milliseconds from a keystroke to the findings, in an editor.

A client on the other side of a pipe sends a change of a file of 1,000 lines, 77 autograd functions with a
finding in each, and waits for the findings of that version: of a change at the end, which leaves what is
known of all of them, and of a new line above them, which moves them all; then of the same in 1,000 lines of
formulas, and of a change at the end of FILE, where one is named. Printed are the least and the median of the
changes, and the processor time that linting the text takes.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import sys
import time
from pathlib import Path

from lsprotocol import types
from pygls.lsp.client import LanguageClient
from rich.console import Console
from rich.table import Table

from pullback.tools.server.documents import Documents

LINES = 1000
CHANGES = 40
CLASS = """

class Scaled{number}(torch.autograd.Function):
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
FORMULA = """

@pb.formula
def scaled{number}(a, b):
    t = np.exp(a) + b

    def scaled_pullback(grad):
        return grad * b * np.exp(a), grad * t + grad * b

    return t * b, scaled_pullback
"""


def filled(lines: int, imports: str, piece: str) -> str:
    """A file of so many lines, full of autograd functions or formulas."""
    text, number = imports, 0
    while text.count("\n") < lines:
        text += piece.format(number=number)
        number += 1
    return text


async def latencies(text: str, above: bool = False) -> list[float]:
    """Seconds from each change to its findings; of a line above all, or of the last line."""
    client = LanguageClient("benchmark", "1")
    heard: asyncio.Queue[int | None] = asyncio.Queue()

    @client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
    def hear(params: types.PublishDiagnosticsParams) -> None:
        heard.put_nowait(params.version)

    await client.start_io(sys.executable, "-m", "pullback", "server")
    await client.initialize_async(types.InitializeParams(types.ClientCapabilities()))
    client.initialized(types.InitializedParams())
    uri = Path("/benchmark.py").as_uri()
    client.text_document_did_open(
        types.DidOpenTextDocumentParams(types.TextDocumentItem(uri, "python", 0, text))
    )
    await heard.get()
    taken = []
    where = types.Position(0 if above else text.count("\n"), 0)
    for version in range(1, CHANGES + 1):
        change = types.TextDocumentContentChangePartial(types.Range(where, where), "\n" if above else "#")
        identifier = types.VersionedTextDocumentIdentifier(version, uri)
        begun = time.perf_counter()
        client.text_document_did_change(types.DidChangeTextDocumentParams(identifier, [change]))
        assert await heard.get() == version
        taken.append(time.perf_counter() - begun)
    await client.shutdown_async(None)
    client.exit(None)
    await client.stop()
    return taken


def computing(text: str, above: bool = False) -> float:
    """The least processor time that one version takes."""
    documents, taken = Documents(), []
    for number in range(CHANGES):
        changed = "\n" * number + text if above else f"{text}# {number}\n"
        begun = time.process_time()
        documents.update("/benchmark.py", changed)
        documents.shown("/benchmark.py")
        taken.append(time.process_time() - begun)
    return min(taken)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", nargs="?", type=Path)
    named = parser.parse_args().file
    functions = filled(LINES, "import torch\n", CLASS)
    formulas = filled(LINES, "import numpy as np\nimport pullback as pb\n", FORMULA)
    texts = {
        "functions": (functions, False),
        "functions, a line above": (functions, True),
        "formulas": (formulas, False),
        "formulas, a line above": (formulas, True),
    }
    if named is not None:
        texts[named.name] = named.read_text(encoding="utf-8"), False
    table = Table(box=None)
    for heading in ("file", "lines", "least ms", "median ms", "processor ms"):
        table.add_column(heading)
    for name, (text, above) in texts.items():
        taken = asyncio.run(latencies(text, above))
        numbers = [min(taken), statistics.median(taken), computing(text, above)]
        table.add_row(name, str(text.count("\n")), *(f"{1000 * number:.0f}" for number in numbers))
    Console().print(table)


if __name__ == "__main__":
    main()
