/* Kernels of a GPU: their module, loaded by the driver, and their start on PyTorch's stream.

   Nothing here is linked against CUDA: the driver and PyTorch's own part for CUDA are in the
   process where there are tensors of a GPU. */
#ifndef PULLBACK_TORCH_CUDA_H_
#define PULLBACK_TORCH_CUDA_H_

#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <c10/util/Exception.h>
#include <dlfcn.h>
#include <pullback/kernel_abi.h>

#include <algorithm>
#include <exception>
#include <limits>
#include <map>
#include <mutex>
#include <string>
#include <tuple>

#include "python.h"
#include "values.h"

namespace pullback_torch {

constexpr int32_t kThreads = 256;  // of a block at most, as the text of kernels has it
constexpr int64_t kMostBlocks = std::numeric_limits<int32_t>::max();

inline void* found_in(const char* library, int flags, const char* function) {
    void* const handle = dlopen(library, flags);
    void* const found = handle == nullptr ? nullptr : dlsym(handle, function);
    TORCH_CHECK(found != nullptr, "pullback: ", library, " has no ", function);
    return found;
}

/* The driver's functions, by CUDA's driver API. A module and its kernels belong to no device. */
struct Driver {
    int (*load)(void**, const void*, void*, void*, unsigned, void*, void*, unsigned);
    int (*kernel)(void**, void*, const char*);
    int (*launch)(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                  void*, void**, void**);
    int (*fill)(uint64_t, unsigned char, size_t, void*);
    int (*error)(int, const char**);
    int (*current)(void**);  // context of this thread
    int (*retain)(void**, int);
    int (*set_current)(void*);
    int32_t (*stream)(int32_t, void**);  // PyTorch's current one of a device

    static const Driver& loaded() {
        static const Driver driver;
        return driver;
    }

    void check(int status, const std::string& what) const {
        if (status == 0) return;
        const char* text = nullptr;
        if (error(status, &text) != 0 || text == nullptr) text = "unknown error";
        TORCH_CHECK(false, "pullback: ", what, ": CUDA's driver says: ", text);
    }

    void start(void* kernel, int64_t blocks, int64_t threads, const pb_launch& of,
               void* on) const {
        const auto count = static_cast<unsigned>(std::min(blocks, kMostBlocks));
        const auto many = static_cast<unsigned>(threads);
        check(launch(kernel, count, 1, 1, many, 1, 1, 0, on, of.arguments, nullptr), of.kernel);
    }

    /* Gives a thread the context of PyTorch: one of its engine has none before its first call of
       the runtime, which a guard of the first device does not make. */
    void enter(c10::Device device, const char* kernel) const {
        void* context = nullptr;
        check(current(&context), kernel);
        if (context != nullptr) return;
        check(retain(&context, device.index()), kernel);  // for as long as the process lives
        check(set_current(context), kernel);
    }

  private:
    Driver() {
        const auto of = [](auto& function, const char* name) {
            function = reinterpret_cast<std::decay_t<decltype(function)>>(
                found_in("libcuda.so.1", RTLD_NOW, name));
        };
        of(load, "cuLibraryLoadData");
        of(kernel, "cuLibraryGetKernel");
        of(launch, "cuLaunchKernel");
        of(fill, "cuMemsetD8Async");
        of(error, "cuGetErrorString");
        of(current, "cuCtxGetCurrent");
        of(retain, "cuDevicePrimaryCtxRetain");
        of(set_current, "cuCtxSetCurrent");
        stream = reinterpret_cast<decltype(stream)>(found_in(
            "libtorch_cuda.so", RTLD_NOW | RTLD_NOLOAD, "aoti_torch_get_current_cuda_stream"));
    }
};

/* The kernels of a formula, which Python compiles when they are first started. */
class Module {
  public:
    explicit Module(PyObject* owner) : owner_(Py_NewRef(owner)) { Driver::loaded(); }

    /* The kernel that a launch is of; nullptr where no compiler makes it. */
    void* kernel(const pb_launch& launch) {
        const std::tuple key{launch.kernel, launch.bits, launch.variant};
        {
            const std::lock_guard lock(guard_);
            const auto found = kernels_.find(key);
            if (found != kernels_.end()) return found->second;
        }
        void* const made = compiled(launch);
        const std::lock_guard lock(guard_);
        return kernels_.try_emplace(key, made).first->second;
    }

  private:
    void* compiled(const pb_launch& launch) const {
        const Gil gil;
        const Object found = checked(PyObject_CallMethod(owner_, "binary", "sii", launch.kernel,
                                                         launch.bits, launch.variant));
        if (found.get() == Py_None) return nullptr;
        const char* name = nullptr;
        PyObject* binary = nullptr;
        if (PyArg_ParseTuple(found.get(), "sS", &name, &binary) == 0) checked(nullptr);
        const Driver& driver = Driver::loaded();
        void* library = nullptr;
        void* kernel = nullptr;
        driver.check(driver.load(&library, PyBytes_AS_STRING(binary), nullptr, nullptr, 0, nullptr,
                                 nullptr, 0),
                     name);
        driver.check(driver.kernel(&kernel, library, name), name);
        return kernel;
    }

    PyObject* owner_;
    std::mutex guard_;
    std::map<std::tuple<const char*, int32_t, int32_t>, void*> kernels_;  // names by address
};

/* Zeros on a device, which are never given back. */
inline const void* zeros_on(c10::Device device) {
    static std::mutex guard;
    static std::map<c10::DeviceIndex, Tensor>& zeros = *new std::map<c10::DeviceIndex, Tensor>();
    const std::lock_guard lock(guard);
    Tensor& found = zeros[device.index()];
    if (!found.defined()) {
        found = at::zeros({16}, at::TensorOptions().dtype(at::kByte).device(device));
        found.cpu();  // which waits for them, whatever the stream
    }
    return found.const_data_ptr();
}

/* Where the kernels of a call are started. */
struct Started {
    Module& module;
    c10::Device device;
    void* stream;
    std::exception_ptr failed;
};

inline int launch(void* context, const pb_launch* launch) {
    auto& started = *static_cast<Started*>(context);
    try {
        const Driver& driver = Driver::loaded();
        driver.enter(started.device, launch->kernel);
        void* const kernel = started.module.kernel(*launch);
        if (kernel == nullptr) return 1;
        Tensor work;  // given back while it is in use: whoever has it next is on the same stream
        if (launch->work != nullptr) {
            const auto bytes = static_cast<int64_t>(launch->totals_bytes + launch->arrived_bytes);
            work = at::empty({bytes}, at::TensorOptions().dtype(at::kByte).device(started.device));
            auto* const data = static_cast<char*>(work.mutable_data_ptr());
            launch->work->totals = data;
            launch->work->arrived = data + launch->totals_bytes;
            if (launch->arrived_bytes != 0) {
                const auto arrived = reinterpret_cast<uint64_t>(launch->work->arrived);
                driver.check(driver.fill(arrived, 0, launch->arrived_bytes, started.stream),
                             launch->kernel);
            }
        }
        driver.start(kernel, launch->blocks, launch->threads, *launch, started.stream);
        if (launch->joining != 0) {
            pb_launch after = *launch;
            after.variant = PB_JOINED;
            void* const joined = started.module.kernel(after);
            if (joined == nullptr) return 1;
            driver.start(joined, launch->joining, kThreads, *launch, started.stream);
        }
    } catch (...) {
        started.failed = std::current_exception();
        return 1;
    }
    return 0;
}

}  // namespace pullback_torch

#endif
