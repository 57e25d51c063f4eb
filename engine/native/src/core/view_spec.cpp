#include "core/view_spec.h"

#include <span>

#include "base/errors.h"

namespace pullback {
namespace {

/// One part of a basic index that picks or passes an axis; false where it is no such part.
bool pick(ViewSpec& spec, PyObject* part, std::int64_t length, std::int64_t stride) {
    if (PyLong_CheckExact(part)) {
        const Py_ssize_t given = PyLong_AsSsize_t(part);
        if (given == -1 && PyErr_Occurred()) {
            PyErr_Clear();
            return false;
        }
        const std::int64_t position = given < 0 ? given + length : given;
        if (position < 0 || position >= length) return false;
        spec.data += position * stride * spec.item;
        return true;
    }
    if (!PySlice_Check(part)) return false;
    Py_ssize_t start = 0, stop = 0, step = 0;
    if (PySlice_Unpack(part, &start, &stop, &step) < 0) {
        PyErr_Clear();
        return false;
    }
    const Py_ssize_t count = PySlice_AdjustIndices(length, &start, &stop, step);
    if (count > 0) spec.data += start * stride * spec.item;
    return spec.add(count, stride * step);
}

}  // namespace

bool apply_index(ViewSpec& spec, PyObject* index) {
    const bool several = PyTuple_CheckExact(index);
    const std::span<PyObject* const> parts(several ? &PyTuple_GET_ITEM(index, 0) : &index,
                                           several ? std::size_t(PyTuple_GET_SIZE(index)) : 1);
    const ViewSpec source = spec;
    int picking = 0;
    int ellipses = 0;
    for (PyObject* part : parts) {
        picking += part != Py_None && part != Py_Ellipsis;
        ellipses += part == Py_Ellipsis;
    }
    if (ellipses > 1 || picking > source.ndim) return false;
    spec.ndim = 0;
    int axis = 0;
    for (PyObject* part : parts) {
        if (part == Py_None) {
            if (!spec.add(1, 0)) return false;
        } else if (part == Py_Ellipsis) {
            for (int taken = source.ndim - picking; taken > 0; --taken, ++axis) {
                if (!spec.add(source.shape[axis], source.strides[axis])) return false;
            }
        } else {
            if (!pick(spec, part, source.shape[axis], source.strides[axis])) return false;
            ++axis;
        }
    }
    for (; axis < source.ndim; ++axis) {
        if (!spec.add(source.shape[axis], source.strides[axis])) return false;
    }
    spec.single = spec.ndim == 0 && ellipses == 0;
    return true;
}

Attributes::Attributes(PyObject* dict) {
    PyObject *name, *value;
    Py_ssize_t position = 0;
    if (PyDict_GET_SIZE(dict) > static_cast<Py_ssize_t>(kMost)) return;
    while (PyDict_Next(dict, &position, &name, &value)) {
        Py_ssize_t size = 0;
        const char* const text = PyUnicode_AsUTF8AndSize(name, &size);
        if (text == nullptr) throw ErrorSet{};
        named_[count_++] = {{text, static_cast<std::size_t>(size)}, value};
    }
}

int whole_numbers(PyObject* sequence, std::int64_t* numbers) {
    if (sequence == nullptr) return -1;
    if (!PyTuple_CheckExact(sequence) && !PyList_CheckExact(sequence)) return -1;
    const Py_ssize_t count = PySequence_Fast_GET_SIZE(sequence);
    if (count > ViewSpec::kMost) return -1;
    for (Py_ssize_t i = 0; i < count; ++i) {
        PyObject* item = PySequence_Fast_GET_ITEM(sequence, i);
        if (!PyLong_CheckExact(item)) return -1;
        int overflow = 0;
        numbers[i] = PyLong_AsLongLongAndOverflow(item, &overflow);
        if (overflow != 0) return -1;
    }
    return static_cast<int>(count);
}

int one_or_more(PyObject* value, std::int64_t* numbers) {
    if (value == nullptr || !PyLong_CheckExact(value)) return whole_numbers(value, numbers);
    int overflow = 0;
    numbers[0] = PyLong_AsLongLongAndOverflow(value, &overflow);
    return overflow == 0 ? 1 : -1;
}

}  // namespace pullback
