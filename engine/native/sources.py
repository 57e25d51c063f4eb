"""The hash of the C++ sources that `_native` was built from, so that a module of other ones is not run.

The build calls this file to write the digest of the engine's sources into the module:

    python engine/native/sources.py HEADER
"""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

_HERE = Path(__file__).resolve().parent


def digest() -> str | None:
    """The digest of the engine's C++; None where only the built module is installed."""
    if not (_HERE / "src").is_dir():
        return None
    found = hashlib.sha256()
    folders = _HERE / "src", _HERE / "include" / "pullback"
    for file in sorted(file for folder in folders for file in folder.rglob("*.[ch]*")):
        found.update(file.relative_to(_HERE).as_posix().encode() + b"\0" + file.read_bytes() + b"\0")
    return found.hexdigest()[:16]


def check(path: str | None, built_from: str | None) -> None:
    """Raise StaleModuleError unless the module was built from the sources that are here now."""
    from ..core.errors import StaleModuleError

    now = digest()
    if now is not None and built_from != now:
        raise StaleModuleError(
            f"{path} was built from other C++ sources than those in {_HERE}; build it again, by "
            "`make test` or `cmake --build` (CONTRIBUTING.md)"
        )


def _main() -> None:
    Path(sys.argv[1]).write_text(f'#define PULLBACK_SOURCES "{digest()}"\n', encoding="utf-8")


if __name__ == "__main__":
    _main()
