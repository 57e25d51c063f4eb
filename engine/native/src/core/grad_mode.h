// The grad mode, by which operators are recorded or not: a context variable of Python's.
#pragma once

#include <Python.h>

// Python 3.11's own view of a context variable costs nothing; the public one is a call.
#if PY_VERSION_HEX >= 0x030B0000 && PY_VERSION_HEX < 0x030C0000 && \
    __has_include(<internal/pycore_context.h>)
#define PULLBACK_CONTEXT_OF_3_11
#define Py_BUILD_CORE 1
#include <internal/pycore_context.h>
#undef Py_BUILD_CORE
#endif

#include "base/object.h"

namespace pullback {

/// The same as `grad_enabled`, by a call of Python.
bool find_grad_mode();

#ifdef PULLBACK_CONTEXT_OF_3_11

/// `grad_mode.ENABLED`, cached; NULL until the mode is first asked for.
extern struct _pycontextvarobject* grad_mode;

/// The value that this thread read or set last, borrowed; NULL where that was in another context.
inline PyObject* remembered_mode(const PyThreadState* thread) {
    if (grad_mode == nullptr) [[unlikely]]
        return nullptr;
    const bool holds = grad_mode->var_cached_tsid == thread->id &&
                       grad_mode->var_cached_tsver == thread->context_ver;
    return holds ? grad_mode->var_cached : nullptr;
}

#else

inline PyObject* remembered_mode(const PyThreadState*) { return nullptr; }

#endif

/// True if operators are recorded, in this thread and task: `grad_mode.ENABLED`. Throws ErrorSet.
inline bool grad_enabled(const PyThreadState* thread = PyThreadState_Get()) {
    if (PyObject* const value = remembered_mode(thread)) [[likely]]
        return value == Py_True;
    return find_grad_mode();
}

/// True if this is inside of inference mode, in this thread and task. Throws ErrorSet.
bool in_inference_mode();

/// Sets the grad mode until the end of a scope; in inference mode nothing is recorded either way.
class GradModeGuard {
  public:
    explicit GradModeGuard(bool enabled);
    ~GradModeGuard();
    GradModeGuard(const GradModeGuard&) = delete;
    GradModeGuard& operator=(const GradModeGuard&) = delete;

  private:
    static PyRef mode(bool enabled);
    PyRef token_;
};

}  // namespace pullback
