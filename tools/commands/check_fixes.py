"""``pullback check --fix``: fixes of classes, each written where running the class proves it."""

from __future__ import annotations

from rich.console import Console

from ..errors import FINDINGS, CommandError
from ..render import count
from .check_classes import ClassesOf, check_targets, for_one_class


def fix_classes(chosen: list[ClassesOf], inputs: str | None, unsafe: bool, console: Console) -> int:
    """Fix the classes, write what is proven, and check them as they are then."""
    if not chosen:
        raise CommandError("--fix: no autograd function is defined there")
    for_one_class(chosen, inputs)
    try:
        from ..torch_classes.comparing import with_text
        from ..torch_classes.former_names import former_names
        from ..torch_classes.proven_fixes import proven_fixes
        from ..torch_classes.target import load_targets
    except ImportError as error:
        raise CommandError(f"running a class needs {error.name}: pip install 'pullback[torch]'") from error
    refused = False
    now, skipped = [], []
    with former_names() as former:
        for one in chosen:
            path = one.source.path
            targets, left = load_targets(one.source, one.name)
            proven = proven_fixes(path, targets, frozenset(one.names), inputs, unsafe)
            for name, why in proven.refused.items():
                console.print(f"{path}: {name} not fixed: {why}", soft_wrap=True)
                refused = True
            change = proven.change
            if change is not None and change.changed:
                change.write()
                for finding, how in change.fixed.done:
                    what = f"fixed {finding.code} in {finding.name}: `{finding.value}`: {how}"
                    console.print(f"{path}: {what}", soft_wrap=True)
                names = {finding.name for finding, _ in change.fixed.done}
                fixed = count(len(names), "autograd function")
                said = f"{path}: {fixed} fixed, with the results and first gradients of before"
                console.print(said, soft_wrap=True)
                targets = [with_text(t, change.fixed.text) if t.name in names else t for t in targets]
            else:
                console.print(f"{path}: nothing to write", soft_wrap=True)
            now += targets
            skipped += left
        status = check_targets(now, skipped, inputs, former, console)
    return FINDINGS if refused else status
