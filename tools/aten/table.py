"""The entries of a table of derivatives, by the loader that comes with PyTorch.

The loader (`torchgen`) is a part of the PyTorch wheel, as the table is. It pairs each entry with its
function, checks it, and writes out the forward-mode rules that stand as `auto_linear` and
`auto_element_wise`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ..errors import UsageError

AUTO = ("auto_linear", "auto_element_wise")
NON_DIFFERENTIABLE = "non_differentiable"


@dataclass(frozen=True)
class Variant:
    """The derivatives of an entry for one dispatch key.

    key          "Default", or the key of other tensors: "AutogradNestedTensor"
    backward     the formulas of gradients, by the names of the inputs that each is for
    forward      the formulas of tangents, by the names of the results, as they stand in the table
    written_out  those among `forward` that the loader wrote out
    plain        inputs that the table says have no derivative
    info         what the loader made of all this: what a node saves, and formulas of it
    """

    key: str
    backward: Mapping[tuple[str, ...], str]
    forward: Mapping[tuple[str, ...], str]
    written_out: Mapping[tuple[str, ...], str]
    plain: tuple[str, ...]
    info: Any = None


@dataclass(frozen=True)
class Entry:
    """An entry: its name and schema as the table spells them, and what the loader knows of its function.

    outputs  per result whether it is differentiable: a bool, or a condition in C++; empty where unsaid
    """

    name: str
    schema: str
    function: Any
    outputs: tuple[bool | str, ...]
    variants: tuple[Variant, ...]


class Table:
    """A table of derivatives.

    entries    in the order of the file
    functions  the functions of ATen by their name, a list of overloads each
    """

    def __init__(self, path: Path | None = None, natives: Path | None = None) -> None:
        """Read the table of the installed PyTorch, or the one of a file.

        natives  a native_functions.yaml with functions that the table has, and the installed PyTorch has not

        Raises UsageError where PyTorch is not installed or a file is no table.
        """
        self.folder = packaged()
        self.path = path if path is not None else self.folder / "autograd" / "derivatives.yaml"
        self._natives = self.folder / "ATen" / "native" / "native_functions.yaml"
        self._tags = self.folder / "ATen" / "native" / "tags.yaml"
        self._written = self._text()
        with TemporaryDirectory(prefix="pullback-") as folder:
            if natives is not None:
                self._natives = _both(self._natives, natives, Path(folder))
            self.entries = tuple(self._entries())
            self.functions = _by_name(self._natives, self._tags)

    @property
    def version(self) -> str:
        """The version of the PyTorch that the loader came with."""
        from torchgen import __file__ as torchgen_file

        text = (Path(torchgen_file).parent.parent / "torch" / "version.py").read_text(encoding="utf-8")
        line = next(line for line in text.splitlines() if line.startswith("__version__"))
        return line.split("=")[1].strip(" '\"").split("+")[0]

    def _text(self) -> list[dict[str, Any]]:
        import yaml

        try:
            written = yaml.safe_load(self.path.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
            raise UsageError(f"cannot read {self.path}: {error}") from error
        if not isinstance(written, list) or not all(isinstance(e, dict) and "name" in e for e in written):
            raise UsageError(f"{self.path} is no table of derivatives: it has no list of entries with a name")
        return written

    def _entries(self) -> list[Entry]:
        from torchgen.model import FunctionSchema
        from torchgen.packaged.autograd.load_derivatives import load_derivatives
        from yaml import YAMLError

        try:
            infos, _ = load_derivatives(str(self.path), str(self._natives), str(self._tags))
        except (RuntimeError, AssertionError, YAMLError) as error:
            raise UsageError(f"PyTorch's loader refuses {self.path}: {error}") from error
        entries = []
        for written in self._written:
            schema = written["name"]
            by_key = infos[FunctionSchema.parse(schema)]
            function = next(iter(by_key.values())).func
            texts = written.get("dispatch") or {"Default": written}
            variants = tuple(_variant(key, texts[key], info) for key, info in by_key.items())
            outputs = tuple(written.get("output_differentiability") or ())
            entries.append(Entry(schema.partition("(")[0], schema, function, outputs, variants))
        return entries


def _both(packaged: Path, own: Path, folder: Path) -> Path:
    """A file with PyTorch's functions and those of one's own: the loader reads one."""
    try:
        text = own.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read {own}: {error}") from error
    whole = folder / "native_functions.yaml"
    whole.write_text(f"{packaged.read_text(encoding='utf-8')}\n{text}", encoding="utf-8")
    return whole


def functions_of_aten(natives: Path | None = None) -> Mapping[str, Sequence[Any]]:
    """ATen's functions by their names, overloads each, with those of a native_functions.yaml of one's own.

    Raises UsageError where PyTorch is not installed or the file cannot be read.
    """
    own = packaged() / "ATen" / "native"
    with TemporaryDirectory(prefix="pullback-") as folder:
        path = own / "native_functions.yaml"
        path = path if natives is None else _both(path, natives, Path(folder))
        return _by_name(path, own / "tags.yaml")


def _by_name(natives: Path, tags: Path) -> Mapping[str, Sequence[Any]]:
    from torchgen.gen import parse_native_yaml

    found: dict[str, list[Any]] = {}
    for function in parse_native_yaml(str(natives), str(tags)).native_functions:
        found.setdefault(str(function.func.name.name), []).append(function)
    return found


def packaged() -> Path:
    """The folder of what the PyTorch wheel brings for its own generators."""
    found = find_spec("torchgen")
    if found is None or found.origin is None:
        raise UsageError("this reads the table of an installed PyTorch: pip install 'pullback[torch]'")
    return Path(found.origin).parent / "packaged"


def _variant(key: str, written: Mapping[str, Any], info: Any) -> Variant:
    texts = {
        tuple(part.strip() for part in names.split(",")): text
        for names, text in written.items()
        if names not in ("name", "dispatch", "output_differentiability")
    }
    inputs = {argument.name for argument in info.func.func.arguments.flat_all}
    forward = {names: text for names, text in texts.items() if names[0] not in inputs}
    expanded = {derivative.var_names: derivative.formula for derivative in info.forward_derivatives}
    return Variant(
        key,
        {names: text for names, text in texts.items() if names not in forward and text != NON_DIFFERENTIABLE},
        forward,
        {names: expanded[names] for names, text in forward.items() if text in AUTO},
        tuple(name for names, text in texts.items() if text == NON_DIFFERENTIABLE for name in names),
        info,
    )


def kinds(entries: Sequence[Entry]) -> Counter[str]:
    """The formulas of a table counted: `explicit`, `written_out` and `non_differentiable`."""
    found: Counter[str] = Counter()
    for entry in entries:
        for variant in entry.variants:
            found["explicit"] += len(variant.backward) + len(variant.forward) - len(variant.written_out)
            found["written_out"] += len(variant.written_out)
            found["non_differentiable"] += len(variant.plain)
    return found
