#include "dispatch/named_values.h"

#include "base/errors.h"
#include "base/numpy_api.h"
#include "dispatch/arguments.h"

namespace pullback {
namespace {

/// Of a list, those of each.
PyRef likes(PyObject* input) {
    if (!PyList_Check(input)) return like(input);
    const PyRef all = checked(PyTuple_New(PyList_GET_SIZE(input)));
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(input); ++i) {
        PyTuple_SET_ITEM(all.get(), i, like(PyList_GET_ITEM(input, i)).release());
    }
    return all;
}

}  // namespace

PyRef named_value(std::string_view name, PyObject* input, const Attributes& attributes) {
    constexpr std::string_view kIsNone = "_is_none";
    if (PyObject* const value = attributes[name]) {
        // What a caller may change is kept as it is now.
        return PyList_CheckExact(value) ? checked(PySequence_Tuple(value)) : PyRef::borrow(value);
    }
    if (name.starts_with("like_") || name.ends_with("_like")) return likes(input);
    if (name.ends_with(kIsNone)) {
        PyObject* const value = attributes[name.substr(0, name.size() - kIsNone.size())];
        return PyRef::borrow(value == nullptr ? nullptr : value == Py_None ? Py_True : Py_False);
    }
    if (!Tensor::check(input)) return {};
    const Layout& layout = Tensor::cast(input)->layout;
    if (name.ends_with("_shape")) return tuple_of(layout.extents());
    if (name.ends_with("_ndim")) return checked(PyLong_FromLong(layout.ndim()));
    return {};
}

PyRef named_values(const OperatorInfo& info, PyObject* input, const Attributes& attributes) {
    const Py_ssize_t count = info.n_outputs() + info.n_plain;
    const PyRef values = checked(PyTuple_New(count));
    for (Py_ssize_t i = 0; i < count; ++i) PyTuple_SET_ITEM(values.get(), i, Py_NewRef(Py_None));
    for (const SavedEntry& entry : info.saved) {
        if (entry.source != SavedSource::plain) continue;
        PyRef value = named_value(entry.name, input, attributes);
        if (!value) return {};
        checked(PyTuple_SetItem(values.get(), info.n_outputs() + entry.index, value.release()));
    }
    return values;
}

}  // namespace pullback
