"""The error of what cannot be exported."""

from __future__ import annotations

import ast


class NotExported(Exception):
    """A place in a formula that an entry of the table cannot say.

    node  the place
    hint  what to write instead
    """

    def __init__(self, message: str, node: ast.AST, hint: str) -> None:
        super().__init__(message)
        self.node = node
        self.hint = hint
