#include "core/attribute_forms.h"

#include <algorithm>

#include "base/errors.h"

namespace pullback {
namespace {

constexpr const char* kKernelsModule = "pullback.engine.native.kernels";

/// None, a bool or an int as a number that no other of these has; false for anything else.
bool code_of(PyObject* value, std::int64_t& code) {
    if (PyLong_CheckExact(value)) {
        int overflow = 0;
        code = PyLong_AsLongLongAndOverflow(value, &overflow);
        return overflow == 0 && code > INT64_MIN + 2;
    }
    code = INT64_MIN + (value == Py_None ? 0 : value == Py_False ? 1 : 2);
    return value == Py_None || PyBool_Check(value);
}

/// An axis as the forms have it: the last is -1, others are counted from the first.
bool code_of_axis(PyObject* value, int ndim, std::int64_t& code) {
    if (!code_of(value, code) || PyBool_Check(value)) return false;
    if (value == Py_None) return true;
    if (code < -ndim || code >= ndim) return false;
    if (code < 0) code += ndim;
    if (code == ndim - 1) code = -1;
    return true;
}

/// False where one of the values has no code.
bool codes_of(PyObject* values, AttributeForm::Values& codes) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(values); ++i) {
        if (!code_of(PyTuple_GET_ITEM(values, i), codes[static_cast<std::size_t>(i)])) return false;
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
        const bool coded = place == axis ? code_of_axis(given[i], ndim, values[place])
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
