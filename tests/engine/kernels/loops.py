"""Functions of kernels as loops over arrays, and what their values are held to."""

import ctypes

import mpmath
import numpy as np

from pullback.engine.kernels import compile_text

ULPS = 4
TYPES = {"float": np.float32, "double": np.float64}


def compiled_loops(names, operands):
    """A library with a loop for each function of `pb::` and each type, over so many operands."""
    letters = "xyz"[:operands]
    values = ", ".join(f"{letter}[i]" for letter in letters)
    headers = "kernel.h", "kernel/math/functions.h", "kernel/math/logaddexp.h", "kernel/math/rests.h"
    lines = [f"#include <pullback/{header}>" for header in headers]
    for name in names:
        for kind in TYPES:
            given = "".join(f"const {kind}* {letter}, " for letter in letters)
            lines.append(
                f"PB_EXPORT void {name}_{kind}({given}{kind}* r, int64_t n) {{\n"
                f"    PB_SIMD\n    for (int64_t i = 0; i < n; ++i) r[i] = pb::{name}({values});\n}}"
            )
    return ctypes.CDLL(str(compile_text("\n".join(lines) + "\n")))


def computed(library, name, *arrays):
    """What a loop gives for arrays of one type and length."""
    kind = next(kind for kind, dtype in TYPES.items() if dtype == arrays[0].dtype)
    result = np.empty_like(arrays[0])
    pointers = (ctypes.c_void_p(array.ctypes.data) for array in (*arrays, result))
    getattr(library, f"{name}_{kind}")(*pointers, ctypes.c_int64(result.size))
    return result


def exact(function, *numbers):
    """The value of a function of mpmath's, or None where it is no real number."""
    try:
        value = function(*(mpmath.mpf(float(number)) for number in numbers))
    except (ValueError, ZeroDivisionError, OverflowError):
        return None
    return value if isinstance(value, mpmath.mpf) and mpmath.isfinite(value) else None


def is_close(found, value, size):
    """Whether a number is right to `ULPS` units in the last place of a number of this size."""
    with np.errstate(over="ignore"):
        ulp = float(np.spacing(size))
    return abs(mpmath.mpf(float(found)) - value) <= ULPS * ulp
