"""Classes before and after a fix, run on the same inputs: the same results and first gradients, or not."""

from __future__ import annotations

import linecache
import sys
import types
from pathlib import Path

import torch

from ..errors import CommandError
from .absent import NotInstalledError, without_absent
from .inputs import NoInputs, Sample, given_samples, guessed_sample
from .measuring import Around, Tensors
from .target import Target
from .verdicts import why_not

# A fix may compute a value again in another order: rounding, and no more.
SAME = 1e-10


def with_text(target: Target, text: str) -> Target:
    """The class of a text that takes the place of its file's. Raises `CommandError` where that does not run.

    The text runs as the file did, in its package and beside it, under a name of its own.
    """
    path = Path(target.source.path).resolve()
    name = f"{target.namespace['__name__']}_fixed"
    module = types.ModuleType(name)
    label = f"<{path} as it is fixed>"
    module.__dict__.update(__file__=str(path), __package__=target.namespace.get("__package__"))
    linecache.cache[label] = (len(text), None, text.splitlines(keepends=True), label)
    sys.modules[name] = module
    sys.path.insert(0, str(path.parent))
    try:
        code = compile(text, label, "exec")
        without_absent(lambda: exec(code, module.__dict__))  # what `check` is for, as importing it is
    except (Exception, SystemExit) as error:  # a stranger's file may do anything
        raise CommandError(f"the fixed text does not run: {type(error).__name__}: {error}") from error
    finally:
        sys.path.remove(str(path.parent))
    value = module.__dict__.get(target.name)
    call = getattr(value, "apply", None) if isinstance(value, type) else value
    if not callable(call):
        raise CommandError("the fixed text does not define it at its top level")
    return Target(target.source, target.facts, call, module.__dict__, target.absent)


def samples_of(target: Target, expression: str | None) -> list[Sample]:
    """The inputs to compare on. Raises `CommandError` where none are given and none can be guessed."""
    try:
        return given_samples(target, expression) or [guessed_sample(target, lambda s: why_not(target, s))]
    except (NoInputs, NotInstalledError) as error:
        raise CommandError(str(error)) from error


def difference(before: Target, after: Target, samples: list[Sample]) -> str:
    """The change that a fix makes to the results and first gradients; "" where it makes none.

    What ran before runs after. A class that returns more results after a fix is compared in those of before.
    """
    for sample in samples:
        for dtype in (torch.float64, torch.float32):
            try:
                expected = _computed(before, sample, dtype, None)
            except Exception:  # it does not take this dtype
                continue
            for create_graph in (False, True):
                try:
                    now = _computed(after, sample, dtype, len(expected[0]), create_graph)
                except Exception as error:
                    if create_graph and _refuses(before, sample, dtype):
                        continue
                    return f"it raises {type(error).__name__}: {str(error).splitlines()[0]}"
                for what, old, new in zip(("result", "first gradient"), expected, now, strict=True):
                    worst = _distance(old, new)
                    if not worst <= (SAME if dtype is torch.float64 else 1e-5):
                        return f"the {what} differs by {worst:.1e}"
    return ""


def _refuses(target: Target, sample: Sample, dtype: torch.dtype) -> bool:
    """True if the class itself raises where a graph of its backward is asked for."""
    try:
        _computed(target, sample, dtype, None, create_graph=True)
    except Exception:
        return True
    return False


def _computed(
    target: Target, sample: Sample, dtype: torch.dtype, count: int | None, create_graph: bool = False
) -> tuple[Tensors, Tensors]:
    """The results, and the gradients of a number that depends on all of them."""
    around = Around(target.call, sample, False, True)
    points = around.points(dtype)
    outputs = around.outputs(points)[:count]
    weights = [torch.linspace(0.5, 1.5, o.numel(), dtype=o.dtype).reshape(o.shape) for o in outputs]
    found = torch.autograd.grad(outputs, points, weights, create_graph=create_graph, allow_unused=True)
    zeros = [torch.zeros_like(p) if g is None else g for g, p in zip(found, points, strict=True)]
    return [out.detach() for out in outputs], [zero.detach() for zero in zeros]


def _distance(one: Tensors, two: Tensors) -> float:
    """The largest difference, relative to the largest number of what was before."""
    if len(one) != len(two):
        return float("inf")
    worst = 0.0
    for a, b in zip(one, two, strict=True):
        if a.shape != b.shape:
            return float("inf")
        if a.numel() and not torch.equal(a.isnan(), b.isnan()):
            return float("inf")
        scale = max(1.0, float(a.nan_to_num().abs().max())) if a.numel() else 1.0
        worst = max(worst, float((a - b).nan_to_num().abs().max()) / scale if a.numel() else 0.0)
    return worst
