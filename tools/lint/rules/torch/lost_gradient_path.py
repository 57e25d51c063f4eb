"""## What it does
Finds a backward in which a returned gradient passes through `detach`, `.data`, `no_grad`, NumPy,
`torch.tensor`, a compiled kernel, or a collective of `torch.distributed`. A kernel that is launched with no
buffer of its own to fill writes what it is given, and so does compiled code that gets storages or addresses.
Code that is not at hand fills the buffers, and tells the objects, that it is called about; a function whose
name is that of a derivative, such as `step_bwd`, is a warning.

## Why is this bad?
What comes out has no history: when the backward is differentiated, the terms that go through it are
lost without an error, and second derivatives are silently wrong.

## Example
```python
import torch


class Scaled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        ctx.save_for_backward(a)
        return a * a

    @staticmethod
    def backward(ctx, grad):
        (a,) = ctx.saved_tensors
        return 2 * a.detach() * grad
```

## Use instead
Use the tensor itself. For a kernel, wrap it in a `torch.autograd.Function` of its own:
```python
import torch


class Scaled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        ctx.save_for_backward(a)
        return a * a

    @staticmethod
    def backward(ctx, grad):
        (a,) = ctx.saved_tensors
        return 2 * a * grad
```

## References
PyTorch issues 58509, 76185 and 104040; PyTorch's tutorial "Double backward with custom functions".
"""

from __future__ import annotations

from collections.abc import Iterator

from pullback.transpile.diagnostics import Diagnostic, Severity

from ...analyses.facts import ClassFacts, Saving
from ...analyses.followed_calls import BY_NAME
from .torch_rule import SECOND, TorchRule, finding

CODE = "PB102"
HINT = "keep the computation in the graph, or refuse second derivatives with a barrier"


def check(facts: ClassFacts) -> Iterator[Diagnostic]:
    """One finding per place and value that is lost there; what is called says nothing beside tensors."""
    if facts.once_differentiable:
        return
    objects = {saved.name for saved in facts.saved if saved.used_as_object}
    found = list(_lost(facts))
    tensors = [lost for lost in found if lost.value not in objects]
    yield from tensors or found


def _lost(facts: ClassFacts) -> Iterator[Diagnostic]:
    seen = set()
    given = {
        saved.token
        for saved in facts.saved
        if saved.saving is not Saving.INPUT or {*saved.inputs} & facts.differentiable
    }
    outputs = {saved.token for saved in facts.saved if saved.saving is Saving.OUTPUT}
    for _, value, returned in facts.gradients:
        for thing in value:
            lost = thing.facts.lost
            if lost is None:
                continue
            live = [token for token in lost.tokens if token not in facts.passive]
            if lost.how.endswith("no gradient"):  # an input that this class gives none to either is an index
                live = [token for token in live if token.sort != "saved" or token in given]
            token = next((token for token in live if token not in facts.unknown), live[0] if live else None)
            if token is None or (lost.span, token) in seen:
                continue
            copies = lost.how.endswith(("a number of it", "holds a copy"))
            of_number = copies or lost.how.startswith("`torch.tensor(")
            if of_number and token.name in facts.numbers:
                continue
            seen.add((lost.span, token))
            name, hint = token.name, HINT
            result = lost.how.endswith("no gradient") and token in outputs
            grade: Severity = "warning" if result or lost.how.endswith(BY_NAME) else "error"
            message = (
                f"the returned gradient (line {returned.line}) passes through {lost.how}: what depends on "
                f"`{name}` has no history from here on, and {SECOND}"
            )
            if result:  # the gradient that it gives the inputs may count what goes through it
                message += f" unless it counts `{name}` among what depends on the inputs"
                hint = f"compute `{name}` from the inputs there, or give it a gradient"
            yield finding(CODE, facts, message, lost.span, name, hint, grade)


RULE = TorchRule(CODE, __doc__, check_class=check)
