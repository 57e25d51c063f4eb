"""Errors where people are: callers' frames at a prompt and in IPython, all frames elsewhere."""

import os
import subprocess
import sys
import traceback

import numpy as np
import pytest

import pullback as pb
from pullback.transpile.cells import place
from pullback.transpile.tracebacks import of_callers, shorten

CELL = """\
import pullback as pb
x = pb.tensor([1.0, 2.0], requires_grad=True)
y = (x * x).sum()
y.backward()
y.backward()
"""
# Errors that are not of the package's own types: of arguments, and of a function that it calls back.
OTHERS = """\
import pullback as pb
pb.numpy.matmul(pb.tensor([1.0]), pb.tensor([1.0, 2.0]))
pb.numpy.exp()
pb.jacobian(lambda x: 1 / 0, pb.tensor([1.0]))
"""
IPYTHON = """\
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
shell.run_line_magic("colors", "nocolor")
shell.run_cell({cell!r}, store_history=True)
"""


def frames(text):
    return [line for line in text.splitlines() if "/engine/" in line]


def run(*command, text="", **environment):
    done = subprocess.run(
        [sys.executable, *command],
        input=text,
        capture_output=True,
        text=True,
        env=os.environ | environment,
        timeout=120,
    )
    return done.stdout + done.stderr


def test_frames_of_the_package_go_and_those_of_callers_stay():
    def called_back(x):
        raise pb.errors.NotDifferentiableError("here")

    with pytest.raises(pb.PullbackError) as caught:
        pb.gradcheck(called_back, np.ones(2))
    whole = traceback.extract_tb(caught.value.__traceback__)
    shown = traceback.extract_tb(of_callers(caught.value, caught.value.__traceback__))
    names = [frame.name for frame in shown]
    assert names[0].startswith("test_frames")
    assert names[-1] == "called_back"
    assert "gradcheck" in [frame.name for frame in whole]
    assert "gradcheck" not in names


def test_a_traceback_with_nothing_else_in_it_is_shown_whole():
    try:
        pb.grad(1, 2)
    except TypeError as error:
        inner = error.__traceback__.tb_next
        error.__traceback__ = inner
        shown = shorten(error).__traceback__
    assert shown is inner


def test_an_error_that_arguments_do_not_give_is_a_bug_and_shown_whole():
    with pytest.raises(AttributeError) as caught:
        _ = pb.nothing_of_this_name
    whole = caught.value.__traceback__
    assert of_callers(caught.value, whole) is whole


def test_what_caused_an_error_is_shown_without_frames_of_the_package():
    entries = np.zeros(2)
    x = pb.tensor([1.0, 2.0], requires_grad=True)
    with pytest.raises(ValueError, match="with a sequence") as caught:  # NumPy's, chained to ours
        entries[0] = x[0] * 2
    cause = shorten(caught.value).__cause__
    assert "a[0] = x" in str(cause)
    assert cause.__traceback__ is None


@pytest.mark.parametrize(("all_frames", "shown"), [("", False), ("1", True)])
def test_the_prompt_shows_callers(all_frames, shown):
    said = run("-q", "-i", text=CELL, PULLBACK_TRACEBACK=all_frames)
    assert "GraphFreedError" in said
    assert '"<stdin>", line 1' in said
    assert bool(frames(said)) is shown


@pytest.mark.parametrize(("all_frames", "shown"), [("", False), ("1", True)])
def test_ipython_shows_callers_and_the_number_of_the_cell(all_frames, shown):
    said = run("-c", IPYTHON.format(cell=CELL), PULLBACK_TRACEBACK=all_frames)
    assert "called at Cell In[1], line 3" in said
    assert "----> 5 y.backward()" in said
    assert bool(frames(said)) is shown


def test_a_script_shows_all(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(CELL)
    assert frames(run(str(script)))


def test_outside_ipython_a_place_is_a_file():
    assert place("f.py", 3, 5) == "f.py:3:5"


def test_prompts_show_callers_for_errors_of_arguments_and_of_functions_called_back():
    said = run("-q", "-i", text=OTHERS)
    assert said.count("Traceback") == 3
    assert "in <lambda>" in said
    assert not frames(said)


def test_ipython_shows_callers_for_errors_of_arguments():
    said = run("-c", IPYTHON.format(cell="".join(OTHERS.splitlines(True)[:2])))
    assert "----> 2 pb.numpy.matmul" in said
    assert not frames(said)
