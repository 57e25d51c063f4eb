#include "dispatch/arguments.h"

#include <algorithm>

#include "base/errors.h"
#include "base/numpy_api.h"

namespace pullback {
namespace {

[[noreturn]] void raise_mismatch() {
    const PyRef mismatch = import_from("pullback.engine.core.dispatch", "mismatch");
    const PyRef error = checked(PyObject_CallFunction(mismatch.get(), "ss", "native", "reference"));
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.get())), error.get());
    throw ErrorSet{};
}

/// True if the value is a tensor of the reference engine.
bool is_foreign(PyObject* value) {
    static PyObject* any_tensor = nullptr;
    import_once(any_tensor, "pullback.engine.tensor.base", "Tensor");
    const bool plain = value == Py_None || Tensor::check(value) || PyArray_Check(value) ||
                       PyFloat_CheckExact(value) || PyLong_CheckExact(value) ||
                       PyBool_Check(value) || PyUnicode_CheckExact(value);
    return !plain && checked(PyObject_IsInstance(value, any_tensor)) != 0;
}

PyRef normalized_item(PyObject* value) {
    if (is_foreign(value)) raise_mismatch();
    return PyRef::borrow(value);
}

/// A list inside of a list of arrays: one array, or a tensor where there are tensors in it.
PyRef joined(PyObject* values) {
    static PyObject* function = nullptr;
    import_once(function, "pullback.engine.calls.lists", "joined");
    return checked(PyObject_CallOneArg(function, values));
}

/// Attributes are constants: an index may be a tensor, but not one that wants a gradient.
PyRef raw_attribute(const OperatorInfo& info, PyObject* name, PyObject* value, bool recording) {
    if (Tensor::check(value)) {
        if (text_of(name) == "dtype") {
            raise(PyExc_TypeError, "Cannot construct a dtype from a tensor; pass its dtype");
        }
        if (recording && requires_grad(value)) {
            const std::string attribute_name = text_of(name);
            raise("NotDifferentiableError",
                  info.name + ": '" + attribute_name +
                      "' is an attribute, no gradient flows into it, and it got a tensor that "
                      "requires grad; pass " +
                      attribute_name + ".detach()");
        }
        return PyRef::borrow(Tensor::cast(value)->array());
    }
    if (!PyList_CheckExact(value) && !PyTuple_CheckExact(value)) return PyRef::borrow(value);
    const Py_ssize_t count = PySequence_Fast_GET_SIZE(value);
    PyRef copy = checked(PyTuple_New(count));
    for (Py_ssize_t i = 0; i < count; ++i) {
        PyObject* item = PySequence_Fast_GET_ITEM(value, i);
        PyTuple_SET_ITEM(copy.get(), i, raw_attribute(info, name, item, recording).release());
    }
    return PyList_CheckExact(value) ? checked(PySequence_List(copy.get())) : copy;
}

}  // namespace

PyRef normalized(const OperatorInfo& info, std::int32_t index, PyObject* value) {
    const bool wants_list = info.list_inputs.has(index);
    PyRef parts;  // of one array, along its first axis
    if (wants_list && (Tensor::check(value) || PyArray_Check(value))) {
        parts = checked(PySequence_List(value));
        value = parts.get();
    }
    if (!PyList_Check(value) && !PyTuple_Check(value)) return normalized_item(value);
    if (!wants_list) return joined(value);
    const Py_ssize_t count = PySequence_Fast_GET_SIZE(value);
    PyRef list = checked(PyList_New(count));
    for (Py_ssize_t i = 0; i < count; ++i) {
        PyObject* given = PySequence_Fast_GET_ITEM(value, i);
        const bool nested = PyList_Check(given) || PyTuple_Check(given);
        PyRef item = nested ? joined(given) : normalized_item(given);
        PyList_SET_ITEM(list.get(), i, item.release());
    }
    return list;
}

PyRef raw(PyObject* value) {
    if (Tensor::check(value)) return PyRef::borrow(Tensor::cast(value)->array());
    if (!PyList_Check(value)) return PyRef::borrow(value);
    PyRef list = checked(PyList_New(PyList_GET_SIZE(value)));
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(value); ++i) {
        PyList_SET_ITEM(list.get(), i, raw(PyList_GET_ITEM(value, i)).release());
    }
    return list;
}

PyRef like(PyObject* value) {
    if (Tensor::check(value) && Tensor::cast(value)->layout.regular())
        return python_like(Tensor::cast(value)->layout);
    static PyObject* function = nullptr;
    import_once(function, "pullback.engine.primitives.plumbing", "like");
    if (PyFloat_CheckExact(value)) {  // the same of each
        static PyObject* of_float = nullptr;
        if (of_float == nullptr) of_float = checked(PyObject_CallOneArg(function, value)).release();
        return PyRef::borrow(of_float);
    }
    return checked(PyObject_CallOneArg(function, value));
}

bool requires_grad(PyObject* value) {
    if (Tensor::check(value)) {
        Tensor::cast(value)->refresh();
        return Tensor::cast(value)->requires_grad;
    }
    if (!PyList_Check(value)) return false;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(value); ++i) {
        if (requires_grad(PyList_GET_ITEM(value, i))) return true;
    }
    return false;
}

PyRef raw_attributes(const OperatorInfo& info, PyObject* attributes, bool recording) {
    if (PyDict_GET_SIZE(attributes) == 0) return PyRef::borrow(attributes);
    PyRef result = checked(PyDict_New());
    PyObject *name, *value;
    Py_ssize_t position = 0;
    while (PyDict_Next(attributes, &position, &name, &value)) {
        const PyRef plain = raw_attribute(info, name, value, recording);
        checked(PyDict_SetItem(result.get(), name, plain.get()));
    }
    return result;
}

namespace {

/// The attributes for these keywords, with defaults filled in; none where some don't fit.
PyRef all_attributes(const OperatorInfo& info, PyObject* kwargs) {
    PyRef result = checked(PyDict_New());
    Py_ssize_t used = 0;
    for (const OperatorInfo::Attribute& one : info.attributes) {
        PyObject* value = PyDict_GetItemWithError(kwargs, one.name);
        if (value == nullptr && PyErr_Occurred()) throw ErrorSet{};
        if (value != nullptr) {
            ++used;
        } else if ((value = one.value) == nullptr) {
            return {};
        }
        checked(PyDict_SetItem(result.get(), one.name, value));
    }
    return used == PyDict_GET_SIZE(kwargs) ? std::move(result) : PyRef{};
}

}  // namespace

void bind(OperatorInfo& info, PyObject* args, PyObject* kwargs, PyRef& inputs, PyRef& attributes) {
    // At once where they are its inputs in order, and keywords for the rest.
    if (PyTuple_CheckExact(args) && PyTuple_GET_SIZE(args) == info.n_inputs &&
        PyDict_CheckExact(kwargs) && (attributes = all_attributes(info, kwargs))) {
        inputs = PyRef::borrow(args);
        return;
    }
    static PyObject* bind_name = checked(PyUnicode_InternFromString("bind")).release();
    const PyRef bound =
        checked(PyObject_CallMethodObjArgs(info.object, bind_name, args, kwargs, nullptr));
    inputs = checked(PySequence_GetItem(bound.get(), 0));
    attributes = checked(PySequence_GetItem(bound.get(), 1));
}

bool is_plain(PyObject* value, int& tensors) {
    if (Tensor::check(value)) {
        ++tensors;
        return true;
    }
    if (PyList_CheckExact(value) || PyTuple_CheckExact(value)) {
        for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(value); ++i) {
            if (!is_plain(PySequence_Fast_GET_ITEM(value, i), tensors)) return false;
        }
        return true;
    }
    return PyArray_CheckExact(value) || PyFloat_CheckExact(value) || PyLong_CheckExact(value) ||
           PyBool_Check(value) || value == Py_None || PyUnicode_CheckExact(value) ||
           PyComplex_CheckExact(value) || PyArray_IsScalar(value, Generic) || PyType_Check(value) ||
           PyArray_DescrCheck(value) || PySlice_Check(value) || value == Py_Ellipsis;
}

bool is_for_tensors(std::span<PyObject* const> args, PyObject* names) {
    const std::size_t given = names == nullptr ? 0 : std::size_t(PyTuple_GET_SIZE(names));
    for (std::size_t i = 0; i < given; ++i) {
        PyObject* const name = PyTuple_GET_ITEM(names, static_cast<Py_ssize_t>(i));
        if (PyUnicode_CompareWithASCIIString(name, "out") == 0) return false;
    }
    int tensors = 0;
    const std::span<PyObject* const> all(args.data(), args.size() + given);
    return std::all_of(all.begin(), all.end(),
                       [&](PyObject* value) { return is_plain(value, tensors); }) &&
           tensors > 0;
}

namespace {

/// The argument of this name, in a place of its own or by keyword; NULL where it is not given, and
/// `used` counts the places where it is.
PyObject* given_attribute(PyObject* name, std::span<PyObject* const> extra,
                          std::span<const PyRef> positions, PyObject* names,
                          PyObject* const* values, std::size_t& used) {
    const auto is_it = [name](PyObject* other) {
        return other == name || PyUnicode_Compare(other, name) == 0;
    };
    PyObject* found = nullptr;
    for (std::size_t i = 0; i < extra.size(); ++i) {
        if (is_it(positions[i].get())) found = extra[i], ++used;
    }
    for (Py_ssize_t i = 0; names != nullptr && i < PyTuple_GET_SIZE(names); ++i) {
        if (is_it(PyTuple_GET_ITEM(names, i))) found = values[i], ++used;
    }
    return found;
}

}  // namespace

bool bind_in_order(const OperatorInfo& info, std::span<PyObject* const> args, PyObject* names,
                   std::span<const PyRef> positions, PyRef& inputs, PyRef& attributes) {
    const auto n_inputs = static_cast<std::size_t>(info.n_inputs);
    if (args.size() < n_inputs || args.size() - n_inputs > positions.size()) return false;
    const auto extra = args.subspan(n_inputs);
    const std::size_t n_names = names == nullptr ? 0 : std::size_t(PyTuple_GET_SIZE(names));
    PyObject* const* const values = args.data() + args.size();
    int tensors = 0;
    for (std::size_t i = 0; i < args.size() + n_names; ++i) {
        if (!is_plain(args.data()[i], tensors)) return false;
    }
    if (tensors == 0) return false;
    attributes = checked(PyDict_New());
    std::size_t used = 0;
    for (const OperatorInfo::Attribute& one : info.attributes) {
        PyObject* value = given_attribute(one.name, extra, positions, names, values, used);
        if (value == nullptr) value = one.value;
        if (value == nullptr) return false;
        checked(PyDict_SetItem(attributes.get(), one.name, value));
    }
    if (used != extra.size() + n_names) return false;
    inputs = checked(PyTuple_New(info.n_inputs));
    for (std::size_t i = 0; i < n_inputs; ++i) {
        PyTuple_SET_ITEM(inputs.get(), static_cast<Py_ssize_t>(i), Py_NewRef(args[i]));
    }
    return true;
}

}  // namespace pullback
