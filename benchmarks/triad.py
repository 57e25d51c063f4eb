"""The streaming triad, a = b + s c past the caches: how fast this machine moves memory, in bytes a second."""

from __future__ import annotations

import ctypes
import os
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from pullback.engine.kernels import find_compiler

TEXT = """
#include <stddef.h>
#define EXPORT extern "C" __attribute__((visibility("default")))
#if defined(__SSE2__)
#include <immintrin.h>
EXPORT void triad(float* a, const float* b, const float* c, size_t n) {
#if defined(__AVX512F__)
    const __m512 s = _mm512_set1_ps(3.0f);
    for (size_t i = 0; i < n; i += 16) {
        const __m512 scaled = _mm512_mul_ps(s, _mm512_load_ps(c + i));
        _mm512_stream_ps(a + i, _mm512_add_ps(_mm512_load_ps(b + i), scaled));
    }
#else
    const __m128 s = _mm_set1_ps(3.0f);
    for (size_t i = 0; i < n; i += 4)
        _mm_stream_ps(a + i, _mm_add_ps(_mm_load_ps(b + i), _mm_mul_ps(s, _mm_load_ps(c + i))));
#endif
    _mm_sfence();
}
#else
EXPORT void triad(float* a, const float* b, const float* c, size_t n) {
    for (size_t i = 0; i < n; ++i) a[i] = b[i] + 3.0f * c[i];
}
#endif
"""
ELEMENTS = 1 << 23


def triad(threads: int) -> Callable[[], object]:
    """A call that moves `bytes_moved()` bytes; each thread has a part and a processor of its own."""
    with tempfile.TemporaryDirectory() as folder:
        source, library = Path(folder, "triad.cpp"), Path(folder, "triad.so")
        source.write_text(TEXT, encoding="utf-8")
        find_compiler().run(source, library)
        function = ctypes.CDLL(str(library)).triad
    function.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_size_t]
    memory = np.ones(3 * ELEMENTS + 16, np.float32)
    start = -(-memory.ctypes.data // 64) * 64
    part = ELEMENTS // threads // 16 * 16

    def work(k: int) -> None:
        offset = 4 * part * k
        function(*(start + 4 * ELEMENTS * array + offset for array in range(3)), part)

    pools = [ThreadPoolExecutor(1, initializer=_stay, initargs=(k,)) for k in range(threads)]

    def run() -> object:
        for done in [pool.submit(work, k) for k, pool in enumerate(pools)]:
            done.result()
        return memory

    return run


def _stay(k: int) -> None:
    """Keep this thread on one of the processors that the process may use, where the system can."""
    if hasattr(os, "sched_setaffinity"):
        allowed = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, {allowed[k % len(allowed)]})


def bytes_moved() -> int:
    """How many bytes one call reads and writes."""
    return 3 * 4 * ELEMENTS
