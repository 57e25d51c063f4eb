"""A backward inside of a backward: each of them takes stack, and after some a fresh thread has a new one."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextvars import copy_context
from typing import Any

# Python allows about a thousand frames on a thread, and a person's hook may take a few dozen per level.
MOST_NESTED = 16


def on_a_fresh_thread(function: Callable[[], Any]) -> Any:
    """Call the function on a new thread, in the caller's context, and wait for what it returns or raises."""
    context = copy_context()
    returned: list[Any] = []
    raised: list[BaseException] = []

    def run() -> None:
        try:
            returned.append(context.run(function))
        except BaseException as error:
            raised.append(error)

    thread = threading.Thread(target=run, name="pullback nested backward")
    thread.start()
    thread.join()
    if raised:
        error = raised.pop()
        try:
            raise error
        finally:
            del error  # it holds this frame
    return returned.pop()
