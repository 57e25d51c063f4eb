"""Other files that the findings of a file come from: a cached result holds while none of them changed."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import NamedTuple

from pullback.transpile.ir import Source

from ...modules import find_module, mentioned
from ..frontend.modules import Program, TorchModule, is_outside

MENTIONED = "*"  # before a word: all files that have it


class Need(NamedTuple):
    """A module that was asked for, by which file, and the digest of its text ("" where there is none).

    A name that begins with `MENTIONED` stands for all files around that have a word.
    """

    name: str
    asker: str
    digest: str


class Modules:
    """The modules that imports lead to, each searched once."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, str], Source | None] = {}
        self._digests: dict[str, str] = {}
        self._mentions: dict[tuple[str, str], str] = {}

    def find(self, name: str, asker: str) -> Source | None:
        """The text of a module, as `find_module` gives it."""
        key = (name, asker)
        if key not in self._found:
            self._found[key] = find_module(name, asker)
        return self._found[key]

    def need(self, name: str, asker: str) -> Need:
        """The module as it is now."""
        if name.startswith(MENTIONED):
            return Need(name, asker, self._digest_of_mentions(name.removeprefix(MENTIONED), asker))
        source = self.find(name, asker)
        if source is None:
            return Need(name, asker, "")
        if source.path not in self._digests:
            self._digests[source.path] = hashlib.sha256(source.text.encode("utf-8", "replace")).hexdigest()
        return Need(name, asker, self._digests[source.path])

    def _digest_of_mentions(self, word: str, path: str) -> str:
        """The digest of the texts that a fix reads before it changes what other files may use."""
        if (word, path) not in self._mentions:
            found = sorted((source.path, source.text) for source in mentioned(word, path))
            text = repr(found).encode("utf-8", "replace")
            self._mentions[word, path] = hashlib.sha256(text).hexdigest()
        return self._mentions[word, path]


class TrackedProgram(Program):
    """A program that knows which module asked for which."""

    def __init__(self, modules: Modules) -> None:
        super().__init__(modules.find, self._mentioned)
        self._source_of = modules
        self._asked: dict[str, dict[str, None]] = {}

    def __len__(self) -> int:
        return len(self._modules)

    def needs(self, path: str) -> tuple[Need, ...]:
        """All modules that a file led to, directly and through others.

        Files that share a module share what it led to, so there may be more than this file alone would ask.
        """
        found: list[Need] = []
        waiting, seen = [path], {path}
        while waiting:
            asker = waiting.pop()
            for name in sorted(self._asked.get(asker, ())):
                found.append(self._source_of.need(name, asker))
                if name.startswith(MENTIONED):
                    continue
                source = self._source_of.find(name, asker)
                if source is not None and source.path not in seen:
                    seen.add(source.path)
                    waiting.append(source.path)
        return tuple(found)

    def _mentioned(self, word: str, path: str) -> Iterable[Source]:
        self._asked.setdefault(path, {})[f"{MENTIONED}{word}"] = None
        return mentioned(word, path)

    def _import(self, name: str, asker: TorchModule) -> TorchModule | None:
        if not is_outside(name):
            self._asked.setdefault(asker.source.path, {})[name] = None
        return super()._import(name, asker)
