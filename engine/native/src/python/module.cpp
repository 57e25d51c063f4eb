// The module `_native`: what `pullback.engine.native` offers, in terms of the engine.
#define PULLBACK_IMPORTS_NUMPY
#include <dlfcn.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "backward/start_backward.h"
#include "base/allocator.h"
#include "base/errors.h"
#include "base/numpy_api.h"
#include "base/switches.h"
#include "core/node.h"
#include "dispatch/apply.h"
#include "dispatch/builtin_kernels.h"
#include "fast_paths/named_operator.h"
#include "python/direct_call.h"
#include "python/engine_capsule.h"
#include "runtime/blas.h"
#include "runtime/services.h"
#include "runtime/workers.h"
#include "sources.h"  // written by the build

namespace nb = nanobind;

namespace pullback {
namespace {

/// Runs body; nanobind hands Python's error on.
template <typename Body>
nb::object guarded(Body&& body) {
    try {
        return nb::steal(body().release());
    } catch (const ErrorSet&) {
        throw nb::python_error();
    }
}

/// The tensors of a sequence, with None as none. Throws ErrorSet for anything else.
std::vector<Ref<Tensor>> tensors_of(nb::handle sequence) {
    const PyRef items = checked(PySequence_Tuple(sequence.ptr()));
    std::vector<Ref<Tensor>> tensors;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(items.get()); ++i) {
        PyObject* item = PyTuple_GET_ITEM(items.get(), i);
        if (item != Py_None && !Tensor::check(item)) {
            raise(PyExc_TypeError, std::string("expected tensors of the native engine, got ") +
                                       Py_TYPE(item)->tp_name);
        }
        tensors.push_back(item == Py_None ? Ref<Tensor>()
                                          : Ref<Tensor>::borrow(Tensor::cast(item)));
    }
    return tensors;
}

void set_fast_path(const std::string& name, bool on) {
    const auto found = std::find(kFastPaths.begin(), kFastPaths.end(), name);
    if (found == kFastPaths.end()) throw nb::value_error(("no fast path " + name).c_str());
    switches.set_fast_path(static_cast<std::size_t>(found - kFastPaths.begin()), on);
}

nb::object allocate_like(nb::handle array) {
    return guarded([&] {
        PyArrayObject* like = as_array(array.ptr());
        const auto dtype = static_cast<DType>(PyArray_TYPE(like));
        const Ref<Tensor> memory =
            Tensor::allocate(Layout::c_order(dtype, PyArray_NDIM(like), PyArray_DIMS(like)));
        return PyRef::borrow(memory->array());
    });
}

nb::object leaf(nb::handle array, bool requires_grad, nb::handle name) {
    return guarded([&] {
        Ref<Tensor> tensor = Tensor::of_array(PyRef::borrow(array.ptr()));
        if (!name.is_none()) tensor->more().name = PyRef::borrow(name.ptr());
        if (requires_grad) tensor->set_requires_grad(true);
        return PyRef::steal(tensor.release_object());
    });
}

nb::object apply_operator(nb::handle operator_object, nb::handle args, nb::handle kwargs) {
    return guarded([&] { return apply(operator_object.ptr(), args.ptr(), kwargs.ptr()); });
}

nb::object call_on_arrays(nb::handle operator_object, nb::handle inputs, nb::handle attributes) {
    return guarded(
        [&] { return result_on_arrays(operator_object.ptr(), inputs.ptr(), attributes.ptr()); });
}

nb::object backward(nb::handle outputs, nb::handle seeds, nb::handle inputs, bool retain_graph,
                    bool create_graph, bool allow_unused, bool accumulate) {
    return guarded([&] {
        BackwardRequest request;
        request.outputs = tensors_of(outputs);
        request.seeds = tensors_of(seeds);
        request.all_leaves = inputs.is_none();
        if (!request.all_leaves) request.inputs = tensors_of(inputs);
        request.retain_graph = retain_graph;
        request.create_graph = create_graph;
        request.allow_unused = allow_unused;
        request.accumulate = accumulate;
        return tuple_of(run_backward(request));
    });
}

nb::object start(nb::handle outputs, nb::handle seeds, nb::handle inputs, bool retain_graph,
                 bool create_graph, bool allow_unused, bool accumulate) {
    return guarded([&] {
        return start_backward(outputs.ptr(), seeds.ptr(), inputs.ptr(),
                              {retain_graph, create_graph, allow_unused, accumulate});
    });
}

/// The highest level of x86-64 (psABI) that this processor is of, or nothing.
const char* processor_level() {
#if defined(__x86_64__) && defined(__GNUC__)
    __builtin_cpu_init();
    const bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                    __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
    const bool v4 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                    __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                    __builtin_cpu_supports("avx512vl");
    return v3 && v4 ? "x86-64-v4" : v3 ? "x86-64-v3" : "x86-64";
#else
    return "";
#endif
}

/// The kernels of a library beside the module, which stays loaded; none where it is not one of
/// ours.
std::span<const BuiltinFormula> kernels_in(const std::string& path) {
    void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) return {};
    using BuiltFrom = const char* (*)();
    using Kernels = const BuiltinFormula* (*)(std::size_t*);
    const auto built_from =
        reinterpret_cast<BuiltFrom>(dlsym(library, "pullback_kernels_built_from"));
    const auto kernels = reinterpret_cast<Kernels>(dlsym(library, "pullback_kernels"));
    if (!built_from || !kernels || std::string(built_from()) != PULLBACK_SOURCES) return {};
    std::size_t count = 0;
    const BuiltinFormula* formulas = kernels(&count);
    return {formulas, count};
}

nb::dict builtin_kernels(const std::string& path) {
    nb::dict formulas;
    for (const BuiltinFormula& formula : path.empty() ? builtin_formulas() : kernels_in(path)) {
        nb::dict addresses;
        for (const BuiltinKernel& kernel : formula.kernels) {
            addresses[kernel.name] = nb::make_tuple(reinterpret_cast<std::uintptr_t>(kernel.infer),
                                                    reinterpret_cast<std::uintptr_t>(kernel.run),
                                                    reinterpret_cast<std::uintptr_t>(kernel.flat));
        }
        formulas[formula.name] = nb::make_tuple(formula.digest, addresses);
    }
    return formulas;
}

bool import_numpy() {
    import_array1(false);
    return true;
}

}  // namespace
}  // namespace pullback

NB_MODULE(_native, m) {
    using namespace pullback;
    if (!import_numpy()) throw nb::python_error();
    PyTypeObject* direct_call = nullptr;
    try {
        find_collector();
        direct_call = define_direct_call_type();
        define_storage_type();
        define_node_type();
        define_tensor_type();
    } catch (const ErrorSet&) {
        throw nb::python_error();
    }
    m.doc() = "The native engine: see `pullback.engine.native` for what is public.";
    m.attr("Tensor") = nb::handle(reinterpret_cast<PyObject*>(Tensor::type));
    m.attr("built_from") = PULLBACK_SOURCES;
    m.attr("engine_api") = nb::steal(engine_capsule().release());
    m.attr("DirectCall") = nb::handle(reinterpret_cast<PyObject*>(direct_call));
    m.attr("Node") = nb::handle(reinterpret_cast<PyObject*>(Node::type));
    m.def("allocate_like", &allocate_like, nb::arg("array"),
          "An array of this one's shape and dtype in the engine's memory, not filled yet.");
    m.def("leaf", &leaf, nb::arg("array"), nb::arg("requires_grad"), nb::arg("name").none(),
          "A leaf over an array's memory.");
    m.def("apply", &apply_operator, nb::arg("operator"), nb::arg("args"), nb::arg("kwargs"),
          "Call an operator with tensors among its arguments and record it.");
    m.def("result_on_arrays", &call_on_arrays, nb::arg("operator"), nb::arg("inputs"),
          nb::arg("attributes"), "Call a compiled operator on arrays.");
    m.def("run_backward", &backward, nb::arg("outputs"), nb::arg("grad_outputs"),
          nb::arg("inputs").none(), nb::arg("retain_graph"), nb::arg("create_graph"),
          nb::arg("allow_unused"), nb::arg("accumulate"), "Send gradients from outputs to inputs.");
    m.def("start_backward", &start, nb::arg("outputs"), nb::arg("grad_outputs").none(),
          nb::arg("inputs").none(), nb::arg("retain_graph"), nb::arg("create_graph"),
          nb::arg("allow_unused"), nb::arg("accumulate"),
          "The same of one output, where nothing is to be checked or shown; else None.");
    m.def("builtin_kernels", &builtin_kernels, nb::arg("path") = "",
          "Kernels linked in, or in a library: name of a formula to (digest of its C++, {kernel: "
          "(infer, run, flat or 0)}). None where the library was built from other sources.");
    m.def("processor_level", &processor_level,
          "The highest level of x86-64 that the processor is of; empty on others.");
    m.def(
        "parallel_for_address", [] { return reinterpret_cast<std::uintptr_t>(&parallel_for); },
        "The kernels' `parallel_for`, by threads that wait for work.");
    m.def("forget_operators", &NamedOperator::forget,
          "A formula was replaced: resolve operators again.");
    m.def(
        "memory_stats",
        [] {
            const MemoryStats stats = memory_stats();
            return nb::make_tuple(stats.in_use, stats.cached, stats.peak_in_use, stats.limit,
                                  stats.taken, stats.reused);
        },
        "In use, cached, peak, limit, blocks taken, of them reused.");
    m.def("reset_memory_peak", &reset_memory_peak, "Begin a new peak.");
    m.def("set_memory_limit", &set_memory_limit, nb::arg("limit"), "In bytes; 0 for none.");
    m.def("empty_cache", &release_cached_memory, "Give waiting memory back: how many bytes.");
    m.def("get_num_threads", &num_threads, "Threads of a kernel.");
    m.def("set_num_threads", &set_num_threads, nb::arg("count"),
          "Have kernels use so many threads.");
    m.def("set_blas_libraries", &set_blas_libraries, nb::arg("paths"), "Where BLAS may be.");
    m.def("blas_library", &blas_library,
          "Which of them products go to, empty where none can be used; loads it.");
    m.def(
        "set_observer", [](nb::handle observer) { switches.set_observer(observer.ptr()); },
        nb::arg("observer").none(), "Have observer(operator, inputs, attributes, results) called.");
    m.def(
        "set_packing", [](nb::handle pack) { switches.set_pack(pack.ptr()); },
        nb::arg("pack").none(), "Save pack(x) in the place of each tensor, unless it is None.");
    m.def(
        "set_anomaly",
        [](bool enabled, bool check_nan) { switches.set_anomaly(enabled, check_nan); },
        nb::arg("enabled"), nb::arg("check_nan"), "Record stacks in nodes, and check for NaN.");
    m.def(
        "set_inference", [](bool some) { switches.inference = some; }, nb::arg("some"),
        "Whether some thread is in inference mode.");
    m.def("write_clock", &Storage::next_moment,
          "A number higher than those of all writes so far, lower than those of all to come.");
    m.def(
        "fast_paths", [] { return std::vector<std::string>(kFastPaths.begin(), kFastPaths.end()); },
        "Names of the fast paths.");
    m.def("set_fast_path", &set_fast_path, nb::arg("name"), nb::arg("on"),
          "Switch a fast path on or off, to compare with the general path.");
    m.def(
        "current_pass", [] { return guarded([] { return current_pass(); }); },
        "The innermost backward that runs in this thread, or None.");
}
