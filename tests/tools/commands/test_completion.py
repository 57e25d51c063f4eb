"""``pullback completion``: scripts that the shell takes and that complete."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from pullback.tools.cli import main
from pullback.tools.lint.rules import RULES


def test_bash_completes_commands_and_options(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", "bash"]) == 0
    script = capsys.readouterr().out
    ask = """
complete_words() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _shtab_pullback; echo "${COMPREPLY[@]}"; }
complete_words pullback li
complete_words pullback lint --stdin
"""
    done = subprocess.run(["bash", "-c", script + ask], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-2:] == ["lint", "--stdin-filename"]


def test_bash_completes_codes_of_rules(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", "bash"]) == 0
    script = capsys.readouterr().out
    ask = """
complete_words() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _shtab_pullback; echo "${COMPREPLY[@]}"; }
complete_words pullback rule PB10
complete_words pullback lint --select PB20
complete_words pullback rule --to
"""
    done = subprocess.run(["bash", "-c", script + ask], capture_output=True, text=True, check=True)
    rule, select, option = done.stdout.splitlines()[-3:]
    assert rule.split() == [code for code in RULES if code.startswith("PB10")]
    assert select.split() == [code for code in RULES if code.startswith("PB20")]
    assert option == "--torch"


def test_zsh_takes_its_script(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", "zsh"]) == 0
    script = capsys.readouterr().out
    assert script.startswith("#compdef pullback")
    if shutil.which("zsh"):
        subprocess.run(["zsh", "-n"], input=script, text=True, check=True)
