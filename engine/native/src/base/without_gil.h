// Work that needs no Python, without the GIL where there is much of it.
#pragma once

#include <Python.h>

#include <cstdint>

#include "base/layout.h"

namespace pullback {

/// Runs body, which may not throw, on so many elements.
template <typename Body>
void run_without_gil(std::int64_t elements, Body&& body) {
    if (elements <= Layout::kMostInLoop) return body();
    PyThreadState* const state = PyEval_SaveThread();
    body();
    PyEval_RestoreThread(state);
}

}  // namespace pullback
