// The caller of an operator: the code object and the place in it, which name file and line.
#pragma once

#include <Python.h>

// Python 3.11's own view of a frame costs nothing; the public one makes an object per call of a
// Python function.
#if PY_VERSION_HEX >= 0x030B0000 && PY_VERSION_HEX < 0x030C0000 && \
    __has_include(<internal/pycore_frame.h>)
#define PULLBACK_FRAMES_OF_3_11
#define Py_BUILD_CORE 1
#include <internal/pycore_frame.h>
#undef Py_BUILD_CORE
#endif

#include "core/node.h"

namespace pullback {

/// The place of the innermost frame outside this package.
struct Caller {
    PyRef code;  // none where no Python runs
    int instruction = 0;
};
Caller find_caller();
/// "file:line" of an instruction. Throws ErrorSet.
std::string place_of(PyObject* code, int instruction);
/// All frames outside this package, as text, into the node: anomaly mode. Throws ErrorSet.
void remember_stack(Node& node);

#ifdef PULLBACK_FRAMES_OF_3_11

/// The code that called last, outside this package: most often the next caller too. Owned.
extern PyCodeObject* last_caller;

inline const _PyInterpreterFrame* innermost_frame(const PyThreadState* thread) {
    return thread->cframe->current_frame;
}

/// The place in its code where a frame stands.
inline int place_in(const _PyInterpreterFrame* frame) {
    const auto place = frame->prev_instr - _PyCode_CODE(frame->f_code);
    return static_cast<int>(place * std::int64_t{sizeof(_Py_CODEUNIT)});
}

#endif

/// `find_caller` of this thread into a new node.
inline void remember_caller(Node& node,
                            [[maybe_unused]] const PyThreadState* thread = PyThreadState_Get()) {
#ifdef PULLBACK_FRAMES_OF_3_11
    const _PyInterpreterFrame* const innermost = innermost_frame(thread);
    if (innermost != nullptr && innermost->f_code == last_caller) [[likely]] {
        node.caller.adopt(Py_NewRef(reinterpret_cast<PyObject*>(last_caller)));
        node.caller_instruction = place_in(innermost);
        return;
    }
#endif
    Caller caller = find_caller();
    node.caller = std::move(caller.code);
    node.caller_instruction = caller.instruction;
}

}  // namespace pullback
