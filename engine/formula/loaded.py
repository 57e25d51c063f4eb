"""Operators that a shared library defines in C++, on the tensors of both engines.

A library is C++ over `pullback/define_operator.h`. Loading hands it the native
engine's table of functions, whose values are Python objects: tensors of either
engine, arrays and numbers. So forwards run on arrays, and a backward that is
to be differentiated runs on tensors and is recorded.
"""

from __future__ import annotations

import builtins
import ctypes
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ...transpile.ir import Param, Span, Var
from ..calls.call import call
from ..core import errors
from ..core.dispatch import apply, engine_of, load
from ..core.operator import Saved, Variant, bound
from ..core.registry import FORMULAS

CAPSULE = b"pullback.engine.native._native.engine_api"  # PB_ENGINE_API_CAPSULE of engine_api.h
HOW = "compile it with what `pullback config --operator-flags` prints"


class _Definition(ctypes.Structure):
    """`pb_operator` of engine_api.h."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("n_inputs", ctypes.c_int32),
        ("n_results", ctypes.c_int32),
        ("n_intermediates", ctypes.c_int32),
        ("input_names", ctypes.POINTER(ctypes.c_char_p)),
        ("intermediate_names", ctypes.POINTER(ctypes.c_char_p)),
        ("context", ctypes.c_void_p),
        ("forward", ctypes.c_void_p),
        ("backward", ctypes.c_void_p),
    )


class _Call(ctypes.Structure):
    """`pb_backward` of engine_api.h."""

    _fields_ = (
        ("n_inputs", ctypes.c_size_t),
        ("n_outputs", ctypes.c_size_t),
        ("inputs", ctypes.POINTER(ctypes.py_object)),
        ("outputs", ctypes.POINTER(ctypes.py_object)),
        ("gradients", ctypes.POINTER(ctypes.py_object)),
        ("needed", ctypes.POINTER(ctypes.c_uint8)),
    )


_Places = ctypes.POINTER(ctypes.c_void_p)
# Called with the interpreter's lock held, as the table wants it.
_FORWARD = ctypes.PYFUNCTYPE(ctypes.c_char_p, ctypes.c_void_p, ctypes.POINTER(ctypes.py_object), _Places)
_BACKWARD = ctypes.PYFUNCTYPE(ctypes.c_char_p, ctypes.c_void_p, ctypes.POINTER(_Call), _Places)


class LoadedOperator:
    """An operator of a library as the engines run it: see `operator.Operator`, whose contract it keeps."""

    attributes: tuple[Param, ...] = ()
    n_plain = 0
    nondifferentiable: frozenset[int] = frozenset()
    barrier = None
    complex = False
    plain_views = False

    def __init__(self, definition: _Definition, library: str) -> None:
        self.name: str = definition.name.decode()
        self.span = Span(library, 1, 1, 1, 1)
        names = [definition.input_names[i].decode() for i in range(definition.n_inputs)]
        hidden = [definition.intermediate_names[i].decode() for i in range(definition.n_intermediates)]
        self.inputs = tuple(Param(Var(name)) for name in names)
        self.n_results: int = definition.n_results
        self.n_hidden = len(hidden)
        self.result_is_tuple = self.n_results > 1
        results = [f"result {i}" for i in range(self.n_results)]
        self.saved = (
            *(Saved("input", i, name) for i, name in enumerate(names)),
            *(Saved("output", i, name) for i, name in enumerate([*results, *hidden])),
        )
        self._context: int = definition.context
        self._forward = _FORWARD(definition.forward)
        self._backward = _BACKWARD(definition.backward)

    def bind(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Inputs in order; there are no attributes. Raises TypeError as a Python function does."""
        return bound(self.name, self.inputs, (), args, kwargs)

    def forward(self, inputs: Sequence[Any], attributes: Mapping[str, Any]) -> tuple[Any, ...]:
        """Results and intermediates of arrays and numbers."""
        made = (ctypes.c_void_p * (self.n_results + self.n_hidden))()
        _check(self._forward(self._context, _objects(map(_plain, inputs)), made))
        return tuple(np.asarray(_array(value)) for value in _taken(made))

    def backward(self, defined: tuple[bool, ...], needed: tuple[bool, ...]) -> Variant:
        """The library's backward for the inputs that need a gradient."""
        count = len(self.inputs)
        wanted = (ctypes.c_uint8 * count)(*needed)

        def run(saved: Sequence[Any], cotangents: Sequence[Any]) -> tuple[Any, ...]:
            recorded = engine_of(*saved, *cotangents) is not None
            values = [value if recorded else _plain(value) for value in (*saved, *cotangents)]
            inputs, outputs = _objects(values[:count]), _objects(values[count : len(saved)])
            gradients = _objects(values[len(saved) :])
            seen = _Call(count, len(cotangents), inputs, outputs, gradients, wanted)
            made = (ctypes.c_void_p * count)()
            _check(self._backward(self._context, ctypes.byref(seen), made))
            found = _taken(made)
            return tuple(found) if recorded else tuple(map(_array, found))

        return Variant(run, tuple(range(len(self.saved))), ())


class Loaded:
    """An operator of a shared library, callable on arrays and on tensors of both engines."""

    def __init__(self, operator: LoadedOperator) -> None:
        self.operator = operator
        self.__name__ = operator.name

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return apply(self.operator, args, kwargs)

    def __repr__(self) -> str:
        names = ", ".join(str(param.var) for param in self.operator.inputs)
        return f"<operator {self.__name__}({names}) of {Path(self.operator.span.path).name}>"


_BY_CONTEXT: dict[int, Loaded] = {}
_loading = ""  # the file of the library that defines its operators now


def load_operator(path: str | os.PathLike[str], name: str) -> Loaded:
    """The operator `name` of a shared library of C++ operators, see `pullback/define_operator.h`.

    Its derivatives are right to
    any order, or refused: an intermediate whose gradient the C++ ignores is a
    NotDifferentiableError when it matters.

        cube = pb.load_operator("libcube.so", "cube")
        pb.grad(cube(x).sum(), [x])

    Parameters
    ----------
    path : path_like
        The shared library.
    name : str
        The operator's name in it.

    Returns
    -------
    callable
        Takes tensors of both engines, and arrays.

    Raises
    ------
    FileNotFoundError
        There is no such library.
    OperatorLibraryError
        It is no library of operators, was compiled for another version of the interface, or defines
        no operator of this name.
    EngineUnavailableError
        The native engine is not built.

    Examples
    --------
    >>> import pullback as pb
    >>> pb.load_operator("/no/such/libcube.so", "cube")
    Traceback (most recent call last):
    FileNotFoundError: there is no library /no/such/libcube.so
    """
    load("native")
    file = Path(path).resolve()
    if not file.is_file():
        raise FileNotFoundError(f"there is no library {file}")
    table = engine_table()
    find = _opened(file, ctypes.c_uint32.from_address(table).value)
    global _loading
    _loading = str(file)
    reason = ctypes.c_char_p()
    context = find(table, name.encode(), ctypes.byref(reason))
    if context is None:
        assert reason.value is not None
        raise errors.OperatorLibraryError(f"{file}: {reason.value.decode().partition(': ')[2]}")
    return _BY_CONTEXT[context]


def _opened(file: Path, version: int) -> Any:
    """The library's `pullback_load_operator`, where it is one for this version of the interface."""
    try:
        library = ctypes.PyDLL(str(file))
    except OSError as error:
        raise errors.OperatorLibraryError(f"{file} cannot be loaded: {error}") from error
    try:
        version_of, find = library.pullback_operators_version, library.pullback_load_operator
    except AttributeError as error:
        raise errors.OperatorLibraryError(f"{file} is no library of operators: {HOW}") from error
    version_of.restype = ctypes.c_uint32
    if (built := version_of()) != version:
        raise errors.OperatorLibraryError(
            f"{file} was compiled for version {built} of the interface, this package has {version}: {HOW}"
        )
    find.restype = ctypes.c_void_p
    find.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.POINTER(ctypes.c_char_p)]
    return find


def define(address: int) -> Loaded:
    """The callback of the table's `define`, which gets the address of a `pb_operator`."""
    definition = _Definition.from_address(address)
    made = Loaded(LoadedOperator(definition, _loading))
    _BY_CONTEXT[definition.context] = made
    return made


def call_operator(name: str, *args: Any, **kwargs: Any) -> Any:
    """The callback of the table's `call`: an operator with attributes by name, on arrays too."""
    if engine_of(*args) is None and (entry := FORMULAS.of_operator(name)) is not None:
        return entry(*args, **kwargs)
    return call(name, *args, **kwargs)


def engine_table() -> int:
    """The address of the native engine's `pb_engine_api`, see engine_api.h; its version stands first."""
    from ..native._native import engine_api

    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    address: int = pointer(engine_api, CAPSULE)
    return address


def _plain(value: Any) -> Any:
    """An array in C order; a number or None as it is."""
    return value if value is None or isinstance(value, (int, float)) else np.asarray(value, order="C")


def _array(value: Any) -> Any:
    """The array under a tensor."""
    return value._array if engine_of(value) is not None else value


def _objects(values: Any) -> Any:
    """A C array of objects; NULL for None."""
    values = list(values)
    made = (ctypes.py_object * len(values))()
    for i, value in enumerate(values):
        if value is not None:
            made[i] = value
    return made


def _taken(places: Any) -> list[Any]:
    """The objects at addresses that are ours to release; None for NULL."""
    found = []
    for address in places:
        value = None
        if address is not None:
            value = ctypes.cast(address, ctypes.py_object).value
            ctypes.pythonapi.Py_DecRef(ctypes.py_object(value))
        found.append(value)
    return found


def _check(failure: bytes | None) -> None:
    """Raise what the C++ reported: a text with the error's name in front."""
    if failure is None:
        return
    kind, _, text = failure.decode(errors="replace").partition(": ")
    found = getattr(errors, kind, None) or getattr(builtins, kind, None)
    if isinstance(found, type) and issubclass(found, Exception):
        raise found(text)
    raise RuntimeError(failure.decode(errors="replace"))
