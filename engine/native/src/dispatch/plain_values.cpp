#include "dispatch/plain_values.h"

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

PyRef plain_value(const SavedEntry& entry, PyObject* input, const Attributes& attributes) {
    if (entry.rule == PlainRule::attribute || entry.rule == PlainRule::is_none) {
        PyObject* const value = attributes[entry.of];
        if (value == nullptr) return {};
        if (entry.rule == PlainRule::is_none) {
            return PyRef::borrow(value == Py_None ? Py_True : Py_False);
        }
        // What a caller may change is saved as it is now.
        return PyList_CheckExact(value) ? checked(PySequence_Tuple(value)) : PyRef::borrow(value);
    }
    if (entry.rule == PlainRule::like) return likes(input);
    if (!Tensor::check(input)) return {};
    const Layout& layout = Tensor::cast(input)->layout;
    if (entry.rule == PlainRule::shape) return tuple_of(layout.extents());
    if (entry.rule == PlainRule::ndim) return checked(PyLong_FromLong(layout.ndim()));
    return {};
}

PyRef plain_values(const OperatorInfo& info, PyObject* input, const Attributes& attributes) {
    const Py_ssize_t count = info.n_outputs() + info.n_plain;
    const PyRef values = checked(PyTuple_New(count));
    for (Py_ssize_t i = 0; i < count; ++i) PyTuple_SET_ITEM(values.get(), i, Py_NewRef(Py_None));
    for (const SavedEntry& entry : info.saved) {
        if (entry.source != SavedSource::plain) continue;
        PyRef value = plain_value(entry, input, attributes);
        if (!value) return {};
        checked(PyTuple_SetItem(values.get(), info.n_outputs() + entry.index, value.release()));
    }
    return values;
}

}  // namespace pullback
