"""Extensions of PyTorch in C++ for the benchmarks: compiled when they are first needed, and kept."""

from __future__ import annotations

import hashlib
import subprocess
import sysconfig
from collections.abc import Callable
from importlib.machinery import ExtensionFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch

from pullback.engine.formula.formula import LIBRARY_OF_PROCESS
from pullback.engine.kernels.compiler import find_compiler
from pullback.transpile.emit.aten.module import aten_module
from pullback.transpile.places import cache_folder

HERE = Path(__file__).parent
FLAGS = ("-std=c++20", "-O3", "-march=native", "-shared", "-fPIC")


def by_hand() -> Callable[..., Any]:
    """`(a + b) * b` as a `torch::autograd::Function`, ``torch_functions.cpp``."""
    path = _built("torch_functions", (HERE / "torch_functions.cpp").read_text(encoding="utf-8"))
    loader = ExtensionFileLoader("torch_functions", str(path))
    spec = spec_from_loader("torch_functions", loader)
    assert spec is not None
    module = module_from_spec(spec)
    loader.exec_module(module)
    found: Callable[..., Any] = module.simple
    return found


def by_aten(formulas: dict[str, Any]) -> Callable[[str], Callable[..., Any]]:
    """The operators of formulas, as ``pullback transpile --target aten`` writes them."""
    made = [(name, formula.operator.formula) for name, formula in formulas.items()]
    namespace = "pullback_benchmarks_aten"
    torch.ops.load_library(_built(namespace, aten_module(made, LIBRARY_OF_PROCESS, namespace)))
    return lambda name: getattr(getattr(torch.ops, namespace), name).default


def _built(name: str, text: str) -> Path:
    """A text's extension, from the cache where all that it is made of is the same."""
    root = Path(torch.__file__).parent
    headers = (root / "include", root / "include/torch/csrc/api/include", sysconfig.get_paths()["include"])
    abi = f"-D_GLIBCXX_USE_CXX11_ABI={int(torch._C._GLIBCXX_USE_CXX11_ABI)}"
    command = [*find_compiler().command, *FLAGS, abi, *(f"-isystem{place}" for place in headers)]
    link = [f"-L{root / 'lib'}", f"-Wl,-rpath,{root / 'lib'}", "-ltorch_python", "-ltorch_cpu", "-lc10"]
    key = hashlib.sha256("\0".join([*command, *link, text, torch.__version__]).encode()).hexdigest()[:16]
    made = cache_folder() / "benchmarks" / f"{name}-{key}.so"
    if not made.exists():
        print(f"compiling {name} for PyTorch {torch.__version__}, once", flush=True)
        made.parent.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=made.parent) as folder:
            source, fresh = Path(folder, f"{name}.cpp"), Path(folder, made.name)
            source.write_text(text, encoding="utf-8")
            subprocess.run([*command, str(source), "-o", str(fresh), *link], check=True)
            fresh.replace(made)
    return made
