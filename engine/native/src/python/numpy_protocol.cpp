#include "python/numpy_protocol.h"

#include <vector>

#include "base/errors.h"
#include "base/object.h"
#include "core/tensor.h"
#include "dispatch/arguments.h"
#include "fast_paths/named_operator.h"

namespace pullback {
namespace {

constexpr const char* kModule = "pullback.engine.numpy.protocol";

/// What a function of NumPy calls: an operator, or the function itself on arrays where it asks a
/// question. None where a call is for Python.
struct Direct {
    PyObject* call = nullptr;  // borrowed of the table, which a call may clear
    std::size_t most = 0;      // arguments before `out`
    bool on_arrays = false;
    bool is_operator = false;
};

constexpr std::size_t kMostOfQuestion = 2;  // arguments

/// The answer of a function that asks a question of tensors and constants; NULL with an error set.
/// NULL without one where this is for Python.
PyObject* answer(PyObject* function, std::span<PyObject* const> args) {
    PyObject* arrays[kMostOfQuestion];
    if (args.size() > kMostOfQuestion) return nullptr;
    for (std::size_t i = 0; i < args.size(); ++i) {
        const bool is_tensor = Tensor::check(args[i]);
        if (!is_tensor && !PyLong_CheckExact(args[i]) && args[i] != Py_None) return nullptr;
        arrays[i] = is_tensor ? Tensor::cast(args[i])->array() : args[i];
    }
    return PyObject_Vectorcall(function, arrays, args.size(), nullptr);
}

/// The entry of the table of functions, made by Python's `direct` at the first call, and again when
/// a formula was replaced.
Direct direct(PyObject* function) {
    static PyObject* table = checked(PyDict_New()).release();
    static unsigned generation = 0;
    if (generation != NamedOperator::generation) [[unlikely]] {
        generation = NamedOperator::generation;
        PyDict_Clear(table);
    }
    PyObject* found = PyDict_GetItemWithError(table, function);
    if (found == nullptr) {
        if (PyErr_Occurred()) throw ErrorSet{};
        static PyObject* find = nullptr;
        import_once(find, "pullback.engine.native.numpy_calls", "direct");
        const PyRef made = checked(PyObject_CallOneArg(find, function));
        found = PyDict_SetDefault(table, function, made.get());
        if (found == nullptr) throw ErrorSet{};
    }
    if (found == Py_None) return {};
    return {PyTuple_GET_ITEM(found, 0), PyLong_AsSize_t(PyTuple_GET_ITEM(found, 1)),
            PyTuple_GET_ITEM(found, 2) == Py_True, PyTuple_GET_ITEM(found, 3) == Py_True};
}

/// True where a callable takes these values: a function that is written with operators takes plain
/// ones (`is_plain`).
bool takes(const Direct& found, std::span<PyObject* const> args, PyObject* kwargs) {
    if (found.call == nullptr || found.on_arrays || args.size() > found.most) return false;
    if (found.is_operator) return true;
    int tensors = 0;
    for (PyObject* value : args) {
        if (!is_plain(value, tensors)) return false;
    }
    PyObject *name, *value;
    Py_ssize_t position = 0;
    while (kwargs != nullptr && PyDict_Next(kwargs, &position, &name, &value)) {
        if (!is_plain(value, tensors)) return false;
    }
    return true;
}

/// array_ufunc(self, ufunc, method, *inputs, **kwargs), where `out` and the like are keywords.
PyObject* array_ufunc(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* names) {
    constexpr Py_ssize_t kBefore = 2;  // the ufunc and the method's name
    return to_python([&] {
        const bool is_call = count > kBefore && names == nullptr && PyUnicode_Check(args[1]) &&
                             PyUnicode_CompareWithASCIIString(args[1], "__call__") == 0;
        if (is_call) {
            const Direct found = direct(args[0]);
            const std::span inputs(args + kBefore, static_cast<std::size_t>(count - kBefore));
            if (takes(found, inputs, nullptr)) {
                const PyRef called = PyRef::borrow(found.call);
                return PyObject_Vectorcall(called.get(), inputs.data(), inputs.size(), nullptr);
            }
        }
        static PyObject* general = nullptr;
        import_once(general, kModule, "array_ufunc");
        const std::size_t given = static_cast<std::size_t>(count) +
                                  (names == nullptr ? 0 : std::size_t(PyTuple_GET_SIZE(names)));
        std::vector<PyObject*> all{self};
        all.insert(all.end(), args, args + given);
        return PyObject_Vectorcall(general, all.data(), static_cast<std::size_t>(count) + 1, names);
    });
}

/// array_function(self, function, types, args, kwargs).
PyObject* array_function(PyObject* self, PyObject* const* args, Py_ssize_t count) {
    constexpr Py_ssize_t kCount = 4;
    return to_python([&] {
        if (count != kCount || !PyTuple_Check(args[2]) || !PyDict_Check(args[3]))
            raise(PyExc_TypeError,
                  "__array_function__ takes a function, types, a tuple and a dict");
        static PyObject* out = checked(PyUnicode_InternFromString("out")).release();
        const auto given = static_cast<std::size_t>(PyTuple_GET_SIZE(args[2]));
        const Direct found = direct(args[0]);
        PyObject* const* const values = &PyTuple_GET_ITEM(args[2], 0);
        if (found.on_arrays && PyDict_GET_SIZE(args[3]) == 0) {
            PyObject* result = answer(found.call, {values, given});
            if (result != nullptr || PyErr_Occurred()) return result;
        } else if (checked(PyDict_Contains(args[3], out)) == 0 &&
                   takes(found, {values, given}, args[3])) {
            const PyRef called = PyRef::borrow(found.call);
            return PyObject_VectorcallDict(called.get(), values, given, args[3]);
        }
        static PyObject* general = nullptr;
        import_once(general, kModule, "array_function");
        PyObject* all[] = {self, args[0], args[1], args[2], args[3]};
        return PyObject_Vectorcall(general, all, kCount + 1, nullptr);
    });
}

template <typename F>
PyCFunction method(F* function) {
    return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
}

}  // namespace

std::span<const PyMethodDef> protocol_methods() {
    static const PyMethodDef methods[] = {
        {"__array_ufunc__", method(array_ufunc), METH_FASTCALL | METH_KEYWORDS,
         "A universal function of NumPy on tensors."},
        {"__array_function__", method(array_function), METH_FASTCALL,
         "Another function of NumPy on tensors."},
    };
    return methods;
}

}  // namespace pullback
