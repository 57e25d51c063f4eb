#include "core/attribute_forms.h"

#include <algorithm>

#include "base/errors.h"
#include "base/numpy_api.h"

namespace pullback {
namespace {

constexpr const char* kKernelsModule = "pullback.engine.native.kernels";
constexpr std::int64_t kPair = INT64_MIN + 3, kEnds = INT64_MIN + 4;  // of two axes
constexpr int kMostAxes = NPY_MAXDIMS;  // of patterns, which are for any number of axes

/// None, a bool or an int as a number that no other of these has; false for anything else.
bool code_of(PyObject* value, std::int64_t& code) {
    if (PyLong_CheckExact(value)) {
        int overflow = 0;
        code = PyLong_AsLongLongAndOverflow(value, &overflow);
        return overflow == 0 && code > kEnds;
    }
    code = INT64_MIN + (value == Py_None ? 0 : value == Py_False ? 1 : 2);
    return value == Py_None || PyBool_Check(value);
}

/// An axis as the forms have it: the last is -1, the one before it -2 unless it is the first,
/// others are counted from the first.
bool code_of_axis(PyObject* value, int ndim, std::int64_t& code) {
    if (!code_of(value, code) || PyBool_Check(value)) return false;
    if (value == Py_None) return true;
    if (code < -ndim || code >= ndim) return false;
    if (code < 0) code += ndim;
    if (code > 0 && code >= ndim - 2) code -= ndim;
    if (code == ndim - 1) code = -1;
    return true;
}

/// Two axes, the first or the one before the last with the last, as codes that no axis has.
bool code_of_pair(PyObject* value, int ndim, std::int64_t& code) {
    std::int64_t first = 0, last = 0;
    if (PyTuple_GET_SIZE(value) != 2) return false;
    if (!code_of_axis(PyTuple_GET_ITEM(value, 0), ndim, first)) return false;
    if (!code_of_axis(PyTuple_GET_ITEM(value, 1), ndim, last)) return false;
    code = first == 0 ? kEnds : kPair;
    return last == -1 && (first == 0 || first == -2);
}

bool code_of_axes(PyObject* value, int ndim, std::int64_t& code) {
    return (PyTuple_CheckExact(value) ? code_of_pair : code_of_axis)(value, ndim, code);
}

/// False where one of the values has no code.
bool codes_of(PyObject* values, AttributeForm::Values& codes) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(values); ++i) {
        PyObject* const value = PyTuple_GET_ITEM(values, i);
        const auto place = static_cast<std::size_t>(i);
        const bool coded = PyTuple_CheckExact(value) ? code_of_pair(value, kMostAxes, codes[place])
                                                     : code_of(value, codes[place]);
        if (!coded) return false;
    }
    return true;
}

}  // namespace

std::unique_ptr<AttributeForms> AttributeForms::of(const OperatorInfo& info) {
    if (!info.has_attributes || info.n_inputs != 1) return nullptr;
    const PyRef ask = import_from(kKernelsModule, "attribute_forms");
    const PyRef found = checked(PyObject_CallOneArg(ask.get(), info.object));
    if (found.get() == Py_None) return nullptr;
    auto made = std::make_unique<AttributeForms>();
    const PyRef names = checked(PySequence_Tuple(attribute(found.get(), "names").get()));
    if (PyTuple_GET_SIZE(names.get()) > static_cast<Py_ssize_t>(AttributeForm::kMost))
        return nullptr;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(names.get()); ++i) {
        const std::string name = text_of(PyTuple_GET_ITEM(names.get(), i));
        if (name == "axis") made->axis = static_cast<std::size_t>(i);
        made->names.push_back(checked(PyUnicode_InternFromString(name.c_str())));
    }
    const PyRef defaults = attribute(found.get(), "defaults");
    if (!codes_of(defaults.get(), made->defaults)) return nullptr;
    const PyRef values = attribute(found.get(), "values");
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(values.get()); ++i) {
        if (!codes_of(PyTuple_GET_ITEM(values.get(), i), made->forms.emplace_back().values))
            return nullptr;
    }
    return made;
}

AttributeForm* AttributeForms::find(int ndim, std::span<PyObject* const> keywords,
                                    PyObject* const* given) {
    AttributeForm::Values values = defaults;
    for (std::size_t i = 0; i < keywords.size(); ++i) {
        std::size_t place = 0;
        while (place < names.size() && names[place].get() != keywords[i]) ++place;
        if (place == names.size()) return nullptr;
        const bool coded = place == axis ? code_of_axes(given[i], ndim, values[place])
                                         : code_of(given[i], values[place]);
        if (!coded) return nullptr;
    }
    const auto found = std::find_if(forms.begin(), forms.end(), [&](const AttributeForm& form) {
        return form.values == values;
    });
    return found == forms.end() ? nullptr : &*found;
}

OperatorInfo* OperatorInfo::known_form(AttributeForm& form) {
    if (!form.known) {
        const PyRef make = import_from(kKernelsModule, "attribute_form");
        const PyRef index = checked(PyLong_FromSsize_t(&form - forms->forms.data()));
        PyRef made =
            checked(PyObject_CallFunctionObjArgs(make.get(), object, index.get(), nullptr));
        if (made.get() != Py_None) form.info = &of(own(std::move(made)));
        form.known = true;
    }
    return form.info;
}

}  // namespace pullback
