// Calls of compiled kernels by their addresses, on tensors.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/pool.h"
#include "core/inferred.h"
#include "core/memory_order.h"
#include "core/tensor.h"
#include "pullback/kernel_abi.h"

namespace pullback {

/// The role of an argument.
enum class KernelRole : std::uint8_t {
    tensor,   // values
    shape,    // shape and dtype only
    integer,  // a number; float64 scalars of NumPy's are distinguished from Python's
    real,
    strong,
    boolean
};

struct KernelArgument {
    KernelRole role;
    bool of_kernel_type;  // of the kernel's own float type, which a Python number takes
    bool is_cotangent;    // of a backward, else a saved value; a forward has inputs and attributes
    bool used;            // an output that is needed depends on it
    std::int32_t index;   // among inputs, then attributes; among saved values; among cotangents
};

/// A plain value that a kernel computes: where it stands behind the operator's outputs, and what it
/// is.
struct PlainOutput {
    enum class Kind : std::uint8_t { like, shape, integer, boolean, real };
    std::int32_t position;
    Kind kind;
};

/// A kernel, and what its arguments and outputs are to an operator.
struct KernelLayout {
    pb_infer_function infer = nullptr;
    pb_run_function run = nullptr;
    pb_flat_function flat = nullptr;  // or none
    const pb_runtime* runtime = nullptr;
    std::vector<KernelArgument> arguments;
    /// Of a forward, each output's place among results and hidden outputs; of a backward, the input
    /// that the gradient belongs to, -1 where nobody needs it.
    std::vector<std::int32_t> outputs;
    /// Of a forward: the input whose shape and dtype each plain value is; -1 - k for attribute k.
    std::vector<std::int32_t> plain_likes;
    /// And -1; or a number of axes, where the value is whether that input has so many; or kSize,
    /// where it is the number of elements of that input, or of an output counted after the inputs.
    std::vector<std::int32_t> plain_ranks;
    static constexpr std::int32_t kLike = -1, kSize = -2;
    /// Or kPlainOutput, where it is a plain value.
    static constexpr std::int32_t kPlainOutput = -3;
    /// Or kNone, where it is whether that input is None.
    static constexpr std::int32_t kNone = -4;
    /// They are its last outputs.
    std::vector<PlainOutput> plain_outputs;
    /// True if `infer` reads no data: none but those of the kernel's own type, which it never does.
    bool infers_of_shapes = true;
    /// True if a Python number makes a result of float32 one of float64.
    bool numbers_widen = false;
    mutable Inferred inferred;
    /// The most of inputs, attributes or outputs that a call may have.
    std::size_t most() const { return std::max(arguments.size(), outputs.size()); }

    /// From a `pullback.engine.native.kernels.Layout`. Throws ErrorSet.
    static std::unique_ptr<KernelLayout> of(PyObject* layout);
};

/// One argument as it is at hand: memory, or only the layout of some, or a Python object.
struct Operand {
    const Layout* layout = nullptr;
    void* data = nullptr;
    PyObject* value = nullptr;

    static Operand of(const Tensor& tensor) { return {&tensor.layout, tensor.data(), nullptr}; }
};

using LaunchOutputs = InlineVector<Ref<Tensor>, 4>;

/// Arguments of one call of a kernel.
class Launch {
  public:
    /// Outputs at places from `n_needed` on are left out.
    explicit Launch(const KernelLayout& kernel, std::int32_t n_needed = INT32_MAX)
        : kernel_(kernel), n_needed_(n_needed) {
        if (const std::size_t count = kernel.most(); count > kFew) [[unlikely]]
            grow(count);
    }
    Launch(const Launch&) = delete;
    Launch& operator=(const Launch&) = delete;

    /// Adds the next argument; false where the kernel can't take it. Throws ErrorSet.
    bool add(const KernelArgument& argument, const Operand& operand);

    /// Has an output of these values added to, where the kernel can and they are of its layout.
    /// They are taken from the reference then. Nobody else may see them.
    void add_onto(std::size_t output, Ref<Tensor>& values) {
        onto_.emplace_back(output, &values, false);
    }

    /// Has an output take the memory of an argument, of which the kernel reads nothing but the same
    /// element. It is taken from the reference where it is of the output's layout.
    void write_over(std::size_t output, Ref<Tensor>& values) {
        onto_.emplace_back(output, &values, true);
    }

    /// Has outputs that are the product of a column and a row stay unwritten until they are read.
    void may_leave_products() { may_leave_products_ = true; }

    /// Runs the kernel; false where it doesn't take these arguments. `outputs` receives a tensor
    /// per entry of the layout's outputs, none for -1. Throws ErrorSet.
    bool run(LaunchOutputs& outputs);

    // The same in three steps, the one in the middle on any thread.

    /// Makes the outputs; false where the kernel doesn't take these arguments. Throws ErrorSet.
    bool prepare(LaunchOutputs& outputs);
    /// Runs the kernel; needs neither the GIL nor Python.
    void execute() noexcept { status_ = kernel_.run(&call_); }
    /// True if it ran; lets the outputs go where it didn't.
    bool finish(LaunchOutputs& outputs);

    /// A plain value that the kernel computed. Throws ErrorSet.
    PyRef plain_output(std::size_t k) const;

  private:
    static constexpr std::size_t kFew = 48;  // arguments or outputs, for which nothing is allocated
    static constexpr std::size_t kAdded = 64;  // outputs that a kernel can be asked to add to

    void cut(LaunchOutputs& outputs);

    /// Memory for arguments and outputs of a call that has many.
    struct Many {
        explicit Many(std::size_t count);
        std::vector<DLTensor> views, results;
        std::vector<const DLTensor*> inputs, outputs;
        std::vector<pb_scalar> attributes;
        std::vector<double> doubles;
        std::vector<pb_spec> specs;
    };

    void grow(std::size_t count);
    bool add_tensor(const KernelArgument& argument, const Operand& operand);
    bool add_number(KernelRole role, PyObject* value);
    bool add_view(const Layout& layout, void* data);
    bool place_numbers();
    void take_memory_order();
    void leave_products(std::uint64_t outputs);
    void multiply(const pb_product& product);
    Ref<Tensor> output_for(std::size_t k, const Layout& layout, std::uint64_t can_add);

    struct PythonNumber {
        std::size_t position;
        PyObject* value;
    };

    const KernelLayout& kernel_;
    const std::int32_t n_needed_;
    InlineVector<Ref<Tensor>, 2> kept_;  // wrapped arrays
    InlineVector<Layout, kFew> read_;    // shapes that came as Python objects
    DLTensor few_views_[kFew];
    const DLTensor* few_inputs_[kFew];
    pb_scalar few_attributes_[kFew];
    InlineVector<PythonNumber, 2> numbers_;
    double few_doubles_[kFew];
    std::size_t n_inputs_ = 0;
    std::size_t n_attributes_ = 0;
    DType own_type_ = -1;
    std::int64_t elements_ = 0;
    pb_spec few_specs_[kFew];
    DLTensor few_results_[kFew];
    const DLTensor* few_outputs_[kFew];
    std::unique_ptr<Many> many_;
    DLTensor* views_ = few_views_;
    const DLTensor** inputs_ = few_inputs_;
    pb_scalar* attributes_ = few_attributes_;
    double* doubles_ = few_doubles_;
    pb_spec* specs_ = few_specs_;
    DLTensor* results_ = few_results_;
    const DLTensor** outputs_ = few_outputs_;
    std::optional<MemoryOrder> order_;  // of a loop over entries
    struct Onto {
        std::size_t output;
        Ref<Tensor>* values;
        bool over;
    };
    InlineVector<Onto, 2> onto_;
    bool taken_ = false;  // some of their values
    bool may_leave_products_ = false;
    std::uint64_t leavable_ = 0;  // bit k: output k may stay unwritten
    std::vector<std::pair<std::size_t, std::shared_ptr<const OuterProduct>>> unwritten_;
    pb_runtime services_{};
    Ref<Storage> workspace_;
    pb_call call_{};
    int status_ = PB_OK;
};

}  // namespace pullback
