"""Which part of the package may import which: the contracts in pyproject.toml."""

import sys
import tomllib

import grimp
from importlinter.cli import lint_imports

from .conftest import ROOT

PROJECT = ROOT / "pyproject.toml"


def test_imports_keep_the_contracts(monkeypatch, capsys):
    monkeypatch.syspath_prepend(ROOT)  # which the linter would do for the whole process
    assert lint_imports(str(PROJECT), no_cache=True, no_logo=True) == 0, capsys.readouterr().out


def test_a_contract_says_who_may_import_each_package_of_others():
    contracts = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"]
    protected = {name for contract in contracts for name in contract.get("protected_modules", ())}
    modules = grimp.build_graph("pullback", include_external_packages=True, cache_dir=None).modules
    others = {
        name for name in modules if name.partition(".")[0] not in {"pullback", *sys.stdlib_module_names}
    }
    assert others == protected
