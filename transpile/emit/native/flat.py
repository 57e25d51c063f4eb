"""The loop of a pointwise kernel alone, for arrays of one shape in C order.

Small arrays, and those in the middle of a network, are of one shape more often
than not. Then sums to an operand's shape sum nothing, and a kernel is its loop:
`flat`, with a pointer per array and no shapes at all.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from ...analysis.extents import own_extent
from ...ir import Block, Eqn, Var
from ...passes.simplify.simplify import remove_dead
from ...passes.variants.zeros import NONE, Materialize, propagate_zeros
from .kernel import Kernel
from .lanes import POINTWISE
from .operators import add_equation
from .plan import Plan
from .stages import StageText, Store, numbers, wrap

_SHAPE = frozenset[object]({"flat"})
_SAME = frozenset({"sum_to", "broadcast_like", "expect_like"})
# What comes after the way for shapes as they mostly are: a library may have no other.
UNLIKELY = "if (context.is_only_likely()) return;"
# What a kernel that is one pointwise loop may be made of.
ALLOWED = frozenset({*POINTWISE, *_SAME, "zeros_like", "ones_like", "full_like"})


@dataclass(frozen=True, slots=True)
class Flat:
    """The member `flat` of a kernel's struct.

    `inputs` and `outputs` are the C++ names of its arrays and their positions in its
    arguments, `body` the statements for one element.
    """

    inputs: dict[str, int]
    outputs: dict[str, int]
    body: list[str]
    index: str

    def lines(self) -> list[str]:
        """The function."""
        return [
            "    // The loop alone, for arrays of one shape in C order.",
            "    template <typename T>",
            "    PB_ONCE static void flat(const void* const* inputs, void* const* outputs, int64_t size) {",
            *(
                f"        const T* {name} = static_cast<const T*>(inputs[{k}]);"
                for name, k in self.inputs.items()
            ),
            *(f"        T* {name}_row = static_cast<T*>(outputs[{k}]);" for name, k in self.outputs.items()),
            "        PB_SIMD",
            f"        for (int64_t {self.index} = 0; {self.index} < size; ++{self.index}) {{",
            *(f"            {line}" for line in self.body),
            "        }",
            "    }",
        ]

    def call(self, count: int) -> list[str]:
        """Statements that call it for a stretch of a loop over rows, with `count` inputs."""
        return [
            f"const void* inputs[{count}] = {{}};",
            f"void* outputs[{len(self.outputs)}];",
            *(f"inputs[{position}] = loop.row({name}_rows);" for name, position in self.inputs.items()),
            *(f"outputs[{position}] = loop.row({name}_rows);" for name, position in self.outputs.items()),
            "flat<T>(inputs, outputs, loop.size);",
        ]

    def alone(self, plan: Plan) -> list[str]:
        """Statements that do all of a kernel of several loops, where its arrays have one shape."""
        facts = [plan.known(entry.var) for entry in plan.kernel.inputs]
        shapes = [fact.text if fact.kind == "like" else f"{fact.text}.shape" for fact in facts]
        names, passes = plan.names.fresh, plan.names.fresh("alike")
        views = {name: names(f"{name}_whole") for name in self.outputs}
        kinds = {f"{name}_rows": "const T" for name in self.inputs} | {f"{name}_rows": "T" for name in views}
        reads = [f"space.read({name}_rows, {facts[k].text});" for name, k in self.inputs.items()]
        writes = [f"space.write({name}_rows, {view});" for name, view in views.items()]
        count = len(reads) + len(writes)
        inside = [
            *(
                f"const auto {views[name]} = context.output<T>({position}, {shapes[0]});"
                for name, position in self.outputs.items()
            ),
            f"pb::Passes<1, {count}> {passes}(context);",
            f"pb::Space& space = {passes}.space({shapes[0]});",
            *numbers(kinds),
            *reads,
            *writes,
            "space.each([=](pb::Loop& loop) {",
            "    while (loop.next()) {",
            *(f"        {line}" for line in self.call(len(facts))),
            "    }",
            "});",
            f"{passes}.run();",
            "return;",
        ]
        asked = wrap("if (pb::alike(", shapes, ")) {", depth=2)
        return [*asked, *(f"    {line}" for line in inside), "}", UNLIKELY]

    def is_loop_of(self, text: StageText) -> bool:
        """Whether a stage does the same to each element."""
        reads = {text.names.of(var) for var in text.reads}
        sinks = {sink.name for sink in text.stage.sinks}
        same = (reads, sinks) == (set(self.inputs), set(self.outputs))
        return same and _unbroken(text.body()) == _unbroken(self.body)


def _unbroken(lines: list[str]) -> str:
    """What lines say, wherever they are broken."""
    return "".join("".join(lines).split())


def is_flat(kernel: Kernel) -> bool:
    """Whether the kernel has its loop alone, see `Flat`."""
    return flat_of(kernel, "i", lambda eqn: None) is not None


def flat_of(kernel: Kernel, index: str, comment: Callable[[Eqn], str | None]) -> Flat | None:
    """The loop of a kernel that is one pointwise loop; None for any other.

    `index` names the loop's counter; `comment` gives the source line of an equation.
    """
    block = _without_zeros(kernel)
    if block is None:
        return None
    arrays = tuple(block.results[position] for position, _ in kernel.outputs)
    same = tuple(
        Eqn(eqn.outs, "positive", eqn.args[:1], (), (), eqn.span) if eqn.op in _SAME else eqn
        for eqn in block.eqns
    )
    same = tuple(remove_dead(list(same), arrays))
    fits = all(
        (entry.role, entry.dtype) in (("tensor", "T"), ("like", "T")) and not entry.optional
        for entry in kernel.inputs
    ) and all(eqn.op in ALLOWED and all(out.kind == "tensor" for out in eqn.outs) for eqn in same)
    if not fits or not arrays or len(set(arrays)) != len(arrays):
        return None
    inputs = tuple(replace(entry, shape=_SHAPE) for entry in kernel.inputs)
    plan = Plan(replace(kernel, inputs=inputs, block=Block(kernel.block.params, same, arrays)))
    for eqn in same:
        add_equation(plan, eqn)
    plan.finish()
    phases = plan.phases.values()
    stages = [(shape, stage) for phase in phases for shape, stage in phase.stages.items()]
    if [shape for shape, _ in stages] != [_SHAPE] or any(phase.calls for phase in phases):
        return None
    ((_, stage),) = stages
    stores = [sink for sink in stage.sinks if isinstance(sink, Store) and sink.type == "T"]
    if len(stores) != len(arrays) or len(stage.sinks) != len(arrays):
        return None
    text = StageText(
        stage, plan.names, lambda var: plan.at_level(var, 0), plan.order, comment, index, depth=0
    )
    positions = {entry.var: k for k, entry in enumerate(kernel.inputs)}
    outputs = {sink.name: arrays.index(sink.value) for sink in stores}
    return Flat({plan.names.of(var): positions[var] for var in text.reads}, outputs, text.body(), index)


def _without_zeros(kernel: Kernel) -> Block | None:
    """The kernel's block without the work of undefined gradients, which have the shape of all others.

    None where a result is such a zero, or something is done with one that is not linear.
    """
    block = kernel.block
    if all(eqn.op != "broadcast_like" or isinstance(eqn.args[0], Var) for eqn in block.eqns):
        return block
    known = dict.fromkeys(block.params, own_extent("flat"))
    try:
        left = propagate_zeros(block, (), known, frozenset())
    except Materialize:
        return None
    return None if NONE in left.results else left
