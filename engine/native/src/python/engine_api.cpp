#include "pullback/engine_api.h"

#include <cstring>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/errors.h"
#include "base/numpy_api.h"
#include "core/grad_mode.h"
#include "fast_paths/named_operator.h"
#include "fast_paths/small_pointwise.h"
#include "python/engine_attributes.h"
#include "python/engine_capsule.h"

namespace pullback {
namespace {

// A value is a tensor of either engine, an array, or a number. What a function says of this
// engine's tensors it finds out without Python.
PyObject* object_of(pb_value* value) { return reinterpret_cast<PyObject*>(value); }
pb_value* value_of(PyObject* object) { return reinterpret_cast<pb_value*>(object); }

/// A tensor of this engine. Throws ErrorSet for anything else.
Ref<Tensor> tensor_of(pb_value* value) {
    PyObject* object = object_of(value);
    if (object == nullptr || !Tensor::check(object))
        raise(PyExc_TypeError, "a tensor was expected, and this is none");
    return Ref<Tensor>::borrow(Tensor::cast(object));
}

bool is_tensor(PyObject* object) {
    return Tensor::check(object) || PyObject_HasAttrString(object, "requires_grad") != 0;
}

/// The status of a function that has no value.
template <typename Body>
int status_of(Body&& body) {
    try {
        return body();
    } catch (const ErrorSet&) {
        return -1;
    }
}

void retain(pb_value* value) { Py_INCREF(object_of(value)); }
void release(pb_value* value) { Py_DECREF(object_of(value)); }

const char* error() {
    static std::string text;
    PyObject *kind = nullptr, *raised = nullptr, *trace = nullptr;
    PyErr_Fetch(&kind, &raised, &trace);
    PyErr_NormalizeException(&kind, &raised, &trace);
    const PyRef type = PyRef::steal(kind), what = PyRef::steal(raised), where = PyRef::steal(trace);
    if (!type) return "";
    try {
        text = reinterpret_cast<PyTypeObject*>(type.get())->tp_name;
        const std::size_t dot = text.rfind('.');
        if (dot != std::string::npos) text.erase(0, dot + 1);
        text += ": " + text_of(what.get());
    } catch (const ErrorSet&) {
        PyErr_Clear();
    }
    return text.c_str();
}

/// An array, which meets tensors of either engine.
pb_value* make(const void* data, DLDataType dtype, std::int32_t ndim, const std::int64_t* shape) {
    return value_of(to_python([&] {
        const DType number = from_dlpack(dtype);
        if (number < 0) raise(PyExc_TypeError, "no tensor holds such elements");
        const Ref<Tensor> tensor = Tensor::allocate(Layout::c_order(number, ndim, shape));
        const auto bytes = static_cast<std::size_t>(tensor->layout.size()) * item_size(number);
        if (data != nullptr && bytes > 0) std::memcpy(tensor->data(), data, bytes);
        return Py_NewRef(tensor->array());
    }));
}

pb_value* number(double value) { return value_of(PyFloat_FromDouble(value)); }

/// An array's memory: in C order, as what calls a library's functions has it.
int view_array(PyArrayObject* array, DLTensor* result) {
    if (!PyArray_IS_C_CONTIGUOUS(array) || !PyArray_ISBEHAVED_RO(array)) {
        raise(PyExc_ValueError, "the memory of an array that is not in C order");
    }
    *result = {PyArray_DATA(array),
               {kDLCPU, 0},
               PyArray_NDIM(array),
               to_dlpack(static_cast<DType>(PyArray_TYPE(array))),
               PyArray_DIMS(array),
               nullptr,
               0};
    return 0;
}

int view(pb_value* value, DLTensor* result) {
    return status_of([&] {
        PyObject* object = object_of(value);
        if (PyArray_Check(object)) {
            return view_array(reinterpret_cast<PyArrayObject*>(object), result);
        }
        if (!Tensor::check(object) && is_tensor(object)) {
            const PyRef array = attribute(object, "_array");
            return view_array(reinterpret_cast<PyArrayObject*>(array.get()), result);
        }
        const Ref<Tensor> tensor = tensor_of(value);
        const Layout& layout = tensor->layout;
        *result = {tensor->data(),
                   {kDLCPU, 0},
                   layout.ndim(),
                   to_dlpack(layout.dtype()),
                   const_cast<std::int64_t*>(layout.shape()),
                   const_cast<std::int64_t*>(layout.strides()),
                   0};
        return 0;
    });
}

int requires_grad(pb_value* value) {
    return status_of([&] {
        PyObject* object = object_of(value);
        if (Tensor::check(object)) return static_cast<int>(Tensor::cast(object)->requires_grad);
        if (!is_tensor(object)) return 0;
        return checked(PyObject_IsTrue(attribute(object, "requires_grad").get()));
    });
}

pb_value* detach(pb_value* value) {
    PyObject* object = object_of(value);
    if (!is_tensor(object)) return value_of(Py_NewRef(object));
    return value_of(PyObject_CallMethod(object, "detach", nullptr));
}

/// An operator, and how it is called through Python.
struct ApiOperator {
    explicit ApiOperator(const char* text) : name(text), op(name.c_str()) {}
    std::string name;
    NamedOperator op;
    bool variadic = false;  // its tensors are one list
    PyRef defined;          // what a library's own operator calls
};

pb_function* find(const char* name) {
    static auto* operators = new std::map<std::string, ApiOperator>;
    const auto known = operators->find(name);
    if (known != operators->end()) return reinterpret_cast<pb_function*>(&known->second);
    try {
        const PyRef table = import_from("pullback.transpile.operators", "OPERATORS");
        if (PyMapping_HasKeyString(table.get(), name) == 0) {
            raise(PyExc_KeyError, std::string("there is no operator ") + name);
        }
        const PyRef entry = checked(PyMapping_GetItemString(table.get(), name));
        const bool variadic =
            checked(PyObject_IsTrue(attribute(entry.get(), "variadic").get())) != 0;
        ApiOperator& made = operators->try_emplace(name, name).first->second;
        made.variadic = variadic;
        return reinterpret_cast<pb_function*>(&made);
    } catch (const ErrorSet&) {
        return nullptr;
    }
}

pb_function* define(const pb_operator* definition) {
    static auto* defined = new std::vector<std::unique_ptr<ApiOperator>>;
    try {
        const PyRef make_operator = import_from("pullback.engine.formula.loaded", "define");
        PyRef operation = checked(PyObject_CallFunction(
            make_operator.get(), "K", reinterpret_cast<unsigned long long>(definition)));
        ApiOperator& made = *defined->emplace_back(new ApiOperator(definition->name));
        made.defined = std::move(operation);
        return reinterpret_cast<pb_function*>(&made);
    } catch (const ErrorSet&) {
        return nullptr;
    }
}

/// The result of a call through Python, whatever the operator.
PyRef call_python(const ApiOperator& named, std::span<PyObject* const> arguments,
                  std::span<const pb_attribute> attributes) {
    static PyObject* python = nullptr;
    import_once(python, "pullback.engine.formula.loaded", "call_operator");
    const bool own = static_cast<bool>(named.defined);
    const PyRef tensors = checked(PyList_New(0));
    for (PyObject* argument : arguments) {
        checked(PyList_Append(tensors.get(), argument == nullptr ? Py_None : argument));
    }
    const PyRef positional = checked(PyList_New(0));
    if (!own) {
        const PyRef name = checked(PyUnicode_FromString(named.name.c_str()));
        checked(PyList_Append(positional.get(), name.get()));
    }
    if (named.variadic) {
        checked(PyList_Append(positional.get(), tensors.get()));
    } else {
        const Py_ssize_t end = PyList_GET_SIZE(positional.get());
        checked(PyList_SetSlice(positional.get(), end, end, tensors.get()));
    }
    const PyRef args = checked(PySequence_Tuple(positional.get()));
    const PyRef keywords = keywords_of(attributes);
    PyRef result =
        checked(PyObject_Call(own ? named.defined.get() : python, args.get(), keywords.get()));
    if (!PyArray_CheckScalar(result.get()) || PyArray_Check(result.get())) return result;
    return checked(PyArray_FromScalar(result.get(), nullptr));  // a scalar of NumPy's
}

/// Any call, through Python.
[[gnu::noinline]] int call_generally(ApiOperator& named, pb_value* const* arguments,
                                     std::size_t count, const pb_attribute* attributes,
                                     std::size_t n_attributes, pb_value** results,
                                     std::size_t n_results) {
    return status_of([&] {
        const std::span objects(reinterpret_cast<PyObject* const*>(arguments), count);
        PyRef result = call_python(named, objects, {attributes, n_attributes});
        if (n_results == 1 && !PyTuple_Check(result.get())) {
            results[0] = value_of(result.release());
            return 0;
        }
        const bool several = PyTuple_Check(result.get());
        const auto given = several ? static_cast<std::size_t>(PyTuple_GET_SIZE(result.get())) : 1;
        if (!several || given != n_results) {
            raise(PyExc_TypeError, named.name + " gives " + std::to_string(given) +
                                       " results, not " + std::to_string(n_results));
        }
        for (std::size_t i = 0; i < n_results; ++i) {
            PyObject* item = PyTuple_GET_ITEM(result.get(), static_cast<Py_ssize_t>(i));
            results[i] = value_of(Py_NewRef(item));
        }
        return 0;
    });
}

int call(pb_function* handle, pb_value* const* arguments, std::size_t count,
         const pb_attribute* attributes, std::size_t n_attributes, pb_value** results,
         std::size_t n_results) {
    auto& named = *reinterpret_cast<ApiOperator*>(handle);
    if (!named.defined && !named.variadic && n_attributes == 0 && n_results == 1) [[likely]] {
        try {
            OperatorInfo* const info = named.op.info();
            PyObject* const result =
                info == nullptr
                    ? nullptr
                    : call_small_pointwise(*info,
                                           {reinterpret_cast<PyObject* const*>(arguments), count});
            if (result != nullptr) [[likely]] {
                results[0] = value_of(result);
                return 0;
            }
        } catch (const ErrorSet&) {
            return -1;
        }
    }
    return call_generally(named, arguments, count, attributes, n_attributes, results, n_results);
}

int is_grad_enabled() {
    return status_of([] { return static_cast<int>(grad_enabled()); });
}

int set_grad_enabled(int enabled) {
    return status_of([&] {
        static PyObject* variable = nullptr;
        import_once(variable, "pullback.engine.core.grad_mode", "ENABLED");
        const bool before = grad_enabled();
        checked(PyContextVar_Set(variable, enabled != 0 ? Py_True : Py_False));
        return static_cast<int>(before);
    });
}

constexpr pb_engine_api kTable = {
    PB_ENGINE_API, retain, release, error,  make, number,          view,
    requires_grad, detach, find,    define, call, is_grad_enabled, set_grad_enabled,
};

}  // namespace

PyRef engine_capsule() {
    return checked(
        PyCapsule_New(const_cast<pb_engine_api*>(&kTable), PB_ENGINE_API_CAPSULE, nullptr));
}

}  // namespace pullback
