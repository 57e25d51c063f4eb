// What most programs never switch on: a call asks for all of it at once.
#pragma once

#include <Python.h>

namespace pullback {

/// Guarded by the GIL.
struct Switches {
    PyObject* observer = nullptr;  // owned: called after each operator
    PyObject* pack = nullptr;      // owned: gives what to save in the place of a tensor, or None
    bool anomaly = false;          // nodes record the stack of their call
    bool check_nan = false;        // a derivative that gives NaN is an error
    bool inference = false;        // some thread is in inference mode

    /// Whether each call must go the general path.
    bool watched = false;

    void set_observer(PyObject* function) { replace(observer, function); }
    void set_pack(PyObject* function) { replace(pack, function); }
    void set_anomaly(bool enabled, bool nan) {
        anomaly = enabled;
        check_nan = nan;
        update();
    }

  private:
    void update() { watched = observer != nullptr || pack != nullptr || anomaly; }
    void replace(PyObject*& place, PyObject* function) {
        PyObject* before = place;
        place = function == Py_None ? nullptr : Py_NewRef(function);
        update();
        Py_XDECREF(before);
    }
};

inline constinit Switches switches;

}  // namespace pullback
