// For C++ programs that call generated kernels: vectors in, vectors out. Kernels do not include it.
#ifndef PULLBACK_KERNEL_CALLER_H_
#define PULLBACK_KERNEL_CALLER_H_

#include <initializer_list>
#include <new>
#include <stdexcept>
#include <vector>

#include "pullback/kernel_abi.h"

namespace pullback {

// A vector of float or double with a shape, as a kernel sees it. The vector stays the owner. One of
// nothing is an input that is not there, or an output that nobody needs.
class Array {
  public:
    Array() : tensor_{} {}
    Array(std::vector<float>& data) : Array(data, {static_cast<int64_t>(data.size())}) {}
    Array(std::vector<double>& data) : Array(data, {static_cast<int64_t>(data.size())}) {}

    template <typename T>
    Array(std::vector<T>& data, std::vector<int64_t> shape)
        : shape_(static_cast<std::vector<int64_t>&&>(shape)) {
        int64_t size = 1;
        for (const int64_t extent : shape_) size *= extent;
        if (size != static_cast<int64_t>(data.size()))
            throw std::invalid_argument("shape and size differ");
        const DLDataType dtype = {kDLFloat, 8 * sizeof(T), 1};
        tensor_ = {data.data(),
                   {kDLCPU, 0},
                   static_cast<int32_t>(shape_.size()),
                   dtype,
                   nullptr,
                   nullptr,
                   0};
    }

    // Valid while this array is; NULL for nothing.
    const DLTensor* tensor() const {
        if (tensor_.data == nullptr && shape_.empty()) return nullptr;
        tensor_.shape = shape_.data();
        return &tensor_;
    }

  private:
    mutable std::vector<int64_t> shape_;
    mutable DLTensor tensor_;
};

// Runs a kernel. Throws std::invalid_argument with the kernel's text where it refuses.
inline void call(pb_infer_function infer, pb_run_function run, std::initializer_list<Array> inputs,
                 std::initializer_list<Array> outputs) {
    std::vector<const DLTensor*> from;
    std::vector<const DLTensor*> to;
    for (const Array& array : inputs) from.push_back(array.tensor());
    for (const Array& array : outputs) to.push_back(array.tensor());
    std::vector<pb_spec> specs(to.size());
    char error[256] = "";

    pb_infer query = {};
    query.abi = PB_KERNEL_ABI;
    query.n_inputs = static_cast<int32_t>(from.size());
    query.n_outputs = static_cast<int32_t>(to.size());
    query.inputs = from.data();
    query.outputs = specs.data();
    query.error = error;
    query.error_bytes = sizeof error;
    if (infer(&query) != PB_OK) throw std::invalid_argument(error);

    struct Workspace {
        explicit Workspace(size_t bytes) : data(::operator new(bytes, std::align_val_t{64})) {}
        ~Workspace() { ::operator delete(data, std::align_val_t{64}); }
        Workspace(const Workspace&) = delete;
        Workspace& operator=(const Workspace&) = delete;
        void* data;
    };
    const Workspace workspace(query.workspace_bytes);
    pb_call arguments = {};
    arguments.abi = PB_KERNEL_ABI;
    arguments.n_inputs = query.n_inputs;
    arguments.n_outputs = query.n_outputs;
    arguments.inputs = from.data();
    arguments.outputs = to.data();
    arguments.workspace = workspace.data;
    arguments.workspace_bytes = query.workspace_bytes;
    arguments.end = query.units;
    arguments.error = error;
    arguments.error_bytes = sizeof error;
    if (run(&arguments) != PB_OK) throw std::invalid_argument(error);
}

}  // namespace pullback

#endif  // PULLBACK_KERNEL_CALLER_H_
