/* Operators of torch.ops that run kernels of kernel_abi.h, with one autograd node for all of them.

   A `Level` is a kernel as an operator: level 0 is a formula's forward, the next one its backward,
   and so on. A call of a level that is recorded leaves a `KernelNode`, which asks for a `Plan` per
   pattern of defined and needed gradients: a kernel, whose own call may be recorded as the next
   level, or none. Whatever no kernel takes goes to Python: a call to the operator that runs op by
   op, a backward to the emitted text of the same formula. */
#include "direct.h"
#include "operator.h"

using namespace pullback_torch;

/* What Python calls, by ctypes, with the GIL. Levels and operators live as long as the process. */
#define PB_EXPORTED extern "C" __attribute__((visibility("default")))

PB_EXPORTED void pullback_torch_runtime(const void* runtime) {
    runtime_of_process = static_cast<const pb_runtime*>(runtime);
}

/* The kernels of a formula on a GPU, whose binaries `owner` makes; nullptr, with Python's error,
   where there is no driver. */
PB_EXPORTED void* pullback_torch_module(PyObject* owner) {
    try {
        return new Module(owner);
    } catch (const std::exception& error) {
        PyErr_SetString(PyExc_RuntimeError, error.what());
        return nullptr;
    }
}

PB_EXPORTED void* pullback_torch_level(PyObject* owner, const char* name, const int64_t* words,
                                       int64_t count) {
    Reader reader(words, count);
    auto level = std::make_unique<Level>();
    level->name = name;
    level->owner = Py_NewRef(owner);
    level->kernel = reader.kernel();
    level->arguments = reader.word();
    level->results = reader.word();
    level->hidden = reader.word();
    level->positions = reader.words();
    level->differentiable = reader.words();
    for (int64_t left = reader.word(); left > 0; --left) {
        PlainPlace place{};
        place.place = static_cast<Place>(reader.word());
        place.number = reader.word();
        place.axes = reader.word();
        place.kind = static_cast<Kind>(reader.word());
        level->plain.push_back(place);
    }
    for (int64_t left = reader.word(); left > 0; --left) {
        const auto source = static_cast<Source>(reader.word());
        level->saved.push_back({source, reader.word()});
    }
    return level.release();
}

PB_EXPORTED void* pullback_torch_operator(PyObject* owner, const char* space, const char* name,
                                          const char* op_by_op, const int64_t* words,
                                          int64_t count) {
    Reader reader(words, count);
    auto op = std::make_unique<Operator>();
    op->name = name;
    op->owner = Py_NewRef(owner);
    op->ranks = reader.word() != 0;
    op->results = reader.word();
    for (const int64_t one : reader.words()) op->arguments.push_back(static_cast<Argument>(one));
    try {
        op->op_by_op = c10::Dispatcher::singleton().findSchemaOrThrow(op_by_op, "");
        const auto named = c10::Dispatcher::singleton().findSchemaOrThrow(
            (std::string(space) + "::" + name).c_str(), "");
        for (const c10::Argument& argument : named.schema().arguments()) {
            op->defaults.push_back(argument.default_value());
            op->positional += argument.kwarg_only() ? 0 : 1;
        }
        op->library = std::make_unique<torch::Library>(torch::Library::FRAGMENT, space,
                                                       std::nullopt, __FILE__, __LINE__);
        for (const auto key : {c10::DispatchKey::CPU, c10::DispatchKey::AutogradCPU,
                               c10::DispatchKey::CUDA, c10::DispatchKey::AutogradCUDA}) {
            op->library->impl(name,
                              torch::dispatch(key, torch::CppFunction::makeFromBoxedFunctor(
                                                       std::make_unique<Dispatched>(*op, key))));
        }
    } catch (const std::exception& error) {
        PyErr_SetString(PyExc_RuntimeError, error.what());
        return nullptr;
    }
    return op.release();
}

/* Takes the kernels of an operator from the dispatcher, before it is defined anew. */
PB_EXPORTED void pullback_torch_forget(void* op) { static_cast<Operator*>(op)->library.reset(); }

/* Python's type of calls of operators; one that derives from it, and whose objects it calls; and
   what such an object calls: an operator or nothing, and a function for what is no plain call. */
PB_EXPORTED PyObject* pullback_torch_direct_type() { return direct_type(); }

PB_EXPORTED void pullback_torch_calls_directly(PyObject* type) {
    calls_directly(reinterpret_cast<PyTypeObject*>(type));
}

PB_EXPORTED void pullback_torch_direct(PyObject* object, void* op, PyObject* other, int is_tuple) {
    set_direct(object, static_cast<Operator*>(op), other, is_tuple != 0);
}
