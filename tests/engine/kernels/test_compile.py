import ctypes
import os
import shutil
import subprocess
import sys
from contextlib import contextmanager

import pytest

from pullback.engine.core.errors import CompilerError
from pullback.engine.kernels import KernelLibrary, cache, compile_text
from pullback.engine.kernels.compile import Asked, _headers, compile_cached
from pullback.engine.kernels.compiler import Compiler

pytestmark = pytest.mark.compiler

TEXT = "#include <pullback/kernel.h>\nPB_EXPORT uint32_t empty_abi(void) { return PB_KERNEL_ABI; }\n"


@pytest.fixture(autouse=True)
def own_folder(own_cache):
    """Every test has a cache of its own."""


@pytest.fixture
def made(tmp_path, monkeypatch):
    """The sources that were compiled, by a compiler that writes no library; the cache is empty."""
    names = []

    @contextmanager
    def running(self, source, target, *options):
        names.append(source.name)
        target.write_bytes(b"library")
        yield

    monkeypatch.setattr(Compiler, "running", running)
    monkeypatch.setenv("PULLBACK_CACHE", str(tmp_path / "empty"))
    return names


def test_the_second_time_nothing_is_compiled(monkeypatch):
    path = compile_text(TEXT)
    monkeypatch.setattr(Compiler, "running", None)
    assert compile_text(TEXT) == path
    KernelLibrary(path, "empty")


@pytest.mark.parametrize("ending", [".so", ".runtime"])
def test_a_damaged_library_is_made_again_and_no_other(made, ending):
    path = compile_text(TEXT)
    assert made == ["kernel_runtime.cpp", "kernel.cpp"]
    damaged = next(path.parent.glob(f"*{ending}"))
    damaged.write_bytes(b"half")
    assert compile_text(TEXT) == path
    assert cache.found(damaged.stem, ending) == b"library"
    assert len(made) == 3


def test_a_library_finds_what_kernels_share_wherever_both_lie(tmp_path):
    path = compile_text(TEXT + "PB_EXPORT int bits(void) { return pb::bits_of(nullptr, 0, nullptr); }\n")
    moved = shutil.copytree(path.parent, tmp_path / "elsewhere") / path.name
    shutil.rmtree(path.parent)
    assert ctypes.CDLL(str(moved)).bits() == 64


def test_another_text_or_other_flags_are_another_entry(made, monkeypatch):
    first = compile_text(TEXT)
    assert compile_text(TEXT + "// more\n") != first
    monkeypatch.setenv("CXX", "g++ -DOTHER")
    assert compile_text(TEXT) != first
    # What kernels share is another one for other flags, and the same for another text.
    assert made == ["kernel_runtime.cpp", "kernel.cpp", "kernel.cpp", "kernel_runtime.cpp", "kernel.cpp"]


def test_headers_count_by_their_texts_which_are_read_when_they_change(monkeypatch, tmp_path):
    header, runtime = tmp_path / "pullback" / "kernel.h", tmp_path / "runtime.cpp"
    header.parent.mkdir()
    module = sys.modules[_headers.__module__]  # whose name the function has too
    monkeypatch.setattr(module, "INCLUDE", tmp_path)
    monkeypatch.setattr(module, "RUNTIME", runtime)
    runtime.write_text("")
    found = []
    for seconds, text in enumerate(["old", "new", "new", "old"]):
        header.write_text(text)
        os.utime(header, (seconds, seconds))
        for _ in range(2):
            _headers.cache_clear()
            found.append(_headers())
    _headers.cache_clear()
    old, new = found[0], found[2]
    assert found == [old, old, new, new, new, new, old, old]
    assert old != new
    assert len(list(cache.folder().glob("*.headers"))) == 4


def test_what_the_compiler_refuses_is_shown():
    with pytest.raises(CompilerError, match="this is no C"):
        compile_text("this is no C++\n")
    assert cache.size() == (0, 0)


def test_two_processes_compile_the_same_thing_at_once():
    program = f"from pullback.engine.kernels import *; KernelLibrary(compile_text({TEXT!r}), 'empty')"
    running = [subprocess.Popen([sys.executable, "-c", program]) for _ in range(2)]
    assert [process.wait(timeout=120) for process in running] == [0, 0]
    assert cache.size()[0] == 1
    KernelLibrary(compile_text(TEXT), "empty")


def test_what_is_asked_for_is_compiled_beside_the_others(monkeypatch):
    begun, ended, running = [], [], Compiler.running

    @contextmanager
    def noting(self, source, target, *options):
        begun.append(len(ended))
        with running(self, source, target, *options):
            yield
        ended.append(source)

    compile_text(TEXT)  # what kernels share
    monkeypatch.setattr(Compiler, "running", noting)
    asked = [Asked(name, lambda: TEXT, ()) for name in "abc"]
    path = compile_cached(asked[0], asked[1:])
    assert begun == [0, 0, 0]
    assert len(ended) == 3
    again = [compile_cached(one) for one in asked]
    assert len({*again}) == len(ended) == 3
    assert path == again[0]
    KernelLibrary(path, "empty")


@pytest.mark.parametrize("error", [KeyboardInterrupt, CompilerError])
def test_nothing_is_left_running_or_lying_about_where_one_is_stopped(monkeypatch, error):
    started = []

    class Noted(subprocess.Popen):
        def __init__(self, *args, **kwargs):
            super().__init__(*args, **kwargs)
            started.append(self)

    def stopped():
        raise error

    folder = compile_text(TEXT).parent
    before = sorted(folder.iterdir())
    monkeypatch.setattr(subprocess, "Popen", Noted)
    with pytest.raises(error):
        compile_cached(Asked("stopped", stopped, ()), [Asked("other", lambda: TEXT, ())])
    assert [process.poll() is not None for process in started] == [True]
    assert sorted(folder.iterdir()) == before
