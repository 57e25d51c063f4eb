#include "pullback/engine_api.h"

#include <cstring>
#include <map>
#include <string>

#include "direct.h"
#include "engine_capsule.h"
#include "pullback/errors.h"
#include "pullback/numpy_api.h"
#include "words.h"

namespace pullback {
namespace {

PyObject* object_of(pb_value* value) { return reinterpret_cast<PyObject*>(value); }
pb_value* value_of(PyObject* object) { return reinterpret_cast<pb_value*>(object); }

/// A tensor of this engine. Throws ErrorSet for a number.
Ref<Tensor> tensor_of(pb_value* value) {
    PyObject* object = object_of(value);
    if (object == nullptr || !Tensor::check(object)) raise(PyExc_TypeError, "this is no tensor");
    return Ref<Tensor>::borrow(Tensor::cast(object));
}

std::vector<Ref<Tensor>> seed_of(pb_value* seed) {
    std::vector<Ref<Tensor>> seeds;
    seeds.push_back(seed == nullptr ? Ref<Tensor>() : tensor_of(seed));
    return seeds;
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

void keep(pb_value* value) { Py_INCREF(object_of(value)); }
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

pb_value* make(const void* data, DLDataType dtype, std::int32_t ndim, const std::int64_t* shape,
               int requires_grad) {
    return value_of(to_python([&] {
        const DType number = from_dlpack(dtype);
        if (number < 0) raise(PyExc_TypeError, "no tensor holds such elements");
        Ref<Tensor> tensor = Tensor::allocate(Layout::c_order(number, ndim, shape));
        const auto bytes = static_cast<std::size_t>(tensor->layout.size()) * item_size(number);
        if (bytes > 0) std::memcpy(tensor->data, data, bytes);
        if (requires_grad != 0) tensor->set_requires_grad(true);
        return tensor.release_object();
    }));
}

pb_value* number(double value) { return value_of(PyFloat_FromDouble(value)); }

int view(pb_value* value, DLTensor* result) {
    return status_of([&] {
        const Ref<Tensor> tensor = tensor_of(value);
        const Layout& layout = tensor->layout;
        *result = {tensor->data,
                   {kDLCPU, 0},
                   layout.ndim(),
                   to_dlpack(layout.dtype()),
                   const_cast<std::int64_t*>(layout.shape()),
                   const_cast<std::int64_t*>(layout.strides()),
                   0};
        return 0;
    });
}

/// A word, and its name for the way through Python.
struct NamedWord {
    explicit NamedWord(const char* text) : name(text), word(name.c_str()) {}
    std::string name;
    Word word;
};

pb_word* find_word(const char* name) {
    static auto* words = new std::map<std::string, NamedWord>;
    const auto known = words->find(name);
    if (known != words->end()) return reinterpret_cast<pb_word*>(&known->second);
    try {
        const PyRef table = import_from("pullback.transpile.vocabulary", "WORDS");
        if (PyMapping_HasKeyString(table.get(), name) == 0) {
            raise(PyExc_KeyError, std::string("there is no word ") + name);
        }
        return reinterpret_cast<pb_word*>(&words->try_emplace(name, name).first->second);
    } catch (const ErrorSet&) {
        return nullptr;
    }
}

pb_value* call(pb_word* handle, pb_value* const* arguments, std::size_t count) {
    auto& named = *reinterpret_cast<NamedWord*>(handle);
    PyObject* const* objects = reinterpret_cast<PyObject* const*>(arguments);
    return value_of(to_python([&]() -> PyObject* {
        if (OperatorInfo* info = named.word.info()) {
            if (PyObject* result = call_directly(*info, {objects, count})) return result;
        }
        static PyObject* python = import_from("pullback.engine.call", "call").release();
        const PyRef name = checked(PyUnicode_FromString(named.name.c_str()));
        std::vector<PyObject*> stack = {name.get()};
        stack.insert(stack.end(), objects, objects + count);
        return PyObject_Vectorcall(python, stack.data(), stack.size(), nullptr);
    }));
}

/// What `pb.grad` checks before it asks the engine.
void check_output(const Tensor& output, pb_value* seed) {
    if (!output.requires_grad) {
        raise("NotDifferentiableError", "this output doesn't require grad");
    }
    if (seed == nullptr && output.layout.size() != 1) {
        raise("GradientShapeError", "an output of shape " + output.layout.shape_text() +
                                        " needs a gradient to go back from");
    }
    if (seed != nullptr && !tensor_of(seed)->layout.same_shape(output.layout)) {
        raise("GradientShapeError", "the output has shape " + output.layout.shape_text() +
                                        ", its gradient " + tensor_of(seed)->layout.shape_text());
    }
}

int backward(pb_value* output, pb_value* seed, int retain_graph) {
    return status_of([&] {
        BackwardRequest request;
        request.outputs.push_back(tensor_of(output));
        check_output(*request.outputs[0], seed);
        request.seeds = seed_of(seed);
        request.all_leaves = request.accumulate = request.allow_unused = true;
        request.retain_graph = retain_graph != 0;
        run_backward(request);
        return 0;
    });
}

int gradients(pb_value* output, pb_value* seed, pb_value* const* inputs, std::size_t count,
              int retain_graph, int create_graph, pb_value** result) {
    return status_of([&] {
        BackwardRequest request;
        request.outputs.push_back(tensor_of(output));
        check_output(*request.outputs[0], seed);
        request.seeds = seed_of(seed);
        for (std::size_t i = 0; i < count; ++i) {
            request.inputs.push_back(tensor_of(inputs[i]));
            if (!request.inputs[i]->requires_grad) {
                raise("NotDifferentiableError",
                      "input " + std::to_string(i) + " doesn't require grad");
            }
        }
        request.create_graph = create_graph != 0;
        request.retain_graph = retain_graph != 0 || request.create_graph;
        std::vector<Ref<Tensor>> found = run_backward(request);
        for (std::size_t i = 0; i < count; ++i) result[i] = value_of(found[i].release_object());
        return 0;
    });
}

pb_value* grad(pb_value* value) {
    return value_of(
        to_python([&] { return Ref<Tensor>(tensor_of(value)->grad).release_object(); }));
}

int clear_grad(pb_value* value) {
    return status_of([&] {
        tensor_of(value)->grad = nullptr;
        return 0;
    });
}

int set_grad_enabled(int enabled) {
    return status_of([&] {
        static PyObject* variable = import_from("pullback.engine.grad_mode", "ENABLED").release();
        const bool before = grad_enabled();
        checked(PyContextVar_Set(variable, enabled != 0 ? Py_True : Py_False));
        return static_cast<int>(before);
    });
}

int step(pb_value* value, pb_value* gradient, double rate) {
    return status_of([&] {
        const GradModeGuard mode(false);
        const PyRef size = checked(PyFloat_FromDouble(rate));
        const PyRef change = checked(PyNumber_Multiply(object_of(gradient), size.get()));
        checked(PyNumber_InPlaceSubtract(object_of(value), change.get()));
        return 0;
    });
}

constexpr pb_engine_api kTable = {
    PB_ENGINE_API, keep,     release,   error, make,       number,           view, find_word,
    call,          backward, gradients, grad,  clear_grad, set_grad_enabled, step,
};

}  // namespace

PyRef engine_capsule() {
    return checked(
        PyCapsule_New(const_cast<pb_engine_api*>(&kTable), PB_ENGINE_API_CAPSULE, nullptr));
}

}  // namespace pullback
