"""Printed CUDA: it compiles for three architectures, and computes what the interpreter of loops finds."""

import shutil
from contextlib import suppress

import numpy as np
import pytest

from pullback.engine.core.errors import CompilerError
from pullback.engine.kernels import nvrtc
from pullback.transpile.emit.cuda import emit_cuda
from pullback.transpile.frontend import read_module
from pullback.transpile.ir import Source
from pullback.transpile.library import standard_library
from pullback.transpile.operators import OPERATORS
from tests.sampling import sampled

from .corpus import SHAPES, Unfit, compiled, each_run, formulas, interpreted
from .emulated import Emulated
from .host import Host, shapes_of

FORMULAS = {formula.name: (formula, library) for formula, library in formulas()}
QUICK = sampled(["where", "layer_norm", "sum", "lstm_cell", "transpose"], 2)
# The oldest one has no NaN-propagating maximum in hardware.
ARCHITECTURES = ("sm_75", "sm_80", "sm_90")
# What is computed by functions that NumPy has not.
SPECIAL = {name for name, operator in OPERATORS.items() if operator.scalar and operator.scalar.special}
needs_nvrtc = pytest.mark.skipif(nvrtc.library_path() is None, reason="nvidia-cuda-nvrtc is for Linux")
needs_gcc = pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")

ROWS = """
import numpy as np
import pullback as pb
from tests.sampling import sampled


@pb.formula
def softmax(x):
    température = np.max(x, axis=-1, keepdims=True)
    e = np.exp(x - température)
    r = e / np.sum(e, axis=-1, keepdims=True)
    return r, lambda grad: r * (grad - np.sum(grad * r, axis=-1, keepdims=True))


@pb.formula
def biased(x, bias):
    s = 1 / (1 + np.exp(-x - bias))

    def biased_pullback(grad):
        slope = grad * s * (1 - s)
        return slope, slope

    return s, biased_pullback


@pb.formula
def columns(x):
    return np.sum(x, axis=0), lambda grad: np.broadcast_to(grad, x.shape)


@pb.formula
def averaged(x):
    e = np.exp(x)
    return (e, np.mean(e, axis=0)), lambda grad, above: (grad + above / x.shape[0]) * e


@pb.formula
def statistics(x, pb_index):
    loop = np.mean(x, axis=-1)
    group = np.expand_dims(loop, -1)
    T = (x - group) / np.sqrt(np.mean((x - group) ** 2, axis=-1, keepdims=True) + 1)

    def statistics_pullback(pb_step, above):
        return pb_step * T, np.sum(pb_step * x)

    return (T * pb_index, np.sum(x > 0.5, axis=0)), statistics_pullback
"""


def printed(formula, library):
    """The text of a formula's kernels, and what it is made of."""
    made, programs = compiled(formula, library)
    return made, programs, emit_cuda(formula.name, [kernel for kernel, _ in programs], formula.source)


def agree(formula, library, shapes, folder, types=(np.float32, np.float64), variants=None):
    """Run the kernels over each shape that fits, in both types and indices; the number of agreeing runs.

    The variants that were started are added to `variants`.
    """
    made, programs, text = printed(formula, library)
    device = Emulated(text, folder)
    host = Host(formula.name, [kernel for kernel, _ in programs], formula.source, device)
    count = 0

    def compare(kernel, program, arguments):
        nonlocal count
        expected = interpreted(program, arguments)
        near = 1e-12 if arguments.float_type == np.float64 else 3e-4
        for wide in (False, True):
            found = host.run(kernel, arguments, wide)
            for place, theirs in expected.items():
                ours = found[place]
                assert ours.dtype == np.asarray(theirs).dtype
                if place in shapes_of(kernel):
                    assert ours.shape == np.shape(theirs)
                    continue
                scale = np.max(np.abs(theirs), initial=1.0, where=np.isfinite(theirs))
                np.testing.assert_allclose(ours, theirs, near, near * scale, err_msg=kernel.name)
            count += 1
        return expected

    for dtype in types:
        for shape in shapes:
            with suppress(Unfit):
                each_run(made, programs, shape, dtype, compare)
    if variants is not None:
        variants.update(name.rsplit("_", 1)[1] for name in device.started)
    return count


@needs_nvrtc
@pytest.mark.slow
@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_kernels_compile(architecture):
    """Of each function that NumPy has not, which nothing else compiles, and of half of the others.

    Each is compiled for one architecture: NVRTC takes seconds for it.
    """
    names = [name for name in sorted(FORMULAS) if compiled(*FORMULAS[name])[1]]
    chosen = [*filter(SPECIAL.__contains__, names), *[name for name in names if name not in SPECIAL][::2]]
    own = chosen[ARCHITECTURES.index(architecture) :: len(ARCHITECTURES)]
    for name in own:
        assert nvrtc.compile_cuda(printed(*FORMULAS[name])[-1], architecture)
    assert len(own) >= 20


@needs_gcc
@pytest.mark.compiler
@pytest.mark.parametrize("name", QUICK)
def test_kernels_compute_what_the_interpreter_finds(name, tmp_path):
    assert agree(*FORMULAS[name], SHAPES, tmp_path) >= (len(SHAPES) - 1) * 2 * 2 * 3


@needs_gcc
@pytest.mark.compiler
@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(FORMULAS.keys() - SPECIAL))
def test_kernels_of_every_formula_compute_what_the_interpreter_finds(name, tmp_path):
    if compiled(*FORMULAS[name])[1]:
        assert agree(*FORMULAS[name], SHAPES[:3], tmp_path, (np.float64,))


@pytest.fixture(scope="module")
def own():
    return read_module(Source("rows.py", ROWS)).formulas


@needs_gcc
@pytest.mark.compiler
def test_rows_that_are_long_or_many_or_none_are_computed_by_threads_together(own, tmp_path):
    rows = (
        ((3, 2 * Emulated.threads),),
        ((2, 5 * Emulated.threads + 3),),
        ((2, 12 * Emulated.threads),),  # most of what registers have room for
        ((2, 20 * Emulated.threads),),  # more
        ((70, 3),),
        ((0, 4),),
        ((1, 1),),
        ((2, 3, 33),),
        ((70, 8),),
    )
    variants = set()
    assert agree(own["softmax"], standard_library(), rows, tmp_path, variants=variants)
    assert variants == {"i32", "i64", "packed", "resident"}


@needs_gcc
@pytest.mark.compiler
def test_a_total_in_parts_is_joined_by_the_block_that_is_last(tmp_path):
    for name in ("sum", "max", "prod"):
        (tmp_path / name).mkdir()
        assert agree(*FORMULAS[name], (((9 * 4 * Emulated.threads + 7,),), ((3, 700),)), tmp_path / name)


@needs_gcc
@pytest.mark.compiler
def test_columns_are_summed_side_by_side_and_in_parts(own, tmp_path):
    shapes = (((900, 40),), ((4999, 33),), ((0, 40),), ((50, 3, 40),))
    for name in ("columns", "averaged"):
        (tmp_path / name).mkdir()
        assert agree(own[name], standard_library(), shapes, tmp_path / name)


@needs_gcc
@pytest.mark.compiler
def test_gradients_of_what_all_rows_share_are_summed_with_the_rows(own, tmp_path):
    shared = [((n, 40), (40,)) for n in (1, 7, 300)]
    otherwise = [((7, 41), (41,)), ((7, 40), (7, 1)), ((7, 40), (7, 40)), ((0, 40), (40,)), ((40,), (40,))]
    variants = set()
    shapes = [*shared, ((3, 50, 8), (1, 8)), ((2, 5 * 4 * Emulated.threads), (5 * 4 * Emulated.threads,))]
    assert agree(own["biased"], standard_library(), shapes, tmp_path, variants=variants)
    assert {"resident", "joined"} <= variants
    variants.clear()
    assert agree(own["biased"], standard_library(), otherwise, tmp_path, variants=variants)
    assert variants
    assert "joined" not in variants


@needs_nvrtc
def test_names_in_other_letters_are_compiled(own):
    text = printed(own["softmax"], standard_library())[-1]
    assert nvrtc.compile_cuda(text, "sm_80")


@needs_gcc
@pytest.mark.compiler
def test_names_that_a_kernel_has_are_the_authors_too(own, tmp_path):
    assert agree(own["statistics"], standard_library(), (((5, 37), ()),), tmp_path)


@needs_nvrtc
def test_what_does_not_compile_says_why():
    with pytest.raises(CompilerError, match="undefined_name"):
        nvrtc.compile_cuda("__global__ void f() { undefined_name(); }", "sm_80")
