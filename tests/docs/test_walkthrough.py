"""The example that docs/architecture.md follows: each stage is what its command prints today."""

import pytest

from .walkthrough import PAGE, commands, output

COMMANDS = commands(PAGE.read_text(encoding="utf-8"))


def test_the_page_follows_the_example_through_every_stage():
    stages = [command for command, _ in COMMANDS]
    wanted = ("--after read", "--after promote", "--after specialize", "--after schedule")
    assert all(any(stage.endswith(end) for stage in stages) for end in wanted)
    assert any("--target python" in stage for stage in stages)
    assert any("--target cuda" in stage for stage in stages)
    assert all("examples/simple.py" in stage for stage in stages)


@pytest.mark.parametrize(("command", "shown"), COMMANDS, ids=[command for command, _ in COMMANDS])
def test_a_stage_is_what_the_command_prints(command, shown):
    assert output(command) == shown, "review the change: python -m tests.docs.walkthrough, then git diff"
