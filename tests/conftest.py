"""Fixtures for the whole suite: run a test on each engine, or on each form of a formula."""

import gc
import os
import shlex
import shutil
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType, UnionType
from typing import Union

import pytest
from hypothesis import settings
from typeguard import TypeCheckError, checker_lookup_functions
from typeguard._checkers import builtin_checker_lookup, check_uniontype

# The suite draws the same examples in each run, so that a change is what makes it fail. `make test-all`
# draws new ones, with --hypothesis-profile=new.
settings.register_profile("same", derandomize=True)
settings.register_profile("new", derandomize=False)
settings.load_profile("same")

# Each worker computes on one processor: threads of BLAS and of PyTorch wait for work by spinning, and take a
# tenth of its time from the other workers. NumPy reads it when it is imported; the processes that tests
# start have it too.
os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}

USERS_COMPILER = os.environ.get("CXX")


def quick_checker(origin_type, args, extras):
    """Typeguard's check of a class, or of a union that has classes, by one `isinstance` before its own.

    It tries the members of a union in turn, each by a search for what checks it.
    """
    unions = origin_type is Union or origin_type is UnionType
    return find_checker(origin_type, args) if unions or not args else None


@cache
def find_checker(origin_type, args):
    """The check of a class, of a union with these members, or of a protocol; None for typeguard's own."""
    if args:
        classes = tuple(each for each in args if is_plain_class(each))

        def check_union(value, origin, args, memo):
            if not isinstance(value, classes):
                check_uniontype(value, origin, args, memo)

        return check_union if classes else None
    if getattr(origin_type, "_is_protocol", False):
        return module_protocol(origin_type)
    return check_plain_class if is_plain_class(origin_type) else None


def is_plain_class(annotation):
    """True of a class without a check of typeguard's own, as `float` has one, which takes an int."""
    return isinstance(annotation, type) and builtin_checker_lookup(annotation, (), ()) is None


def check_plain_class(value, origin, args, memo):
    if not isinstance(value, origin):
        raise TypeCheckError(f"is not an instance of {origin.__qualname__}")


def module_protocol(origin_type):
    """Typeguard's check of a protocol, for values that are modules: it looks members up on the type."""
    if origin_type.__module__ != "pullback.engine.core.dispatch":
        return None

    def check(value, origin, args, memo):
        missing = [name for name in origin.__annotations__ if not hasattr(value, name)]
        if not isinstance(value, ModuleType) or missing:
            raise TypeCheckError(f"is no engine: it lacks {missing}")

    return check


checker_lookup_functions.insert(0, quick_checker)


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Look for no garbage while modules are imported and tests collected, which leave nearly none."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


def pytest_collection_finish():
    """Exempt modules and collected tests from garbage collection: they are a million objects, all in use.

    What is new is looked through a tenth as often, for JAX and hypothesis listen to each collection, and so
    is what lives long: otherwise that is an eighth of the suite's time.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(7000, 10, 100)


def pytest_runtest_setup(item):
    """Skip what this machine cannot run: marks say what a test needs."""
    missing = {"compiler": no_compiler, "native": no_native_engine, "torch": no_torch, "jax": no_jax}
    for mark, why_not in missing.items():
        if item.get_closest_marker(mark) is not None and (reason := why_not()):
            pytest.skip(reason)


def no_compiler():
    from pullback.engine.core.errors import CompilerError
    from pullback.engine.kernels import find_compiler

    try:
        find_compiler()
    except CompilerError:
        return "there is no C++ compiler here"
    return ""


def no_native_engine():
    from pullback.engine.core.dispatch import available

    return "" if "native" in available() else "the native engine is not built here"


def no_torch():
    return "" if find_spec("torch") is not None else "torch is not installed"


def no_jax():
    return "" if find_spec("jax") is not None else "JAX is not installed"


@pytest.fixture(params=["reference", pytest.param("native", marks=pytest.mark.native)])
def engine(request):
    """The name of the engine that the test runs on; one that is not built is skipped."""
    # Imported here: what a conftest imports at its top comes before typeguard's instrumentation.
    import pullback as pb
    from pullback.engine.core.dispatch import available

    if request.param not in available():
        pytest.skip(f"the {request.param} engine is not built here")
    with pb.use_engine(request.param):
        yield request.param


@pytest.fixture
def library_restored():
    """Formulas that the test registers for NumPy's functions stand for them until it ends."""
    from pullback.engine.core.registry import FORMULAS

    FORMULAS.load_library()
    tables = [value for value in vars(FORMULAS).values() if isinstance(value, (dict, set))]
    before = [table.copy() for table in tables]
    yield
    for table, kept in zip(tables, before, strict=True):
        table.clear()
        table.update(kept)
    for listener in FORMULAS._listeners:
        listener()


@pytest.fixture
def own_cache(tmp_path, monkeypatch):
    """The folder of a cache of kernels of the test's own, empty but for the library that all kernels share.

    That takes seconds to compile, and is taken from the usual cache.
    """
    from pullback.engine.kernels.compile import runtime_library

    shared = runtime_library()
    (tmp_path / "cache" / "kernels").mkdir(parents=True)
    shutil.copy2(shared, tmp_path / "cache" / "kernels")
    monkeypatch.setenv("PULLBACK_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture(scope="session", autouse=True)
def quick_compiler():
    """Kernels are compiled without an optimizer, and those of a formula by one process.

    Most tests compare what kernels compute; `optimizing_compiler` is for the others. Workers keep the other
    processors at work. Gives the function that counts processors otherwise.
    """
    from pullback.engine.kernels import lazy
    from pullback.engine.kernels.compiler import find_compiler

    processors = lazy.processors
    with pytest.MonkeyPatch.context() as patch:
        if not no_compiler():
            command = shlex.join([str(Path(__file__).with_name("unoptimized")), *find_compiler().command])
            patch.setenv("CXX", command)
            patch.setattr(lazy, "processors", lambda: 1)
        yield processors


@pytest.fixture(scope="module")
def optimizing_compiler(quick_compiler):
    """Kernels are compiled as users have them."""
    from pullback.engine.kernels import lazy

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lazy, "processors", quick_compiler)
        if USERS_COMPILER is None:
            patch.delenv("CXX", raising=False)
        else:
            patch.setenv("CXX", USERS_COMPILER)
        yield


@pytest.fixture
def inductor(monkeypatch):
    """PyTorch's compiler by the user's C++ compiler, here and in processes: it takes a name of one word."""
    config = pytest.importorskip("torch._inductor.config")
    monkeypatch.delenv("CXX", raising=False)
    if USERS_COMPILER is not None:
        monkeypatch.setenv("CXX", USERS_COMPILER)
    with config.patch({"cpp.cxx": (None, USERS_COMPILER or "g++")}):
        yield


@pytest.fixture(scope="session")
def imported_table():
    """The folder of PyTorch's table of derivatives as files of formulas: that of the cache, to read alone."""
    pytest.importorskip("tree_sitter_cpp")
    pytest.importorskip("torch")
    from pullback.torch.autograd.imported import imported_formulas

    return imported_formulas()


@cache
def compiled(formula):
    """The formula in C++ to third order, once per test run."""
    import pullback as pb

    return pb.compile(formula, order=3)


@pytest.fixture(params=["as written", pytest.param("compiled", marks=pytest.mark.compiler)])
def variant(request):
    """What a test does to a formula before it calls it: nothing, or compile it."""
    return compiled if request.param == "compiled" else lambda formula: formula
