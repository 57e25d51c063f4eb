/* One handler of XLA's foreign function interface for every kernel of kernel_abi.h.

   A call names its kernel by a text; Python says what address that is, in each process anew, so
   that an executable that XLA has cached on disk never holds an address. */
#include <pullback/kernel_abi.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "xla/ffi/api/ffi.h"

namespace ffi = xla::ffi;

namespace {

struct Kernel {
    pb_infer_function infer;
    pb_run_function run;
};

std::mutex guard;

std::unordered_map<std::string, Kernel>& kernels() {
    static auto* known = new std::unordered_map<std::string, Kernel>();
    return *known;
}

bool find(std::string_view name, Kernel& kernel) {
    const std::lock_guard lock(guard);
    const auto found = kernels().find(std::string(name));
    if (found == kernels().end()) return false;
    kernel = found->second;
    return true;
}

bool data_type(ffi::DataType type, DLDataType& found) {
    switch (type) {
        case ffi::F32:
            found = {kDLFloat, 32, 1};
            return true;
        case ffi::F64:
            found = {kDLFloat, 64, 1};
            return true;
        case ffi::S64:
            found = {kDLInt, 64, 1};
            return true;
        case ffi::PRED:
            found = {kDLBool, 8, 1};
            return true;
        default:
            return false;
    }
}

/* An input that is shape and dtype alone stands in `layout` as its dtype and extents. */
enum Way : int64_t { kArray = 0, kAbsent = 1, kLike = 2 };

DLTensor tensor(void* data, DLDataType type, const int64_t* extents, int64_t ndim) {
    DLTensor made{};
    made.data = data;
    made.device = {kDLCPU, 0};
    made.ndim = static_cast<int32_t>(ndim);
    made.dtype = type;
    made.shape = const_cast<int64_t*>(extents);
    return made;
}

/* Ranges of a kernel that XLA's threads share with the caller. The caller does what nobody else has
   begun, and waits only for what has been begun, so that a busy pool holds nothing up. */
class Shared {
  public:
    Shared(const pb_call& call, pb_run_function run, int64_t units, int64_t parts)
        : call_(call), run_(run), units_(units), parts_(parts) {}

    /* Ranges until there are none left. */
    void work() {
        for (int64_t part = next_++; part < parts_; part = next_++) {
            pb_call mine = call_;
            mine.begin = units_ * part / parts_;
            mine.end = units_ * (part + 1) / parts_;
            char text[256] = "";
            mine.error = text;
            mine.error_bytes = sizeof text;
            const int status = run_(&mine);
            const std::lock_guard lock(guard_);
            if (status != PB_OK && status_ == PB_OK) {
                status_ = status;
                text_ = text;
            }
            if (++done_ == parts_) all_done_.notify_all();
        }
    }

    int wait(std::string& text) {
        std::unique_lock lock(guard_);
        all_done_.wait(lock, [this] { return done_ == parts_; });
        text = text_;
        return status_;
    }

  private:
    const pb_call call_;
    const pb_run_function run_;
    const int64_t units_, parts_;
    std::atomic<int64_t> next_{0};
    std::mutex guard_;
    std::condition_variable all_done_;
    int64_t done_ = 0;
    int status_ = PB_OK;
    std::string text_;
};

ffi::Error failure(std::string_view name, const std::string& text) {
    return ffi::Error(ffi::ErrorCode::kInvalidArgument, std::string(name) + ": " + text);
}

ffi::Error call_kernel(ffi::RemainingArgs args, ffi::RemainingRets rets, ffi::ThreadPool pool,
                       std::string_view name, ffi::Span<const int64_t> layout,
                       ffi::Span<const int64_t> numbers, ffi::Span<const int64_t> wanted,
                       int64_t plain) {
    Kernel kernel{};
    if (!find(name, kernel)) {
        return failure(name,
                       "is not loaded in this process: call pullback.jax.compile before it runs");
    }
    std::vector<DLTensor> held;
    std::vector<int> place;  // of each input in `held`; -1 where it is absent
    held.reserve(layout.size() + wanted.size());
    size_t taken = 0;
    for (size_t at = 0; at < layout.size();) {
        const int64_t way = layout[at++];
        if (way == kAbsent) {
            place.push_back(-1);
            continue;
        }
        place.push_back(static_cast<int>(held.size()));
        if (way == kLike) {
            const DLDataType type = {static_cast<uint8_t>(layout[at]),
                                     static_cast<uint8_t>(layout[at + 1]), 1};
            held.push_back(tensor(nullptr, type, layout.begin() + at + 3, layout[at + 2]));
            at += 3 + static_cast<size_t>(layout[at + 2]);
            continue;
        }
        auto argument = args.get<ffi::AnyBuffer>(taken++);
        if (argument.has_error()) return argument.error();
        DLDataType type{};
        if (!data_type(argument->element_type(), type)) return failure(name, "takes no such dtype");
        const auto extents = argument->dimensions();
        held.push_back(tensor(argument->untyped_data(), type, extents.begin(),
                              static_cast<int64_t>(extents.size())));
    }
    std::vector<const DLTensor*> inputs;
    for (const int at : place) inputs.push_back(at < 0 ? nullptr : &held[static_cast<size_t>(at)]);

    std::vector<const DLTensor*> outputs(wanted.size() + static_cast<size_t>(plain), nullptr);
    size_t given = 0;
    for (size_t k = 0; k < wanted.size(); ++k) {
        if (wanted[k] == 0) continue;
        auto result = rets.get<ffi::AnyBuffer>(given++);
        if (result.has_error()) return result.error();
        DLDataType type{};
        if (!data_type((*result)->element_type(), type))
            return failure(name, "gives no such dtype");
        const auto extents = (*result)->dimensions();
        held.push_back(tensor((*result)->untyped_data(), type, extents.begin(),
                              static_cast<int64_t>(extents.size())));
        outputs[k] = &held.back();
    }

    const auto* attributes = reinterpret_cast<const pb_scalar*>(numbers.begin());
    std::vector<pb_spec> specs(outputs.size() + 1);
    char text[256] = "";
    pb_infer query{};
    query.abi = PB_KERNEL_ABI;
    query.n_inputs = static_cast<int32_t>(inputs.size());
    query.n_attrs =
        static_cast<int32_t>(numbers.size()) - 1;  // one behind them: none is no array to XLA
    query.n_outputs = static_cast<int32_t>(outputs.size());
    query.inputs = inputs.data();
    query.attrs = attributes;
    query.outputs = specs.data();
    query.error = text;
    query.error_bytes = sizeof text;
    if (kernel.infer(&query) != PB_OK) return failure(name, text);
    for (size_t k = 0; k < wanted.size(); ++k) {
        if (outputs[k] == nullptr) continue;
        const pb_spec& spec = specs[k];
        if (spec.ndim != outputs[k]->ndim || spec.dtype.bits != outputs[k]->dtype.bits ||
            !std::equal(spec.shape, spec.shape + spec.ndim, outputs[k]->shape)) {
            return failure(name, "gives an output of another shape than was traced");
        }
    }

    const std::unique_ptr<void, void (*)(void*)> workspace(
        query.workspace_bytes == 0 ? nullptr
                                   : std::aligned_alloc(64, (query.workspace_bytes + 63) / 64 * 64),
        std::free);
    if (query.workspace_bytes != 0 && workspace == nullptr) {
        return ffi::Error(ffi::ErrorCode::kResourceExhausted, "no memory for a kernel's workspace");
    }
    pb_call call{};
    call.abi = PB_KERNEL_ABI;
    call.n_inputs = query.n_inputs;
    call.n_attrs = query.n_attrs;
    call.n_outputs = query.n_outputs;
    call.inputs = inputs.data();
    call.attrs = attributes;
    call.outputs = outputs.data();
    call.workspace = workspace.get();
    call.workspace_bytes = query.workspace_bytes;

    int64_t bytes = 0;
    for (const DLTensor& one : held) {
        int64_t size = one.data == nullptr ? 0 : one.dtype.bits / 8;
        for (int32_t axis = 0; axis < one.ndim; ++axis) size *= one.shape[axis];
        bytes += size;
    }
    constexpr int64_t kWorthAThread = 1 << 20;  // bytes
    const int64_t threads = std::max<int64_t>(1, pool.num_threads());
    const int64_t parts =
        query.workspace_bytes != 0
            ? 1
            : std::max<int64_t>(1, std::min({threads, query.units, bytes / kWorthAThread}));
    const auto shared = std::make_shared<Shared>(call, kernel.run, query.units, parts);
    for (int64_t helper = 1; helper < parts; ++helper) {
        pool.Schedule([shared] { shared->work(); });
    }
    shared->work();
    std::string said;
    return shared->wait(said) == PB_OK ? ffi::Error::Success() : failure(name, said);
}

}  // namespace

/* Tells the handler where a kernel of this process is. */
extern "C" __attribute__((visibility("default"))) void pullback_jax_register(const char* name,
                                                                             void* infer,
                                                                             void* run) {
    const std::lock_guard lock(guard);
    kernels()[name] = {reinterpret_cast<pb_infer_function>(infer),
                       reinterpret_cast<pb_run_function>(run)};
}

#pragma GCC visibility push(default)
XLA_FFI_DEFINE_HANDLER_SYMBOL(pullback_jax_kernel, call_kernel,
                              ffi::Ffi::Bind()
                                  .RemainingArgs()
                                  .RemainingRets()
                                  .Ctx<ffi::ThreadPool>()
                                  .Attr<std::string_view>("name")
                                  .Attr<ffi::Span<const int64_t>>("layout")
                                  .Attr<ffi::Span<const int64_t>>("numbers")
                                  .Attr<ffi::Span<const int64_t>>("wanted")
                                  .Attr<int64_t>("plain"));
#pragma GCC visibility pop
