// The cycle collector's list, which tensors of a graph and nodes are put on and taken off.
#pragma once

#include <Python.h>

#include <cstdint>

// Python 3.11's own view of the list costs nothing; the public one is a call.
#if PY_VERSION_HEX >= 0x030B0000 && PY_VERSION_HEX < 0x030C0000 && __has_include(<internal/pycore_gc.h>)
#define PULLBACK_COLLECTOR_OF_3_11
#define Py_BUILD_CORE 1
#include <internal/pycore_gc.h>
#undef Py_BUILD_CORE
#endif

namespace pullback {

/// Finds the list; before the first `track`.
void find_collector();

#ifdef PULLBACK_COLLECTOR_OF_3_11

/// The ends of the list: the youngest object stands last.
extern PyGC_Head* youngest;

/// Lets the cycle collector see an object that it doesn't see yet.
inline void track(PyObject* object) {
    PyGC_Head* const head = _Py_AS_GC(object);
    auto* const last = reinterpret_cast<PyGC_Head*>(youngest->_gc_prev);
    _PyGCHead_SET_NEXT(last, head);
    _PyGCHead_SET_PREV(head, last);
    _PyGCHead_SET_NEXT(head, youngest);
    youngest->_gc_prev = reinterpret_cast<std::uintptr_t>(head);
}

/// The other way round.
inline void untrack(PyObject* object) {
    PyGC_Head* const head = _Py_AS_GC(object);
    PyGC_Head* const before = _PyGCHead_PREV(head);
    PyGC_Head* const after = _PyGCHead_NEXT(head);
    _PyGCHead_SET_NEXT(before, after);
    _PyGCHead_SET_PREV(after, before);
    _PyGCHead_SET_NEXT(head, nullptr);
    head->_gc_prev &= _PyGC_PREV_MASK_FINALIZED;
}

#else

inline void track(PyObject* object) { PyObject_GC_Track(object); }
inline void untrack(PyObject* object) { PyObject_GC_UnTrack(object); }

#endif

}  // namespace pullback
