#include "base/collector.h"

#include "base/object.h"

namespace pullback {

#ifdef PULLBACK_COLLECTOR_OF_3_11

PyGC_Head* youngest = nullptr;

void find_collector() {
    // New entries stand at the end, and the list is circular.
    const PyRef probe = checked(PyList_New(0));
    PyObject_GC_UnTrack(probe.get());
    PyObject_GC_Track(probe.get());
    youngest = _PyGCHead_NEXT(_Py_AS_GC(probe.get()));
}

#else

void find_collector() {}

#endif

}  // namespace pullback
