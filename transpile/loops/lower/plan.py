"""From a block's equations to stages: which values share a loop, which become arrays, in which order.

In: a kernel. Out: phases, each with declarations, stages and calls that may
run once the phases before it have. A pointwise value is a lane: it has no
memory, and each stage that needs it computes it. A reduction ends a stage.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from ...analysis.numbers import numbers
from ...analysis.types import Types, types_of
from ...codes import diagnostic
from ...diagnostics import FormulaError
from ...ir import Atom, Block, Eqn, Literal, Span, Var
from ...ir.types import TensorType
from ...passes.kernel.arguments import picks
from ...passes.kernel.types import of_literal, stored
from ..expressions import (
    NO_SHAPE,
    Call,
    Convert,
    DataType,
    Element,
    Expression,
    Infix,
    Member,
    Name,
    New,
    Number,
    ask,
    braces,
    node,
    rank,
    run,
    shape,
)
from ..statements import Assign, Do, Let, NewList, Require, Statement
from . import shape_sets
from .cones import Cones
from .facts import Fact, Leaf, covering
from .kernel import Input, Kernel, ShapeSet, types_of_inputs
from .names import Names, derived
from .phases import Control, Phase
from .scalars import ABSENT, Scalar
from .stages import Reduced, Stage, Written
from .values import CONVERSIONS, Values

# What may stop a kernel that has begun: an error, and a matrix that has no inverse or factors.
_REFUSING = frozenset({"raise", "opaque", "solve", "inv", "cholesky", "pinv"})
# Float32 rounds one and a little to one.
_ONE, _LITTLE = (Convert("T", Number(value, "double")) for value in (1.0, 1e-12))
_IS_DOUBLE = Infix("!=", Infix("+", _ONE, _LITTLE), _ONE)
# So many shapes a value is the broadcast of before that is worked out.
_MANY = 12


class Plan:
    """The phases of a kernel, or of a block in it. `operators` fills them, equation by equation.

    `missing` are values that a side of a condition does not have, where no condition around this block
    says that they are there. `closing` are statements at the end of a block; so many declarations as
    `opening` says are of inputs and of what is required. `settled` has what the loops inside leave in
    their carried values, by what they are given.
    """

    def __init__(self, kernel: Kernel, outer: Plan | None = None, names: Names | None = None) -> None:
        self.kernel = kernel
        self.names = names or Names()
        self.closing: list[Statement] = []
        self.opening = 0
        self.phases: dict[int, Phase[Plan]] = {}
        self.values = Values(self.known, self.define, self.shape_of)
        self._facts: dict[Var, Fact] = {}
        self._order: dict[Var, int] = {}
        self._arrays: dict[Var, Fact] = {}
        self._lanes: dict[Var, Fact] = {}  # of what is a scalar once it is in memory
        self._begin: dict[Var, Callable[[], None]] = {}
        self.cones = Cones(self.of, self.at_level)
        self._eqn: Eqn | None = None
        outputs = kernel.outputs if outer is None else ()
        self.output_of = {atom: k for k, (_, atom) in reversed(list(enumerate(outputs)))}
        self.uses = Counter(var for eqn in kernel.block.eqns for var in eqn.every_read())
        self._written: set[int] = set()
        self.missing: set[Var] = set()
        self.settled: dict[tuple[object, ...], list[Fact]] = {} if outer is None else outer.settled
        self.numbers: frozenset[Var] = numbers(kernel.block) if outer is None else outer.numbers
        self._shapes: dict[frozenset[Expression], Name] = {}
        self.types: Types = _types_of(kernel) if outer is None else outer.types
        if outer is None:
            self._inputs()
            self.opening = len(self.phase(0).declarations)
            return
        self._eqn = outer._eqn
        for var, fact in outer._facts.items():
            known = fact if fact.kind == "scalar" else outer._arrays.get(var, fact)
            if known.kind not in ("lane", "total"):
                self._facts[var] = known.at_start()
                self._order[var] = outer._order.get(var, 0)
                if known.kind == "array":
                    self._arrays[var] = self._facts[var]

    # Blocks inside.

    def inside(self, block: Block, names: Names) -> Plan:
        """A plan for a block in this one, which finds what is in memory before it."""
        return Plan(replace(self.kernel, block=block), self, names)

    def control(self, level: int, control: Control[Plan]) -> None:
        """A statement with blocks, after this level's stages."""
        self.phase(level).calls.append(control)

    def array_at(self, var: Var) -> Fact | None:
        """The variable's array, where it has one."""
        return self._arrays.get(var)

    def claim_output(self, var: Var) -> int | None:
        """The output that a variable is, which the caller then writes; None where it is none."""
        index = self.output_of.get(var)
        if index is None or index in self._written:
            return None
        self._written.add(index)
        return index

    def delivered(self, atom: Atom, kind: str, output: int | None, name: str, retained: bool) -> Expression:
        """The view of a value that leaves a block: in an output's memory, if it is one.

        `retained` says whether the kernel reads that again.
        """
        fact = self.of(atom)
        if fact.kind == "total":
            fact = self.known(atom)  # type: ignore[arg-type]
        if output is None:
            return self.array_of(atom, kind).node
        if fact.type != kind or fact.kind == "number":
            atom, fact = self.cast(atom, kind)
        view = self.names.fresh(f"{name}_view")
        whole = self.shape_text(fact.leaves)
        self.let(fact.level, view, ask("readable_output" if retained else "output", output, whole, of=kind))
        self.store(atom, fact, Name(view))
        return Name(view)

    def iterations_of(self, over: Atom) -> Expression:
        """The number of a loop's iterations."""
        if isinstance(over, Var) and over.kind == "list":
            fact = self.of(over)
            return Member(fact.node, "size") if fact.kind == "collected" else node(len(fact.items))
        count = self.values.number(over)
        if count is None:
            raise self.refuse("a loop over this is not compiled")
        return count

    # Facts.

    def _inputs(self) -> None:
        tensors = numbers = 0
        for entry in self.kernel.inputs:
            name = self.names.of(entry.var)
            self._order[entry.var] = len(self._order)
            if entry.var.kind == "list":
                raise self.refuse(f"{entry.var} is a list of tensors, which is not compiled")
            if entry.is_number:
                kind = {"strong": "double"}.get(entry.role, f"weak {entry.role}")
                method = "number" if entry.role in ("float", "strong") else "integer"
                # A value that a branch left out comes as zero.
                given: Expression = ask(method, numbers)
                if entry.role == "bool":
                    given = Infix("!=", given, node(0))
                self.let(0, name, given, stored(kind))
                self._facts[entry.var] = Fact("number", kind, known=Name(name), large=kind == "weak int")
                numbers += 1
                continue
            # What the forward saves on no way that a kernel takes is None.
            absent = str(entry.dtype) == "none"
            self._facts[entry.var] = (
                Fact("none", "none") if absent else self._tensor_input(entry, name, tensors)
            )
            if self._facts[entry.var].kind == "array":
                self._arrays[entry.var] = self._facts[entry.var]
            tensors += 1

    def _tensor_input(self, entry: Input, name: str, position: int) -> Fact:
        known = frozenset({entry.var.name}) if entry.shape is None else entry.shape
        if entry.role in ("like", "shape"):
            method = "shape_if_any" if entry.optional else entry.role
            of = entry.dtype if method == "like" else None
            self.let(0, name, ask(method, position, of=of), "Shape")
            self._check_rank(entry, Name(name))
            return Fact(entry.role, entry.dtype, known, (Leaf(Name(name), known),), 0, Name(name))
        view = self.names.fresh(f"{name}_view")
        self.let(0, view, ask("gradient" if entry.optional else "input", position, of=entry.dtype))
        self._check_rank(entry, shape(view))
        return Fact("array", entry.dtype, known, (Leaf(shape(view), known),), 0, Name(view))

    def _check_rank(self, entry: Input, whole: Expression) -> None:
        if entry.rank is None or entry.optional:
            return
        same = Infix("==", rank(whole), node(entry.rank))
        self.require(0, same, f"compiled for {entry.rank} axes")

    def known(self, var: Var) -> Fact:
        """The fact of a variable; refuses one that is not there."""
        if var not in self._facts:
            raise self.refuse(f"{var} is not available in C++")
        if self._facts[var].kind == "total":
            self._begin.pop(var)()
        return self._facts[var]

    def pending(self, atom: Atom) -> Fact | None:
        """The fact of a reduction that is not begun yet and that one equation reads, or None."""
        if not isinstance(atom, Var) or self.uses[atom] != 1 or atom in self.output_of:
            return None
        fact = self._facts.get(atom)
        return fact if fact is not None and fact.kind == "total" else None

    def defer(self, var: Var, fact: Fact, begin: Callable[[], None]) -> None:
        """Record a reduction that `begin` starts when somebody asks for it."""
        self._facts[var] = fact
        self._order.setdefault(var, len(self._order))
        self._begin[var] = begin

    def at_level(self, var: Var, level: int) -> Fact:
        """The variable as a stage of this level finds it: an array if it is one by then."""
        array = self._arrays.get(var)
        if array is not None and array.level <= level:
            return array
        return self._lanes.get(var) or self.known(var)

    def of(self, atom: Atom) -> Fact:
        """The fact of an operand."""
        if isinstance(atom, Var):
            return self.known(atom)
        kind = of_literal(atom)
        if kind is None:
            return Fact("none", "none")
        return Fact("number", kind, literal=atom.value)

    def define(self, var: Var, fact: Fact) -> None:
        """Record a variable; arrays are also there for later stages."""
        self._order.setdefault(var, len(self._order))
        self._facts[var] = fact
        if fact.kind == "array":
            self._arrays[var] = fact

    def refuse(self, message: str, hint: str = "") -> FormulaError:
        """The error for what is not compiled, located at the equation under way; `hint` says how it is."""
        span = self._eqn.span if self._eqn is not None and self._eqn.span else self.kernel.span
        runs = "in Python it runs: a derivative by itself, a forward without `pb.compile`"
        hint = f"{hint}; {runs}" if hint else runs
        return FormulaError([diagnostic("PB501", message, span, name=self.kernel.name, hint=hint)])

    def enter(self, eqn: Eqn) -> None:
        """From here on `eqn` is what declarations and refusals are about."""
        self._eqn = eqn

    # Scalars.

    def has_no_axes(self, atom: Atom) -> bool:
        """True for a tensor that is known to have no axes, in a kernel with loops."""
        found = self.types.get(atom) if isinstance(atom, Var) else None
        return isinstance(found, TensorType) and found.shape == () and not found.optional

    def scalar(self, atom: Atom) -> Scalar | None:
        """A number, or a value without axes as one: an array's entry is read once, before what reads it."""
        if not isinstance(atom, Var):
            return self.values.scalar(atom)
        fact = self.of(atom)
        if fact.kind == "number":
            return None if fact.element == "maybe" else self.values.scalar(atom)
        if fact.kind in ("lane", "array") and self.has_no_axes(atom) and atom not in self.missing:
            array = self.array(atom)
            if fact.kind == "lane":
                self._lanes[atom] = fact
            name = self.names.fresh(self.names.of(atom))
            self.define_scalar(atom, name, run("entry", array.node), array.type, array.level)
            fact = self.of(atom)
        return Scalar(fact.node, fact.type) if fact.kind == "scalar" and fact.element != "maybe" else None

    def scalars(self, atoms: Sequence[Atom]) -> list[Scalar] | None:
        """Numbers and values without axes, all of them; None where one is an array."""
        found: list[Scalar] = []
        for atom in atoms:
            if atom == Literal(None):
                found.append(ABSENT)
                continue
            known = isinstance(atom, Literal) or self.of(atom).kind in ("number", "scalar")
            if not known and not self.has_no_axes(atom):
                return None
            if (scalar := self.scalar(atom)) is None:
                return None
            found.append(scalar)
        return found

    def define_scalar(
        self, var: Var, name: str, value: Expression, kind: str, level: int, computes: bool = True
    ) -> None:
        """Define a value without axes by the expression that computes it, under this name."""
        self.let(level, name, value, stored(kind), computes=computes)
        self.define(var, Fact("scalar", kind, level=level, known=Name(name)))

    # Shapes.

    def shape_of(self, atom: Atom) -> Expression | None:
        """A tensor's shape, or None for what has none."""
        fact = self.of(atom)
        if fact.kind == "scalar":
            return NO_SHAPE
        if fact.kind not in ("lane", "array", "like"):
            return None
        return self.shape_text(fact.leaves)

    def covering(self, leaves: Sequence[Leaf]) -> Sequence[Leaf]:
        """The leaves that their broadcast needs."""
        return covering(leaves, prune=not self.kernel.undefined)

    def shape_text(self, leaves: Sequence[Leaf]) -> Expression:
        """The broadcast of leaves."""
        chosen = self.covering(leaves)
        nodes = tuple(leaf.node for leaf in chosen)
        if len(nodes) <= 1:
            return nodes[0] if nodes else NO_SHAPE
        key = frozenset(nodes)
        if key not in self._shapes:
            name = self.names.fresh("shape")
            level = max(leaf.level for leaf in chosen)
            self.let(level, name, run("broadcast", *nodes), "Shape")
            self._shapes[key] = Name(name)
        return self._shapes[key]

    def few(self, leaves: Iterable[Leaf]) -> tuple[Leaf, ...]:
        """The distinct leaves of a value, or where those are many, their broadcast as the one leaf."""
        distinct = tuple(dict.fromkeys(leaves))
        if len(distinct) <= _MANY:
            return distinct
        chosen = self.covering(distinct)
        level = max(leaf.level for leaf in chosen)
        return (Leaf(self.shape_text(chosen), shape_sets.join(leaf.shape for leaf in chosen), level),)

    def own_shape(self, op: str, name: str) -> ShapeSet:
        """The shape of something of which nothing is known, which nothing else has in any kernel."""
        return frozenset({(op, f"{self.kernel.name}.{name}")})

    def own_name(self, atom: Atom) -> str:
        """An operand, as no other kernel calls another one."""
        return f"{self.kernel.name}.{atom}" if isinstance(atom, Var) else str(atom)

    # Phases.

    def phase(self, level: int) -> Phase[Plan]:
        """The phase of a level."""
        return self.phases.setdefault(level, Phase())

    def declare(self, level: int, statement: Statement) -> None:
        """A statement before this level's stages."""
        self.phase(level).declarations.append(statement)

    def let(
        self,
        level: int,
        name: str,
        value: Expression,
        kind: DataType | None = None,
        computes: bool = False,
        reference: bool = False,
    ) -> None:
        """A declaration, valid from this level on; one that `computes` is shown with its source line."""
        self.declare(level, Let(name, value, kind, reference, span=self._span if computes else None))

    def parts_list(self, level: int, name: str, shapes: Sequence[Expression]) -> None:
        """Shapes in a row, by this name."""
        self.declare(level, Let(name, braces(*shapes), "Shape", array=True))

    def new_list(self, level: int, name: str, kind: DataType, items: Sequence[Expression]) -> None:
        """A list of these items, which are put in after this level's stages."""
        self.declare(level, NewList(name, kind, node(len(items))))
        for k, item in enumerate(items):
            self.phase(level).calls.append(Assign(Element(Name(name), node(k)), item, self._span))

    def require(self, level: int, condition: Expression, why: str, kind: str = "UNSUPPORTED") -> None:
        """A refusal, unless a condition holds; once."""
        refusal = Require(condition, why, kind)
        if refusal not in self.phase(level).declarations:
            self.declare(level, refusal)

    def are_one_float(self, types: Iterable[str]) -> bool:
        """True of the kernel's float type and float64, which are one if that is what the kernel runs for.

        NumPy would widen float32 on the way: for that the kernel refuses when it runs.
        """
        if set(types) != {"T", "double"}:
            return False
        self.require(0, _IS_DOUBLE, "float32 that becomes float64")
        return True

    def fill(self, level: int, view: Name, kind: str) -> None:
        """Zeros of a type in an array, before this level's stages."""
        self.declare(level, Do(run("fill", view, New(kind, (node(0),))), self._span))

    def begin_with(self, call: Call) -> None:
        """A call that is made once, before anything else."""
        if Do(call) not in self.phase(0).declarations:
            self.phase(0).declarations.insert(self.opening, Do(call))
            self.opening += 1

    def call(self, level: int, call: Call) -> None:
        """A call after this level's stages."""
        self.phase(level).calls.append(Do(call, self._span))

    @property
    def _span(self) -> Span | None:
        return self._eqn.span if self._eqn is not None else None

    def stage(self, fact: Fact) -> Stage:
        """The stage over a value's own space, at its level."""
        stages = self.phase(fact.level).stages
        stage = stages.setdefault(fact.shape, Stage(fact.level))
        stage.leaves += fact.leaves
        return stage

    def target(self, var: Var, kind: str, whole: Expression, level: int, retained: bool = False) -> Name:
        """A new array for a variable: the output that it is, or memory from the workspace."""
        view = self.names.fresh(f"{self.names.of(var)}_view")
        index = self.output_of.get(var)
        if index is None or index in self._written:
            self.let(level, view, ask("scratch", whole, of=stored(kind)))
            return Name(view)
        self._written.add(index)
        method = "readable_output" if retained or var in self.uses else "output"
        self.let(level, view, ask(method, index, whole, of=stored(kind)))
        return Name(view)

    def only_written(self, var: Var) -> bool:
        """True where a result is not read in the kernel, nor can the kernel refuse once it has begun."""
        return var not in self.uses and not any(eqn.op in _REFUSING for eqn in self.kernel.block.every())

    def array_fact(self, var: Var, view: Name, kind: str, known: ShapeSet, level: int) -> Fact:
        """Define a variable as an array that is there from `level` on."""
        leaf = Leaf(shape(view), known, level)
        fact = Fact("array", kind, known, (leaf,), level, view)
        self.define(var, fact)
        return fact

    def array(self, atom: Atom) -> Fact:
        """An operand as an array, stored by a stage if it is a lane."""
        if not isinstance(atom, Var):
            raise self.refuse("a number where an array is needed")
        if atom in self._arrays:
            return self._arrays[atom]
        fact = self.known(atom)
        if fact.kind == "array":
            return fact
        if fact.kind == "scalar":
            name = self.names.fresh(f"{self.names.of(atom)}_view")
            self.let(fact.level, name, run("constant", fact.node, of=stored(fact.type)))
            leaf = Leaf(NO_SHAPE, shape_sets.SCALAR)
            array = Fact("array", fact.type, shape_sets.SCALAR, (leaf,), fact.level, Name(name))
            self._arrays[atom] = array
            return array
        if fact.kind != "lane":
            raise self.refuse(f"{atom} is no array")
        view = self.target(atom, fact.type, self.shape_text(fact.leaves), fact.level, retained=True)
        self.store(atom, fact, view)
        leaf = Leaf(shape(view), fact.shape, fact.level)
        array = Fact("array", fact.type, fact.shape, (leaf,), fact.level + 1, view)
        self._arrays[atom] = array
        return array

    def array_of(self, atom: Atom, kind: str) -> Fact:
        """An operand as an array of a type: a number or an array of another type is stored in it."""
        fact = self.of(atom)
        if fact.type == kind and fact.kind != "number":
            return self.array(atom)
        if fact.kind == "scalar":
            fact = replace(fact, type=kind, known=Scalar(fact.node, fact.type).to(kind).node)
            name = derived(f"{atom}_cast'{kind}")
            self.define(name, fact)
            return self.array(name)
        return self.array(self.cast(atom, kind)[0])

    def cast(self, atom: Atom, kind: str) -> tuple[Var, Fact]:
        """A value in another type, as a lane."""
        fact = self.of(atom)
        if fact.kind == "none":
            raise self.refuse("`None` where a number or an array is needed")
        cast = derived(
            f"{atom}_cast'{kind}" if isinstance(atom, Var) else f"number'{fact.type} {atom} {kind}"
        )
        eqn = Eqn((cast,), "positive", (atom,), (), (), self._eqn.span if self._eqn else None)
        made = Fact("lane", stored(kind), fact.shape, fact.leaves, fact.level, eqn=eqn)
        self.define(cast, made)
        return cast, made

    def store(self, value: Atom, fact: Fact, target: Expression) -> None:
        """Write a lane or an array to a view, in the stage of its space."""
        name = self.names.of(value) if isinstance(value, Var) else "value"
        sinks = self.stage(fact).sinks
        if fact.kind == "array" or any(sink.name == name for sink in sinks):
            name = self.names.fresh(f"{name}_out")
        sinks.append(Written(value, target, name, stored(fact.type)))

    def reduce(self, fact: Fact, sink: Reduced) -> Stage:
        """Reduce a lane or an array in the stage of its space."""
        stage = self.stage(fact)
        stage.sinks.append(sink)
        return stage

    # The end.

    def finish(self) -> None:
        """Write the results that no equation has written yet, and join stages that may share a pass."""
        self._eqn = None
        results = [
            (index, atom) for index, (_, atom) in enumerate(self.kernel.outputs) if isinstance(atom, Var)
        ]
        for _, atom in results:
            self.known(atom)
        for index, atom in results:
            if index in self._written:
                continue
            fact = self._arrays.get(atom) or self.known(atom)
            if fact.kind == "none":  # what a side that is never taken would leave, which nobody reads
                fact = Fact("lane", eqn=Eqn((atom,), "positive", (Literal(0.0),)))
                self.define(atom, fact)
            if fact.kind == "scalar":
                view = self.names.fresh(f"{self.names.of(atom)}_view")
                self.let(fact.level, view, ask("output", index, NO_SHAPE, of=stored(fact.type)))
                self.call(fact.level, run("set_entry", view, fact.node))
                self._written.add(index)
                continue
            if fact.kind not in ("lane", "array"):
                raise self.refuse(f"the result {atom} is no array")
            view = self.names.fresh(f"{self.names.of(atom)}_view")
            whole = self.shape_text(fact.leaves)
            self.let(fact.level, view, ask("output", index, whole, of=stored(fact.type)))
            self._written.add(index)
            self.store(atom, fact, Name(view))
        self.settle()

    def settle(self) -> None:
        """Join stages that may share a pass, and spell their shapes."""
        for phase in list(self.phases.values()):
            phase.join_stages()
            for stage in phase.stages.values():
                stage.shape = self.shape_text(stage.leaves)

    def order(self, atom: Atom) -> int:
        """The position in the kernel at which a variable is first there."""
        return self._order.get(atom, len(self._order)) if isinstance(atom, Var) else -1

    def loops(self) -> list[Stage]:
        """All stages, in order."""
        return [stage for _, phase in sorted(self.phases.items()) for stage in phase.stages.values()]


def _types_of(kernel: Kernel) -> Types:
    """The types of all values of a kernel, of inputs with known numbers of axes; none where it needs none.

    It needs them for loops, for elements of arrays, and for numbers that Python makes of tensors.
    """
    known = types_of_inputs(kernel.inputs)
    numbers = known and any(eqn.op == "for" or picks(eqn) for eqn in kernel.block.every())
    asked = numbers or any(map(_converts, kernel.block.every()))
    return types_of(kernel.block.eqns, known) if asked else {}


def _converts(eqn: Eqn) -> bool:
    return eqn.op in CONVERSIONS and any(isinstance(atom, Var) and atom.kind == "tensor" for atom in eqn.args)


def literal_of(eqn: Eqn, name: str, default: object = None) -> object:
    """A literal attribute's value; `default` where it is not given. A variable is returned as it is."""
    atom = eqn.kwarg(name)
    if atom is None:
        return default
    return atom.value if isinstance(atom, Literal) else atom
