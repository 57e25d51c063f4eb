import pytest

from pullback.engine.core.errors import CompilerError
from pullback.engine.kernels import find_compiler
from pullback.engine.kernels.compiler import INCLUDE, _find, processor_features


def test_without_a_compiler_it_says_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CXX", raising=False)
    with pytest.raises(
        CompilerError, match=r"no C\+\+ compiler on this machine; install one .*apt-get install g\+\+"
    ):
        find_compiler()


def test_a_compiler_that_does_not_run_is_named(monkeypatch):
    monkeypatch.setenv("CXX", "no-such-compiler")
    with pytest.raises(CompilerError, match="'no-such-compiler', which does not run"):
        find_compiler()


def test_a_compiler_is_asked_for_its_version_until_its_file_is_another(monkeypatch, tmp_path):
    monkeypatch.setenv("PULLBACK_CACHE", str(tmp_path / "cache"))
    log, script = tmp_path / "log", tmp_path / "compiler"
    monkeypatch.setenv("CXX", str(script))
    for version in ("1", "10"):
        script.write_text(f"#!/bin/sh\necho {version} >> {log}\necho mine {version}\n")
        script.chmod(0o755)
        for _ in range(2):
            _find.cache_clear()
            assert find_compiler().version == f"mine {version}"
    assert log.read_text() == "1\n10\n"


@pytest.mark.compiler
def test_its_identity_holds_version_flags_and_processor(monkeypatch):
    found = find_compiler()
    assert found.version in found.identity
    assert "-ffp-contract=off" in found.identity
    assert processor_features() in found.identity
    monkeypatch.setenv("CXX", f"{found.command[0]} -DX")
    assert find_compiler().identity != found.identity


def test_the_headers_of_kernels_include_no_standard_cpp_header():
    allowed = {"<stddef.h>", "<stdint.h>"}
    folder = INCLUDE / "pullback"
    headers = [folder / "kernel.h", folder / "kernel_abi.h", *sorted((folder / "kernel").rglob("*.h"))]
    assert len(headers) > 30
    for header in headers:
        lines = [line.split()[1] for line in header.read_text().splitlines() if line.startswith("#include")]
        assert all(name in allowed or name.startswith('"pullback/kernel') for name in lines), header
