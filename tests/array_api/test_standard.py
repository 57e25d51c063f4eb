"""`pullback.numpy` beside array-api-strict, which implements the array API standard and nothing else."""

import inspect

import array_api_strict as strict
import numpy as np
import pytest

import pullback as pb
import pullback.numpy as xp

from . import page
from .programs import PROGRAMS

# Switches of array-api-strict itself.
OWN = {
    "ArrayAPIStrictFlags",
    "Device",
    "get_array_api_strict_flags",
    "reset_array_api_strict_flags",
    "set_array_api_strict_flags",
}
# Of a later version of the standard.
LATER = {"broadcast_shapes", "isin"}
DTYPES = [name for name in strict.__all__ if isinstance(getattr(strict, name), strict._dtypes.DType)]
CONSTANTS = ["e", "inf", "nan", "newaxis", "pi"]
MODULES = {"": strict, "linalg.": strict.linalg, "fft.": strict.fft}


def functions():
    names = [
        prefix + name
        for prefix, module in MODULES.items()
        for name in module.__all__
        if name not in OWN | LATER
    ]
    return [
        name
        for name in names
        if name not in DTYPES and name not in CONSTANTS and not name.endswith("version__")
    ]


def found(module, dotted):
    for name in dotted.split("."):
        module = getattr(module, name)
    return module


@pytest.fixture(autouse=True)
def version():
    strict.set_array_api_strict_flags(api_version="2024.12")
    yield
    strict.reset_array_api_strict_flags()


def test_there_is_a_program_for_each_function_of_the_standard():
    assert set(functions()) - {"linalg", "fft"} == set(PROGRAMS)


def plain(value):
    """An array of either namespace as one of NumPy's."""
    if isinstance(value, pb.Tensor):
        return value.numpy()
    return value._array if isinstance(value, strict._array_object.Array) else value


@pytest.mark.parametrize(
    ("name", "program"),
    [(n, p) for n, programs in PROGRAMS.items() for p in programs],
    ids=lambda p: str(p)[:24],
)
def test_a_program_means_the_same(engine, name, program):
    with np.errstate(all="ignore"):
        ours, expected = program(xp), program(strict)
    if isinstance(expected, strict._array_object.Array):
        assert isinstance(ours, pb.Tensor)
        assert ours.__array_namespace__() is xp
        assert str(ours.dtype) == str(plain(expected).dtype)
        assert ours.shape == expected.shape
        assert ours.device == "cpu"
        np.testing.assert_allclose(plain(ours), plain(expected), rtol=1e-6)
    else:
        assert ours == expected


@pytest.mark.parametrize("name", DTYPES + CONSTANTS)
def test_dtypes_and_constants_are_there(name):
    assert hasattr(xp, name)
    if name in DTYPES:
        assert np.dtype(getattr(xp, name)).name == str(getattr(strict, name)).rpartition(".")[2]


ATTRIBUTES = [
    name
    for name, value in vars(strict._array_object.Array).items()
    if not name.startswith("_") or (callable(value) and name in dir(np.ndarray))
]


@pytest.mark.parametrize(
    "name", [n for n in ATTRIBUTES if n not in ("__new__", "__init__", "__repr__", "__str__", "__buffer__")]
)
def test_an_array_has_the_attributes_of_the_standard(engine, name):
    assert hasattr(pb.tensor([[1.0]]), name)


REAL = [n for n in DTYPES if not n.startswith("complex") and n != "bool"]


@pytest.mark.parametrize("first", REAL)
def test_dtypes_promote_as_the_standard_says(engine, first):
    for second in REAL:
        try:
            expected = strict.result_type(getattr(strict, first), getattr(strict, second))
        except TypeError:
            continue
        arrays = [xp.ones((2,), dtype=getattr(xp, name)) for name in (first, second)]
        for result in (
            arrays[0] + arrays[1],
            xp.multiply(*arrays),
            xp.where(xp.asarray([True, False]), *arrays),
        ):
            assert str(result.dtype) == str(expected).rpartition(".")[2]
        assert str(xp.result_type(*arrays)) == str(expected).rpartition(".")[2]


@pytest.mark.parametrize("name", REAL)
@pytest.mark.parametrize("number", [2, 2.5])
def test_numbers_of_python_take_the_dtype_of_the_array(engine, name, number):
    if isinstance(number, float) and "int" in name:
        return
    x = xp.ones((2,), dtype=getattr(xp, name))
    for result in (x + number, number - x, x * number, x**number, xp.maximum(x, number)):
        assert result.dtype == np.dtype(name)


@pytest.mark.parametrize("name", sorted(set(functions()) - {"linalg", "fft"}))
def test_parameters_are_those_of_the_standard(name):
    """As many by position, in their order; those by keyword under their names."""
    theirs = inspect.signature(found(strict, name)).parameters.values()
    ours = inspect.signature(found(xp, name)).parameters
    positional = [p for p in ours.values() if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    for place, parameter in enumerate(theirs):
        if parameter.kind is parameter.KEYWORD_ONLY:
            assert parameter.name in ours, parameter.name
            assert ours[parameter.name].kind is not parameter.POSITIONAL_ONLY
        elif parameter.kind is parameter.VAR_POSITIONAL:
            assert any(p.kind is p.VAR_POSITIONAL for p in ours.values())
        else:
            assert len(positional) > place, parameter.name
            if parameter.kind is parameter.POSITIONAL_OR_KEYWORD:
                assert parameter.name in ours


def test_the_page_says_what_is_there():
    """`python -m tests.array_api.page` makes its tables anew."""
    text = page.PAGE.read_text(encoding="utf-8")
    assert text == page.written(text)
