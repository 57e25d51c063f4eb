#include "python/engine_attributes.h"

#include "base/dtype.h"
#include "base/errors.h"
#include "base/numpy_api.h"

namespace pullback {
namespace {

PyRef end_of(bool given, std::int64_t end) {
    return given ? checked(PyLong_FromLongLong(end)) : PyRef::borrow(Py_None);
}

PyRef part_of(const pb_index_part& part) {
    switch (part.kind) {
        case PB_PLACE:
            return checked(PyLong_FromLongLong(part.start));
        case PB_RANGE: {
            const PyRef start = end_of(part.has_start != 0, part.start);
            const PyRef stop = end_of(part.has_stop != 0, part.stop);
            const PyRef step = checked(PyLong_FromLongLong(part.step));
            return checked(PySlice_New(start.get(), stop.get(), step.get()));
        }
        case PB_ELLIPSIS:
            return PyRef::borrow(Py_Ellipsis);
        case PB_NEW_AXIS:
            break;
    }
    return PyRef::borrow(Py_None);
}

PyRef index_of(const pb_attribute& attribute) {
    PyRef tuple = checked(PyTuple_New(static_cast<Py_ssize_t>(attribute.count)));
    for (std::size_t i = 0; i < attribute.count; ++i) {
        PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i),
                         part_of(attribute.parts[i]).release());
    }
    return tuple;
}

PyRef like_of(const pb_like& like) {
    const PyRef type = import_from("pullback.engine.primitives.plumbing", "Like");
    const PyRef shape = tuple_of({like.shape, static_cast<std::size_t>(like.ndim)});
    const PyRef dtype =
        checked(reinterpret_cast<PyObject*>(PyArray_DescrFromType(from_dlpack(like.dtype))));
    return checked(PyObject_CallFunctionObjArgs(type.get(), shape.get(), dtype.get(), nullptr));
}

PyRef value_of(const pb_attribute& attribute) {
    switch (attribute.kind) {
        case PB_TRUTH:
            return PyRef::borrow(attribute.integer != 0 ? Py_True : Py_False);
        case PB_INTEGER:
            return checked(PyLong_FromLongLong(attribute.integer));
        case PB_NUMBER:
            return checked(PyFloat_FromDouble(attribute.number));
        case PB_TEXT:
            return checked(PyUnicode_FromString(attribute.text));
        case PB_INTEGERS:
            return tuple_of({attribute.integers, attribute.count});
        case PB_INDEX:
            return index_of(attribute);
        case PB_LIKE:
            return like_of(attribute.like);
        case PB_NOTHING:
            break;
    }
    return PyRef::borrow(Py_None);
}

}  // namespace

PyRef keywords_of(std::span<const pb_attribute> attributes) {
    PyRef keywords = checked(PyDict_New());
    for (const pb_attribute& attribute : attributes) {
        const PyRef value = value_of(attribute);
        checked(PyDict_SetItemString(keywords.get(), attribute.name, value.get()));
    }
    return keywords;
}

}  // namespace pullback
