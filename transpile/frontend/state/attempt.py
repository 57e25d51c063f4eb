"""A reading that may be taken back: what a frame and its builder held before it."""

from __future__ import annotations

from .values import Frame, Growing


class Attempt:
    """The state before something is read, to which `undo` goes back. `mark` is the number of equations."""

    def __init__(self, frame: Frame) -> None:
        build = self._build = frame.build
        self._frame, self.mark = frame, len(build.eqns)
        self._findings, self._local = len(build.findings), dict(frame.local)
        self._names, self._whole = set(build.names), set(build.whole)
        self._items = {held: [*held.items] for held in frame.local.values() if isinstance(held, Growing)}

    def undo(self) -> None:
        """Forget what was read since."""
        build = self._build
        del build.eqns[self.mark :], build.findings[self._findings :]
        build.names, build.whole = set(self._names), set(self._whole)
        self._frame.local = dict(self._local)
        for held, items in self._items.items():
            held.items[:] = items
