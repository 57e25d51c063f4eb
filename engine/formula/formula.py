"""Formulas and composites: the objects that the decorators make of an author's function."""

from __future__ import annotations

import html
import inspect
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, update_wrapper
from typing import Any, Generic, TypeVar, get_origin, overload

import numpy as np

from ...transpile.codes import diagnostic
from ...transpile.diagnostics import Diagnostic, FormulaError
from ...transpile.emit.python import module_text
from ...transpile.frontend import Binding
from ...transpile.frontend.names.signature import cycles
from ...transpile.ir import Capture, Options
from ...transpile.ir import Formula as FormulaIR
from ...transpile.library import Library, standard_library
from ...transpile.operators import OPERATORS
from ..core.dispatch import Engine, apply, engine_of
from ..core.operator import Operator
from ..core.registry import FORMULAS, LIBRARY
from ..core.typed import Arrays, Closure, P, Q, R_co, Routine, S
from .reading import binding, namespace_of, plain_function, read_live, signature_of

T = TypeVar("T")
Function = Callable[..., Any]
Sampler = Callable[[np.random.Generator], Iterator[tuple[tuple[Any, ...], dict[str, Any]]]]


class _Registered(Library):
    """The formulas of this process: the package's, and those that users defined."""

    def formula(self, op: str) -> FormulaIR | None:
        """The formula that an operator's calls run."""
        entry = FORMULAS.operator(op)
        if isinstance(entry, Formula):
            return entry.ir
        return standard_library().formula(op)


LIBRARY_OF_PROCESS = _Registered()


def is_global(value: Any) -> bool:
    """True for what its module has under its qualified name, as a pickle looks it up."""
    found: Any = sys.modules.get(value.__module__)
    for name in value.__qualname__.split("."):
        found = getattr(found, name, None)
    return found is value


class Formula(Routine, Generic[P, R_co]):
    """An operator with its derivative: callable on arrays and on tensors.

    On tensors it records; on arrays alone it returns arrays. It is read and
    transformed at its first call, and raises FormulaError then where the text
    is not what the formula language allows. Arrays of other libraries, as torch's
    tensors, raise ForeignArrayError. For type checkers it is `Formula[P, R]`: of the function's
    parameters, and of its result without the closure.

    Examples
    --------
    >>> import numpy as np
    >>> import pullback as pb
    >>> tanh = pb.formulas()[np.tanh]
    >>> isinstance(tanh, pb.Formula), [capture.name for capture in tanh.captures]
    (True, ['r'])
    """

    __wrapped__: Function
    __name__: str
    __qualname__: str

    def __init__(
        self, function: Function, options: Options, derived: bool = False, jvp: Function | None = None
    ) -> None:
        plain_function(function)
        self._options = options
        self._jvp = jvp
        self._derived = derived
        self._sampler: Sampler | None = None
        self.reading: str | None = None  # a key of all that decided `ir`, where it came from the disk
        update_wrapper(self, function)

    @overload
    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R_co: ...  # type: ignore[overload-overlap]
    @overload  # `formula(np.sum)`, which is typed as if it were one already
    def __call__(
        self: Formula[..., Arrays], function: Callable[Q, tuple[S, Closure]], /
    ) -> Formula[Q, S]: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return apply(self.operator, args, kwargs)

    def call_on(self, engine: Engine, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """A call whose arguments are known to be of an engine."""
        return engine.apply(self.operator, args, kwargs)

    def __reduce__(self) -> str | tuple[Any, ...]:
        """By its name; one that was derived of a function, by that function's."""
        if self._derived and not is_global(self):
            return derived, (self.__wrapped__,)
        return self.__qualname__

    def promoted(self, *args: P.args, **kwargs: P.kwargs) -> Any:
        """Like a call, but the hidden outputs come after the results."""
        return apply(self._exposed, args, kwargs)

    # Each of these is one object for all threads, whichever of them was the first to have made it.

    @cached_property
    def ir(self) -> FormulaIR:
        """The formula as it was read. Raises FormulaError, SourceUnavailableError."""
        return self._first("ir", self._read())

    def _read(self) -> FormulaIR:
        if str(self.__module__).startswith(LIBRARY):
            found = standard_library().formula(self.__name__)
            if found is not None:
                return found
        read = read_live(self.__wrapped__, self._options)
        if read.pullback is None and not self._derived:
            raise FormulaError([_no_closure(read)], read.source)
        return read

    @property
    def stated(self) -> str:
        """The options of the decorator."""
        return repr((self._options, self._derived))

    @cached_property
    def operator(self) -> Operator:
        """The promoted formula as the engines run it."""
        return self._first("operator", self._made_operator())

    def _made_operator(self) -> Operator:
        name = self._operator_name
        self.refuse_recursion()
        if FORMULAS.operator(name) is self:
            promoted = LIBRARY_OF_PROCESS.promoted(name)
        else:
            promoted = Library({name: self.ir}, LIBRARY_OF_PROCESS).promoted(name)
        plain_views = str(self.__module__).startswith(LIBRARY)
        return Operator(promoted, self.namespace(promoted), plain_views, self._jvp)

    def refuse_recursion(self) -> None:
        """Raises FormulaError where the forward comes back to itself through other formulas."""
        name = self._operator_name
        reached: dict[str, FormulaIR] = {}
        queue = [(name, self.ir)]
        while queue:
            op, ir = queue.pop()
            if op in reached:
                continue
            reached[op] = ir
            for called in {eqn.op for eqn in ir.forward.every()}:
                entry = FORMULAS.operator(called) if called not in OPERATORS else None
                if isinstance(entry, Formula):
                    queue.append((called, entry.ir))
        refusal = cycles(reached).get(name)
        if refusal is not None and refusal.finding is not None:
            raise FormulaError([refusal.finding], self.ir.source)

    @cached_property
    def _exposed(self) -> Operator:
        return self._first("_exposed", self.operator.exposed)

    def _first(self, name: str, made: T) -> T:
        first: T = self.__dict__.setdefault(name, made)
        return first

    def namespace(self, promoted: FormulaIR) -> dict[str, Any]:
        """The names of the emitted text: the author's module, and the formulas it calls."""
        return namespace_of(self.__wrapped__) | FORMULAS.called_by(promoted)

    @property
    def _operator_name(self) -> str:
        """The operator name, by which equations of other formulas call it."""
        return FORMULAS.operator_name(self) or FORMULAS.free_name(self.__name__)

    @property
    def captures(self) -> tuple[Capture, ...]:
        """The closure's captures: name, verdict, line, and how each is saved or recomputed."""
        return self.operator.formula.captures

    def source(self, target: str = "python") -> str:
        """The promoted formula as text: Python as it runs, C++, the IR, or what the author wrote.

        The C++ is for the default attributes; `pb.compile` makes it for others.
        Raises FormulaError where the formula can't become C++.
        """
        if target == "author":
            return self.ir.source.text
        if target == "ir":
            from ...transpile.printer import formula_text

            return formula_text(self.operator.formula)
        if target == "python":
            return module_text(self.operator.formula)
        if target == "native":
            from ...transpile.emit.cpp import emit_cpp
            from ...transpile.loops.kernels.formula_kernels import formula_kernels

            defaults = {p.var.name: p.default.value for p in self.ir.attributes if p.default is not None}
            compiled = formula_kernels(self.ir, LIBRARY_OF_PROCESS, defaults)
            return emit_cpp(self.__name__, compiled.kernels(), self.ir.source)
        raise ValueError(f"no target {target!r}: there are 'python', 'native', 'ir' and 'author'")

    def sample_inputs(self, sampler: Sampler) -> Sampler:
        """Decorates a function of a random generator that yields ``(args, kwargs)`` to check with."""
        self._sampler = sampler
        return sampler

    def samples(self, seed: int = 0) -> list[tuple[tuple[Any, ...], dict[str, Any]]]:
        """The inputs that `sample_inputs` yields; empty where the author gave none."""
        return list(self._sampler(np.random.default_rng(seed))) if self._sampler is not None else []

    @property
    def _signature_binding(self) -> Binding:
        """The binding of the name inside another formula: an operator, or a text where there is none."""
        if self._derived and FORMULAS.operator_name(self) is None:
            return binding(self.__wrapped__)
        return signature_of(self.__wrapped__, self._operator_name, has_closure=not self._derived)

    def __repr__(self) -> str:
        ir = self.ir
        params = ", ".join(str(param.var) for param in ir.params)
        hidden = ", ".join(map(str, self.operator.formula.hidden))
        return f"<formula {ir.name}({params}){f', hidden {hidden}' if hidden else ''}>"

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td><code>{html.escape(c.name)}</code></td><td>{c.verdict.value}</td>"
            f"<td>{html.escape(c.action)}</td><td>{c.span.line}</td></tr>"
            for c in self.captures
        )
        head = "<tr><th>capture</th><th>verdict</th><th>what happens</th><th>line</th></tr>"
        return f"<p><code>{html.escape(repr(self))}</code></p><table>{head}{rows}</table>"


class Composite(Formula[P, R_co]):
    """A plain function of differentiable operators that stands for a NumPy function.

    A call runs the function, whose operators are recorded. It need not keep to
    the formula language, unless other formulas call it: they read it like a
    formula whose closure is derived.

    Examples
    --------
    >>> import numpy as np
    >>> import pullback as pb
    >>> x = pb.tensor([1.0, 3.0], requires_grad=True)
    >>> isinstance(pb.formulas()[np.vdot], pb.Composite), pb.grad(np.vdot(x, x), x)
    (True, (tensor([2., 6.]),))
    """

    def __init__(self, function: Function) -> None:
        super().__init__(function, Options(), derived=True)
        parameters = tuple(inspect.signature(function).parameters.values())
        self._lists = [k for k, p in enumerate(parameters) if get_origin(p.annotation) is list]
        by_name = [p.name for p in parameters if p.kind is inspect.Parameter.KEYWORD_ONLY]
        variadic = any(p.kind is inspect.Parameter.VAR_POSITIONAL for p in parameters)
        self._named = [] if variadic else by_name  # what may be given by position too
        self._plain = len(parameters) - len(by_name)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function; attributes may be positional, and lists any sequence, as those of a formula."""
        engine_of(*args, *kwargs.values())  # refuses arrays of other libraries
        if self._lists:
            args = tuple(list(given) if k in self._lists else given for k, given in enumerate(args))
        named, plain = self._named, self._plain
        if not named or len(args) <= plain or len(args) > plain + len(named):
            return self.__wrapped__(*args, **kwargs)
        return self.__wrapped__(*args[:plain], **dict(zip(named, args[plain:], strict=False)), **kwargs)

    def call_on(self, engine: Engine, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        return self(*args, **kwargs)

    @property
    def plain_arguments(self) -> int:
        """The number of positional arguments that the function takes as they are; 0 where calls sort them."""
        return 0 if self._lists else self._plain if self._named else sys.maxsize

    def __reduce__(self) -> str:
        return self.__qualname__

    def __repr__(self) -> str:
        return f"<composite {self.__wrapped__.__name__}>"


def derived(function: Callable[Q, S]) -> Formula[Q, S]:
    """A formula whose closure is derived of a function's text."""
    return Formula(function, Options(), derived=True)


def _no_closure(read: FormulaIR) -> Diagnostic:
    return diagnostic(
        "PB405",
        f"`{read.name}` returns no closure",
        read.span,
        name=read.name,
        value=read.name,
        hint="return result, pullback; or let pb.derive_pullback derive it",
    )
