#include "fast_paths/remembered_calls.h"

#include "base/errors.h"
#include "base/numpy_api.h"
#include "base/switches.h"

namespace pullback {
namespace {

constexpr std::size_t kMostCalls = 64;
constexpr int kPythonNumber = -1;  // takes the dtype of the arrays that it meets

bool is_number(PyObject* value) {
    return PyFloat_CheckExact(value) || PyLong_CheckExact(value) || PyBool_Check(value);
}

/// False for what is neither an array nor a number.
bool kind_of(PyObject* value, InputKind& kind) {
    if (Tensor::check(value)) {
        const Layout& layout = Tensor::cast(value)->layout;
        kind = {layout.dtype(), layout.ndim()};
    } else if (PyArray_CheckExact(value)) {
        PyArrayObject* array = as_array(value);
        if (!PyArray_ISNOTSWAPPED(array)) return false;
        kind = {PyArray_TYPE(array), PyArray_NDIM(array)};
    } else if (is_number(value)) {
        kind = {kPythonNumber, 0};
    } else if (PyArray_IsScalar(value, Generic)) {
        const PyRef dtype = checked(reinterpret_cast<PyObject*>(PyArray_DescrFromScalar(value)));
        kind = {reinterpret_cast<PyArray_Descr*>(dtype.get())->type_num, 0};
    } else {
        return false;
    }
    return true;
}

bool holds_ints(PyObject* value) {
    if (!PyTuple_CheckExact(value)) return false;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(value); ++i) {
        if (!PyLong_CheckExact(PyTuple_GET_ITEM(value, i))) return false;
    }
    return true;
}

/// True if nothing can change the value, so that it is the same wherever it is met.
bool is_constant(PyObject* value) {
    return value == Py_None || is_number(value) || PyUnicode_CheckExact(value) ||
           PyType_Check(value) || holds_ints(value);
}

/// True if a constant is this one: 1, 1.0 and True are three.
bool is_same(PyObject* constant, PyObject* value) {
    if (constant == value) return true;
    if (Py_TYPE(constant) != Py_TYPE(value)) return false;
    const bool by_value = PyLong_CheckExact(constant) || PyUnicode_CheckExact(constant) ||
                          (holds_ints(constant) && holds_ints(value));
    return by_value && checked(PyObject_RichCompareBool(constant, value, Py_EQ)) != 0;
}

bool is_same_name(PyObject* name, PyObject* other) {
    return name == other || PyUnicode_Compare(name, other) == 0;
}

}  // namespace

bool RememberedCall::is_like(std::span<PyObject* const> args, PyObject* names) const {
    const std::size_t given = names == nullptr ? 0 : std::size_t(PyTuple_GET_SIZE(names));
    if (args.size() != inputs.size() || given != keywords.size()) return false;
    for (std::size_t i = 0; i < args.size(); ++i) {
        InputKind kind;
        if (!kind_of(args[i], kind) || kind.dtype != inputs[i].dtype) return false;
        if (by_ranks && kind.ndim != inputs[i].ndim) return false;
    }
    PyObject* const* values = args.data() + args.size();
    for (std::size_t i = 0; i < given; ++i) {
        const RememberedKeyword& keyword = keywords[i];
        PyObject* name = PyTuple_GET_ITEM(names, static_cast<Py_ssize_t>(i));
        if (!is_same_name(keyword.name.get(), name)) return false;
        if (keyword.fixed ? !is_same(keyword.value.get(), values[i])
                          : Py_TYPE(keyword.value.get()) != Py_TYPE(values[i]))
            return false;
    }
    return true;
}

PyRef RememberedCall::attributes_for(PyObject* const* values) const {
    PyRef found = attributes;
    for (std::size_t i = 0; i < keywords.size(); ++i) {
        if (keywords[i].fixed) continue;
        if (found.get() == attributes.get()) found = checked(PyDict_Copy(attributes.get()));
        checked(PyDict_SetItem(found.get(), keywords[i].name.get(), values[i]));
    }
    return found;
}

PyObject* RememberedCall::call(std::span<PyObject* const> args, PyObject* names) const {
    if (!is_like(args, names)) return nullptr;
    const PyRef given = checked(PyTuple_New(static_cast<Py_ssize_t>(args.size())));
    bool on_tensors = false;
    for (std::size_t i = 0; i < args.size(); ++i) {
        on_tensors |= Tensor::check(args[i]);
        PyTuple_SET_ITEM(given.get(), static_cast<Py_ssize_t>(i), Py_NewRef(args[i]));
    }
    const PyRef all = attributes_for(args.data() + args.size());
    const auto call = on_tensors ? static_cast<PyRef (*)(PyObject*, PyObject*, PyObject*)>(apply)
                                 : result_on_arrays;
    return call(operator_object.get(), given.get(), all.get()).release();
}

void RememberedCalls::add(PyObject* operator_object, PyObject* attributes, PyObject* args,
                          PyObject* keywords, PyObject* fixed, bool by_ranks) {
    if (calls_.size() >= kMostCalls) return;
    auto made = std::make_unique<RememberedCall>();
    made->operator_object = PyRef::borrow(operator_object);
    made->attributes = PyRef::borrow(attributes);
    made->by_ranks = by_ranks;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(args); ++i) {
        if (!kind_of(PyTuple_GET_ITEM(args, i), made->inputs.emplace_back())) return;
    }
    PyObject *name, *value;
    Py_ssize_t position = 0;
    while (PyDict_Next(keywords, &position, &name, &value)) {
        const bool is_fixed = checked(PySet_Contains(fixed, name)) != 0;
        if (is_fixed ? !is_constant(value) : !is_number(value)) return;
        made->keywords.push_back({PyRef::borrow(name), PyRef::borrow(value), is_fixed});
    }
    calls_.push_back(std::move(made));
}

PyObject* RememberedCalls::call(std::span<PyObject* const> args, PyObject* names) const {
    if (!switches.has(FastPath::remembered_calls)) return nullptr;
    // By index: a call may let another thread add one.
    for (std::size_t i = 0; i < calls_.size(); ++i) {
        const RememberedCall& one = *calls_[i];
        if (PyObject* result = one.call(args, names)) return result;
    }
    return nullptr;
}

}  // namespace pullback
