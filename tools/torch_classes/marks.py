"""Comments in a class that give its inputs: ``# pullback: inputs torch.rand(3), 2``."""

from __future__ import annotations

import io
import re
import tokenize

from pullback.transpile.ir import Source, Span

_INPUTS = re.compile(r"#\s*pullback:\s*inputs\s+(.+)")


def inputs_of(source: Source, span: Span) -> list[tuple[int, str]]:
    """The expressions of the comments ``# pullback: inputs ...`` in a class, or on the line above, by line.

    >>> text = "# pullback: inputs torch.ones(3), 2\\nclass Scaled: pass\\n"
    >>> inputs_of(Source("f.py", text), Span("f.py", 2, 1, 2, 19))
    [(1, 'torch.ones(3), 2')]
    """
    found = []
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(source.text).readline))
    except (tokenize.TokenError, SyntaxError):
        return []
    for token in tokens:
        if token.type == tokenize.COMMENT and span.line - 1 <= token.start[0] <= span.end_line:
            match = _INPUTS.match(token.string)
            if match is not None:
                found.append((token.start[0], match[1].strip()))
    return found
