"""The loader of a table: that of the installed PyTorch, or the one that comes with another version's table.

A loader reads the tables of its own version: types and functions come and go.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from zipfile import BadZipFile, ZipFile

from ..errors import UsageError

TABLE = Path("torchgen", "packaged", "autograd", "derivatives.yaml")


@contextmanager
def loader_of(given: Path | None) -> Iterator[Path | None]:
    """The path of a table, whose loader is `torchgen` in the block; None for that of the installed PyTorch.

    given  a wheel of PyTorch, or a table; where that lies in a PyTorch, the loader beside it reads it

    Raises UsageError where a wheel cannot be read or has no table.
    """
    if given is not None and given.suffix == ".whl":
        with TemporaryDirectory(prefix="pullback-") as folder:
            root = Path(folder)
            _unpack(given, root)
            with _torchgen(root / "torchgen"):
                yield root / TABLE
        return
    parts = given.absolute().parts[-len(TABLE.parts) :] if given is not None else ()
    if given is None or parts != TABLE.parts or not given.is_file():
        yield given
        return
    with _torchgen(given.absolute().parents[2]):
        yield given


def _unpack(wheel: Path, folder: Path) -> None:
    try:
        with ZipFile(wheel) as archive:
            names = [name for name in archive.namelist() if name.startswith("torchgen/")]
            if TABLE.as_posix() not in names:
                raise UsageError(f"{wheel} has no table of derivatives: it is no wheel of PyTorch")
            archive.extractall(folder, [*names, "torch/version.py"])
    except (OSError, BadZipFile) as error:
        raise UsageError(f"cannot read {wheel}: {error}") from error


@contextmanager
def _torchgen(folder: Path) -> Iterator[None]:
    """The package of a folder as `torchgen`, in the place of the installed one."""
    spec = spec_from_file_location("torchgen", folder / "__init__.py")
    assert spec is not None
    assert spec.loader is not None
    before = _taken_away()
    package = module_from_spec(spec)
    sys.modules["torchgen"] = package
    try:
        spec.loader.exec_module(package)
        yield
    finally:
        _taken_away()
        sys.modules.update(before)


def _taken_away() -> dict[str, ModuleType]:
    """The modules of a loader, removed from those that are imported."""
    names = [name for name in sys.modules if name.partition(".")[0] == "torchgen"]
    return {name: sys.modules.pop(name) for name in names}
