"""Places in texts as people see them: a notebook's cell has a number, where its file has a name made up."""

from __future__ import annotations

import sys
from typing import Any


def place(path: str, line: int, column: int | None = None) -> str:
    """``path:line:column``, or ``Cell In[2], line 4`` in a notebook and in IPython.

    >>> place("f.py", 3, 5), place("f.py", 3)
    ('f.py:3:5', 'f.py:3')
    """
    shell = ipython()
    cell = None if shell is None else shell.compile.format_code_name(path)
    if cell is not None:
        return f"{' '.join(cell)}, line {line}"
    return f"{path}:{line}" if column is None else f"{path}:{line}:{column}"


def ipython() -> Any:
    """The running IPython shell, or None. IPython is not imported for it."""
    module = sys.modules.get("IPython")
    return None if module is None else module.get_ipython()
