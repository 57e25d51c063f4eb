"""What takes long is said on a terminal, and nowhere else."""

import time

import pytest

from pullback.engine.kernels import patience


@pytest.mark.parametrize(
    ("terminal", "seconds", "said"),
    [(True, 0.3, "pullback: compiling ...\n"), (True, 0.0, ""), (False, 0.3, "")],
)
def test_a_block_that_takes_long_says_what_it_does(monkeypatch, capsys, terminal, seconds, said):
    monkeypatch.setattr(patience, "SECONDS", 0.1)
    monkeypatch.setattr("sys.stderr.isatty", lambda: terminal)
    with patience.saying("compiling"):
        time.sleep(seconds)
    time.sleep(0.15)
    assert capsys.readouterr().err == said
