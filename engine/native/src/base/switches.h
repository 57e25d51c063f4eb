// Switches that most programs never touch, and the fast paths that are open under them.
#pragma once

#include <Python.h>

#include <array>

namespace pullback {

/// Frequent cases that have code of their own; what they don't take goes the general path, with the
/// same result. Each is a line of benchmarks/fast_paths.py, which switches it off to compare.
enum class FastPath : unsigned {
    pointwise,           // calls on small arrays of one shape: small_pointwise.cpp
    pointwise_gradient,  // their derivatives: small_pointwise.cpp
    chain,               // such nodes one after the other: chain.h
    in_place,            // `x += y` and its like: inplace.cpp
    views,               // slices, transposes, reshapes: views.cpp
    view_gradient,       // their derivatives: view_gradient.cpp
    index_gradient,      // those of `x[integers]`: index_gradient.cpp
    set_item,            // `x[index] = value`: set_item.cpp
    moves,               // arrays joined, rolled, picked from: moves.cpp, move_gradient.cpp
    remembered_calls,    // of compiled formulas: remembered_calls.cpp
    start_backward,      // `pb.grad` of tensors: start_backward.cpp
    outer_product,       // a matrix's gradient as two factors: outer_product.cpp
    inferred             // what a kernel's results are like, as it said before: inferred.cpp
};
inline constexpr std::array kFastPaths = {
    "pointwise",      "pointwise_gradient", "chain",    "in_place", "views",
    "view_gradient",  "index_gradient",     "set_item", "moves",    "remembered_calls",
    "start_backward", "outer_product",      "inferred",
};

/// Guarded by the GIL.
struct Switches {
    PyObject* observer = nullptr;  // owned: called after each operator
    PyObject* pack = nullptr;      // owned: gives what to save in the place of a tensor, or None
    bool anomaly = false;          // nodes record the stack of their call
    bool check_nan = false;        // a derivative that gives NaN is an error
    bool inference = false;        // some thread is in inference mode

    /// True if each call must go the general path.
    bool watched = false;

    /// True if a fast path may be taken that nothing watches.
    bool takes(FastPath path) const { return (open_ >> static_cast<unsigned>(path) & 1) != 0; }
    /// The same for one that is right while calls are watched.
    bool has(FastPath path) const { return (on_ >> static_cast<unsigned>(path) & 1) != 0; }
    /// Switches a fast path on or off.
    void set_fast_path(std::size_t path, bool on) {
        on_ = on ? on_ | 1U << path : on_ & ~(1U << path);
        update();
    }

    void set_observer(PyObject* function) { replace(observer, function); }
    void set_pack(PyObject* function) { replace(pack, function); }
    void set_anomaly(bool enabled, bool nan) {
        anomaly = enabled;
        check_nan = nan;
        update();
    }

  private:
    void update() {
        watched = observer != nullptr || pack != nullptr || anomaly;
        open_ = watched ? 0 : on_;
    }
    void replace(PyObject*& place, PyObject* function) {
        PyObject* before = place;
        place = function == Py_None ? nullptr : Py_NewRef(function);
        update();
        Py_XDECREF(before);
    }

    unsigned on_ = ~0U;
    unsigned open_ = ~0U;
};

inline constinit Switches switches;

}  // namespace pullback
